#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real binary beside a driver that does its worst, for every action at every moment of every runtime: see
docs/testing.md.

    python3 hostile.py WHICHGPU BUILD_DIRECTORY [--sample N] [--case NAME ...] [--list] [--seed N] [--jobs N]
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from actions import ACTIONS, GOES_ON, HANGS, KILLS, MOMENTS  # noqa: E402
from checks import Checker, Problem, Time, figures_of_good, limit_s  # noqa: E402
from harness import validate  # noqa: E402
from lies import LIES  # noqa: E402
from machine import RUNTIMES, HostileMachine  # noqa: E402

# Bad drivers of different runtimes in one run, so that one of each kind of runtime is left whole.
TOGETHER = (("vulkan", "cuda", "level_zero"), ("opencl", "hip", "metal", "sycl"))
# A run by itself for what acts on the tool: of several, one would not get its turn.
ALONE = ("terminate_parent", "interrupt_parent", "hang_up_parent", "kill_parent")
MEASURED = ("vulkan", "opencl", "cuda", "hip", "level_zero", "metal", "sycl", "sysfs")


class Case:
    """One action at one moment of the drivers of one runtime or several."""

    def __init__(self, action, moment, runtimes):
        self.action, self.moment, self.runtimes = action, moment, tuple(runtimes)
        self.name = f"{action}/{moment}/{'+'.join(self.runtimes)}"
        self.lie = LIES.get(action)
        self.kind = GOES_ON if self.lie else ACTIONS[action][1]
        self.measured = moment == "lie" or MOMENTS[moment][1]

    def bad(self):
        if self.lie:
            return {runtime: ([], self.lie) for runtime in self.runtimes}
        act = {"at": MOMENTS[self.moment][0], **ACTIONS[self.action][0]}
        return {runtime: ([act], None) for runtime in self.runtimes}

    def waits(self):
        return self.kind == HANGS or "hang" in self.action or self.action == "fault_forever"

    def singles(self):
        return [Case(self.action, self.moment, [runtime]) for runtime in self.runtimes]


def all_cases():
    for (action, moment), several in itertools.product(itertools.product(ACTIONS, MOMENTS), TOGETHER):
        yield from [Case(action, moment, [one]) for one in several] if action in ALONE else [Case(action, moment, several)]
    for action, several in itertools.product(LIES, TOGETHER):
        yield Case(action, "lie", several)


def named(name):
    parts = name.split("/")
    runtimes = parts[-1].split("+")
    known = len(parts) == 3 and set(runtimes) <= set(RUNTIMES) and (
        parts[0] in ACTIONS and parts[1] in MOMENTS or parts[0] in LIES and parts[1] == "lie")
    if not known:
        sys.exit(f"hostile: '{name}' is no case; a case is ACTION/MOMENT/RUNTIME as in abort/launch/vulkan, and --list "
                 "lists them")
    return Case(parts[0], parts[1], runtimes)


class Suite:
    def __init__(self, binary, build, cases):
        self.binary, self.build = binary, build
        self.baselines = {measured: self.baseline(measured) for measured in {case.measured for case in cases}}

    def arguments(self, measured, given):
        if not measured:
            return ["list", "--json", "--timeout", str(given.timeout_s)]
        return ["--json", "--no-cache", "--timeout", str(given.timeout_s), "--budget", str(given.budget_s),
                "--only", ",".join(MEASURED)]

    def baseline(self, measured):
        """With a figure of each device, which on a busy machine takes longer: what a good one has in no run is nothing that a
        bad one took from it."""
        for budget_s in (3, 10, 30):
            with HostileMachine(self.binary, self.build, {}) as machine:
                given = Time(timeout_s=10, budget_s=budget_s)
                run = machine.survey(*self.arguments(measured, given), patience_s=120)
                found = Checker(machine, run, GOES_ON, measured, None, given).document(validate)
            if found is None:
                sys.exit(f"hostile: the machine of good drivers has no answer: {run.stderr[-500:]}")
            without = [runtime for runtime in RUNTIMES if not figures_of_good(found, runtime)] if measured else []
            if not without:
                return found
        sys.exit(f"hostile: on the machine of good drivers nothing was measured of {', '.join(without)} in {budget_s} s")

    def attempt(self, case, given=Time()):
        """The problems of one run of one case."""
        with HostileMachine(self.binary, self.build, case.bad()) as machine:
            machine.expects_marks = not case.lie
            run = machine.survey(*self.arguments(case.measured, given),
                                 patience_s=30 + 2 * limit_s(case.measured, case.runtimes, given))
            checker = Checker(machine, run, case.kind, case.measured, self.baselines[case.measured], given)
            problems = checker.all(validate)
            if case.kind == KILLS and run.status != 0:
                again = machine.survey(*self.arguments(False, given), patience_s=60)
                if again.status not in (0, run.status):
                    problems.append(Problem(f"the next run ends in {again.status}: {again.stderr[-300:]!r}"))
            return problems

    def again(self, case, problems):
        """Of a case that failed beside others, what fails of it alone and with more time, by the smallest case that shows
        it: [(case, problems)]."""
        failed = []
        for one in case.singles():
            found = self.attempt(one, Time().more(10))
            if found and all(problem.timing for problem in found):
                found = self.attempt(one, Time().more(40))
            failed += [(one, found)] if found else []
        # A problem that does not come again is one all the same, unless a busy machine explains it.
        return failed or ([] if all(problem.timing for problem in problems) else [(case, problems)])


def sample(cases, size, seed):
    """As many cases, an action once at most, moments in turn; the same for the same seed. Another seed takes others of
    the actions first."""
    chooser = random.Random(seed)
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case.action].append(case)
    order = sorted(groups)
    chooser.shuffle(order)
    moments = list(MOMENTS)
    chosen = []
    for place, action in enumerate(order):
        if sum(len(case.runtimes) for case in chosen) >= size:
            break
        wanted = moments[(place + seed) % len(moments)]
        fitting = [case for case in groups[action] if case.moment == wanted] or groups[action]
        chosen.append(chooser.choice(fitting))
    return chosen


def table(counts):
    lines = [f"{'moment':<12}" + "".join(f"{runtime:>12}" for runtime in RUNTIMES)]
    for moment in (*MOMENTS, "lie"):
        row = [counts.get((moment, runtime)) for runtime in RUNTIMES]
        if any(row):
            lines.append(f"{moment:<12}" + "".join(f"{f'{one[1]}/{one[0]}' if one else '-':>12}" for one in row))
    return "\n".join(lines)


class Progress:
    """Counts, and prints a line for every failure and now and then one for how far it is."""

    def __init__(self, total):
        self.total, self.done, self.failed = total, 0, []
        self.counts, self.lock, self.said = {}, threading.Lock(), time.monotonic()

    def add(self, case, failures):
        with self.lock:
            broken = {runtime for one, _ in failures for runtime in one.runtimes}
            for runtime in case.runtimes:
                count = self.counts.setdefault((case.moment, runtime), [0, 0])
                count[0] += 1
                count[1] += runtime not in broken
            for one, problems in failures:
                self.failed.append(one)
                print(f"FAILED ./dev hostile --case {one.name}", flush=True)
                for problem in problems:
                    print(f"       {problem.text}", flush=True)

    def step(self, doubtful):
        with self.lock:
            self.done += 1
            if time.monotonic() > self.said + 15:
                self.said = time.monotonic()
                print(f"{self.done} of {self.total} runs, {doubtful} to repeat", flush=True)


def guarded(attempt, case, *arguments):
    """A broken test is a failure of its case, not the end of the others."""
    try:
        return attempt(case, *arguments)
    except Exception as error:  # noqa: BLE001
        return [Problem(f"the test itself failed: {error!r}")]


def run_all(suite, cases, jobs):
    """Those that wait for a deadline beside those that compute; what failed once more when all of them are done."""
    progress, doubtful = Progress(len(cases)), []

    def one(case):
        problems = guarded(suite.attempt, case)
        if problems:
            doubtful.append((case, problems))
        else:
            progress.add(case, [])
        progress.step(len(doubtful))

    with concurrent.futures.ThreadPoolExecutor(3 * jobs) as aside, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        concurrent.futures.wait([(aside if case.waits() else pool).submit(one, case) for case in cases])

    def repeat(row):
        failures = guarded(suite.again, *row)
        progress.add(row[0], [(row[0], failures)] if failures and isinstance(failures[0], Problem) else failures)

    if doubtful:
        print(f"repeating {len(doubtful)} runs, a driver at a time", flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(jobs // 2, 1)) as pool:
        list(pool.map(repeat, doubtful))
    return progress


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev hostile", description="whichgpu beside drivers that do their worst")
    parser.add_argument("binary", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--case", action="append", metavar="NAME", help="only this case: ACTION/MOMENT/RUNTIME")
    parser.add_argument("--list", action="store_true", help="print the names of all cases")
    parser.add_argument("--sample", type=int, metavar="N", help="N cases, an action once at most")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which sample (1)")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), metavar="N",
                        help="runs at a time; three times as many of those that wait for a deadline")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    cases = list(all_cases())
    if options.list:
        print("\n".join(one.name for case in cases for one in case.singles()))
        return
    if options.case:
        cases = [named(name) for name in options.case]
    elif options.sample:
        cases = sample(cases, options.sample, options.seed)
        print(f"a sample of {sum(len(case.runtimes) for case in cases)} cases, seed {options.seed}:", flush=True)
        print(" ".join(case.name for case in cases), flush=True)
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"  # a folder a case, on no disk
    start = time.monotonic()
    suite = Suite(options.binary.resolve(), options.build.resolve(), cases)
    progress = run_all(suite, cases, options.jobs)
    total = sum(count[0] for count in progress.counts.values())
    passed = sum(count[1] for count in progress.counts.values())
    print(f"{len(ACTIONS)} actions, {len(MOMENTS)} moments, {len(RUNTIMES)} runtimes, {len(LIES)} lies; passed/cases:")
    print(table(progress.counts))
    print(f"{passed} of {total} cases passed in {progress.done} runs and {time.monotonic() - start:.0f} s")
    for case in progress.failed:
        print(f"again: ./dev hostile --case {case.name}")
    sys.exit(1 if progress.failed else 0)


if __name__ == "__main__":
    main()
