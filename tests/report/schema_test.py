#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Validates objects against data/schema, and that every key in them is documented there.

schema_test.py SCHEMA_DIR SAMPLES_PROGRAM      every machine that the program knows, every command
schema_test.py SCHEMA_DIR --file COMMAND FILE  one object
"""
import functools
import json
import math
import pathlib
import subprocess
import sys

import jsonschema

COMMANDS = ("report", "list", "recommend")


def closed(node):
    """The schema with no room for undocumented keys."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: closed(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        out["additionalProperties"] = False
    return out


@functools.cache
def validator(folder, command):
    schemas = {path.stem: closed(json.loads(path.read_text())) for path in folder.glob("*.json")}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    schema = schemas[command]
    resolver = jsonschema.RefResolver(schema["$id"], schema, store={one["$id"]: one for one in schemas.values()})
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def problems(folder, command, text):
    if not text.endswith("}\n") or text.endswith("\n\n"):
        yield "does not end in one object and one newline"
    document = json.loads(text, parse_constant=no_constant)
    for error in validator(folder, command).iter_errors(document):
        yield "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
    if any(isinstance(n, float) and not math.isfinite(n) for n in numbers(document)):
        yield "a number is not finite"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for s in strings(document) for c in s):
        yield "a control character is in a string"


def leaves(node):
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from leaves(value)
    elif isinstance(node, list):
        for value in node:
            yield from leaves(value)
    else:
        yield node


def numbers(node):
    return (leaf for leaf in leaves(node) if isinstance(leaf, float))


def strings(node):
    return (leaf for leaf in leaves(node) if isinstance(leaf, str))


def main():
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2] == "--file":
        samples = [(sys.argv[4], sys.argv[3], pathlib.Path(sys.argv[4]).read_text(encoding="utf-8"))]
    else:
        run = lambda *words: subprocess.run([sys.argv[2], *words], check=True, capture_output=True).stdout.decode("utf-8")
        samples = [(machine, command, run(machine, command)) for machine in run().split() for command in COMMANDS]
    if not samples:
        sys.exit("there is nothing to validate")
    bad = [f"{name} {command}: {problem}" for name, command, text in samples for problem in problems(folder, command, text)]
    if bad:
        sys.exit("\n".join(bad))
    print(f"{len(samples)} objects are valid")


main()
