#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of the house that a compiler does not check: who may include whom, where conditions may stand, how long
a file may be, who may name a maker or a runtime, and that nothing speaks of the machine it was written on."""
import pathlib
import re
import subprocess
import sys
import unittest

from words import SENTENCE, parsed, words_away

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 500
MAX_COLUMNS = 125  # of documents
OWN = re.compile(r'^#include "((?:api|probe|backends|kernels|report|tests|bench)/[^"]+)"', re.M)
PUBLIC = "api/whichgpu.h"  # for C and C++ alike
CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)\b", re.M)


def tracked(*patterns):
    """Tracked files; in a tree without git, every file."""
    try:
        names = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True, capture_output=True)
        found = [ROOT / name for name in names.stdout.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for pattern in patterns for path in ROOT.rglob(pattern.removeprefix("*/"))
                 if "build" not in path.parts]
    return [path for path in found if path.is_file()]


def listed(name):
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"set\(%s ([^)]*)\)" % name, text).group(1).split()


# What deciding and rendering know beside facts: no command line, no terminal's settings, no file, no process.
PURE = ["probe/core/", "backends/core/", "kernels/spec.h", "data/"]
RUNTIMES = listed("RUNTIMES")
SOURCES = listed("HARDWARE_SOURCES")
VENDORS = listed("VENDORS")
MODULES = RUNTIMES + SOURCES + ["stack", "null"]


def allowed_prefixes(path):
    """The folders that a source file may include from, or None where everything is allowed."""
    parts = path.relative_to(ROOT).parts
    top, folder = parts[0], parts[1] if len(parts) > 2 else ""
    if top in ("tests", "bench"):
        return None
    if top == "kernels":
        return ["kernels/"]
    if top == "api":
        return ["api/", "probe/core/", "probe/system/"]
    if top == "probe":
        if folder == "":
            return ["probe/"]
        own = {"core": ["probe/core/", "data/"], "system": ["probe/core/", "probe/system/"],
               "isolate": ["probe/core/", "probe/system/", "probe/isolate/"], "unify": ["probe/core/", "probe/unify/"]}
        shared = ["probe/core/", "probe/system/", *(f"probe/{vendor}/" for vendor in VENDORS), f"probe/{folder}/", "data/"]
        return own.get(folder, shared)
    if top == "backends":
        if folder == "":
            return ["backends/", "probe/core/"]
        if folder == "core":
            return ["probe/core/", "probe/system/", "kernels/", "backends/core/"]
        if folder == "stream":
            return ["probe/core/", "probe/system/", "kernels/", "backends/core/", "backends/stream/"]
        return ["backends/core/", "backends/stream/", f"backends/{folder}/", "probe/core/", "probe/system/", "kernels/", "data/",
                f"probe/{folder}/{folder}_api.h"]
    if top == "report":
        return [f"report/{folder}/"] + {
            "core": PURE,
            "html": PURE + ["report/core/", "report/render/", "report/score/"],
            "decide": PURE + [f"report/{step}/"
                              for step in ("core", "peaks", "score", "recommend", "explain", "advise", "targets")],
            "store": PURE + ["report/core/", "report/compare/", "probe/"],
            "run": PURE + ["report/core/", "report/store/", "report/assume/", "report/decide/", "report/score/",
                           "report/recommend/", "probe/", "backends/registry.h"],
            "cli": ["report/", "probe/"],
            "documents": ["report/cli/", "report/documents/", "probe/registry.h"],
        }.get(folder, PURE + ["report/core/"])
    return None


class Structure(unittest.TestCase):
    def each(self, files, check):
        problems = [problem for path in files for problem in check(path) or []]
        self.assertEqual([], problems, "\n" + "\n".join(problems))

    def test_sources_are_found(self):
        self.assertGreater(len(tracked("*.cpp")), 20)
        self.assertIn("cpu", RUNTIMES)

    def test_includes_follow_the_layers(self):
        def check(path):
            allowed = allowed_prefixes(path)
            if allowed is None:
                return
            for include in OWN.findall(path.read_text()):
                if not any(include.startswith(prefix) for prefix in allowed):
                    yield f"{path.relative_to(ROOT)} may not include {include}"
        self.each(tracked("*.h", "*.cpp"), check)

    def test_conditions_stand_only_in_kernels(self):
        def check(path):
            relative = path.relative_to(ROOT).as_posix()
            if relative.startswith(("kernels/", "tests/", "bench/")) or relative == PUBLIC:
                return
            for match in CONDITION.finditer(path.read_text()):
                yield f"{relative}: #{match.group(1)}"
        self.each(tracked("*.h", "*.cpp"), check)

    def test_what_other_platforms_share_includes_no_systems_headers(self):
        """Headers of probe/system and probe/isolate are what each platform's files answer for."""
        system = re.compile(r"^#include <((?:sys|linux)/[^>]+|(?:dirent|dlfcn|errno|fcntl|link|poll|pthread|sched|signal|"
                            r"spawn|unistd)\.h)>", re.M)

        def check(path):
            for header in system.findall(path.read_text()):
                yield f"{path.relative_to(ROOT)} includes <{header}>"
        self.each(tracked("probe/system/*.h", "probe/isolate/*.h"), check)

    def test_no_file_is_longer_than_the_bound(self):
        def check(path):
            lines = path.read_text().count("\n")
            if lines > MAX_LINES:
                yield f"{path.relative_to(ROOT)} has {lines} lines, at most {MAX_LINES} are allowed"
        self.each([p for p in tracked("*.h", "*.cpp", "*.py", "*.cmake", "*.cl", "*.comp", "*.metal")
                   if "spirv" not in p.name], check)

    def test_every_file_of_tests_is_built(self):
        def check(path):
            folders = [folder for folder in path.parents if folder != ROOT and folder.is_relative_to(ROOT)]
            lists = " ".join(file.read_text() for folder in folders
                             for file in [*folder.glob("CMakeLists.txt"), *folder.glob("*.cmake")])
            if path.name not in lists:
                yield f"{path.relative_to(ROOT)} is in no CMakeLists.txt above it"
        self.each(tracked("tests/**_test.cpp"), check)

    def test_documents_wrap(self):
        """Text does; a row of a table and a line of code are as long as they have to be."""
        def check(path):
            text = re.sub(r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), path.read_text(), flags=re.M | re.S)
            for number, line in enumerate(text.splitlines(), 1):
                if len(line) > MAX_COLUMNS and not line.lstrip().startswith("|"):
                    yield f"{path.relative_to(ROOT)}:{number} has {len(line)} columns, at most {MAX_COLUMNS} are allowed"
        self.each(tracked("docs/*.md", "CONTRIBUTING.md"), check)

    def test_every_source_states_its_licence_first(self):
        def check(path):
            head = path.read_text()[:200]
            if "SPDX-License-Identifier: MIT" not in "\n".join(head.splitlines()[:2]):
                yield f"{path.relative_to(ROOT)} lacks its SPDX line"
        self.each(tracked("*.h", "*.cpp", "*.in", "*.py", "*.cmake", "*CMakeLists.txt", "*.cl", "*.comp", "*.metal", "*.sh"), check)

    def test_makers_and_runtimes_are_named_only_at_home(self):
        """Adding a runtime or a maker is one word and folders of its own: no shared file may name one."""
        def check(path):
            relative = path.relative_to(ROOT).as_posix()
            for line, word in words_away(relative, path.read_text()):
                yield f"{relative}:{line} names {word} away from its home (words.py)"
        self.each(tracked("*.h", "*.cpp", "*.def", "*.cl", "*.comp", "*.metal", "*.cu", "*.cuh", "*.hip"), check)

    def test_no_sentence_is_taken_apart(self):
        """What code has to know is a value beside the sentence that tells people."""
        def check(path):
            relative = path.relative_to(ROOT).as_posix()
            if relative.startswith(("probe/", "backends/", "kernels/", "report/")):
                for line, call in parsed(relative, path.read_text(), SENTENCE):
                    yield f"{relative}:{line} takes a sentence apart: {call}"
        self.each(tracked("*.h", "*.cpp"), check)

    def test_what_is_declared_of_a_library_is_used(self):
        """Functions by the program; numbers by it or by what a test has a driver answer."""
        def words(texts):
            return set(re.findall(r"\w+", " ".join(texts)))
        sources = {path: path.read_text() for path in tracked("probe/*", "backends/*", "report/*", "tests/*")
                   if path.suffix in (".h", ".cpp", ".def", ".in")}
        names = {path: path.relative_to(ROOT).as_posix() for path in sources}
        declares = {path for path in sources if path.name.endswith(("_symbols.def", "_declarations.h"))}
        called = words(text for path, text in sources.items() if path not in declares and not names[path].startswith("tests/"))
        read = called | words(text for path, text in sources.items() if names[path].startswith("tests/")
                              and not names[path].startswith("tests/abi/"))
        for path in sorted(declares):
            text = sources[path]
            functions = re.findall(r"^[A-Z_]+\((\w+)", text, re.M) if path.suffix == ".def" else []
            numbers = [name for name in re.findall(r"\b(k[A-Z]\w*)\b *=", text)
                       if len(re.findall(r"\b%s\b" % name, text)) == 1]
            with self.subTest(path=names[path]):
                self.assertEqual([], [name for name in functions if name not in called] +
                                 [name for name in numbers if name not in read])

    def test_nothing_is_left_over(self):
        marks = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

        def check(path):
            if path == pathlib.Path(__file__).resolve() or "fixtures" in path.parts:
                return
            for match in marks.finditer(path.read_text(errors="replace")):
                yield f"{path.relative_to(ROOT)}: {match.group(1)}"
        self.each(tracked("*.h", "*.cpp", "*.py", "*.md", "*.cmake", "*.txt", "dev", ".ci/run"), check)

    def test_no_system_is_promised_on_which_nothing_was_run(self):
        # macOS: the day that it has run on a Mac, these sentences go.
        for name in ("README.md", "CHANGELOG.md", "docs/scripts.md", "docs/testing.md", "docs/releases.md"):
            text = " ".join((ROOT / name).read_text().split())
            self.assertRegex(text, "has never run on a Mac", name)
        # What a port meets there, and no test here can show.
        port = " ".join((ROOT / "docs/testing.md").read_text().split("### Port it to another system")[1].split())
        for word in ("`posix_spawn`", "MTLCompilerService", "shared cache"):
            self.assertIn(word, port)
        self.assertNotRegex((ROOT / "README.md").read_text(), r"measured today:[^;]*Metal")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
