#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary on Intel's own SYCL runtime, whose device for processors every x86-64 machine has: it is found, measured and
right. It lies where ./dev test has put it; without it the test skips and says why."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from harness import environment, main, run, validate
from sycl_runtime import folder

PREFIX = folder(os.environ.get("WHICHGPU_TEST_CACHE"), sys.argv[2])
KERNELS = {"gemm", "read", "launch"}
BUDGETS = ("3", "8", "20")  # the later where a busy machine had too little time in the first


def right(value):
    """The kernels of which SYCL's device has a figure that is right."""
    return {m["kernel"] for m in value["measurements"] if (m["runtime"], m["status"], m["verified"]) == ("sycl", "ok", True)}


# How many platforms the runtime shows to a program: sycl::platform::get_platforms(), a vector of shared pointers.
PLATFORMS = """
import ctypes, sys
vector = (ctypes.c_size_t * 3)()
ctypes.CDLL(sys.argv[1])._ZN4sycl3_V18platform13get_platformsEv(vector)
print((vector[1] - vector[0]) // 16)
"""
SELECTORS = ("opencl:gpu;opencl:cpu", "opencl:0;opencl:1", "opencl:acc", "opencl:foo", "level_zero:", "garbage", "", "!opencl:5",
             "!level_zero:*", "OpenCL:CPU;host:*", "opencl:0.*")


@unittest.skipIf(isinstance(PREFIX, str), f"skipped: {PREFIX}")
class SyclProcessor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        libraries = PREFIX / "lib"
        with tempfile.TemporaryDirectory() as empty:
            variables = environment(WHICHGPU_LIBRARY_PATH=libraries, OCL_ICD_VENDORS=empty,
                                    OCL_ICD_FILENAMES=libraries / "libintelocl.so")
            for budget in BUDGETS:
                done = run("--json", "--only", "sycl,cpu", "--budget", budget, env=variables, timeout=85)
                cls.value = json.loads(done.stdout)
                if right(cls.value) >= KERNELS:
                    break

    def test_it_is_found_on_the_processor(self):
        validate(self.value, "report")
        probe = next(probe for probe in self.value["probes"] if probe["module"] == "sycl")
        self.assertEqual("ok", probe["outcome"], probe)
        self.assertIn(str(PREFIX), probe["library"]["path"])
        views = [view for device in self.value["devices"] if device["id"] == "cpu:0" for view in device["views"]
                 if view["runtime"] == "sycl"]
        self.assertEqual([("Intel(R) OpenCL", "software")], [(view["driver"], view["kind"]) for view in views])

    def test_it_is_measured_and_right(self):
        statuses = {m["status"] for m in self.value["measurements"] if m["runtime"] == "sycl"}
        self.assertLessEqual(KERNELS, right(self.value), statuses)
        self.assertNotIn("wrong_result", statuses)

    def test_the_selector_hides_what_the_runtime_does_not_show(self):
        libraries = PREFIX / "lib"
        with tempfile.TemporaryDirectory() as empty:
            for selector in SELECTORS:
                variables = environment(WHICHGPU_LIBRARY_PATH=libraries, OCL_ICD_VENDORS=empty, ONEAPI_DEVICE_SELECTOR=selector,
                                        OCL_ICD_FILENAMES=libraries / "libintelocl.so")
                done = subprocess.run([sys.executable, "-c", PLATFORMS, libraries / "libsycl.so"], capture_output=True,
                                      env={**variables, "LD_LIBRARY_PATH": str(libraries)}, timeout=60, check=False)
                shown = done.returncode == 0 and int(done.stdout.split()[-1]) > 0  # it prints of a device without tiles
                value = json.loads(run("list", "--json", "--only", "sycl", env=variables, timeout=60).stdout)
                hidden = [view.get("environment_hidden") for device in value["devices"] for view in device["views"]
                          if view["runtime"] == "sycl"]
                with self.subTest(selector):
                    self.assertEqual([None if shown else "ONEAPI_DEVICE_SELECTOR"], hidden, done.stderr)

    def test_it_is_no_answer(self):
        self.assertEqual({"cpu"}, {answer["backend"] for answer in self.value["recommendations"]})


if __name__ == "__main__":
    main()
