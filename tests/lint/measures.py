#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures of the structure of the tracked sources, by area: of the working tree, of a commit (--rev REV), or both and
what changed (--compare REV [--rev REV]); --list names what was counted.

All of it is found by reading text, without a compiler: functions by matching braces, words by their spelling, and the
parsing of sentences by the names of the values. Such counts serve to compare two commits, and each finding to be
looked at. Macros, and braces that stand in both branches of an #if, can mislead the matching of braces. Which layer
stands above which is always what structure_test.py says today."""
import argparse
import io
import math
import posixpath
import re
import statistics
import subprocess
import tarfile

from structure_test import ROOT, allowed_prefixes
from words import SENTENCE, LEXEME, each, line_of, parsed, without_comments, words_away

PRODUCT = ["probe", "backends", "kernels", "report"]
OWN = PRODUCT + ["bench"]
COLUMNS = {**{area: [area] for area in OWN + ["tests"]}, "w/o tests": OWN}
C_FAMILY = (".h", ".cpp", ".def", ".in", ".cu", ".cuh", ".hip", ".cl", ".comp", ".glsl")
SOURCES = C_FAMILY + (".py", ".sh")
GENERATED = ("kernels/cuda/ptx/", "kernels/glsl/spirv/", "kernels/hip/programs/", "kernels/spirv/modules/")
SHORT_FILE, LONG_FUNCTION = 40, 60
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef)\b[^\n]*", re.M)
GUARD = re.compile(r"^#ifndef (\w+)\s*\n#define \1\b|^#if defined\(\w+\) == defined\(HWY_TARGET_TOGGLE\)|"
                   r"^#ifdef (\w+)\n#undef \2\n#else", re.M)


def area(name):
    return name.split("/")[0]


def is_source(name):
    return area(name) in OWN + ["tests"] and name.endswith(SOURCES) and not name.startswith(GENERATED)


def tree_of(revision):
    """The hand-written sources, name to text: of a commit, or of the working tree where there is none given."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout
    if revision is None:
        names = [name for name in git("ls-files", "-z").decode().split("\0") if is_source(name)]
        return {name: (ROOT / name).read_text(errors="replace") for name in names if (ROOT / name).is_file()}
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", revision))) as archive:
        return {entry.name: archive.extractfile(entry).read().decode(errors="replace")
                for entry in archive if entry.isfile() and is_source(entry.name)}


def without_texts(text):
    """Code whose comments are gone and whose texts, characters and lines for the preprocessor are empty."""
    code = LEXEME.sub(lambda match: '""' + "\n" * match[0].count("\n"), without_comments(text))
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda match: "\n" * match[0].count("\n"), code, flags=re.M)


def opens(head):
    """What the brace after this head opens outside functions: a "scope", a function's "body", or a "value"."""
    for brackets, mark in ((r"<[^<>]*>", ""), (r"\([^()]*\)", "@")):
        replaced = 1
        while replaced:
            head, replaced = re.subn(brackets, mark, head)
    head = re.sub(r"\b(alignas|__attribute__)\s*@", "", head).rstrip()
    if "(" in head or head.endswith(("=", ",")):
        return "value"
    if "@" in head and not re.search(r"\bnamespace\b[^@]*$", head):
        return "body"
    return "scope" if re.search(r"\b(namespace|class|struct|union|enum|extern)\b", head) else "value"


def functions(text):
    """(line, lines, name) of each function that has a body, from the first line of its head to its closing brace."""
    code, found, open_braces, begin = without_texts(text), [], [], 0  # begin: of the declaration that is read
    for match in re.finditer(r"[{};]", code):
        at, outside = match.start(), not open_braces or open_braces[-1][0] == "scope"
        if match[0] == "{":
            kind = opens(code[begin:at]) if outside else "value"
            open_braces.append((kind, begin))
            begin = at + 1 if kind == "scope" else begin
        elif match[0] == ";":
            begin = at + 1 if outside else begin
        elif open_braces:
            kind, start = open_braces.pop()
            of_member = code[at + 1:].lstrip()[:1] in ("{", ",")  # A(): b{1}, c{2} {}
            if kind == "body" and not of_member:
                first = line_of(code, re.compile(r"\S").search(code, start).start())
                name = re.search(r"([\w:~]+)\s*\(", code[start:at])
                found.append((first, line_of(code, at) - first + 1, name[1] if name else "?"))
            if kind == "scope" or kind == "body" and not of_member:
                begin = at + 1
    return found


def conditions(text):
    """The lines with an #if that is no include guard."""
    guards = {match.start() for _, match in each(GUARD, text)}
    return [line for line, match in each(CONDITION, text) if match.start() not in guards]


def includes(tree):
    """Each source with the sources that it includes."""
    def target(name, included):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), included))
        return next((path for path in (included, beside) if path in tree), None)
    return {name: {target(name, included) for included in INCLUDE.findall(without_comments(text))} - {None, name}
            for name, text in tree.items() if name.endswith(C_FAMILY)}


def read_once(edges):
    """(header, its only reader) of the headers that one product file includes besides the file of their own name."""
    readers = {name: set() for name in edges if name.endswith((".h", ".cuh")) and area(name) in PRODUCT}
    for source, targets in edges.items():
        for target in targets & readers.keys():
            if area(source) in PRODUCT and source.split(".")[0] != target.split(".")[0]:
                readers[target].add(source)
    return [(name, *found) for name, found in sorted(readers.items()) if len(found) == 1]


def climbs(edges):
    """The includes that the order of layers forbids in this direction and allows in the other."""
    def may(source, target):
        return target.startswith(tuple(allowed_prefixes(ROOT / source) or [""]))
    return [(source, target) for source, targets in edges.items() for target in sorted(targets)
            if not may(source, target) and may(target, source)]


def circles(edges, box):
    """The sets of boxes each of which reaches all of its set by includes of product files; box(name) is a file's."""
    graph = {}
    for source, targets in edges.items():
        if area(source) in PRODUCT:
            graph.setdefault(box(source), set()).update(box(target) for target in targets)

    def reached(start):
        seen = [start]
        for node in seen:
            seen += graph.get(node, set()) - set(seen)
        return set(seen)
    reach = {node: reached(node) for node in graph}
    sets = {frozenset(other for other in reach[node] if node in reach.get(other, ())) for node in graph}
    return sorted(sorted(found) for found in sets if len(found) > 1)


def findings(tree):
    """Every measure that is a count, with (file, what was counted) of each of its findings."""
    def shown(boxes):
        return [(box[0], f" in a circle: {' '.join(box)}") for box in boxes]
    edges = includes(tree)
    code = {name: text for name, text in tree.items() if name.endswith(C_FAMILY)}
    return {
        f"files under {SHORT_FILE} lines": [(name, "") for name, text in tree.items() if text.count("\n") < SHORT_FILE],
        f"functions over {LONG_FUNCTION} lines": [
            (name, f":{line} {function} {length}") for name, text in code.items()
            for line, length, function in functions(text) if length > LONG_FUNCTION],
        "#if outside guards": [(name, f":{line}") for name, text in code.items() for line in conditions(text)],
        "words away from home": [(name, f":{line} {word}") for name, text in code.items()
                                 for line, word in words_away(name, text)],
        **{row: [(name, f":{line} {call}") for name, text in code.items() if area(name) in OWN
                 for line, call in parsed(name, text, values)]
           for row, values in (("sentences parsed", SENTENCE), ("other texts parsed", "text"))},
        "headers read once": [(name, f" by {reader}") for name, reader in read_once(edges)],
        "includes that climb": [(source, f" includes {target}") for source, target in climbs(edges)],
        "circles of rooms": shown(circles(edges, posixpath.dirname)),
        "circles of files": shown(circles(edges, lambda name: name.split(".")[0]))}


def table(tree, found):
    """Measure to column to number."""
    sizes = {column: sorted(text.count("\n") for name, text in tree.items() if area(name) in areas)
             for column, areas in COLUMNS.items()}
    rows = {"files": len, "lines": sum, "median file": lambda size: int(statistics.median(size)),
            "p90 file": lambda size: size[math.ceil(len(size) * 0.9) - 1], "largest file": max}
    numbers = {row: {column: of(size) if size else 0 for column, size in sizes.items()} for row, of in rows.items()}
    for row, entries in found.items():
        numbers[row] = {column: sum(area(name) in areas for name, _ in entries) for column, areas in COLUMNS.items()}
    return numbers


def show(title, numbers, sign=""):
    print(f"{title:<24}" + "".join(f"{column:>11}" for column in COLUMNS))
    for row, cells in numbers.items():
        print(f"{row:<24}" + "".join(f"{cells[column]:>{sign}11}" for column in COLUMNS))
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rev", help="measure this commit instead of the working tree")
    parser.add_argument("--compare", metavar="REV", help="measure this commit first, and show what changed")
    parser.add_argument("--list", action="store_true", help="name what was counted")
    options = parser.parse_args()
    tree = tree_of(options.rev)
    found = findings(tree)
    after = table(tree, found)
    if options.compare:
        older = tree_of(options.compare)
        show(options.compare, before := table(older, findings(older)))
    show(options.rev or "working tree", after)
    if options.compare:
        show("difference", {row: {column: after[row][column] - before[row][column] for column in COLUMNS}
                            for row in after}, "+")
    for column, areas in COLUMNS.items():
        sizes = {name: text.count("\n") for name, text in tree.items() if area(name) in areas}
        print(f"largest of {column}: {max(sizes, key=sizes.get, default='none')}")
    for row, entries in found.items() if options.list else ():
        print(f"\n{row}:", *(name + what for name, what in entries), sep="\n  ")


if __name__ == "__main__":
    main()
