# SPDX-License-Identifier: MIT
"""How bench/gpu_check begins and how it ends: what it refuses at once, and what is left of a check that is ended. No GPU, no
driver: what it runs are scripts.

    python3 gpu_ends_test.py [unittest options]
"""
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = ROOT / "bench" / "gpu_check"


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name, mode in (("carried", 0o755), ("no_right", 0o644)):
            (self.path / name).mkdir()
            (self.path / name / "whichgpu").write_text("#!/bin/sh\ntouch ran\n")
            (self.path / name / "whichgpu").chmod(mode)
        (self.path / "file").write_text("kept")

    def refused(self, *arguments):
        """What it says of them."""
        before = sorted(self.path.rglob("*"))
        start = time.monotonic()
        done = subprocess.run([sys.executable, "-B", CHECK, *arguments], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertLess(time.monotonic() - start, 10)
        self.assertRegex(done.stderr, r"\Agpu_check: .*\n\Z")
        self.assertEqual("", done.stdout)
        self.assertEqual(before, sorted(self.path.rglob("*")))
        return done.stderr

    def test_what_is_wrong_is_said_at_once_in_a_line_with_what_would_be_right(self):
        here = ("--binaries", "carried", "--output", "output")
        for arguments, wrong, right in (
                ((*here, "--budget", "nan"), "--budget: 'nan' is no time", "from 0.001 to 86400"),
                ((*here, "--budget", "-5"), "--budget: '-5' is no time", "from 0.001 to 86400"),
                ((*here, "--budget", "inf"), "--budget: 'inf' is no time", "from 0.001 to 86400"),
                ((*here, "--budget", "a minute"), "--budget: 'a minute' is no time", "from 0.001 to 86400"),
                ((*here, "--budget", "201"), "--budget 201: a report of carried binaries has no time", "200 s at most"),
                ((*here, "--runs", "0"), "--runs: '0' is no number of whole runs", "give 1 or more"),
                ((*here, "--runs", "-1"), "--runs: '-1' is no number of whole runs", "give 1 or more"),
                ((*here, "--run"), "--run", "--help says"),
                ((*here, "--fast"), "--fast", "--help says"),
                (("--binaries", "carried"), "--output", "name a folder"),
                (("--binaries", "nowhere", "--output", "output"), "--binaries nowhere: there is no whichgpu", "name the folder"),
                (("--binaries", "no_right", "--output", "output"), "its whichgpu may not be run", "chmod +x no_right/whichgpu"),
                (("--binaries", "carried", "--output", "file"), "--output file: file is no folder", "name a folder"),
                (("--binaries", "carried", "--output", "file/in"), "--output file/in: Not a directory", "name a folder"),
                (("--binaries", "carried", "--output", "/proc/xx"), "--output /proc/xx: No such file", "name a folder"),
                (("--binaries", "carried", "--output", "/proc"), "--output /proc: No such file", "name a folder"),
                (("--no-build", "--build", "nowhere"), "no report/whichgpu in nowhere", "name a build by --build")):
            with self.subTest(arguments):
                said = self.refused(*arguments)
                self.assertIn(wrong, said)
                self.assertIn(right, said)

    def test_an_earlier_check_is_neither_taken_for_this_one_nor_lost(self):
        carried = ("--binaries", "carried", "--output")
        for name in ("machine.txt", "cuda_gpu_test.txt", "report.watched", "torch.json", "result.json", "summary.txt"):
            with self.subTest(name):
                (self.path / f"with {name}").mkdir()
                earlier = self.path / f"with {name}" / name
                earlier.write_text("kernel of an earlier GPU: wrong")
                self.assertIn(f"an earlier check's {name} is in it: name another folder, or move",
                              self.refused(*carried, earlier.parent))
                self.assertEqual("kernel of an earlier GPU: wrong", earlier.read_text())

    def test_a_check_knows_its_own_folder(self):
        (self.path / "output").mkdir()
        (self.path / "output" / "log").touch()  # of whoever started it, which is in nobody's way
        carried = ("--binaries", "carried", "--output", "output")
        done = subprocess.run([sys.executable, "-B", CHECK, *carried], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("an earlier check's machine.txt is in it", self.refused(*carried))

    def test_a_build_s_result_is_a_file(self):
        program = self.path / "build" / "report" / "whichgpu"
        program.parent.mkdir(parents=True)
        program.touch()
        build = ("--no-build", "--build", "build", "--output")
        self.assertIn("--output carried: this is a folder: without --binaries name a file", self.refused(*build, "carried"))
        self.assertIn(f"--output file/in: {self.path}/file is no folder: name a file", self.refused(*build, "file/in"))
        self.assertIn("--output /proc/xx: No such file or directory: name a file", self.refused(*build, "/proc/xx"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
