#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of docs/json.md from data/schema: every key, its type and what it is. What stands above them is left
as it is.

json_tables.py          writes docs/json.md
json_tables.py --check  fails where the tables are not what this script writes
"""
import json
import os
import pathlib
import sys
import textwrap

DOCS = pathlib.Path(__file__).resolve().parent
PAGE = DOCS / "json.md"
SCHEMAS = DOCS.parent / "data" / "schema"
MARK = "<!-- What follows is written by docs/json_tables.py from data/schema. -->\n"
COLUMNS = 125
COMMANDS = {"report": "whichgpu --json", "list": "whichgpu list --json", "recommend": "whichgpu recommend --json",
            "query": "whichgpu query --json", "compare": "whichgpu compare --json", "describe": "whichgpu describe --json"}


def prose(text):
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(word):
    return f"`{json.dumps(word)}`" if word == "" or not isinstance(word, str) else f"`{word}`"


def type_of(schema):
    """For people, with a link where it is described by itself."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "const" in schema:
        return code(schema["const"])
    if "oneOf" in schema:
        return "a word"
    kind = schema["type"]
    if kind == "array":
        inner = type_of(schema["items"])
        return f"list of {inner}"
    return kind


def described(schema):
    """Its description, and of a choice what each of its words means."""
    text = cell(schema["description"])
    if "oneOf" in schema:
        text += ". " + "; ".join(f"{code(row['const'])}: {cell(row['description'])}" for row in schema["oneOf"])
    return text


def rows(schema, prefix=""):
    """(key, type, what it is) for every key of an object; those of an object inside stand behind it."""
    for name, inner in schema.get("properties", {}).items():
        kind = type_of(inner) + ("" if name in schema.get("required", ()) else ", or absent")
        key = prefix.removesuffix(".") + f'["{name}"]' if "." in name else prefix + name
        yield f"`{key}`", kind, described(inner)
        while inner.get("type") == "array":
            inner, key = inner["items"], key + "[]"
        yield from rows(inner, key + ".")


def table(heads, lines):
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, ["---"] * len(heads), *lines))


def section(title, schema):
    """A type's heading, sentence and table."""
    out = f"\n### {title}\n" + prose(schema["description"][0].upper() + schema["description"][1:] + ".")
    if schema.get("type") == "array":
        out += f"\nA list of {type_of(schema['items'])}s:\n"
        schema = schema["items"]
    if "properties" in schema:
        return out + "\n" + table(("key", "type", "what it is"), rows(schema))
    if "oneOf" in schema:
        return out + "\n" + table(("word", "means"), [(code(row["const"]), cell(row["description"])) for row in schema["oneOf"]])
    return out + "\n" + prose(f"A {schema['type']}" + (f" that matches `{schema['pattern']}`" if "pattern" in schema else ""))


def tables():
    schemas = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.json")}
    types = schemas.pop("types")
    out = MARK + "\n## What each command prints\n"
    for name, line in COMMANDS.items():
        schema = schemas.pop(name)
        out += f"\n### {name}\n`{line}`: [{name}.json](../data/schema/{name}.json).\n\n"
        out += table(("key", "type", "what it is"), rows(schema))
        for inner, of in schema.get("$defs", {}).items():
            out += section(inner, of)
    if schemas:
        sys.exit(f"json_tables.py knows no command that prints {', '.join(schemas)}.json")
    out += "\n## The types\n" + prose(types["description"])
    for name, schema in types["$defs"].items():
        out += section(name, schema)
    return out


def main():
    page = PAGE.read_text(encoding="utf-8")
    wanted = page.split(MARK)[0] + tables()
    if sys.argv[1:] == ["--check"]:
        if page != wanted:
            sys.exit("docs/json.md is not what docs/json_tables.py writes: run it")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    unfinished = PAGE.with_suffix(".new")
    unfinished.write_text(wanted, encoding="utf-8")
    os.replace(unfinished, PAGE)


main()
