#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a measuring run respects: budgets, the processors it was given, and other load."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from harness import document, environment, main, run, validate

SIMULATOR = pathlib.Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
SOFTWARE_BUDGET_S = 2.0
PREPARATIONS = 0.5     # of the budget, beside it
FIRST_LAUNCHES_S = 10  # is allowed each of them; three kernels and their fills take a fraction of that
STALL_S = 5            # of a machine that does other things as well


def report(*arguments, **options):
    process = run("--json", "--no-cache", *arguments, **options)
    if process.returncode != 0:
        raise AssertionError(process.stderr)
    return document(process)


def timed(result):
    return [m for m in result["measurements"] if m["status"] == "ok"]


class Budget(unittest.TestCase):
    @unittest.skipUnless(SIMULATOR.exists(), "the package oclgrind is not installed")
    def test_a_simulator_as_the_only_device_stays_in_its_budget(self):
        with tempfile.TemporaryDirectory() as vendors:
            pathlib.Path(vendors, "oclgrind.icd").write_text(f"{SIMULATOR}\n")
            start = time.monotonic()
            result = report("--only", "opencl", env=environment(OCL_ICD_VENDORS=vendors))
            elapsed = time.monotonic() - start
        self.assertLess(elapsed, (1 + PREPARATIONS) * SOFTWARE_BUDGET_S + FIRST_LAUNCHES_S + STALL_S)
        validate(result, "report")
        drivers = {m["driver"] for m in result["measurements"]}
        self.assertEqual({"Oclgrind"}, drivers)
        products = [m for m in timed(result) if m["kernel"] == "gemm"]
        self.assertTrue(products, "it is slow, and right")
        for m in products:
            self.assertTrue(m["verified"])
            self.assertLess(m["shape"]["m"], 256)

    def test_a_budget_for_the_whole_run_holds(self):
        start = time.monotonic()
        report("--only", "cpu", "--budget", "0.5")
        self.assertLess(time.monotonic() - start, (1 + PREPARATIONS) * 0.5 + 1 + STALL_S)


def threads(result):
    """Of the processor's figures, through each runtime that reaches it, the numbers of threads that they name."""
    by_runtime = {}
    for m in result["measurements"]:
        if m["device_id"] == "cpu:0":
            by_runtime.setdefault(m["runtime"], set()).add(m.get("threads"))
    return by_runtime


class Processors(unittest.TestCase):
    def test_one_processor_means_one_thread_and_the_figures_say_so(self):
        only = min(os.sched_getaffinity(0))
        result = report("--budget", "1", preexec_fn=lambda: os.sched_setaffinity(0, {only}))
        self.assertEqual({"cpu": {1}, "opencl": {1}, "vulkan": {1}}, threads(result))
        processor = next(d for d in result["devices"] if d["id"] == "cpu:0")["hardware"]["processor"]
        self.assertEqual(1, processor["usable_threads"])


class Quota(unittest.TestCase):
    # Where a group of processes is made, and how it is granted one processor, by version of the interface
    # (cgroups(7), Documentation/admin-guide/cgroup-v2.rst of Linux).
    GROUPS = ((pathlib.Path("/sys/fs/cgroup/cpu"), "cpu.cfs_quota_us", "100000", "tasks"),
              (pathlib.Path("/sys/fs/cgroup"), "cpu.max", "100000 100000", "cgroup.procs"))

    def one_processor(self):
        """A new group that may use one processor, as the file that its members are written to."""
        reasons = []
        for root, name, value, members in self.GROUPS:
            group = root / f"whichgpu-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError as error:
                reasons.append(str(error))
                continue
            self.addCleanup(group.rmdir)
            try:
                (group / name).write_text(value)
                return group / members
            except OSError as error:
                reasons.append(str(error))
        self.skipTest("the host grants no quota: " + "; ".join(reasons))

    def test_a_quota_of_one_processor_means_one_thread(self):
        members = self.one_processor()
        result = report("--budget", "1", preexec_fn=lambda: members.write_text(str(os.getpid())))
        self.assertEqual({"cpu": {1}, "opencl": {1}, "vulkan": {1}}, threads(result))
        processor = next(d for d in result["devices"] if d["id"] == "cpu:0")["hardware"]["processor"]
        self.assertEqual(1, processor["quota_cores"])


class OtherLoad(unittest.TestCase):
    def test_a_second_load_is_said_and_makes_no_figure_good(self):
        count = len(os.sched_getaffinity(0))
        spin = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
        try:
            time.sleep(0.5)
            result = report("--only", "cpu", "--budget", "0.5")
        finally:
            for process in spin:
                process.kill()
                process.wait()
        self.assertTrue(any("of the processors" in text for text in result["warnings"]), result["warnings"])
        self.assertEqual([], [m["kernel"] for m in timed(result) if m.get("quality") == "good"])


if __name__ == "__main__":
    main()
