#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""at_isa.py ISA PROGRAM [ARGUMENTS]: runs a test program as on a processor that has no more than a set of instructions
(WHICHGPU_CPU_ISA, docs/reading-the-report.md). A set that the processor lacks is skipped, with the reason.

    at_isa.py --list      the sets that this processor has beyond the most basic one, one a line
"""
import os
import pathlib
import platform
import sys

SKIPPED = 77
# What stands for a set among the kernel's flags, by machine; each set has those before it.
FLAGS = {"x86_64": {"sse4": "sse4_2", "avx2": "avx2", "avx_vnni": "avx_vnni", "avx512": "avx512vl",
                    "avx512_vnni": "avx512_vnni", "amx": "amx_tile"},
         "aarch64": {"neon": "asimd", "neon_dotprod": "asimddp", "sve": "sve"}}


def flags_here():
    """The flags of the first processor: x86's line `flags`, Arm's `Features`."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("flags", "Features")):
            return set(line.partition(":")[2].split())
    return set()


def sets_here():
    return [isa for isa, flag in FLAGS.get(platform.machine(), {}).items() if flag in flags_here()]


def main():
    if sys.argv[1:] == ["--list"]:
        print(*sets_here(), sep="\n")
        return 0
    isa, *command = sys.argv[1:]
    if isa not in sets_here():
        print(f"skipped: this processor has no {isa}")
        return SKIPPED
    os.environ["WHICHGPU_CPU_ISA"] = isa
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
