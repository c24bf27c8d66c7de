#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the package registries say today against these tables: refresh.py [--tables DIR] [PROGRAM...]

Asks pip, as it is configured here and of the rows' own indexes, for the newest wheel of each row for Linux, and prints where
it differs from the row: a version that no source of the table names, another glibc than row and note say, none at all. Writes
nothing: a row is a fact that somebody has to look up. 1 where something has changed, 0 where not; what could not be asked stands on stderr."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MACHINES = {"x86_64", "aarch64"}
NEWEST_GLIBC = 43
OLDEST_GLIBC = 17  # manylinux2014, which pip knows by that name, too
PYTHONS = ("3.12", "3.11", "3.13", "3.10", "3.9")  # of which some builds have but one
NETWORK = ("connection broken", "HTTP error", "timed out", "Temporary failure", "ProxyError", "SSLError", "Connection")


def wheel_of(requirement, machine, row, python):
    """Version and file name of the wheel that pip takes, or None and what pip said."""
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)]
    platforms = [word for tag in [*tags, f"manylinux2014_{machine}", f"linux_{machine}"] for word in ("--platform", tag)]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--report", "-", "--ignore-installed",
               "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--retries", "1", "--timeout", "20",
               "--python-version", python, "--ignore-requires-python",  # which pip 23 holds against its own Python
               *platforms]
    if "index" in row:  # alone, be it asked beside another by who installs: the other has other builds
        command += ["--index-url", row["index"]]
    if "find_links" in row:
        command += ["--find-links", row["find_links"]]
    with tempfile.TemporaryDirectory() as target:
        process = subprocess.run([*command, "--target", target, requirement], capture_output=True, text=True)
    if process.returncode:
        return None, process.stderr.strip()
    (found,) = json.loads(process.stdout)["install"]
    return (found["metadata"]["version"], found["download_info"]["url"].rsplit("/", 1)[-1].split("#")[0]), ""


def glibc_of(file):
    """The least glibc of the wheel's tags, as "2.28"; None of one for every system."""
    minors = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", file)]
    minors += [17] * ("manylinux2014" in file) + [12] * ("manylinux2010" in file) + [5] * ("manylinux1_" in file)
    return f"2.{min(minors)}" if minors else None


def text_of(table):
    """All that its sources and notes say, in which versions are named."""
    rows = [table, *table["builds"]]
    return " ".join(str(row.get(key, "")) for row in rows for key in ("source", "note"))


def changes_of(table, row, machine):
    """Sentences about one row, and why it could not be asked."""
    requirement = row["package"] + row.get("version", "")
    for python in PYTHONS:
        found, said = wheel_of(requirement, machine, row, python)
        if found or any(word in said for word in NETWORK):
            break
    if not found and any(word in said for word in NETWORK):
        return [], next(line for line in said.splitlines() if any(word in line for word in NETWORK))
    if not found and "source package" in row.get("note", ""):
        return [], ""
    if not found:
        return [f"there is no wheel of {requirement} for {machine}"], ""
    version, file = found
    changes = []
    plain = version.split("+")[0]
    if not re.search(rf"(?<![\d.]){re.escape(plain)}(?![\d]|\.\d)", text_of(table)):
        changes.append(f"{requirement} is {version} now, which no source of the table names")
    glibc, needed = glibc_of(file), row.get("needs", {}).get("glibc")
    # A note that names it says what older systems get.
    if glibc and needed and glibc != needed and f"glibc {glibc}" not in row.get("note", ""):
        changes.append(f"{file} needs glibc {glibc}, the row says {needed}")
    return changes, ""


def rows_of(table):
    for row in table["builds"]:
        needs = row.get("needs", {})
        if "package" in row and "linux" in needs.get("os", ["linux"]):
            for machine in sorted(MACHINES.intersection(needs.get("machine", MACHINES))):
                yield row, machine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    files = {path.stem: path for path in sorted(options.tables.glob("*.json"))}
    for program in options.programs:
        if program not in files:
            parser.error(f"there is no table of {program}; known are {', '.join(files)}")
    changed = False
    for program in options.programs or files:
        table = json.loads(files[program].read_text())
        for row, machine in rows_of(table):
            changes, unasked = changes_of(table, row, machine)
            if unasked:
                print(f"{program}: {row['id']} on {machine} was not asked: {unasked}", file=sys.stderr)
            for change in changes:
                changed = True
                print(f"{program}: {row['id']} on {machine}: {change}", flush=True)
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
