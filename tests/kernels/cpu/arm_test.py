#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels for Arm, compiled for it and run in an emulator: NEON on a processor that has no SVE, both on one that
has, SVE at several lengths. arm_test.py SOURCES BUILD_DIRECTORY HIGHWAY_INCLUDE_DIRECTORY DISABLED_TARGETS
[--build]; with the last it compiles where it can and runs nothing. 77: not possible here."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64-static"
SKIPPED = 77
SOURCES, BUILD, HIGHWAY, DISABLED = *map(pathlib.Path, sys.argv[1:4]), sys.argv[4]
ENTRIES = {"chain_fp32", "copy_u32", "fill_bf16", "fill_fp16", "fill_fp32", "fill_int8", "fill_q4", "fill_q8", "fill_u32",
           "gemm_bf16", "gemm_fp32", "gemm_int8", "gemv_bf16", "gemv_fp16", "gemv_fp32", "gemv_q4", "gemv_q4_q8",
           "gemv_q8_q8", "read_u32", "sum_operand_u32", "weigh_operand", "weigh_q4", "weigh_q8", "triad_fp32"}
DOT_ENTRIES = {"gemv_q4_q8", "gemv_q8_q8"}


def kernel_files():
    """As kernels/cpu/CMakeLists.txt lists them for this architecture and Linux."""
    text = (SOURCES / "kernels/cpu/CMakeLists.txt").read_text().replace("${system}", "linux")
    arm = re.search(r"aarch64.*?set\(sources ([^)]*)\)", text, re.S).group(1).split()
    common = [name for name in re.search(r"whichgpu_library\(kernels_cpu(.*?)\)", text, re.S).group(1).split()
              if name.endswith(".cpp")]
    return [f"kernels/cpu/{name}" for name in common + arm]


def build(directory):
    """The statically linked program. Highway's headers are the host's, found by themselves alone."""
    include = directory / "include"
    include.mkdir(parents=True, exist_ok=True)
    (include / "hwy").unlink(missing_ok=True)
    (include / "hwy").symlink_to(HIGHWAY / "hwy")
    files = kernel_files()
    launcher = ["ccache"] if shutil.which("ccache") else []
    flags = ["-std=c++20", "-O1", "-I", str(SOURCES), "-isystem", str(include), "-DHWY_DISABLED_TARGETS=" + DISABLED]

    def compile_one(name):
        target = directory / (pathlib.Path(name).stem + ".o")
        subprocess.run([*launcher, COMPILER, *flags, "-c", str(SOURCES / name), "-o", str(target)], check=True)
        return str(target)

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        objects = list(pool.map(compile_one, [*files, "tests/kernels/cpu/arm_verify.cpp"]))
    program = directory / "arm_verify"
    subprocess.run([COMPILER, "-static", *objects, "-o", str(program), "-lpthread"], check=True)
    return program


class Arm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = build(BUILD / "arm")

    def verified(self, processor):
        """What ran, as {instruction set: entries}; everything must have been right."""
        run = subprocess.run([EMULATOR, "-cpu", processor, str(self.program)], capture_output=True, text=True,
                             timeout=60)
        found = {}
        for line in run.stdout.splitlines():
            entry, isa, verdict = line.split()
            self.assertEqual("ok", verdict, line)
            found.setdefault(isa, set()).add(entry)
        self.assertEqual(0, run.returncode, run.stderr)
        return found

    def test_neon_verifies_on_a_processor_without_sve(self):
        found = self.verified("cortex-a72")
        self.assertEqual({"neon", "generic"}, set(found))
        self.assertEqual(ENTRIES, found["neon"])

    def test_sve_verifies_at_every_length(self):
        for length in (16, 32, 64, 256):
            with self.subTest(bytes=length):
                found = self.verified(f"max,sve-default-vector-length={length}")
                self.assertEqual(ENTRIES, found["sve"])
                self.assertEqual(ENTRIES, found["neon"])
                self.assertEqual(DOT_ENTRIES, found["neon_dotprod"])


if __name__ == "__main__":
    missing = [name for name in (COMPILER, EMULATOR) if not shutil.which(name)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed (g++-aarch64-linux-gnu, qemu-user-static)")
        sys.exit(0 if "--build" in sys.argv else SKIPPED)
    if "--build" in sys.argv:
        build(BUILD / "arm")
        sys.exit()
    unittest.main(argv=sys.argv[:1], verbosity=2)
