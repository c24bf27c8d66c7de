# SPDX-License-Identifier: MIT
"""What `uv pip install torch --torch-backend=auto` would take on a machine: uv itself is asked, and needs no network."""
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RELEASE = "0.13.9"
PYTHON = os.path.realpath(sys.executable)
HOME = tempfile.TemporaryDirectory(prefix="whichgpu-uv-")
# uv refuses another word in its variable, and passes over one that AMD's program names.
LISTED = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1150",
          "gfx1151", "gfx1200", "gfx1201")
# What uv reads of a machine where no variable tells it; in a namespace of its own each is what a test puts there.
SEEN = ("/sys/module", "/proc/driver", "/sys/bus/pci/devices")
INDEX = re.compile(r"Fetching metadata for `torch` from `https://download\.pytorch\.org/whl/([^/]+)/torch/`")


def program(build):
    """The one that ./dev test has unpacked below build/vendor; None without."""
    wheel = pathlib.Path(build).resolve().parent / "vendor" / "wheels" / "uv"
    return next(iter(wheel.glob(f"uv-{RELEASE}.data/scripts/uv")), None)


def _namespace():
    return [shutil.which("unshare") or "unshare", "-m" if os.geteuid() == 0 else "-rm"]


@functools.cache
def can_pretend():
    return bool(shutil.which("unshare")) and subprocess.run([*_namespace(), "true"], capture_output=True).returncode == 0


def needs_pretence(driver, gfx, intel):
    """Whether uv has to look at a machine, for no variable tells it all that it would see on this one."""
    return intel or not driver and not (len(gfx) == 1 and gfx[0] in LISTED)


@functools.cache
def _folder(name, files):
    """A folder with files of (path, text); what begins as a script is a program."""
    top = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=HOME.name))
    for path, text in files:
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    return top


def indexes(uv, platform, driver=None, gfx=(), intel=False, amd=False):
    """Those that uv would ask for torch, the first first. driver: NVIDIA's; gfx: what AMD's program names; intel, amd: whether
    the bus shows a display device of theirs."""
    environment = {"HOME": HOME.name, "PATH": str(_folder("empty", ())), "RUST_LOG": "uv_client=trace", "NO_COLOR": "1"}
    prefix = []
    if driver:
        environment["UV_CUDA_DRIVER_VERSION"] = driver
    if len(gfx) == 1 and gfx[0] in LISTED:
        environment["UV_AMD_GPU_ARCHITECTURE"] = gfx[0]
    elif gfx:
        said = "".join(f"echo {name}\n" for name in ("gfx000", *gfx))
        environment["PATH"] = str(_folder("amd", (("rocm_agent_enumerator", f"#!/bin/sh\n{said}"),)))
    if needs_pretence(driver, gfx, intel):
        makers = ["0x1002"] * amd + ["0x8086"] * intel
        bus = [(f"0000:0{i}:00.0/{name}", text) for i, maker in enumerate(makers)
               for name, text in (("class", "0x030000\n"), ("vendor", f"{maker}\n"))]
        shown = {**dict.fromkeys(SEEN, _folder("empty", ())), SEEN[-1]: _folder("bus", tuple(bus))}
        binds = "".join(f"[ ! -d {to} ] || mount --bind {what} {to}; " for to, what in shown.items())
        prefix = [*_namespace(), "/bin/sh", "-c", f"PATH=$0; {binds} PATH={environment['PATH']}; exec \"$@\"", os.environ["PATH"]]
    process = subprocess.run(
        [*prefix, str(uv), "pip", "compile", "-", "--torch-backend=auto", "--offline", "--no-config", "--cache-dir",
         f"{HOME.name}/cache", "--python", PYTHON, "--python-platform", platform],
        input="torch\n", env=environment, capture_output=True, text=True, cwd=HOME.name)
    found = INDEX.findall(process.stderr)
    if not found:
        raise AssertionError(f"uv asks no index: {process.stderr[-500:]}")
    return found


class Answers:
    """Of a uv, kept in a folder: whoever asks that very program the same by this code is not made to wait for it again."""

    def __init__(self, uv, folder):
        of = hashlib.sha256(uv.read_bytes() + pathlib.Path(__file__).read_bytes() + PYTHON.encode()).hexdigest()[:32]
        self.uv, self.file, self.known = uv, pathlib.Path(folder) / f"{of}.json", {}
        with contextlib.suppress(OSError, ValueError):
            self.known = json.loads(self.file.read_text())

    def indexes(self, asked):
        key = json.dumps(asked)
        if key not in self.known:
            self.known[key] = indexes(self.uv, *asked)
        return self.known[key]

    def keep(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        written = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        written.write_text(json.dumps(self.known))
        written.replace(self.file)
