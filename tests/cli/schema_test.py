#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each command prints has no key that its schema does not describe, on every recorded machine."""
import functools
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from harness import SOURCE, closed, document, main, run, validator

SCHEMAS = SOURCE / "data" / "schema"
FIXTURES = sorted(path.parent for path in (SOURCE / "tests" / "fixtures").glob("*/record.json"))
REPLAYED = {
    "report": [("--json",)],
    "list": [("list", "--json")],
    "recommend": [("recommend", "--json", "--for", use) for use in ("inference", "training")] + [
        ("recommend", "--json", "--target", "pytorch"), ("recommend", "--json", "--target", "docker"),
        ("recommend", "--json", "--exclude", "cpu,cuda,hip,vulkan,opencl")],
    "query": [("query", "name", "kind", "usable", "basis", "quality", "rank", "bandwidth", "--all", "--json")],
}


@functools.cache
def strict(command):
    return validator(command, closed)


class Keys(unittest.TestCase):
    def check(self, command, process):
        errors = [f"{error.json_path}: {error.message[:200]}" for error in strict(command).iter_errors(document(process))]
        self.assertEqual([], errors)

    def test_what_replays_print_is_described(self):
        self.assertGreater(len(FIXTURES), 5)
        for machine in FIXTURES:
            for command, lines in REPLAYED.items():
                for words in lines:
                    with self.subTest(machine.name, words=words):
                        self.check(command, run(*words, "--replay", machine))

    def test_what_is_printed_of_a_described_machine_is_described(self):
        for command, words in (("report", ()), ("list", ("list",)), ("recommend", ("recommend", "--target", "llama.cpp"))):
            self.check(command, run(*words, "--json", "--assume", "vendor=nvidia,cc=8.6", "--assume", "vendor=amd,gfx=gfx1100"))

    def test_what_compare_prints_is_described(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"{machine.name}.json" for machine in FIXTURES[:2]]
            for machine, file in zip(FIXTURES, files):
                file.write_text(run("--json", "--replay", machine).stdout)
            for base in files:
                for other in files:
                    self.check("compare", run("compare", "--json", base, other))

    def test_a_key_that_nobody_described_is_found(self):
        value = document(run("list", "--json", "--replay", FIXTURES[0]))
        strict("list").validate(value)
        value["devices"][0]["colour"] = "green"
        with self.assertRaises(jsonschema.ValidationError):
            strict("list").validate(value)


class Installed(unittest.TestCase):
    def test_every_schema_is_installed_as_it_is(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", sys.argv[2], "--prefix", prefix], check=True, capture_output=True)
            installed = {path.name: path.read_text() for path in (pathlib.Path(prefix) / "share/whichgpu/schema").iterdir()}
        self.assertEqual({path.name: path.read_text() for path in SCHEMAS.iterdir()}, installed)


main()
