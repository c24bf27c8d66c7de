# SPDX-License-Identifier: MIT
"""What bench/gpu_check makes of figures, of PyTorch's and of cards' clocks: its modules below bench/gpu alone.

    python3 gpu_figures_test.py [unittest options]
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench" / "gpu"))
import beside
import cards
import figures
import missed
import others
import planted

GPU = {"devices": [{"id": "gpu", "kind": "discrete", "views": [{}]}]}


def wait_for(what):
    end = time.monotonic() + 5
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


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
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "torch.py").write_text(FAKE_TORCH)
            measured = [{"device_id": "gpu", "kernel": "gemm", "status": "ok", "in_dtype": name,
                         "shape": {"m": 8, "n": 8, "k": 8}} for name in ("fp32", "fp16", "bf16")]
            with unittest.mock.patch.dict(os.environ, {"PYTHONPATH": folder}):
                torch, _ = others.torch_rates({**GPU, "measurements": measured}, 20)
        self.assertEqual({f"{name} 8x8x8" for name in ("fp32", "fp16", "bf16")}, set(torch["gemm_flop_per_s"]))
        self.assertEqual(["bf16 8x8x8"], torch["narrow"])

    def test_pythons_that_hang_take_its_time_once(self):
        clock, allowed = [0.0], []

        def hang(*_, timeout, **__):
            allowed.append(timeout)
            clock[0] += timeout
            raise subprocess.TimeoutExpired("python", timeout)
        with unittest.mock.patch.object(others.time, "monotonic", lambda: clock[0]), \
                unittest.mock.patch.object(others.subprocess, "run", hang), \
                unittest.mock.patch.dict(os.environ, {"GPU_CHECK_PYTHON": "/one"}):
            torch, skipped = others.torch_rates({**GPU, "measurements": []}, 80)
        self.assertIsNone(torch)
        self.assertEqual([80], allowed)
        self.assertEqual(["skipped: /one: killed after 80 s", "skipped: python3: no time was left for it"],
                         [line for line in others.torch_lines(torch, skipped) if sys.executable not in line])

    def test_why_there_is_none_is_said(self):
        for code, stderr, why in ((3, "", "it has no PyTorch"), (4, "", "its PyTorch sees no GPU"),
                                  (1, "Traceback\nRuntimeError: no\n", "it ended with 1: RuntimeError: no")):
            done = subprocess.CompletedProcess([], code, "", stderr)
            with unittest.mock.patch.object(others.subprocess, "run", lambda *_, done=done, **__: done):
                _, skipped = others.torch_rates({**GPU, "measurements": []}, 80)
            self.assertIn(f"python3: {why}", skipped)


class Cards(unittest.TestCase):
    def test_amds_clocks_and_power_are_watched(self):
        with tempfile.TemporaryDirectory() as sys_folder:
            driver = pathlib.Path(sys_folder) / "bus/pci/drivers/amdgpu"
            for address, load in (("0000:03:00.0", "97\n"), ("0000:c3:00.0", None)):
                for name, text in (("vendor", "0x1002\n"), ("gpu_busy_percent", load),
                                   ("pp_dpm_sclk", "0: 132Mhz\n1: 2100Mhz *\n"),
                                   ("pp_dpm_mclk", "0: 900Mhz *\n"), ("hwmon/hwmon4/power1_average", "312500000\n")):
                    file = driver / address / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    if text:
                        file.write_text(text)
            (driver / "bind").touch()
            with tempfile.TemporaryFile("w+") as said:
                with subprocess.Popen([*cards.AMDGPU, sys_folder], stdout=said) as process:
                    self.assertTrue(wait_for(lambda: said.seek(0) or said.read().count("\n") >= 2))
                    process.kill()
                said.seek(0)
                lines = cards.at_work_lines("".join(said.readlines()[:2]))
        figures_of = "clocks.sm 2100 MHz (2100 to 2100), clocks.mem 900 MHz (900 to 900), power.draw 312 W (312 to 312)"
        self.assertEqual([f"card 0000:03:00.0 at work in 1 of 1 samples: {figures_of}",
                          f"card 0000:c3:00.0 in 1 samples, without its load: {figures_of}"], lines)


class Comparison(unittest.TestCase):
    def test_ratios_are_at_one_shape_or_say_that_they_are_not(self):
        def figure(types, implementation, n, rate, sums="fp32"):
            return {"device_id": "gpu", "runtime": "cuda", "kernel": "gemm", "in_dtype": types, "acc_dtype": sums,
                    "implementation": implementation, "shape": {"m": n, "n": n, "k": n}, "status": "ok", "rate": rate,
                    "verified": True}
        rows = figures.comparison({**GPU, "measurements": [
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
                         [figures.row_of(row) for row in rows if "own" in row])


class Beside(unittest.TestCase):
    def test_every_product_is_told_beside_the_library_and_that_beside_pytorch(self):
        def row(implementation, rate, **more):
            return ('{"implementation": "%s", "in": "fp16", "acc": "fp32", "shape": "8x8x8", %s}\n'
                    % (implementation, f'"rate": {rate}, "verified": true' if rate else '"error": "no memory"'))
        rows = beside.products_of([row("own:a", 4e14) + row("lt", 8e14) + row("own:b", None),
                                   row("own:a", 6e14) + row("lt", 8e14)])
        lines, wrong = beside.product_lines(rows, {"gemm_flop_per_s": {"fp16 8x8x8": 1e15}})
        self.assertEqual(["fp16/fp32 8x8x8: lt 800.0 T/s, 0.80 of PyTorch's",
                          "fp16/fp32 8x8x8: own:a 500.0 T/s, 0.62 of lt"], lines)
        self.assertEqual(["product own:b fp16 fp32 8x8x8: no memory"], wrong)

    def test_what_a_fault_took_with_it_is_named(self):
        def figure(implementation, status="ok"):
            return {"device_id": "gpu", "runtime": "cuda", "kernel": "read", "in_dtype": "u32", "acc_dtype": "u32",
                    "implementation": implementation, "status": status, "verified": status == "ok", "reason": "(700)"}
        whole = {**GPU, "measurements": [figure("a"), figure("b"), figure("c")]}
        faulty = {**GPU, "measurements": [figure("a", "failed"), figure("b")]}
        self.assertEqual(["failed gpu cuda read u32/u32 a: (700)", "1 figures are there all the same",
                          "not there: gpu cuda read u32/u32 a", "not there: gpu cuda read u32/u32 c"],
                         planted.faulty_lines(faulty, whole))

    def test_a_card_that_is_broken_beside_is_a_line_and_hides_no_fault(self):
        kernel = ("fp32", "own:tile_64x64", "gemm_fp32_64")

        def product(card, status):
            return {"device_id": card, "runtime": "cuda", "kernel": "gemm", "in_dtype": "fp32", "acc_dtype": "fp32", "shape": {},
                    "implementation": kernel[1], "status": status, "verified": status == "ok", "reason": f"{status} on {card}",
                    **({"rate": 1e9, "unit": "flop_per_s"} if status == "ok" else {})}
        cards = {"devices": [{"id": name, "kind": "discrete", "views": [{}]} for name in ("good", "broken")]}
        broken = [{**product("broken", "failed"), "in_dtype": name} for name in ("fp32", "fp16", "bf16")]
        whole = {**cards, "measurements": [product("good", "ok"), *broken]}
        with_fault = {**cards, "measurements": [product("good", "failed"), *broken]}
        self.assertEqual("", planted.why_nothing_was_planted(with_fault, kernel, whole))
        lines = planted.faulty_lines(with_fault, whole)
        self.assertEqual(["failed good cuda gemm fp32/fp32 own:tile_64x64 0x0x0: failed on good", "0 figures are there all the same",
                          "not there: good cuda gemm fp32/fp32 own:tile_64x64 0x0x0",
                          "broken: 3 failures that are there without the fault, too"], lines)
        self.assertIn("ok good", planted.why_nothing_was_planted(whole, kernel, whole), "the other's is not the planted one")


class Faults(unittest.TestCase):
    def lines(self, environment=(), why="NVML_ERROR_GPU_IS_LOST", **findings):
        """Of a machine with a card that is reached and one that is not, of which a driver says why: what is said of findings, by
        severity."""
        facts = [{"key": missed.WHY_UNREACHED, "value": why}] if why else []
        report = {"devices": [{"id": "reached", "views": [{}]}, {"id": "not", "views": [], "hardware": {"facts": facts}}],
                  "findings": [{"id": name, "severity": severity, "summary": "why", "device_id": name.rpartition(".")[2]}
                               for severity, names in findings.items() for name in names]}
        with unittest.mock.patch.dict(os.environ, dict(environment)):
            return missed.fault_lines([report])

    def test_what_is_not_reached_and_what_crashes_fails_beside_a_good_card(self):
        names = ["unreached.not", "unplaced.cuda.lost", "device_node.denied.not", "driver.vulkan.bad.crashed",
                 "driver.vulkan.bad.timed_out", "runtime.hip.bad_reply"]
        self.assertEqual(([f"degraded {name}: why" for name in names], [], []), self.lines(degraded=names))
        self.assertEqual(([], [], []), self.lines(note=names, degraded=[
            "device_node.denied.reached", "driver.vulkan.bad.failed", "runtime.hip.failed", "hidden.cuda.reached"]))

    def test_what_blocks_fails_but_for_what_is_judged_elsewhere(self):
        self.assertEqual((["blocking runtime.hip.failed: why", "blocking claim.reached: why"], [], []), self.lines(
            blocking=["runtime.hip.failed", "measure.cuda.nvidia.failed", "peers.cuda.nvidia.failed", "memory.others.reached",
                      "claim.reached"]))

    def test_only_of_fakes_a_claim_is_set_aside(self):
        self.assertEqual((["blocking unreached.not: why"], ["blocking claim.reached: why"], []), self.lines(
            {missed.FAKES: "scenario.json"}, blocking=["claim.reached", "unreached.not"]))

    def test_the_cards_of_a_host_that_are_others_are_no_failure_beside_one_that_works(self):
        self.assertEqual(([], [], ["degraded unreached.not: why"]), self.lines(why="", degraded=["unreached.not"]))
        self.assertEqual((["blocking unreached.not: why"], [], []), self.lines(why="", blocking=["unreached.not"]))

    def test_each_is_told_once_with_the_first_run_that_has_it(self):
        lost = {"devices": [], "findings": [{"id": "unplaced.a", "severity": "degraded", "summary": "why"}]}
        self.assertEqual(["degraded unplaced.a: why (in run 2)"],
                         missed.fault_lines([{"devices": []}, lost, lost])[0])


class WithoutFigure(unittest.TestCase):
    @staticmethod
    def report(cards=("good", "other"), memory=None, **ends):
        """Of cards of which the first is good; what came of the others, each twice."""
        rows = [("good", {"status": "ok", "verified": True}), *[(card, end) for card, end in ends.items() for _ in range(2)]]
        return {"devices": [{"id": card, "kind": "discrete", "views": [{}], "memory": memory or {}} for card in cards],
                "measurements": [{"device_id": card, "runtime": "cuda", "kernel": "read", "in_dtype": "u32", "acc_dtype": "u32",
                                  "implementation": "a", **end} for card, end in rows]}

    def test_a_card_of_which_nothing_is_verified_fails_beside_a_good_one(self):
        interrupted = {"status": "skipped", "reason": "it was interrupted 4 times"}
        for end, why in ((interrupted, "skipped: it was interrupted 4 times"), ({"status": "over_budget"}, "over_budget"),
                         ({"status": "ok", "verified": False}, "ok"), (None, "nothing was tried")):
            with self.subTest(why):
                report = self.report(**({"other": end} if end else {}))
                self.assertEqual(([f"other: nothing was verified on it: {why}"], []), missed.no_figure_lines([report]))

    def test_what_has_a_figure_or_a_failure_of_its_own_is_not_told_twice(self):
        self.assertEqual(([], []), missed.no_figure_lines([self.report(other={"status": "ok", "verified": True})]))
        self.assertEqual(([], []), missed.no_figure_lines([self.report(other={"status": "failed", "reason": "(700)"})]))

    def test_a_card_that_is_gone_in_a_later_run_is_missed(self):
        whole = self.report(other={"status": "ok", "verified": True})
        self.assertEqual(["other: nothing was verified on it: no runtime reaches it any more (in run 2)"],
                         missed.no_figure_lines([whole, self.report(cards=["good"])])[0])

    def test_what_others_fill_has_no_room_and_is_no_failure(self):
        full = {"total_bytes": 1000, "free_bytes": 10}
        late = self.report(memory=full, other={"status": "over_budget"})
        self.assertEqual(([], ["other: nothing was verified on it: over_budget"]), missed.no_figure_lines([late]))
        lacked = self.report(memory=full, other={"status": "failed", "reason": "none left", "lacked_memory": True})
        self.assertEqual(([], []), missed.no_figure_lines([lacked]), "its own lines say so")


class Room(unittest.TestCase):
    REASON = "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)"

    def report(self, free_bytes, findings=(), **of_measurement):
        memory = {"total_bytes": 1000, "free_bytes": free_bytes}
        return {"devices": [{"id": "gpu", "kind": "discrete", "memory": memory, "views": [{"runtime": "cuda", "ordinal": 1}]}],
                "measurements": [{"device_id": "gpu", "runtime": "cuda", "kernel": "read", "in_dtype": "u32", "acc_dtype": "u32",
                                  "implementation": "a", "status": "failed", "reason": self.REASON, **of_measurement}],
                "findings": list(findings)}

    def test_what_others_hold_is_no_failure_and_what_is_free_is_one(self):
        line = f"failed gpu cuda read u32/u32 a: {self.REASON}"
        kernel = f"kernel 1 Fake: own:a (a): {self.REASON}"
        others = [{"id": "memory.others.gpu", "device_id": "gpu"}]
        lacked = {"lacked_memory": True}
        for report, is_full in ((self.report(10, **lacked), True), (self.report(1000, **lacked), False),
                                (self.report(1000, others, **lacked), True)):
            with self.subTest(report):
                self.assertEqual(([], [line]) if is_full else ([line], []),
                                 (figures.failed_lines([report]), figures.no_room_lines([report])))
                self.assertEqual(is_full, figures.wanted_room_in_test(kernel, "cuda", [report]))
                left = "kernel 1 NVIDIA Fake: own:a (a): left to others: 4 KiB are free"
                self.assertEqual(is_full, figures.wanted_room_in_test(left, "cuda", [report]))
                self.assertFalse(figures.wanted_room_in_test(kernel.replace("kernel 1", "kernel 0"), "cuda", [report]))
                self.assertFalse(figures.wanted_room_in_test(kernel.replace("OUT_OF_MEMORY", "LAUNCH_FAILED"), "cuda", [report]))

    def test_a_measurement_says_itself_what_it_lacked_whatever_its_reason_names(self):
        library = self.report(10, reason="CUBLAS_STATUS_ALLOC_FAILED (3)", lacked_memory=True)
        self.assertEqual(([], 1), (figures.failed_lines([library]), len(figures.no_room_lines([library]))))
        told = self.report(10, reason="another error, after CUDA_ERROR_OUT_OF_MEMORY (2)")
        self.assertEqual((1, []), (len(figures.failed_lines([told])), figures.no_room_lines([told])))

    def test_a_test_names_the_errors_of_its_own_runtime(self):
        for name in ("CUDA_ERROR_OUT_OF_MEMORY (2)", "CUBLAS_STATUS_ALLOC_FAILED (3)"):
            line = f"kernel 1 Fake: fp16 library of k = 64: {name}"
            self.assertTrue(figures.wanted_room_in_test(line, "cuda", [self.report(10)]))
            self.assertFalse(figures.wanted_room_in_test(line, "hip", [self.report(10)]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
