# SPDX-License-Identifier: MIT
"""What must hold of a run beside misbehaving drivers, as sentences about what does not."""
import dataclasses
import json
import signal

from actions import ENDS, HANGS, INTERRUPTS, KILLS
from harness import SANITIZED
from machine import LOADED, RUNTIMES, id_of

# The contract's deadlines: a module's, once more driver by driver, a second on top; a driver that hangs when a GPU is
# opened has 30 s, a kernel that hangs 10 s, once more where another process goes on without it, what readies it a part of
# that, and the budget is followed by a fifth.
HANG_S = 41
# Of a machine that does other things as well.
STALL_S = 6


@dataclasses.dataclass
class Time:
    """What a run is given: seconds for a module, and to measure."""
    timeout_s: float = 6 if SANITIZED else 2  # a child's start alone takes a sanitizer a second beside others
    budget_s: float = 0.8

    def more(self, times):
        # Of what every child starts with a little more is enough; hanging drivers take all of it.
        return Time(self.timeout_s * min(times, 5), self.budget_s * times)


@dataclasses.dataclass
class Problem:
    text: str
    # It may be this machine's that was too busy: the case is tried again alone, with more time.
    timing: bool = False


def limit_s(measured, bad, time):
    return 2 * time.timeout_s + 1 + STALL_S + (2 * time.budget_s + HANG_S * len(bad) if measured else 0)


def signals_of(kind):
    if kind == INTERRUPTS:
        return {128 + int(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    return {-int(signal.SIGKILL)} if kind == KILLS else set()


class Checker:
    """Collects the problems of one run: of `machine`, by an action of `kind`, with a baseline without bad drivers."""

    def __init__(self, machine, run, kind, measured, baseline, time):
        self.machine, self.run, self.kind = machine, run, kind
        self.measured, self.baseline = measured, baseline
        self.limit_s = limit_s(measured, machine.bad, time)
        self.problems = []

    def say(self, text, timing=False):
        self.problems.append(Problem(text, timing))

    def all(self, validate):
        self.check_traces()
        allowed = {0} | signals_of(self.kind)
        if self.run.status is None:
            self.say("it did not end", timing=True)
        elif self.run.status not in allowed:
            self.say(f"exit status {self.run.status}: {self.run.stderr[-300:]!r}")
        elif self.run.status >= 0:
            found = self.document(validate)
            if found is not None:
                self.check_answers(found)
        return self.problems

    def check_traces(self):
        if self.run.elapsed_s > self.limit_s:
            self.say(f"it took {self.run.elapsed_s:.1f} s of {self.limit_s:.1f} s", timing=True)
        if self.run.survivors:
            self.say(f"{len(self.run.survivors)} processes are left")
        if self.run.status != -int(signal.SIGKILL):
            for left in self.machine.left_behind():
                self.say(left)
        if len(self.run.stderr) > 65536:
            self.say(f"{len(self.run.stderr)} bytes on stderr")
        for runtime in self.machine.bad:
            if self.machine.expects_marks and not self.machine.happened(runtime):
                self.say(f"the driver of {runtime} did not get to the fault", timing=True)

    def document(self, validate):
        try:
            text = self.run.stdout.decode("utf-8")
            if not text.endswith("}\n") or text.endswith("\n\n"):
                raise ValueError("stdout does not end in one newline")
            found = json.loads(text, parse_constant=float.fromhex)
            validate(found, "report" if self.measured else "list")
            return found
        except Exception as error:  # noqa: BLE001: whatever is wrong with it, it is no valid answer
            self.say(f"stdout is no valid answer: {str(error)[:300]}")
            return None

    def check_answers(self, found):
        if found["interrupted"] != (self.run.status != 0):
            self.say(f"exit status {self.run.status}, and interrupted is {found['interrupted']}")
        if found["interrupted"]:
            return
        for runtime in RUNTIMES:
            bad = runtime in self.machine.bad
            if not bad or runtime in LOADED:
                self.check_good(found, runtime)
            if bad:
                self.check_bad(found, runtime)
        self.check_others(found)

    def is_late(self, entry):
        """It may be the machine's fault: beside a hang only what had not even begun. A hang that spreads does so when the
        case is tried again, too."""
        return entry is not None and entry["outcome"] == "timed_out" and (self.kind != HANGS
                                                                          or entry.get("stage") == "start")

    def check_good(self, found, runtime):
        probe = probe_of(found, runtime)
        own = driver_of(probe, "good") if runtime in LOADED and runtime in self.machine.bad else probe
        for what, entry in ((runtime, probe), (f"the good driver of {runtime}", own)):
            if entry is None or entry["outcome"] != "ok":
                self.say(f"{what}: {entry and (entry['outcome'], entry.get('stage'), entry.get('error'))}",
                         timing=self.is_late(entry))
        device_id = id_of(runtime, False)
        views = [(view["runtime"], view["name"]) for device in found["devices"] if device["id"] == device_id
                 for view in device["views"]]
        if views != [(runtime, f"Good {runtime} GPU")]:
            self.say(f"the good GPU of {runtime} is listed as {views}", timing=self.is_late(own))
        if self.measured:
            self.check_measured(found, runtime, device_id)

    def check_measured(self, found, runtime, device_id):
        """It has what it has on a machine without bad drivers; more or less of it, as the budget allowed."""
        def of(document):
            return [one for one in document["measurements"] if one["device_id"] == device_id]

        usual = {one["status"] for one in of(self.baseline)} | {"over_budget", "skipped", "implausible"}
        for one in of(found):
            if one["status"] not in usual:
                self.say(f"the good GPU of {runtime}: {one['kernel']} {one['status']} at {one.get('stage')}: "
                         f"{one.get('reason')}", timing=one["status"] == "timed_out")
        have = figures_of_good(found, runtime)
        if not have:
            self.say(f"nothing of the good GPU of {runtime} was measured", timing=True)
        if runtime not in LOADED and not all(one["verified"] and one["runtime"] == runtime for one in have):
            self.say(f"a figure of the good GPU of {runtime} is not verified")

    def check_bad(self, found, runtime):
        address = id_of(runtime, True)
        if self.measured:
            statuses = {one["status"] for one in found["measurements"] if one["device_id"] == address}
            wanted = {ENDS: {"crashed", "failed"}, HANGS: {"timed_out"}}.get(self.kind)
            if wanted and not statuses & wanted:
                # What was left out for want of time may be where the fault is.
                late = not statuses or "over_budget" in statuses and (
                    statuses <= {"over_budget", "unsupported"} or not self.machine.happened(runtime))
                self.say(f"the bad GPU of {runtime} is {sorted(statuses)}", timing=late)
            return
        probe = probe_of(found, runtime)
        entry = driver_of(probe, "bad") if runtime in LOADED else probe
        if entry is None:
            self.say(f"the bad driver of {runtime} is not named")
        elif entry["outcome"] != "ok" and not entry.get("error"):
            self.say(f"the bad driver of {runtime} is {entry['outcome']} without an error")
        elif self.kind in (ENDS, HANGS) and entry["outcome"] in ("ok", "no_device", "absent"):
            self.say(f"the bad driver of {runtime} is {entry['outcome']}")
        elif self.kind == HANGS and entry["outcome"] != "timed_out":
            self.say(f"the bad driver of {runtime} is {entry['outcome']}: {entry.get('error')}")

    def check_others(self, found):
        bad = tuple(f"runtime.{runtime}." for runtime in self.machine.bad)
        usual = {one["id"] for one in self.baseline["findings"]}
        for one in found["findings"]:
            blames = one["id"].startswith("runtime.") and not one["id"].startswith(bad) and one["id"] not in usual
            if blames:
                late = self.is_late(probe_of(found, one["id"].split(".")[1]))
                self.say(f"a healthy runtime is blamed: {one['id']}: {one.get('meaning')}", timing=late)
        for probe in found["probes"]:
            before = probe_of(self.baseline, probe["module"])
            if probe["module"] not in RUNTIMES and (before is None or probe["outcome"] != before["outcome"]):
                self.say(f"{probe['module']} is {probe['outcome']}", timing=probe["outcome"] == "timed_out")


def figures_of_good(found, runtime):
    """What was measured of a runtime's good GPU: those with a loader compute nothing on the fakes."""
    wanted, device_id = "wrong_result" if runtime in LOADED else "ok", id_of(runtime, False)
    return [one for one in found["measurements"] if (one["device_id"], one["status"]) == (device_id, wanted)]


def probe_of(found, module):
    return next((probe for probe in found["probes"] if probe["module"] == module), None)


def driver_of(probe, name):
    return next((entry for entry in (probe or {}).get("drivers", [])
                 if entry.get("manifest", "").rpartition("/")[2].partition(".")[0] == name), None)
