#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs that hiprtc would get, compiled and linked for one target by clang and lld without ROCm: the
disassembly has the recorded number of matrix (or dot product) instructions and of those that do two products of fp32, and
every kernel the recorded local data share, vector registers (accumulation registers among them) and scratch memory, of which
a product has none.

compile_test.py RESULTS TARGET [--build], RESULTS being the folder where answers are kept; with the last it compiles and
judges nothing. --record writes usage.json."""
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT / "tests" / "kernels")]
import generate  # noqa: E402
from tool_results import Results  # noqa: E402

RECORDED = pathlib.Path(__file__).resolve().parent / "usage.json"
TOOLS = ("clang-19", "ld.lld-19", "llvm-objdump-19", "llvm-readelf-19")
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]


def modules():
    """Of every module its targets."""
    return {module.name: module.settings["targets"].split(",") for module in generate.modules("hip")}


def program(name):
    return ROOT / "kernels" / "hip" / "programs" / f"{name}.hip"


def names(target):
    return [name for name, of in modules().items() if target in of]


def targets():
    return sorted({target for of in modules().values() for target in of} - {"gfx950"})  # LLVM 20 knows that


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "warning:" in done.stderr:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def build(path, target):
    """Of every entry point what was recorded: see FIELDS."""
    made_by = pathlib.Path(__file__).read_text()
    return RESULTS.get([made_by, path.read_text(), target], lambda: compiled(path, target))


def compiled(path, target):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "program.co"
        run("clang-19", "-x", "hip", f"--offload-arch={target}", "--offload-device-only", "--no-gpu-bundle-output",
            "-nogpulib", "-nogpuinc", "-std=c++17", "-O3", "-Wall", "-Wno-unused", path, "-o", out,
            *["-mcumode"] * target.startswith("gfx1"))  # as backends/hip/hip_module.cpp
        code = run("llvm-objdump-19", "-d", "--no-show-raw-insn", "--no-leading-addr", out)
        notes = run("llvm-readelf-19", "--notes", out)
    found = {}
    # One kernel's fields stand together, in the order of the alphabet, .name among them.
    for kernel in re.split(r"^  - ", notes, flags=re.M)[1:]:
        fields = dict(re.findall(r"^ *\.(\w+): +(\S+)$", kernel, re.M))
        if "vgpr_count" in fields:
            found[fields["name"]] = [0, int(fields["group_segment_fixed_size"]), int(fields["vgpr_count"]),
                                     int(fields["private_segment_fixed_size"]), 0]
    for name, body in re.findall(r"^<(\w+)>:\n(.*?)(?=^<|\Z)", code, re.M | re.S):
        if name in found:
            found[name][0] = len(re.findall(r"^\s*v_(?:mfma|wmma|dot)", body, re.M))
            found[name][5:] = loop_of(body)
            found[name][4] = len(re.findall(r"v_dual_fmac_f32.*v_dual_fmac_f32|^\s*v_pk_fma_f32", body, re.M))
    return found


def loop_of(body):
    """Of the loop with matrix instructions: those between what is fetched from memory and the wait for it, all of them,
    and what it drops from caches. Nothing where there is none that fetches."""
    code = [line.split()[:2] for line in body.splitlines() if line.strip()]
    fetches = [at for at, line in enumerate(code) if line[0].startswith("global_load")]
    matrix = [at for at, line in enumerate(code) if re.match("v_(mfma|wmma)", line[0])]
    if not matrix or not any(at < matrix[0] for at in fetches):
        return []
    last = max(at for at in fetches if at < matrix[0])
    end = next(at for at, line in enumerate(code) if at > matrix[0] and line[0].startswith("s_barrier"))
    wait = next(at for at, line in enumerate(code) if at > last and (
        line[0] == "s_wait_loadcnt" or line[0] == "s_waitcnt" and "vmcnt" in line[1]))
    dropped = sum("gl0_inv" in line[0] or "global_inv" in line[0] for line in code[last:end])
    return [sum(last < at < wait for at in matrix), sum(last < at < end for at in matrix), dropped]


RESULTS = None if MISSING else Results(None, TOOLS)
FIELDS = ("matrix or dot instructions", "local data share bytes", "vector registers", "scratch bytes",
          "pairs of products of fp32", "of the loop: matrix instructions before the wait for memory", "all of them",
          "invalidations of caches")
PAIRING = ("gfx90a", "gfx942", "gfx1100", "gfx1151", "gfx1201")  # whose peak is that of pairs


class Compiled(unittest.TestCase):
    target = None

    def test_every_program_is_as_recorded(self):
        self.assertIn(self.target, targets())
        recorded = json.loads(RECORDED.read_text())
        for name in names(self.target):
            with self.subTest(module=name):
                found = build(program(name), self.target)
                expected = {entry: used[self.target] for entry, used in recorded[name].items() if self.target in used}
                self.assertEqual(expected, found, f"{FIELDS}")
                for entry, (matrix, _, _, scratch, _, *loop) in found.items():
                    # What was fetched is waited for behind the products, and stays in the caches.
                    self.assertEqual(entry.startswith("gemm_") and matrix > 0 and not name.startswith("dot_"), loop != [])
                    self.assertTrue(not loop or loop[0] == loop[1] > 0 == loop[2], f"{entry} {loop}")
                    self.assertEqual(0, scratch, entry)
                    self.assertEqual(name.startswith(("gemm_", "dot_")) and name != "gemm_simt", matrix > 0, entry)

    def test_the_chain_of_fp32_is_of_pairs_where_the_chip_does_them(self):
        pairs = build(program("stream"), self.target)["chain_fp32"][4]
        self.assertEqual(128 if self.target in PAIRING else 0, pairs)


def record():
    table = {}
    for name, of in modules().items():
        for target in targets():
            if target in of:
                for entry, used in build(program(name), target).items():
                    table.setdefault(name, {}).setdefault(entry, {})[target] = used
    text = json.dumps(table, indent=1)
    RECORDED.write_text(re.sub(r"\[[\d,\s]+\]", lambda row: re.sub(r"\s+", " ", row[0]).replace("[ ", "[").replace(" ]", "]"), text) + "\n")


if __name__ == "__main__":
    if MISSING:
        if sys.argv[3:] == ["--build"]:
            sys.exit()
        print(f"skipped: not installed: {', '.join(MISSING)}")
        sys.exit(77)
    if sys.argv[1] == "--record":
        record()
    else:
        Compiled.target = sys.argv[2]
        RESULTS.folder = pathlib.Path(sys.argv[1])
        if sys.argv[3:] == ["--build"]:
            for name in names(Compiled.target):
                with contextlib.suppress(AssertionError):  # the test will say it
                    build(program(name), Compiled.target)
            sys.exit()
        unittest.main(argv=sys.argv[:1], verbosity=2)
