#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever a driver, a file or a user calls things: nothing reaches a stream that can not be seen or that bends how
the text around it reads. It is written as its code, in every format and in every message."""
import json
import pathlib
import tempfile
import unicodedata
import unittest

from harness import SOURCE, document, main, run

# Direction marks and overrides, joiners, fillers, tags, variation selectors, separators, annotation, noncharacters.
UNSEEN = ("\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2064\u2066\u2069\u206f\u3164"
          "\ufdd0\ufe00\ufe0f\ufeff\ufff9\ufffb\uffff\U000e0001\U000e0041\U000e007f\U000e0100\U0010fffe")
LYING = "Ge" + "".join(f"{c}x" for c in UNSEEN) + "\x1b[2J\x9b1mForce"
RECORD = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu" / "record.json"


def seen(text):
    """What of a text may not be printed; a newline may."""
    return sorted({f"U+{ord(c):04X}" for c in text
                   if c in UNSEEN or (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n")})


def renamed(value, keys):
    """The record with every free text bent."""
    if isinstance(value, dict):
        return {key: LYING if key in keys else renamed(item, keys) for key, item in value.items()}
    return [renamed(item, keys) for item in value] if isinstance(value, list) else value


class Texts(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name)

    def check(self, process):
        self.assertEqual([], seen(process.stdout), process.args)
        self.assertEqual([], seen(process.stderr), process.args)
        return process

    def lying_record(self):
        record = renamed(json.loads(RECORD.read_text()), {"name", "os", "architecture", "kernel_driver", "driver_version",
                                                          "implementation", "tool_version", "path"})
        record["warnings"] = [LYING]
        record["probes"][0].update(stderr_tail=LYING, environment=[{"name": LYING, "value": LYING}],
                                   error={"call": LYING, "name": LYING, "text": LYING})
        record["probes"][0]["hardware"][0]["facts"] = [{"key": LYING, "value": LYING}]
        folder = self.root / LYING.replace("/", "_")
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        return folder

    def test_of_drivers_and_files_in_every_format(self):
        folder = self.lying_record()
        for arguments in ((), ("--verbose",), ("--json",), ("list",), ("list", "--json"), ("recommend",),
                          ("recommend", "--json"), ("recommend", "--why"), ("recommend", "--format", "shell"),
                          ("recommend", "--format", "env"), ("recommend", "--require", "hip")):
            with self.subTest(arguments):
                process = self.check(run(*arguments, "--replay", folder))
                self.assertIn(process.returncode, (0, 1), process.stderr)
        self.assertIn("Ge\\u00adx\\u034fx", run("list", "--replay", folder).stdout.replace("\n", ""))

    def test_of_compared_files_and_their_names(self):
        report = document(run("--json", "--replay", RECORD.parent))
        bent = renamed(report, {"implementation", "tool_version", "driver", "device_id"})
        path = self.root / f"{LYING}.json"
        path.write_text(json.dumps(bent))
        for arguments in ((), ("--verbose",), ("--json",)):
            self.check(run("compare", path, path, *arguments))
        path.write_text("{")
        self.assertEqual(2, self.check(run("compare", path, path)).returncode)

    def test_of_the_user_in_every_complaint(self):
        broken = self.root / f"{LYING}.d"
        broken.mkdir()
        (broken / "record.json").write_text(json.dumps({"format": 1, "tool_version": LYING, LYING: LYING}))
        twice = json.loads(RECORD.read_text())
        twice["probes"] = [{**twice["probes"][0], "module": LYING}] * 2
        (self.root / "twice").mkdir()
        (self.root / "twice" / "record.json").write_text(json.dumps(twice))
        for arguments in ((LYING,), (f"--{LYING}",), ("list", LYING), ("help", LYING), ("--only", LYING), ("--skip", LYING),
                          ("--device", LYING), ("--budget", LYING), ("--timeout", LYING), ("--color", LYING),
                          ("--sysroot", LYING), ("--record", f"/nonexistent/{LYING}"), ("--replay", LYING),
                          ("recommend", "--for", LYING), ("recommend", "--require", LYING),
                          ("recommend", "--format", LYING), ("compare", LYING, LYING), ("--replay", broken),
                          ("--replay", self.root / "twice"), ("--device", LYING, "--replay", RECORD.parent)):
            with self.subTest(arguments):
                process = self.check(run(*arguments))
                self.assertEqual((2, ""), (process.returncode, process.stdout), process.stderr)
                self.assertEqual(1, process.stderr.count("\n"), process.stderr)


main()
