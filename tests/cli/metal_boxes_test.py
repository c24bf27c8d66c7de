#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary with a fake Metal: a Mac's GPU is found, measured and recommended; what cannot compute is never ranked and
says why."""
import concurrent.futures
import json
import pathlib
import sys
import unittest

from fake_machine import FakeMachine, failures, run_until
from harness import BINARY, main, validate

BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKE = BUILD / "tests/fakes/metal/fake_metal/Metal"
MIB = 1 << 20
M2 = "metal:metal:0"
RUNS = 4  # at a time


def gpu(name="Apple M2", family=8, **more):
    return {"name": name, "memory_total_bytes": 1024 * MIB, "max_buffer_bytes": 64 * MIB, "unified_memory": family > 0,
            "attributes": {"apple_family": family, "mac2": 1, "gpu_cores": 2 if family else 0}, **more}


def act(at, do, **more):
    return {"misbehave": [{"at": at, "do": do, **more}]}


CARD = gpu("AMD Radeon Pro 5500M", 0)
# name -> the scenario, the run's budget, kernels that have to be right
BOXES = {
    "an M2": (dict(devices=[gpu()]), 1, {"gemm", "read", "own:simdgroup"}),
    "a card": (dict(devices=[CARD]), 0.5, {"gemm", "read"}),
    "wrong results": (dict(devices=[gpu(results="garbage")]), 0.5, set()),
    "a kernel that faults": (dict(devices=[gpu(faulting_kernels="simdgroup_fp32")]), 2, {"gemm", "read"}),
    "a GPU that is pulled out": (dict(devices=[gpu(lost_after_launches=3)]), 0.5, set()),
    "a compiler that refuses": (dict(devices=[gpu()], attributes={"compiler_refuses": 1}), 0.5, set()),
    "a compiler that dies": (dict(devices=[gpu()], **act("compile", "abort")), 0.5, set()),
    "no queue": (dict(devices=[gpu()], **act("create", "error", code=1)), 0.5, set()),
}
LISTS = {"no device": dict(devices=[]), "a crash": dict(devices=[gpu()], **act("enumerate", "segfault")),
         "two": dict(devices=[gpu(), CARD])}


class Mac(FakeMachine):
    def __init__(self, scenario):
        super().__init__(BINARY, BUILD)
        for name in ("Metal", "libobjc.A.dylib", "IOKit", "CoreFoundation"):
            (self._folder("lib") / name).symlink_to(FAKE)
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps(scenario))

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "WHICHGPU_FAKE_SCENARIO": str(self.scenario)}


def run(scenario, *arguments):
    with Mac(scenario) as box:
        return box.run("--json", *arguments, patience_s=120)


def right(value):
    """The kernels, and the families of those by which."""
    good = [one for one in value["measurements"] if (one["runtime"], one["status"], one["verified"]) == ("metal", "ok", True)]
    return {one["kernel"] for one in good} | {one["implementation"].partition("_")[0] for one in good}


def measure(scenario, budget, wanted):
    # Beside a GPU that fails there has to be something to choose.
    only = "metal" if wanted else "metal,cpu"
    return run_until(lambda value: wanted <= right(value) if wanted else failures(value, "metal"), lambda *words: run(scenario, "--only", only, *words),
                     [budget * longer for longer in (1, 4, 16)])


class MetalBoxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
            jobs = {name: pool.submit(measure, *box) for name, box in BOXES.items()}
            jobs.update((name, pool.submit(run, scenario, "--only", "metal", "list")) for name, scenario in LISTS.items())
        cls.runs = {name: job.result() for name, job in jobs.items()}

    def answer(self, name, command="report"):
        done = self.runs[name]
        self.assertEqual(0, done.status, f"{name}: {done.stderr}")
        self.assertEqual([], done.survivors, name)
        value = json.loads(done.stdout)
        validate(value, command)
        return value

    def figures(self, name):
        return [one for one in self.answer(name)["measurements"] if one["runtime"] == "metal"]

    def reasons(self, name):
        return " ".join(one.get("reason", "") for one in self.figures(name))

    def options(self, name):
        """What was chosen, and why the GPU was not where it was not."""
        answers = self.answer(name)["recommendations"]
        return ({answer["backend"] for answer in answers},
                [option["reason"] for answer in answers for option in answer["rejected"] if option.get("runtime") == "metal"])

    def test_a_macs_gpu_is_measured_and_chosen(self):
        value = self.answer("an M2")
        device = next(one for one in value["devices"] if one["id"] == M2)
        self.assertEqual(("Apple M2", "Apple", "integrated"), (device["name"], device["vendor"], device["kind"]))
        self.assertTrue(device["views"][0]["unified_memory"])
        self.assertEqual(2, device["views"][0]["compute_units"])
        self.assertLessEqual({"gemm", "read"}, right(value))
        bad = {"wrong_result", "crashed", "failed", "implausible"}
        self.assertEqual(set(), {one["status"] for one in self.figures("an M2")} & bad, self.reasons("an M2"))
        # Training Llama 3 8B takes more memory than it has.
        self.assertIn("metal", self.options("an M2")[0])

    def test_products_go_by_simdgroups_where_the_gpu_has_them(self):
        names = {name: {one["implementation"] for one in self.figures(name) if one["kernel"] == "gemm" and one["status"] == "ok"}
                 for name in ("an M2", "a card")}
        self.assertTrue(any(one.startswith("own:simdgroup") for one in names["an M2"]), names)
        self.assertEqual({"own:tile_64x64"}, names["a card"])
        # Nobody asked the card whether it has simdgroups of 32 lanes.
        self.assertIn("not written for this GPU", self.reasons("a card"))
        self.assertNotIn("lacks simdgroup", self.reasons("a card"))

    def test_the_neural_engine_is_named_with_its_door(self):
        notes = [one for one in self.answer("an M2")["findings"] if one["id"].startswith("note.metal.neural-engine")]
        self.assertEqual(["note"], [one["severity"] for one in notes])
        self.assertIn("through Core ML or MPSGraph", notes[0]["summary"])
        self.assertNotIn("alone", notes[0]["summary"] + notes[0]["meaning"])
        self.assertIn("MLX", notes[0]["meaning"])
        self.assertIn("MPS", notes[0]["meaning"])

    def test_wrong_results_are_never_chosen(self):
        self.assertIn("wrong_result", {one["status"] for one in self.figures("wrong results")})
        chosen, rejected = self.options("wrong results")
        self.assertNotIn("metal", chosen)
        self.assertTrue(any("wrong" in reason for reason in rejected), rejected)

    def test_a_kernel_that_faults_costs_its_family_alone(self):
        figures = self.figures("a kernel that faults")
        failed = {one["implementation"] for one in figures if one["status"] == "failed"}
        self.assertTrue(failed and all(one.startswith("own:simdgroup_") for one in failed), failed)
        self.assertIn("MTLCommandBufferErrorPageFault", self.reasons("a kernel that faults"))
        self.assertIn("fp32", {one["in_dtype"] for one in figures if (one["kernel"], one["status"]) == ("gemm", "ok")})

    def test_what_cannot_compute_says_why(self):
        for name, said in (("a GPU that is pulled out", "MTLCommandBufferErrorDeviceRemoved"),
                           ("a compiler that refuses", "the compiler refuses this"), ("no queue", "Metal gives no queue")):
            with self.subTest(name):
                self.assertIn(said, self.reasons(name))
                self.assertNotIn("metal", self.options(name)[0])
        self.assertIn("crashed", {one["status"] for one in self.figures("a compiler that dies")})

    def test_what_is_there_is_listed(self):
        outcomes = {name: next(one for one in self.answer(name, "list")["probes"] if one["module"] == "metal")["outcome"]
                    for name in LISTS}
        self.assertEqual({"no device": "no_device", "a crash": "crashed", "two": "ok"}, outcomes)
        self.assertEqual(["Apple M2", "AMD Radeon Pro 5500M"],
                         [view["name"] for one in self.answer("two", "list")["devices"] for view in one["views"]])

    def test_where_there_is_no_metal_the_runtime_is_of_another_system(self):
        with FakeMachine(BINARY, BUILD) as box:
            done = box.run("--json", "--only", "metal", "list")
        probe = next(one for one in json.loads(done.stdout)["probes"] if one["module"] == "metal")
        self.assertEqual(("absent", "other_system"), (probe["outcome"], probe["error"]["name"]))
        with FakeMachine(BINARY, BUILD) as box:
            self.assertNotIn("Metal", box.run("list").stdout, "nobody misses it there")


if __name__ == "__main__":
    main()
