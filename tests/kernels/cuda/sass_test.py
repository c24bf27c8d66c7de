#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The innermost loops of the products and chains as machine code, which ptxas makes of the committed PTX and nvdisasm
shows: how many instructions of each kind stand in one is what was recorded, and nothing makes asynchronous products wait
for each other. Both programs are optional.

sass_test.py [FOLDER [--build]], where answers are kept; with the last it asks for them and judges nothing.
--record writes sass.json."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import ptx_test
from ptx_test import PTXAS, ROOT
from tool_results import Results

RECORDED = pathlib.Path(__file__).resolve().parent / "sass.json"
UNPACKED = ROOT / "build" / "vendor" / "wheels" / "nvidia-cuda-nvdisasm" / "nvidia" / "cu13" / "bin" / "nvdisasm"
NVDISASM = shutil.which("nvdisasm") or shutil.which(UNPACKED)
TOOLS = [PTXAS, NVDISASM]
RESULTS = Results(None, [PTXAS]) if all(TOOLS) else None
# One chip of each generation whose code differs, and every one of those that have instructions of their own.
CHIPS = ("75", "80", "89", "90", "90a", "100a", "100f", "103f", "110a", "110f", "120", "120f")
PRODUCTS = r"[HIQO]MMA|[HIQO]GMMA|UTC[HIQO]MMA|FFMA2?"
ASYNCHRONOUS = r"[HIQO]GMMA|UTC[HIQO]MMA"
# What between two asynchronous products of one step has the second wait: for the first, for other warps, for memory.
WAITS = r"WARPGROUP|WARPSYNC|BAR|MEMBAR|FENCE|DEPBAR|LDGDEPBAR|ERRBAR|CCTL|SYNCS|LD\w*|UTCBAR|NANOSLEEP"
# What is bound by arithmetic.
ENTRIES = r"(?:gemm|chain|turing|volta|scaled|wgmma|tma|umma)_\w+"


def disassembled(text, chip):
    """Of every entry point with such a loop how many instructions of each kind it has, and what is between its
    asynchronous products that should not be there."""
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder) / "module.ptx", pathlib.Path(folder) / "module.cubin"
        ptx.write_text(text)
        subprocess.run([PTXAS, f"-arch=sm_{chip}", ptx, "-o", cubin], check=True, capture_output=True)
        code = subprocess.run([NVDISASM, "-c", cubin], check=True, capture_output=True, text=True).stdout
    entries = re.findall(r"^\.text\.(\w+):\n(.*?)(?=^//-----|\Z)", code, re.M | re.S)
    loops = {name: inner_loop(body) for name, body in entries if re.fullmatch(ENTRIES, name)}
    return {name: [dict(sorted(collections.Counter(map(kind, loop)).items())), misplaced(loop)]
            for name, loop in loops.items() if loop}


def entries_of(text):
    """Names of the products and chains of a module."""
    return set(re.findall(rf"\.visible \.entry ({ENTRIES})", text))


def kind(instruction):
    return re.match(r"\w+", instruction).group()


def inner_loop(body):
    """The shortest loop with a product: its instructions, without predicates."""
    code, labels = [], {}
    for line in body.splitlines():
        if label := re.match(r"(\.L_\w+):", line):
            labels[label.group(1)] = len(code)
        elif instruction := re.match(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?(.+?)\s*;", line):
            code.append(instruction.group(1))
    found = []
    for at, instruction in enumerate(code):
        target = re.search(r"^U?BRA.*`\((\.L_\w+)\)", instruction)
        start = labels.get(target.group(1), len(code)) if target else len(code)
        if start <= at and any(re.fullmatch(PRODUCTS, kind(one)) for one in code[start:at]):
            found.append(code[start:at + 1])
    return min(found, key=len, default=[])


def misplaced(loop):
    """Kinds of instructions that wait, after an asynchronous product and before the next one that it is issued together
    with: those of one group, of which the last says that it is (gsb0), or up to the commit of what tensor memory gets."""
    found, pending = set(), None
    for instruction in loop:
        if re.fullmatch(ASYNCHRONOUS, kind(instruction)):
            found.update(pending or ())
            pending = None if "gsb0" in instruction else []
        elif pending is not None:
            if re.match(r"UTCBAR|U?BRA", instruction):  # the step has ended
                pending = None
            elif re.fullmatch(WAITS, kind(instruction)):
                pending.append(kind(instruction))
    return sorted(found)


def loops():
    """Of every module, entry point and chip: what disassembled() says."""
    asked = []
    for module in ptx_test.MODULES:
        text = ptx_test.generate.made(module).read_text()
        if entries_of(text):
            asked += [(module.name, chip, text) for chip in ptx_test.chips(module) if chip in CHIPS]

    # One that was unpacked has another path in each checkout: it is known by its version.
    made_by = [pathlib.Path(__file__).read_text(), *versions()]

    def answer(one):
        name, chip, text = one
        return name, chip, RESULTS.get([*made_by, text, chip], lambda: disassembled(text, chip))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(answer, asked))


def table(found):
    rows = {}
    for name, chip, entries in found:
        for entry, (kinds, _) in entries.items():
            rows.setdefault(name, {}).setdefault(entry, {})[f"sm_{chip}"] = kinds
    return rows


def versions():
    return [ptx_test.generate.version_of([tool]) for tool in TOOLS]


@unittest.skipUnless(all(TOOLS), "ptxas or nvdisasm is not here")
class Loops(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = loops()

    def test_every_product_and_chain_has_one(self):
        for name, chip, entries in self.found:
            text = next(ptx_test.generate.made(module).read_text() for module in ptx_test.MODULES if module.name == name)
            with self.subTest(module=name, chip=chip):
                self.assertEqual(entries_of(text), set(entries))

    def test_asynchronous_products_follow_each_other(self):
        count = 0
        for name, chip, entries in self.found:
            for entry, (kinds, between) in entries.items():
                products = sum(n for one, n in kinds.items() if re.fullmatch(ASYNCHRONOUS, one))
                count += products
                with self.subTest(module=name, chip=chip, entry=entry):
                    self.assertEqual([], between)
                    self.assertNotEqual(1, products, "one a step: nothing can follow it")
        self.assertGreater(count, 0)

    def test_their_instructions_are_those_recorded(self):
        recorded = json.loads(RECORDED.read_text())
        if recorded["made_by"] != versions():
            self.skipTest(f"recorded were loops of {recorded['made_by']}, and these are of {versions()}")
        self.assertEqual(recorded["loops"], table(self.found))


def record():
    """Writes sass.json."""
    lines = json.dumps({"made_by": versions(), "loops": table(loops())}, indent=1)
    RECORDED.write_text(re.sub(r"\{\s+(\"[A-Z0-9]+\": \d+[^{}]*?)\s+\}",
                               lambda row: "{" + re.sub(r"\s+", " ", row.group(1)) + "}", lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        if RESULTS and len(sys.argv) > 1:
            RESULTS.folder = pathlib.Path(sys.argv[1])
        if sys.argv[2:] == ["--build"]:
            if RESULTS:
                loops()
            sys.exit()
        unittest.main(argv=sys.argv[:1], verbosity=2)
