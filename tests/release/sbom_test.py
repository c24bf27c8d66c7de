#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The list of what is inside, made for the normal build: sbom_test.py BINARY BUILD_DIRECTORY."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BINARY, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PARTS = SOURCE / "release/parts.json"


def found_by_cmake():
    """The files and folders of libraries that CMake found for the program, whose tests find their own."""
    sources = [path for path in SOURCE.rglob("CMakeLists.txt")
               if path.relative_to(SOURCE).parts[0] in ("CMakeLists.txt", "probe", "backends", "kernels", "report")]
    text = "".join(path.read_text() for path in sources)
    names = re.findall(r"^\s*find_(?:path|library)\((\w+)", text, re.M)
    names += [f"{name}_DIR" for name in re.findall(r"^\s*find_package\((\w+)", text, re.M) if name != "Threads"]  # the C library's
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M))
    return {name: cache[name] for name in names}, re.findall(r"find_path\((\w+) (\S+)", text)


def owners(paths):
    """The packages of these files and folders, by path; dpkg reads all of its lists for each question."""
    said = subprocess.run(["dpkg-query", "-S", *paths], capture_output=True, text=True, check=True).stdout
    return {path: re.split("[:,]", names)[0] for names, _, path in (line.rpartition(": ") for line in said.splitlines())}


@unittest.skipUnless(shutil.which("dpkg-query"), "no packages of Debian's here")
class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        process, sbom, notices = cls.make("one")
        if (process.returncode, process.stderr) != (0, ""):
            raise AssertionError(process.stderr)
        cls.sbom, cls.notices = sbom.read_text(), notices.read_text()
        cls.document = json.loads(cls.sbom)

    @classmethod
    def make(cls, name, parts=PARTS):
        sbom, notices = cls.scratch / f"{name}.json", cls.scratch / f"{name}.txt"
        process = subprocess.run([sys.executable, "-B", SOURCE / "release/sbom.py", BUILD, BINARY, "--version", "1.2.3", "--parts", parts,
                                  "--target", BINARY.relative_to(BUILD), "--sbom", sbom, "--notices", notices],
                                 capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000001"})
        return process, sbom, notices

    def test_whatever_cmake_finds_for_the_program_is_in_it(self):
        listed = {re.search(r"package (\S+),", part["sourceInfo"])[1] for part in self.document["packages"] if "sourceInfo" in part}
        found, files = found_by_cmake()
        self.assertGreater(len(found), 8)
        headers = dict(files)
        paths = {name: str(pathlib.Path(place, headers[name]) if name in headers else place) for name, place in found.items()}
        package_of = owners(paths.values())
        for name, path in paths.items():
            with self.subTest(name=name):
                self.assertIn(package_of[path], listed)

    def test_every_part_has_name_version_licence_and_source(self):
        document = self.document
        self.assertEqual("SPDX-2.3", document["spdxVersion"])
        self.assertEqual("2023-11-14T22:13:21Z", document["creationInfo"]["created"])
        for part in document["packages"]:
            with self.subTest(part=part["name"]):
                self.assertTrue(part["versionInfo"])
                self.assertRegex(part["licenseDeclared"], r"^[A-Z][\w.+ -]+$")
                if part["name"] != "whichgpu":
                    self.assertRegex(part["downloadLocation"], "^https://")

    def test_what_refers_to_a_part_finds_it(self):
        document = self.document
        known = [part["SPDXID"] for part in document["packages"]]
        self.assertEqual(len(set(known)), len(known))
        for relation in document["relationships"]:
            self.assertIn(relation["spdxElementId"], [*known, "SPDXRef-DOCUMENT"])
            self.assertIn(relation["relatedSpdxElement"], known)
        self.assertEqual(set(known), {relation["relatedSpdxElement"] for relation in document["relationships"]})

    def test_the_notices_have_the_text_of_every_part(self):
        notices = self.notices
        for part in self.document["packages"][1:]:
            self.assertIn(f"\n{part['name']} (", notices)
        self.assertIn("Niels Lohmann", notices)

    def test_the_same_build_gives_the_same_bytes(self):
        _, sbom, notices = self.make("two")
        self.assertEqual((self.sbom, self.notices), (sbom.read_text(), notices.read_text()))

    def test_a_part_of_which_nobody_has_said_what_it_is_ends_it(self):
        parts = json.loads(PARTS.read_text())
        parts["packages"] = [part for part in parts["packages"] if part["name"] != "hwloc"]
        lesser = self.scratch / "parts.json"
        lesser.write_text(json.dumps(parts))
        process, sbom, notices = self.make("lesser", lesser)
        self.assertEqual(1, process.returncode)
        self.assertRegex(process.stderr, r"^sbom: /\S+hwloc\S* is inside, of libhwloc-dev, of which release/parts.json says nothing\n$")
        self.assertFalse(sbom.exists() or notices.exists())


class Parts(unittest.TestCase):
    def test_a_release_unpacks_what_parts_json_knows(self):
        script = (SOURCE / "release/build.sh").read_text()
        unpacked = re.search(r"^release_packages=\(([^)]*)\)", script, re.M)[1].split()
        known = [part["package"] for part in json.loads(PARTS.read_text())["packages"]]
        self.assertEqual(sorted(unpacked), sorted(name for name in known if "*" not in name))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
