#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each command prints has no key that its schema does not describe, on every recorded machine; and `whichgpu schema`,
which prints those schemas, each whole."""
import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from harness import SOURCE, closed, document, main, run

SCHEMAS = SOURCE / "data" / "schema"
FIXTURES = sorted(path.parent for path in (SOURCE / "tests" / "fixtures").glob("*/record.json"))
REPLAYED = {
    "report": [("--json",)],
    "list": [("list", "--json")],
    "recommend": [("recommend", "--json", "--for", use) for use in ("inference", "training")] + [
        ("recommend", "--json", "--target", "pytorch"), ("recommend", "--json", "--target", "docker"),
        ("recommend", "--json", "--exclude", "cpu,cuda,hip,vulkan,opencl")],
    "describe": [],  # of no machine
    "query": [("query", "name", "kind", "usable", "basis", "quality", "rank", "bandwidth", "--all", "--json")],
}


NAMES = run("schema").stdout.split()


def printed(command):
    return document(run("schema", command))


@functools.cache
def strict(command):
    """By what the program prints: nothing else is at hand that a reference could lead to."""
    return jsonschema.Draft202012Validator(closed(printed(command)))


class Keys(unittest.TestCase):
    def check(self, command, process):
        errors = [f"{error.json_path}: {error.message[:200]}" for error in strict(command).iter_errors(document(process))]
        self.assertEqual([], errors)

    def test_what_replays_print_is_described(self):
        self.assertGreater(len(FIXTURES), 5)
        self.assertEqual(set(NAMES), {*REPLAYED, "compare"})
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

    def test_what_describe_prints_is_described(self):
        for words in ((), ("noisy",), ("memory.total",)):
            self.check("describe", run("describe", *words, "--json"))

    def test_a_key_that_nobody_described_is_found(self):
        value = document(run("list", "--json", "--replay", FIXTURES[0]))
        strict("list").validate(value)
        value["devices"][0]["colour"] = "green"
        with self.assertRaises(jsonschema.ValidationError):
            strict("list").validate(value)


def references(schema):
    if isinstance(schema, list):
        return set().union(*map(references, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
    return own | references(list(schema.values()))


class Printed(unittest.TestCase):
    def test_the_names_are_those_of_the_files(self):
        self.assertEqual({path.stem for path in SCHEMAS.iterdir()} - {"types"}, set(NAMES))
        self.assertEqual(len(NAMES), len(run("schema").stdout.splitlines()))

    def test_each_is_whole_and_valid(self):
        for name in NAMES:
            with self.subTest(name):
                schema = printed(name)
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual({f"#/$defs/{key}" for key in schema.get("$defs", {})}, references(schema))

    def test_it_is_what_the_file_says_with_the_types_that_this_needs(self):
        types = json.loads((SCHEMAS / "types.json").read_text())["$defs"]
        inside = lambda schema: json.loads(json.dumps(schema).replace("types.json#", "#"))
        for name in NAMES:
            with self.subTest(name):
                file, schema = json.loads((SCHEMAS / f"{name}.json").read_text()), printed(name)
                own = file.pop("$defs", {})
                found = schema.pop("$defs", {})
                self.assertEqual(inside(file), schema)
                self.assertEqual(set(), set(own) & set(types))
                self.assertEqual({key: inside({**types, **own}[key]) for key in found}, found)

    def test_it_says_the_same_behind_the_mark_and_without_a_machine(self):
        whole = run("schema", "list").stdout
        self.assertEqual(whole, run("schema", "--", "list").stdout)
        nowhere = run("schema", "list", env={"PATH": "/nonexistent", "HOME": "/nonexistent", "CUDA_VISIBLE_DEVICES": "x"})
        self.assertEqual((0, whole, ""), (nowhere.returncode, nowhere.stdout, nowhere.stderr))

    def test_what_is_wrong_and_what_would_be_right(self):
        for words, told in {
                ("qurey",): "did you mean 'query'?", ("types",): "'whichgpu schema' lists those that do",
                ("schema",): "no command 'schema' prints JSON", ("list", "query"): "schema takes no 'query'",
                ("report", "--json"): "schema takes the name of a command and no --json: 'whichgpu schema report'",
                ("--replay", "x", "list"): "and no --replay", ("list", "--quick"): "and no --quick",
                ("",): "no command ''", ("\x1b[31m" + "x" * 5000,): "no command"}.items():
            with self.subTest(words):
                process = run("schema", *words)
                self.assertEqual((2, ""), (process.returncode, process.stdout))
                self.assertIn(told, process.stderr)
                self.assertEqual(1, process.stderr.count("\n"))
                self.assertNotIn("\x1b", process.stderr)
                self.assertLess(len(process.stderr), 300)

    def test_elsewhere_its_name_is_a_file(self):
        self.assertIn("schema: there is no such file", run("compare", "schema", "x").stderr)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "schema").symlink_to(FIXTURES[0])
            process = run("--replay", "schema", "list", cwd=folder)
            self.assertEqual((0, ""), (process.returncode, process.stderr))


class Installed(unittest.TestCase):
    def test_every_schema_is_installed_as_it_is(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", sys.argv[2], "--prefix", prefix], check=True, capture_output=True)
            installed = {path.name: path.read_text() for path in (pathlib.Path(prefix) / "share/whichgpu/schema").iterdir()}
        self.assertEqual({path.name: path.read_text() for path in SCHEMAS.iterdir()}, installed)


main()
