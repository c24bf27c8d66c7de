# SPDX-License-Identifier: MIT
"""Section 3 of docs/contract.md."""
import signal
import time

from harness import document
from interruption_test import BRIEF, HANG, RUNTIMES, Machine, until
from shown import expect, observed, promise, quoted

SECTION = "3. Deadlines and budgets"


def outcomes(value):
    return {probe["module"]: probe["outcome"] for probe in value["probes"]}


@promise(SECTION, "A driver that hangs costs its deadline, twice, and a second at most.")
def hanging(stage):
    with Machine() as machine:
        machine.misbehave({"vulkan": HANG})
        for _ in range(3):  # on a machine that others load the best tells
            start = time.monotonic()
            run = stage.run("list", "--json", "--timeout", "1", environment=machine.environment())
            elapsed = time.monotonic() - start
            if elapsed < 3:
                break
    seen = outcomes(document(run))
    expect(run.returncode == 0 and seen["vulkan"] == "timed_out" and seen["opencl"] == "ok" and elapsed < 3,
           f"{observed(run)} after {elapsed:.1f} s")
    return f"exit 0 after {elapsed:.1f} s; vulkan timed_out, opencl ok"


@promise(SECTION, "--budget S bounds all measuring of the run together.")
def budget(stage):
    with Machine() as machine:
        start = time.monotonic()
        run = stage.run("--json", *BRIEF, environment=machine.environment())
        elapsed = time.monotonic() - start
    figures = len(document(run)["measurements"])
    expect(run.returncode == 0 and elapsed < 20, f"exit {run.returncode} after {elapsed:.1f} s")
    return f"exit 0 after {elapsed:.1f} s with {figures} figures of two cards"


@promise(SECTION, "recommend answers from the cache; --measure and the report as JSON measure.")
def cache(stage):
    with Machine() as machine:
        environment = machine.environment()
        for seconds in ("0.7", "4", "16"):
            report = document(stage.run("--json", "--only", "cpu", "--budget", seconds, environment=environment))
            bases = {score["basis"] for score in report["scores"]}
            expect("cached" not in bases, f"the report's bases: {bases}")
            start = time.monotonic()
            kept = stage.run("recommend", "--json", "--only", "cpu", environment=environment)
            elapsed = time.monotonic() - start
            if document(kept)["recommendation"]["basis"] == "cached":
                break
        basis = document(kept)["recommendation"]["basis"]
        expect(basis == "cached", f"basis {basis}")
        again = document(stage.run("recommend", "--json", "--measure", "--only", "cpu", "--budget", seconds,
                                   environment=environment))["recommendation"]["basis"]
    expect(again != "cached", f"--measure: basis {again}")
    return f"after a report: \"cached\" in {1000 * elapsed:.0f} ms; with --measure: \"{again}\""


@promise(SECTION, "No run waits for another that somebody stopped with Ctrl-Z.")
def stopped(stage):
    with Machine() as machine:
        machine.misbehave({runtime: [{"at": "launch", "do": "hang"}] for runtime in RUNTIMES})
        other = machine.start("recommend", "--only", "vulkan,opencl")
        locks = machine.folder / "cache" / "whichgpu"
        until(lambda: any(path.read_text() == str(other.pid) for path in locks.glob("device-*.lock")))
        other.send_signal(signal.SIGSTOP)
        machine.misbehave({})
        start = time.monotonic()
        run = stage.run("recommend", *BRIEF, environment=machine.environment())
        elapsed = time.monotonic() - start
        other.kill()
        other.communicate()
    said = next((line for line in run.stderr.splitlines() if "is stopped" in line), "")
    expect(run.returncode == 0 and said and elapsed < 10, f"{observed(run)} after {elapsed:.1f} s")
    return f"exit 0 after {elapsed:.1f} s; {said.replace(str(other.pid), 'N')}"


@promise(SECTION, "What has too little time is said to be noisy or over_budget.")
def too_short(stage):
    run = stage.run("recommend", "--only", "cpu", "--no-cache", "--budget", "0.001")
    said = next((line for line in run.stderr.splitlines() if "too short" in line), "")
    expect(run.returncode == 0 and said, observed(run))
    return f"exit 0, stdout: {quoted(run.stdout)}, stderr: {said}"
