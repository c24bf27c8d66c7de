#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs that are ended from outside blame no driver: every signal at any moment, and what a marker that survives such
an end leads to. Nor does a run that is stopped keep the others from working.

    python3 interruption_test.py WHICHGPU BUILD_DIRECTORY [unittest options]

WHICHGPU_KILLS is how often each signal is sent at a random moment; 2 unless it is set, 30 for a thorough look.
"""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

from fake_machine import RUNTIMES, FakeMachine
from harness import BINARY, SANITIZED, document, main, validate

BUILD = pathlib.Path(sys.argv[2]).resolve()
KILLS = int(os.environ.get("WHICHGPU_KILLS", "2"))
GRACEFUL = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGXCPU]
SUDDEN = [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV]
BRIEF = ["--only", "vulkan,opencl", "--budget", "0.2"]
COMMANDS = [["list", "--json"], ["--json", *BRIEF], ["recommend", "--json", "--no-cache", *BRIEF]]
TITLES = {"vulkan": "Vulkan", "opencl": "OpenCL"}
HANG = [{"at": "enumerate", "do": "hang"}]


class Machine(FakeMachine):
    """A driver of each runtime, healthy until told otherwise."""

    def __init__(self):
        super().__init__(BINARY, BUILD)
        for runtime in RUNTIMES:
            self.add_driver(runtime, "fake", {})
        self.misbehave({})

    def misbehave(self, acts):
        for number, runtime in enumerate(RUNTIMES, 1):
            device = {"name": f"Fake {runtime} GPU", "pci": f"0000:c{number}:00.0", "uuid": f"{number:032x}"}
            scenario = {"devices": [device], "misbehave": acts.get(runtime, [])}
            pathlib.Path(f"{self.driver(runtime)}.scenario.json").write_text(json.dumps(scenario))

    def start(self, *arguments, stdout=subprocess.PIPE):
        """A run that handles its signals by now."""
        process = subprocess.Popen([str(BINARY), *arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                   stderr=subprocess.PIPE, text=True, cwd=self.work, env=self.environment(),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        until(lambda: process.poll() is not None or catches(process.pid, signal.SIGINT))
        return process

    def driver(self, runtime):
        """The path of the runtime's driver."""
        return str(self.folder / runtime / "libfake.so")

    def markers(self):
        """What the marker files hold that are whole and not blank: a run may be writing them."""
        found = []
        for path in (self.folder / "cache" / "whichgpu").glob("crash-*.json"):
            with contextlib.suppress(OSError, ValueError):
                found.append(json.loads(path.read_text()))
        return found

    def kill_within(self, *runtimes, end=None):
        """A run that is killed in the risky step of each of these runtimes, and of no other: with all its processes, or
        as `end` does it."""
        process = self.start("list", "--json", "--timeout", "30")
        wanted = sorted(f"looking for devices through {TITLES[runtime]}" for runtime in runtimes)
        since = time.monotonic()

        def settled():
            """So for a while: whoever comes later has come, and gone."""
            nonlocal since
            if sorted(held(process.pid, self.markers())) != wanted:
                since = time.monotonic()
            return time.monotonic() - since > 0.2

        until(settled)
        (end or end_with_children)(process)
        process.communicate()

    def reboot(self):
        """Makes the markers those of another boot."""
        for path in (self.folder / "cache" / "whichgpu").glob("crash-*.json"):
            text = path.read_text()
            at = text.find('"boot_id":"')
            if at >= 0:
                at += len('"boot_id":"')
                path.write_text(text[:at] + ("1" if text[at] == "0" else "0") + text[at + 1:])

    def listing(self, *arguments):
        """A run of list with healthy drivers: its document, and whom it did not hear."""
        run = self.run("list", "--json", *arguments)
        assert run.status == 0, run.stderr
        value = document(run)
        validate(value, "list")
        return value, [entry["module"] for entry in value["probes"]
                       if entry["module"] in RUNTIMES and entry["outcome"] != "ok"]



def end_with_children(process):
    """Kills a run so that none of its processes sees another one end."""
    process.send_signal(signal.SIGSTOP)
    for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    process.kill()


def held(pid, markers):
    return [marker["description"] for marker in markers if marker["pid"] == pid]


def catches(pid, number):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def until(condition, patience_s=20):
    """What the condition gives once it is true."""
    start = time.monotonic()
    while not (value := condition()):
        if time.monotonic() - start > patience_s:
            raise AssertionError("it did not happen in time")
        time.sleep(0.001)
    return value


class AnyMoment(unittest.TestCase):
    def kill(self, machine, command, number, delay):
        process = machine.start(*command)
        time.sleep(delay)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        if number in SUDDEN:
            if not SANITIZED:  # which handles some of them itself
                self.assertIn(process.returncode, (-number, 0), err)
            return
        self.assertIn(process.returncode, (128 + number, 0), err)  # 0: it had ended before
        value = json.loads(out)
        validate(value, value["command"])
        self.assertEqual(process.returncode != 0, value["interrupted"])

    def check(self, machine, command):
        after = machine.run(*command)
        self.assertEqual(0, after.status, after.stderr)
        value = document(after)
        self.assertNotIn("left out", " ".join(value["warnings"]))
        self.assertEqual([], [entry for entry in value.get("probes", []) if entry["module"] in RUNTIMES
                              and entry["outcome"] != "ok"])
        self.assertEqual([], machine.markers())

    def one_signal(self, number, seed):
        moments = random.Random(seed)
        with Machine() as machine:
            for attempt in range(KILLS):
                command = moments.choice(COMMANDS)
                delay = moments.uniform(0, 0.04 if command[0] == "list" else 0.25)
                with self.subTest(seed=seed, signal=number, attempt=attempt, command=command, delay=delay):
                    self.kill(machine, command, number, delay)
                    self.check(machine, command)

    def test_no_signal_condemns_a_driver(self):
        seed = random.SystemRandom().randrange(1 << 30)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            jobs = [pool.submit(self.one_signal, number, seed + number) for number in GRACEFUL + SUDDEN]
            for job in jobs:
                job.result()

    def test_two_runs_at_once_never_blame_each_other(self):
        with Machine() as machine:
            machine.misbehave({runtime: HANG for runtime in RUNTIMES})
            machine.kill_within(*RUNTIMES)
            others = [machine.start("list", "--json", "--timeout", "30") for _ in range(2)]
            until(lambda: len(machine.markers()) == len(RUNTIMES))
            machine.misbehave({})
            machine.run("list", "--json")
            for other in others:
                other.terminate()
            for other in others:
                other.communicate(timeout=30)
            self.assertEqual([], machine.listing()[1])


class Markers(unittest.TestCase):
    def test_one_end_within_a_step_leaves_nothing_out(self):
        with Machine() as machine:
            machine.misbehave({runtime: HANG for runtime in RUNTIMES})
            machine.kill_within(*RUNTIMES)
            machine.misbehave({})
            value, left_out = machine.listing()
            self.assertEqual(([], []), (left_out, value["warnings"]))
            self.assertEqual([], machine.markers())

    def test_only_the_fourth_run_that_is_killed_alone_within_a_step_leaves_it_out(self):
        with Machine() as machine:
            for kills, expected in ((2, []), (4, ["vulkan"])):
                machine.misbehave({"vulkan": HANG})
                for _ in range(kills):
                    machine.kill_within("vulkan", end=subprocess.Popen.kill)
                    until(lambda: not machine.survivors())
                    self.assertEqual([True], [marker["weak"] for marker in machine.markers()])
                machine.misbehave({})
                value, left_out = machine.listing()
                self.assertEqual(expected, left_out)
            self.assertRegex(" ".join(value["warnings"]), "Vulkan was interrupted 4 times, at ")

    def test_a_second_end_is_that_of_one_step_and_leaves_that_one_out(self):
        with Machine() as machine:
            machine.misbehave({runtime: HANG for runtime in RUNTIMES})
            machine.kill_within(*RUNTIMES)
            # Healthy or not, each is now tried alone, with the other's turn after its end.
            machine.misbehave({"vulkan": HANG})
            machine.kill_within("vulkan")
            machine.misbehave({})
            value, left_out = machine.listing()
            self.assertEqual(["vulkan"], left_out)
            entry = next(entry for entry in value["probes"] if entry["module"] == "vulkan")
            self.assertEqual("failed", entry["outcome"])
            self.assertRegex(entry["error"]["text"], r"\Alooking for devices through Vulkan was interrupted twice, at "
                                                     r"20\S+Z and 20\S+Z by what nobody saw; --retry-crashed tries again")
            self.assertIn("left out: " + entry["error"]["text"], value["warnings"])
            finding = next(one for one in value["findings"] if one["id"] == "runtime.vulkan.left_out")
            self.assertNotRegex(json.dumps(finding), "(?i)crashed (?!tries)|remove the file")
            answer = machine.run("recommend", "--quick", "--budget", "0.2", "--only", "vulkan")
            self.assertEqual("cpu\n", answer.stdout)
            self.assertIn("whichgpu: warning: left out: looking for devices through Vulkan", answer.stderr)
            self.assertEqual([], machine.listing("--retry-crashed")[1])
            self.assertEqual([], machine.listing()[1], "it was seen to end")

    def test_measuring_that_was_cut_off_twice_is_left_out_and_recommend_says_so(self):
        hang = {runtime: [{"at": "launch", "do": "hang"}] for runtime in RUNTIMES}
        command = ["recommend", "--json", "--no-cache", "--only", "vulkan", "--budget", "0.2"]
        with Machine() as machine:
            machine.misbehave(hang)
            for _ in range(2):
                process = machine.start(*command)
                until(lambda: any("measuring" in step for step in held(process.pid, machine.markers())))
                end_with_children(process)
                process.communicate()
            machine.misbehave({})
            value = document(machine.run(*command))
            self.assertRegex(" ".join(value["warnings"]), "left out: measuring pci:0000:c1:00.0 through vulkan was "
                                                          "interrupted twice, at ")
            self.assertIn("this may not be the best way here", " ".join(value["recommendation"]["warnings"]))
            self.assertRegex(json.dumps(value["recommendation"]["rejected"]), "was not measured .measuring pci")
            again = document(machine.run(*command, "--retry-crashed"))
            self.assertNotIn("left out", " ".join(again["warnings"]))
            self.assertEqual([], machine.markers())

    def condemned(self, machine, reboot):
        machine.misbehave({"vulkan": HANG})
        machine.kill_within("vulkan")
        if reboot:
            machine.reboot()
        else:
            machine.kill_within("vulkan")
        machine.misbehave({})
        value, left_out = machine.listing()
        self.assertEqual(["vulkan"], left_out)
        return value

    def test_a_reboot_since_is_believed_at_once_and_named(self):
        with Machine() as machine:
            value = self.condemned(machine, reboot=True)
            self.assertRegex(" ".join(value["warnings"]), "the machine has booted since: it may have gone down with it")
            self.assertEqual(["vulkan"], machine.listing()[1], "and not forgotten")
            self.assertEqual([], machine.listing("--retry-crashed")[1])
            self.assertEqual([], machine.listing()[1])

    def test_the_next_boot_tries_again_what_the_machine_outlived(self):
        with Machine() as machine:
            self.condemned(machine, reboot=False)
            machine.reboot()
            self.assertEqual([], machine.listing()[1])

    def test_another_driver_file_is_tried(self):
        for reboot in (False, True):
            with Machine() as machine:
                self.condemned(machine, reboot)
                pathlib.Path(machine.manifests["vulkan"][0]).touch()
                self.assertEqual([], machine.listing()[1])


class Impatience(unittest.TestCase):
    def test_a_second_signal_ends_at_once_and_blames_nobody(self):
        for number in (signal.SIGINT, signal.SIGQUIT):
            with self.subTest(signal=number), Machine() as machine:
                machine.misbehave({"vulkan": HANG})
                reader, writer = os.pipe()
                os.write(writer, b" " * fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ))  # full: its answer has to wait
                process = machine.start("list", "--json", "--timeout", "30", stdout=writer)
                until(lambda: held(process.pid, machine.markers()))
                process.send_signal(number)
                time.sleep(0.7)
                self.assertIsNone(process.poll(), "it was to wait for its reader")
                process.send_signal(number)
                self.assertEqual(128 + number, process.wait(timeout=10))
                process.communicate()
                for end in (reader, writer):
                    os.close(end)
                machine.misbehave({})
                self.assertEqual([], machine.listing()[1])
                self.assertEqual([], machine.markers())

    def test_the_same_signal_twice_within_a_moment_is_one(self):
        with Machine() as machine:
            machine.misbehave({"vulkan": HANG})
            run = machine.start("list", "--json", "--timeout", "30")
            until(lambda: held(run.pid, machine.markers()))
            for _ in range(2):  # as timeout(1) does
                run.terminate()
            out, _ = run.communicate(timeout=30)
            self.assertEqual(128 + signal.SIGTERM, run.returncode)
            self.assertTrue(json.loads(out)["interrupted"])


def fill(descriptor):
    """Writes until nothing more is taken."""
    os.set_blocking(descriptor, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(descriptor, b"x" * 512)
    os.set_blocking(descriptor, True)


def full_pipe():
    reader, writer = os.pipe()
    fill(writer)
    return reader, writer


class NobodyReads(unittest.TestCase):
    def test_a_signal_ends_a_run_whose_answer_nobody_takes(self):
        def end(case):
            arguments, number = case
            reader, writer = full_pipe()
            process = subprocess.Popen([BINARY, *arguments], stdout=writer, stderr=subprocess.DEVNULL)
            os.close(writer)
            until(lambda: catches(process.pid, number))
            process.send_signal(number)
            code = process.wait(20)
            os.close(reader)
            return code

        cases = [(arguments, number) for arguments in (["--help"], ["list", "--json"])
                 for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGTERM)]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.assertEqual([128 + number for _, number in cases], list(pool.map(end, cases)))


    def test_nor_one_whose_warnings_nobody_takes(self):
        reader, writer = full_pipe()
        process = subprocess.Popen([BINARY, "--qick"], stdout=subprocess.DEVNULL, stderr=writer)
        until(lambda: catches(process.pid, signal.SIGTERM))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(128 + signal.SIGTERM, process.wait(20))
        os.close(reader)
        os.close(writer)

    def test_nor_one_whose_terminal_takes_a_part_only(self):
        master, output = os.openpty()
        for _ in range(5):  # what was written moves on in the kernel after a while
            fill(output)
            time.sleep(0.02)
        process = subprocess.Popen([BINARY, "--help"], stdout=output, stderr=subprocess.DEVNULL)
        until(lambda: catches(process.pid, signal.SIGHUP))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        os.read(master, 1)  # makes room for less than the answer
        self.assertEqual(128 + signal.SIGHUP, process.wait(20))
        os.close(master)
        os.close(output)


class Stopped(unittest.TestCase):
    """A run that somebody stopped with Ctrl-Z while it measured."""

    def test_keeps_no_other_run_waiting(self):
        with Machine() as machine:
            machine.misbehave({runtime: [{"at": "launch", "do": "hang"}] for runtime in RUNTIMES})
            stopped = machine.start("recommend", "--json", "--only", "vulkan,opencl")
            locks = machine.folder / "cache" / "whichgpu"
            until(lambda: any(path.read_text() == str(stopped.pid) for path in locks.glob("device-*.lock")))
            stopped.send_signal(signal.SIGSTOP)
            machine.misbehave({})
            for command in (["--json"], ["recommend", "--json"]):
                with self.subTest(command=command):
                    run = machine.run(*command, *BRIEF)
                    self.assertEqual(0, run.status, run.stderr)
                    self.assertLess(run.elapsed_s, 10)
                    said = [text for text in document(run)["warnings"] if f"(process {stopped.pid}) is stopped" in text]
                    self.assertEqual(1, len(said), run.stderr)
            stopped.kill()
            stopped.send_signal(signal.SIGCONT)
            stopped.communicate()


if __name__ == "__main__":
    main()
