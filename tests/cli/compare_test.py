#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`whichgpu compare`: two replays of a recorded machine, of which one may have become slower."""
import array
import copy
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import termios
import time
import unittest

from harness import BINARY, SOURCE, document, main, run, validate

RECORD = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu" / "record.json"


class Compare(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name)
        self.record = json.loads(RECORD.read_text())

    def report(self, name, record):
        """The JSON report of a replayed record, as a file."""
        folder = self.root / name
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        process = run("--json", "--replay", folder)
        self.assertEqual(0, process.returncode, process.stderr)
        path = self.root / f"{name}.json"
        path.write_text(process.stdout)
        return path

    def test_a_report_against_itself_is_no_regression(self):
        base = self.report("base", self.record)
        process = run("compare", base, base)
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertIn("No regression", process.stdout)
        self.assertEqual("", process.stderr)

    def test_a_report_of_before_there_was_advice_is_read(self):
        base = self.report("base", self.record)
        older = self.root / "older.json"
        older.write_text(json.dumps({key: value for key, value in json.loads(base.read_text()).items() if key != "advice"}))
        self.assertEqual(0, run("compare", older, base).returncode)

    def test_nothing_but_noise_cannot_tell(self):
        noisy = copy.deepcopy(self.record)
        for figure in noisy["measurements"]:
            if figure["status"] == "ok":
                figure["quality"] = "noisy"
        base = self.report("noisy", noisy)
        process = run("compare", base, base)
        self.assertEqual(4, process.returncode, process.stderr)
        self.assertRegex(process.stdout, r"\ACannot tell: all \d+ figures are too noisy\n")
        self.assertRegex(process.stdout, r"writes \d+\S\d+ tokens/s as before", "the range, as the page has it")
        value = document(run("compare", base, base, "--json"))
        validate(value, "compare")
        self.assertFalse(value["conclusive"])

    def test_it_ends_with_what_the_figures_come_to(self):
        slower = copy.deepcopy(self.record)
        for figure in slower["measurements"]:
            if figure["status"] == "ok" and figure["runtime"] == "cuda":
                for key in ("rate", "p10_rate", "best_rate"):
                    figure[key] *= 0.3
        base, other = self.report("base", self.record), self.report("slower", slower)
        ending = " ".join(run("compare", base, other).stdout.partition("What it means")[2].split())
        self.assertRegex(ending, r"^writes \S+ → \S+ tokens/s \(.*\), now vulkan in the place of cuda, on GeForce RTX 4090 "
                                 r"trains \S+ → \S+ tokens/s \(-\S+ %\), \S+ cuda on GeForce RTX 4090$")
        ending = run("compare", base, base).stdout
        self.assertRegex(ending, r"writes \S+ tokens/s as before, still cuda on GeForce RTX 4090")
        value = document(run("compare", base, other, "--json"))
        validate(value, "compare")
        inference, training = value["answers"]
        self.assertEqual(("cuda", "vulkan"), (inference["base"]["backend"], inference["other"]["backend"]))
        self.assertTrue(training["differs"])
        self.assertAlmostEqual(0.3, training["ratio"])

    def test_answers_to_unlike_requests_are_not_compared(self):
        base = self.report("base", self.record)
        value = json.loads(base.read_text())
        value["request"]["inference"]["model"] = "Another"
        other = self.root / "other.json"
        other.write_text(json.dumps(value))
        self.assertEqual([], document(run("compare", base, other, "--json"))["answers"])
        self.assertNotIn("What it means", run("compare", base, other).stdout)

    def test_only_the_figure_that_became_slower_is_reported(self):
        slower = copy.deepcopy(self.record)
        figure = next(m for m in slower["measurements"] if m["kernel"] == "read" and m["status"] == "ok")
        for key in ("rate", "p10_rate", "best_rate"):
            figure[key] *= 0.85
        base, other = self.report("base", self.record), self.report("slower", slower)
        process = run("compare", base, other, "--json")
        self.assertEqual(1, process.returncode, process.stderr)
        value = document(process)
        validate(value, "compare")
        rows = [row for row in value["rows"] if row["verdict"] != "same"]
        self.assertEqual(["slower"], [row["verdict"] for row in rows])
        self.assertIn("read", rows[0]["key"])
        self.assertAlmostEqual(0.85, rows[0]["ratio"])
        text = run("compare", base, other)
        self.assertEqual(1, text.returncode)
        self.assertEqual(1, sum(" read " in f"{line} " for line in text.stdout.splitlines()), text.stdout)
        self.assertEqual(0, run("compare", other, base).returncode, "faster is no regression")

    def test_figures_that_became_wrong_are_a_regression(self):
        wrong = copy.deepcopy(self.record)
        for figure in wrong["measurements"]:
            if figure["status"] == "ok":
                figure.update(status="wrong_result", verified=False)
        base, other = self.report("base", self.record), self.report("wrong", wrong)
        process = run("compare", base, other, "--json")
        self.assertEqual(1, process.returncode, process.stderr)
        value = document(process)
        validate(value, "compare")
        self.assertEqual({"failed"}, {row["verdict"] for row in value["rows"]})
        self.assertEqual(1, run("compare", base, other).returncode)

    def test_a_runtime_that_crashes_when_it_is_asked_is_a_regression(self):
        crashed = copy.deepcopy(self.record)
        probe = next(probe for probe in crashed["probes"] if probe["module"] == "cuda")
        probe.update(outcome="crashed", stage="init", devices=[], exit={"signal": 11})
        crashed["measurements"] = [m for m in crashed["measurements"] if m["runtime"] != "cuda"]
        base, other = self.report("base", self.record), self.report("crashed", crashed)
        process = run("compare", base, other, "--json")
        self.assertEqual(1, process.returncode, process.stderr)
        rows = [row for row in document(process)["rows"] if row["runtime"] == "cuda"]
        self.assertTrue(rows)
        self.assertEqual({"failed"}, {row["verdict"] for row in rows})
        self.assertIn("cuda crashed while it was asked", rows[0]["reason"])

    def test_bad_files_are_named_in_one_line(self):
        good = self.report("base", self.record)
        value = json.loads(good.read_text())
        bad = {"missing": None, "empty": "", "text": "no JSON", "other": "{}", "array": "[1]", "deep": "[" * 100000,
               "schema": json.dumps({**json.loads(good.read_text()), "schema_version": 2}),
               "types": json.dumps({**value, "measurements": [{"rate": "fast"}]}),
               "doubled": json.dumps({**value, "measurements": value["measurements"] * 2}),
               "unlisted": json.dumps({**value, "devices": []})}
        for name, text in bad.items():
            with self.subTest(name):
                path = self.root / f"{name}.bad"
                if text is not None:
                    path.write_text(text)
                for pair in ((good, path), (path, good)):
                    process = run("compare", *pair)
                    self.assertEqual(2, process.returncode, process.stderr)
                    self.assertEqual("", process.stdout)
                    self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
                    self.assertIn(path.name, process.stderr)

    def test_pipes_and_standard_input_are_read_like_files(self):
        good = self.report("base", self.record)
        for script in ('exec "$0" compare "$1" - <"$1"', 'cat "$1" | "$0" compare - "$1"',
                       'cat "$1" | "$0" compare "$1" /dev/stdin', 'exec "$0" compare -- - "$1" <"$1"'):
            process = subprocess.run(["sh", "-c", script, BINARY, good], capture_output=True, text=True, timeout=60)
            self.assertEqual((0, ""), (process.returncode, process.stderr), script)
            self.assertIn("No regression", process.stdout)
        dashed = self.root / "-a.json"
        dashed.write_text(good.read_text())
        self.assertEqual(0, run("compare", "--", dashed.name, good, cwd=self.root).returncode)

    def test_what_is_neither_file_nor_pipe_is_refused(self):
        good = self.report("base", self.record)
        large = 'head -c 80000000 /dev/zero | "$0" compare "$1" -'
        for script, said in (('"$0" compare - - <"$1"', "one of the two"), ('"$0" compare "$1" - </dev/zero', "standard input"),
                             ('"$0" compare "$1" - </', "standard input"), ('"$0" compare "$1" - <&-', "standard input"),
                             ('"$0" compare "$1" /dev/zero', "/dev/zero: is not a file or a pipe"),
                             ('"$0" compare "$1" /', "/: is not a file or a pipe"), (large, "standard input: is too large"),
                             ('printf "{}" | "$0" compare - "$1"', "standard input: not what"),
                             ('printf "{}\\0" | "$0" compare "$1" -', "standard input: not what")):
            process = subprocess.run(["sh", "-c", script, BINARY, good], capture_output=True, text=True, timeout=60)
            self.assertEqual((2, ""), (process.returncode, process.stdout), script)
            self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
            self.assertIn(said, process.stderr)

    def test_a_pipe_that_does_not_wait_is_waited_for(self):
        good = self.report("base", self.record)
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        process = subprocess.Popen([BINARY, "compare", good, "-"], stdin=reader, stdout=subprocess.PIPE, text=True)
        os.close(reader)
        text = good.read_text()
        with open(writer, "w") as pipe:
            pipe.write(text[:1000])
            pipe.flush()
            left = array.array("i", [1])
            while left[0]:  # once it has read that, it asks for more
                time.sleep(0.01)
                fcntl.ioctl(writer, termios.FIONREAD, left)
            time.sleep(0.1)
            pipe.write(text[1000:])
        self.assertIn("No regression", process.communicate(timeout=60)[0])
        self.assertEqual(0, process.returncode)

    def test_a_pipe_that_nobody_writes_to_ends_with_the_signal(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        process = subprocess.Popen([BINARY, "compare", pipe, pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertRaises(subprocess.TimeoutExpired, process.wait, 0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual((b"", b""), process.communicate(timeout=10))
        self.assertEqual(130, process.returncode)

    def test_two_files_are_needed(self):
        for arguments in ((), ("a.json",), ("a.json", "b.json", "c.json")):
            process = run("compare", *arguments)
            self.assertEqual(2, process.returncode)
            self.assertEqual("", process.stdout)
            self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)


main()
