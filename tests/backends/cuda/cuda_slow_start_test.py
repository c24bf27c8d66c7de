# SPDX-License-Identifier: MIT
"""The real binary on fake NVIDIA GPUs whose driver takes long to get ready in every process: an answer by what was measured
within the contract's bound, and each GPU that was not waited for says why.

    python3 cuda_slow_start_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures

from cuda_cli_test import CudaMachine, OfRuns, good, gpu, main, products

INIT_S = 8
# Finding the GPUs and the first opening, measuring, and a busy machine: to open all eight takes 72 s beside that.
MOST_S = 55
FIRST, *OTHERS = (f"pci:0000:{number:02x}:00.0" for number in range(1, 9))
JOBS = {"report": (), "quick": ("--quick",)}


def run(arguments):
    scenario = {"devices": [gpu(number, 80, {"persistence": 0}) for number in range(1, 9)], "attributes": {"init_s": INIT_S}}
    with CudaMachine(scenario) as machine:
        return machine.run("--json", "--only", "cuda,sysfs", *arguments, patience_s=150)


class SlowStart(OfRuns):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(len(JOBS)) as pool:
            jobs = {name: pool.submit(run, arguments) for name, arguments in JOBS.items()}
        cls.runs = {name: job.result() for name, job in jobs.items()}

    def test_an_answer_comes_within_the_bound(self):
        for name, done in self.runs.items():
            with self.subTest(name):
                self.assertLess(done.elapsed_s, MOST_S)
                measurements = self.answer(name)["measurements"]
                self.assertIn(FIRST, {m["device_id"] for m in good(products(measurements))})

    def test_each_gpu_that_is_left_out_says_why(self):
        for name in JOBS:
            with self.subTest(name):
                why = {m["device_id"]: m["reason"] for m in self.answer(name)["measurements"]
                       if m["status"] == "over_budget" and "driver to get ready" in m["reason"]}
                self.assertEqual(set(OTHERS), set(why))
                self.assertTrue(all(reason.startswith("left out: each process waits 8.") for reason in why.values()), why)

    def test_what_keeps_them_ready_is_told_once(self):
        for name in JOBS:
            with self.subTest(name):
                found = [f for f in self.answer(name)["findings"] if f["id"].startswith("slow_start.")]
                self.assertEqual(["slow_start.cuda"], [f["id"] for f in found])
                self.assertEqual([FIRST, *OTHERS], sorted(found[0]["device_ids"]))
                self.assertIn("nvidia-persistenced", found[0]["fix"][0]["text"])


if __name__ == "__main__":
    main()
