# SPDX-License-Identifier: MIT
"""A library of the user's that crashes costs none of the processor's own figures, and is named.

    python3 libraries_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from harness import document, environment, main, run, validate

BUILD = pathlib.Path(sys.argv[2]).resolve()


def report(fake):
    """The report of a machine where BLIS is `fake`."""
    with tempfile.TemporaryDirectory(prefix="whichgpu-test-") as directory:
        shutil.copy(BUILD / "tests/backends/cpu" / f"libfake_blas_{fake}.so", pathlib.Path(directory) / "libblis-mt.so.5")
        process = run("--only", "cpu", "--quick", "--json", env=environment(WHICHGPU_LIBRARY_PATH=directory))
    value = document(process)
    validate(value, "report")
    return process.returncode, value


def own_products(value):
    """Whatever their status: on a machine that is busy enough the budget ends before any is timed."""
    return [m for m in value["measurements"] if m["kernel"] == "gemm" and m["implementation"].startswith("own:")]


def of_blis(value):
    return [m for m in value["measurements"] if m.get("implementation") == "blis"]


class Trust(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0, "only root can be given somebody else's library")
    def test_root_follows_no_path_to_somebody_elses_library(self):
        with tempfile.TemporaryDirectory(prefix="whichgpu-test-") as directory:
            good, bad = pathlib.Path(directory, "good"), pathlib.Path(directory, "bad")
            for folder in (good, bad):
                folder.mkdir()
                shutil.copy(BUILD / "tests/backends/cpu/libfake_blas_crashing.so", folder / "libpocl.so.2")
            os.chown(bad / "libpocl.so.2", 65534, 65534)
            process = run("list", "--json", env=environment(LD_LIBRARY_PATH=f"{good}:{bad}"))
            self.assertEqual(0, process.returncode, process.stderr)
            warnings = "\n".join(document(process)["warnings"])
            self.assertIn(f"LD_LIBRARY_PATH: {bad} is left out", warnings)
            self.assertNotIn(f"{good} is left out", warnings)


class Libraries(unittest.TestCase):
    def test_a_crash_costs_its_own_figure_alone(self):
        code, value = report("crashing")
        self.assertEqual(0, code)
        self.assertTrue(own_products(value))
        self.assertEqual(["crashed"], [m["status"] for m in of_blis(value)])
        self.assertTrue(value["recommendations"])

    def test_a_wrong_result_is_named_and_not_ranked(self):
        _, value = report("wrong")
        self.assertTrue(own_products(value))
        self.assertEqual({"wrong_result"}, {m["status"] for m in of_blis(value)})


if __name__ == "__main__":
    main()
