# SPDX-License-Identifier: MIT
"""The real binary on fake NVIDIA GPUs of whose memory others hold nearly all: what fits is measured, and the rest is nobody's
failure.

    python3 cuda_full_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import os

from cuda_cli_test import MIB, OfRuns, good, gpu, main, measure, products

IDLE = {"processes": 1, "utilization": 0}
FIRST, SECOND, THIRD = (f"pci:0000:0{number}:00.0" for number in (1, 2, 3))
# Another process leaves a little memory, and next to none.
HELD = {
    "a little": {"devices": [gpu(attributes=IDLE, memory_free_bytes=5 * MIB)]},
    "none": {"devices": [gpu(attributes=IDLE, memory_free_bytes=4096)]},
}
# The first of three equal GPUs has no memory left: by another process, or nobody knows why.
BESIDE = {
    "beside its equals": {"devices": [gpu(1, 80, IDLE, memory_free_bytes=4096), gpu(2, 80), gpu(3, 80)]},
    "beside its equals, of who knows what": {"devices": [gpu(1, 80, memory_free_bytes=4096), gpu(2, 80), gpu(3, 80)]},
}
# The first of two equal ones computes wrong.
WRONG = {"devices": [{**gpu(1, 80), "results": "garbage"}, gpu(2, 80)]}


def is_left(measurements):
    return any("needed_bytes" in m for m in measurements)


def is_whole(measurements):
    return {"launch", "p2p"} <= {m["kernel"] for m in good(measurements)}


JOBS = {**{name: (scenario, is_left, 0.7) for name, scenario in HELD.items()},
        **{name: (scenario, is_whole, 1) for name, scenario in BESIDE.items()},
        "wrong": (WRONG, lambda measurements: "launch" in {m["kernel"] for m in good(measurements)}, 1)}


class Full(OfRuns):
    @classmethod
    def setUpClass(cls):
        # As many at once as there are processors, which compute for the GPUs: else no budget suffices.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = {name: pool.submit(measure, enough, scenario, {}, budget_s)
                    for name, (scenario, enough, budget_s) in JOBS.items()}
        cls.runs = {name: job.result() for name, job in jobs.items()}

    def test_what_others_leave_no_room_for_is_no_failure(self):
        for name in HELD:
            with self.subTest(name):
                rows = [m for m in self.answer(name)["measurements"] if m["runtime"] == "cuda"]
                self.assertEqual([], [m for m in rows if m["status"] == "failed"])
                left = [m for m in rows if "needed_bytes" in m]
                self.assertTrue(left)
                figures = [(m["kernel"], m["in_dtype"], m["acc_dtype"], m["implementation"], str(m["shape"])) for m in left]
                self.assertEqual(len(set(figures)), len(figures), "each once")
                for m in left:
                    self.assertEqual("over_budget", m["status"])
                    self.assertRegex(m["reason"], r"are free, of which .* \(25 %\) are used at most beside others "
                                                  r"\(1 other process on it\), and .* are needed")

    def test_the_largest_product_that_fits_is_measured(self):
        for name in HELD:
            right = good(products(self.answer(name)["measurements"]))
            self.assertEqual(name == "a little", any("smaller than planned" in m["reason"] for m in right), name)

    def test_one_finding_tells_whose_the_memory_is(self):
        for name in HELD:
            with self.subTest(name):
                value = self.answer(name)
                finding, = (f for f in value["findings"] if f.get("device_id") == FIRST and
                            not f["id"].startswith("claim."))  # the machine has no such card
                self.assertEqual("memory.others.pci-0000-01-00-0", finding["id"])
                self.assertIn("end the programs that hold the device's memory", finding["fix"][0]["text"])
                self.assertNotIn("update", str(finding))
                if name == "none":
                    answer = value["recommendations"][0]
                    self.assertIn("was not measured: 4 KiB are free", str(answer["reasons"]))
                    self.assertNotIn("time budget", str(answer))

    def test_an_idle_equal_of_a_full_gpu_has_the_whole_plan(self):
        for name in BESIDE:
            with self.subTest(name):
                measurements = self.answer(name)["measurements"]
                self.assertEqual([SECOND], [m["device_id"] for m in measurements
                                            if m["implementation"] == "own:round_trip" and m["status"] == "ok"])
                self.assertTrue(good(products([m for m in measurements if m["device_id"] == THIRD])))
                self.assertEqual(set(), {m["status"] for m in measurements} & {"failed", "crashed", "timed_out"})

    def test_an_equal_of_a_gpu_that_computes_wrong_has_the_whole_plan(self):
        measurements = self.answer("wrong")["measurements"]
        right = {m["device_id"]: {of["kernel"] for of in good(measurements) if of["device_id"] == m["device_id"]}
                 for m in measurements}
        self.assertLessEqual({"gemm", "read", "launch"}, right[SECOND])
        self.assertNotIn("read", right[FIRST])
        left_out, = (m for m in measurements if m["kernel"] == "p2p")
        self.assertEqual((FIRST, "skipped"), (left_out["device_id"], left_out["status"]))
        self.assertIn("its own results are wrong", left_out["reason"])

    def test_what_is_between_the_equals_of_a_full_gpu_is_measured(self):
        for name in BESIDE:
            with self.subTest(name):
                between = [m for m in self.answer(name)["measurements"] if m["kernel"] == "p2p"]
                self.assertEqual({(FIRST, None, "skipped"), (SECOND, THIRD, "ok"), (THIRD, SECOND, "ok"), (SECOND, None, "ok")},
                                 {(m["device_id"], m.get("peer_id"), m["status"]) for m in between})
                left_out, = (m for m in between if m["status"] == "skipped")
                self.assertIn("too little of its memory is free", left_out["reason"])


if __name__ == "__main__":
    main()
