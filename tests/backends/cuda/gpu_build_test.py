# SPDX-License-Identifier: MIT
"""What is built for bench/gpu_check: by itself, and by the lines of docs/testing.md for another machine.

    python3 gpu_build_test.py CMAKE BUILD_DIRECTORY [unittest options]
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

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


class Itself(unittest.TestCase):
    def test_it_configures_the_tests_that_it_runs_whatever_the_tree_had(self):
        loader = importlib.machinery.SourceFileLoader("gpu_check", str(ROOT / "bench" / "gpu_check"))
        gpu_check = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
        loader.exec_module(gpu_check)
        ran = []
        with unittest.mock.patch.object(gpu_check.subprocess, "run", lambda command, **_: ran.append(command)):
            gpu_check.build(pathlib.Path("/folder"))
        self.assertEqual(["cmake", "--preset", "release"], ran[0][:3])
        self.assertIn("-DWHICHGPU_TESTS=ON", ran[0])


class Carried(unittest.TestCase):
    def test_the_documents_lines_configure_what_they_build(self):
        options = re.search(r"^cmake --preset release (.*)$", DOCUMENT, re.M).group(1).split()
        self.assertLessEqual({"-DWHICHGPU_TESTS=ON", "-DWHICHGPU_BENCH=ON"}, set(options))
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
