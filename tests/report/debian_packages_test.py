#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the names and versions of data/packages.json against the lists of packages that apt has. WHICHGPU_APT_OPTIONS:
options for apt that name other lists ("-o Dir::State=/tmp/lists ...").

debian_packages_test.py SOURCE_DIR"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
OPTIONS = shlex.split(os.environ.get("WHICHGPU_APT_OPTIONS", ""))
SYSTEMS = {row["name"]: row for row in json.loads((SOURCE / "data" / "systems.json").read_text())["systems"]}
CODENAMES = {row["codename"]: row["version"] for row in SYSTEMS["debian"]["releases"]}
ROWS = [row for row in json.loads((SOURCE / "data" / "packages.json").read_text())["rows"]
        if "debian" in row["systems"] and row["packages"] and not row.get("foreign")]


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def lists():
    """{(release, component)} of the lists that are here."""
    if not shutil.which("apt-get"):
        return set()
    lines = ask("apt-get", *OPTIONS, "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT) $(FILENAME)",
                "Created-By: Packages").splitlines()
    return {(CODENAMES[codename], component) for _, codename, component, file in map(str.split, lines)
            if codename in CODENAMES and pathlib.Path(file).is_file()}


def offered(names):
    """{(release, component, name): version} by apt-cache madison's lines "name | version | address suite/component ..."."""
    out = {}
    for line in ask("apt-cache", *OPTIONS, "madison", *names).splitlines():
        name, version, place = (part.strip() for part in line.split("|"))
        suite, _, component = place.split()[1].partition("/")
        if suite in CODENAMES:
            out.setdefault((CODENAMES[suite], component, name), version)
    return out


LISTS = lists()


@unittest.skipUnless(LISTS, "apt has no lists of a Debian release that data/systems.json knows")
class Names(unittest.TestCase):
    def test_every_name_is_a_package_of_its_release_in_the_version_that_the_row_has(self):
        known = offered(sorted({name for row in ROWS for name in row["packages"]}))
        checked = 0
        for row in ROWS:
            component = row.get("component", "main")
            for release in row.get("releases", CODENAMES.values()):
                if (release, component) not in LISTS:
                    continue
                for name in row["packages"]:
                    with self.subTest(name, release=release):
                        version = known.get((release, component, name))
                        self.assertIsNotNone(version, f"Debian {release} has no {name} in {component}")
                        if "version" in row and name == row["packages"][-1]:
                            self.assertRegex(version, rf"^(\d+:)?{re.escape(row['version'])}\b")
                        checked += 1
        self.assertGreater(checked, 0)
        print(f"{checked} names of {len(LISTS)} lists", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
