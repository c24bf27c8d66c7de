#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary on Intel's own SYCL runtime, whose device for processors every x86-64 machine has: it is found, measured and
right. It lies where ./dev test has put it; without it the test skips and says why."""
import json
import os
import sys
import tempfile
import unittest

from harness import environment, main, run, validate
from sycl_runtime import folder

PREFIX = folder(os.environ.get("WHICHGPU_TEST_CACHE"), sys.argv[2])
KERNELS = {"gemm", "read", "launch"}


@unittest.skipIf(isinstance(PREFIX, str), f"skipped: {PREFIX}")
class SyclProcessor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        libraries = PREFIX / "lib"
        with tempfile.TemporaryDirectory() as empty:
            variables = environment(WHICHGPU_LIBRARY_PATH=libraries, OCL_ICD_VENDORS=empty,
                                    OCL_ICD_FILENAMES=libraries / "libintelocl.so")
            cls.done = run("--json", "--only", "sycl,cpu", "--budget", "6", env=variables)
        cls.value = json.loads(cls.done.stdout)

    def test_it_is_found_on_the_processor(self):
        validate(self.value, "report")
        probe = next(probe for probe in self.value["probes"] if probe["module"] == "sycl")
        self.assertEqual("ok", probe["outcome"], probe)
        self.assertIn(str(PREFIX), probe["library"]["path"])
        views = [view for device in self.value["devices"] if device["id"] == "cpu:0" for view in device["views"]
                 if view["runtime"] == "sycl"]
        self.assertEqual([("Intel(R) OpenCL", "software")], [(view["driver"], view["kind"]) for view in views])

    def test_it_is_measured_and_right(self):
        figures = [m for m in self.value["measurements"] if m["runtime"] == "sycl"]
        bad = [(m["kernel"], m["status"], m.get("error")) for m in figures if m["status"] not in ("ok", "skipped")]
        self.assertEqual([], bad)
        right = {m["kernel"] for m in figures if m["status"] == "ok" and m["verified"]}
        self.assertLessEqual(KERNELS, right | {m["kernel"] for m in figures if m["kernel"] == "launch" and m["status"] == "ok"})
        self.assertLessEqual({"gemm", "read"}, right)

    def test_it_is_no_answer(self):
        self.assertEqual({"cpu"}, {answer["backend"] for answer in self.value["recommendations"]})


if __name__ == "__main__":
    main()
