# SPDX-License-Identifier: MIT
"""What one or several reports of whichgpu say of GPUs, in lines."""
import re
import statistics

GPU_KINDS = ("discrete", "integrated")
# Of an attempt that shows nothing wrong.
WELL = ("ok", "skipped", "unsupported", "over_budget")
# What drivers and libraries call it that there is not as much memory, in the lines of the gpu tests: a report's own
# measurements say it of themselves (lacked_memory). And this project's own word for what others leave too little for.
NO_MEMORY = {"cuda": re.compile(r"\b(CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED|left to others)\b"),
             "hip": re.compile(r"\b(hipErrorOutOfMemory|HIPBLAS_STATUS_ALLOC_FAILED|rocblas_status_memory_error|left to others)\b")}
# Of its memory, what is free at most of a card that others have filled.
FULL = 0.1


def shape_of(measurement):
    return "x".join(str(measurement["shape"].get(edge, 0)) for edge in "mnk")


def comparison(report, torch):
    """Of every product the best own kernel, the best of a library, and PyTorch, at one shape, with their ratios."""
    rows, ids = {}, {gpu["id"] for gpu in gpus_of(report)}
    for m in report["measurements"]:
        if m["device_id"] not in ids or m["kernel"] != "gemm" or m["status"] != "ok" or "rate" not in m:
            continue
        key = (m["device_id"], m["runtime"], f"{m['in_dtype']}/{m['acc_dtype']}", shape_of(m))
        side = "own" if m["implementation"].startswith("own:") else "library"
        row = rows.setdefault(key, {})
        if m["rate"] > row.get(side, {}).get("rate", 0):
            row[side] = {"implementation": m["implementation"], "rate": m["rate"], "verified": m.get("verified", False)}
    out = []
    for (device, runtime, types, shape), row in sorted(rows.items()):
        entry = {"device_id": device, "runtime": runtime, "types": types, "shape": shape, **row}
        if "own" in row and "library" in row:
            entry["own_to_library"] = row["own"]["rate"] / row["library"]["rate"]
        elsewhere = [other["library"]["rate"] for key, other in rows.items()
                     if key[:3] == (device, runtime, types) and "library" in other]
        if "own" in row and "library" not in row and elsewhere:
            entry["own_to_library at another shape"] = row["own"]["rate"] / max(elsewhere)
        operands, _, sums = types.partition("/")
        product = f"{operands} {shape}"
        rate = (torch or {}).get("gemm_flop_per_s", {}).get(product)
        if rate and "own" in row and sums in ("fp32", "int32"):  # as PyTorch's are
            narrow = product in torch.get("narrow", [])
            entry["own_to_torch" + (" with results of 2 bytes" if narrow else "")] = row["own"]["rate"] / rate
        out.append(entry)
    return out


def gpus_of(report):
    return [device for device in report["devices"] if device["kind"] in GPU_KINDS and device["views"]]


def verified_of(report):
    ids = {device["id"] for device in gpus_of(report)}
    return [m for m in report["measurements"] if m.get("verified") and m["device_id"] in ids]


def row_of(row):
    ratios = "".join(f", {row[key]:.2f} of {key[7:]}" for key in row if key.startswith("own_to_"))
    what = f"{row['device_id']} {row['runtime']} {row['types']} {row['shape']}"
    return f"{what}: {row['own']['rate'] / 1e12:.3f} T/s{ratios}"


def name_of(m):
    name = f"{m['device_id']} {m['runtime']} {m['kernel']} {m['in_dtype']}/{m['acc_dtype']} {m['implementation']}"
    return name + (f" {shape_of(m)}" if m["kernel"] == "gemm" else "")


def spread_lines(reports, wanted, why_fewer=None):
    """How far each figure's rates of several whole runs are apart, the widest first."""
    rates = {}
    for report in reports:
        for m in report["measurements"]:
            if m["status"] == "ok" and "rate" in m:
                way = " ".join(m[key] for key in ("peer_id", "driver", "manifest") if m.get(key))
                rates.setdefault((f"{name_of(m)} {way}".rstrip(), m["unit"]), []).append(m["rate"])
    rows = [((max(of) - min(of)) / statistics.median(of), name, unit, of) for (name, unit), of in rates.items()
            if len(of) > 1]
    lines = [f"{name}: {100 * apart:.1f} % apart in {len(of)} runs, {statistics.median(of):.4g} {unit}"
             for apart, name, unit, of in sorted(rows, reverse=True)]
    return [f"{len(reports)} of {wanted} whole runs" + (f": {why_fewer}" if why_fewer else ""), *lines]


def line_of(m):
    rate = f" {m['rate']:.4g} {m['unit']}" if "rate" in m else ""
    share = f", {100 * m['share_of_peak']:.0f} % of the peak" if "share_of_peak" in m else ""
    checked = ", verified" if m.get("verified") else ""
    reason = f": {m['reason']}" if m.get("reason") else ""
    return f"{m['status']} {name_of(m)}{rate}{share}{checked}{reason}"


def filled_by_others(report):
    """The GPUs whose memory others hold, by what the report finds or by how little of it is free."""
    found = {finding.get("device_id") for finding in report.get("findings", []) if finding["id"].startswith("memory.others.")}
    memory = {gpu["id"]: gpu.get("memory", {}) for gpu in gpus_of(report)}
    return {name for name, of in memory.items()
            if name in found or of.get("free_bytes", of.get("total_bytes", 0)) < FULL * of.get("total_bytes", 0)}


def wanted_room(m, filled):
    return m["device_id"] in filled and m["status"] not in WELL and m.get("lacked_memory", False)


def failures_of(report):
    """Of GPUs alone: what a software device cannot do is no fault of theirs; nor is a want of memory that others hold."""
    ids, filled = {gpu["id"] for gpu in gpus_of(report)}, filled_by_others(report)
    return [m for m in report["measurements"] if m["status"] not in WELL and m["device_id"] in ids
            and not wanted_room(m, filled)]


def no_room_lines(reports):
    """What could not be measured on a card that others have filled, each once."""
    return list(dict.fromkeys(line_of(m) for report in reports for m in report["measurements"]
                              if wanted_room(m, filled_by_others(report))))


def wanted_room_in_test(line, runtime, reports):
    """Whether a line of the gpu test ("kernel 1 NAME: ...") tells that a card had no memory left which others hold."""
    where = re.match(r"(?:kernel|opening) (\d+) ", line)
    return bool(where and NO_MEMORY[runtime].search(line)) and any(
        view.get("runtime") == runtime and view.get("ordinal") == int(where[1]) for report in reports
        for gpu in gpus_of(report) if gpu["id"] in filled_by_others(report) for view in gpu["views"])


def failed_lines(reports):
    """What failed in any of the runs, each once."""
    lines = {}
    for number, report in enumerate(reports, 1):
        for m in failures_of(report):
            key = (m["status"], name_of(m), m.get("driver"), m.get("peer_id"))
            lines.setdefault(key, line_of(m) + (f" (in run {number})" if number > 1 else ""))
    return list(lines.values())


def tried_lines(report):
    failures = failures_of(report)
    filled = filled_by_others(report)
    return sorted(line_of(m) for m in report["measurements"] if m not in failures and not wanted_room(m, filled))


def finding_lines(report):
    return [f"{finding['severity']} {finding['id']}: {finding['summary']}" for finding in report.get("findings", [])]
