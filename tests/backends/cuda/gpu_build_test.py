# SPDX-License-Identifier: MIT
"""What is built for bench/gpu_check by the lines of docs/testing.md for another machine.

    python3 gpu_build_test.py CMAKE BUILD_DIRECTORY [unittest options]
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
DOCUMENT = (ROOT / "docs" / "testing.md").read_text()
WITHOUT_NVCC = """
cmake_minimum_required(VERSION 3.25)
project(without_nvcc NONE)
include("%s")
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


class Carried(unittest.TestCase):
    def test_the_documents_targets_are_there(self):
        if "WHICHGPU_BENCH:BOOL=ON" not in (BUILD / "CMakeCache.txt").read_text():
            self.skipTest("this tree is configured without benchmarks")
        targets = re.search(r"^ninja -C build/release (.*)$", DOCUMENT, re.M).group(1).split()
        self.assertIn("cuda_gpu_test", targets)
        for target in targets:
            known = run("ninja", "-C", BUILD, "-t", "query", target)
            self.assertEqual(0, known.returncode, known.stderr)

    def test_without_nvcc_its_target_says_that_nothing_is_built(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "CMakeLists.txt").write_text(WITHOUT_NVCC % (ROOT / "bench" / "plain_cuda.cmake"))
            configured = run(CMAKE, "-G", "Ninja", "-S", folder, "-B", f"{folder}/build", "-DNVCC=")
            self.assertEqual(0, configured.returncode, configured.stderr)
            built = run("ninja", "-C", f"{folder}/build", "gpu_plain")
        self.assertEqual(0, built.returncode, built.stdout)
        self.assertIn("There is no nvcc: plain_cuda", built.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
