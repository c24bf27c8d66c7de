#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""data/targets/refresh.py against a stand-in for pip that knows a few wheels. No network."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE, main

REFRESH = SOURCE / "data" / "targets" / "refresh.py"
# Of `python3 -m pip`: answers from a file, and says what it does not know as pip says it.
PIP = """import json, os, sys
wheels = json.load(open(os.environ["WHEELS"]))
place = next((sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--index-url"), "")
found = wheels.get(place + sys.argv[-1])
if found == "broken":
    sys.exit("WARNING: Retrying after connection broken by 'NewConnectionError'")
if not found:
    sys.exit(f"ERROR: Could not find a version that satisfies the requirement {sys.argv[-1]} (from versions: none)")
version, file = found
print(json.dumps({"install": [{"metadata": {"version": version}, "download_info": {"url": "https://host/" + file + "#x"}}]}))
"""
ROW = {"id": "cpu", "backend": "cpu", "package": "thing", "version": ">=1.0",
       "needs": {"os": ["linux"], "machine": ["x86_64"], "glibc": "2.28"}}


class Refresh(unittest.TestCase):
    def refresh(self, rows, wheels, *arguments):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "pip").mkdir()
            (folder / "pip" / "__init__.py").touch()
            (folder / "pip" / "__main__.py").write_text(PIP)
            (folder / "wheels").write_text(json.dumps(wheels))
            table = folder / "thing.json"
            table.write_text(json.dumps({"title": "Thing", "source": "thing 1.2.0", "date": "2026-11-25", "builds": rows}))
            before = table.read_text()
            environment = {**os.environ, "PYTHONPATH": name, "WHEELS": str(folder / "wheels")}
            process = subprocess.run([sys.executable, "-B", REFRESH, "--tables", folder, *arguments], text=True,
                                     capture_output=True, env=environment)
            self.assertEqual(before, table.read_text())
            return process

    def test_what_is_as_the_table_says(self):
        process = self.refresh([ROW], {"thing>=1.0": ["1.2.0", "thing-1.2.0-cp312-cp312-manylinux_2_28_x86_64.whl"]})
        self.assertEqual((0, "", ""), (process.returncode, process.stdout, process.stderr))

    def test_what_has_changed(self):
        file = "thing-1.3.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_31_x86_64.whl"
        process = self.refresh([ROW], {"thing>=1.0": ["1.3.0", file]})
        self.assertEqual((1, ["thing: cpu on x86_64: thing>=1.0 is 1.3.0 now, which no source of the table names",
                              f"thing: cpu on x86_64: {file} needs glibc 2.27, the row says 2.28"]),
                         (process.returncode, process.stdout.splitlines()))
        process = self.refresh([{**ROW, "note": "1.3.0 needs glibc 2.27"}], {"thing>=1.0": ["1.3.0", file]})
        self.assertEqual((0, ""), (process.returncode, process.stdout))
        # 1.2.0 names neither 1.2 nor 11.2.0 nor 1.2.0.1.
        versions = ("1.2", "11.2.0", "1.2.0.1")
        process = self.refresh([{**ROW, "version": f"=={version}"} for version in versions],
                               {f"thing=={version}": [version, "thing-py3-none-any.whl"] for version in versions})
        self.assertEqual((1, 3), (process.returncode, process.stdout.count("\n")), process.stdout)

    def test_a_row_asks_its_own_index_for_each_of_its_machines(self):
        row = {**ROW, "index": "https://index/", "needs": {"os": ["linux"], "machine": ["x86_64", "aarch64"]}}
        process = self.refresh([row], {"https://index/thing>=1.0": ["1.2.0+cpu", "thing-py3-none-any.whl"]})
        self.assertEqual((0, ""), (process.returncode, process.stdout))
        row = {**row, "extra_index": True, "needs": {"os": ["linux"], "machine": ["aarch64"]}}
        process = self.refresh([row], {"thing>=1.0": ["1.2.0", "thing-py3-none-any.whl"]})
        self.assertEqual((1, "thing: cpu on aarch64: there is no wheel of thing>=1.0 for aarch64\n"),
                         (process.returncode, process.stdout))

    def test_a_note_says_that_there_are_no_wheels(self):
        process = self.refresh([{**ROW, "note": "a source package that fetches its wheel"}], {})
        self.assertEqual((0, ""), (process.returncode, process.stdout))

    def test_what_cannot_be_asked_is_no_change(self):
        windows = {**ROW, "id": "win", "needs": {"os": ["windows"]}}
        process = self.refresh([ROW, windows, {"id": "image", "backend": "hip", "image": "thing"}], {"thing>=1.0": "broken"})
        self.assertEqual((0, "", 1), (process.returncode, process.stdout, process.stderr.count("\n")))
        self.assertIn("cpu on x86_64 was not asked: WARNING: Retrying", process.stderr)
        process = self.refresh([ROW], {}, "thong")
        self.assertEqual(2, process.returncode)
        self.assertIn("there is no table of thong; known are thing", process.stderr)


main()
