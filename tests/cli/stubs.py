# SPDX-License-Identifier: MIT
"""Stand-ins for the programs that installers call: each writes down how it was called and does nothing else."""
import contextlib
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from harness import BINARY, environment

NAMES = ("pip", "uv", "curl", "tar", "git", "cmake", "docker", "python3")
STUB = """#!/bin/sh
printf '%s\\n' "${0##*/} $*" >>"$CALLS"
case $*$0 in
  *nightly-tag.txt*) echo b1 ;;
  *get_available_providers*) echo '["CPUExecutionProvider"]' ;;
esac
"""


class Box:
    """A folder to work in and a PATH with stand-ins, in which whichgpu answers for one machine."""

    def __init__(self, folder, machine):
        self.folder = folder / "work"
        self.calls = folder / "calls"
        programs = folder / "programs"
        for path in (self.folder, programs):
            path.mkdir()
        words = shlex.join([str(BINARY), "\0", *map(str, machine)]).replace(shlex.quote("\0"), '"$@"')
        # What asks for nothing of a machine is asked without one.
        self._program(programs / "whichgpu", f"#!/bin/sh\ncase $1 in --*) exec {shlex.quote(str(BINARY))} \"$@\" ;; esac\n"
                                             f"exec {words}\n")
        self._program(programs / "stub", STUB)
        for name in NAMES:
            (programs / name).symlink_to("stub")
        self.environment = environment(CALLS=self.calls, PATH=f"{programs}:/usr/local/bin:/usr/bin:/bin")

    def _program(self, path, text):
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *command, **changes):
        return subprocess.run([str(word) for word in command], cwd=self.folder, env={**self.environment, **changes},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def called(self, *names):
        """Lines of what was called since, of those programs alone, without this box's paths and the hosts of addresses."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        lines = [re.sub(r"https://[^/ ]+", "HOST", line.replace(str(self.folder), "HERE")) for line in lines]
        return [line for line in lines if line.split(" ")[0] in names]


@contextlib.contextmanager
def box(*machine):
    with tempfile.TemporaryDirectory(prefix="whichgpu-installer-") as folder:
        yield Box(pathlib.Path(folder).resolve(), machine)


def program(name):
    """The real one's path, not a stand-in's; None where there is none."""
    return shutil.which(name)
