#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The prediction by which bench/predict/fit.py tells its errors is the program's, of kept figures of every kind.

fit_prediction_test.py SOURCE WHICHGPU
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "bench" / "predict"))
sys.dont_write_bytecode = True
import fit  # noqa: E402

CLOSE = 1e-3


def measurement(name, figure):
    words = name.split()
    kernel, dtype, implementation = words[0], words[1], words[-1]
    shape = {"gemm": {"m": 512 if "prompt" in words else 4096, "n": 4096, "k": 4096}, "gemv": {"m": 65536, "k": 14336},
             "read": {"count": 1 << 28}}[kernel]
    rate, low, high = figure
    unit = {"gemm": "op_per_s" if dtype == "int8" else "flop_per_s"}.get(kernel, "bytes_per_s")
    return {"device_id": "cpu:0", "runtime": "cpu", "driver": "native", "kernel": kernel, "implementation": implementation,
            "in_dtype": dtype, "acc_dtype": {"u32": "u32", "int8": "int32"}.get(dtype, "fp32"), "shape": shape, "status": "ok",
            "rate": rate, "ci95": [low / rate, high / rate], "p10_rate": high, "best_rate": high, "quality": "good",
            "unit": unit, "samples": 20, "batch_times_s": [],
            "throttled": False, "verified": True, "host_timed": False, "threads": 2}


def request(row):
    """One that takes the row's work, and next to nothing beside it."""
    own = {"model": "a row", "format": "any", "weights": fit.weights_of(row) or "q4", "parameters": 1, "weight_bytes": 1,
           "layers": 1, "width": 1, "kv_bytes_per_token": 1, "prompt_tokens": 1, "output_tokens": 1}
    training = {"weight_bytes": 1, "adapter_parameters": 1, "optimiser_bytes_per_parameter": 1, "sequence_tokens": 1}
    if row["use"] == "decode":
        own["weight_bytes"] = round(row["work"])
    elif row["use"] == "prefill":
        own |= {"parameters": round(row["work"] / 2) - fit.PROMPT, "prompt_tokens": fit.PROMPT}
    else:
        own["parameters"] = round((row["work"] - 12) / 4)
    return {"inference": own, "training": training}


def by_the_program(row, folder):
    record = json.loads((SOURCE / "tests" / "fixtures" / "plain_server" / "record.json").read_text())
    record["measurements"] = [measurement(name, figure) for name, figure in row["figures"].items()]
    (folder / "record.json").write_text(json.dumps(record))
    (folder / "request.json").write_text(json.dumps(request(row)))
    run = subprocess.run([PROGRAM, "--json", "--replay", folder, "--request", folder / "request.json"], check=True,
                         capture_output=True, text=True)
    (score,) = [one for one in json.loads(run.stdout)["scores"] if one["use"] == row["use"] and one["runtime"] == "cpu"]
    rate = score["tokens_per_s"]
    return [rate["value"], rate["low"], rate["high"]]


def main():
    factors = json.loads(fit.TARGET.read_text())["factors"]
    kinds = {}
    for row in fit.load():
        kinds[row["use"], fit.weights_of(row), row["use"] != "training" and fit.by_tiles(row)] = row
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, row in kinds.items():
            ours, theirs = fit.predicted(row, factors), by_the_program(row, pathlib.Path(folder))
            if any(abs(a / b - 1) > CLOSE for a, b in zip(ours, theirs)):
                print(f"{kind}: fit.py predicts {ours}, the program {theirs}")
                failures += 1
    print(f"{len(kinds)} kinds of rows, {failures} predicted differently")
    return 1 if failures or len(kinds) < 10 else 0


sys.exit(main())
