# SPDX-License-Identifier: MIT
"""How bench/gpu_check begins and how it ends: what it refuses at once, and what is left of a check that is ended. No GPU, no
driver: what it runs are scripts.

    python3 gpu_ends_test.py [unittest options]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = ROOT / "bench" / "gpu_check"

REPORT = {"devices": [{"id": "gpu", "name": "A GPU", "kind": "discrete", "views": [{"runtime": "hip"}]}], "probes": [],
          "measurements": [{"device_id": "gpu", "runtime": "hip", "kernel": "read", "in_dtype": "u32", "acc_dtype": "u32",
                            "implementation": "own", "status": "ok", "verified": True, "rate": 1e12,
                            "unit": "bytes_per_s"}]}
# Says who it is and who its child is, and does not end.
HANGS = "sleep 60 &\necho $$ $! > pids.part; mv pids.part pids; wait\n"
# The first report comes, and so does its text; the second does not.
WHICHGPU = f"""case "$*" in *--replay*) exit 0;; esac
[ -e first ] || {{ touch first; cat <<'END'
{json.dumps(REPORT)}
END
exit 0; }}
{HANGS}"""
HIP_TEST = f"echo 'kernel 0 A GPU: own:a (a): wrong: 1 of 2'\necho 'kernel 0 A GPU: own:b (b): right'\n{HANGS}"


def write_script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def wait_for(what, most_s=20):
    end = time.monotonic() + most_s
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


def is_gone(process):
    try:
        return ") Z " in pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True


def hear_every_signal():
    """Whoever runs this in the background may have it ignore some."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Ends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.processes = []

    def ended(self, number, command, **more):
        """How that ended by a signal when what it runs had begun, and what it said on stderr."""
        (self.path / "pids").unlink(missing_ok=True)
        with subprocess.Popen([sys.executable, "-B", *command], cwd=self.path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, preexec_fn=hear_every_signal, **more) as process:
            begun = wait_for((self.path / "pids").exists)
            process.send_signal(number)
            _, said = process.communicate(timeout=20)
        self.assertTrue(begun, said)
        self.processes = (self.path / "pids").read_text().split()
        self.addCleanup(self.end_all, self.processes)
        return process.returncode, said

    @staticmethod
    def end_all(processes):
        for process in processes:
            if not is_gone(process):
                os.kill(int(process), signal.SIGKILL)

    def ended_check(self, number, output, runs=1):
        return self.ended(number, [CHECK, "--binaries", "carried", "--output", output, "--runs", str(runs)])

    def test_a_check_that_is_ended_says_what_there_is_and_leaves_nobody(self):
        write_script(self.path / "carried" / "whichgpu", WHICHGPU)
        write_script(self.path / "carried" / "hip_gpu_test", HIP_TEST)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            with self.subTest(number.name):
                end, said = self.ended_check(number, number.name)
                self.assertEqual(128 + number, end, said)
                self.assertNotIn("Traceback", said)
                for process in self.processes:
                    self.assertTrue(wait_for(lambda: is_gone(process)), process)
                summary = (self.path / number.name / "summary.txt").read_text()
                self.assertRegex(summary, rf"\A== Failed\ninterrupted by {number.name} after \d+ s, in hip_gpu_test: what "
                                          r"would have followed is not here\nkernel 0 A GPU: own:a \(a\): wrong: 1 of 2\n\n")
                self.assertIn("== PyTorch\nskipped: the check was interrupted\n", summary)
                self.assertIn("== Kernels that are right, in the test\nkernel 0 A GPU: own:b (b): right\n", summary)
                self.assertIn("interrupted by", said.splitlines()[-1])
                self.assertFalse((self.path / number.name / "result.json").exists(), "which would be taken for a whole one")

    def test_a_build_s_check_that_is_ended_leaves_no_test(self):
        write_script(self.path / "report" / "whichgpu", WHICHGPU)
        write_script(self.path / "tests" / "hangs", f"cd {self.path}\n{HANGS}")
        (self.path / "CTestTestfile.cmake").write_text(f'add_test(a "{self.path}/tests/hangs")\n'
                                                       "set_tests_properties(a PROPERTIES LABELS gpu)\n")
        end, said = self.ended(signal.SIGINT, [CHECK, "--no-build", "--build", self.path, "--output", "result.json"])
        self.assertEqual((130, "gpu_check: interrupted by SIGINT: no result was written"), (end, said.splitlines()[-1]))
        for process in self.processes:
            self.assertTrue(wait_for(lambda: is_gone(process)), process)

    def test_a_terminal_that_is_gone_costs_no_summary(self):
        write_script(self.path / "carried" / "whichgpu", WHICHGPU)
        terminal, its_end = os.openpty()
        command = [CHECK, "--binaries", "carried", "--output", "output"]
        with subprocess.Popen([sys.executable, "-B", *command], cwd=self.path, stdin=its_end, stdout=its_end, stderr=its_end,
                              preexec_fn=hear_every_signal) as process:
            os.close(its_end)
            begun = wait_for((self.path / "pids").exists)
            os.close(terminal)
            process.send_signal(signal.SIGHUP)
            self.assertEqual(129, process.wait(20))
        self.assertTrue(begun)
        self.assertIn("interrupted by SIGHUP", (self.path / "output" / "summary.txt").read_text())

    def test_a_test_that_is_killed_leaves_no_temporary_folder(self):
        write_script(self.path / "carried" / "whichgpu", WHICHGPU)
        write_script(self.path / "carried" / "hip_gpu_test", "mkdir $TMPDIR/modules\n" + HIP_TEST)
        (self.path / "temporary").mkdir()
        command = [CHECK, "--binaries", "carried", "--output", "output"]
        end, said = self.ended(signal.SIGTERM, command, env={**os.environ, "TMPDIR": str(self.path / "temporary")})
        self.assertEqual(143, end, said)
        self.assertEqual([], [*self.path.rglob("modules"), *(self.path / "output").rglob("temporary*")])

    def test_whole_runs_before_the_end_are_told(self):
        write_script(self.path / "carried" / "whichgpu", WHICHGPU)
        end, said = self.ended_check(signal.SIGTERM, "output", 3)
        self.assertEqual(143, end, said)
        summary = (self.path / "output" / "summary.txt").read_text()
        self.assertRegex(summary, r"\n== Figures of several runs\n1 of 3 whole runs: the check was interrupted\n")
        self.assertRegex(summary, r"\n== Everything that was tried\nok gpu hip read .*, verified\n")
        self.assertRegex(summary, r"after \d+ s, in report_2: ")

    def test_what_ignores_a_hangup_goes_on(self):
        code = ("import os, signal, sys; sys.path.insert(0, sys.argv[1]); import folder; "
                "signal.signal(signal.SIGHUP, signal.SIG_IGN); folder.end_when_asked(); "
                "os.kill(os.getpid(), signal.SIGHUP); print('went on')")
        done = subprocess.run([sys.executable, "-B", "-c", code, ROOT / "bench" / "gpu"], capture_output=True, text=True)
        self.assertEqual("went on\n", done.stdout, done.stderr)

    def test_a_check_that_is_killed_leaves_none_of_its_programs(self):
        write_script(self.path / "carried" / "hangs", HANGS.replace("sleep 60 &\n", "").replace("wait", "exec sleep 60"))
        before = ("import pathlib, sys, time; sys.path.insert(0, sys.argv[1]); import folder, others; "
                  "hangs = pathlib.Path('carried/hangs').resolve(); kept = folder.Folder(pathlib.Path('output'), 60); ")
        for name, code in (("run", "kept.run('a', [hangs], 50)"),
                           ("watched", "kept.run_watched('a', ['sleep', '20'], 50, [[hangs]])"),
                           ("neighbour", "beside = kept.beside('a', [hangs]); beside.__enter__(); time.sleep(50)"),
                           ("PyTorch", "others.torch_rates({'devices': [], 'measurements': []}, 50)")):
            with self.subTest(name):
                end, said = self.ended(signal.SIGKILL, ["-c", before + code, ROOT / "bench" / "gpu"], env={
                    **os.environ, "GPU_CHECK_PYTHON": str(self.path / "carried" / "hangs")})
                self.assertEqual(-signal.SIGKILL, end, said)
                self.assertTrue(wait_for(lambda: is_gone(self.processes[0]), 5), self.processes)


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
                (("--binaries", "nowhere", "--output", "output"), "nowhere: there is no whichgpu", "name the folder"),
                (("--binaries", "no_right", "--output", "output"), "its whichgpu may not be run", "chmod +x no_right/w"),
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
