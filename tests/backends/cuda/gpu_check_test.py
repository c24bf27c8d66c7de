# SPDX-License-Identifier: MIT
"""bench/gpu_check on fake GPUs: it runs the gpu tests, measures, writes its result, and fails where it must; from a build
and with carried binaries.

    python3 gpu_check_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKES = BUILD / "tests" / "fakes"
LIBRARIES = {"cuda": ("fake_cuda/libcuda.so.1", "fake_nvml/libnvidia-ml.so.1", "fake_cublaslt/libcublasLt.so.13"),
             "hip": ("fake_hip/libamdhip64.so.6", "fake_hiprtc/libhiprtc.so.6")}
TESTS = {"cuda": "cuda_gpu_test", "hip": "hip_gpu_test"}


SMI = """#!/bin/sh
[ "$1" = -q ] && exec echo fake
while sleep 0.1; do echo '0, 97, 1755, 2619, 512.34'; echo '0, 0, 210, 2619, 70.10'; echo '0, [N/A], 1980, 2619, 70.10'; done
"""


def check(scenario, budget_s, carried=False, runs=1, runtime="cuda"):
    """What gpu_check ended with and what it left: its result, or of carried binaries the files of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("CUDA_", "HIP_", "ROCR_", "WHICHGPU_"))}
        # Nothing but the fake GPU: the software devices' measurements are not what this is about.
        environment.update(XDG_CACHE_HOME=str(folder / "cache"), VK_DRIVER_FILES="/nonexistent",
                           VK_ICD_FILENAMES="/nonexistent", OCL_ICD_VENDORS="/nonexistent")
        if scenario is not None:
            libraries = folder / "lib"
            libraries.mkdir()
            for library in LIBRARIES[runtime]:
                (libraries / library.rpartition("/")[2]).symlink_to(FAKES / runtime / library)
            (folder / "scenario.json").write_text(json.dumps(scenario))
            environment.update(WHICHGPU_LIBRARY_PATH=str(libraries),
                               WHICHGPU_FAKE_SCENARIO=str(folder / "scenario.json"))
        command = [sys.executable, "-B", ROOT / "bench" / "gpu_check", "--budget", str(budget_s), "--output"]
        if carried:
            binaries, output = folder / "carried", folder / "output"
            binaries.mkdir()
            (binaries / "whichgpu").symlink_to(BUILD / "report" / "whichgpu")
            for name, test in TESTS.items():
                (binaries / test).symlink_to(BUILD / "tests" / "backends" / name / test)
            (binaries / "nvidia-smi").write_text(SMI)
            (binaries / "nvidia-smi").chmod(0o755)
            environment["PATH"] = f"{binaries}:{environment['PATH']}"
            done = subprocess.run([*command, output, "--binaries", binaries, "--runs", str(runs)], env=environment,
                                  cwd=folder, capture_output=True, text=True)
            return done, {file.name: file.read_text() for file in output.iterdir()}
        output = folder / "result.json"
        done = subprocess.run([*command, output, "--no-build", "--build", BUILD], env=environment, capture_output=True,
                              text=True)
        return done, json.loads(output.read_text()) if output.exists() else None


def gpu(**more):
    return {"driver_version": "580.65.06", "devices": [
        {"name": "NVIDIA Fake", "pci": "0000:01:00.0", "memory_total_bytes": 256 << 20, "compute_units": 2,
         "attributes": {"capability": 80}, **more}]}


def amd_gpu():
    return {"devices": [{"name": "AMD Fake", "pci": "0000:03:00.0", "memory_total_bytes": 256 << 20, "compute_units": 2,
                         "attributes": {"gfx": 110000}}]}


# name -> scenario, seconds of measuring
CASES = {"good": (gpu(), 4), "wrong": (gpu(results="garbage"), 0.5), "none": (None, 0.3),
         "carried": ({**gpu(), "attributes": {"translation_ms": 20}}, 2, True, 2), "carried, faulting": (gpu(faulting_kernels="gemm_fp16_128"), 4, True),
         "carried, AMD": (amd_gpu(), 2, True, 1, "hip"), "carried, none": (None, 0.3, True)}


class GpuCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
            cls.runs = dict(zip(CASES, pool.map(lambda case: check(*case), CASES.values())))

    def test_a_good_gpu_is_tested_measured_and_written(self):
        done, result = self.runs["good"]
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"cuda_gpu_test.CudaGpu.VerifiesEveryKernelThatItSupports": "passed",
                          "hip_gpu_test.HipGpu.VerifiesEveryKernelThatItSupports": "skipped"}, result["tests"])
        self.assertTrue(result["tests_passed"])
        self.assertEqual(["pci:0000:01:00.0"], [device["id"] for device in result["machine"]["gpus"]])
        own = [row for row in result["comparison"] if row["runtime"] == "cuda" and row.get("own", {}).get("verified")]
        self.assertIn("fp32/fp32", [row["types"] for row in own])
        self.assertIn("pci:0000:01:00.0 cuda fp32/fp32", done.stdout)

    def test_a_gpu_that_computes_wrong_fails(self):
        done, result = self.runs["wrong"]
        self.assertEqual(1, done.returncode)
        self.assertIn("a gpu test failed", done.stderr)
        self.assertFalse(result["tests_passed"])

    def test_carried_binaries_leave_all_that_they_said(self):
        done, files = self.runs["carried"]
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertLessEqual({"machine.txt", "smi.txt", "report.watched", "report_2.json", "cuda_gpu_test.txt",
                              "hip_gpu_test.txt", "report.json", "report.err", "torch.json",
                              "summary.txt"}, set(files))
        self.assertIn(("cuda", "gemm", "ok"), {(m["runtime"], m["kernel"], m["status"])
                                               for m in json.loads(files["report.json"])["measurements"]})
        summary = files["summary.txt"]
        self.assertEqual(done.stdout.strip(), summary.strip())
        self.assertTrue(summary.startswith("== Failed\nnothing\n"), summary)
        self.assertRegex(summary, r"pci:0000:01:00.0 cuda fp32/fp32 \d+x\d+x\d+: [0-9.]+ T/s")
        self.assertRegex(summary, r"time [0-9.]+ s: finding the GPUs")
        self.assertRegex(summary, r"time 0 NVIDIA Fake opened [0-9.]+ s")
        translated = [(float(first), float(second)) for first, second in re.findall(
            r"time 0 NVIDIA Fake module of \S+ translated in ([0-9.]+) s, loaded in ([0-9.]+) s", summary)]
        self.assertGreater(len(translated), 5)
        self.assertGreater(statistics.median(first for first, _ in translated), 0.010, "of 20 ms, of the first load alone")
        self.assertLess(statistics.median(second for _, second in translated), 0.020)
        self.assertRegex(summary, r"card 0 at work in (\d+) of \d+ samples: clocks.sm 1755 MHz \(1755 to 1755\), "
                                  r"clocks.mem 2619 MHz \(2619 to 2619\), power.draw 512 W \(512 to 512\)")
        self.assertIn("== Figures of several runs\n2 of 2 whole runs\n", summary)
        self.assertRegex(summary, r"\npci:\S+ cuda .*: [0-9.]+ % apart in 2 runs, [0-9.e+-]+ \S+\n")
        self.assertRegex(summary, r"ok pci:0000:01:00.0 cuda gemm .* own:\S+ \S+ [0-9.e+]+ \S+.*, verified")
        self.assertRegex(summary, r"unsupported pci:0000:01:00.0 cuda gemm .*own:wgmma_128x256.*sm_90a")
        self.assertRegex(summary, r"kernel 0 NVIDIA Fake: \S+ \(gemm_fp16_128\): right, compiled in [0-9.]+ s")

    def test_carried_binaries_check_an_amd_gpu_likewise(self):
        done, files = self.runs["carried, AMD"]
        self.assertEqual(0, done.returncode, done.stderr)
        summary = files["summary.txt"]
        self.assertTrue(summary.startswith("== Failed\nnothing\n"), summary)
        self.assertRegex(summary, r"kernel 0 AMD Fake: \S+ \(gemm_fp16_128_by_64\): right, compiled in [0-9.]+ s")
        self.assertIn("== Tests that were skipped\ncuda_gpu_test: no GPU of NVIDIA's here", summary)
        self.assertIn(("hip", "gemm", "ok"), {(m["runtime"], m["kernel"], m["status"])
                                              for m in json.loads(files["report.json"])["measurements"]})

    def test_a_kernel_that_faults_heads_the_summary_and_costs_the_others_nothing(self):
        done, files = self.runs["carried, faulting"]
        self.assertEqual(1, done.returncode)
        failed, _, rest = files["summary.txt"].partition("\n\n")
        self.assertRegex(failed, r"kernel 0 NVIDIA Fake: \S+ \(gemm_fp16_128\): .*\(700\)")
        self.assertRegex(failed, r"failed pci:0000:01:00.0 cuda gemm fp16/fp32 own:mma_128x128")
        self.assertEqual(1, len([line for line in failed.splitlines() if line.startswith("kernel ")]), failed)
        self.assertIn("(gemm_int8_128): right", rest, "which comes after it")

    def test_carried_binaries_without_a_gpu_fail_and_say_so(self):
        done, files = self.runs["carried, none"]
        self.assertEqual(1, done.returncode)
        self.assertIn("no GPU", done.stderr)
        self.assertIn("report.json", files)
        self.assertTrue(files["summary.txt"].startswith("== Failed\nthe gpu tests: none ran\n"), files["summary.txt"])

    def test_a_machine_without_a_gpu_fails_and_says_so(self):
        done, result = self.runs["none"]
        self.assertEqual(1, done.returncode)
        self.assertIn("no GPU", done.stderr)
        self.assertIsNone(result)


@contextlib.contextmanager
def fake_gpu_test(hanging, **more):
    """The test of all kernels on a GPU on which some do not end."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for library in LIBRARIES["cuda"]:
            (folder / library.rpartition("/")[2]).symlink_to(FAKES / "cuda" / library)
        (folder / "scenario.json").write_text(json.dumps(gpu(hanging_kernels=hanging)))
        process = subprocess.Popen([BUILD / "tests" / "backends" / "cuda" / TESTS["cuda"]], stdout=subprocess.PIPE,
                                   text=True, env={**os.environ, "WHICHGPU_LIBRARY_PATH": str(folder), **more,
                                                   "WHICHGPU_FAKE_SCENARIO": str(folder / "scenario.json")})
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def wait_for(what):
    end = time.monotonic() + 5
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


class Hangs(unittest.TestCase):
    def test_one_of_a_family_is_enough_and_costs_no_other_family_anything(self):
        with fake_gpu_test("gemm_fp16_128", WHICHGPU_TEST_KERNEL_SECONDS="3") as process:
            said, _ = process.communicate()
        self.assertRegex(said, r"\(gemm_fp16_128\): it did not end in its time")
        self.assertRegex(said, r"\(gemm_bf16_128\): not tried: another kernel of own:mma did not end")
        self.assertEqual(1, len(re.findall(r"^kernel .* did not end in its time$", said, re.M)), said)
        self.assertRegex(said, r"\(gemm_fp32_128\): right")

    def test_the_test_leaves_nobody_on_the_gpu(self):
        with fake_gpu_test("gemm_") as process:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            self.assertTrue(wait_for(lambda: children.read_text().split()))
            child = pathlib.Path("/proc") / children.read_text().split()[0]
            time.sleep(1)  # until it waits for the kernel: before, it ends of the pipe that nobody reads
            process.kill()
            self.assertTrue(wait_for(lambda: not child.exists() or ") Z " in (child / "stat").read_text()))

    def test_a_command_whose_time_is_up_ends_with_all_that_it_started(self):
        with tempfile.TemporaryFile("w+") as said:
            with self.assertRaises(subprocess.TimeoutExpired):
                imported().run_with_children(["sh", "-c", "sleep 60 & echo $!; wait"], 0.3, stdout=said)
            said.seek(0)
            child = pathlib.Path("/proc") / said.read().strip()
        self.assertTrue(wait_for(lambda: not child.exists() or ") Z " in (child / "stat").read_text()))

    def test_a_check_that_is_ended_leaves_nothing_that_it_started(self):
        code = ("import importlib.machinery, importlib.util, signal, sys; "
                "loader = importlib.machinery.SourceFileLoader('gpu_check', sys.argv[1]); "
                "module = importlib.util.module_from_spec(importlib.util.spec_from_loader('gpu_check', loader)); "
                "loader.exec_module(module); signal.signal(signal.SIGTERM, module.end); "
                "module.run_with_children(['sh', '-c', 'sleep 60 & echo $!; wait'], 30)")
        with subprocess.Popen([sys.executable, "-B", "-c", code, ROOT / "bench" / "gpu_check"], text=True,
                              stdout=subprocess.PIPE) as process:
            child = pathlib.Path("/proc") / process.stdout.readline().strip()
            process.terminate()
            self.assertEqual(143, process.wait(20))
        self.assertTrue(wait_for(lambda: not child.exists() or ") Z " in (child / "stat").read_text()))


def imported():
    loader = importlib.machinery.SourceFileLoader("gpu_check", str(ROOT / "bench" / "gpu_check"))
    gpu_check = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
    loader.exec_module(gpu_check)
    return gpu_check


# Enough of PyTorch for the program that gpu_check gives to a Python: says what each product is asked to write.
FAKE_TORCH = """
import sys
float32, float16, bfloat16, int8 = "float32", "float16", "bfloat16", "int8"
class Event:
    def __init__(self, **_): pass
    def record(self): pass
    def elapsed_time(self, _): return 1.0
class cuda:
    Event = Event
    is_available, synchronize = (lambda: True), (lambda: None)
    get_device_name, mem_get_info = (lambda _: "Fake"), (lambda: (1 << 20, 1 << 20))
class backends:
    class cuda:
        class matmul: pass
class Tensor:
    def __init__(self, dtype=float32): self.dtype = dtype
    def __sub__(self, _): return self
    def to(self, dtype): return Tensor(dtype)
    def t(self): return self
    def element_size(self): return 4 if self.dtype == float32 else 2
    def __matmul__(self, _): return self
def rand(*_, **__): return Tensor()
def mm(a, _, out_dtype):
    if a.dtype == bfloat16: raise TypeError("no out_dtype")
__version__ = "2.8"
"""


class Torch(unittest.TestCase):
    def test_the_products_write_what_ours_do_where_it_can(self):
        gpu_check = imported()
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "torch.py").write_text(FAKE_TORCH)
            measured = [{"kernel": "gemm", "status": "ok", "in_dtype": name, "shape": {"m": 8, "n": 8, "k": 8}}
                        for name in ("fp32", "fp16", "bf16")]
            with unittest.mock.patch.dict(os.environ, {"PYTHONPATH": folder}):
                torch = gpu_check.torch_rates({"measurements": measured}, 20)
        self.assertEqual({f"{name} 8x8x8" for name in ("fp32", "fp16", "bf16")}, set(torch["gemm_flop_per_s"]))
        self.assertEqual(["bf16 8x8x8"], torch["narrow"])

    def test_pythons_that_hang_take_its_time_once(self):
        gpu_check, clock, allowed = imported(), [0.0], []

        def hang(*_, timeout, **__):
            allowed.append(timeout)
            clock[0] += timeout
            raise subprocess.TimeoutExpired("python", timeout)
        with unittest.mock.patch.object(gpu_check.time, "monotonic", lambda: clock[0]), \
                unittest.mock.patch.object(gpu_check.subprocess, "run", hang):
            self.assertIsNone(gpu_check.torch_rates({"measurements": []}, 80))
        self.assertEqual([80], allowed)


class Time(unittest.TestCase):
    def test_every_part_has_what_it_may_take_however_long_the_others_take(self):
        gpu_check, allowed = imported(), {}

        class Folder:
            took = {}

            def run(self, name, _, most_s):
                allowed[name] = self.took[name] = most_s
                return f"killed after {most_s} s"

            def read(self, _):
                return ""
        ends, _ = gpu_check.run_carried_tests(Folder(), pathlib.Path("."))
        self.assertEqual(set(gpu_check.GPU_TESTS), set(ends))
        self.assertGreaterEqual(min(allowed.values()), gpu_check.LEFT_S)
        self.assertLessEqual(2 * gpu_check.LOOK_S + sum(allowed.values()) + gpu_check.REPORT_S + gpu_check.TORCH_S,
                             gpu_check.ALL_S)


class Runs(unittest.TestCase):
    def test_a_run_that_does_not_fit_is_left_out_and_said(self):
        gpu_check, clock, ran = imported(), [0.0], []

        class Folder:
            end, took = 480, {"report": 150}

            def run(self, name, *_, **__):
                ran.append(name)
                clock[0] += 150
                return 0

            def read(self, _):
                return '{"measurements": []}'
        ends = {}
        with unittest.mock.patch.object(gpu_check.time, "monotonic", lambda: clock[0] + 200):
            more = gpu_check.more_runs(Folder(), [], 3, ends)
        self.assertEqual((["report_2"], {"report_2": 0}, 1), (ran, ends, len(more)))
        self.assertEqual(["2 of 3 whole runs: the time was up"], gpu_check.spread_lines([{"measurements": []}, *more], 3))

    def test_the_widest_spread_comes_first(self):
        gpu_check = imported()

        def report(read, copy):
            rows = [{"device_id": "gpu", "runtime": "cuda", "kernel": kernel, "in_dtype": "u32", "acc_dtype": "u32",
                     "implementation": "own", "unit": "bytes_per_s", "status": "ok", "rate": rate}
                    for kernel, rate in (("read", read), ("copy", copy))]
            return {"measurements": rows}
        self.assertEqual(["3 of 3 whole runs", "gpu cuda copy u32/u32 own: 20.0 % apart in 3 runs, 1e+12 bytes_per_s",
                          "gpu cuda read u32/u32 own: 5.0 % apart in 3 runs, 2e+12 bytes_per_s"],
                         gpu_check.spread_lines([report(2e12, 0.9e12), report(2.1e12, 1e12), report(2e12, 1.1e12)], 3))


class Comparison(unittest.TestCase):
    def test_ratios_are_at_one_shape_or_say_that_they_are_not(self):
        gpu_check = imported()

        def figure(types, implementation, n, rate, sums="fp32"):
            return {"device_id": "gpu", "runtime": "cuda", "kernel": "gemm", "in_dtype": types, "acc_dtype": sums,
                    "implementation": implementation, "shape": {"m": n, "n": n, "k": n}, "status": "ok", "rate": rate,
                    "verified": True}
        rows = gpu_check.comparison({"measurements": [
            figure("fp16", "own:mma", 8192, 300e12), figure("fp16", "own:wgmma", 8192, 600e12),
            figure("fp16", "cublaslt", 8192, 800e12), figure("fp32", "own:simt", 4096, 45e12),
            figure("fp32", "cublaslt", 6144, 50e12), figure("bf16", "own:wgmma", 8192, 600e12),
            figure("fp16", "own:wgmma", 8192, 500e12, "fp16")]},
            {"gemm_flop_per_s": {"fp16 8192x8192x8192": 750e12, "bf16 8192x8192x8192": 800e12},
             "narrow": ["bf16 8192x8192x8192"]})
        self.assertEqual(["gpu cuda bf16/fp32 8192x8192x8192: 600.000 T/s, 0.75 of torch with results of 2 bytes",
                          "gpu cuda fp16/fp16 8192x8192x8192: 500.000 T/s",
                          "gpu cuda fp16/fp32 8192x8192x8192: 600.000 T/s, 0.75 of library, 0.80 of torch",
                          "gpu cuda fp32/fp32 4096x4096x4096: 45.000 T/s, 0.90 of library at another shape"],
                         [gpu_check.row_of(row) for row in rows if "own" in row])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
