#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the factors of data/fit.json on published llama-bench rows, by the formulas of report/score/score.h.

fit.py                writes data/fit.json
fit.py --check        fails where data/fit.json is not what this script writes, where docs/score.md states other errors
                      of it, or where they exceed GOALS
fit.py --rows         also shows every row: its device, what is predicted and what was measured

A token: t = (weights + kv * context) / (e[vendor] * read) + o.
A prompt: rate = c[vendor] * matrix^a * scalar^(1 - a) / work, of the fastest product and that in fp32: the larger a
device's matrix units are beside the rest of it, the less of them a prompt reaches, whatever they are called.
By least absolute error of the logarithm of the rate: a row that is off by half would bend a square. Shares are those of
devices of one maker, whatever runtime reaches them, so that between the runtimes of one device what was measured decides.
One overhead is all devices', so that a machine that is faster as a whole keeps its order.

Where nobody measured a device's rate, the share of the specified one that others reach in the median counts. The errors
that are printed and kept are those of devices that were left out of their own fit; the range that is kept holds 95 % of
its maker's, and "inside" counts the devices left out whose rows lie in the range that the others give.

llama_rows.csv: builds of 2025 and later, since engines changed much before (on Metal they did not), from pages that
anybody can open; a device counts once in its maker's share, however many rows it has. The rates of devices are those that its pages
state, or vendors' own; read_bytes_per_s are measured by kernels that read, product rates by matrix products, both
published beside other devices (github.com/chsasank/device-benchmarks, github.com/zzc0721/torch-performance-test-data,
github.com/ProjectPhysX/OpenCL-Benchmark, clpeak).
"""
import csv
import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "data" / "fit.json"
REQUEST = json.loads((ROOT / "data" / "reference_request.json").read_text())["inference"]
DATE = "2026-11-23"
SOURCE = "bench/fit/fit.py on bench/fit/llama_rows.csv"
# Llama 2 7B and Llama 3 8B: parameters that take part in products, and bytes of context a token in fp16 (7B has as many
# key as query heads).
EMBEDDING_PARAMETERS = {6.74e9: 131e6, 7.24e9: 131e6, 8.03e9: 525e6}
KV_BYTES = {6.74e9: 524288, 7.24e9: 131072, 8.03e9: 131072}
# Of devices left out of their own fit: the median error is at most that, and so many rows lie in the range.
GOALS = {"decode": 0.10, "prefill": 0.20}
LEAST_INSIDE = 0.90
# So many tell how far the next may be off.
ENOUGH_DEVICES = 8
# PCI vendor ids of those who have rows.
VENDORS = {"NVIDIA": "10de", "AMD": "1002", "Intel": "8086", "Apple": "106b"}
# No rows of many devices: what frameworks' users report of large products in bf16, as a share of the product alone.
TRAINING = {"value": 0.5, "low": 0.35, "high": 0.7, "basis": "assumed",
            "source": "assumed until rows of frameworks are fitted", "date": DATE}


def number(text):
    return float(text) if text else None


def load():
    text = ("device", "vendor", "runtime", "build", "source")
    with open(pathlib.Path(__file__).with_name("llama_rows.csv"), encoding="utf-8") as file:
        rows = [{key: value if key in text else number(value) for key, value in row.items()}
                for row in csv.DictReader(file)]
    for kind in ("read_bytes_per_s", "fp32_flop_per_s", "matrix_flop_per_s"):
        spec = "spec_bytes_per_s" if kind.startswith("read") else "spec_" + kind
        shares = {row["device"]: row[kind] / row[spec] for row in rows if row[kind] and row[spec]}
        share = statistics.median(shares.values())
        for row in rows:
            row[kind] = row[kind] or (row[spec] * share if row[spec] else None)
    for row in rows:
        if row["fp32_flop_per_s"]:
            row["matrix_flop_per_s"] = max(row["matrix_flop_per_s"] or 0, row["fp32_flop_per_s"])
    return rows


def token_bytes(row):
    return row["weight_bytes"] + KV_BYTES[row["parameters"]] * row["output_tokens"] / 2


def prompt_flop(row):
    attention = 2 * REQUEST["layers"] * REQUEST["width"] * row["prompt_tokens"]
    parameters = row["parameters"] - EMBEDDING_PARAMETERS[row["parameters"]]
    return row["prompt_tokens"] * (2 * parameters + attention)


def by_vendor(values):
    """vendor -> the median of what its rows give, each device once."""
    devices = {}
    for row, value in values:
        devices.setdefault((row["vendor"], row["device"]), []).append(value)
    vendors = {}
    for (vendor, _), found in devices.items():
        vendors.setdefault(vendor, []).append(statistics.median(found))
    return {vendor: statistics.median(found) for vendor, found in vendors.items()}


def best(candidates, fitted, predict, rows, measured):
    """The fit of the candidate that has the least mean of absolute errors, every vendor alike."""
    def loss(candidate):
        point = fitted(rows, candidate)
        errors = {}
        for row in rows:
            errors.setdefault(row["vendor"], []).append(abs(math.log(predict(row, point) / row[measured])))
        return sum(statistics.fmean(found) for found in errors.values())
    return fitted(rows, min(candidates, key=loss))


def decode_point(rows, overhead):
    shares = [(row, token_bytes(row) / row["read_bytes_per_s"] / max(1 / row["output_tokens_per_s"] - overhead, 1e-4))
              for row in rows]
    return by_vendor(shares), overhead


def token_rate(row, fitted):
    share, overhead = fitted
    return 1 / (token_bytes(row) / (share[row["vendor"]] * row["read_bytes_per_s"]) + overhead)


def fit_decode(rows):
    return best([i * 1e-4 for i in range(0, 31)], decode_point, token_rate, rows, "output_tokens_per_s")


def mixed(row, power):
    return row["matrix_flop_per_s"] ** power * row["fp32_flop_per_s"] ** (1 - power)


def prefill_point(rows, power):
    return by_vendor((row, prompt_flop(row) / row["prompt_tokens"] * row["prompt_tokens_per_s"] / mixed(row, power))
                      for row in rows), power


def prompt_rate(row, fitted):
    share, power = fitted
    return row["prompt_tokens"] * share[row["vendor"]] * mixed(row, power) / prompt_flop(row)


def fit_prefill(rows):
    """The power that leaves the narrowest ranges: the rows' median hardly depends on it, their extremes do."""
    def width(power):
        point = prefill_point(rows, power)
        errors = [(row, math.log(prompt_rate(row, point) / row["prompt_tokens_per_s"])) for row in rows]
        return sum(math.log(spread(of(errors, vendor))) for vendor in sorted({row["vendor"] for row in rows}))
    return prefill_point(rows, min((i * 0.05 for i in range(1, 20)), key=width))


def left_out(rows, fit, predict, measured):
    """(row, log of predicted over measured) of every row, fitted without its device."""
    errors = []
    for device in sorted({row["device"] for row in rows}):
        fitted = fit([row for row in rows if row["device"] != device])
        errors += [(row, math.log(predict(row, fitted) / row[measured])) for row in rows if row["device"] == device]
    return errors


def spread(errors):
    """What the error of one device more is below, either way, in 95 of 100 cases: the rank that Vovk's conformal
    prediction gives it (2005), or the largest error where that is beyond them."""
    sizes = sorted(abs(error) for _, error in errors)
    return math.exp(sizes[min(math.ceil(0.95 * (len(sizes) + 1)), len(sizes)) - 1])


def of(errors, vendor):
    return [(row, error) for row, error in errors if row["vendor"] == vendor]


def inside(errors):
    """The share of rows whose error is within the spread that the vendor's other devices have."""
    held = []
    for row, error in errors:
        others = [other for other in of(errors, row["vendor"]) if other[0]["device"] != row["device"]]
        held.append(abs(error) <= math.log(spread(others)))
    return sum(held) / len(held)


def summary(errors):
    sizes = [abs(math.exp(error) - 1) for _, error in errors]
    widths = [spread(of(errors, row["vendor"])) ** 2 for row, _ in errors]
    return {"rows": len(sizes), "devices": len({row["device"] for row, _ in errors}),
            "median_error": round(statistics.median(sizes), 3), "worst_error": round(max(sizes), 3),
            "inside": round(inside(errors), 3), "median_width": round(statistics.median(widths), 2),
            "median_error_of": {vendor: round(statistics.median(
                abs(math.exp(error) - 1) for _, error in of(errors, vendor)), 3)
                for vendor in sorted({row["vendor"] for row, _ in errors})}}


def factor(value, errors, others=()):
    """With the range of the errors, and of all others where few devices have told them."""
    few = len({row["device"] for row, _ in errors if row}) < ENOUGH_DEVICES
    width = max(spread(errors), spread(others) if few and others else 1)
    return {"value": round(value, 3), "low": round(value / width, 3), "high": round(value * width, 3),
            "basis": "fitted", "source": SOURCE, "date": DATE}


def shared(values, errors):
    """For a maker without rows: the geometric mean of those that have some, with a range that holds them all."""
    value = math.exp(statistics.fmean(math.log(value) for value in values.values()))
    return factor(value, errors + [(None, math.log(value / other)) for other in values.values()])


def stated(found, rows, devices):
    """The sentences that docs/score.md must hold, of data/fit.json's left_out."""
    def makers(kind):
        return ", ".join(f"{name} {share * 100:.0f} %" for name, share in found[kind]["median_error_of"].items())

    decode, prefill = found["decode"], found["prefill"]
    return [f"{rows} published llama.cpp rows of {devices} devices",
            f"decode median {decode['median_error'] * 100:.1f} % ({makers('decode')})",
            f"prefill median {prefill['median_error'] * 100:.0f} % ({makers('prefill')})",
            f"{min(decode['inside'], prefill['inside']) * 100:.0f} % of their rows lie in the range",
            f"is {decode['median_width']:.1f} and {prefill['median_width']:.1f} in the median"]


def check(text, fitted, rows):
    if TARGET.read_text() != text:
        sys.exit(f"{TARGET.relative_to(ROOT)} is not what this script writes")
    for kind, goal in GOALS.items():
        found = fitted["left_out"][kind]
        if found["median_error"] > goal or found["inside"] < LEAST_INSIDE:
            sys.exit(f"{kind}: a median error of {found['median_error']} with {found['inside']} inside misses {goal} "
                     f"with {LEAST_INSIDE}")
    page = " ".join((ROOT / "docs" / "score.md").read_text(encoding="utf-8").split())
    for sentence in stated(fitted["left_out"], len(rows), len({row["device"] for row in rows})):
        if sentence not in page:
            sys.exit(f"docs/score.md does not state: {sentence}")


def main():
    rows = load()
    usable = {"decode": [row for row in rows if row["output_tokens_per_s"] and row["read_bytes_per_s"]],
              "prefill": [row for row in rows if row["prompt_tokens_per_s"] and row["fp32_flop_per_s"]]}
    decode, overhead = fit_decode(usable["decode"])
    prefill, power = fit_prefill(usable["prefill"])
    errors = {"decode": left_out(usable["decode"], fit_decode, token_rate, "output_tokens_per_s"),
              "prefill": left_out(usable["prefill"], fit_prefill, prompt_rate, "prompt_tokens_per_s")}
    ratios = {row["device"]: row["fp32_flop_per_s"] / row["matrix_flop_per_s"] for row in usable["prefill"]}
    fitted = {
        "decode": shared(decode, errors["decode"]),
        "token_overhead_s": round(overhead, 5),
        "prefill": shared(prefill, errors["prefill"]),
        "matrix_power": round(power, 3),
        "scalar_share": round(statistics.median(ratios.values()), 3),
        "training": TRAINING,
        # The range of decode covers the overhead too: they were left out together.
        "vendors": [{"vendor": pci, "decode": factor(decode[vendor], of(errors["decode"], vendor), errors["decode"]),
                     "prefill": factor(prefill[vendor], of(errors["prefill"], vendor), errors["prefill"])}
                    for vendor, pci in VENDORS.items()],
        "left_out": {kind: summary(found) for kind, found in errors.items()},
    }
    text = json.dumps(fitted, indent=2) + "\n"
    print(json.dumps(fitted["left_out"], indent=1))
    if "--rows" in sys.argv[1:]:
        for kind, found in errors.items():
            for row, error in sorted(found, key=lambda pair: pair[1]):
                print(f"{kind:8} {row['vendor']:7} {row['device']:40} {math.exp(error):5.2f} x measured")
    if "--check" in sys.argv[1:]:
        check(text, fitted, rows)
    else:
        TARGET.write_text(text)


main()
