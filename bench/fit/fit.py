#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the factors of data/fit.json on published llama-bench rows, by the formulas of report/score/model.h.

fit.py                writes data/fit.json
fit.py --check        fails where data/fit.json is not what this script writes

Decode:  t = (weights + kv * context) / (e[format] * bandwidth) + o, by least absolute error of the logarithm of the
rate (one row is off by half and would bend a square). Where nobody measured a device's bandwidth, a share u of the
specified one counts; u is fitted with the rest and not kept.
Prefill: rate = e[matrix units or not] * product rate / work, e the mean of the logarithms.
The errors that are printed and kept are those of devices that were left out of their own fit.

llama_rows.csv: github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference (May 2024) and, for the RX 7900 XTX, a llama.cpp
build of 2026; measured bandwidth and product rates: github.com/chsasank/device-benchmarks.
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
DATE = "2026-11-21"
SOURCE = "bench/fit/fit.py on bench/fit/llama_rows.csv"
WEIGHT_BYTES = {"Q4_K_M": 4.58 * 2**30, "F16": 14.96 * 2**30}
# Start, lowest and highest of: e of Q4_K_M, e of F16, o in seconds, u.
PARAMETERS = ((0.95, 0.3, 2.0), (1.0, 0.3, 2.0), (0.0018, 0.0001, 0.005), (0.85, 0.5, 1.0))


def number(text):
    return float(text) if text else None


def load():
    with open(pathlib.Path(__file__).with_name("llama_rows.csv"), encoding="utf-8") as file:
        return [{key: value if key in ("device", "format", "matrix_units") else number(value)
                 for key, value in row.items()} for row in csv.DictReader(file)]


def token_bytes(row):
    return WEIGHT_BYTES[row["format"]] + REQUEST["kv_bytes_per_token"] * row["output_tokens"] / 2


def prompt_flop(row):
    attention = 2 * REQUEST["layers"] * REQUEST["width"] * row["prompt_tokens"]
    return row["prompt_tokens"] * (2 * REQUEST["parameters"] + attention)


def mean_log(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def token_rate(row, fitted):
    q4, f16, overhead, share = fitted
    bandwidth = row["measured_bytes_per_s"] or row["spec_bytes_per_s"] * share
    efficiency = q4 if row["format"] == "Q4_K_M" else f16
    return 1 / (token_bytes(row) / (efficiency * bandwidth) + overhead)


def fit_decode(rows):
    """Coordinate descent by factors that shrink: deterministic, and four parameters need no more."""
    loss = lambda point: sum(abs(math.log(token_rate(row, point) / row["output_tokens_per_s"])) for row in rows)
    point = [start for start, _, _ in PARAMETERS]
    best, step = loss(point), 0.2
    while step > 1e-4:
        moved = False
        for i, (_, low, high) in enumerate(PARAMETERS):
            for change in (1 + step, 1 / (1 + step)):
                trial = list(point)
                trial[i] = min(max(trial[i] * change, low), high)
                value = loss(trial)
                if value < best - 1e-12:
                    point, best, moved = trial, value, True
        if not moved:
            step /= 2
    return point


def prefill_rows(rows):
    return [row for row in rows if row["measured_flop_per_s"] and row["prompt_tokens_per_s"]]


def fit_prefill(rows):
    reached = {"yes": [], "no": []}
    for row in prefill_rows(rows):
        rate = prompt_flop(row) * row["prompt_tokens_per_s"] / row["prompt_tokens"]
        reached[row["matrix_units"]].append(rate / row["measured_flop_per_s"])
    return {kind: mean_log(values) for kind, values in reached.items() if values}


def prompt_rate(row, fitted):
    return row["prompt_tokens"] * fitted[row["matrix_units"]] * row["measured_flop_per_s"] / prompt_flop(row)


def left_out(rows, usable, fit, predict, measured):
    """(device, log of predicted over measured) of every usable row, fitted without its device."""
    errors = []
    for row in usable(rows):
        others = [other for other in rows if other["device"] != row["device"]]
        errors.append((row["device"], math.log(predict(row, fit(others)) / row[measured])))
    return errors


def summary(errors):
    sizes = [abs(math.exp(error) - 1) for _, error in errors]
    return {"rows": len(sizes), "median_error": round(statistics.median(sizes), 3), "worst_error": round(max(sizes), 3)}


def factor(value, errors):
    """The 95 % range is the 95th percentile of the left-out errors, either way."""
    sizes = sorted(abs(error) for _, error in errors)
    place = 0.95 * (len(sizes) - 1)
    below = int(place)
    above = min(below + 1, len(sizes) - 1)
    spread = math.exp(sizes[below] + (place - below) * (sizes[above] - sizes[below]))
    return {"value": round(value, 3), "low": round(value / spread, 3), "high": round(value * spread, 3),
            "basis": "fitted", "source": SOURCE, "date": DATE}


def main():
    rows = load()
    q4, f16, overhead, _ = fit_decode(rows)
    prefill = fit_prefill(rows)
    decode_errors = left_out(rows, lambda all_rows: all_rows, fit_decode, token_rate, "output_tokens_per_s")
    prefill_errors = left_out(rows, prefill_rows, fit_prefill, prompt_rate, "prompt_tokens_per_s")
    kind = {row["device"]: row["matrix_units"] for row in rows}
    # The range of the efficiencies covers the overhead too: they were left out together.
    exact = {"value": round(overhead, 5), "low": round(overhead, 5), "high": round(overhead, 5)}
    fitted = {
        "decode_q4": factor(q4, decode_errors),
        "decode_f16": factor(f16, decode_errors),
        "token_overhead_s": {**exact, "basis": "fitted", "source": SOURCE, "date": DATE},
        "prefill": factor(prefill["no"], [e for e in prefill_errors if kind[e[0]] == "no"]),
        "prefill_matrix": factor(prefill["yes"], [e for e in prefill_errors if kind[e[0]] == "yes"]),
        "left_out": {"decode": summary(decode_errors), "prefill": summary(prefill_errors)},
    }
    text = json.dumps(fitted, indent=2) + "\n"
    print(json.dumps(fitted["left_out"]))
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not what this script writes")
        return
    TARGET.write_text(text)


main()
