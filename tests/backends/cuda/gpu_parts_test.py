# SPDX-License-Identifier: MIT
"""What bench/gpu_check says of carried programs that do not come to a good end. No GPU, no
driver.

    python3 gpu_parts_test.py [unittest options]
"""
import json
import os
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
        with unittest.mock.patch.dict(os.environ, {"GPU_CHECK_PYTHON": python}), \
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
                      ran.parts["With a fault in tma_bf16_256"])
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
        with unittest.mock.patch.object(beside, "PLAIN_S", 0.5):
            begun = time.monotonic()
            ran = parts_of(plain_cuda=f"[ $# = 0 ] && exec echo '{PLAIN}'; sleep 60 & sleep 60")
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual([f"plain_cuda ({name}_neighbour): it did not begin within 0.5 s: it said nothing"
                          for name in ("load", "hold")], ran.failed)

    def test_reports_beside_a_neighbour_and_with_a_fault_that_do_not_come_are_missed(self):
        ran = parts_of(whichgpu="echo internal error >&2; exit 3")
        self.assertEqual([f"whichgpu ({name}): it ended with 3: internal error" for name in ("load", "hold", "faulty")],
                         ran.failed)
        self.assertEqual(["at work", ran.failed[0]], ran.parts["Beside another's work"])

    def test_what_there_was_no_time_for_is_skipped_and_not_failed(self):
        ran = parts_of(all_s=0)
        self.assertEqual([], ran.failed)
        for name in ("gpu_products (products_1)", "plain_cuda (plain)", "whichgpu (faulty)", "predict/stack.py (stack)"):
            self.assertIn(f"{name}: not run: the time was up", ran.skipped)
        self.assertFalse([line for lines in ran.parts.values() for line in lines if "ok" in line])


if __name__ == "__main__":
    unittest.main(verbosity=2)
