# SPDX-License-Identifier: MIT
"""The gpu tests on fake GPUs that hang, and on parts of GPUs: what does not end costs itself alone, and nobody is left behind.

    python3 gpu_hangs_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from gpu_check_test import BUILD, CHEAP, FAKES, LIBRARIES, ROOT, TESTS, folders, gpu, imported


@contextlib.contextmanager
def fake_gpu_test(hanging, others=(), partitions=(), driver=None, **more):
    """The test of all kernels on a GPU on which some do not end, in instances where there are any, and on others; by a
    driver of which there is something to say, too."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for library in LIBRARIES["cuda"]:
            (folder / library.rpartition("/")[2]).symlink_to(FAKES / "cuda" / library)
        scenario = gpu(hanging_kernels=hanging, **({"partitions": partitions} if partitions else {}))
        scenario["devices"] += others
        scenario.update(driver or {})
        (folder / "scenario.json").write_text(json.dumps(scenario))
        process = subprocess.Popen([BUILD / "tests" / "backends" / "cuda" / TESTS["cuda"]], stdout=subprocess.PIPE,
                                   text=True, env={**os.environ, "WHICHGPU_LIBRARY_PATH": str(folder), **CHEAP, **more,
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


class Instances(unittest.TestCase):
    def test_each_of_a_card_is_shown_to_a_process_of_its_own(self):
        partitions = [{"uuid": f"aa{number:030x}", "memory_total_bytes": 128 << 20, "compute_units": 1,
                       "attributes": {"gpu_instance": number}} for number in (1, 2, 3)]
        with fake_gpu_test("", partitions=partitions) as process:
            said, _ = process.communicate()
        self.assertEqual(0, process.returncode, said)
        kernels = [re.findall(rf"^kernel {place} NVIDIA Fake MIG-{place + 1}-0: .*$", said, re.M) for place in range(3)]
        self.assertTrue(all(": right" in line for lines in kernels for line in lines), said)
        self.assertLess(2 * len(kernels[1]), len(kernels[0]), "of the others a kernel of each family")
        self.assertLess(2, len(kernels[1]), said)
        self.assertEqual(len(kernels[1]), len(kernels[2]))


class Hangs(unittest.TestCase):
    def test_one_of_a_family_is_enough_and_costs_no_other_family_anything(self):
        second = {**gpu()["devices"][0], "pci": "0000:02:00.0", "uuid": f"{2:032x}"}
        with fake_gpu_test("gemm_fp16_128", [second], WHICHGPU_TEST_KERNEL_SECONDS="1",
                           GTEST_FILTER="*EveryKernel*") as process:
            said, _ = process.communicate()
        self.assertRegex(said, r"\(gemm_fp16_128\): it did not end in its time")
        self.assertRegex(said, r"\(gemm_bf16_128\): not tried: another kernel of own:mma did not end")
        self.assertEqual(1, len(re.findall(r"^kernel 0 .* did not end in its time$", said, re.M)), said)
        self.assertRegex(said, r"\(gemm_fp32_128\): right")
        first, second = (re.findall(rf"^kernel {card} NVIDIA Fake: .*$", said, re.M) for card in (0, 1))
        self.assertLess(2, len(second), said)
        self.assertLess(2 * len(second), len(first), "of an equal card one kernel of each family")
        self.assertEqual(1, sum("own:mma_1" in line for line in second), second)
        self.assertEqual(1, sum("own:rows_a_block" in line for line in second), second)

    def test_a_driver_that_hangs_before_any_kernel_is_said_to(self):
        for at, what in (("init", "NVIDIA's GPUs"), ("create", "0 NVIDIA Fake")):
            with self.subTest(at):
                with fake_gpu_test("", driver={"misbehave": [{"at": at, "do": "hang"}]},
                                   WHICHGPU_TEST_SET_UP_SECONDS="1") as process:
                    said, _ = process.communicate()
                self.assertEqual(1, process.returncode, said)
                line = f"opening {what}: it did not end in its time: no kernel was begun"
                self.assertEqual([line] * 2, re.findall(r"^opening .*", said, re.M), "of both tests")
                self.assertNotRegex(said, r"(?m)^kernel ")
                gpu_check = imported()
                with tempfile.TemporaryDirectory() as path:
                    (pathlib.Path(path) / "cuda_gpu_test.txt").write_text(said)
                    text, _ = gpu_check.summarise(folders.Folder(pathlib.Path(path), 1), gpu_check.Results(1))
                self.assertIn(line, text.partition("\n\n")[0])

    def test_modules_that_take_too_long_leave_no_folder(self):
        with tempfile.TemporaryDirectory() as temporary:
            with fake_gpu_test("", driver={"attributes": {"translation_ms": 10000}}, TMPDIR=temporary,
                               WHICHGPU_TEST_SET_UP_SECONDS="1", GTEST_FILTER="*EveryKernel*") as process:
                said, _ = process.communicate()
            self.assertEqual(0, process.returncode, said)
            self.assertRegex(said, r"(?m)^time 0 NVIDIA Fake modules: it did not end in its time$")
            self.assertEqual([], os.listdir(temporary))

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
                folders.run_with_children(["sh", "-c", "sleep 60 & echo $!; wait"], 0.3, stdout=said)
            said.seek(0)
            child = pathlib.Path("/proc") / said.read().strip()
        self.assertTrue(wait_for(lambda: not child.exists() or ") Z " in (child / "stat").read_text()))

    def test_a_check_that_is_ended_leaves_nothing_that_it_started(self):
        code = ("import signal, sys; sys.path.insert(0, sys.argv[1]); import folder; "
                "signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number)); "
                "folder.run_with_children(['sh', '-c', 'sleep 60 & echo $!; wait'], 30)")
        with subprocess.Popen([sys.executable, "-B", "-c", code, ROOT / "bench" / "gpu"], text=True,
                              stdout=subprocess.PIPE) as process:
            child = pathlib.Path("/proc") / process.stdout.readline().strip()
            process.terminate()
            self.assertEqual(143, process.wait(20))
        self.assertTrue(wait_for(lambda: not child.exists() or ") Z " in (child / "stat").read_text()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
