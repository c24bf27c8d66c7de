#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary on boxes of fake Intel GPUs behind Level Zero: the right device is chosen and the reason is printed; what
cannot compute is never ranked and says why."""
import concurrent.futures
import json
import pathlib
import sys
import unittest

from fake_machine import FakeMachine, failures, run_until
from harness import BINARY, main, validate

BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKES = "tests/fakes/level_zero"
MIB = 1 << 20
RUNS = 2  # at a time: they compute
BUDGETS_S = (0.6, 2, 8, 30)
# Codes of ze_api.h.
DEPENDENCY, LOST, PERMISSIONS = 0x70020000, 0x70000001, 0x70010000


def gpu(name, pci, device_id, ip, *, memory=256 * MIB, units=16, tiles=0, attributes=None, **more):
    number = int(pci[5:7], 16)
    device = {"name": name, "vendor_id": 0x8086, "device_id": device_id, "pci": pci, "uuid": f"{number:030x}00", "fp16": True,
              "memory_total_bytes": memory, "max_buffer_bytes": memory // 2, "compute_units": units,
              "attributes": {"ip": ip, **(attributes or {})}, **more}
    if tiles:
        device["partitions"] = [{"memory_total_bytes": memory // tiles, "max_buffer_bytes": memory // tiles // 2,
                                 "compute_units": units // tiles} for _ in range(tiles)]
    return device


A770 = ("Intel(R) Arc(TM) A770 Graphics", "0000:03:00.0", 0x56a0, 1255)
B580 = ("Intel(R) Arc(TM) B580 Graphics", "0000:04:00.0", 0xe20b, 2001)
UHD = ("Intel(R) UHD Graphics 770", "0000:00:02.0", 0xa780, 1202)
MAX = ("Intel(R) Data Center GPU Max 1550", "0000:29:00.0", 0x0bd5, 1260)
IGPU = {"type": "integrated", "slow_kernel_s": 0.02}
CARD = "pci:0000:03:00.0"


def act(at, do, **more):
    return {"misbehave": [{"at": at, "do": do, **more}]}


class Box(FakeMachine):
    def __init__(self, gpus, *, library="fake_level_zero", onednn=False, variables=None, opencl=None, **driver):
        super().__init__(BINARY, BUILD)
        if onednn:
            (self._folder("lib") / "libdnnl.so.3").symlink_to(BUILD / FAKES / "fake_onednn/libdnnl.so.3")
        (self._folder("lib") / "libze_loader.so.1").symlink_to(BUILD / FAKES / library / "libze_loader.so.1")
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps({"devices": gpus, **driver}))
        self.variables = variables or {}
        if opencl is not None:
            self.add_driver("opencl", "intel", {"driver_name": "Intel(R) OpenCL Graphics", "devices": opencl})

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "WHICHGPU_FAKE_SCENARIO": str(self.scenario), **self.variables}


# name -> machine, the GPUs that have to be measured
MEASURED = {
    "a card": (dict(gpus=[gpu(*A770)]), {CARD}),
    "a card behind a loader of Debian 12": (dict(gpus=[gpu(*A770)], library="fake_level_zero_old"), {CARD}),
    "graphics that come first": (dict(gpus=[gpu(*UHD, **IGPU), gpu(*A770)]), {CARD}),
    "two drivers": (dict(gpus=[gpu(*A770), gpu(*B580, attributes={"driver": 1})], attributes={"drivers": 2}),
                    {CARD, "pci:0000:04:00.0"}),
    "tiles": (dict(gpus=[gpu(*MAX, tiles=2)]), {"pci:0000:29:00.0#tile0", "pci:0000:29:00.0#tile1"}),
    "a card of tiles as one": (dict(gpus=[gpu(*MAX, tiles=2)], variables={"ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE"}),
                               {"pci:0000:29:00.0"}),
    "wrong results": (dict(gpus=[gpu(*A770, results="garbage")]), set()),
    "a device that is lost": (dict(gpus=[gpu(*A770, lost_after_launches=3)]), set()),
    "a compiler that refuses": (dict(gpus=[gpu(*A770, attributes={"build_fails": 1})]), set()),
    "a compiler that aborts": (dict(gpus=[gpu(*A770)], **act("compile", "abort")), set()),
}
# name -> what oneDNN is like, what becomes of its products, what their reason says
LIBRARIES = {
    "a library that is right": ({}, "ok", ""),
    "a library that aborts": ({"onednn_abort": 1}, "crashed", "signal 6"),
    "a library that hangs": ({"onednn_hang": 1}, "timed_out", "killed after 30"),
    "a library that computes wrong": ({"onednn_wrong": 1}, "wrong_result", "is off by"),
    "a library for processors": ({"onednn_runtime": 0}, "unsupported", "is built for processors alone"),
}
# name -> machine, outcome, error's name, what a warning says
SURVEYS = {
    "a loader without a driver": (dict(gpus=[], attributes={"zero_drivers": 1}), "absent", "no_driver", ""),
    "a driver that fails": (dict(gpus=[gpu(*A770)], attributes={"init_code": DEPENDENCY}), "failed",
                            "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE", ""),
    "a user who may not open the GPU": (dict(gpus=[gpu(*A770)], attributes={"init_code": PERMISSIONS}), "denied",
                                        "render_node_denied", ""),
    "a driver that aborts": (dict(gpus=[gpu(*A770)], **act("init", "abort")), "crashed", None, ""),
    "a driver that faults as it is loaded": (dict(gpus=[gpu(*A770)], **act("load", "segfault")), "crashed", None, ""),
    "a driver that hangs": (dict(gpus=[gpu(*A770)], **act("enumerate", "hang")), "timed_out", None, ""),
    "the loader's null driver": (dict(gpus=[gpu(*A770)], variables={"ZE_ENABLE_NULL_DRIVER": "1"}), "ok", None,
                                 "null driver"),
    "a lost device": (dict(gpus=[gpu(*A770)], **act("properties", "error", code=LOST)), "failed",
                      "ZE_RESULT_ERROR_DEVICE_LOST", ""),
}


def run(machine, *arguments):
    with Box(**machine) as box:
        return box.run("--json", *arguments, patience_s=120)


def measured(value, kernel="gemm"):
    """The GPUs with a product that is right, or another figure."""
    return {m["device_id"] for m in value["measurements"]
            if (m["runtime"], m["kernel"], m["status"], m["verified"]) == ("level_zero", kernel, "ok", True)}


def products(value, of_library):
    return [m for m in value["measurements"]
            if (m["runtime"], m["kernel"], m["implementation"] == "onednn") == ("level_zero", "gemm", of_library)]


def measure_library(attributes, status):
    machine = dict(gpus=[gpu(*A770)], onednn=True, attributes=attributes)
    budgets_s = BUDGETS_S[1:] if status == "timed_out" else BUDGETS_S  # each is a wait for the deadline
    return run_until(lambda value: measured(value) and status in {m["status"] for m in products(value, True)},
                     lambda *words: run(machine, "--only", "level_zero,sysfs", *words), budgets_s)


def measure(machine, gpus):
    # Beside a GPU that fails there has to be something to choose.
    only = "level_zero,sysfs" if gpus else "level_zero,cpu,sysfs"
    return run_until(lambda value: gpus <= measured(value) and (measured(value, "read") if gpus else failures(value, "level_zero")),
                     lambda *words: run(machine, "--only", only, *words), BUDGETS_S)


class LevelZeroBoxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Beside them waits what is waited for.
        with concurrent.futures.ThreadPoolExecutor(1) as aside, concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
            runs = {("measured", name): pool.submit(measure, *box) for name, box in MEASURED.items()}
            runs |= {("library", name): (aside if "hangs" in name else pool).submit(measure_library, *box[:2])
                     for name, box in LIBRARIES.items()}
            runs |= {("survey", name): pool.submit(run, machine, "list", "--timeout", "3", "--only", "level_zero")
                     for name, (machine, *_) in SURVEYS.items()}
        cls.runs = {name: one.result() for name, one in runs.items()}

    def value(self, *name):
        done = self.runs[name]
        self.assertEqual((0, []), (done.status, done.survivors), f"{name}: {done.stderr}")
        value = json.loads(done.stdout)
        validate(value, "list" if name[0] == "survey" else "report")
        return value

    def test_what_computes_right_is_measured_and_the_rest_is_not_ranked(self):
        for name, (_, gpus) in MEASURED.items():
            with self.subTest(name):
                value = self.value("measured", name)
                found = measured(value)
                self.assertLessEqual(gpus, found)
                chosen = {answer["device_id"] for answer in value["recommendations"]} - {"cpu:0"}
                self.assertLessEqual(chosen, found)
                if not gpus:
                    self.assertEqual(set(), found)
                    self.assertEqual(set(), chosen)

    def test_a_card_has_products_and_reads_that_are_right(self):
        value = self.value("measured", "a card")
        right = {m["kernel"] for m in value["measurements"]
                 if (m["runtime"], m["status"], m["verified"]) == ("level_zero", "ok", True)}
        self.assertLessEqual({"gemm", "read"}, right)

    def test_wrong_results_are_said_to_be_wrong(self):
        value = self.value("measured", "wrong results")
        self.assertIn("wrong_result", {m["status"] for m in value["measurements"] if m["runtime"] == "level_zero"})

    def test_a_library_that_fails_costs_its_own_figures_alone(self):
        for name, (_, status, reason) in LIBRARIES.items():
            with self.subTest(name):
                value = self.value("library", name)
                theirs = [m for m in products(value, True) if m["status"] != "over_budget"]
                self.assertEqual({status}, {m["status"] for m in theirs})
                self.assertTrue(all(reason in m.get("reason", "") for m in theirs), theirs)
                own = {m["status"] for m in products(value, False)}
                self.assertLessEqual(own, {"ok", "over_budget", "skipped", "unsupported"})
                self.assertEqual({CARD}, measured(value))
                blamed = [finding["id"] for finding in value["findings"] if "onednn" in finding["id"]]
                self.assertEqual(status not in ("ok", "unsupported"), bool(blamed), blamed)

    def test_what_was_wrong_is_no_answer_where_nothing_is_measured(self):
        """The other card and the processor keep what facts tell of them. Without the bus any card here is a real one."""
        roomy = {"memory": 16 << 30}
        words = ("recommend", "--json", "--skip", "sysfs", "--among", "level_zero,cpu")
        runs = (("--no-calibrate",), ("--budget", "2"), ("--no-calibrate",))
        with Box([gpu(*B580, results="garbage", **roomy), gpu(*A770, **roomy)]) as box:
            before, seen, after = (json.loads(box.run(*words, *more, patience_s=60).stdout)["recommendation"] for more in runs)
            report = json.loads(box.run("--json", "--skip", "sysfs", "--no-calibrate", patience_s=60).stdout)
            page = box.run("--skip", "sysfs", "--no-calibrate", patience_s=60).stdout
            forgotten = json.loads(box.run("--json", "--skip", "sysfs", "--no-calibrate", "--no-cache", patience_s=60).stdout)
        known = ["gave a wrong result" in json.dumps(answer["rejected"]) for answer in (before, seen, after)]
        self.assertEqual([False, True, True], known)
        answers = [(answer["backend"], answer["device_id"], answer["basis"]) for answer in (before, after)]
        self.assertEqual([("level_zero", "pci:0000:04:00.0", "estimated"), ("level_zero", CARD, "estimated")], answers)
        wrong = [{m["device_id"] for m in value["measurements"] if m["status"] == "wrong_result"} for value in (report, forgotten)]
        self.assertEqual([{"pci:0000:04:00.0"}, set()], wrong)
        told = (json.dumps(report["measurements"]), json.dumps(after["rejected"]), " ".join(page.split()))
        for text in told:
            self.assertRegex(text, r"in the run of 20\d\d-\d\d-\d\d\S*: ")

    def test_tiles_are_parts_of_their_card(self):
        value = self.value("measured", "tiles")
        gpus = [device for device in value["devices"] if device["id"].startswith("pci:0000:29:00.0")]
        self.assertEqual(["pci:0000:29:00.0#tile0", "pci:0000:29:00.0#tile1"], sorted(device["id"] for device in gpus))
        self.assertEqual({128 * MIB}, {device["memory"]["total_bytes"] for device in gpus})

    def test_a_driver_that_does_not_work_says_how(self):
        for name, (_, outcome, error, warning) in SURVEYS.items():
            with self.subTest(name):
                probe = next(p for p in self.value("survey", name)["probes"] if p["module"] == "level_zero")
                self.assertEqual(outcome, probe["outcome"], probe)
                if error:
                    self.assertEqual(error, probe["error"]["name"])
                self.assertIn(warning, " ".join(probe.get("warnings", [])))

    def test_a_mask_shows_the_chosen_device_by_its_own_numbers(self):
        gpus = [gpu(*UHD, **IGPU), gpu(*A770), gpu(*B580)]
        with Box(gpus, variables={"ZE_AFFINITY_MASK": "1,2"}) as box:
            done = box.run("list", "--json", "--only", "level_zero", patience_s=60)
        value = json.loads(done.stdout)
        shown = {view["name"]: fact["value"] for device in value["devices"] for view in device["views"]
                 for fact in view["facts"] if fact["key"] == "visible_as"}
        self.assertEqual({A770[0]: "1", B580[0]: "2"}, shown)

    def test_one_card_by_two_runtimes_is_one_device(self):
        with Box([gpu(*A770)], opencl=[gpu(*A770)]) as box:
            done = box.run("list", "--json", "--only", "level_zero,opencl", patience_s=60)
        value = json.loads(done.stdout)
        gpus = [device for device in value["devices"] if device["id"] != "cpu:0"]
        self.assertEqual([CARD], [device["id"] for device in gpus])
        self.assertEqual({"level_zero", "opencl"}, {view["runtime"] for view in gpus[0]["views"]})


if __name__ == "__main__":
    main()
