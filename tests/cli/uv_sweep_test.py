#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where uv's rules for PyTorch overlap ours both install the same, on hundreds of machines of which uv itself is asked.

They agree on a machine where the index that we name is the one that uv resolves: the first of its list that has a wheel for the
platform and Python 3.12. Every machine on which they do not has exactly one reason of docs/uv.md, below a function each, which
says what uv takes there and what we take; each reason has a machine."""
import collections
import concurrent.futures
import os
import pathlib
import re
import sys
import unittest

import uv
from harness import SANITIZED, SOURCE, main, run
from uv_boxes import CURRENT, OLD_INTEL, PLATFORMS, XE, boxes

UV = uv.program(sys.argv[2])
KEPT = pathlib.Path(os.environ.get("WHICHGPU_TEST_CACHE") or pathlib.Path(sys.argv[2]) / "answers") / "uv"
THREADS = 2
LEAST = 500
CARRIED = {13: "cu132", 12: "cu129", 11: "cu118", 0: "cpu"}  # what uv takes by NVIDIA's driver alone
AMD_OWN = {"gfx1010", "gfx1011", "gfx1012", "gfx1031", "gfx1032", "gfx1034", "gfx1035", "gfx1036", "gfx1152"}


def by_us(box):
    """The index that we name; the build's name where it is none of those that uv may ask, and None where nothing fits."""
    process = run("recommend", "--target", "pytorch", "--for", "training", "--format", "env",
                  *(word for text in box.texts() for word in ("--assume", text)))
    if process.returncode not in (0, 1):
        raise AssertionError(f"{box}: {process.stderr}")
    said = dict(line.split("=", 1) for line in process.stdout.splitlines())
    if said["WHICHGPU_STATUS"] == "none":
        return None
    index = re.fullmatch(r"https://download\.pytorch\.org/whl/(.+)", said["WHICHGPU_INDEX"])
    if index:
        return index[1]
    # PyPI's own wheels for these are those of the index "cpu".
    return "cpu" if not said["WHICHGPU_INDEX"] and box.platform in ("windows", "macos") else said["WHICHGPU_ARTEFACT"]


def capability(box):
    if not box.installed or box.gfx or len(box.cc) != 1 or box.cc == ("8.7",) or not box.cuda():
        return None
    if box.platform == "arm":
        return (CARRIED[box.cuda()], "cpu") if box.cuda() >= 12 and box.least() < (8, 0) else None
    if box.cuda() == 11:
        return ("cu118", "cpu") if box.least() < (3, 7) else None
    return (CARRIED[box.cuda()], "cu126") if box.least() < (7, 5) else None


def newer_torch(box):
    if not box.installed or box.cuda() != 12 or box.least() < ((8, 0) if box.platform == "arm" else (7, 5)) or \
            box.cc == ("8.7",) or box.platform not in ("linux", "arm", "windows"):
        return None
    if box.least() < (10, 0):
        return "cu129", "cu126"
    return None if box.platform == "linux" else ("cu129", "cu128")


def jetson_orin(box):
    if box.cc != ("8.7",):
        return None
    return CARRIED[box.cuda()], "cu130" if box.cuda() == 13 else "jetson-jp6"


def unlike_cards(box):
    return ("cu132", "cu126") if len(box.cc) > 1 and box.least() < (7, 5) else None


def broken_driver(box):
    return (CARRIED[box.cuda()], "cpu") if box.cc and not box.installed else None


def two_makers(box):
    if not box.cc or not box.gfx or box.cuda() and box.least() >= (3, 7):
        return None
    return CARRIED[box.cuda()], "rocm7.14" if set(box.gfx) <= set(CURRENT) else "amd-multi-arch"


def newer_rocm(box):
    is_its = box.platform == "linux" and box.installed and not box.cc and box.gfx and set(box.gfx) <= set(CURRENT)
    return ("rocm7.2", "rocm7.14") if is_its else None


def last_of_gfx906(box):
    return ("rocm7.2", "rocm6.3") if box.platform == "linux" and {"gfx900", "gfx906"} & set(box.gfx) else None


def unknown_gfx(box):
    if box.platform != "linux" or box.cc or not set(box.gfx) & {*AMD_OWN, "gfx1103"}:
        return None
    return "xpu" if box.ip else "cpu", "rocm7.14" if box.gfx == ("gfx1103",) else "amd-multi-arch"


def amd_without_rocm(box):
    return ("xpu" if box.ip else "cpu", "rocm7.14") if box.gfx and not box.installed else None


def amd_on_windows(box):
    windows = set(CURRENT) - {"gfx908", "gfx90a", "gfx942", "gfx950"} | AMD_OWN - {"gfx1010", "gfx1011", "gfx1012"} | {"gfx1103"}
    return ("cpu", "amd-windows") if box.platform == "windows" and set(box.gfx) & windows else None


def older_intel(box):
    is_alone = not box.cc and not set(box.gfx) & {*uv.LISTED, *AMD_OWN, "gfx1103"}
    return ("xpu", "cpu") if is_alone and box.ip in OLD_INTEL and box.platform != "arm" else None


def intel_without_driver(box):
    return ("xpu", "cpu") if box.ip in XE and not box.installed and not box.gfx else None


def intel_on_arm(box):
    return (None, "cpu") if box.ip and box.platform == "arm" else None


REASONS = (capability, newer_torch, jetson_orin, unlike_cards, broken_driver, two_makers, newer_rocm, last_of_gfx906, unknown_gfx,
           amd_without_rocm, amd_on_windows, older_intel, intel_without_driver, intel_on_arm)


class Documented(unittest.TestCase):
    def test_every_reason_stands_in_the_documents(self):
        documents = (SOURCE / "docs" / "uv.md").read_text()
        self.assertEqual([reason.__name__ for reason in REASONS], re.findall(r"^\| `([a-z0-9_]+)` \|", documents, re.M))
        self.assertIn(f"({uv.RELEASE}, ", documents)
        self.assertIn(f"(uv=={uv.RELEASE})", (SOURCE / "dev").read_text())


@unittest.skipIf(UV is None, f"uv {uv.RELEASE} is not there: ./dev test unpacks its wheel from PyPI")
@unittest.skipIf(SANITIZED, "compares data alone: not once more for a program with sanitizers")
class Sweep(unittest.TestCase):
    def test_both_take_the_same_but_for_what_the_documents_list(self):
        machines = list(dict.fromkeys(boxes()))
        if not uv.can_pretend():
            machines = [box for box in machines if not uv.needs_pretence(*box.to_uv()[1:4])]
        asked = list(dict.fromkeys(box.to_uv() for box in machines))
        answers = uv.Answers(UV, KEPT)
        answers.indexes(asked[0])  # alone: it keeps what it finds out of Python
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            lists = dict(zip(asked, pool.map(answers.indexes, asked)))
            ours = list(pool.map(by_us, machines))
        answers.keep()
        used = collections.Counter()
        wrong = []
        for box, mine in zip(machines, ours):
            wheels = PLATFORMS[box.platform].wheels
            theirs = next((index for index in lists[box.to_uv()] if index in wheels), None)
            reasons = [reason.__name__ for reason in REASONS if reason(box)]
            pairs = {reason(box) for reason in REASONS if reason(box)} or {(theirs, theirs)}
            used.update(reasons)
            if pairs != {(theirs, mine)} or len(reasons) > 1:
                wrong.append(f"{box}: uv takes {theirs}, we take {mine}, the documents say {reasons} {sorted(map(str, pairs))}")
        self.assertFalse(wrong, f"{len(wrong)} of {len(machines)}:\n" + "\n".join(wrong[:20]))
        if uv.can_pretend():
            self.assertEqual({reason.__name__ for reason in REASONS}, set(used))
            self.assertGreaterEqual(len(asked), LEAST)
        print(f"{len(machines)} machines, of {len(asked)} uv was asked: "
              f"{len(machines) - used.total()} the same, {dict(used)}", file=sys.stderr)


main()
