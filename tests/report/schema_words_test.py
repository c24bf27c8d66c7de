#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every property of data/schema has a description, and so has every word that a value may be. Each schema is called by an
$id below which the others are found, without a request to anybody.

schema_words_test.py SCHEMA_DIR
"""
import copy
import json
import pathlib
import sys
import unittest
import warnings

FOLDER = pathlib.Path(sys.argv[1])
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
LONGEST = 300  # of a description: what needs more is for docs/


def nodes(node, path=""):
    """(path, schema) for this schema and all below it."""
    yield path, node
    for group in ("$defs", "properties"):
        for name, inner in node.get(group, {}).items():
            yield from nodes(inner, f"{path}/{group}/{name}")
    if "items" in node:
        yield from nodes(node["items"], f"{path}/items")
    for choice in node.get("oneOf", ()):
        yield from nodes(choice, f"{path}/oneOf/{choice.get('const')}")


def undescribed(schema):
    """What lacks a description, or has one that is none."""
    for path, node in nodes(schema):
        group = path.split("/")[-2] if path else ""
        text = node.get("description", "")
        if group in ("properties", "$defs", "oneOf") and not text.strip():
            yield f"{path} has no description"
        if text != text.strip() or "\n" in text or len(text) > LONGEST:
            yield f"{path}: its description is no short line"
        if "enum" in node:
            yield f"{path}: an enum has no place for the descriptions of its values; oneOf with const has"
        if group == "oneOf" and "const" not in node:
            yield f"{path}: a choice without its word"


def places(schema):
    """The path of every description that must be there."""
    return [path for path, _ in nodes(schema) if path.split("/")[-2:-1] in (["properties"], ["$defs"], ["oneOf"])]


def at(schema, wanted):
    return next(node for path, node in nodes(schema) if path == wanted)


class Descriptions(unittest.TestCase):
    def test_everything_is_described(self):
        self.assertLess({"report.json", "types.json"}, set(SCHEMAS))
        for name, schema in SCHEMAS.items():
            with self.subTest(name):
                self.assertEqual([], list(undescribed(schema)))

    def test_whatever_lacks_one_is_found(self):
        for name, schema in SCHEMAS.items():
            self.assertTrue(places(schema), name)
            for path in places(schema):
                changed = copy.deepcopy(schema)
                del at(changed, path)["description"]
                self.assertEqual([f"{path} has no description"], list(undescribed(changed)))

    def test_an_enum_is_found(self):
        changed = copy.deepcopy(SCHEMAS["types.json"])
        changed["$defs"]["use"] = {"description": "x", "enum": ["inference"]}
        self.assertEqual(1, len(list(undescribed(changed))))

    def test_required_keys_are_described_ones(self):
        for name, schema in SCHEMAS.items():
            for path, node in nodes(schema):
                self.assertLessEqual(set(node.get("required", ())), set(node.get("properties", {})), name + path)


class Identity(unittest.TestCase):
    def test_each_is_called_by_its_file_in_one_place_that_nobody_can_have(self):
        version = SCHEMAS["report.json"]["properties"]["schema_version"]["const"]
        for name, schema in SCHEMAS.items():
            self.assertEqual(f"https://whichgpu.invalid/schema/{version}/{name}", schema["$id"])

    def test_references_are_found_without_a_request(self):
        import jsonschema

        def refuse(uri):
            raise AssertionError(f"{uri} was to be fetched")

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Debian 12 has no other way
            told = 0
            for name, schema in SCHEMAS.items():
                store = {one["$id"]: one for one in SCHEMAS.values()}
                resolver = jsonschema.RefResolver(schema["$id"], schema, store=store,
                                                  handlers={"https": refuse, "http": refuse})
                references = [node["$ref"] for _, node in nodes(schema) if "$ref" in node]
                told += len(references)
                for reference in references:
                    with self.subTest(name, reference=reference):
                        _, found = resolver.resolve(reference)
                        self.assertIn("description", found)
        self.assertGreater(told, 50)


unittest.main(argv=sys.argv[:1], verbosity=1)
