# SPDX-License-Identifier: MIT
"""The real binary on a fake NVIDIA GPU that is divided into equal MIG instances: the answer's variable shows exactly
the instance that was chosen, and the whole plan is for one of them alone.

    python3 cuda_mig_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import json
import sys
import unittest

from cuda_cli_test import MIB, CudaMachine, good, gpu, main

PCI = "0000:01:00.0"
SLICES = 7  # the most that a GPU has
FIRST = f"pci:{PCI}#MIG-1-0"
NAMES = {f"pci:{PCI}#MIG-{number}-0": f"MIG-aa000000-0000-0000-0000-{number:012x}" for number in range(1, SLICES + 1)}


def divided():
    return {"devices": [gpu(1, 80, partitions=[
        {"uuid": f"aa{number:030x}", "memory_total_bytes": 64 * MIB, "compute_units": 1,
         "attributes": {"gpu_instance": number}} for number in range(1, SLICES + 1)])]}


class Mig(unittest.TestCase):
    def test_the_answers_variable_shows_exactly_the_chosen_instance(self):
        with CudaMachine(divided()) as machine:
            # Training is answered for however little memory there is.
            answer = machine.run("recommend", "--for", "training", "--only", "cuda,sysfs", "--no-cache", "--budget", "4",
                                 "--format", "env", patience_s=120)
        self.assertEqual(0, answer.status, answer.stderr)
        values = dict(line.split("=", 1) for line in answer.stdout.splitlines())
        self.assertEqual("cuda", values["WHICHGPU_BACKEND"], answer.stdout)
        variable, _, value = values["WHICHGPU_VISIBLE"].partition("=")
        self.assertEqual(("CUDA_VISIBLE_DEVICES", NAMES[values["WHICHGPU_DEVICE"]]), (variable, value))
        for name, shown in ((value, {values["WHICHGPU_DEVICE"]}), ("GPU-" + value.removeprefix("MIG-"), set())):
            with self.subTest(name), CudaMachine(divided(), **{variable: name}) as machine:
                seen = machine.run("list", "--json", "--only", "cuda,sysfs")
                self.assertEqual(0, seen.status, seen.stderr)
                self.assertEqual(shown, {device["id"] for device in json.loads(seen.stdout)["devices"]
                                         if any(view["runtime"] == "cuda" for view in device["views"])})

    def test_of_many_equal_instances_one_has_the_whole_plan_and_each_has_its_own_figures(self):
        for budget_s in (3, 6, 30):  # what a busy machine has no time for in the first
            with CudaMachine(divided()) as machine:
                done = machine.run("--json", "--no-cache", "--only", "cuda,sysfs", "--budget", str(budget_s), patience_s=120)
            self.assertEqual(0, done.status, done.stderr)
            measured = json.loads(done.stdout)["measurements"]
            figures = {device: {m["kernel"] for m in good(measured) if m["device_id"] == device} for device in NAMES}
            if all(figures.values()):
                break
        self.assertGreater(len({m["kernel"] for m in measured if m["device_id"] == FIRST}), 3, "the first has the whole plan")
        del figures[FIRST]
        for device, kernels in figures.items():
            self.assertTrue(kernels and kernels <= {"gemm", "read"}, (device, kernels))


if __name__ == "__main__":
    sys.exit(main())
