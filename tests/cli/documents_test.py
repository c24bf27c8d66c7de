#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages and the completions that are installed say what --help says, in the programs that read them."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from harness import BINARY, main, run

BUILD = BINARY.parents[1]
MADE = BUILD / "documents"
PAGES = sorted((MADE / "man").glob("*.1"))
COMMANDS = re.findall(r"^  (\w+)", run("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0], re.M)
# A line of what is written, and what has to be among the completions; those in the second list must not.
ASKED = [("whichgpu ", ["list", "recommend", "describe"], []),
         ("whichgpu rec", ["recommend"], ["list"]),
         ("whichgpu --on", ["--only"], ["--skip"]),
         ("whichgpu --only=", ["cpu", "sysfs"], ["list"]),
         ("whichgpu --only cpu,s", ["cpu,sysfs"], ["cpu,cpu"]),
         ("whichgpu recommend --for ", ["inference", "training"], ["cpu"]),
         ("whichgpu --json recommend --format e", ["env"], ["plain"]),
         ("whichgpu recommend --target py", ["pytorch"], []),
         ("whichgpu query name memory.t", ["memory.total"], ["name"]),
         ("whichgpu query name,driver.v", ["name,driver.version"], []),
         ("whichgpu describe nois", ["noisy"], []),
         ("whichgpu compare --js", ["--json"], []),
         ("whichgpu compare --meas", [], ["--measure"]),
         ("whichgpu compare bef", ["before.json"], []),
         ("whichgpu --replay rec", ["record"], ["record.json"])]


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"no {program}")


def options_of(*command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*(?=[ ,\n])", "\n".join(
        line[:30] + "\n" for line in run(*command, "--help").stdout.splitlines() if line.startswith("  -"))))


def shown(page):
    """What `man` shows, in one line."""
    text = subprocess.run(["man", "-l", page], capture_output=True, text=True, check=True,
                          env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}).stdout
    return re.sub(r"\s+", " ", text)


class Pages(unittest.TestCase):
    def test_each_command_has_one_with_its_options(self):
        self.assertEqual(sorted(["whichgpu.1", *(f"whichgpu-{name}.1" for name in COMMANDS)]), [page.name for page in PAGES])
        for command in [(), *((name,) for name in COMMANDS)]:
            text = (MADE / "man" / ("-".join(("whichgpu", *command)) + ".1")).read_text().replace("\\-", "-")
            found = options_of(*command)
            self.assertIn("--help", found)
            for option in found:
                self.assertRegex(text, rf"(?m)^(\\f.*, )?\\fB{option}\\fR", command)

    def test_words_that_are_known_are_told(self):
        text = (MADE / "man" / "whichgpu-query.1").read_text()
        for line in run("query", "--list-fields").stdout.splitlines():
            self.assertIn(line.split()[0], text)

    def test_no_date_and_no_machine_is_in_them(self):
        """Written again they are the same bytes, wherever and whenever."""
        with tempfile.TemporaryDirectory() as scratch:
            program = BUILD / "report" / "documents" / "whichgpu_documents"
            subprocess.run([program, scratch], check=True, cwd="/", env={"TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": scratch})
            for path in MADE.rglob("*"):
                if path.is_file() and path.name != "made":
                    again = pathlib.Path(scratch) / path.relative_to(MADE)
                    self.assertEqual(path.read_bytes(), again.read_bytes(), path.name)

    @needs("man")
    def test_man_shows_them_without_a_warning(self):
        for page in PAGES:
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                                  text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
            self.assertEqual((0, ""), (done.returncode, done.stderr), page.name)
        self.assertIn("EXAMPLES whichgpu list", shown(MADE / "man" / "whichgpu-list.1"))

    @needs("mandoc")
    def test_mandoc_finds_nothing(self):
        for page in PAGES:
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True, check=False)
            # A page of no day is one that is the same tomorrow.
            left = [line for line in done.stdout.splitlines() if "missing date" not in line]
            self.assertEqual([], left)

    def test_help_and_page_end_in_the_same_examples(self):
        text = (MADE / "man" / "whichgpu-compare.1").read_text().replace("\\-", "-")
        self.assertIn(".SH EXAMPLES\n.EX\n", text)
        for line in run("compare", "--help").stdout.split("Examples:\n")[1].splitlines():
            self.assertIn(line.removeprefix("  "), text)


class Terminal:
    """A shell in a terminal of its own; what it prints after a line was written is what it offers."""
    def __init__(self, folder, *command):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(folder), "LC_ALL": "C.UTF-8"})

    def write(self, text, quiet_s=0.5, limit_s=20):
        os.write(self.terminal, text.encode())
        out, end = b"", time.monotonic() + limit_s
        while time.monotonic() < end and select.select([self.terminal], [], [], quiet_s if out else 5)[0]:
            out += os.read(self.terminal, 65536)
        return out.decode(errors="replace")

    def do(self, commands, limit_s=60):
        """Waits until they are done: what is typed before that is no line of the editor's."""
        os.write(self.terminal, f"{commands}; print done$((1 + 1))\n".encode())
        out, end = b"", time.monotonic() + limit_s
        while b"done2" not in out and time.monotonic() < end and select.select([self.terminal], [], [], limit_s)[0]:
            out += os.read(self.terminal, 65536)

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Completions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "before.json").touch()
        (self.folder / "record").mkdir()
        (self.folder / "record.json").touch()

    def check(self, answer):
        for line, among, never in ASKED:
            offered = answer(line)
            for word in among:
                self.assertIn(word, offered, line)
            for word in never:
                self.assertNotIn(word, offered, line)

    @needs("bash")
    def test_bash(self):
        script = (f'source "{MADE}/completions/bash/whichgpu"\n'
                  # As readline divides a line: at blanks and around "=".
                  'COMP_LINE=$1 COMP_POINT=${#1}; spaced=${1//=/ = }; read -ra COMP_WORDS <<<"$spaced"\n'
                  '[[ $spaced == *" " && $1 != *= ]] && COMP_WORDS+=("")\n'
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _whichgpu; printf '%s\\n' \"${COMPREPLY[@]}\"\n")

        def answer(line):
            done = subprocess.run(["bash", "--norc", "-c", script, "bash", line], capture_output=True, text=True, check=True,
                                  cwd=self.folder)
            self.assertEqual("", done.stderr)
            return done.stdout.split()
        self.check(answer)

    @needs("fish")
    def test_fish(self):
        def answer(line):
            done = subprocess.run(
                ["fish", "--no-config", "-c", f"source {MADE}/completions/fish/whichgpu.fish; complete -C {line!r}"],
                capture_output=True, text=True, check=True, cwd=self.folder, env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual("", done.stderr)
            return [word.split("\t")[0].removeprefix("--only=").rstrip("/") for word in done.stdout.splitlines()]
        self.check(answer)

    @needs("zsh")
    def test_zsh(self):
        shell = Terminal(self.folder, "zsh", "-f", "-i")
        self.addCleanup(shell.close)
        shell.do(f"fpath=({MADE}/completions/zsh $fpath); autoload -Uz compinit; compinit -u -D")
        shell.do("PS1='> '; LISTMAX=10000; unsetopt prompt_sp; bindkey '^X' list-choices; stty columns 500")
        shell.write("")  # the prompt

        def answer(line, quiet_s):
            text = shell.write(line + "\x18", quiet_s)
            shell.write("\x15", quiet_s=0.2)
            # What was written stands there, too, before and after the list.
            listed = text.split("\n")[1:]
            return [re.sub(r"^=", "", word.rstrip("/")) for part in listed for word in re.sub(r"^> whichgpu.*", "", part).split()]
        asked = [(line, [word.split(",")[-1] for word in among], never) for line, among, never in ASKED]
        for line, among, never in asked:
            for quiet_s in (0.5, 2, 8):  # where others have the processor it may pause in its answer
                offered = answer(line, quiet_s)
                if set(among) <= set(offered):
                    break
            for word in among:
                self.assertIn(word, offered, line)
            for word in never:
                self.assertNotIn(word, offered, line)


if __name__ == "__main__":
    main()
