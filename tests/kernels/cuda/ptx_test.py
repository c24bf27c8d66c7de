#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The committed PTX: made of the sources as they are, and accepted by ptxas for every chip that its instructions allow,
with no spills in products, and with the lowest version that has its instructions. ptxas is optional.

ptx_test.py [FOLDER [--build]], where ptxas's answers are kept; with the last it asks for them and judges nothing.
--record writes usage.json."""
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool_results import Results  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "kernels" / "cuda"
CHIPS = ("75", "80", "86", "87", "89", "90", "100", "103", "110", "120", "121")
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
TARGET_BELOW = {"sm_70": "sm_62", "sm_75": "sm_72", "sm_80": "sm_75", "sm_89": "sm_87", "sm_90a": "sm_90", "sm_120f": "sm_120"}
VERSIONS = ("6.0", "6.3", "6.5", "7.0", "7.1", "7.8", "8.0", "8.4", "8.7", "8.8", "9.0")

spec = importlib.util.spec_from_file_location("compile", FOLDER / "compile.py")
compiler = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compiler)


RESULTS = Results(None, [PTXAS]) if PTXAS else None


def assemble(text, chip):
    """How ptxas ended, and what it said."""
    words = ["-v", f"-arch=sm_{chip}"]
    try:
        said = RESULTS.get([text, *words], lambda: accepted(text, words))
        return subprocess.CompletedProcess(words, 0, "", said)
    except subprocess.CalledProcessError as refused:
        return subprocess.CompletedProcess(words, refused.returncode, "", refused.stderr)


def accepted(text, words):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        return subprocess.run([PTXAS, *words, file.name, "-o", "/dev/null"], capture_output=True, text=True,
                              check=True).stderr


def assembled():
    """Every module for every chip that it can run on: name, chip, and how ptxas ended."""
    pairs = [(name, chip) for name, _, _, target in compiler.modules() for chip in chips(name, target)]
    texts = {name: (FOLDER / "ptx" / f"{name}.ptx").read_text() for name, _ in pairs}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(*pair, done) for pair, done in zip(pairs, pool.map(lambda p: assemble(texts[p[0]], p[1]), pairs))]


def number(target):
    return int(re.sub(r"\D", "", target))


def chips(name, target):
    """Those that are to run a module, as far as this ptxas knows them."""
    if target.endswith("a"):
        return [target.removeprefix("sm_")]
    return compiler.chips_that_run(name) or [chip for chip in CHIPS if int(chip) >= number(target)]


def usage(log):
    """Of every entry point its registers, spills and shared memory in bytes."""
    found = {}
    name = None
    for line in log.splitlines():
        if match := re.search(r"Function properties for (\w+)", line):
            name = match.group(1)
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            found[name] = {"spills": int(match.group(1)) + int(match.group(2))}
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            found[name].update(registers=int(match.group(1)), shared_bytes=int(shared.group(1)) if shared else 0)
    return found


class Ptx(unittest.TestCase):
    def test_it_is_made_of_the_sources_as_they_are(self):
        self.assertEqual([], list(compiler.stale()))

    def test_every_file_belongs_to_a_module(self):
        self.assertEqual({row[0] for row in compiler.modules()}, {path.stem for path in (FOLDER / "ptx").iterdir()})

    def test_versions_and_targets_are_those_of_the_table(self):
        for name, _, version, target in compiler.modules():
            text = (FOLDER / "ptx" / f"{name}.ptx").read_text()
            self.assertIn(f"\n.version {version}\n.target {target}\n", text)


@unittest.skipUnless(PTXAS, "ptxas is not here")
class Assembled(unittest.TestCase):
    def test_every_module_assembles_for_every_chip_without_spills(self):
        done = assembled()
        for name, chip, ended in done:
            with self.subTest(module=name, chip=chip):
                self.assertEqual(0, ended.returncode, ended.stderr)
                # wgmma whose registers ptxas can not follow wait for each other, or get a fence that was forgotten.
                self.assertNotRegex(ended.stderr, "(?i)performance loss|is injected")
                self.assertEqual({}, {entry: used for entry, used in usage(ended.stderr).items() if used["spills"]})
        self.assertEqual(json.loads((FOLDER / "usage.json").read_text()), needs(done))

    def test_no_lower_version_has_the_instructions(self):
        for name, _, version, target in compiler.modules():
            below = [known for known in VERSIONS if float(known) < float(version)]
            if not below:
                continue  # the oldest that this project writes
            text = (FOLDER / "ptx" / f"{name}.ptx").read_text().replace(f".version {version}", f".version {below[-1]}")
            with self.subTest(module=name, version=below[-1]):
                done = assemble(text, chips(name, target)[0])
                self.assertNotEqual(0, done.returncode)
                self.assertRegex(done.stderr, r"PTX ISA \.version|PTX \.version")

    def test_no_lower_target_has_the_instructions(self):
        for name, _, _, target in compiler.modules():
            if target not in TARGET_BELOW:
                continue  # the oldest that this project writes
            below = TARGET_BELOW[target]
            text = (FOLDER / "ptx" / f"{name}.ptx").read_text().replace(f".target {target}\n", f".target {below}\n")
            with self.subTest(module=name, target=below):
                done = assemble(text, chips(name, target)[0])
                self.assertNotEqual(0, done.returncode)
                self.assertIn(".target", done.stderr)


def needs(done):
    """Registers and static shared memory in bytes of every entry point on every chip."""
    table = {}
    for name, chip, ended in done:
        for entry, used in usage(ended.stderr).items():
            row = table.setdefault(name, {}).setdefault(entry, {})
            row[f"sm_{chip}"] = [used["registers"], used["shared_bytes"]]
    return table


def record():
    """Writes usage.json."""
    lines = json.dumps(needs(assembled()), indent=1)
    (FOLDER / "usage.json").write_text(re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", lines) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        if PTXAS and len(sys.argv) > 1:
            RESULTS.folder = pathlib.Path(sys.argv[1])
        if sys.argv[2:] == ["--build"]:
            if PTXAS:
                assembled()
            sys.exit()
        unittest.main(argv=sys.argv[:1], verbosity=2)
