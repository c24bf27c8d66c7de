# SPDX-License-Identifier: MIT
"""Section 4 of docs/contract.md."""
import pathlib
import subprocess
import time

from harness import document
from interruption_test import HANG, Machine, end_with_children, held, until
from shown import expect, observed, promise

SECTION = "4. Isolation"


def outcome(listing, module):
    return next(probe["outcome"] for probe in listing["probes"] if probe["module"] == module)


def hanging(machine, *acts):
    """A run in which Vulkan's driver hangs, after the acts."""
    machine.misbehave({"vulkan": [*acts, *HANG]})
    process = machine.start("list", "--json", "--timeout", "30")
    until(lambda: any("Vulkan" in step for step in held(process.pid, machine.markers())))
    return process


def maps(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return ""


@promise(SECTION, "No vendor library is loaded in the process that prints.")
def parent(stage):
    stage.typed("list", suffix=" & grep fake /proc/$!/maps")
    with Machine() as machine:
        process = hanging(machine)
        until(lambda: any(machine.driver("vulkan") in maps(pid) for pid in machine.survivors()))
        loaded = machine.driver("vulkan") in maps(process.pid)
        process.terminate()
        process.communicate()
    expect(not loaded, "the driver is mapped in the process that prints")
    return "the driver is mapped in a child and not in the process that prints"


@promise(SECTION, "A driver that crashes is named and costs nobody else anything.")
def crash(stage):
    with Machine() as machine:
        machine.misbehave({"vulkan": [{"at": "enumerate", "do": "segfault"}]})
        run = stage.run("list", "--json", environment=machine.environment())
    value = document(run)
    ends = {module: outcome(value, module) for module in ("vulkan", "opencl")}
    expect(run.returncode == 0 and ends == {"vulkan": "crashed", "opencl": "ok"}, f"{ends}")
    return "exit 0; vulkan crashed, opencl ok"


@promise(SECTION, "Nothing that a driver started outlives the run.")
def leftovers(stage):
    with Machine() as machine:
        machine.misbehave({"vulkan": [{"at": "enumerate", "do": "fork_linger", "detach": "daemon",
                                       "pid_file": machine.pid_file()}]})
        stage.typed("list")
        run = machine.run("list")
    expect(run.status == 0 and not run.survivors, f"exit {run.status}, {len(run.survivors)} processes left")
    return "exit 0; the driver's daemon in a session of its own is gone"


@promise(SECTION, "Whatever ends the run: kill -9 of the tool leaves no process.")
def killed(stage):
    stage.typed("list", suffix=" & kill -9 $!")
    with Machine() as machine:
        process = hanging(machine, {"at": "enumerate", "do": "fork_linger", "detach": "daemon",
                                    "pid_file": machine.pid_file()})
        until(lambda: len(machine.survivors()) >= 3)
        before = len(machine.survivors())
        process.kill()
        process.communicate()
        start = time.monotonic()
        while machine.survivors() and time.monotonic() - start < 3:
            time.sleep(0.02)
        left, elapsed = len(machine.survivors()), time.monotonic() - start
    expect(not left, f"{left} of {before} processes were left after {elapsed:.1f} s")
    return f"{before} processes before, none {elapsed:.1f} s after, the driver's daemon among them"


@promise(SECTION, "Two runs that were killed in a driver's step, which went on, blame no driver.")
def forgiven(stage):
    with Machine() as machine:
        stage.typed("list", suffix=" & kill -9 $!")
        for _ in range(2):
            hang_and_kill(machine, end=subprocess.Popen.kill)
            until(lambda: not machine.survivors())
        run = stage.run("list", "--json", environment=machine.environment())
    value = document(run)
    expect(outcome(value, "vulkan") == "ok" and not value["warnings"], observed(run))
    return "exit 0; vulkan ok, no warning"


@promise(SECTION, "With all its processes, twice on one boot: the step is left out and said so, until --retry-crashed.")
def left_out(stage):
    with Machine() as machine:
        hang_and_kill(machine)
        hang_and_kill(machine)
        value = document(stage.run("list", "--json", environment=machine.environment()))
        recommends = stage.run("recommend", "--no-calibrate", environment=machine.environment())
        again = document(stage.run("list", "--json", "--retry-crashed", environment=machine.environment()))
        after = document(stage.run("list", "--json", environment=machine.environment(), typed=False))
    error = next(probe for probe in value["probes"] if probe["module"] == "vulkan").get("error", {})
    expect(error.get("name") == "left out" and "interrupted twice" in error["text"], f"{error}")
    expect("left out" in recommends.stderr, observed(recommends))
    expect(outcome(again, "vulkan") == outcome(after, "vulkan") == "ok", "it was not tried again")
    return f"left out: \"{error['text'].split(' at ')[0]} …\"; recommend warns; then ok"


@promise(SECTION, "Where the machine has booted since, once is enough.")
def rebooted(stage):
    with Machine() as machine:
        hang_and_kill(machine)
        machine.reboot()
        value = document(stage.run("list", "--json", environment=machine.environment()))
        pathlib.Path(machine.manifests["vulkan"][0]).touch()
        changed = document(stage.run("list", "--json", environment=machine.environment(), typed=False))
    said = next((text for text in value["warnings"] if "booted since" in text), "")
    expect(said, f"warnings {value['warnings']}")
    expect(outcome(changed, "vulkan") == "ok", "a changed driver was not tried")
    return "left out: \"… the machine has booted since …\"; tried again when its file changed"


def hang_and_kill(machine, end=end_with_children):
    process = hanging(machine)
    end(process)
    process.communicate()
    machine.misbehave({})
