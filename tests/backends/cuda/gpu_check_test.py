# SPDX-License-Identifier: MIT
"""bench/gpu_check on fake GPUs: it runs the gpu tests, measures, writes its result, and fails where it must; from a build
and with carried binaries.

    python3 gpu_check_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
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
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench" / "gpu"))
import figures
import folder as folders
BUILD = pathlib.Path(sys.argv[2]).resolve()
FAKES = BUILD / "tests" / "fakes"
LIBRARIES = {"cuda": ("fake_cuda/libcuda.so.1", "fake_nvml/libnvidia-ml.so.1", "fake_cublaslt/libcublasLt.so.13"),
             "hip": ("fake_hip/libamdhip64.so.6", "fake_hiprtc/libhiprtc.so.6")}
TESTS = {"cuda": "cuda_gpu_test", "hip": "hip_gpu_test"}
# A fake has no ring of stages, so a product that goes round none shows as much.
CHEAP = {"WHICHGPU_TEST_STEPS": "2", "WHICHGPU_TEST_LONGEST": "512"}
# The processor's figures and the software devices' are not what this is about; and beside a neighbour any figure will do.
WHICHGPU = f"""#!/bin/sh
case "$*" in *--json*--retry-crashed*) ;; *--json*) echo earlier runs decide >&2; exit 9;; esac
case "$*" in *--json*) set -- "$@" --only sysfs,cuda,hip;; esac
case "$WHICHGPU_FAULTY_KERNELS $*" in *--budget*) ;; " "*--json*) set -- "$@" --budget 0.8;; esac
exec {BUILD}/report/whichgpu "$@"
"""
# The build's own tests with their labels, of which ctest reads no more than it must.
CTEST = "".join(f'subdirs("{BUILD}/tests/backends/{name}")\n' for name in TESTS)
SMI = """#!/bin/sh
[ "$1" = -q ] && exec echo fake
while sleep 0.1; do echo '0, 97, 1755, 2619, 512.34'; echo '0, 0, 210, 2619, 70.10'; echo '0, [N/A], 1980, 2619, 70.10'; done
"""


# As bench/gpu/plain_cuda.cu answers.
PLAIN = """#!/bin/sh
case $1 in load) echo at work; exec sleep 60;; hold) echo 1 bytes are left; exec sleep 60;; esac
echo '{"memcpy_bytes_per_s": 1e9, "copy_bytes_per_s": 2e9, "sum_bytes_per_s": 3e9,'
echo ' "launch_wall_s": 2e-6, "launch_alone_s": 5e-6}'
"""


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def check(scenario, budget_s, carried=False, runs=1, runtime="cuda", whichgpu=None):
    """What gpu_check ended with and what it left: its result, or of carried binaries the files of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("CUDA_", "HIP_", "ROCR_", "WHICHGPU_"))}
        environment.update(XDG_CACHE_HOME=str(folder / "cache"), VK_DRIVER_FILES="/nonexistent",
                           VK_ICD_FILENAMES="/nonexistent", OCL_ICD_VENDORS="/nonexistent",
                           GPU_CHECK_PYTHON="/nonexistent/python", GPU_CHECK_EDGE="256", GPU_CHECK_TYPES="fp16", **CHEAP)
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
            write_script(binaries / "whichgpu", whichgpu or WHICHGPU)
            for name, test in TESTS.items() if whichgpu is None else ():
                (binaries / test).symlink_to(BUILD / "tests" / "backends" / name / test)
            write_script(binaries / "nvidia-smi", SMI)
            if runs > 1 and whichgpu is None:
                write_script(binaries / "plain_cuda", PLAIN)
                for name in ("gpu_products", "libcuda_faulty.so"):
                    (binaries / name).symlink_to(BUILD / "bench" / name)
            environment["PATH"] = f"{binaries}:{environment['PATH']}"
            done = subprocess.run([*command, output, "--binaries", binaries, "--runs", str(runs)], env=environment,
                                  cwd=folder, capture_output=True, text=True)
            kept = [file for file in (*output.iterdir(), output / "record" / "record.json") if file.is_file()]
            return done, {file.name: file.read_text() for file in kept}
        output, build = folder / "result.json", folder / "build"
        write_script(build / "report" / "whichgpu", WHICHGPU)
        (build / "CTestTestfile.cmake").write_text(CTEST)
        done = subprocess.run([*command, output, "--no-build", "--build", build], env=environment, capture_output=True,
                              text=True)
        return done, json.loads(output.read_text()) if output.exists() else None


def gpu(capability=80, **more):
    return {"driver_version": "580.65.06", "devices": [
        {"name": "NVIDIA Fake", "pci": "0000:01:00.0", "memory_total_bytes": 256 << 20, "compute_units": 2,
         "attributes": {"capability": capability}, **more}]}


def beside(**more):
    """A good GPU and another one."""
    scenario = gpu(52)
    second = {**scenario["devices"][0], "pci": "0000:02:00.0", "uuid": f"{2:032x}", **more}
    return {**scenario, "devices": [*scenario["devices"], second]}


# Others hold its memory: it can not even be opened.
FILLED_BESIDE = {**beside(memory_free_bytes=4096), "misbehave": [{"at": "create", "do": "error", "code": 2, "device": 1}]}


def amd_gpu():
    return {"devices": [{"name": "AMD Fake", "pci": "0000:03:00.0", "memory_total_bytes": 256 << 20, "compute_units": 2,
                         "attributes": {"gfx": 110000}}]}


AT_ONCE = 4  # checks, whose GPUs compute on the processor: so many places ctest keeps for them
# name -> scenario, seconds of measuring; of a GPU with few kernels where all that matters is what becomes of them
CASES = {"good": (gpu(52), 0.6), "wrong": (gpu(52, results="garbage"), 0.2), "none": (None, 0.2),
         "carried": ({**gpu(), "attributes": {"translation_ms": 20}}, 2, True, 2),
         "carried, faulting": (gpu(faulting_kernels="gemm_fp16_128"), 1.5, True),
         "carried, filled": (FILLED_BESIDE, 0.5, True),
         "filled": (FILLED_BESIDE, 0.5),
         "carried, lost": (beside(attributes={"capability": 52, "nvml_handle": 15}), 0.3, True),
         "divided": (beside(attributes={"capability": 52, "mig": 1}), 0.3),
         "carried, AMD": (amd_gpu(), 1, True, 1, "hip"), "carried, none": (None, 0.2, True),
         "carried, broken": (None, 0.2, True, 3, "cuda", "#!/bin/sh\nexit 1\n")}


def has_product(files, runtime, status="ok"):
    rows = json.loads(files.get("report.json") or '{"measurements": []}')["measurements"]
    return (runtime, "gemm", status) in {(m["runtime"], m["kernel"], m["status"]) for m in rows}


# What a check shows only of a GPU that had time for it.
SHOWN = {"good": lambda result: "fp32/fp32" in verified_types(result),
         "carried": lambda files: re.search(r"read: [0-9.]+ TB/s", files["summary.txt"]),
         "carried, AMD": lambda files: has_product(files, "hip"),
         "carried, faulting": lambda files: has_product(files, "cuda", "failed")}


def verified_types(result):
    return [row["types"] for row in result["comparison"] if row["runtime"] == "cuda" and row.get("own", {}).get("verified")]


def check_until_shown(name):
    """For longer where the machine had something else to do."""
    scenario, budget_s, *more = CASES[name]
    for longer in (1, 2, 6):
        done, left = check(scenario, longer * budget_s, *more)
        if name not in SHOWN or left and SHOWN[name](left):
            break
    return done, left


class GpuCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(min(AT_ONCE, os.cpu_count())) as pool:
            cls.runs = dict(zip(CASES, pool.map(check_until_shown, CASES)))

    def test_a_good_gpu_is_tested_measured_and_written(self):
        done, result = self.runs["good"]
        self.assertEqual(0, done.returncode, done.stderr)
        suites = (("cuda_gpu_test.CudaGpu", "passed"), ("hip_gpu_test.HipGpu", "skipped"))
        self.assertEqual({f"{suite}.{name}": state for suite, state in suites
                          for name in ("VerifiesEveryKernelThatItSupports", "VerifiesTheLongestProducts")}, result["tests"])
        self.assertTrue(result["tests_passed"])
        self.assertEqual(["pci:0000:01:00.0"], [device["id"] for device in result["machine"]["gpus"]])
        self.assertIn("fp32/fp32", verified_types(result))
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
                              "hip_gpu_test.txt", "report.json", "report.err", "report_text.txt", "record.json",
                              "torch.json", "summary.txt"}, set(files))
        self.assertIn("NVIDIA Fake", files["report_text.txt"])
        self.assertEqual(2, len(json.loads(files["result.json"])["products"][0]["rates"]))
        self.assertIn("cuda", [probe["module"] for probe in json.loads(files["record.json"])["probes"]])
        self.assertTrue(has_product(files, "cuda"))
        summary = files["summary.txt"]
        self.assertRegex(summary, r"fp16/fp32 256x256x256: cublaslt [0-9.]+ T/s")
        self.assertRegex(summary, r"fp16/fp32 256x256x256: own:mma_128x128 [0-9.]+ T/s, [0-9.]+ of cublaslt")
        self.assertRegex(summary, r"read: [0-9.]+ TB/s, [0-9.]+ of the best of CUDA C\+\+ and PyTorch")
        self.assertRegex(summary, r"== With a fault in \w+\nfailed pci:\S+ cuda gemm .*ILLEGAL_ADDRESS \(700\)\n")
        self.assertRegex(summary, r"\n\d+ figures are there all the same\n")
        self.assertIn("== Parts that were skipped\npredict/stack.py: it was not carried\n", summary)
        self.assertRegex(summary, r"== Beside another's work\nat work\n.*\d+ ok")
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
        self.assertIn("== PyTorch\nskipped: /nonexistent/python: No such file or directory\nskipped: ", summary)
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
        self.assertTrue(has_product(files, "hip"))

    def test_a_kernel_that_faults_heads_the_summary_and_costs_the_others_nothing(self):
        done, files = self.runs["carried, faulting"]
        self.assertEqual(1, done.returncode)
        failed, _, rest = files["summary.txt"].partition("\n\n")
        self.assertRegex(failed, r"kernel 0 NVIDIA Fake: \S+ \(gemm_fp16_128\): .*\(700\)")
        self.assertRegex(failed, r"failed pci:0000:01:00.0 cuda gemm fp16/fp32 own:mma_128x128")
        kernels = [line for line in failed.splitlines() if line.startswith("kernel ") and "(gemm" in line]
        self.assertEqual(1, len(kernels), failed)
        self.assertIn("(gemm_int8_128): right", rest, "which comes after it")

    def test_a_card_that_others_fill_stands_apart_and_decides_nothing(self):
        done, files = self.runs["carried, filled"]
        self.assertEqual(0, done.returncode, files["summary.txt"])
        failed, room, _ = files["summary.txt"].split("\n\n", 2)
        self.assertEqual("== Failed\nnothing", failed)
        self.assertTrue(room.startswith("== No room (others hold the memory)\nopening 1 NVIDIA Fake: "), room)
        self.assertIn("\nfailed pci:0000:02:00.0 cuda gemm ", room)
        done, result = self.runs["filled"]
        self.assertEqual((0, True, []), (done.returncode, result["tests_passed"], result["failed"]), done.stderr)
        self.assertLessEqual({"No room (others hold the memory)"}, set(result["tests"].values()))
        self.assertIn("opening 1 NVIDIA Fake: ", result["no_room"][0])
        self.assertIn(f"No room (others hold the memory): {result['no_room'][0]}\n", done.stderr)
        self.assertIn("failed pci:0000:02:00.0 cuda gemm ", "\n".join(result["no_room"]))

    def test_a_card_that_no_runtime_reaches_fails_beside_a_good_one(self):
        done, files = self.runs["carried, lost"]
        self.assertEqual(1, done.returncode)
        failed, aside, _ = files["summary.txt"].split("\n\n", 2)
        self.assertRegex(failed, r"\A== Failed\n\w+ unplaced.cuda.nvml-error-gpu-is-lost: .* GPU 1 fell off the bus.*\Z")
        self.assertRegex(aside, r"\A== Set aside \(WHICHGPU_FAKE_SCENARIO is set: the drivers are fakes\)\n"
                                r"blocking claim.pci-0000-01-00-0: NVIDIA Fake: it claims to be .*\Z")
        self.assertEqual(failed.splitlines()[1:], json.loads(files["result.json"])["failed"])
        done, result = self.runs["divided"]
        self.assertEqual(1, done.returncode)
        line, = result["failed"]
        self.assertIn("unreached.pci-0000-02-00-0: no runtime reaches NVIDIA Fake (pci:0000:02:00.0): it is in MIG mode", line)
        self.assertIn(line, done.stderr)

    def test_carried_binaries_without_a_gpu_fail_and_say_so(self):
        done, files = self.runs["carried, none"]
        self.assertEqual(1, done.returncode)
        self.assertIn("no GPU", done.stderr)
        self.assertIn("report.json", files)
        self.assertTrue(files["summary.txt"].startswith("== Failed\nthe gpu tests: none ran\n\n"), files["summary.txt"])
        self.assertIn("1 of 1 whole runs: the first has no GPU", files["summary.txt"])

    def test_what_ends_without_a_report_is_no_machine_without_a_gpu(self):
        done, files = self.runs["carried, broken"]
        self.assertEqual(1, done.returncode)
        self.assertIn("whichgpu gave no report", done.stderr)
        self.assertNotIn("no GPU", done.stderr)
        failed, _, rest = files["summary.txt"].partition("\n\n")
        self.assertIn("\nreport: it ended with 1\nreport_text: not run: there is no record\n"
                      "whichgpu said last: it said nothing", failed)
        self.assertIn("0 of 3 whole runs: the first gave none: it ended with 1\n", rest)
        self.assertIn("hip_gpu_test: it was not carried", rest)

    def test_a_machine_without_a_gpu_fails_and_says_so(self):
        done, result = self.runs["none"]
        self.assertEqual(1, done.returncode)
        self.assertIn("no GPU", done.stderr)
        self.assertIsNone(result)


def imported():
    loader = importlib.machinery.SourceFileLoader("gpu_check", str(ROOT / "bench" / "gpu_check"))
    gpu_check = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
    loader.exec_module(gpu_check)
    return gpu_check


class Time(unittest.TestCase):
    def test_every_part_has_what_it_may_take_however_long_the_others_take(self):
        gpu_check, allowed = imported(), {}

        class Folder:
            took = {}

            def run_tidily(self, name, _, most_s):
                allowed[name] = self.took[name] = most_s
                return f"killed after {most_s} s"

            def read(self, _):
                return ""
        with tempfile.TemporaryDirectory() as binaries:
            for test in gpu_check.GPU_TESTS:
                (pathlib.Path(binaries) / test).touch()
            results = gpu_check.Results(1)
            gpu_check.run_carried_tests(Folder(), pathlib.Path(binaries), results)
        self.assertEqual(set(gpu_check.GPU_TESTS), set(results.ends))
        self.assertGreaterEqual(min(allowed.values()), gpu_check.LEFT_S)
        self.assertLessEqual(3 * gpu_check.LOOK_S + sum(allowed.values()) + gpu_check.REPORT_S + gpu_check.TORCH_S,
                             gpu_check.ALL_S)


class Runs(unittest.TestCase):
    @staticmethod
    def more(count, takes_s, says=('{"measurements": []}',)):
        """Of a check that has 280 s left when the first run has ended, after 150: the further ones, and what was said."""
        gpu_check, left, ran = imported(), [280], []

        class Folder:
            took = {"report": 150}

            def run(self, name, *_, **__):
                ran.append(name)
                left[0] -= takes_s
                return 0 if "{" in self.read(name) else 1

            def left_s(self):
                return left[0]

            def read(self, _):
                return says[min(len(ran), len(says)) - 1]
        results = gpu_check.Results(count)
        gpu_check.more_runs(Folder(), [], results)
        return ran, results.ends, len(results.reports), results.why_fewer

    def test_a_run_that_does_not_fit_is_left_out_and_said(self):
        self.assertEqual((["report_2"], {"report_2": 0}, 1, "the time was up"), self.more(3, 150))
        self.assertEqual((["report_2", "report_3"], {"report_2": 0, "report_3": 0}, 2, None), self.more(3, 50))

    def test_a_run_that_fails_is_no_want_of_time(self):
        self.assertEqual((["report_2", "report_3"], {"report_2": 1, "report_3": 0}, 1,
                          "report_2 gave none: it ended with 1"), self.more(3, 50, ("", '{"measurements": []}')))

    def test_a_part_whose_time_others_took_is_not_out_of_time(self):
        with tempfile.TemporaryDirectory() as path:
            folder = folders.Folder(pathlib.Path(path), 100)
            self.assertEqual("not run: others took the time of its part", folder.run("a", ["true"], 0.5))
            folder.end = 0
            self.assertEqual("not run: the time was up", folder.run("a", ["true"], 50))

    def test_the_widest_spread_comes_first(self):
        def report(read, copy):
            rows = [{"device_id": "gpu", "runtime": "cuda", "kernel": kernel, "in_dtype": "u32", "acc_dtype": "u32",
                     "implementation": "own", "unit": "bytes_per_s", "status": "ok", "rate": rate}
                    for kernel, rate in (("read", read), ("copy", copy))]
            return {"measurements": rows}
        self.assertEqual(["3 of 3 whole runs", "gpu cuda copy u32/u32 own: 20.0 % apart in 3 runs, 1e+12 bytes_per_s",
                          "gpu cuda read u32/u32 own: 5.0 % apart in 3 runs, 2e+12 bytes_per_s"],
                         figures.spread_lines([report(2e12, 0.9e12), report(2.1e12, 1e12), report(2e12, 1.1e12)], 3))


class Failures(unittest.TestCase):
    def test_an_implausible_figure_of_any_run_is_one_once(self):
        def report(status, device="gpu"):
            devices = [{"id": name, "kind": kind, "views": [{}]} for name, kind in (("gpu", "discrete"), ("cpu:0", "cpu"))]
            return {"devices": devices, "probes": [], "measurements": [{
                "device_id": device, "runtime": "cuda", "kernel": "read", "in_dtype": "u32", "acc_dtype": "u32",
                "implementation": "own", "status": status, "reason": "faster than the chip", "verified": status == "ok"}]}
        line = "implausible gpu cuda read u32/u32 own: faster than the chip"
        self.assertEqual([line], figures.failed_lines([report("implausible"), report("implausible")]))
        self.assertEqual([], figures.tried_lines(report("implausible")))
        self.assertEqual([line + " (in run 2)"], figures.failed_lines([report("ok"), report("implausible")]))
        self.assertEqual([], figures.failed_lines([report("implausible", "cpu:0")]), "no GPU's")
        gpu_check = imported()
        results = gpu_check.Results(2)
        for status, told in (("implausible", line), ("skipped", "gpu: nothing was verified on it: skipped: faster than the chip")):
            results.reports = [report("ok"), report(status)]
            with tempfile.TemporaryDirectory() as path:
                text, failed = gpu_check.summarise(folders.Folder(pathlib.Path(path), 1), results)
            self.assertEqual((1, 1), (failed, text.count(told)))
            self.assertTrue(text.startswith(f"== Failed\n{told} (in run 2)\n\n"), text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
