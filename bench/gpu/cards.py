# SPDX-License-Identifier: MIT
"""Clocks and power of cards while they are measured, four times a second: NVIDIA's by nvidia-smi, AMD's by what amdgpu says
in /sys, which this file prints in the same columns when it is run itself.

    python3 cards.py [/sys]
"""
import os
import pathlib
import re
import statistics
import sys
import time

COLUMNS = {"index": "", "utilization.gpu": " %", "clocks.sm": " MHz", "clocks.mem": " MHz", "power.draw": " W"}
SMI = ["nvidia-smi", f"--query-gpu={','.join(COLUMNS)}", "--format=csv,noheader,nounits", "-lms", "250"]
AMDGPU = [sys.executable, "-B", __file__]
DRIVER = pathlib.Path("bus") / "pci" / "drivers" / "amdgpu"
# What the makers' tools say of a machine at rest.
LOOK = """
have() { command -v "$1" >/dev/null; }
if have nvidia-smi; then nvidia-smi -q; fi
if have amd-smi; then amd-smi static; amd-smi metric; elif have rocm-smi; then rocm-smi -a; fi
"""
AT_WORK_PERCENT = 50
UNKNOWN = "[N/A]"
AMD = "0x1002"


def word_of(file):
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def clock_of(file):
    """The one of a list with a star: "1: 2100Mhz *"."""
    found = re.search(r"([0-9]+)Mhz \*", word_of(file), re.I)
    return found.group(1) if found else UNKNOWN


def watts_of(card):
    for name in ("power1_average", "power1_input"):
        for file in sorted(card.glob(f"hwmon/hwmon*/{name}")):
            if word_of(file).isdigit():
                return f"{int(word_of(file)) / 1e6:.2f}"
    return UNKNOWN


def amd_rows(sys_folder):
    """A row of each card that amdgpu has, by its PCI address."""
    rows = []
    for card in sorted((sys_folder / DRIVER).glob("*:*:*.*")):
        if word_of(card / "vendor") == AMD:
            rows.append(", ".join([card.name, word_of(card / "gpu_busy_percent") or UNKNOWN, clock_of(card / "pp_dpm_sclk"),
                                   clock_of(card / "pp_dpm_mclk"), watts_of(card)]))
    return rows


def watches():
    """The commands that watch the cards of this machine."""
    return [SMI, *([AMDGPU] if (pathlib.Path("/sys") / DRIVER).exists() else [])]


def at_work_lines(watched):
    """Clocks and power of each card while it was measured, at the samples of its work; at all, where it tells no load."""
    samples = {}
    for line in watched.splitlines():
        words = [word.strip() for word in line.split(",")]
        if len(words) == len(COLUMNS):
            samples.setdefault(words[0], []).append(words)
    lines = []
    for card, rows in sorted(samples.items()):
        told = [row for row in rows if row[1].isdigit()]
        work = [row for row in told if int(row[1]) >= AT_WORK_PERCENT] if told else rows
        parts = []
        for place, (field, unit) in list(enumerate(COLUMNS.items()))[2:]:
            values = sorted(float(row[place]) for row in work if re.fullmatch(r"[0-9.]+", row[place]))
            if values:
                parts.append(f"{field} {statistics.median(values):.0f}{unit} ({values[0]:.0f} to {values[-1]:.0f})")
        how = f"at work in {len(work)} of {len(rows)} samples" if told else f"in {len(rows)} samples, without its load"
        if work:
            lines.append(f"card {card} {how}: {', '.join(parts)}")
    return lines


def main():
    parent = os.getppid()
    sys_folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/sys")
    while os.getppid() == parent and (rows := amd_rows(sys_folder)):
        print("\n".join(rows), flush=True)
        time.sleep(0.25)


if __name__ == "__main__":
    main()
