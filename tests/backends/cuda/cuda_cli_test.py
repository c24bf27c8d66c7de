# SPDX-License-Identifier: MIT
"""The real binary on machines of fake NVIDIA GPUs: every scenario ends in its outcome, stage and advice, every GPU is
measured under its own identity, and what fails is never ranked.

    python3 cuda_cli_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
from fake_machine import FakeMachine, run_until  # noqa: E402
from harness import BINARY, main, validate  # noqa: E402

BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKES = BUILD / "tests" / "fakes" / "cuda"
MIB = 1 << 20
WAITING = 8  # runs at a time that wait for a deadline


class CudaMachine(FakeMachine):
    def __init__(self, scenario, libraries=None, first=None, **variables):
        """`libraries`: other files under the libraries' names, or what such a file holds. `first`: the scenario of a copy of
        libcuda that is found before the driver, by every program."""
        super().__init__(BINARY, BUILD)
        folder = self._folder("lib")
        (folder / "libcuda.so.1").symlink_to(FAKES / "fake_cuda" / "libcuda.so.1")
        (folder / "libnvidia-ml.so.1").symlink_to(FAKES / "fake_nvml" / "libnvidia-ml.so.1")
        (folder / "libcublasLt.so.13").symlink_to(FAKES / "fake_cublaslt" / "libcublasLt.so.13")
        (folder / "libnccl.so.2").symlink_to(FAKES / "fake_nccl" / "libnccl.so.2")
        for name, file in (libraries or {}).items():
            (folder / name).unlink()
            if isinstance(file, bytes):
                (folder / name).write_bytes(file)
            else:
                (folder / name).symlink_to(file)
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps({"driver_version": "580.65.06", **scenario}))
        self.variables = variables
        if first:
            shutil.copy(FAKES / "fake_cuda" / "libcuda.so.1", self._folder("first"))
            (self.folder / "first" / "libcuda.so.1.scenario.json").write_text(json.dumps(first))
            self.variables["WHICHGPU_LIBRARY_PATH"] = f"{self.folder / 'first'}:{folder}"
            self.variables["LD_LIBRARY_PATH"] = str(self.folder / "first")

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "WHICHGPU_FAKE_SCENARIO": str(self.scenario), **self.variables}


def gpu(number=1, capability=90, attributes=None, **facts):
    return {"name": f"NVIDIA Fake {capability}", "pci": f"0000:{number:02x}:00.0", "uuid": f"{number:032x}",
            "memory_total_bytes": 256 * MIB, "compute_units": 2, "attributes": {"capability": capability,
                                                                               **(attributes or {})}, **facts}


def one(driver=None, variables=None, libraries=None, **facts):
    return {"scenario": {"devices": [gpu(**facts)], **(driver or {})},
            "variables": {**(variables or {}), "libraries": libraries}}


def advised(finding):
    """What to do, wherever the suite runs: in a container the kernel's part is the host's."""
    return [fix["text"].removeprefix("on the host, not in this container: ") for fix in finding["fix"]]


def driver_is(file):
    return one(libraries={"libcuda.so.1": file})


def act(at, do, **more):
    return {"misbehave": [{"at": at, "do": do, **more}]}


def init(code):
    return one(act("init", "error", code=code))


STUB = pathlib.Path("/usr/local/cuda/lib64/stubs/libcuda.so")
# The header of a shared library for 32-bit x86.
ELF_32 = b"\x7fELF\x01\x01\x01".ljust(16, b"\0") + b"\x03\0\x03\0\x01".ljust(4080, b"\0")
# name -> machine, outcome, stage, error; advice is the error's own
SURVEYS = {
    "the stub": (init(34), "absent", "init", "stub_here"),
    "the stub, for all programs": (one(act("init", "error", code=34), variables={"LD_LIBRARY_PATH": str(FAKES / "fake_cuda")}),
                                   "absent", "init", "CUDA_ERROR_STUB_LIBRARY"),
    "no device": (init(100), "no_device", "init", "CUDA_ERROR_NO_DEVICE"),
    "no fabric manager": (init(802), "failed", "init", "CUDA_ERROR_SYSTEM_NOT_READY"),
    "another driver": (init(803), "failed", "init", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    "a compat library": (init(804), "failed", "init", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
    "after a suspend": (init(999), "failed", "init", "nvidia_uvm_broken"),
    "libraries of another version": (one({**act("init", "error", code=803), "attributes": {"nvml_init": 18}}),
                                     "failed", "init", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    "a library for another processor": (driver_is(ELF_32), "failed", "load", "unloadable"),
    "a text file": (driver_is(b"libcuda lives elsewhere\n"), "failed", "load", "unloadable"),
    "a driver without what is called": (driver_is(FAKES / "fake_cuda_old" / "libcuda.so.1"), "failed", "symbols",
                                        "missing_symbol"),
    **({"the toolkit's own stub": (driver_is(STUB), "absent", "init", "stub_here")}
       if STUB.exists() else {}),
    "all hidden": (one(variables={"CUDA_VISIBLE_DEVICES": ""}), "hidden", "init", "CUDA_ERROR_NO_DEVICE"),
    "a hang": (one(act("init", "hang")), "timed_out", "init", None),
    "a crash": (one(act("init", "segfault")), "crashed", "init", None),
    "a crash while loading": (one(act("load", "abort")), "crashed", "load", None),
    "noise": (one(act("load", "flood_stdout", bytes=MIB)), "ok", "done", None),
}
ERRORS = {row["name"]: row for row in json.loads(
    (pathlib.Path(__file__).resolve().parents[3] / "data/runtimes/cuda.json").read_text())["errors"]}

# name -> machine, status and stage of a product that failed, what its reason says, the error whose advice is given
MEASURED = {
    "wrong results": (one(results="garbage"), "wrong_result", "verify", "is off by", None),
    "results that are not written": (one(results="nan"), "wrong_result", "verify", "not finite", None),
    "a hang in the first kernel": (one(act("launch", "hang")), "timed_out", "launch", "killed after 10", None),
    "a device that is lost": (one(lost_after_launches=3), "failed", "launch", "CUDA_ERROR_LAUNCH_FAILED (719)",
                              "CUDA_ERROR_LAUNCH_FAILED"),
    "an old driver": (one({"attributes": {"driver_ptx": 50}}), "failed", "compile", "(222)",
                      "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    "a device in use": (one(act("create", "error", code=46)), "failed", "init", "cuDevicePrimaryCtxRetain",
                        "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    "a GPU that its mode closes": (one(act("create", "error", code=46), attributes={"compute_mode": 2}), "failed", "init",
                                   "compute_prohibited (46)", "compute_prohibited"),
    "memory that is full": (one(memory_free_bytes=4096), "over_budget", "launch", "who holds the rest can not be seen", None),
}
NVLINK = {"nvlinks": 4}
# A machine whose GPUs can not be joined keeps the figures of each: name -> scenario, status of what failed.
PEERS = {
    "a copy between GPUs that loses a word": ({"devices": [gpu(1, 80), gpu(2, 80, {"peer_corrupts": 1})]},
                                              "wrong_result", None),
    "a copy between GPUs that hangs": ({"devices": [gpu(1, 80), gpu(2, 80, {"peer_hangs": 1})]}, "timed_out", "launch"),
    "NCCL that hangs": ({"devices": [gpu(1, 80), gpu(2, 80)], "attributes": {"nccl_hang": 1}}, "timed_out", "launch"),
    "NCCL that aborts": ({"devices": [gpu(1, 80), gpu(2, 80)], "attributes": {"nccl_abort": 1}}, "crashed", "compile"),
}
# name -> machine, what becomes of the library's figures
LIBRARIES = {
    "a library that aborts": (one({"attributes": {"cublaslt_abort": 1}}), "crashed"),
    "a library that hangs": (one({"attributes": {"cublaslt_hang": 1}}), "timed_out"),
    "a library that computes wrong": (one({"attributes": {"cublaslt_wrong": 1}}), "wrong_result"),
    "a library of a newer CUDA than the driver's": (one({"attributes": {"driver_cuda": 12040}}), "skipped"),
}
# Kernels that end their context, process or time, by the beginning of their entries -> how, what becomes of their figure,
# what its reason says, what is still measured and the budget for that. Of a family that fails the second
# is the last that is tried, and of one that hangs the first.
FAULTS = {
    "one kernel that faults": ("wgmma_fp16_256", "faulting", "failed", "(700)", {"gemm", "read", "copy"}, 4),
    "a family of kernels that fault": ("wgmma_", "faulting", "failed", "(700)", {"gemm", "read", "gemv"}, 3),
    "a family of kernels that crash": ("wgmma_", "crashing", "crashed", "signal 6", {"gemm", "read", "gemv"}, 3),
    "a family of kernels that hang": ("wgmma_", "hanging", "timed_out", "killed after 1", {"gemm", "read"}, 3),
}
GOOD = {
    "one": {"devices": [gpu()]},
    "two alike": {"devices": [gpu(1, 80, NVLINK), gpu(2, 80, NVLINK, memory_free_bytes=200 * MIB)]},
    "a mixed pair": {"devices": [gpu(2, 120), gpu(1, 75)]},
    "eight in another order": {"devices": [gpu(number, 90, memory_total_bytes=64 * MIB) for number in (5, 3, 8, 1, 7, 2, 6, 4)]},
    "instances": {"devices": [gpu(1, 80, partitions=[
        {"uuid": f"aa{number:030x}", "memory_total_bytes": 64 * number * MIB, "compute_units": number,
         "attributes": {"gpu_instance": number}} for number in (1, 2)])]},
    "a cold driver, which hangs for 12 s": {"devices": [gpu()], "attributes": {"init_s": 12}},
    "throttled and busy": {"devices": [gpu(attributes={"throttle_reasons": 0x40, "processes": 3, "utilization": 97})]},
}


def run(scenario, variables, *arguments):
    with CudaMachine(scenario, **variables) as machine:
        return machine.run("--json", "--only", "cuda,sysfs", *arguments, patience_s=120)


def measure(enough, scenario, variables, budget_s, *arguments):
    return run_until(lambda value: enough(value["measurements"]), lambda *words: run(scenario, variables, *words, *arguments),
                     [budget_s * longer for longer in (1, 3, 10)])


def products(measurements, implementation="own:"):
    return [m for m in measurements if m["kernel"] == "gemm" and m["implementation"].startswith(implementation)]


def failed_products(measurements, status, stage):
    return [m for m in measurements if m["runtime"] == "cuda" and m["kernel"] == "gemm"
            and (m["status"], m.get("stage")) == (status, stage)]


def warnings(value):
    return next(probe["warnings"] for probe in value["probes"] if probe["module"] == "cuda")


def good(measurements):
    return [m for m in measurements if m["status"] == "ok" and m["verified"]]


def ids(scenario):
    """Of the devices that are measured: instances instead of a GPU that is divided."""
    return {f"pci:{device['pci']}{suffix}" for device in scenario["devices"] for suffix in
            [f"#MIG-{part['attributes']['gpu_instance']}-0" for part in device.get("partitions", [])] or [""]}


def all_runs():
    """Every machine once; those that wait for a deadline beside those that compute, of which no more run at once than there
    are processors: else no budget suffices. A figure or two of a device are enough here: what each kernel computes,
    cuda_session_test checks."""
    jobs = {}

    def submit(name, enough, scenario, variables, budget_s):
        jobs[name] = (aside if "hang" in name else pool).submit(measure, enough, scenario, variables, budget_s)

    with concurrent.futures.ThreadPoolExecutor(WAITING) as aside, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (machine, status, stage, *_) in MEASURED.items():
            submit(name, lambda all_of, status=status, stage=stage: failed_products(all_of, status, stage),
                   machine["scenario"], machine["variables"], 0.4)
        for name, (machine, status) in LIBRARIES.items():
            submit(name, lambda all_of, status=status: good(products(all_of)) and
                   status in {m["status"] for m in products(all_of, "cublaslt")},
                   machine["scenario"], machine["variables"], 0.4)
        for name, (machine, outcome, *_) in SURVEYS.items():
            timeout = "2" if outcome == "timed_out" else "10"
            jobs[name] = aside.submit(run, machine["scenario"], machine["variables"], "list", "--timeout", timeout)
        for name, (scenario, *_) in PEERS.items():
            submit(name, lambda all_of: good(products(all_of)), scenario, {}, 0.5)
        submit("slow with everything, and no hang", lambda all_of: True, one(slow_kernel_s=5.2)["scenario"], {}, 0.4)
        submit("a stub before the driver", good, one()["scenario"], {"first": init(34)["scenario"]}, 0.4)
        for name, (entries, how, _, _, wanted, budget_s) in FAULTS.items():
            submit(name, lambda all_of, wanted=wanted: wanted <= {m["kernel"] for m in good(all_of)} and
                   "fp16" in {m["in_dtype"] for m in good(products(all_of))},
                   {"devices": [gpu(**{f"{how}_kernels": entries})]}, {}, budget_s)
        for name, scenario in GOOD.items():
            wanted = ids(scenario)
            submit(name, lambda all_of, wanted=wanted: wanted == {m["device_id"] for m in good(products(all_of))},
                   scenario, {}, 0.4 + 0.1 * len(scenario["devices"]))
    return {name: job.result() for name, job in jobs.items()}


class OfRuns(unittest.TestCase):
    """Tests of runs that are made once for all of them: `runs`, by their names."""
    def answer(self, name, command="report"):
        done = self.runs[name]
        self.assertEqual((0, []), (done.status, done.survivors), f"{name}: {done.stderr}")
        if done.value is None:  # held against the schema once, however many tests look at it
            value = json.loads(done.stdout)
            validate(value, command)
            done.value = value
        return done.value


class Cuda(OfRuns):
    @classmethod
    def setUpClass(cls):
        cls.runs = all_runs()

    def test_every_failure_has_its_outcome_stage_and_advice(self):
        for name, (_, outcome, stage, error) in SURVEYS.items():
            with self.subTest(name):
                value = self.answer(name, "list")
                probe = next(probe for probe in value["probes"] if probe["module"] == "cuda")
                self.assertEqual((outcome, stage), (probe["outcome"], probe["stage"]))
                if error:
                    self.assertEqual(error, probe["error"]["name"])

    def test_gpus_that_a_variable_hides_are_here(self):
        for value in ("", "none of these"):
            with CudaMachine(one()["scenario"], CUDA_VISIBLE_DEVICES=value) as machine:
                done = machine.run("--json", "--exit-code", "--no-calibrate", "--only", "cuda,cpu")
            self.assertEqual(11, done.status, done.stderr)
            self.assertIn(f'CUDA_VISIBLE_DEVICES="{value}" leaves none of 1 GPU',
                          json.loads(done.stdout)["recommendations"][0]["reasons"])

    def test_a_uuid_that_names_several_gpus_is_said_to(self):
        with CudaMachine({"devices": [gpu(1, uuid="aa" + "0" * 30), gpu(2, uuid="aa" + "1" * 30)]},
                         CUDA_VISIBLE_DEVICES="GPU-aa") as machine:
            value = json.loads(machine.run("list", "--json", "--only", "cuda,sysfs").stdout)
        self.assertEqual("hidden", next(p["outcome"] for p in value["probes"] if p["module"] == "cuda"))
        finding = next(f for f in value["findings"] if f["id"] == "runtime.cuda.hidden")
        self.assertIn('"GPU-aa" names several GPUs: CUDA ignores it and all after it', finding["summary"])

    def test_advice_is_the_errors_own(self):
        for name, (_, outcome, _, error) in SURVEYS.items():
            with self.subTest(name):
                findings = {f["id"]: f for f in self.answer(name, "list")["findings"]}
                if outcome == "ok":
                    self.assertEqual([], [key for key in findings if key.startswith("runtime.cuda")])
                    continue
                if "driver.cuda.nvml.failed" in findings:
                    continue  # the management library knows the cause: the next test
                finding = findings[f"runtime.cuda.{outcome}"]
                if error in ERRORS:
                    row = ERRORS[error]
                    self.assertEqual((row["layer"], row["meaning"], [fix["text"] for fix in row["fix"]]),
                                     (finding["layer"], finding["meaning"], advised(finding)))

    def test_a_version_mismatch_is_named_where_cuda_says_something_else(self):
        findings = {f["id"]: f for f in self.answer("libraries of another version", "list")["findings"]}
        self.assertEqual(ERRORS["NVML_ERROR_LIB_RM_VERSION_MISMATCH"]["meaning"],
                         findings["driver.cuda.nvml.failed"]["meaning"])

    def test_what_fails_is_not_ranked_and_says_why(self):
        for name, (_, status, stage, reason, _) in MEASURED.items():
            with self.subTest(name):
                value = self.answer(name)
                failed = failed_products(value["measurements"], status, stage)
                self.assertTrue(any(reason in m["reason"] for m in failed), value["measurements"])
                self.assertNotIn("cuda", [r["backend"] for r in value["recommendations"]], name)

    def test_what_fails_has_its_advice(self):
        for name, (_, status, _, _, error) in MEASURED.items():
            with self.subTest(name):
                value = self.answer(name)
                is_full = status == "over_budget"
                finding = next(f for f in value["findings"] if f["id"] == (
                    "memory.others.pci-0000-01-00-0" if is_full else f"measure.cuda.nvidia.{status}"))
                self.assertTrue(finding["fix"])
                if is_full:
                    self.assertIn("who holds it can not be seen from here", finding["meaning"])
                    self.assertTrue(any("who holds its memory can not be seen" in text for text in warnings(value)))
                if error:
                    row = ERRORS[error]
                    self.assertEqual((row["layer"], row["meaning"], row["fix"][0]["text"]),
                                     (finding["layer"], finding["meaning"], advised(finding)[0]))

    def test_a_kernel_that_faults_costs_itself_alone(self):
        for name, (entries, how, status, reason, wanted, _) in FAULTS.items():
            with self.subTest(name):
                measurements = self.answer(name)["measurements"]
                died = [m for m in measurements if m["status"] == status]
                self.assertEqual(2 if entries == "wgmma_" and how != "hanging" else 1, len(died), measurements)
                self.assertTrue(all(m["implementation"].startswith("own:wgmma_") and reason in m["reason"]
                                    for m in died), died)
                self.assertEqual({status}, {m["status"] for m in measurements} & {"failed", "crashed", "timed_out"})
                left_out = [m for m in measurements if "left out: own:wgmma_" in m.get("reason", "")]
                self.assertEqual(entries == "wgmma_", bool(left_out), measurements)
                self.assertLessEqual({m["status"] for m in left_out}, {"skipped"})
                if how == "faulting" and entries != "wgmma_":
                    self.assertIn("bf16", {m["in_dtype"] for m in products(measurements, died[0]["implementation"])})
                self.assertIn("fp16", {m["in_dtype"] for m in good(products(measurements))}, "by another kernel")
                self.assertLessEqual(wanted, {m["kernel"] for m in good(measurements)})

    def test_a_library_that_fails_costs_its_own_figures_alone(self):
        for name, (_, status) in LIBRARIES.items():
            with self.subTest(name):
                measurements = self.answer(name)["measurements"]
                self.assertTrue(good(products(measurements)))
                theirs = {m["status"] for m in products(measurements, "cublaslt")}
                self.assertEqual({status}, theirs - {"over_budget"}, "a figure of it was believed")
                if "newer" in name:
                    reasons = [m["reason"] for m in products(measurements, "cublaslt") if m["status"] == status]
                    self.assertEqual(1, len(reasons), "one sentence for all of its products")
                    self.assertRegex(reasons[0], r"libcublasLt.so.13 is of a newer CUDA than 12.4, which is the driver's: "
                                                 r"install that of CUDA 12, or a newer driver")
                    self.assertEqual([], [f["id"] for f in self.answer(name)["findings"] if "cublaslt" in f["id"]])

    def test_a_gpu_that_is_slow_with_everything_is_given_up_and_not_ended(self):
        measurements = self.answer("slow with everything, and no hang")["measurements"]
        self.assertEqual(set(), {m["status"] for m in measurements} & {"failed", "crashed", "timed_out"}, measurements)
        self.assertTrue(any(m.get("reason", "").startswith("given up: the smallest problem took 5.") for m in measurements),
                        measurements)

    def test_the_driver_behind_a_stub_is_found_and_measured(self):
        value = self.answer("a stub before the driver")
        self.assertTrue(good(value["measurements"]), value["measurements"])
        self.assertTrue(any("/first/libcuda.so.1 is not this machine's driver, CUDA_ERROR_STUB_LIBRARY (34)" in text
                            for text in warnings(value)), warnings(value))
        finding = next(f for f in value["findings"] if f["id"] == "driver.cuda.stub.absent")
        self.assertNotEqual("note", finding["severity"], "of which a text says nothing")
        self.assertRegex(finding["summary"], r"/first/libcuda.so.1 is found before \S+/libcuda.so.1 and is no driver")
        self.assertIn("LD_LIBRARY_PATH", finding["fix"][0]["text"])
        self.assertIn(finding["fix"][0]["command"], [step.get("command") for step in value["advice"]])
        self.assertEqual([], [f["id"] for f in value["findings"] if f["id"].startswith(("runtime.cuda", "unreached."))])

    def test_every_gpu_is_measured_under_its_own_identity(self):
        for name, scenario in GOOD.items():
            with self.subTest(name):
                measured = {m["device_id"] for m in good(products(self.answer(name)["measurements"]))}
                self.assertEqual(ids(scenario), measured)

    def test_equal_gpus_are_compared_by_one_product_and_joined(self):
        value = self.answer("two alike")
        second = [m for m in value["measurements"] if m["device_id"] == "pci:0000:02:00.0"]
        brief = {m["kernel"] for m in second if "peer_id" not in m}
        self.assertEqual({"gemm", "read"}, brief)
        between = {(m["device_id"], m.get("peer_id"), m["implementation"]): m["status"] for m in value["measurements"]
                   if m["kernel"] == "p2p"}
        first, second = "pci:0000:01:00.0", "pci:0000:02:00.0"
        self.assertEqual({(first, second, "own:direct"): "ok", (second, first, "own:direct"): "ok",
                          (first, None, "nccl:all_reduce"): "ok"}, between)

    def test_a_recording_run_measures_a_gpu_of_which_is_told_how_busy_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            done = measure(lambda all_of: good(products(all_of)), {"devices": [gpu(attributes={"utilization": 97})]}, {}, 0.4,
                           "--no-cache", "--record", f"{folder}/record")
        self.assertEqual(0, done.status, done.stderr)
        figures = good(products(json.loads(done.stdout)["measurements"]))
        self.assertTrue(figures, done.stdout)
        self.assertIn("97 % busy", figures[0]["reason"])

    def test_what_fails_between_gpus_costs_none_of_their_own_figures(self):
        for name, (_, status, stage) in PEERS.items():
            with self.subTest(name):
                value = self.answer(name)
                failed = [m for m in value["measurements"] if m["kernel"] == "p2p" and m["status"] != "ok"]
                self.assertEqual([(status, stage or "time")], [(m["status"], m["stage"]) for m in failed], failed)
                self.assertTrue(good(products(value["measurements"])))

    def test_instances_have_memory_of_their_own(self):
        devices = {device["id"]: device for device in self.answer("instances")["devices"]}
        for number in (1, 2):
            device = devices[f"pci:0000:01:00.0#MIG-{number}-0"]
            self.assertEqual(64 * number * MIB, device["memory"]["total_bytes"])
            self.assertEqual(1, len(device["views"]))

    def test_the_state_of_a_gpu_is_told(self):
        device = next(d for d in self.answer("throttled and busy")["devices"] if d["id"].startswith("pci:"))
        facts = {fact["key"]: fact["value"] for fact in device["views"][0]["facts"]}
        self.assertEqual(("hardware thermal", "3", "97"),
                         (facts["throttled"], facts["processes"], facts["utilization_percent"]))

    def test_a_busy_and_throttled_gpu_is_told_of_in_its_figures(self):
        value = self.answer("throttled and busy")
        self.assertTrue(any("3 other processes on it, 97 % busy" in text for text in warnings(value)))
        figures = good(products(value["measurements"]))
        self.assertTrue(figures)
        for m in figures:
            self.assertIn("the device was shared (3 other processes on it, 97 % busy)", m["reason"])
            self.assertEqual("noisy", m["quality"])
            if m["samples"] > 0:
                self.assertIn("throttled by hardware thermal", m["reason"])
                self.assertTrue(m["throttled"])
        # 5 % of 256 MiB.
        self.assertTrue(all(4 * m["shape"].get("count", 0) <= 256 * MIB // 20 for m in value["measurements"]))


class Cached(unittest.TestCase):
    def test_how_much_memory_is_free_is_looked_at_again(self):
        def machine_with(**facts):
            return json.dumps({"driver_version": "580.65.06",
                               "devices": [gpu(1, 61, attributes={"pci_device_id": 0xfffe}, **facts)]})  # of no known card

        def answer(machine, *words):
            done = machine.run("recommend", "--json", "--only", "cuda,sysfs", "--for", "training", "--among", "cuda", *words,
                               patience_s=60)
            return done.status, json.loads(done.stdout)

        with CudaMachine({"devices": []}) as machine:
            machine.scenario.write_text(machine_with())
            self.assertEqual("measured", answer(machine)[1]["recommendation"]["basis"])
            self.assertEqual("cached", answer(machine, "--min-memory", "100MiB")[1]["recommendation"]["basis"])
            machine.scenario.write_text(machine_with(memory_free_bytes=50 * MIB))
            self.assertEqual("cached", answer(machine)[1]["recommendation"]["basis"])
            status, report = answer(machine, "--min-memory", "100MiB")
        self.assertEqual(1, status)
        self.assertIn("50 MiB of its memory can be used", report["no_answer"]["reason"])

    def test_a_question_that_was_settled_without_a_way_is_asked_anew_where_that_way_matters(self):
        """What a run on a fast card leaves for later runs: its figures, and the name of what it left unmeasured."""
        def answer(machine, *words):
            done = machine.run("recommend", "--json", "--only", "cuda,cpu,sysfs", *words, patience_s=60)
            self.assertEqual(0, done.status, done.stderr)
            return json.loads(done.stdout)["recommendation"]

        def make_the_card_fast_and_leave_out_the_processor(file):
            entry = json.loads(file.read_text())
            record = entry["record"]
            for device in (d for probe in record["probes"] if probe["module"] == "cuda" for d in probe["devices"]):
                device.update(compute_units=128, memory_total_bytes=24 << 30, memory_free_bytes=23 << 30)
            rates = {"flop_per_s": 2e13, "bytes_per_s": 6e11}
            record["measurements"] = [m for m in record["measurements"] if m["runtime"] != "cpu"]
            for m in record["measurements"]:
                if m.get("rate") or (m["kernel"], m["in_dtype"]) in [("gemm", "fp32"), ("read", "u32")]:
                    rate = rates.get(m["unit"], m.get("rate"))
                    shape = m.get("shape") or ({"m": 512, "n": 512, "k": 512} if m["kernel"] == "gemm" else {"count": 1 << 26})
                    m.update(status="ok", verified=True, quality="good", ci95=[0.99, 1.01], rate=rate, p10_rate=rate, best_rate=rate,
                             samples=20, shape=shape)
                    m.pop("time_s", None)  # that of another rate
            record["settled_without"] = [{"device_id": "cpu:0", "runtime": "cpu", "driver": "native"}]
            file.write_text(json.dumps(entry))

        with CudaMachine({"devices": [gpu(1, 61, attributes={"pci_device_id": 0xfffe})]}) as machine:
            for effort in (["--budget", "1"], [], ["--thorough"]):  # more where the machine has something else to do
                answer(machine, *effort)
                kept = [file for file in machine.folder.rglob("whichgpu/*.json") if '"record":' in file.read_text(errors="replace")]
                if kept:
                    break
            kept, = kept
            make_the_card_fast_and_leave_out_the_processor(kept)
            card = answer(machine)
            self.assertEqual(("cuda", "cached"), (card["backend"], card["basis"]), card)
            processor, = (one for one in card["rejected"] if one.get("runtime") == "cpu")
            self.assertIn("not measured, as facts alone tell that it is far behind", processor["reason"])
            among = answer(machine, "--among", "cpu", "--budget", "0.3")
            self.assertEqual("cpu", among["backend"])
            self.assertNotEqual("cached", among["basis"])
            self.assertNotIn("not measured, as facts alone", json.dumps(among))


if __name__ == "__main__":
    main()
