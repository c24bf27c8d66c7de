#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds SYCL's device for processors (Intel's runtime of PyPI, tests/cli/sycl_runtime.py) against PoCL, both measured by the
program in one run: run.py WHICHGPU PREFIX [RUNS]. Each run gives a pair of every kernel's figures; the medians of the pairs go
to bench/results/sycl-<processor>-<date>.json. Ends with 1 where its product is below LIMIT of PoCL's."""
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

LIMIT = 0.7
RUNS = 7  # at least 5
BUDGET_S = 15
POCL = "Portable Computing Language"
RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results"


def measured(binary, prefix):
    """{(kernel, in, acc): (SYCL's speed, PoCL's)}, the best of each that is right, the share of the processors that others
    took of products, and the report. Of launches the speed is how many a second."""
    libraries = prefix / "lib"
    variables = {**os.environ, "WHICHGPU_LIBRARY_PATH": str(libraries), "OCL_ICD_FILENAMES": str(libraries / "libintelocl.so")}
    done = subprocess.run([binary, "--json", "--no-cache", "--only", "sycl,opencl,cpu", "--device", "cpu:0", "--budget",
                           str(BUDGET_S)], env=variables, stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    best = {}
    for m in report["measurements"]:
        side = "sycl" if m["runtime"] == "sycl" else "pocl" if m["driver"] == POCL else None
        if side is None or m["status"] != "ok" or not m["verified"]:
            continue
        rates = best.setdefault((m["kernel"], m.get("in_dtype", ""), m.get("acc_dtype", "")), {})
        rates[side] = max(rates.get(side, 0), 1 / m["rate"] if m["unit"] == "s" else m["rate"])
    busy = max((m.get("foreign_load") or 0 for m in report["measurements"] if m["kernel"] == "gemm"), default=0)
    return {key: (rates["sycl"], rates["pocl"]) for key, rates in best.items() if len(rates) == 2}, busy, report


def main(binary, prefix, runs=RUNS):
    pairs, loads, report = {}, [], None
    for _ in range(int(runs)):
        found, load, report = measured(binary, pathlib.Path(prefix).resolve())
        loads.append(load)
        for key, pair in found.items():
            pairs.setdefault(key, []).append(pair)
    rows = {}
    for (kernel, value, sums), list_of in sorted(pairs.items()):
        ratios = [ours / peer for ours, peer in list_of]
        rows[" ".join(filter(None, (kernel, f"{value}/{sums}" if value else "")))] = {
            "sycl": statistics.median(ours for ours, _ in list_of), "pocl": statistics.median(peer for _, peer in list_of),
            "ratio": {"median": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios)}, "runs": len(list_of)}
    device = next(device for device in report["devices"] if device["id"] == "cpu:0")
    views = {view["runtime"] if view["runtime"] == "sycl" else view["driver"]: view.get("driver_version")
             for view in device["views"] if view["runtime"] == "sycl" or view["driver"] == POCL}
    date = datetime.date.today().isoformat()
    ratio = rows["gemm fp32/fp32"]["ratio"]["median"]
    out = {"processor": device["name"], "threads": os.cpu_count(), "date": date, "whichgpu": report["tool_version"],
           "drivers": views, "unit": "flop/s, bytes/s or launches/s, of each the program's own figure, the median of the runs",
           "taken_by_others": statistics.median(loads), "limit": LIMIT, "holds": ratio >= LIMIT, "rows": rows, "command": "bench/sycl/run.py WHICHGPU PREFIX"}
    name = re.sub(r"[^a-z0-9]+", "-", device["name"].lower()).strip("-")
    (RESULTS / f"sycl-{name}-{date}.json").write_text(json.dumps(out, indent=2) + "\n")
    print(f"the product by SYCL reaches {ratio:.2f} of PoCL's; {LIMIT} is asked for")
    return 0 if ratio >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
