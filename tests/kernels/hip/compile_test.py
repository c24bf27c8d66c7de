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
TOOLS = ("clang", "ld.lld", "llvm-objdump", "llvm-readelf")


def modules():
    """Of every module its targets."""
    return {module.name: module.settings["targets"].split(",") for module in generate.modules("hip")}


def program(name):
    return ROOT / "kernels" / "hip" / "programs" / f"{name}.hip"


def names(target):
    return [name for name, of in modules().items() if target in of]


def targets():
    return sorted({target for of in modules().values() for target in of})


def tool(name, target):
    """LLVM 19 does not know gfx950, and newer ones choose registers otherwise."""
    return f"{name}-{22 if target == 'gfx950' else 19}"


def missing(target):
    return [tool(name, target) for name in TOOLS if not shutil.which(tool(name, target))]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "warning:" in done.stderr:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def build(path, target):
    """Of every entry point what was recorded: see FIELDS."""
    made_by = pathlib.Path(__file__).read_text()
    results = Results(RESULTS_FOLDER, [tool(name, target) for name in TOOLS])
    return results.get([made_by, path.read_text(), target], lambda: compiled(path, target))


def is_like_another(name, target):
    """Large tiles take the compiler long, and those of one type differ from others' in an instruction, or in a target that
    is much like another. Of such it is seen that the target has all that they name. LLVM 22 compiles all of its own."""
    large = name.startswith(("wide_", "square_")) and target != "gfx950"
    return large and not (name.endswith("_fp16") and target in ("gfx90a", "gfx942", "gfx1100", "gfx1201"))


def compiled(path, target):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "program.co"
        call = [tool("clang", target), "-x", "hip", f"--offload-arch={target}", "--offload-device-only",
                "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc", "-std=c++17", "-Wall", "-Wno-unused", path, "-o", out,
                *["-mcumode"] * target.startswith("gfx1")]  # as backends/hip/hip_module.cpp
        if is_like_another(path.stem, target):
            run(*call, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
            return {}
        run(*call, "-O3")
        code = run(tool("llvm-objdump", target), "-d", "--no-show-raw-insn", "--no-leading-addr", out)
        notes = run(tool("llvm-readelf", target), "--notes", out)
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
    """Of the innermost loop that fetches from memory and has matrix instructions: those before it waits for what it
    fetched, all of them, what it drops from caches, and the most accesses to any memory without one in between."""
    code = [line for line in body.splitlines() if line.strip()]
    places = [int(line.split("// ")[1].split(":")[0], 16) for line in code]
    loop = []
    for at, line in enumerate(code):
        jump = re.match(r"\s*s_cbranch\w* .*<\w+\+0x([0-9a-f]+)>", line)
        first = places[0] + int(jump[1], 16) if jump else places[at] + 1
        inside = [word.strip() for word, place in zip(code[:at], places) if place >= first]
        if not loop and any(map(MATRIX, inside)) and any(map(FETCH, inside)):
            loop = inside
    if not loop:
        return []
    wait = next(at for at, line in enumerate(loop) if re.match(r"s_wait_loadcnt|s_waitcnt .*vmcnt", line))
    kinds = "".join("m" if MATRIX(line) else "a" if ACCESS(line) else "" for line in loop)
    return [sum(map(bool, map(MATRIX, loop[:wait]))), kinds.count("m"),
            sum("gl0_inv" in line or "global_inv" in line for line in loop),
            max(map(len, kinds.split("m")))]


MATRIX = re.compile("v_(mfma|wmma)").match
FETCH = re.compile("global_load").match
ACCESS = re.compile("global_load|ds_(read|write|load|store)").match
RESULTS_FOLDER = None
FIELDS = ("matrix or dot instructions", "local data share bytes", "vector registers", "scratch bytes",
          "pairs of products of fp32", "of the loop: matrix instructions before the wait for memory", "all of them",
          "invalidations of caches", "accesses to memory in a row")
PAIRING = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201")  # whose peak is that of pairs


class Compiled(unittest.TestCase):
    target = None

    def test_every_program_is_as_recorded(self):
        self.assertIn(self.target, targets())
        recorded = json.loads(RECORDED.read_text())
        for name in names(self.target):
            with self.subTest(module=name):
                found = build(program(name), self.target)
                expected = {entry: used[self.target] for entry, used in recorded.get(name, {}).items() if self.target in used}
                self.assertEqual(expected, found, f"{FIELDS}")
                for entry, (matrix, _, registers, scratch, _, *loop) in found.items():
                    self.assertEqual(entry.startswith("gemm_") and matrix > 0 and not name.startswith("dot_"), loop != [])
                    if loop:
                        before, all_of_them, dropped, in_a_row = loop
                        self.assertEqual(0, dropped, f"{entry}: what was fetched stays in the caches")
                        # What was fetched is waited for behind the products; in large tiles, behind most of them.
                        wide = name.startswith("wide_")
                        self.assertLessEqual(all_of_them, before * 2 if wide else before, entry)
                        self.assertLessEqual(in_a_row, 6 if wide else 64, f"{entry}: matrix units wait for accesses")
                    self.assertLessEqual(registers, 512, entry)
                    self.assertEqual(0, scratch, entry)
                    products = name.startswith(("gemm_", "dot_", "wide_", "square_")) and name != "gemm_simt"
                    self.assertEqual(products, matrix > 0, entry)

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
    of = targets() if sys.argv[1] == "--record" else sys.argv[2:3]
    if absent := sorted({name for target in of for name in missing(target)}):
        if sys.argv[3:] == ["--build"]:
            sys.exit()
        print(f"skipped: not installed: {', '.join(absent)}")
        sys.exit(77)
    if sys.argv[1] == "--record":
        record()
    else:
        Compiled.target = sys.argv[2]
        RESULTS_FOLDER = pathlib.Path(sys.argv[1])
        if sys.argv[3:] == ["--build"]:
            for name in names(Compiled.target):
                with contextlib.suppress(AssertionError):  # the test will say it
                    build(program(name), Compiled.target)
            sys.exit()
        unittest.main(argv=sys.argv[:1], verbosity=2)
