#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary on boxes of fake Intel GPUs behind SYCL's runtime, alone and beside Level Zero, which it stands on: it is
measured and checked like any other, listed, and the answer only where the caller asks for it or nothing else is there."""
import concurrent.futures
import json
import pathlib
import sys
import unittest

from fake_machine import FakeMachine, failures, run_until
from harness import BINARY, main, validate
from level_zero_boxes_test import A770, BUDGETS_S, B580, CARD, MAX, MIB, act, gpu

BUILD = pathlib.Path(sys.argv[2]).resolve()
RUNS = 2  # at a time: they compute
LIBRARIES = {"libur_loader.so.0": "tests/fakes/sycl/fake_sycl", "libze_loader.so.1": "tests/fakes/level_zero/fake_level_zero"}
# A card that no table knows, so that its speed is taken for what it is: of one that is known nobody believes it.
UNKNOWN = ("Intel(R) Test Graphics", "0000:03:00.0", 0x1111, 4000)
LARGE = {"memory": 24 << 30, "max_buffer_bytes": 64 * MIB}
PROCESSOR = {"name": "Some CPU", "type": "cpu", "memory_total_bytes": 4096 * MIB}
HOST_MEMORY = 38


class Box(FakeMachine):
    """`below`: with Level Zero, too."""

    def __init__(self, gpus, *, below=False, variables=None, release="", **driver):
        super().__init__(BINARY, BUILD)
        for name, folder in LIBRARIES.items():
            if name.startswith("libur") or below:
                folder += release if name.startswith("libur") else ""
                (self._folder("lib") / name).symlink_to(BUILD / folder / name)
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps({"devices": gpus, **driver}))
        self.variables = variables or {}

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "WHICHGPU_FAKE_SCENARIO": str(self.scenario), **self.variables}


# name -> machine, the GPUs that have to be measured by SYCL
MEASURED = {
    "alone": (dict(gpus=[gpu(*A770)]), {CARD}),
    "alone, of an earlier release": (dict(gpus=[gpu(*A770)], release="_2025_1"), {CARD}),
    "tiles": (dict(gpus=[gpu(*MAX, tiles=2)]), {"pci:0000:29:00.0#tile0", "pci:0000:29:00.0#tile1"}),
    "wrong results": (dict(gpus=[gpu(*A770, results="garbage")]), set()),
    "a device that is lost": (dict(gpus=[gpu(*A770, lost_after_launches=3)]), set()),
    "a compiler that refuses": (dict(gpus=[gpu(*A770, attributes={"build_fails": 1})]), set()),
    "a compiler that aborts": (dict(gpus=[gpu(*A770)], **act("compile", "abort")), set()),
}
# name -> machine, outcome, error's name, what a warning says
SURVEYS = {
    "no adapter": (dict(gpus=[gpu(*A770)], attributes={"no_adapters": 1}), "absent", "no_adapter", ""),
    "a loader that fails": (dict(gpus=[gpu(*A770)], **act("init", "error", code=HOST_MEMORY)), "failed",
                            "UR_RESULT_ERROR_OUT_OF_HOST_MEMORY", ""),
    "a loader that faults as it is loaded": (dict(gpus=[gpu(*A770)], **act("load", "segfault")), "crashed", None, ""),
    "a driver that aborts": (dict(gpus=[gpu(*A770)], **act("enumerate", "abort")), "crashed", None, ""),
    "a driver that hangs": (dict(gpus=[gpu(*A770)], **act("enumerate", "hang")), "timed_out", None, ""),
    "no adapter by a variable": (dict(gpus=[gpu(*A770)], variables={"UR_ADAPTERS_FORCE_LOAD": str(BINARY)}), "hidden", "hidden",
                                 ""),
    "a selector that is none": (dict(gpus=[gpu(*A770)], variables={"ONEAPI_DEVICE_SELECTOR": "garbage"}), "ok", None,
                                "ONEAPI_DEVICE_SELECTOR=garbage is malformed"),
}


def run(machine, *arguments):
    with Box(**machine) as box:
        return box.run("--json", *arguments, patience_s=120)


def measured(value, runtime="sycl", kernel="gemm"):
    """The GPUs with a product that is right."""
    return {m["device_id"] for m in value["measurements"]
            if (m["runtime"], m["kernel"], m["status"], m["verified"]) == (runtime, kernel, "ok", True)}


def measure(machine, gpus):
    # Beside a GPU that fails there has to be something to choose.
    only = "sycl,level_zero,sysfs" if gpus else "sycl,level_zero,cpu,sysfs"
    return run_until(lambda value: gpus <= measured(value) and (measured(value, kernel="read") if gpus else failures(value, "sycl")),
                     lambda *words: run(machine, "--only", only, *words), BUDGETS_S)


def questions():
    """Of one machine, which keeps what it measured for the first: the report and three answers."""
    only = ("--json", "--only", "sycl,level_zero,cpu,sysfs")
    with Box([gpu(*UNKNOWN, **LARGE)], below=True) as box:
        report = run_until(lambda value: all(CARD in measured(value, runtime, kernel) for runtime in ("sycl", "level_zero")
                                             for kernel in ("gemm", "read")),
                           lambda *words: box.run("--measure", *only, *words, patience_s=120), (6, 15, 40))
        answers = {name: box.run("recommend", *only, *words, patience_s=120) for name, words in (
            ("any", ()), ("among", ("--among", "sycl")), ("excluded", ("--exclude", "level_zero")))}
    return {("measured", "beside Level Zero"): report, **{("asked", name): done for name, done in answers.items()}}


class SyclBoxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
            asked = pool.submit(questions)
            runs = {("measured", name): pool.submit(measure, *box) for name, box in MEASURED.items()}
            runs |= {("survey", name): pool.submit(run, machine, "list", "--timeout", "3", "--only", "sycl")
                     for name, (machine, *_) in SURVEYS.items()}
        cls.runs = {name: one.result() for name, one in runs.items()} | asked.result()

    def value(self, *name):
        done = self.runs[name]
        self.assertEqual((0, []), (done.status, done.survivors), f"{name}: {done.stderr}")
        value = json.loads(done.stdout)
        validate(value, {"survey": "list", "measured": "report", "asked": "recommend"}[name[0]])
        return value

    def test_what_computes_right_is_measured_and_the_rest_is_not_ranked(self):
        for name, gpus in [*((name, gpus) for name, (_, gpus) in MEASURED.items()), ("beside Level Zero", {CARD})]:
            with self.subTest(name):
                value = self.value("measured", name)
                found = measured(value)
                self.assertLessEqual(gpus, found)
                chosen = {answer["device_id"] for answer in value["recommendations"]} - {"cpu:0"}
                self.assertLessEqual(chosen, found | measured(value, "level_zero"))
                if not gpus:
                    self.assertEqual(set(), found | chosen)

    def test_what_it_stands_on_is_the_answer_and_it_is_listed(self):
        answer = self.value("asked", "any")["recommendation"]
        self.assertNotEqual("sycl", answer["backend"])
        by_sycl = [row for row in answer["rejected"] if (row.get("runtime"), row.get("device_id")) == ("sycl", CARD)]
        self.assertEqual(["stands_on"], [row["id"] for row in by_sycl], by_sycl)

    def test_it_is_the_answer_where_the_caller_asks_for_it(self):
        answer = self.value("asked", "among")["recommendation"]
        self.assertEqual(("sycl", CARD), (answer["backend"], answer["device_id"]))
        self.assertEqual([("ONEAPI_DEVICE_SELECTOR", "level_zero:0")],
                         [(one["name"], one["value"]) for one in answer["environment"]])

    def test_whoever_excludes_what_it_stands_on_excludes_it(self):
        answer = self.value("asked", "excluded")["recommendation"]
        self.assertEqual("cpu", answer["backend"])
        by_sycl = [row for row in answer["rejected"] if (row.get("runtime"), row.get("device_id")) == ("sycl", CARD)]
        self.assertEqual(["left_out"], [row["id"] for row in by_sycl])
        # On a busy machine it also tells what the budget left unmeasured.
        self.assertTrue(by_sycl[0]["reason"].startswith("it stands on level_zero, which --exclude names"), by_sycl)

    def test_a_card_has_products_and_reads_that_are_right(self):
        value = self.value("measured", "alone")
        self.assertEqual({CARD}, measured(value))
        self.assertEqual({CARD}, measured(value, kernel="read"))

    def test_a_driver_that_does_not_work_says_how(self):
        for name, (_, outcome, error, warning) in SURVEYS.items():
            with self.subTest(name):
                probe = next(p for p in self.value("survey", name)["probes"] if p["module"] == "sycl")
                self.assertEqual(outcome, probe["outcome"], probe)
                if error:
                    self.assertEqual(error, probe["error"]["name"])
                self.assertIn(warning, " ".join(probe.get("warnings", [])))

    def test_it_says_what_torch_would_see(self):
        with Box([gpu(*A770), gpu(*B580)]) as box:
            value = json.loads(box.run("list", "--json", "--only", "sycl", patience_s=60).stdout)
        facts = {view["name"]: fact["value"] for device in value["devices"] for view in device["views"]
                 for fact in view["facts"] if fact["key"] == "torch_xpu"}
        self.assertEqual({A770[0]: "1", B580[0]: "1"}, facts)
        notes = [finding["summary"] for finding in self.value("measured", "alone")["findings"]
                 if finding["id"].startswith("note.sycl.torch-xpu")]
        self.assertEqual(["torch.xpu would see 1 device"], notes)

    def test_tiles_that_are_selected_do_not_hide_their_card(self):
        variables = {"ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE", "ONEAPI_DEVICE_SELECTOR": "level_zero:0.1"}
        with Box([gpu(*MAX, tiles=2), gpu(*B580)], variables=variables) as box:
            value = json.loads(box.run("list", "--json", "--only", "sycl", patience_s=60).stdout)
        hidden = {view["name"]: view.get("environment_hidden") for device in value["devices"] for view in device["views"]}
        self.assertEqual({MAX[0]: None, B580[0]: "ONEAPI_DEVICE_SELECTOR"}, hidden)

    def test_one_card_by_what_it_stands_on_and_by_itself_is_one_device(self):
        with Box([gpu(*A770), gpu(*MAX, tiles=2)], below=True) as box:
            value = json.loads(box.run("list", "--json", "--only", "sycl,level_zero", patience_s=60).stdout)
        views = {device["id"]: {view["runtime"] for view in device["views"]} for device in value["devices"]
                 if device["id"] != "cpu:0" and device["views"]}
        both = {"sycl", "level_zero"}
        self.assertEqual({CARD: both, "pci:0000:29:00.0#tile0": both, "pci:0000:29:00.0#tile1": both}, views)

    def test_a_processor_is_no_gpu(self):
        with Box([PROCESSOR]) as box:
            value = json.loads(box.run("list", "--json", "--only", "sycl,cpu", patience_s=60).stdout)
        self.assertEqual({"cpu:0"}, {device["id"] for device in value["devices"]})
        self.assertIn(("sycl", "software"), {(view["runtime"], view["kind"]) for view in value["devices"][0]["views"]})


if __name__ == "__main__":
    main()
