# SPDX-License-Identifier: MIT
"""What bench/gpu_check says of carried programs that do not come to a good end, and of a fault that was not planted. No
GPU, no driver.

    python3 gpu_parts_test.py [unittest options]
"""
import json
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench" / "gpu"))
import beside
import folder as folders
import planted

PRODUCT = '{"implementation": "own:a", "in": "fp16", "acc": "fp32", "shape": "8x8x8", "rate": 1e9, "verified": true}'
PLAIN = ('{"memcpy_bytes_per_s": 1e9, "copy_bytes_per_s": 2e9, "sum_bytes_per_s": 3e9, "launch_wall_s": 2e-6, '
         '"launch_alone_s": 5e-6}')


def measurement(implementation, in_dtype="bf16", status="ok", **more):
    return {"device_id": "gpu", "runtime": "cuda", "kernel": "gemm", "in_dtype": in_dtype, "acc_dtype": "fp32",
            "implementation": implementation, "status": status, "shape": {"m": 8, "n": 8, "k": 8},
            "verified": status == "ok", **({"rate": 1e9, "unit": "flop_per_s"} if status == "ok" else {}), **more}


def report_of(*measurements, **more):
    return {"devices": [{"id": "gpu", "kind": "discrete", "views": [{}]}], "measurements": list(measurements),
            "probes": [], **more}


RIGHT = report_of(measurement("own:mma_128x128"), measurement("own:tile_64x64", "fp32"))
FAULTY = report_of(measurement("own:mma_128x128", status="failed", reason="(700)"), measurement("own:tile_64x64", "fp32"))


def says(report):
    return f"cat <<'END'\n{json.dumps(report)}\nEND\n"


# Each carried program as it answers where all is well.
GOOD = {"whichgpu": f"if [ -n \"$WHICHGPU_FAULTY_KERNELS\" ]; then\n{says(FAULTY)}else\n{says(RIGHT)}fi",
        "gpu_products": f"echo '{PRODUCT}'",
        "plain_cuda": "case $1 in load) echo at work; exec sleep 60;; hold) echo 1 left; exec sleep 60;; esac; "
                      f"echo '{PLAIN}'",
        "libcuda_faulty.so": "", "predict/stack.py": "print('{\"layers\": 1}')"}


def parts_of(report=RIGHT, all_s=100, python=sys.executable, **programs):
    """The parts of a check whose programs are the good ones but for these: what it ran, for its figures."""
    with tempfile.TemporaryDirectory() as path:
        path = pathlib.Path(path)
        for name, text in {**GOOD, **programs}.items():
            file = path / "carried" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text if name.endswith(".py") else f"#!/bin/sh\n{text}\n")
            file.chmod(0o755)
        driver = path / "libcuda.so.1"
        driver.touch()
        report = {**report, "probes": report["probes"] or [
            {"module": "cuda", "outcome": "ok", "library": {"path": str(driver)}}]}
        kept = folders.Folder(path / "output", all_s)
        ran = beside.Beside(kept, path / "carried", report, lambda _: None)
        with unittest.mock.patch.object(beside, "pythons", lambda: [python]), \
                unittest.mock.patch.object(beside, "SETTLED_S", 0.1), \
                unittest.mock.patch.object(folders, "say", lambda _: None):
            ran.run()
        return ran


class Ends(unittest.TestCase):
    def test_good_ends_are_no_failures(self):
        ran = parts_of()
        self.assertEqual(([], []), (ran.failed, ran.skipped))
        self.assertEqual(["at work", "2 ok"], ran.parts["Beside another's work"][:2])
        self.assertIn("failed gpu cuda gemm bf16/fp32 own:mma_128x128 8x8x8: (700)",
                      ran.parts["With a fault in gemm_bf16_128"])
        self.assertEqual(['{"layers": 1}'], ran.parts["A model's stack in PyTorch"])

    def test_products_that_crash_are_told_with_their_signal_and_their_last_words(self):
        ran = parts_of(gpu_products=f"echo '{PRODUCT}'; echo out of luck >&2; kill -SEGV $$")
        lines = [f"gpu_products (products_{i}): killed by SIGSEGV: out of luck" for i in (1, 2)]
        self.assertEqual(lines, ran.failed)
        shown = ran.parts["Every product, and the library beside PyTorch"]
        self.assertEqual(lines, shown[:2])
        self.assertIn("own:a", shown[2], "what was there before")

    def test_programs_that_say_nothing_are_failures_too(self):
        ran = parts_of(gpu_products="", plain_cuda=GOOD["plain_cuda"].partition("esac")[0] + "esac")
        self.assertEqual(["gpu_products (products_1): it told of no product: it said nothing",
                          "plain_cuda (plain): it told of no figure: it said nothing"], ran.failed)

    def test_figures_of_cuda_that_are_missing_are_missed(self):
        ran = parts_of(plain_cuda=GOOD["plain_cuda"].replace("echo '{", "echo no device >&2; exit 2; echo '{"))
        self.assertEqual(["plain_cuda (plain): it ended with 2: no device"], ran.failed)
        self.assertEqual(ran.failed, ran.parts["Beside CUDA C++"])
        self.assertNotIn("plain", ran.result)

    def test_a_neighbour_that_dies_was_none(self):
        ran = parts_of(plain_cuda=f"[ $# = 0 ] && exec echo '{PLAIN}'; echo out of memory >&2; exit 1")
        lines = [f"plain_cuda ({name}_neighbour): it ended with 1 before whichgpu could run beside it: out of memory"
                 for name in ("load", "hold")]
        self.assertEqual(lines, ran.failed)
        self.assertEqual([lines[:1], lines[1:]], [ran.parts[title] for title in ran.parts if "another" in title])

    def test_a_neighbour_that_dies_meanwhile_was_none_for_a_part_of_the_time(self):
        ran = parts_of(plain_cuda=GOOD["plain_cuda"].replace("work; exec sleep 60", "work; sleep 0.3; kill -ABRT $$"),
                       whichgpu="sleep 1\n" + GOOD["whichgpu"])
        line = "plain_cuda (load_neighbour): killed by SIGABRT while whichgpu ran beside it: it said nothing"
        self.assertEqual([line], ran.failed)
        self.assertEqual([line], ran.parts["Beside another's work"])

    def test_a_neighbour_that_never_begins_is_waited_for_for_its_time_alone(self):
        with unittest.mock.patch.object(beside, "PLAIN_S", 2):
            begun = time.monotonic()
            ran = parts_of(plain_cuda=f"[ $# = 0 ] && exec echo '{PLAIN}'; sleep 60 & sleep 60")
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual([f"plain_cuda ({name}_neighbour): it did not begin within 2 s: it said nothing"
                          for name in ("load", "hold")], ran.failed)

    def test_reports_beside_a_neighbour_and_with_a_fault_that_do_not_come_are_missed(self):
        ran = parts_of(whichgpu="echo internal error >&2; exit 3")
        self.assertEqual([f"whichgpu ({name}): it ended with 3: internal error" for name in ("load", "hold", "faulty")],
                         ran.failed)
        self.assertEqual(["at work", ran.failed[0]], ran.parts["Beside another's work"])

    def test_what_there_was_no_time_for_is_skipped_and_not_failed(self):
        ran = parts_of(all_s=0)
        self.assertEqual([], ran.failed)
        for name in ("gpu_products (products_1)", "plain_cuda (plain)", "plain_cuda (load_neighbour)",
                     "whichgpu (faulty)", "predict/stack.py (stack)"):
            self.assertIn(f"{name}: not run: the time was up", ran.skipped)
        self.assertFalse([line for lines in ran.parts.values() for line in lines if "ok" in line])


class Stack(unittest.TestCase):
    def test_without_pytorch_it_is_skipped_and_why_is_said(self):
        text = (ROOT / "bench" / "predict" / "stack.py").read_text()
        ran = parts_of(**{"predict/stack.py": "import sys\nsys.modules['torch'] = None\n" + text})
        self.assertEqual([], ran.failed)
        self.assertEqual([f"predict/stack.py: {sys.executable}: it has no PyTorch"], ran.skipped)
        self.assertNotIn("A model's stack in PyTorch", ran.parts)

    def test_a_python_that_is_not_there_is_no_failure_of_a_gpus(self):
        ran = parts_of(python="/nonexistent/python")
        self.assertEqual([], ran.failed)
        self.assertRegex("\n".join(ran.skipped), r"predict/stack.py: /nonexistent/python: .*No such file")

    def test_one_that_fails_is_a_failure(self):
        ran = parts_of(**{"predict/stack.py": "raise RuntimeError('no kernel image')"})
        self.assertRegex("\n".join(ran.failed),
                         r"predict/stack.py \(stack\): it ended with 1: .*RuntimeError: no kernel image")


class Fault(unittest.TestCase):
    def test_a_fault_that_was_not_planted_is_a_failure_that_says_why(self):
        absent = report_of(probes=[{"module": "cuda", "outcome": "failed",
                                    "error": {"text": "libcuda_real.so: no such file"}}])
        late = report_of(measurement("own:mma_128x128", status="over_budget", reason="no time"))
        for faulty, why in ((RIGHT, "ok gpu cuda gemm bf16/fp32 own:mma_128x128 8x8x8 1e+09 flop_per_s, verified"),
                            (absent, "cuda answered failed: libcuda_real.so: no such file"),
                            (late, "over_budget gpu cuda gemm bf16/fp32 own:mma_128x128 8x8x8: no time"),
                            (report_of(), "the kernel was not tried")):
            with self.subTest(why):
                ran = parts_of(whichgpu=says(faulty))
                self.assertEqual([f"nothing was planted in gemm_bf16_128: {why}"], ran.failed)
                self.assertEqual(ran.failed, ran.parts["With a fault in gemm_bf16_128"][:1])

    def test_a_driver_that_is_nowhere_is_a_failure(self):
        with unittest.mock.patch.object(beside, "places_of", lambda *_: ["/nonexistent/a", "/nonexistent/b"]):
            ran = parts_of()
        self.assertEqual(["nothing was planted in gemm_bf16_128: no driver is at /nonexistent/a or /nonexistent/b"],
                         ran.failed)

    def test_the_kernel_is_one_that_the_card_has_run(self):
        for name, in_dtype, entry in (("own:wgmma_tma_128x256", "bf16", "tma_bf16_256"),
                                      ("own:turing_mma_128x128", "fp16", "turing_fp16_128"),
                                      ("own:tile_128x128", "fp32", "gemm_fp32_128")):
            report = report_of(measurement("own:wgmma_tma_128x256", status="unsupported"), measurement(name, in_dtype),
                               measurement("own:tile_64x64", "fp32"))
            self.assertEqual(entry, planted.kernel_of(report)[2])
        self.assertIsNone(planted.kernel_of(report_of(measurement("own:mma_128x128", status="wrong_result"))))

    def test_every_kernel_of_the_table_is_one_of_its_module(self):
        texts = "".join(file.read_text() for file in (ROOT / "kernels" / "cuda" / "ptx").glob("*.ptx"))
        table = "".join((ROOT / "kernels" / folder / "variants.cpp").read_text() for folder in ("cuda", "simt"))
        for _, implementation, entry in planted.KERNELS:
            self.assertIn(f".entry {entry}(", texts)
            self.assertIn(implementation.removeprefix("own:").rpartition("_")[0], table)

    def test_the_drivers_place_is_the_tools_own_then_as_a_loader_looks(self):
        probes = [{"module": "hip", "library": {"path": "/hip"}}, {"module": "cuda", "library": {"path": "/of/the/tool.so"}}]
        machine = ("\tlibcudart.so.13 (libc6,x86-64) => /usr/local/lib/libcudart.so.13\n"
                   "\tlibcuda.so.1 (libc6,AArch64) => /lib/aarch64-linux-gnu/libcuda.so.1\n")
        with unittest.mock.patch.object(planted.platform, "machine", lambda: "aarch64"):
            places = planted.places_of({"probes": probes}, machine, {"LD_LIBRARY_PATH": "/a::/b"})
            self.assertEqual(["/of/the/tool.so", "/lib/aarch64-linux-gnu/libcuda.so.1", "/a/libcuda.so.1", "/b/libcuda.so.1",
                              "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/aarch64-linux-gnu/libcuda.so.1"], places[:6])
        with tempfile.TemporaryDirectory() as path:
            driver = pathlib.Path(path) / "libcuda.so.1"
            driver.touch()
            self.assertEqual(driver, planted.driver_of(["/nonexistent/libcuda.so.1", path, str(driver)]))
        self.assertIsNone(planted.driver_of(["/nonexistent/libcuda.so.1"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
