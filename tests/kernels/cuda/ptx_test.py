#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The committed PTX: accepted by ptxas for every chip that its instructions allow, without spills, and with the lowest
version and target that have its instructions. ptxas is optional.

ptx_test.py [FOLDER [--build]], where ptxas's answers are kept; with the last it asks for them and judges nothing.
--record writes usage.json."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT / "tests" / "kernels")]
import generate  # noqa: E402
from tool_results import Results  # noqa: E402

MODULES = list(generate.modules("cuda"))
RECORDED = pathlib.Path(__file__).resolve().parent / "usage.json"
CHIPS = ("75", "80", "86", "87", "89", "90", "100", "103", "110", "120", "121")
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
TARGET_BELOW = {"sm_70": "sm_62", "sm_75": "sm_72", "sm_80": "sm_75", "sm_89": "sm_87", "sm_90a": "sm_90",
                "sm_100a": "sm_100", "sm_100f": "sm_100", "sm_110a": "sm_110", "sm_120f": "sm_120",
                "sm_120a": "sm_120"}
VERSIONS = ("6.0", "6.3", "6.5", "7.0", "7.1", "7.8", "8.0", "8.4", "8.5", "8.7", "8.8", "9.0")

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
    pairs = [(module.name, chip) for module in MODULES for chip in chips(module)]
    texts = {module.name: generate.made(module).read_text() for module in MODULES}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(*pair, done) for pair, done in zip(pairs, pool.map(lambda p: assemble(texts[p[0]], p[1]), pairs))]


def version_of_ptxas():
    return re.search(r"V([\d.]+)", generate.version_of([PTXAS])).group(1)


def number(target):
    return int(re.sub(r"\D", "", target))


def chips(module):
    """Those that are to run a module, as far as this ptxas knows them."""
    target = module.settings["target"]
    if target.endswith("a"):
        return [target.removeprefix("sm_")]
    named = module.settings.get("chips")
    return named.split(",") if named else [chip for chip in CHIPS if int(chip) >= number(target)]


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
    def test_versions_and_targets_are_those_of_the_table(self):
        for module in MODULES:
            wanted = f"\n.version {module.settings['version']}\n.target {module.settings['target']}\n"
            self.assertIn(wanted, generate.made(module).read_text())

    def test_of_every_version_but_the_oldest_it_is_known_which_drivers_know_it(self):
        rows = [line.split(",")[0] for line in (ROOT / "data" / "ptx_drivers.csv").read_text().splitlines()
                if line[:1].isdigit()]
        versions = sorted({module.settings["version"] for module in MODULES}, key=float)
        self.assertEqual(versions[1:], rows)


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

    def test_every_entry_point_uses_what_was_recorded(self):
        recorded = json.loads(RECORDED.read_text())
        if recorded["ptxas"] != version_of_ptxas():
            self.skipTest(f"what ptxas {recorded['ptxas']} needs was recorded, and this is {version_of_ptxas()}")
        self.assertEqual(recorded["modules"], needs(assembled()))

    def test_no_lower_version_has_the_instructions(self):
        for module in MODULES:
            name, version = module.name, module.settings["version"]
            below = [known for known in VERSIONS if float(known) < float(version)]
            if not below:
                continue  # the oldest that this project writes
            text = generate.made(module).read_text().replace(f".version {version}", f".version {below[-1]}")
            with self.subTest(module=name, version=below[-1]):
                done = assemble(text, chips(module)[0])
                self.assertNotEqual(0, done.returncode)
                self.assertRegex(done.stderr, r"PTX ISA \.version|PTX \.version")

    def test_no_lower_target_has_the_instructions(self):
        for module in MODULES:
            name, target = module.name, module.settings["target"]
            if target not in TARGET_BELOW:
                continue  # the oldest that this project writes
            below = TARGET_BELOW[target]
            text = generate.made(module).read_text().replace(f".target {target}\n", f".target {below}\n")
            with self.subTest(module=name, target=below):
                done = assemble(text, chips(module)[0])
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
    lines = json.dumps({"ptxas": version_of_ptxas(), "modules": needs(assembled())}, indent=1)
    RECORDED.write_text(re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", lines) + "\n")


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
