# SPDX-License-Identifier: MIT
"""A machine with a driver for every runtime, of which some misbehave, and what a run of the tool left on it."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from fake_machine import FakeMachine, Run, _ended  # noqa: E402

MIB = 1 << 20
# What a hanging or lingering process of a fake lives at most: a failed case leaves nothing for long.
LINGER_S = 40
# What it takes a killed process to be gone on a busy machine; one that was not killed stays for LINGER_S.
DYING_S = 3
# What the processes of fork_relay take to come to the last, which stays: before, one look at all may miss them.
RELAY_S = 0.5
# runtime -> the address of its good GPU and of its bad one
PCI = {"vulkan": ("0000:c1:00.0", "0000:d1:00.0"), "opencl": ("0000:c2:00.0", "0000:d2:00.0"),
       "cuda": ("0000:c3:00.0", "0000:d3:00.0"), "hip": ("0000:c4:00.0", "0000:d4:00.0"),
       "level_zero": ("0000:c5:00.0", "0000:d5:00.0"), "sycl": ("0000:c6:00.0", "0000:d6:00.0")}
RUNTIMES = (*PCI, "metal")
# Those with a loader, which has one driver beside the other.
LOADED = ("vulkan", "opencl")
# Those whose library is the driver: under which names the fake's files are looked for.
LIBRARIES = {"cuda": {"libcuda.so.1": "fake_cuda", "libnvidia-ml.so.1": "fake_nvml",
                      "libcublasLt.so.13": "fake_cublaslt", "libnccl.so.2": "fake_nccl"},
             "hip": {"libamdhip64.so.6": "fake_hip", "libhiprtc.so.6": "fake_hiprtc"},
             "level_zero": {"libze_loader.so.1": "fake_level_zero"},
             "sycl": {"libur_loader.so.0": "fake_sycl"},
             "metal": {"libobjc.A.dylib": "fake_metal", "Metal": "fake_metal"}}
# Where the runtime's own library is in two: both misbehave, each at its own moments.
MISBEHAVING = ("libcuda.so.1", "libamdhip64.so.6", "libhiprtc.so.6", "libze_loader.so.1",
               "libur_loader.so.0", "libobjc.A.dylib")


def id_of(runtime, bad):
    """What the tool calls the GPU: Metal tells no address, and shows one of the two alone."""
    return f"pci:{PCI[runtime][bad]}" if runtime in PCI else f"{runtime}:{runtime}:0"


def gpu(runtime, bad, facts=None):
    """A GPU that is no other driver's, small enough for a processor to compute in its place."""
    attributes = {"cuda": {"capability": 90}, "hip": {"gfx": 110000}}.get(runtime, {})
    quality = "Bad" if bad else "Good"
    address = {"pci": PCI[runtime][bad]} if runtime in PCI else {"unified_memory": True}
    return {"name": f"{quality} {runtime} GPU", **address, "attributes": attributes,
            "device_id": 0x5678 + bad,
            "uuid": f"{quality}{runtime}".encode().hex().ljust(32, "0"), "memory_total_bytes": 256 * MIB,
            "max_buffer_bytes": 64 * MIB, "compute_units": 1, **(facts or {})}


def scenario(runtime, bad, acts=(), facts=None):
    version = {"cuda": {"driver_version": "580.65.06"}}.get(runtime, {})
    return {"driver_name": "Bad Driver" if bad else "Good Driver", "devices": [gpu(runtime, bad, facts)],
            "misbehave": list(acts), **version}


class HostileMachine(FakeMachine):
    """Good drivers of all runtimes; of `bad`, runtime -> (acts, facts of the device), one more each or, where the
    library is the driver, that one instead."""

    def __init__(self, binary, build, bad):
        super().__init__(binary, build)
        self.marks = self._folder("marks")
        self.temporary = self._folder("tmp")
        self.bad = bad
        self.expects_marks = bool(bad)
        self.manifest = {}
        for runtime in LOADED:
            self.manifest[runtime] = self.add_driver(runtime, "good", scenario(runtime, False))
            if runtime in bad:
                self.add_driver(runtime, "bad", scenario(runtime, True, *self._marked(runtime)))
        for runtime in LIBRARIES:
            self._add_libraries(runtime)

    def _marked(self, runtime):
        acts, facts = self.bad[runtime]
        return [{"mark": str(self.marks / runtime), "seconds": LINGER_S, **act} for act in acts], facts

    def _add_libraries(self, runtime):
        folder = self._folder("lib")
        for name, fake in LIBRARIES[runtime].items():
            (folder / name).symlink_to(self.build / "tests" / "fakes" / runtime / fake / name)
            acts, facts = self._marked(runtime) if runtime in self.bad else ([], None)
            acts = acts if name in MISBEHAVING else []
            (folder / f"{name}.scenario.json").write_text(json.dumps(scenario(runtime, runtime in self.bad, acts, facts)))

    def environment(self):
        return {**super().environment(), "WHICHGPU_LIBRARY_PATH": str(self._folder("lib")),
                "TMPDIR": str(self.temporary)}

    def happened(self, runtime):
        return any(self.marks.glob(f"{runtime}.*"))

    def survey(self, *arguments, patience_s):
        """Runs the tool as FakeMachine.run does; one that a driver has stopped is continued, as a shell's user would."""
        out, err = self.folder / "stdout", self.folder / "stderr"
        start = time.monotonic()
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen([str(self.binary), *arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                       stderr=stderr, cwd=self.work, env=self.environment())
            status = self._wait(process, start + patience_s)
        elapsed_s = time.monotonic() - start
        if any(act.get("do") == "fork_relay" for acts, _ in self.bad.values() for act in acts):
            time.sleep(RELAY_S)
        survivors = self.survivors()
        # What was killed ends when it gets a processor for it, and what is tied to a killed parent a moment after that.
        while survivors and time.monotonic() < start + elapsed_s + RELAY_S + DYING_S:
            time.sleep(0.05)
            survivors = self.survivors()
        texts = [file.read_bytes()[:64 * MIB] for file in (out, err)]
        return Run(status, *texts, elapsed_s, survivors)

    def _wait(self, process, deadline):
        while time.monotonic() < deadline:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(0.25)
            if _state(process.pid) in ("T", "t"):
                process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        return None

    def survivors(self):
        """Processes that carry this machine's token or said that they got to the fault, and still run."""
        found = set(super().survivors())
        for mark in self.marks.glob("*.*"):
            with contextlib.suppress(OSError, ValueError):
                pid, started = mark.read_text().split()
                if _started(int(pid)) == started and not _ended(int(pid)):
                    found.add(int(pid))
        return sorted(found)

    def left_behind(self):
        """What lies where nothing of a run may."""
        found = [f"a file in {folder.name}: {path.name!r}" for folder in (self.work, self.temporary, self._folder("home"))
                 for path in sorted(folder.iterdir())]
        cache = self._folder("cache")
        found += [f"a file in the cache: {path.name!r}" for path in cache.iterdir() if path.name != "whichgpu"]
        size = sum(path.lstat().st_blocks * 512 for path in cache.rglob("*"))
        return found + ([f"{size} bytes in the cache"] if size > 16 * MIB else [])

    def __exit__(self, *_):
        for pid in self.survivors():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def _started(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except OSError:
        return None


def _state(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"
