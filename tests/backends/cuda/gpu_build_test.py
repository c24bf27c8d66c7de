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
import types
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


def imported():
    loader = importlib.machinery.SourceFileLoader("gpu_check", str(ROOT / "bench" / "gpu_check"))
    gpu_check = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
    loader.exec_module(gpu_check)
    return gpu_check


class Itself(unittest.TestCase):
    def test_a_test_that_failed_of_more_than_a_full_card_fails(self):
        full = "opening 1 Fake: cuCtxCreate: CUDA_ERROR_OUT_OF_MEMORY (2)\na.cpp:1: Failure\n"
        wrong = "kernel 0 Fake: own:a (a): wrong: 1 of 2\na.cpp:2: Failure\n"
        cards = [{"id": str(card), "kind": "discrete", "views": [{"runtime": "cuda", "ordinal": card}],
                  "memory": {"total_bytes": 1000, "free_bytes": 10 if card else 1000}} for card in (0, 1)]
        report = {"devices": cards, "measurements": []}
        gpu_check = imported()
        for end, state, said, passed in ((8, "failed", full, True), (8, "failed", full + wrong, False), (8, "failed", "", False),
                                         (8, "failed", full + "a.cpp:3: Failure\n", False), (8, "timeout", full, False),
                                         (-9, "failed", full, False), (0, "passed", "", True), (8, "passed", "", False),
                                         (0, "skipped", "", False)):
            with self.subTest((end, state, said)):
                name = "cuda_gpu_test.CudaGpu.VerifiesEveryKernelThatItSupports"
                tests, was_passed, no_room = gpu_check.judged(end, {name: state}, {name: said}, [report])
                self.assertEqual(passed, was_passed)
                self.assertEqual(full.splitlines()[:1] if full in said else [], no_room[:-1])
                self.assertEqual("1: nothing was verified on it: nothing was tried", no_room[-1])
                self.assertEqual(passed and end != 0, tests[name] == gpu_check.NO_ROOM and end == gpu_check.TESTS_FAILED)

    def test_what_became_of_each_test_is_read_however_it_ended(self):
        said = """Test project /folder
    Start 1: one
1/3 Test #1: one ...........................   Passed    0.01 sec
    Start 2: two
2/3 Test #2: two ...........................Subprocess aborted***Exception:   0.03 sec
    Start 3: three
3/3 Test #3: three .........................***Skipped   0.01 sec
"""
        gpu_check = imported()
        with unittest.mock.patch.object(gpu_check, "said_by", lambda _: (8, said, "")):
            end, tests, _ = gpu_check.run_tests("/folder")
        self.assertEqual((8, {"one", "two", "three"}), (end, set(tests)))
        self.assertEqual(("passed", "skipped"), (tests["one"], tests["three"]))
        self.assertFalse(gpu_check.judged(end, tests, {}, [])[1])

    def test_a_summary_says_that_nothing_was_verified_and_for_want_of_memory(self):
        gpu_check = imported()
        row = {"device_id": "0", "runtime": "cuda", "kernel": "gemm", "in_dtype": "fp32", "acc_dtype": "fp32", "shape": {},
               "implementation": "own:a"}
        memory = {"status": "over_budget", "reason": "1 MiB of 80 GiB are free", "needed_bytes": 9}
        report = {"devices": [{"id": "0", "name": "Fake", "kind": "discrete", "views": [{"runtime": "cuda", "ordinal": 0}],
                               "memory": {"total_bytes": 1000, "free_bytes": 10}}], "findings": [], "probes": [],
                  "measurements": [{**row, "status": "unsupported", "reason": "the device lacks it"},
                                   {**row, "status": "unsupported", "reason": "the device lacks it"}, {**row, **memory}]}
        results = gpu_check.Results(1)
        results.reports = [report]
        with tempfile.TemporaryDirectory() as path:
            folder = types.SimpleNamespace(path=pathlib.Path(path), read=lambda _: "", took={}, last_line=lambda _: "")
            text, failed = gpu_check.summarise(folder, results)
        self.assertIn("== Failed\nnothing was verified on a GPU", text)
        self.assertEqual(1, failed)
        self.assertIn("0: nothing was verified on it: over_budget: 1 MiB of 80 GiB are free", text)

    def test_it_configures_the_tests_that_it_runs_whatever_the_tree_had(self):
        gpu_check, ran = imported(), []
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
