# SPDX-License-Identifier: MIT
"""How a promise is shown: one line of text, the command as typed, what was observed. Standard library only."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import time

WIDTH = 80
PROMISES = []  # in the order in which they are shown


class NotShown(Exception):
    """The machine denies what the promise needs to be seen."""


class Broken(AssertionError):
    """What was observed instead of what was promised."""


class Promise:
    def __init__(self, section, text, show):
        self.section = section
        self.text = text
        self.show = show


def promise(section, text):
    """Registers a function that shows one promise: it is handed a Stage and returns what it observed."""
    def register(show):
        PROMISES.append(Promise(section, text, show))
        return show
    return register


def expect(condition, observed):
    if not condition:
        raise Broken(observed)


def untold(text):
    """Without the names of scratch folders."""
    return re.sub(r"/tmp/(?:fake_machine_|tmp)\w+/", "…/", text)


def quoted(text, limit=110):
    """The first line of a text, short enough to be read."""
    lines = text.strip().splitlines()
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in lines[0]) if lines else ""
    line += " …" if len(lines) > 1 else ""
    return line if len(line) <= limit else line[:limit - 2] + " …"


def observed(run):
    """Exit code, stdout and stderr of a finished process in one line."""
    out = f"stdout: {quoted(run.stdout, 60)}" if run.stdout else "stdout empty"
    err = f"stderr: {quoted(untold(run.stderr))}" if run.stderr else "stderr empty"
    return f"exit {run.returncode}, {out}, {err}"


class Stage:
    """Runs the tool for one promise and keeps what a user would have typed for it."""

    def __init__(self, binary, environment):
        self.binary = binary
        self.environment = environment
        self.commands = []

    def typed(self, *words, suffix="", prefix=""):
        """Notes a command as one would type it: paths by their last part."""
        short = [re.sub(r"^/(?:[^/=]+/)+", "", str(word)) for word in words]
        line = f"{prefix}whichgpu {shlex.join(short)}{suffix}".replace("whichgpu  ", "whichgpu ").strip()
        if line not in self.commands:
            self.commands.append(line)

    def run(self, *words, environment=None, typed=True, **options):
        """The finished process, with text output."""
        if typed:
            self.typed(*words)
        options.setdefault("timeout", 60)
        return subprocess.run([str(self.binary), *map(str, words)], env=environment or self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)


class Paint:
    CODES = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "fair": "33"}

    def __init__(self, stream):
        self.on = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    def __call__(self, style, text):
        return f"\x1b[{self.CODES[style]}m{text}\x1b[0m" if self.on else text


def wrapped(text, indent, width):
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def show_all(promises, binary, environment, stream=sys.stdout):
    """Shows them one by one; returns how many do not hold."""
    paint = Paint(stream)
    width = max(40, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))
    counts = {"held": 0, "broken": 0, "not shown": 0}
    start = time.monotonic()
    section = None
    for one in promises:
        if one.section != section:
            section = one.section
            print(f"\n{paint('bold', section)}\n", file=stream)
        stage = Stage(binary, environment)
        try:
            result, sign, kind = one.show(stage) or "", paint("good", "✓"), "held"
        except NotShown as reason:
            result, sign, kind = f"not shown here: {reason}", paint("fair", "–"), "not shown"
        except Exception as error:  # whatever goes wrong, the promise was not seen to hold
            name = "" if isinstance(error, Broken) else type(error).__name__ + ": "
            result, sign, kind = f"{name}{quoted(str(error), 400)}", paint("bad", "✗"), "broken"
        counts[kind] += 1
        print(wrapped(one.text, "    ", width).replace("    ", f"  {sign} ", 1), file=stream)
        for command in stage.commands:
            print(paint("dim", wrapped(command, "      ", width).replace("      ", "    $ ", 1)), file=stream)
        print(wrapped(untold(result), "      ", width), file=stream, flush=True)
    print(f"\n{counts['held']} of {len(promises)} promises hold, {counts['broken']} do not, {counts['not shown']} were "
          f"not shown here; {time.monotonic() - start:.0f} s.", file=stream)
    return counts["broken"]
