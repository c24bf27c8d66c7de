#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the processor's factors on what predict.py found (bench/results/predict-*.json).

fit.py            writes the factors of data/runtimes/cpu.json
fit.py --check    fails where these are not what this script writes, where docs/score.md states other errors than those
                  of models that were left out of the fit, or where those exceed GOALS

Of every type of weights: the share of our own matrix-vector product's rate that llama.cpp's writing reaches, and of our
product in fp32 that its reading does (the product by tiles moves by a half from run to run on one thread, llama.cpp's
reading does not); apart where tiles ran our product in 16 bits and llama.cpp has kernels with tiles for those weights, of 4
and of 8 bits. Training: the share of the fastest product of 16 or 32 bits that torch's step
reaches. For other weights, and where a figure is missing: the share of reads, and of the product in fp32 without tiles,
over all formats. The value is the middle of all runs, its range what they span and a margin, and LEAST_SPREAD at least:
other processors and models are other ratios.
Runs of a disturbed machine do not count.

Errors are of models that the fit has not seen, and of what the program printed in runs that are in no fit
(bench/results/unseen-*.json): of each shape by the factors of all others, of training each number of
threads by those of the others. Runs that no others are like (of lesser processors there is one shape alone for most types
of weights) have no such error.
"""
import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIT = ROOT / "data" / "fit.json"
TARGET = ROOT / "data" / "runtimes" / "cpu.json"
SOURCE = "bench/predict/fit.py on bench/results/predict-*.json"
BY_TILES = ("q4", "q8")
TILES = "own:amx"
MARGIN = 1.05
# Of a range, up and down, however close together the runs are: nearly all models of shapes that were left out of the fit
# lie within it. Chosen by these very errors, so that what --check says of ranges is no independent test of them.
LEAST_SPREAD = 1.28
# On two cores of a Zen 5, found before predict.py was: of reads; of a product whose type was not kept; with activations
# kept and with checkpointing. They widen ranges.
EARLIER_DECODE = (0.50, 0.82)
EARLIER_PREFILL = (0.44,)
EARLIER_TRAINING = (0.55, 0.62, 0.42)
PROMPT = 512
PRODUCTS = ("fp32", "fp16", "bf16")
TOKEN_OVERHEAD_S = json.loads(FIT.read_text())["token_overhead_s"]
# Of the median errors of predictions, and of the widths (high / low) of their ranges; those of training hold what two
# machines were found at, with activations kept and not.
GOALS = {"decode": (0.15, 1.8), "prefill": (0.20, 1.8), "training": (0.25, 2.5)}
LEAST_INSIDE = 0.90
FORMATS = {"Q4_K_M": "q4", "Q8_0": "q8", "F16": "fp16", "BF16": "bf16"}  # what their weights are multiplied as


def load(kind="predict"):
    """Rows of bench/results; of the kind "unseen" those that are in no fit."""
    rows = []
    for path in sorted((ROOT / "bench" / "results").glob(f"{kind}-*.json")):
        rows += [{**row, "date": path.stem[-10:]} for row in json.loads(path.read_text())["runs"] if not row["disturbed"]]
    return rows


def rate(row, kernel, implementation=None):
    """Of the fastest figure "gemm bf16" or "gemm bf16 prompt" (by that implementation); None where there is none."""
    found = [figure[0] for key, figure in row["figures"].items()
             if key.rsplit(" ", 1)[0] == kernel and implementation in (None, key.rsplit(" ", 1)[1])]
    return max(found, default=None)


def prompt_rate(row, of):
    """At the prompt's shape or, where that was not measured, at its own best."""
    return rate(row, f"gemm {of} prompt") or rate(row, f"gemm {of}")


def by_tiles(row):
    """Whether engines have tiles for such weights, and ours were faster than the product in fp32."""
    tiles = max((rate(row, f"gemm {of}", TILES) or 0 for of in ("fp16", "bf16")))
    return weights_of(row) in BY_TILES and tiles > prompt_rate(row, "fp32")


def fastest_product(row):
    return max(rate(row, f"gemm {one}") or 0 for one in PRODUCTS)


def overhead(row):
    """Seconds of a token that every device is taken to need beside the work."""
    return {"decode": TOKEN_OVERHEAD_S, "prefill": TOKEN_OVERHEAD_S / PROMPT, "training": 0}[row["use"]]


def factor(rows, of, earlier=()):
    shares = [row["work"] / (1 / row["measured"] - overhead(row)) / of(row) for row in rows if of(row)]
    if not shares:
        return None
    middle = math.exp(statistics.median(math.log(share) for share in shares))
    shares = sorted([*shares, *earlier])
    outer = len(shares) // 20  # a twentieth at either end may lie outside
    low, high = (min(shares[outer] / MARGIN, middle / LEAST_SPREAD),
                 max(shares[-1 - outer] * MARGIN, middle * LEAST_SPREAD))
    return {"value": round(middle, 3), "low": round(low, 3), "high": round(high, 3),
            "basis": "fitted", "source": SOURCE, "date": max(row["date"] for row in rows)}


def weights_of(row):
    return FORMATS.get(row["model"].split("-")[-1])


def of_weights(rows, weights):
    own = [row for row in rows if weights_of(row) == weights]
    with_tiles = [row for row in own if by_tiles(row)]
    plain = [row for row in own if row not in with_tiles]

    def decode(of):
        return factor([row for row in of if row["use"] == "decode"], lambda row: rate(row, f"gemv {weights}"))

    def prefill(of):
        return factor([row for row in of if row["use"] == "prefill"], lambda row: prompt_rate(row, "fp32"),
                      EARLIER_PREFILL if weights == "q4" and of is plain else ())
    fitted = {"weights": weights, "decode": decode(plain), "prefill": prefill(plain)}
    if with_tiles:
        fitted["tiles"] = {"implementation": TILES, "prefill": prefill(with_tiles),
                           "decode": decode(with_tiles)}
    return fitted


def factors(rows):
    """As data/runtimes/cpu.json has them."""
    without_tiles = [row for row in rows if not by_tiles(row)]
    return {
        "decode": factor([row for row in rows if row["use"] == "decode"], lambda row: rate(row, "read u32"), EARLIER_DECODE),
        "prefill": factor([row for row in without_tiles if row["use"] == "prefill"],
                          lambda row: prompt_rate(row, "fp32"), EARLIER_PREFILL),
        "training": factor([row for row in rows if row["use"] == "training"], fastest_product, EARLIER_TRAINING),
        "weights": [of_weights(rows, weights) for weights in FORMATS.values()]}


def figure(row, key):
    """[rate, low, high] of the fastest "gemm fp32 prompt" or "gemv q4"."""
    found = [value for name, value in row["figures"].items() if name.rsplit(" ", 1)[0] == key]
    return max(found, default=None)


def predicted(row, by):
    """[tokens/s, low, high], as report/score predicts (ctest report.ThePredictionOfTheFitIsTheProgramsOwn
    holds them together); None where the factors have seen nothing like it."""
    if row["use"] == "training":
        share, of = by["training"], max((figure(row, f"gemm {one}") or [] for one in PRODUCTS))
    else:
        (own,) = [one for one in by["weights"] if one["weights"] == weights_of(row)]
        share = (own.get("tiles", own) if by_tiles(row) else own)[row["use"]]
        of = (figure(row, f"gemv {own['weights']}") if row["use"] == "decode"
              else figure(row, "gemm fp32 prompt") or figure(row, "gemm fp32"))
    if not share or not of:
        return None
    below = math.hypot(math.log(share["value"] / share["low"]), math.log(of[0] / of[1]))
    above = math.hypot(math.log(share["high"] / share["value"]), math.log(of[2] / of[0]))
    reached = share["value"] * of[0]
    return [1 / (row["work"] / (reached * times) + overhead(row)) for times in (1, math.exp(-below), math.exp(above))]


def held_out(rows):
    """(row, its prediction) by factors of other models, of training by other numbers of threads."""
    def kind(row):
        return row["threads"] if row["use"] == "training" else row["model"].split("-")[0]
    for left_out in sorted({kind(row) for row in rows}, key=str):
        by = factors([row for row in rows if kind(row) != left_out])
        for row in rows:
            one = predicted(row, by) if kind(row) == left_out else None
            if one:
                yield row, one


def errors(pairs):
    """Of (measured, [predicted, low, high]): median error, share inside the range, its median width."""
    return (statistics.median(abs(one[0] / measured - 1) for measured, one in pairs),
            statistics.fmean(one[1] <= measured <= one[2] for measured, one in pairs),
            statistics.median(one[2] / one[1] for _, one in pairs))


def claim(page, use, pairs, of):
    """Ends with an error where the page does not state the errors, or where they exceed the goals."""
    most, widest = GOALS[use]
    error, inside, width = errors(pairs)
    if error > most or inside < LEAST_INSIDE or width > widest:
        sys.exit(f"{use}, {of}: a median error of {error:.3f} with {inside:.2f} inside a range {width:.2f} wide misses {most}, "
                 f"{LEAST_INSIDE} and {widest}")
    sentence = f"{use} median {error * 100:.0f} % in {len(pairs)} runs, {inside * 100:.0f} % inside a range {width:.1f} wide"
    if sentence not in page:
        sys.exit(f"docs/score.md does not state, {of}: {sentence}")


def check(text, rows):
    if TARGET.read_text() != text:
        sys.exit(f"{TARGET.relative_to(ROOT)} is not what this script writes")
    page = " ".join((ROOT / "docs" / "score.md").read_text(encoding="utf-8").split())
    unseen = load("unseen")
    for use in GOALS:
        claim(page, use, [(row["measured"], one) for row, one in held_out(rows) if row["use"] == use], "of models left out")
        claim(page, use, [(row["measured"], row["predicted"]) for row in unseen if row["use"] == use], "of runs after the fit")


def main():
    rows = load()
    facts = json.loads(TARGET.read_text())
    facts["factors"] = factors(rows)
    text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        check(text, rows)
    else:
        TARGET.write_text(text)


if __name__ == "__main__":
    main()
