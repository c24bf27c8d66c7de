#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary on boxes of fake AMD GPUs: the right device is chosen and the reason is printed; what cannot compute is
never ranked and says why."""
import concurrent.futures
import json
import pathlib
import sys
import unittest

from amd_machine import MIB, AmdMachine, gpu
from fake_machine import failures, run_until
from harness import can_unshare, main, validate, vendor_library

BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKES = "tests/fakes/hip"
RUNS = 4  # at a time: many of them wait
# The compiler of ROCm 5.2 (Debian 12) is inside the runtime, and does not know these GPUs; later ones do.
DEBIAN = vendor_library("libamdhip64.so.5.2.*") and vendor_library("libamdhip64.so.5")

NAVI31 = ("AMD Radeon RX 7900 XTX", "0000:03:00.0", (0x744c, 0xc8), 110000)
RAPHAEL = ("AMD Radeon Graphics", "0000:0f:00.0", (0x164e, 0xd8), 100306)
PHOENIX = ("AMD Radeon Graphics", "0000:64:00.0", (0x15bf, 0xd0), 110003)
MI50 = ("AMD Radeon Graphics", "0000:07:00.0", (0x66a1, 0x00), 90006)
APU = {"units": 1, "gtt": 512 * MIB, "attributes": {"integrated": 1}}
XTX = "pci:0000:03:00.0"


def act(at, do, **more):
    return {"misbehave": [{"at": at, "do": do, **more}]}


def mi308(bus):
    return gpu("AMD Instinct MI308X", f"0000:{bus:02x}:00.0", (0x74a2, 0x00), 90402, units=8, memory=1024 * MIB,
               partitions=4)


# name -> machine, the run's budget, how many of its GPUs have to be measured
MEASURED = {
    "an iGPU that comes first": (dict(gpus=[gpu(*RAPHAEL, **APU, slow_kernel_s=0.02), gpu(*NAVI31)]), "1.2", 2),
    "an MI50 with a generic name": (dict(gpus=[gpu(*RAPHAEL, **APU, slow_kernel_s=0.02), gpu(*MI50)]), "1.2", 2),
    "eight partitions": (dict(gpus=[mi308(0x0a), mi308(0x1a)]), "1.2", 5),
    "an APU": (dict(gpus=[gpu(*PHOENIX, **APU)]), "0.4", 1),
    "an unsupported iGPU": (dict(gpus=[gpu(*RAPHAEL, **APU)], attributes={"compiler_refuses": 100306}), "0.4", 0),
    "a hang in the first kernel": (dict(gpus=[gpu(*PHOENIX, **APU), gpu(*NAVI31)],
                                        **act("launch", "hang", device=0)), "0.4", 1),
    "wrong results": (dict(gpus=[gpu(*PHOENIX, **APU, results="garbage"), gpu(*NAVI31)]), "0.4", 1),
    "a device that is lost": (dict(gpus=[gpu(*NAVI31, lost_after_launches=3)]), "0.4", 0),
    "a kernel that faults": (dict(gpus=[gpu(*NAVI31, memory=1024 * MIB, faulting_kernels="gemm_fp16_128_by_64")]), "4", 1),
    "products that abort": (dict(gpus=[gpu(*NAVI31, crashing_kernels="gemm_fp16")]), "0.8", 1),
    "products that all fault": (dict(gpus=[gpu(*NAVI31, faulting_kernels="gemm_")]), "2", 0),
    "a fill that faults": (dict(gpus=[gpu(*NAVI31, faulting_kernels="fill_")]), "0.2", 0),
    "a compiler that aborts": (dict(gpus=[gpu(*NAVI31)], **act("compile", "abort")), "0.4", 0),
    "no compiler": (dict(gpus=[gpu(*NAVI31)], libraries=[("libhiprtc.so.6", "/nonexistent")]), "0.4", 0),
    "another ROCm's compiler": (dict(gpus=[gpu(*NAVI31)], libraries=[
        ("libhiprtc.so.6", "/nonexistent"), ("libhiprtc.so.7", BUILD / FAKES / "fake_hiprtc/libhiprtc.so.6")]), "0.2", 0),
    "a hot card": (dict(gpus=[gpu(*NAVI31, attributes={"throttled": 1 << 36})]), "0.4", 1),
    "ROCm 5": (dict(gpus=[gpu(*NAVI31)], rocm="5", attributes={"hip_version": 50731061}), "0.4", 1),
}
# What else a run has to measure.
KERNELS = {"a kernel that faults": {"gemm", "read", "copy"}}
# By whose kernels contexts and processes end, over and over.
ENDED = ("products that abort", "products that all fault", "a fill that faults")
# Prefixes of ROCm as installers leave them, which need the kernel's view of the GPU to be looked at.
ROCM_6 = {"rocm-6/lib/libamdhip64.so.6": f"{FAKES}/fake_hip/libamdhip64.so.6",
          "rocm-6/lib/libhiprtc.so.6": f"{FAKES}/fake_hiprtc/libhiprtc.so.6"}
PREFIXES = {
    "an empty folder of kernels": dict(
        prefixes={**ROCM_6, "rocm-6/lib/librocblas.so.4": "tests/backends/hip/libfake_amd_blas.so",
                  "rocm-6/lib/rocblas/library": None}, variables={"ROCM_PATH": "{}/rocm-6"}),
    "two prefixes": dict(
        prefixes={**ROCM_6, "rocm-5/lib/libamdhip64.so.5": f"{FAKES}/fake_hip5/libamdhip64.so.5",
                  "rocm-5/lib/librocblas.so.0": "tests/backends/hip/libfake_other_blas.so"},
        variables={"ROCM_PATH": "{}/rocm-6", "HIP_PATH": "{}/rocm-5"}),
}
if can_unshare():
    MEASURED.update((name, (dict(gpus=[gpu(*NAVI31)], **box), "0.4", 1)) for name, box in PREFIXES.items())
if DEBIAN:
    # The real compiler of ROCm 5.2 beside fake GPUs that it does not know: it takes the process down.
    for target, row in (("gfx1100", NAVI31), ("gfx942", ("AMD Instinct MI300X", "0000:03:00.0", (0x74a1, 0), 90402))):
        MEASURED[f"Debian's compiler on {target}"] = (
            dict(gpus=[gpu(*row)], libraries=[("libhiprtc.so.6", DEBIAN)],
                 variables={"LD_LIBRARY_PATH": str(DEBIAN.parent)}), "0.4", 0)
# name -> machine, outcome, error's name, what a warning says
SURVEYS = {
    "all hidden": (dict(gpus=[gpu(*NAVI31)], variables={"HIP_VISIBLE_DEVICES": "-1"}), "hidden", "hidden", ""),
    "one hidden": (dict(gpus=[gpu(*RAPHAEL, **APU), gpu(*NAVI31)], variables={"ROCR_VISIBLE_DEVICES": "0"}), "ok", None,
                   "ROCR_VISIBLE_DEVICES=\"0\" hides 1 of 2 GPUs: gfx1100 (0000:03:00.0)"),
    "partitions hidden": (dict(gpus=[mi308(0x0a)], variables={"HIP_VISIBLE_DEVICES": "2"}), "ok", None,
                          "hides 3 of 4 GPUs: gfx942 (0000:0a:00.0, partition 0), "
                          "gfx942 (0000:0a:00.0, partition 1), gfx942 (0000:0a:00.0, partition 3)"),
    "CUDA's variable": (dict(gpus=[gpu(*RAPHAEL, **APU), gpu(*NAVI31)], variables={"CUDA_VISIBLE_DEVICES": "1"}), "ok",
                        None, "CUDA_VISIBLE_DEVICES=\"1\" hides 1 of 2 GPUs: gfx1036"),
    "CUDA's variable, empty": (dict(gpus=[gpu(*NAVI31)], variables={"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}),
                               "ok", None, ""),
    "an override that works": (dict(gpus=[gpu(*RAPHAEL, **APU)], variables={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),
                               "ok", None, "known to work"),
    "an override that hangs": (dict(gpus=[gpu(*PHOENIX, **APU)], variables={"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}),
                               "ok", None, "known to hang"),
    "hot and busy": (dict(gpus=[gpu(*NAVI31, attributes={"throttled": 1 << 36, "busy_percent": 97, "power_mw": 355000,
                                                         "power_limit_mw": 339000})]), "ok", None, ""),
    "no layout that is known": (dict(gpus=[gpu(*NAVI31)], attributes={"target_garbage": 1}), "ok", None, ""),
    "a hang while initialising": (dict(gpus=[gpu(*NAVI31)], **act("init", "hang")), "timed_out", None, ""),
    "a crash while enumerating": (dict(gpus=[gpu(*NAVI31)], **act("enumerate", "segfault")), "crashed", None, ""),
    "an old kernel driver": (dict(gpus=[gpu(*NAVI31)], **act("enumerate", "error", code=35)), "failed",
                             "hipErrorInsufficientDriver", ""),
}
NEED_KERNEL = {"all hidden", "one hidden", "partitions hidden", "CUDA's variable", "an override that works",
               "an override that hangs"}


def run(machine, *arguments):
    with AmdMachine(BUILD, **machine) as box:
        return box.run("--json", *arguments, patience_s=120)


def measured(value):
    """The GPUs with a product that is right."""
    return {m["device_id"] for m in value["measurements"]
            if (m["runtime"], m["kernel"], m["status"], m["verified"]) == ("hip", "gemm", "ok", True)}


def measure(machine, only, budget, wanted, kernels):
    def enough(value):
        chosen = "cpu" in only or "hip" in {answer["backend"] for answer in value["recommendations"]}
        right = {m["kernel"] for m in value["measurements"] if (m["runtime"], m["status"]) == ("hip", "ok")}
        return len(measured(value)) >= wanted and chosen and kernels <= right

    return run_until(lambda value: enough(value) if wanted else failures(value, "hip"), lambda *words: run(machine, "--only", only, *words),
                     [float(budget) * longer for longer in (1, 2, 5, 15)])


def all_runs():
    """Every box once, those that wait for a deadline first."""
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
        for name, (machine, budget, wanted) in sorted(MEASURED.items(), key=lambda row: "hang" not in row[0]):
            # Beside a GPU that fails there has to be something to choose.
            only = "hip,sysfs" if wanted or name in ENDED else "hip,cpu,sysfs"
            jobs[name] = pool.submit(measure, machine, only, budget, wanted, KERNELS.get(name, set()))
        for name, (machine, outcome, *_) in sorted(SURVEYS.items(), key=lambda row: "hang" not in row[0]):
            timeout = "2" if outcome == "timed_out" else "10"
            jobs[name] = pool.submit(run, machine, "--only", "hip,sysfs", "list", "--timeout", timeout)
    return {name: job.result() for name, job in jobs.items()}


class HipBoxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = all_runs()

    def answer(self, name, command="report"):
        done = self.runs[name]
        self.assertEqual(0, done.status, f"{name}: {done.stderr}")
        self.assertEqual([], done.survivors, name)
        if done.value is None:  # held against the schema once, however many tests look at it
            value = json.loads(done.stdout)
            validate(value, command)
            done.value = value
        return done.value

    def devices(self, name, command="report"):
        return {device["id"]: device for device in self.answer(name, command)["devices"]}

    def probe(self, value):
        return next(probe for probe in value["probes"] if probe["module"] == "hip")

    def figures(self, value, device_id=None):
        return [m for m in value["measurements"]
                if m["runtime"] == "hip" and device_id in (None, m["device_id"])]

    def rejected(self, value, device_id):
        return [option["reason"] for answer in value["recommendations"] for option in answer["rejected"]
                if option.get("device_id") == device_id and option.get("runtime") == "hip"]

    def assert_chosen(self, name, device_id):
        value = self.answer(name)
        # On a busy machine the budget may end before all that one of the uses needs was measured.
        chosen = {answer["device_id"] for answer in value["recommendations"] if answer["backend"] == "hip"}
        self.assertEqual({device_id}, chosen, [(m["kernel"], m["status"], m.get("reason")) for m in self.figures(value)])
        return value

    def test_the_graphics_card_is_chosen_where_an_igpu_comes_first(self):
        value = self.assert_chosen("an iGPU that comes first", XTX)
        # Its launches take so long that arrays beyond its caches do not fit the time of a pass.
        self.assertTrue(any("slower" in reason or "memory speed was not measured" in reason
                            for reason in self.rejected(value, "pci:0000:0f:00.0")), value["recommendations"])
        views = {device["id"]: device["views"][0] for device in value["devices"] if device["views"]}
        self.assertEqual((0, 1), (views["pci:0000:0f:00.0"]["ordinal"], views[XTX]["ordinal"]))

    def test_a_generic_name_does_not_hide_which_card_it_is(self):
        value = self.assert_chosen("an MI50 with a generic name", "pci:0000:07:00.0")
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        devices = self.devices("an MI50 with a generic name")
        self.assertIn("MI50", devices["pci:0000:07:00.0"]["name"])
        self.assertEqual(("discrete", "integrated"),
                         tuple(devices[key]["kind"] for key in ("pci:0000:07:00.0", "pci:0000:0f:00.0")))
        self.assertEqual("gfx906", devices["pci:0000:07:00.0"]["views"][0]["architecture"])
        self.assertTrue(self.rejected(value, "pci:0000:0f:00.0"))

    def test_every_partition_is_measured_under_its_own_identity(self):
        value = self.answer("eight partitions")
        expected = {f"pci:0000:{bus:02x}:00.0#xcp{part}" for bus in (0x0a, 0x1a) for part in range(4)}
        self.assertEqual(expected, {m["device_id"] for m in self.figures(value)})
        # On a busy machine the budget may end before the last of them; none may be lost or taken for another.
        self.assertEqual(set(), {m["status"] for m in self.figures(value)} & {"failed", "crashed", "wrong_result"})
        self.assertGreater(len(measured(value)), len(expected) // 2)
        chosen = {answer["device_id"] for answer in value["recommendations"] if answer["backend"] == "hip"}
        self.assertTrue(chosen and chosen <= expected, chosen)
        if can_unshare():
            devices = self.devices("eight partitions")
            for device_id in expected:
                self.assertEqual(device_id.partition("#")[0], devices[device_id]["parent_id"])
                self.assertEqual(256 * MIB, devices[device_id]["memory"]["total_bytes"])

    def test_an_apus_carve_out_and_lent_memory_are_told_apart(self):
        value = self.assert_chosen("an APU", "pci:0000:64:00.0")
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        device = self.devices("an APU")["pci:0000:64:00.0"]
        self.assertEqual(("integrated", "Radeon 780M"), (device["kind"], device["name"]))
        memory = device["memory"]
        self.assertEqual((256 * MIB, 512 * MIB), (memory["total_bytes"], memory["gtt_bytes"]))
        self.assertGreater(memory["usable_bytes"], memory["total_bytes"])
        finding = next(f for f in value["findings"] if f["id"] == "memory.carve-out.pci:0000:64:00.0")
        self.assertIn("UMA", finding["fix"][0]["text"])
        self.assertTrue(value["recommendations"])

    def test_a_compiler_that_refuses_the_target_is_named_and_nothing_of_it_ranked(self):
        value = self.answer("an unsupported iGPU")
        reasons = {m.get("reason", "") for m in self.figures(value) if m["status"] == "failed"}
        self.assertTrue(any("gfx1036" in reason and "unknown target" in reason for reason in reasons), reasons)
        self.assertEqual({"cpu"}, {answer["backend"] for answer in value["recommendations"]})
        self.assertTrue(self.rejected(value, "pci:0000:0f:00.0"))

    def test_beside_a_gpu_that_fails_the_good_one_is_chosen(self):
        for name, status, said in (("a hang in the first kernel", "timed_out", "time"),
                                   ("wrong results", "wrong_result", "wrong")):
            with self.subTest(name):
                value = self.assert_chosen(name, XTX)
                bad = "pci:0000:64:00.0"
                self.assertIn(status, {m["status"] for m in self.figures(value, bad)})
                self.assertTrue(any(said in reason for reason in self.rejected(value, bad)), value["recommendations"])

    def test_a_kernel_that_faults_costs_itself_alone(self):
        figures = self.figures(self.answer("a kernel that faults"))
        self.assertEqual([("own:wmma_square_128x128", "fp16")],
                         [(m["implementation"], m["in_dtype"]) for m in figures if m["status"] == "failed"])
        self.assertIn("(700)", next(m["reason"] for m in figures if m["status"] == "failed"))
        good = [m for m in figures if m["status"] == "ok"]
        self.assertIn("fp16", {m["in_dtype"] for m in good if m["kernel"] == "gemm"}, "by another kernel")
        self.assertLessEqual(KERNELS["a kernel that faults"], {m["kernel"] for m in good})

    def good(self, name):
        return {(m["kernel"], m["in_dtype"]) for m in self.figures(self.answer(name)) if m["status"] == "ok"}

    def test_what_products_that_end_one_process_after_another_have_nothing_to_do_with_is_measured(self):
        good = self.good("products that abort")
        self.assertIn(("gemm", "fp32"), good)
        self.assertNotIn(("gemm", "fp16"), good)
        good = self.good("products that all fault")
        self.assertLessEqual({("read", "u32"), ("launch", "u32")}, good)
        self.assertNotIn("gemm", {kernel for kernel, _ in good})
        left_out = {m["in_dtype"] for m in self.figures(self.answer("products that all fault"))
                    if m["status"] == "skipped" and "one process after another" in m["reason"]}
        self.assertTrue({"fp16", "bf16"} & left_out, left_out)
        self.assertNotIn("fp4", left_out, "which the chip has no instruction for")

    def test_a_fill_that_faults_is_told_once(self):
        seen = [(m["status"], m.get("reason", "")) for m in self.figures(self.answer("a fill that faults"))]
        failed = [reason for status, reason in seen if status == "failed"]
        self.assertEqual(1, len(failed), failed)
        self.assertIn("(700)", failed[0])
        self.assertIn("what fills operands brought the device's context down", failed[0])

    def test_what_fails_is_not_ranked_and_says_why(self):
        cases = {"a device that is lost": ("failed", "hipErrorLaunchFailure"),
                 "a compiler that aborts": ("crashed", ""), "no compiler": ("failed", "libhiprtc")}
        for name, (status, said) in cases.items():
            with self.subTest(name):
                value = self.answer(name)
                seen = [(m["status"], m.get("reason", "")) for m in self.figures(value)]
                self.assertTrue(any(state == status and said in reason for state, reason in seen), seen)
                self.assertNotIn("hip", {answer["backend"] for answer in value["recommendations"]})

    def test_a_compiler_that_is_not_there_is_what_is_to_be_installed(self):
        value = self.answer("no compiler")
        finding = next(f for f in value["findings"] if f["id"] == "measure.hip.rocm.failed")
        self.assertIn("run-time compiler (hiprtc) is not installed", finding["meaning"])
        self.assertIn("libhiprtc", finding["fix"][0]["text"])
        self.assertNotIn("update the driver", json.dumps(finding["fix"]))

    def test_a_program_that_brings_its_rocm_needs_no_compiler_here(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        machine = dict(MEASURED["no compiler"][0], gpus=[gpu(*NAVI31, memory=24 * 1024 * MIB)])
        for target, backend in (("pytorch", "hip"), ("llama.cpp", "cpu")):
            done = run(machine, "recommend", "--target", target, "--quick", "--only", "hip,cpu,sysfs")
            self.assertEqual(0, done.status, done.stderr)
            answer = json.loads(done.stdout)["recommendation"]
            self.assertEqual(backend, answer["backend"], target)
            self.assertTrue(any("there is no libhiprtc" in warning for warning in answer["warnings"]), answer["warnings"])
            if backend == "hip":
                self.assertEqual("estimated", answer["basis"])

    def test_a_compiler_of_another_release_is_named_with_what_is_wanted(self):
        value = self.answer("another ROCm's compiler")
        finding = next(f for f in value["findings"] if f["id"] == "measure.hip.rocm.failed")
        said = " ".join(row["value"] for row in finding["evidence"])
        self.assertRegex(said, r"libhiprtc.so.7 \(/\S+\) is of another ROCm than the HIP runtime, "
                               r"\S+/libamdhip64.so.6\S*, which needs libhiprtc.so.6")
        self.assertNotIn("not installed", said)
        self.assertIn("two releases of ROCm", finding["meaning"])
        self.assertIn("in the release of the HIP runtime", finding["fix"][0]["text"])

    def test_a_library_that_can_not_be_called_says_why_and_costs_its_own_figures_alone(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        for name, (stage, said) in {
                "an empty folder of kernels": ("compile", "rocm-6/lib/rocblas/library has kernels for no target, none for gfx1100"),
                "two prefixes": ("compile", "rocm-5/lib/librocblas.so.0 lies beside another HIP runtime than ")}.items():
            with self.subTest(name):
                value = self.answer(name)
                theirs = [(m["stage"], m["reason"]) for m in self.figures(value)
                          if m["implementation"] == "rocblas" and m["status"] == "failed"]
                self.assertEqual({stage}, {at for at, _ in theirs})  # of as many types as there is time for
                self.assertIn(said, theirs[0][1])
                self.assertEqual({XTX}, measured(value))
                self.assertEqual({"6.2.41133"}, {view["driver_version"] for device in value["devices"]
                                                 for view in device["views"]})

    def test_the_real_compilers_abort_is_survived_and_named(self):
        if not DEBIAN:
            self.skipTest("AMD's libamdhip64 5.2 is neither installed nor unpacked")
        for target in ("gfx1100", "gfx942"):
            with self.subTest(target):
                value = self.answer(f"Debian's compiler on {target}")
                crashed = [m for m in self.figures(value) if m["status"] == "crashed"]
                self.assertTrue(crashed, self.figures(value))
                self.assertEqual({"cpu"}, {answer["backend"] for answer in value["recommendations"]})
                self.assertTrue(any("crash" in reason for reason in self.rejected(value, XTX)), value["recommendations"])

    def test_rocm_5_computes_with_the_compiler_inside_the_runtime(self):
        value = self.answer("ROCm 5")
        self.assertEqual("gfx1100", self.devices("ROCm 5")[XTX]["views"][0]["architecture"])
        self.assertTrue(any(m["kernel"] == "gemm" and m["verified"] for m in self.figures(value)))

    def test_surveys_end_in_their_outcome(self):
        for name, (_, outcome, error, warning) in SURVEYS.items():
            with self.subTest(name):
                if name in NEED_KERNEL and not can_unshare():
                    continue
                probe = self.probe(self.answer(name, "list"))
                self.assertEqual(outcome, probe["outcome"])
                if error:
                    self.assertEqual(error, probe["error"]["name"])
                self.assertTrue(not warning or any(warning in text for text in probe["warnings"]), probe["warnings"])

    def test_a_runtime_that_is_there_and_ends_badly_is_why_nothing_reaches_the_gpu(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        for name in ("a hang while initialising", "a crash while enumerating", "an old kernel driver"):
            with self.subTest(name):
                value = self.answer(name, "list")
                findings = {finding["id"]: finding for finding in value["findings"]}
                finding = findings["unreached.pci-0000-03-00-0"]
                self.assertIn(findings[f"runtime.hip.{self.probe(value)['outcome']}"]["summary"], finding["summary"])
                self.assertNotIn("install the runtime", json.dumps(value["advice"]))

    def test_what_variables_do_is_a_finding_with_its_fix(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        findings = {finding["id"]: finding for finding in self.answer("an override that hangs", "list")["findings"]}
        finding = findings["variable.hip.HSA_OVERRIDE_GFX_VERSION"]
        self.assertEqual("unset HSA_OVERRIDE_GFX_VERSION", finding["fix"][0]["command"])

    def test_a_gpu_that_is_hidden_lacks_no_runtime(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        for name, address, setting in (("all hidden", "0000-03-00-0", "HIP_VISIBLE_DEVICES=-1"),
                                       ("one hidden", "0000-03-00-0", "ROCR_VISIBLE_DEVICES=0"),
                                       ("CUDA's variable", "0000-0f-00-0", "CUDA_VISIBLE_DEVICES=1")):
            with self.subTest(name):
                findings = {finding["id"]: finding for finding in self.answer(name, "list")["findings"]}
                finding = findings[f"unreached.pci-{address}"]
                self.assertIn(f"is hidden by {setting}", finding["summary"])
                self.assertEqual([], [key for key in findings if key.startswith(("runtime.hip", "variable.hip"))],
                                 "one cause is one finding")
                self.assertEqual([f"unset {setting.partition('=')[0]}"], [fix.get("command") for fix in finding["fix"]])

    def test_an_override_is_a_conflict_with_what_the_kernel_says(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        device = self.devices("an override that works", "list")["pci:0000:0f:00.0"]
        self.assertEqual("gfx1036", device["hardware"]["architecture"])
        self.assertIn({"field": "architecture", "module": "hip", "value": "gfx1030"}, device["conflicts"])

    def test_power_load_and_throttling_are_facts_of_the_device(self):
        view = self.devices("hot and busy", "list")[XTX]["views"][0]
        facts = {fact["key"]: fact["value"] for fact in view["facts"]}
        self.assertEqual(("97", "355000", "339000"), tuple(
            facts[key] for key in ("utilization_percent", "power_mw", "power_limit_mw")))
        self.assertEqual(255 * MIB, view["memory_free_bytes"])
        if can_unshare():
            self.assertEqual("temperature", facts["throttled"])

    def test_what_holds_a_card_back_while_it_is_measured_is_said_with_its_figures(self):
        if not can_unshare():
            self.skipTest("no mount namespace: the kernel's view of these GPUs cannot be shown")
        timed = [m for m in self.figures(self.answer("a hot card"))
                 if m["kernel"] in ("gemm", "read", "gemv") and m["status"] == "ok" and m["samples"] > 0]
        if not timed:
            self.skipTest("this machine is too busy to time a kernel of the fake")
        for figure in timed:
            self.assertTrue(figure["throttled"])
            self.assertIn("temperature", figure["reason"])

    def test_an_unknown_layout_of_the_properties_leaves_the_target_unknown(self):
        for device in self.devices("no layout that is known", "list").values():
            for view in device["views"]:
                self.assertNotIn("architecture", view)


if __name__ == "__main__":
    main()
