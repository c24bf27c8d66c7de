#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report as people see it: goldens of every recorded machine, and terminals that can do little.
WHICHGPU_UPDATE_GOLDENS=1 rewrites tests/fixtures/<machine>/report.<width>.txt and screen.<width>.txt."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata
import unittest

from harness import BINARY, SOURCE, document, environment, main, run

FOLDERS = sorted(path.parent for path in (SOURCE / "tests" / "fixtures").glob("*/record.json"))
WIDTHS = (60, 80, 160)
SCREENS = (40, 80, 140)


def plain(**changes):
    return environment(**{"LANG": "C.UTF-8", "LC_ALL": None, "LC_CTYPE": None, "NO_COLOR": None, "TERM": "xterm",
                          "COLUMNS": None, **changes})


def shown(folder, *arguments, **changes):
    process = run("--replay", folder, *arguments, env=plain(**changes))
    assert process.returncode == 0 and process.stderr == "", process.stderr
    return process.stdout


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def in_terminal(width, *arguments, **changes):
    """What a terminal of that width is sent."""
    try:
        parent, child = pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"the host gives no terminal: {error}") from error
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen([str(BINARY), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=child, stderr=child,
                               env=plain(**changes))
    os.close(child)
    out = b""
    while True:
        try:
            block = os.read(parent, 65536)
        except OSError:
            break
        if not block:
            break
        out += block
    os.close(parent)
    assert process.wait(timeout=60) == 0
    return out.decode().replace("\r\n", "\n")


def prose(folder, text):
    """The lines but those of commands, which are to be copied and not cut, whatever the width."""
    value = document(run("--json", "--replay", folder))
    commands = [step["command"] for step in value["advice"] if "command" in step]
    for answer in value["recommendations"]:
        commands += [program["command"] for program in answer["programs"] if "command" in program]
        commands += [f"{variable['name']}={variable['value']}" for variable in answer["environment"]]
    return [line for line in text.splitlines() if not any(command in line for command in commands)]


class Goldens(unittest.TestCase):
    maxDiff = None

    def check(self, folder, name, width, *arguments):
        text = shown(folder, *arguments, COLUMNS=width)
        golden = folder / f"{name}.{width}.txt"
        if os.environ.get("WHICHGPU_UPDATE_GOLDENS") == "1":
            golden.write_text(text, encoding="utf-8")
        self.assertEqual(golden.read_text(encoding="utf-8"), text)
        self.assertLessEqual(max(columns(line) for line in prose(folder, text)), width)
        return text

    def test_every_machine_at_three_widths(self):
        self.assertGreaterEqual(len(FOLDERS), 10)
        for folder in FOLDERS:
            for width in WIDTHS:
                with self.subTest(folder.name, width=width):
                    self.check(folder, "report", width, "--details")

    def test_every_machine_on_one_screen(self):
        for folder in FOLDERS:
            devices = document(run("--json", "--replay", folder))["devices"]
            gpus = sum(device["kind"] in ("discrete", "integrated") for device in devices)
            for width in SCREENS:
                with self.subTest(folder.name, width=width):
                    lines = self.check(folder, "screen", width).splitlines()
                    if width >= 80:
                        self.assertLessEqual(len(lines), 20 if gpus > 1 else 15)
                    self.assertTrue(lines[-1].endswith("--details"))

    def test_the_first_lines_are_the_answer(self):
        for folder in FOLDERS:
            answer = document(run("--json", "--replay", folder))["recommendations"][0]
            for width, arguments in [(width, of) for width in WIDTHS for of in ((), ("--details",))]:
                with self.subTest(folder.name, width=width, arguments=arguments):
                    head = " ".join(shown(folder, *arguments, COLUMNS=width).splitlines()[:3 if width >= 80 else 4])
                    self.assertRegex(head, rf"^Use {answer['backend']} on \S+")
                    self.assertRegex(head, r"[0-9.]+\s+tokens/s")
                    self.assertRegex(head, r"because \w+")


class Terminals(unittest.TestCase):
    FOLDER = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu"

    def test_a_pipe_has_no_colour_and_a_terminal_has(self):
        self.assertNotIn("\x1b", shown(self.FOLDER))
        coloured = in_terminal(80, "--replay", self.FOLDER)
        self.assertIn("\x1b[1m", coloured)
        self.assertEqual(shown(self.FOLDER, COLUMNS=80), re.sub(r"\x1b\[[0-9;]*m", "", coloured))

    def test_no_color_and_dumb_terminals_get_none(self):
        for changes in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
            with self.subTest(changes):
                self.assertNotIn("\x1b", in_terminal(80, "--replay", self.FOLDER, **changes))
        self.assertIn("\x1b", shown(self.FOLDER, "--color", "always"))

    def test_forty_columns(self):
        for folder in FOLDERS:
            for text in (in_terminal(40, "--replay", folder, "--color", "never"), shown(folder, COLUMNS=40)):
                self.assertLessEqual(max(columns(line) for line in prose(folder, text)), 40, folder.name)

    def test_progress_fits_the_terminal_and_names_the_device_as_the_report_does(self):
        sent = in_terminal(40, "--only", "cpu", "--budget", "0.5", "--color", "never")
        # After the last that is wiped out comes the report, which may fill the line.
        lines = [line.split("\r")[0].split("\n")[0] for line in sent.split("\r\x1b[K")[1:-1]]
        self.assertLess(max(columns(line) for line in lines), 40)
        self.assertTrue(any(line.startswith("measuring cpu on ") for line in lines), lines)
        self.assertNotIn("(R)", "".join(lines))

    def test_other_locales_are_ascii(self):
        for changes in ({"LANG": "C"}, {"LANG": None}, {"LC_ALL": "de_DE.ISO-8859-1"}):
            for folder in FOLDERS:
                self.assertTrue(shown(folder, **changes).isascii(), (folder.name, changes))

    def test_a_reader_that_goes_away_is_no_error(self):
        process = subprocess.run(f"set -o pipefail; '{BINARY}' --replay '{self.FOLDER}' --verbose | head -1", shell=True,
                                 executable="/bin/bash", capture_output=True, text=True, env=plain())
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        self.assertTrue(process.stdout.startswith("Use cuda on GeForce RTX 4090: "), process.stdout)

    def test_guides_are_held_against_what_was_measured(self):
        text = " ".join(shown(self.FOLDER, "--details").split())
        self.assertRegex(text, r"Guides say vulkan reaches 60–70 % of cuda; here it measures \d+ %\.")

    def test_verbose_names_files_and_samples(self):
        process = run("--only", "cpu", "--budget", "1", "--verbose", env=plain())
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertRegex(" ".join(process.stdout.split()), r"by own:\w+, \d+ threads?")
        listed = run("list", "--verbose", "--only", "vulkan", env=plain())
        if "llvmpipe" in listed.stdout:
            self.assertIn("libvulkan", listed.stdout)


main()
