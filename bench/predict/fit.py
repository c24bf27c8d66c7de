#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the processor's factors on what predict.py found (bench/results/predict-*.json).

fit.py            writes the factors of data/runtimes/cpu.json
fit.py --check    fails where these are not what this script writes, where docs/score.md states other errors of the
                  predictions that were made before their runs were in the fit, or where those exceed GOALS

Of every type of weights: the share of our own matrix-vector product's rate that llama.cpp's writing reaches, and of our
product in fp32 that its reading does (the product by tiles moves by a half from run to run on one thread, llama.cpp's
reading does not); apart where tiles ran our product in 16 bits and llama.cpp has kernels with tiles for those weights, of 4
and of 8 bits. Training: the share of the fastest product of 16 or 32 bits that torch's step
reaches. For other weights, and where a figure is missing: the share of reads, and of the product in fp32 without tiles,
over all formats. The value is the middle of all runs, its range what they span and a margin: other processors are other ratios.
Runs of a disturbed machine do not count.
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
WEIGHTS = ("q4", "q8", "fp16", "bf16")
BY_TILES = ("q4", "q8")
TILES = "own:amx"
MARGIN = 1.05
# On two cores of a Zen 5, found before predict.py was: of reads; of a product whose type was not kept; with activations
# kept and with checkpointing. They widen ranges.
EARLIER_DECODE = (0.50, 0.82)
EARLIER_PREFILL = (0.44,)
EARLIER_TRAINING = (0.55, 0.62, 0.42)
PROMPT = 512
# Of the median errors of predictions, and of their ranges (high / low).
GOALS = {"decode": 0.15, "prefill": 0.20, "training": 0.25}
LEAST_INSIDE = 0.90
MOST_WIDTH = 1.8
FORMATS = {"Q4_K_M": "q4", "Q8_0": "q8", "F16": "fp16", "BF16": "bf16"}


def load():
    rows = []
    for path in sorted((ROOT / "bench" / "results").glob("predict-*.json")):
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


def tile_rate(row):
    return max((one for one in (rate(row, f"gemm {of}", TILES) for of in ("fp16", "bf16")) if one), default=None)


def seconds(row, overhead_s):
    """Of a token, without what every device is taken to need beside the work."""
    if row["use"] == "training":
        return 1 / row["measured"]
    return 1 / row["measured"] - (overhead_s if row["use"] == "decode" else overhead_s / PROMPT)


def factor(rows, of, earlier=()):
    overhead_s = json.loads(FIT.read_text())["token_overhead_s"]
    shares = [row["work"] / seconds(row, overhead_s) / of(row) for row in rows if of(row)]
    if not shares:
        return None
    middle = math.exp(statistics.median(math.log(share) for share in shares))
    shares = sorted([*shares, *earlier])
    outer = len(shares) // 20  # a twentieth at either end may lie outside
    low, high = shares[outer] / MARGIN, shares[-1 - outer] * MARGIN
    return {"value": round(middle, 3), "low": round(low, 3), "high": round(high, 3),
            "basis": "fitted", "source": SOURCE, "date": max(row["date"] for row in rows)}


def weights_of(row):
    return FORMATS.get(row["model"].split("-")[-1])


def of_weights(rows, weights):
    own = [row for row in rows if weights_of(row) == weights]
    with_tiles = [row for row in own if weights in BY_TILES and tile_rate(row)]
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


def found(rows, use):
    """(runs, median error, share inside the printed range, its median width) of what was predicted."""
    own = [row for row in rows if row["use"] == use and "predicted" in row]
    errors = [abs(row["predicted"][0] / row["measured"] - 1) for row in own]
    inside = [row["predicted"][1] <= row["measured"] <= row["predicted"][2] for row in own]
    widths = [row["predicted"][2] / row["predicted"][1] for row in own]
    return len(own), statistics.median(errors), statistics.fmean(inside), statistics.median(widths)


def check(text, rows):
    if TARGET.read_text() != text:
        sys.exit(f"{TARGET.relative_to(ROOT)} is not what this script writes")
    page = " ".join((ROOT / "docs" / "score.md").read_text(encoding="utf-8").split())
    for use, goal in GOALS.items():
        runs, error, inside, width = found(rows, use)
        if error > goal or inside < LEAST_INSIDE or width > MOST_WIDTH:
            sys.exit(f"{use}: a median error of {error:.3f} with {inside:.2f} inside a range {width:.2f} wide misses {goal}, "
                     f"{LEAST_INSIDE} and {MOST_WIDTH}")
        sentence = f"{use} median {error * 100:.0f} % in {runs} runs, {inside * 100:.0f} % inside a range {width:.1f} wide"
        if sentence not in page:
            sys.exit(f"docs/score.md does not state: {sentence}")


def main():
    rows = load()
    facts = json.loads(TARGET.read_text())
    facts["factors"]["weights"] = [of_weights(rows, weights) for weights in WEIGHTS]
    facts["factors"]["training"] = factor(
        [row for row in rows if row["use"] == "training"],
        lambda row: max(rate(row, f"gemm {one}") or 0 for one in ("fp32", "fp16", "bf16")), EARLIER_TRAINING)
    without_tiles = [row for row in rows if not (tile_rate(row) and weights_of(row) in BY_TILES)]
    facts["factors"]["decode"] = factor([row for row in rows if row["use"] == "decode"], lambda row: rate(row, "read u32"),
                                        EARLIER_DECODE)
    facts["factors"]["prefill"] = factor([row for row in without_tiles if row["use"] == "prefill"],
                                         lambda row: prompt_rate(row, "fp32"), EARLIER_PREFILL)
    text = json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        check(text, rows)
    else:
        TARGET.write_text(text)


main()
