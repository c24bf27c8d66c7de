#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measurements that outlive a run: who uses them, and who does not."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import BINARY, document, environment, main, measures, run

BRIEF = ("--only", "cpu", "--budget", "0.1")


class Cache(unittest.TestCase):
    kept = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.env = environment(XDG_CACHE_HOME=directory.name)
        self.folder = pathlib.Path(directory.name) / "whichgpu"

    def recommend(self, *arguments, **options):
        process = run("recommend", "--json", *BRIEF, *arguments, env=options.pop("env", self.env), **options)
        self.assertEqual(0, process.returncode, process.stderr)
        return document(process)

    def is_cached(self, *arguments, **options):
        recommendation = self.recommend(*arguments, **options)["recommendation"]
        cached = recommendation["basis"] == "cached"
        self.assertEqual(cached, any("from measurements of" in reason for reason in recommendation["reasons"]))
        return cached

    def fill(self):
        """What a run left that has measured: the same for every test. On a busy machine a brief one may get none."""
        if not Cache.kept:
            Cache.kept = pathlib.Path(self.enterClassContext(tempfile.TemporaryDirectory())) / "whichgpu"
            self.assertTrue(any(self.measured(seconds) for seconds in ("0.7", "2", "4", "8")), "no run measured anything")
            shutil.copytree(self.folder, Cache.kept)
        shutil.copytree(Cache.kept, self.folder, dirs_exist_ok=True)

    def measured(self, seconds):
        run("recommend", "--only", "cpu", "--no-cache", "--budget", seconds, env=self.env)
        return list(self.folder.glob("measurements-*.json")) and self.is_cached()

    def entry(self):
        return next(self.folder.glob("measurements-*.json"))

    def test_the_second_run_answers_from_the_first(self):
        self.assertFalse(self.is_cached())
        self.fill()
        self.assertTrue(self.is_cached())
        self.assertTrue(self.is_cached("--for", "training"))
        for words in (("--among", "cuda,cpu"), ("--exclude", "cuda"), ("--min-memory", "1MiB"), ("--can", "cpu")):
            self.assertTrue(self.is_cached(*words), words)
        self.assertFalse(self.is_cached("--no-cache"))
        self.assertEqual("estimated", self.recommend("--no-calibrate")["recommendation"]["basis"])
        self.assertFalse(self.is_cached("--thorough"), "a brief look is not a thorough one")

    def test_a_report_measures_and_leaves_its_figures(self):
        self.fill()
        before = self.entry().stat().st_ino
        for seconds in ("0.7", "2", "8", "40"):
            process = run("--json", "--only", "cpu", "--budget", seconds, env=self.env, timeout=120)
            self.assertNotIn("cached", {score["basis"] for score in document(process)["scores"]})
            if self.entry().stat().st_ino != before:
                break
        self.assertNotEqual(before, self.entry().stat().st_ino)
        self.assertTrue(self.is_cached())

    def test_the_report_for_people_is_read_again(self):
        """What a whole run keeps serves the page, and neither JSON nor whoever says how to measure."""
        self.fill()
        entry = json.loads(self.entry().read_text())
        entry["effort"] = 1  # as a run without --quick leaves it
        entry["record"].pop("settled_without", None)
        entry.pop("candidates_only", None)
        self.entry().write_text(json.dumps(entry))
        for arguments, told in (((), r"Measured (just now|\d+ min ago) \(--measure does it again\)"),
                                (("--details",), r"measured (just now|\d+ min ago)")):
            page = run("--only", "cpu", *arguments, env={**self.env, "LD_DEBUG": "files"})
            self.assertEqual(0, page.returncode, page.stderr)
            self.assertRegex(" ".join(page.stdout.split()), told)
            self.assertNotRegex(page.stderr, "libvulkan|libOpenCL|libcuda")
        self.assertFalse(measures("--only", "cpu", env=self.env))
        value = document(run("--only", "cpu", "--json", "--budget", "0.1", env=self.env))
        self.assertNotIn("cached", {score["basis"] for score in value["scores"]})
        self.assertNotIn("easured just now", run("--only", "cpu", "--budget", "0.1", env=self.env).stdout)

    def test_a_run_that_fails_is_not_taken_for_one_that_measures_nothing(self):
        with self.assertRaisesRegex(AssertionError, "ended with 2: whichgpu: .*--no-such"):
            measures("--no-such", env=self.env)

    def test_what_left_ways_unmeasured_is_no_report(self):
        self.fill()
        entry = json.loads(self.entry().read_text())
        entry["effort"] = 1
        entry.pop("candidates_only", None)
        entry["record"]["settled_without"] = [{"device_id": "cpu:0", "runtime": "opencl", "driver": "PoCL"}]
        self.entry().write_text(json.dumps(entry))
        self.assertTrue(measures("--only", "cpu", env=self.env))

    def test_a_changed_machine_is_measured_again(self):
        self.fill()
        self.assertFalse(self.is_cached(env={**self.env, "LD_LIBRARY_PATH": "/nonexistent"}))
        if len(os.sched_getaffinity(0)) > 1:
            self.assertFalse(self.is_cached(prefix=("taskset", "-c", str(min(os.sched_getaffinity(0))))))
        self.assertTrue(self.is_cached())

    def test_no_runtime_is_loaded_for_a_kept_answer(self):
        for seconds in ("0.7", "2", "8", "30"):
            run("recommend", "--no-cache", "--budget", seconds, env=self.env, timeout=120)
            process = run("recommend", "--json", env={**self.env, "LD_DEBUG": "files"})
            self.assertEqual(0, process.returncode)
            if document(process)["recommendation"]["basis"] == "cached":
                break
        self.assertEqual("cached", document(process)["recommendation"]["basis"])
        self.assertIn("libc.so", process.stderr)
        self.assertNotRegex(process.stderr, "libvulkan|libOpenCL|libcuda")

    def test_what_is_foreign_or_broken_is_measured_again_with_a_note(self):
        self.fill()
        whole = self.entry().read_text()
        other_boot = json.loads(whole)
        other_boot["key"] = other_boot["key"].replace("boot=", "boot=f", 1)
        for name, text in {"truncated": whole[:len(whole) // 2], "another boot": json.dumps(other_boot)}.items():
            with self.subTest(name):
                self.entry().write_text(text)
                value = self.recommend()
                self.assertNotEqual("cached", value["recommendation"]["basis"])
                self.assertIn("kept measurements were not used", " ".join(value["warnings"]))
                self.fill()

    def test_what_was_said_of_the_machine_then_is_dated(self):
        self.fill()
        kept = json.loads(self.entry().read_text())
        kept["record"]["warnings"] = ["other programs take 45 % of the processors: figures may be too low"]
        self.entry().write_text(json.dumps(kept))
        value = self.recommend()
        self.assertEqual("cached", value["recommendation"]["basis"])
        self.assertEqual([f"when this was measured ({kept['record']['created']}): {kept['record']['warnings'][0]}"],
                         value["warnings"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_another_users_entry_is_not_used(self):
        self.fill()
        os.chown(self.entry(), 65534, 65534)
        value = self.recommend()
        self.assertNotEqual("cached", value["recommendation"]["basis"])
        self.assertIn("belongs to user 65534", " ".join(value["warnings"]))

    def test_twenty_runs_at_once_corrupt_nothing(self):
        self.fill()
        writer = ["recommend", "--no-cache", *BRIEF]
        commands = [writer, ["recommend", *BRIEF], ["--json", *BRIEF], ["recommend", *BRIEF]]
        running = [(i % 4, subprocess.Popen([str(BINARY), *commands[i % 4]], env=self.env, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True)) for i in range(20)]
        for kind, process in running:
            out, err = process.communicate(timeout=120)
            self.assertEqual(0, process.returncode, err)
            if kind == 2:
                json.loads(out)
            else:
                self.assertEqual("cpu\n", out)
            self.assertNotIn("not used", err)
        self.assertEqual([], list(self.folder.glob("*.tmp")))
        self.assertEqual(1, len(list(self.folder.glob("measurements-*"))))
        self.assertTrue(self.is_cached())


main()
