# SPDX-License-Identifier: MIT
"""Section 1 of docs/contract.md."""
import copy
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from harness import SOURCE, document
from interruption_test import HANG, Machine, held, until
from shown import NotShown, expect, observed, promise, quoted

SECTION = "1. Exit codes"
FIXTURES = SOURCE / "tests" / "fixtures"


@promise(SECTION, "A valid answer is success, whatever it says.")
def answers(stage):
    run = stage.run("recommend", "--no-calibrate", "--only", "cpu")
    expect(run.returncode == 0 and run.stdout == "cpu\n", observed(run))
    return observed(run)


@promise(SECTION, "list prints what is here and exits 0.")
def lists(stage):
    run = stage.run("list")
    expect(run.returncode == 0 and "cpu:0" in run.stdout, observed(run))
    return f"exit 0, {len(run.stdout.splitlines())} lines, one of them of cpu:0"


@promise(SECTION, "1: what --require asks for can not be met.")
def unmet(stage):
    run = stage.run("recommend", "--require", "gpu", "--only", "cpu", "--no-calibrate")
    expect(run.returncode == 1 and "required gpu, got cpu" in run.stderr, observed(run))
    return observed(run)


@promise(SECTION, "1: what --among leaves does not work. Nothing on stdout, the reason on stderr and in JSON.")
def nothing_left(stage):
    replay = ("--replay", FIXTURES / "rocm_prefill_vulkan_decode")
    run = stage.run("recommend", "--among", "opencl,metal", *replay)
    told = stage.run("recommend", "--json", "--among", "opencl,metal", *replay, typed=False)
    expect(run.returncode == 1 and run.stdout == "" and len(run.stderr.splitlines()) == 1, observed(run))
    expect(told.returncode == 1 and "no_answer" in document(told) and "recommendation" not in document(told), observed(told))
    return observed(run)


@promise(SECTION, "--among, --exclude and --min-memory narrow the answer alone: the best of what is left.")
def narrowed(stage):
    replay = ("--for", "decode", "--replay", FIXTURES / "rocm_prefill_vulkan_decode")
    seen = []
    for words, token in (((), "vulkan"), (("--among", "cuda,hip,cpu"), "hip"), (("--exclude", "radeon"), "cpu"),
                         (("--min-memory", "30GiB"), "cpu"), (("--can", "hip"), "hip")):
        run = stage.run("recommend", *words, *replay, typed=bool(words))
        expect((run.returncode, run.stdout) == (0, f"{token}\n"), observed(run))
        seen.append(f"{' '.join(words) or 'without'}: {token}")
    return "; ".join(seen)


@promise(SECTION, "compare: 0 without a regression, 1 with one beyond both spreads.")
def compares(stage):
    with tempfile.TemporaryDirectory() as folder:
        record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
        slower = copy.deepcopy(record)
        for figure in slower["measurements"]:
            for key in ("rate", "p10_rate", "best_rate"):
                if key in figure:
                    figure[key] /= 2
        files = []
        for name, content in (("before", record), ("after", slower)):
            (pathlib.Path(folder) / name).mkdir()
            (pathlib.Path(folder) / name / "record.json").write_text(json.dumps(content))
            files.append(pathlib.Path(folder) / f"{name}.json")
            files[-1].write_text(stage.run("--json", "--replay", pathlib.Path(folder) / name, typed=False).stdout)
        same = stage.run("compare", files[0], files[0])
        worse = stage.run("compare", *files)
    expect((same.returncode, worse.returncode) == (0, 1), f"exit {same.returncode} and {worse.returncode}")
    verdict = next((line for line in worse.stdout.splitlines() if "regress" in line.lower()), worse.stdout)
    return f"exit 0 and exit 1: {quoted(' '.join(verdict.split()))}"


@promise(SECTION, "2: a misspelt word. Nothing on stdout, one line on stderr, a suggestion.")
def misspelt(stage):
    run = stage.run("recomend")
    expect(run.returncode == 2 and run.stdout == "" and len(run.stderr.splitlines()) == 1 and "recommend" in run.stderr,
           observed(run))
    return observed(run)


@promise(SECTION, "2: bad input. What was wrong and what would be right.")
def bad_input(stage):
    seen = []
    for words in (("list", "--only", "vulcan"), ("list", "--timeout", "soon"), ("list", "--device", "no such device"),
                  ("--replay", "/nonexistent")):
        run = stage.run(*words)
        expect(run.returncode == 2 and run.stdout == "" and len(run.stderr.splitlines()) == 1, observed(run))
        seen.append(run.stderr.strip())
    return f"each exit 2, stdout empty, one line; the first: {seen[0]}"


@promise(SECTION, "3: a full disk. A failed write to stdout is an error.")
def full_disk(stage):
    if not os.path.exists("/dev/full"):
        raise NotShown("there is no /dev/full")
    stage.typed("list", suffix=" > /dev/full")
    with open("/dev/full", "w") as full:
        run = subprocess.run([str(stage.binary), "list"], stdout=full, stderr=subprocess.PIPE, text=True,
                             env=stage.environment())
    expect(run.returncode == 3 and len(run.stderr.splitlines()) == 1, f"exit {run.returncode}: {run.stderr}")
    return f"exit 3, stderr: {run.stderr.strip()}"


@promise(SECTION, "0: a closed pipe. The reader has what it wanted, nobody complains.")
def closed_pipe(stage):
    stage.typed("list", suffix=" | true")
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([str(stage.binary), "list"], stdout=writer, stderr=subprocess.PIPE, text=True,
                         env=stage.environment())
    os.close(writer)
    expect(run.returncode == 0 and run.stderr == "", f"exit {run.returncode}, stderr: {run.stderr}")
    return "exit 0, stderr empty"


def interrupted(stage, words, number, prefix=""):
    """What a run printed that got the signal while a driver hung."""
    with Machine() as machine:
        machine.misbehave({"vulkan": HANG})
        process = machine.start(*words)
        until(lambda: held(process.pid, machine.markers()))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@promise(SECTION, "128 + n: ended by signal n, with valid output that says so.")
def signals(stage):
    seen = []
    for name in ("INT", "TERM", "QUIT", "HUP", "USR1", "XCPU"):
        number = getattr(signal, "SIG" + name)
        run = interrupted(stage, ("list", "--json"), number)
        expect(run.returncode == 128 + number and document(run)["interrupted"] is True, f"SIG{name}: {observed(run)}")
        seen.append(f"SIG{name} {run.returncode}")
    stage.typed("list", "--json", prefix="timeout -s INT 1 ")
    return f"exit codes: {', '.join(seen)}; \"interrupted\": true in each"


@promise(SECTION, "An interrupted recommend without an answer prints nothing.")
def no_answer(stage):
    stage.typed("recommend", "--no-cache", prefix="timeout -s INT 1 ")
    run = interrupted(stage, ("recommend", "--no-cache"), signal.SIGINT)
    expect(run.returncode == 130 and run.stdout == "", observed(run))
    return observed(run)


@promise(SECTION, "A second SIGINT ends the run at once, even one that can not write.")
def impatient(stage):
    stage.typed("list", suffix=" | sleep 60    # and Ctrl-C twice")
    with Machine() as machine:
        machine.misbehave({"vulkan": HANG})
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        os.write(writer, b" " * (1 << 20))
        os.set_blocking(writer, True)
        process = machine.start("list", stdout=writer)
        until(lambda: held(process.pid, machine.markers()))
        process.send_signal(signal.SIGINT)
        time.sleep(0.7)
        waited = process.poll() is None
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=10)
        process.communicate()
        os.close(reader)
        os.close(writer)
    expect(waited and code == 130, f"exit {code}, {'after' if waited else 'before'} the second")
    return "exit 130 at the second"


@promise(SECTION, "--exit-code: 0 a usable GPU, 10 none, 11 one that is not usable, 12 one that was not asked.")
def machine_codes(stage):
    wanted = {"gpu_beside_igpu": 0, "plain_server": 10, "denied_nodes": 11, "phantom_gpu": 11}
    codes = {name: stage.run("--exit-code", "--replay", FIXTURES / name).returncode for name in wanted}
    expect(codes == wanted, f"exit codes {codes}")
    unasked = stage.run("--exit-code", "--only", "cpu", "--replay", FIXTURES / "gpu_beside_igpu").returncode
    expect(unasked == 12, f"exit code {unasked} with --only cpu")
    return ", ".join(f"{name} {code}" for name, code in codes.items()) + ", with --only cpu 12"
