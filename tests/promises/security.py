# SPDX-License-Identifier: MIT
"""Section 5 of docs/contract.md."""
import getpass
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import tempfile

from fake_machine import FakeMachine
from harness import BINARY, document
from isolation import maps, outcome
from interruption_test import BUILD, HANG, Machine, until
from shown import NotShown, expect, observed, promise

SECTION = "5. Security"
RUDE = {"name": list(b"\x1b[2Jrude\x07\r\n\xc2\x9b31m' $(touch owned) `id`"), "pci": "0000:c1:00.0", "uuid": "1" * 32}


@promise(SECTION, "Nothing is loaded from the current directory.")
def current_directory(stage):
    with FakeMachine(BINARY, BUILD) as machine, tempfile.TemporaryDirectory() as folder:
        for name in ("libvulkan.so.1", "libOpenCL.so.1", "libcuda.so.1"):
            shutil.copy(BUILD / "tests/fakes/fake_vulkan/libfake_vulkan.so", pathlib.Path(folder) / name)
            trap = {"misbehave": [{"at": "load", "do": "abort"}], "devices": []}
            (pathlib.Path(folder) / f"{name}.scenario.json").write_text(json.dumps(trap))
        environment = {**machine.environment(), "LD_LIBRARY_PATH": "."}
        stage.typed("list", "--json", prefix="LD_LIBRARY_PATH=. ")
        run = stage.run("list", "--json", environment=environment, cwd=folder, typed=False)
    ends = {module: outcome(document(run), module) for module in ("vulkan", "opencl", "cuda")
            if any(probe["module"] == module for probe in document(run)["probes"])}
    expect(run.returncode == 0 and "crashed" not in ends.values(), f"{ends}")
    return f"the libraries that lie there were not loaded: {', '.join(f'{m} {o}' for m, o in ends.items())}"


@promise(SECTION, "Root uses no driver that others can write.")
def others_files(stage):
    if os.geteuid() != 0:
        raise NotShown("you are not root, who alone is so careful")
    with Machine() as machine:
        (machine.folder / "vulkan").chmod(0o777)
        machine.misbehave({"vulkan": [{"at": "load", "do": "abort"}]})
        value = document(stage.run("list", "--json", environment=machine.environment()))
    ends = {module: outcome(value, module) for module in ("vulkan", "opencl")}
    expect(ends["vulkan"] not in ("ok", "crashed") and ends["opencl"] == "ok", f"{ends}")
    error = next(probe for probe in value["probes"] if probe["module"] == "vulkan").get("error", {})
    return f"vulkan {ends['vulkan']} ({error.get('text', 'no error')}), opencl ok"


@promise(SECTION, "A child has a directory of its own and leaves no core file.")
def children(stage):
    stage.typed("list", suffix=" & ls -l /proc/$child/cwd; grep core /proc/$child/limits")
    with Machine() as machine:
        machine.misbehave({"vulkan": HANG})
        process = subprocess.Popen([str(BINARY), "list", "--timeout", "30"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=machine.environment(), cwd=machine.work)
        child = until(lambda: next((pid for pid in machine.survivors() if machine.driver("vulkan") in maps(pid)), None))
        work = os.readlink(f"/proc/{child}/cwd")
        mode = stat.S_IMODE(os.stat(f"/proc/{child}/cwd").st_mode)
        limits = pathlib.Path(f"/proc/{child}/limits").read_text().splitlines()
        process.terminate()
        process.wait()
        gone = not os.path.exists(work)
    core = next(line for line in limits if "core file" in line).split()[4]
    expect(core in ("0", "1") and mode == 0o700 and "whichgpu-scratch" in work and gone,
           f"core limit {core}, directory {work} of mode {mode:o}, {'gone' if gone else 'left'} afterwards")
    return f"core limit {core}, a scratch directory of mode 0700, gone afterwards"


@promise(SECTION, "A child that fills its scratch directory is ended at 64 MiB.")
def flood(stage):
    with Machine() as machine:
        machine.misbehave({"vulkan": [{"at": "enumerate", "do": "fill_scratch"}]})
        run = stage.run("list", "--json", environment=machine.environment())
    value = document(run)
    error = next(probe for probe in value["probes"] if probe["module"] == "vulkan")
    texts = json.dumps(error)
    expect(outcome(value, "opencl") == "ok" and "67108864 bytes" in texts, texts)
    return f"vulkan {error['outcome']}: its scratch directory: more than 67108864 bytes"


@promise(SECTION, "Of a child at most 16 MiB of results and 4 KiB of stderr are read.")
def floods(stage):
    with Machine() as machine:
        machine.misbehave({"vulkan": [{"at": "enumerate", "do": "flood_fds"}],
                           "opencl": [{"at": "enumerate", "do": "flood_stdout"}]})
        run = stage.run("list", "--json", environment=machine.environment())
    probes = {probe["module"]: probe for probe in document(run)["probes"]}
    tail = len(probes["opencl"].get("stderr_tail", ""))
    expect(run.returncode == 0 and probes["vulkan"]["outcome"] == "bad_reply" and probes["opencl"]["outcome"] == "ok" and
           tail <= 4096, f"vulkan {probes['vulkan']['outcome']}, opencl's tail {tail} bytes")
    return f"of 32 MiB each: vulkan bad_reply ({probes['vulkan']['error']['text']}), of opencl's stderr {tail} bytes"


@promise(SECTION, "Whatever is kept between runs is the user's alone.")
def cache(stage):
    with Machine() as machine:
        stage.run("recommend", "--only", "vulkan,opencl", "--budget", "0.2", environment=machine.environment())
        folder = machine.folder / "cache" / "whichgpu"
        modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir() if path.is_file()}
        own = stat.S_IMODE(folder.stat().st_mode)
    expect(modes == {0o600} and own == 0o700, f"modes {sorted(map(oct, modes))} in {own:o}")
    return "every file of mode 0600, in a directory of mode 0700"


@promise(SECTION, "A cache directory that others can write is not used.")
def foreign_cache(stage):
    with Machine() as machine:
        folder = machine.folder / "cache" / "whichgpu"
        folder.mkdir(parents=True)
        folder.chmod(0o777)
        run = stage.run("list", "--json", environment=machine.environment())
        left = list(folder.iterdir())
    expect(run.returncode == 0 and not left and document(run)["warnings"], observed(run))
    return f"exit 0, nothing written; warning: {document(run)['warnings'][0]}"


@promise(SECTION, "No link leads out of --sysroot, and nothing below it is loaded.")
def sysroot(stage):
    with tempfile.TemporaryDirectory() as folder:
        outside = pathlib.Path(folder) / "outside"
        outside.write_text("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Of another machine\n\n")
        root = pathlib.Path(folder) / "root"
        (root / "proc").mkdir(parents=True)
        (root / "proc" / "cpuinfo").symlink_to("../../outside")
        run = stage.run("list", "--json", "--sysroot", root)
    value = document(run)
    runtimes = sorted({probe["module"] for probe in value["probes"]} & {"vulkan", "opencl", "cuda", "hip"})
    expect(run.returncode == 0 and "Of another machine" not in run.stdout and not runtimes, observed(run))
    return "exit 0; the file outside was not read, no runtime was asked"


@promise(SECTION, "--record keeps no name of the host or the user, no home and no secret.")
def record(stage):
    with Machine() as machine:
        kept = machine.folder / "kept"
        environment = {**machine.environment(), "MY_SECRET": "swordfish"}
        live = stage.run("list", "--json", "--record", kept, environment=environment)
        expect(live.returncode == 0, observed(live))
        text = "\n".join(path.read_text(errors="replace") for path in kept.rglob("*") if path.is_file())
        home = str(machine.folder / "home")
        replayed = stage.run("--json", "--replay", kept, environment=environment)
    names = {"host": socket.gethostname(), "home": home, "secret": "swordfish", "uuid": "0" * 31 + "1"}
    if getpass.getuser() != "root":
        names["user"] = getpass.getuser()
    found = [kind for kind, name in names.items() if len(name) > 3 and name in text]
    expect(not found, f"in the record: {', '.join(found)}")
    same = [one["devices"] for one in (document(live), document(replayed))]
    ids = [[device["id"] for device in devices] for devices in same]
    expect(ids[0] == ids[1], f"ids {ids}")
    return f"none of {', '.join(names)} in {len(text)} bytes; the replay shows the same devices"


@promise(SECTION, "No control character of a driver's reaches the terminal.")
def control_characters(stage):
    with FakeMachine(BINARY, BUILD) as machine:
        machine.add_driver("vulkan", "rude", {"devices": [RUDE]})
        run = stage.run("list", environment=machine.environment())
    bad = sorted({f"{ord(c):02x}" for c in run.stdout + run.stderr if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)})
    expect(run.returncode == 0 and not bad and "rude" in run.stdout, f"characters {bad}")
    line = next(line for line in run.stdout.splitlines() if "rude" in line)
    return f"exit 0; printed as: {line.strip()}"


@promise(SECTION, "--format shell is for eval: whatever a device is called, nothing runs.")
def evaluation(stage):
    with FakeMachine(BINARY, BUILD) as machine:
        machine.add_driver("vulkan", "rude", {"devices": [RUDE]})
        stage.typed("recommend", "--format", "shell", "--no-calibrate", prefix="eval \"$(", suffix=")\"")
        script = (f"set -eu; eval \"$('{BINARY}' recommend --format shell --no-calibrate)\"; "
                  "echo $WHICHGPU_STATUS $WHICHGPU_BACKEND \"$WHICHGPU_DEVICE\" \"$WHICHGPU_VISIBLE\"")
        run = subprocess.run(["sh", "-c", script], env=machine.environment(), cwd=machine.work, capture_output=True,
                             text=True, stdin=subprocess.DEVNULL)
        touched = list(machine.work.iterdir())
    expect(run.returncode == 0 and not touched, f"{observed(run)}, files {touched}")
    return f"exit 0; status, backend, device: {run.stdout.strip()}"
