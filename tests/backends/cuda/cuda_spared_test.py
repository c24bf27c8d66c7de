# SPDX-License-Identifier: MIT
"""The real binary on fake NVIDIA GPUs of which something ends early: a GPU, its first kernel, or its context between
kernels. What has nothing to do with that is measured all the same, and no healthy neighbour is blamed.

    python3 cuda_spared_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import json
import unittest

from cuda_cli_test import ERRORS, CudaMachine, act, good, gpu, main, measure, validate

ALIKE = {"devices": [gpu(1, 80), gpu(2, 80)]}
LOST = {"lost_at_upload_bytes": 16 << 20}  # between kernels: transfers alone are as long
FIRST, SECOND = "pci:0000:01:00.0", "pci:0000:02:00.0"
# What one fault must not cost: name -> scenario, of which device what is measured all the same, the budget.
SPARED = {
    "a GPU that dies beside its equal": ({**ALIKE, **act("create", "error", code=46, device=1)}, FIRST,
                                         {"gemm", "read", "launch"}, 1),
    "a GPU that is dead before its equal": ({**ALIKE, **act("create", "error", code=46, device=0)}, SECOND,
                                            {"gemm", "read", "launch"}, 1),
    "a first kernel that crashes": ({"devices": [gpu(crashing_kernels="gemm_fp32")]}, FIRST, {"gemm", "read"}, 1),
    "a device that is lost between kernels": ({"devices": [gpu(attributes=LOST)]}, FIRST, {"gemm", "read"}, 1),
    "a GPU that is lost before its equal": ({"devices": [gpu(1, 80, LOST), gpu(2, 80)]}, FIRST, {"gemm", "read"}, 1),
}


def text_of(scenario):
    with CudaMachine(scenario) as machine:
        return machine.run("--only", "cuda,sysfs", "--verbose", "--budget", "3", patience_s=120)


def all_runs():
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(len(SPARED) + 1) as pool:
        jobs["as text"] = pool.submit(text_of, SPARED["a device that is lost between kernels"][0])
        for name, (scenario, device_id, wanted, budget_s) in SPARED.items():
            def enough(all_of, of=device_id, wanted=wanted):
                return wanted <= {m["kernel"] for m in good(all_of) if m["device_id"] == of}
            jobs[name] = pool.submit(measure, enough, scenario, {}, budget_s)
    return {name: job.result() for name, job in jobs.items()}


class Spared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = all_runs()

    def spared(self, name):
        done = self.runs[name]
        self.assertEqual((0, []), (done.status, done.survivors), done.stderr)
        value = json.loads(done.stdout)
        validate(value, "report")
        _, device_id, wanted, _ = SPARED[name]
        self.assertLessEqual(wanted, {m["kernel"] for m in good(value["measurements"]) if m["device_id"] == device_id},
                             value["measurements"])
        return value

    def test_a_gpu_that_dies_costs_its_healthy_neighbour_nothing(self):
        for name, healthy, dead in (("a GPU that dies beside its equal", FIRST, SECOND),
                                    ("a GPU that is dead before its equal", SECOND, FIRST)):
            with self.subTest(name):
                value = self.spared(name)
                self.assertEqual([(dead, "skipped")], [(m["device_id"], m["status"]) for m in value["measurements"]
                                                       if m["kernel"] == "p2p"])
                self.assertEqual({dead}, {f["device_id"] for f in value["findings"] if f["id"].startswith("measure.cuda")})
                self.assertEqual([], [f["id"] for f in value["findings"] if f["id"].startswith("peers.")])

    def test_a_first_kernel_that_crashes_costs_its_family_alone(self):
        value = self.spared("a first kernel that crashes")
        crashed = [m for m in value["measurements"] if m["status"] == "crashed"]
        self.assertEqual([("gemm", "fp32")], [(m["kernel"], m["in_dtype"]) for m in crashed], crashed)

    def test_a_device_that_is_lost_between_kernels_keeps_what_was_right_and_says_why(self):
        value = self.spared("a device that is lost between kernels")
        lost = [m for m in value["measurements"] if m["status"] == "failed"]
        self.assertEqual([""], [m["implementation"] for m in lost], lost)
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED (719)", lost[0]["reason"])
        self.assertIn("ended while no kernel ran", lost[0]["reason"])
        finding, = (f for f in value["findings"] if f.get("runtime") == "cuda" and "failed" in f["id"])
        self.assertEqual(ERRORS["CUDA_ERROR_LAUNCH_FAILED"]["meaning"], finding["meaning"])
        self.assertIn("the device was lost while it was measured (", finding["summary"])

    def test_a_device_that_is_lost_between_kernels_is_told_as_no_product_that_failed(self):
        done = self.runs["as text"]
        self.assertEqual(0, done.status, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertIn("the device was lost while it was measured (", text)
        self.assertNotIn("its fp32 matrix product failed", text)

    def test_a_gpu_that_is_lost_after_its_figures_keeps_its_plan_and_is_left_out_of_what_is_between(self):
        value = self.spared("a GPU that is lost before its equal")
        between = [m for m in value["measurements"] if m["kernel"] == "p2p"]
        self.assertEqual([(FIRST, "skipped")], [(m["device_id"], m["status"]) for m in between])
        self.assertIn("its process or its context ended while it was measured", between[0]["reason"])
        self.assertNotIn("launch", {m["kernel"] for m in value["measurements"] if m["device_id"] == SECOND},
                         "which has the plan of an equal")


if __name__ == "__main__":
    main()
