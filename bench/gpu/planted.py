# SPDX-License-Identifier: MIT
"""A kernel that faults on a GPU, planted by a libcuda.so.1 that passes everything else on to the machine's own
(faulty_cuda.cpp): which kernel it is, where the machine's own is, and what became of it."""
import collections
import pathlib
import platform
import re

from figures import failures_of, line_of, name_of, verified_of

VARIABLE = "WHICHGPU_FAULTY_KERNELS"
# Of each generation a product that a report tries there: its type, its name and its entry in the module.
KERNELS = (("bf16", "own:wgmma_tma_128x256", "tma_bf16_256"), ("bf16", "own:umma_128x256", "umma_bf16_256"),
           ("bf16", "own:mma_128x128", "gemm_bf16_128"), ("fp16", "own:turing_mma_128x128", "turing_fp16_128"),
           ("fp16", "own:volta_mma_128x128", "volta_fp16_128"), ("fp32", "own:tile_128x128", "gemm_fp32_128"),
           ("fp32", "own:tile_64x64", "gemm_fp32_64"))
# In which a kernel's fault ends.
FAULTS = ("failed", "crashed", "timed_out")
DRIVER = "libcuda.so.1"


def attempts_at(report, kernel):
    return [m for m in report["measurements"] if m["runtime"] == "cuda" and m["kernel"] == "gemm"
            and (m["in_dtype"], m["implementation"]) == kernel[:2]]


def kernel_of(report):
    """The first of those that this report has run; None where it has run none."""
    return next((kernel for kernel in KERNELS if any("rate" in m for m in attempts_at(report, kernel))), None)


def places_of(report, machine, environment):
    """Where the machine's own driver may be: first the one that the tool itself has used, then as a loader looks."""
    probes = [probe.get("library", {}).get("path") for probe in report.get("probes", []) if probe["module"] == "cuda"]
    listed = re.findall(rf"^\s*{re.escape(DRIVER)} \(.*=> (\S+)", machine, re.M)  # by ldconfig -p
    folders = [*environment.get("LD_LIBRARY_PATH", "").split(":"), "/usr/local/nvidia/lib64",
               f"/usr/lib/{platform.machine()}-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib"]
    return list(dict.fromkeys([*filter(None, probes), *listed, *[f"{at}/{DRIVER}" for at in folders if at]]))


def driver_of(places):
    """The first that is there, a path; None: none is."""
    return next((pathlib.Path(place) for place in places if pathlib.Path(place).is_file()), None)


def way_of(m):
    return tuple(m[key] for key in ("device_id", "runtime", "kernel", "in_dtype", "acc_dtype", "implementation"))


def new_failures(report, whole):
    """What failed with the fault, and what of that does not fail without it, either."""
    failed, before = failures_of(report), {way_of(m) for m in failures_of(whole)}
    return failed, [m for m in failed if way_of(m) not in before]


def why_nothing_was_planted(report, kernel, whole):
    """What a report says that should have had the fault; empty where it had it. Of the cards that run the kernel without it:
    one that is broken shows nothing."""
    cards = {m["device_id"] for m in attempts_at(whole, kernel) if "rate" in m}
    tried = [m for m in attempts_at(report, kernel) if m["device_id"] in cards]
    if any(m["status"] in FAULTS for m in tried):
        return ""
    if tried:
        return "; ".join(line_of(m) for m in tried)
    if others := new_failures(report, whole)[1]:
        return "; ".join(line_of(m) for m in others)
    ends = [f"cuda answered {probe['outcome']}: {probe.get('error', {}).get('text', 'no error was named')}"
            for probe in report.get("probes", []) if probe["module"] == "cuda" and probe["outcome"] != "ok"]
    return "; ".join(ends) or "the kernel was not tried"


def faulty_lines(report, whole):
    """What became of the kernel that faults, and what is there of the others; of a card that is broken beside, a line."""
    failed, new = new_failures(report, whole)
    known = collections.Counter(m["device_id"] for m in failed if m not in new)
    names = {name_of(m) for m in verified_of(report)}
    lost = sorted({name_of(m) for m in verified_of(whole) if m["runtime"] == "cuda"} - names)
    lines = [f"{m['status']} {name_of(m)}: {m.get('reason', '')}" for m in new]
    return lines + [f"{len(names)} figures are there all the same", *[f"not there: {name}" for name in lost],
                    *[f"{card}: {count} failures that are there without the fault, too" for card, count in known.items()]]
