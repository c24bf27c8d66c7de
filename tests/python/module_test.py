#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module whichgpu of python/ beside the built program: module_test.py BINARY."""
import ast
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv[1]).resolve()
RECORD = SOURCE / "tests/fixtures/plain_server"
sys.path.insert(0, str(SOURCE / "python"))
import whichgpu  # noqa: E402  after its folder is known


def setUpModule():
    """As where somebody has installed the program: the source tree has none beside the module."""
    scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(scratch.cleanup)
    os.environ["XDG_CACHE_HOME"] = scratch.name
    os.environ["PATH"] = f"{BINARY.parent}:{os.environ['PATH']}"


def as_module(*arguments, path=SOURCE / "python", **options):
    return subprocess.run([sys.executable, "-B", "-m", "whichgpu", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False, stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(path)}, **options)


class Answers(unittest.TestCase):
    def test_report_is_the_object_of_the_program(self):
        answer = whichgpu.report(replay=RECORD)
        self.assertEqual(("report", False), (answer["command"], answer["interrupted"]))
        self.assertTrue(answer["devices"])

    def test_recommend_takes_a_target_and_lists_of_words(self):
        answer = whichgpu.recommend("pytorch", assume=["vendor=nvidia,cc=7.0,driver=535.104.05", "vendor=amd,gfx=gfx1100"],
                                    timeout=60)
        self.assertEqual("recommend", answer["command"])
        self.assertEqual("pytorch", answer["recommendation"]["target"])
        rejected = {way["device_id"] for way in answer["recommendation"]["rejected"]}
        self.assertTrue(rejected - {answer["recommendation"]["device_id"]}, "the second GPU is not among what was weighed")

    def test_true_is_an_option_without_a_value_and_none_and_false_leave_it_out(self):
        self.assertEqual("inference", whichgpu.recommend(replay=RECORD, quick=False, why=True, only=None)["recommendation"]["use"])

    def test_underscores_stand_for_what_python_can_not_spell(self):
        self.assertEqual("training", whichgpu.recommend(replay=RECORD, for_="training")["recommendation"]["use"])

    def test_options_that_change_what_is_printed_are_refused(self):
        for name in ("json", "format", "exit_code", "version"):
            with self.subTest(name=name), self.assertRaisesRegex(TypeError, name):
                whichgpu.recommend(replay=RECORD, **{name: True})


class Errors(unittest.TestCase):
    def test_bad_usage_is_2_with_the_programs_own_sentence(self):
        with self.assertRaises(whichgpu.WhichgpuError) as caught:
            whichgpu.report(budgte=3)
        self.assertEqual(2, caught.exception.exit_code)
        self.assertEqual("there is no option '--budgte'; did you mean '--budget'?", str(caught.exception))
        self.assertIsNone(caught.exception.answer)

    def test_no_answer_is_1_and_has_what_was_rejected(self):
        with self.assertRaises(whichgpu.WhichgpuError) as caught:
            whichgpu.recommend(replay=RECORD, among="hip")
        self.assertEqual(1, caught.exception.exit_code)
        self.assertIn("no answer for --among hip", str(caught.exception))
        self.assertIn("no_answer", caught.exception.answer)

    def test_a_run_that_takes_too_long_is_ended(self):
        begun = time.monotonic()
        with self.assertRaises(whichgpu.WhichgpuTimeout) as caught:
            whichgpu.report(thorough=True, only="cpu", timeout=0.2)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(128 + signal.SIGTERM, caught.exception.exit_code)
        self.assertIn("0.2 s", str(caught.exception))

    def test_one_that_ignores_the_signal_is_ended_by_force(self):
        with tempfile.TemporaryDirectory() as scratch:
            stubborn = pathlib.Path(scratch, "whichgpu")
            stubborn.write_text("#!/bin/sh\ntrap '' TERM\necho partly\nexec sleep 60\n")
            stubborn.chmod(0o755)
            before, os.environ["PATH"] = os.environ["PATH"], f"{scratch}:{os.environ['PATH']}"
            try:
                with self.assertRaises(whichgpu.WhichgpuTimeout) as caught:
                    whichgpu.report(timeout=0.2)
            finally:
                os.environ["PATH"] = before
        self.assertEqual(128 + signal.SIGKILL, caught.exception.exit_code)

    def test_without_a_program_it_says_where_it_looked(self):
        before, os.environ["PATH"] = os.environ["PATH"], "/nonexistent"
        try:
            with self.assertRaisesRegex(whichgpu.WhichgpuError, "beside this module .*whichgpu/bin/whichgpu"):
                whichgpu.report()
            process = as_module("--version")
        finally:
            os.environ["PATH"] = before
        self.assertEqual((3, ""), (process.returncode, process.stdout))
        self.assertRegex(process.stderr, r"^whichgpu: there is no program whichgpu [^\n]*\n$")


class Command(unittest.TestCase):
    def test_it_is_the_program_itself(self):
        for arguments in (("--version",), ("recommend", "--replay", RECORD), ("--replay", RECORD, "--exit-code"),
                          ("recommend", "--replay", RECORD, "--among", "hip"), ("compare", "nosuch", "nosuch"), ("lsit",)):
            with self.subTest(arguments=arguments):
                own = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
                process = as_module(*arguments)
                self.assertEqual((own.returncode, own.stdout, own.stderr), (process.returncode, process.stdout, process.stderr))

    def test_a_program_without_its_permission_gets_it(self):
        with tempfile.TemporaryDirectory() as scratch:
            package = pathlib.Path(scratch, "whichgpu")
            shutil.copytree(SOURCE / "python/whichgpu", package, ignore=shutil.ignore_patterns("__pycache__"))
            (package / "bin").mkdir()
            shutil.copyfile(BINARY, package / "bin/whichgpu")  # without its mode
            process = as_module("--version", path=scratch)
            self.assertEqual((0, ""), (process.returncode, process.stderr))
            self.assertTrue(os.access(package / "bin/whichgpu", os.X_OK))


class Sources(unittest.TestCase):
    def test_python_3_8_reads_them(self):
        for path in sorted((SOURCE / "python/whichgpu").glob("*.py")):
            with self.subTest(path=path.name):
                ast.parse(path.read_text(), feature_version=(3, 8))

    def test_they_say_that_they_are_typed(self):
        self.assertTrue((SOURCE / "python/whichgpu/py.typed").exists())
        for function in (whichgpu.report, whichgpu.recommend, whichgpu.executable):
            self.assertIn("return", function.__annotations__)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
