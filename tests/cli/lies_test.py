# SPDX-License-Identifier: MIT
"""No driver gets away with a lie, nor brings measuring down: a GPU that computes wrongly, crashes, hangs, is lost or
runs out of memory is never ranked, says why, and leaves the CPU's answer untouched.

    python3 lies_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import pathlib
import sys
import unittest

from fake_machine import RUNTIMES, FakeMachine
from harness import BINARY, document, main, validate

BUILD = pathlib.Path(sys.argv[2]).resolve()
PCI = {"vulkan": "0000:c1:00.0", "opencl": "0000:c2:00.0"}
# Detection, then what one device may take (docs/contract.md, section 3: 40 s), then the budget.
LIMIT_S = 60

WRONG, DEAD, FAILED, LATE = {"wrong_result"}, {"crashed"}, {"failed"}, {"timed_out"}


def at(point, act, **more):
    return {"misbehave": [{"at": point, "do": act, **more}]}


# name -> what the device or its driver does, the statuses of which one must appear
CASES = {
    "kernels_that_write_nothing": ({"results": "none"}, WRONG),
    "kernels_that_write_garbage": ({"results": "garbage"}, WRONG),
    "kernels_that_write_nan": ({"results": "nan"}, WRONG),
    "kernels_that_take_no_time_by_their_events": ({"results": "garbage", "event_time_scale": 0}, WRONG),
    "a_device_without_memory_heaps": ({"no_heaps": True}, FAILED | WRONG | {"unsupported", "over_budget"}),
    "a_device_lost_at_once": ({"lost_after_launches": 0}, FAILED),
    "a_device_lost_later": ({"lost_after_launches": 2}, FAILED | WRONG),
    "a_device_out_of_memory": ({"allocation_limit_bytes": 1}, FAILED | {"over_budget", "unsupported"}),
    "a_crash_at_create": (at("create", "segfault"), DEAD),
    "a_crash_in_the_compiler": (at("compile", "abort"), DEAD),
    "a_crash_at_launch": (at("launch", "abort"), DEAD),
    "a_crash_at_read_back": (at("read_back", "segfault"), DEAD),
    "an_error_of_the_compiler": (at("compile", "error", code=-11), FAILED | {"unsupported"}),
    "an_error_at_launch": (at("launch", "error", code=-5), FAILED),
    "a_silent_exit_in_the_compiler": (at("compile", "exit0"), FAILED | DEAD),
    "a_process_left_by_the_compiler": (at("compile", "fork_linger", detach="daemon"), WRONG),
    # Of a second kernel: the first has the time of a driver that nobody has used, see slow_start_test.cpp.
    "a_hang_in_the_compiler": (at("compile", "hang", after=3), LATE),
    "a_hang_in_the_first_kernel": (at("launch", "hang"), LATE),
}


def runs_of(case):
    """The runtimes of each run: devices are measured in turn, so that two which hang would each wait for the other."""
    return [(runtime,) for runtime in RUNTIMES] if "hang" in case else [tuple(RUNTIMES)]


def report(case, runtimes):
    """One run of the tool with this case's driver for these runtimes."""
    change, _ = CASES[case]
    with FakeMachine(BINARY, BUILD) as machine:
        for runtime in runtimes:
            acts = [dict(act) for act in change.get("misbehave", [])]
            for act in acts:
                if act["do"] == "fork_linger":
                    act["pid_file"] = machine.pid_file()
            facts = {key: value for key, value in change.items() if key != "misbehave"}
            device = {"name": f"Lying {runtime} GPU", "pci": PCI[runtime],
                      "uuid": runtime.encode().hex().ljust(32, "0"), **facts}
            machine.add_driver(runtime, "lying", {"devices": [device], "misbehave": acts})
        run = machine.run("--json", "--budget", "1", patience_s=2 * LIMIT_S)
        run.left_in_work = sorted(path.name for path in machine.work.iterdir())
        return run


class Neighbours(unittest.TestCase):
    """A driver that claims the card of another, by its address, ids and UUID, takes nothing from it and puts nothing on it."""

    def check(self, honest_name, lying_name, honest_shown, lying_shown):
        card = {"name": "One GPU", "pci": "0000:c1:00.0", "vendor_id": 0x10de, "device_id": 0x2684, "uuid": "11" * 16}
        with FakeMachine(BINARY, BUILD) as machine:
            machine.add_driver("vulkan", "a_honest", {"driver_name": honest_name, "devices": [card],
                                                      "misbehave": [{"at": "launch", "do": "error", "code": -4}]})
            machine.add_driver("vulkan", "b_lying", {"driver_name": lying_name, "devices": [{**card, "results": "garbage"}]})
            run = machine.run("--json", "--budget", "1", "--only", "cpu,vulkan", patience_s=2 * LIMIT_S)
        self.assertEqual(run.status, 0, run.stderr)
        found = document(run)
        validate(found, "report")
        (gpu,) = [device for device in found["devices"] if device["id"] != "cpu:0"]
        self.assertEqual([view["driver"] for view in gpu["views"]], [honest_shown, lying_shown])
        wrong = {one["driver"] for one in found["measurements"] if one["status"] == "wrong_result"}
        self.assertEqual(wrong, {lying_shown})
        manifests = {(one["driver"], pathlib.Path(one["manifest"]).stem) for one in found["measurements"]
                     if one["runtime"] == "vulkan"}
        self.assertEqual(manifests, {(honest_shown, "a_honest"), (lying_shown, "b_lying")})
        for score in found["scores"]:
            if score["driver"] == honest_shown:
                self.assertNotIn("wrong result", " ".join(score["reasons"]))
        self.assertEqual({one["device_id"] for one in found["recommendations"]}, {"cpu:0"})
        return gpu

    def test_by_a_name_of_its_own(self):
        self.check("Honest", "Lying", "Honest", "Lying")

    def test_by_its_very_name(self):
        gpu = self.check("Honest", "Honest", "Honest", "Honest (2)")
        self.assertIn({"field": "driver", "module": "vulkan", "value": "Honest 2 times: one of them may claim a card that is not its own"}, gpu["conflicts"])


class LostContexts(unittest.TestCase):
    """What a kernel that ended its context took down with it is tried by another process. The fakes compute nothing, so
    that there it is found to be wrong."""

    def check(self, runtime, lost, culprits):
        with FakeMachine(BINARY, BUILD) as machine:
            machine.add_driver(runtime, "lost", {"devices": [{"name": "One GPU", "pci": PCI[runtime], **lost}]})
            run = machine.run("--json", "--budget", "2", "--only", runtime, patience_s=2 * LIMIT_S)
        found = document(run)
        validate(found, "report")
        products = {one["implementation"]: one["status"] for one in found["measurements"]
                    if (one["kernel"], one["in_dtype"]) == ("gemm", "fp32") and one["implementation"]}  # else: of all to come
        self.assertEqual({name for name, status in products.items() if status == "failed"}, culprits)
        self.assertIn(("read", "wrong_result"), {(one["kernel"], one["status"]) for one in found["measurements"]})

    def test_by_a_kernel_of_vulkan(self):
        self.check("vulkan", {"lost_after_launches": 6}, {"own:tile_64x64"})

    def test_by_kernels_of_opencl_that_tell_later(self):
        for shows in (1, 2):
            with self.subTest(shows=shows):
                self.check("opencl", {"faulting_kernels": "gemm", "attributes": {"fault_shows": shows}},
                           {"own:tile_128x128", "own:tile_64x64"})


class Lies(unittest.TestCase):
    runs = {}

    @classmethod
    def setUpClass(cls):
        longest_first = sorted(CASES, key=lambda case: "hang" not in case)
        asked = [(case, runtimes) for case in longest_first for runtimes in runs_of(case)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            cls.runs = dict(zip(asked, pool.map(lambda one: report(*one), asked)))

    def check(self, case):
        for runtimes in runs_of(case):
            self.check_run(case, runtimes)

    def check_run(self, case, runtimes):
        run = self.runs[case, runtimes]
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.survivors, [], "a descendant survived")
        self.assertEqual(run.left_in_work, [], "something was written outside the scratch directory")
        self.assertLessEqual(run.elapsed_s, LIMIT_S)
        found = document(run)
        validate(found, "report")
        for runtime in runtimes:
            with self.subTest(runtime=runtime):
                self.check_device(found, f"pci:{PCI[runtime]}", CASES[case][1])
        self.assertEqual({one["device_id"] for one in found["recommendations"]}, {"cpu:0"})

    def check_device(self, found, device_id, expected):
        self.assertIn(device_id, {device["id"] for device in found["devices"]})
        measured = [one for one in found["measurements"] if one["device_id"] == device_id]
        statuses = {one["status"] for one in measured}
        self.assertNotIn("ok", statuses)
        self.assertTrue(statuses & expected, [(one["status"], one.get("reason")) for one in measured])
        for one in measured:
            self.assertTrue(one.get("reason"), one)
        for score in found["scores"]:
            if score["device_id"] == device_id:
                self.assertFalse(score["eligible"], score)
                self.assertTrue(score["reasons"], score)


for name in CASES:
    setattr(Lies, f"test_{name}", lambda self, name=name: self.check(name))

if __name__ == "__main__":
    main()
