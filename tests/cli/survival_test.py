# SPDX-License-Identifier: MIT
"""No driver brings the tool down: `list --json` with a good driver and a bad one beside it, for Vulkan and OpenCL at
once, for every way in which a driver can be bad.

    python3 survival_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import os
import pathlib
import sys
import unittest

from fake_machine import RUNTIMES, FakeMachine
from harness import BINARY, document, main, validate, vulkan_manifest

BUILD = os.path.abspath(sys.argv[2])
TIMEOUT_S = 1
# A module's deadline, the same once more driver by driver, and one second on top (contract: deadlines).
LIMIT_S = 2 * TIMEOUT_S + 1
PCI = {"Good": {"vulkan": "0000:c1:00.0", "opencl": "0000:c2:00.0"},
       "Bad": {"vulkan": "0000:d1:00.0", "opencl": "0000:d2:00.0"}}
STAGES = {"load": {"load", "symbols", "init", "enumerate"}, "init": {"init", "enumerate"},
          "enumerate": {"enumerate"}, "properties": {"enumerate"}}


class Case:
    """One way to be bad: what happens where, and the outcomes that say so."""

    def __init__(self, name, point, outcomes, *acts):
        self.name = f"{name}_at_{point}"
        self.point = point
        self.outcomes = outcomes
        self.acts = acts


def cases():
    for point in ("load", "init", "enumerate", "properties"):
        yield Case("hang", point, {"timed_out"}, {"do": "hang"})
        yield Case("abort", point, {"crashed"}, {"do": "abort"})
        yield Case("segfault", point, {"crashed"}, {"do": "segfault"})
        yield Case("silent_exit", point, {"bad_reply"}, {"do": "exit0"})
    for point in ("load", "enumerate"):
        yield Case("closed_descriptors", point, {"bad_reply", "crashed"}, {"do": "close_fds"})
        yield Case("flooded_descriptors", point, {"bad_reply"}, {"do": "flood_fds"})
        yield Case("megabytes_on_stdout", point, {"ok"}, {"do": "flood_stdout"})
    yield Case("busy_hang", "enumerate", {"timed_out"}, {"do": "spin"})
    yield Case("stack_overflow", "enumerate", {"crashed"}, {"do": "stack_overflow"})
    yield Case("exception", "enumerate", {"crashed", "failed"}, {"do": "throw_cxx"})
    yield Case("full_scratch", "enumerate", {"bad_reply", "timed_out"}, {"do": "fill_scratch"})
    yield Case("hang_after_noise", "enumerate", {"timed_out"}, {"do": "flood_stdout"}, {"do": "hang"})
    for detach in ("none", "setsid", "daemon"):
        linger = {"do": "fork_linger", "detach": detach}
        yield Case(f"lingering_{detach}", "enumerate", {"ok"}, linger)
        yield Case(f"lingering_{detach}_and_abort", "enumerate", {"crashed"}, linger, {"do": "abort"})
        yield Case(f"lingering_{detach}_and_hang", "enumerate", {"timed_out"}, linger, {"do": "hang"})


def scenario_of(quality, runtime, misbehave=()):
    """A driver with one device, which is no other driver's."""
    device = {"name": f"{quality} {runtime} GPU", "pci": PCI[quality][runtime],
              "uuid": f"{quality}{runtime}".encode().hex().ljust(32, "0")}
    return {"driver_name": f"{quality} Driver", "devices": [device], "misbehave": list(misbehave)}


def survey(case):
    """Runs the tool on a machine with the good drivers and, with a case, the bad ones."""
    with FakeMachine(BINARY, BUILD) as machine:
        manifests = {}
        for runtime in RUNTIMES:
            manifests[runtime, "good"] = machine.add_driver(runtime, "good", scenario_of("Good", runtime))
            if case is None:
                continue
            acts = [{"at": case.point, **act} for act in case.acts]
            for act in acts:
                if act["do"] == "fork_linger":
                    act["pid_file"] = machine.pid_file()
            manifests[runtime, "bad"] = machine.add_driver(runtime, "bad", scenario_of("Bad", runtime, acts))
        run = machine.run("list", "--json", "--timeout", str(TIMEOUT_S), patience_s=10 * LIMIT_S)
        run.manifests = manifests
        run.left_in_work = sorted(path.name for path in machine.work.iterdir())
        run.lingered = [file for file in machine.pid_files if file.exists()]
        return run


def probe(listing, module):
    return next(entry for entry in listing["probes"] if entry["module"] == module)


def driver(listing, module, manifest):
    drivers = probe(listing, module).get("drivers", [])
    return next((entry for entry in drivers if entry.get("manifest") == manifest), None)


def device_ids(listing):
    return {device["id"] for device in listing["devices"]}


class Survival(unittest.TestCase):
    maxDiff = None
    runs = {}
    baseline = None

    @classmethod
    def setUpClass(cls):
        cls.baseline = document(survey(None))
        with concurrent.futures.ThreadPoolExecutor(max_workers=2 + (os.cpu_count() or 1)) as pool:
            names = [case.name for case in cases()]
            cls.runs = dict(zip(names, pool.map(survey, cases())))

    def test_the_good_drivers_alone_are_listed(self):
        validate(self.baseline, "list")
        for runtime, address in PCI["Good"].items():
            self.assertEqual(probe(self.baseline, runtime)["outcome"], "ok")
            self.assertIn(f"pci:{address}", device_ids(self.baseline))

    def check_end(self, run):
        self.assertEqual(run.status, 0, run.stderr)
        self.assertLessEqual(run.elapsed_s, LIMIT_S)
        self.assertEqual(run.survivors, [], "a descendant survived")
        self.assertEqual(run.left_in_work, [], "something was written outside the scratch directory")
        self.assertLess(len(run.stderr), 65536)

    def check_bad_driver(self, listing, runtime, case, run):
        bad = driver(listing, runtime, run.manifests[runtime, "bad"])
        self.assertIsNotNone(bad, f"the bad driver is not named in {probe(listing, runtime)}")
        self.assertIn(bad["outcome"], case.outcomes, bad)
        if bad["outcome"] != "ok":
            self.assertIn(bad.get("stage"), STAGES[case.point], bad)
            self.assertTrue(bad.get("error"), bad)

    def check_good_driver(self, listing, runtime, run):
        manifest = run.manifests[runtime, "good"]
        self.assertEqual(probe(listing, runtime)["outcome"], "ok")
        self.assertEqual(driver(listing, runtime, manifest)["outcome"], "ok")
        address = f"pci:{PCI['Good'][runtime]}"
        views = [view for device in listing["devices"] if device["id"] == address for view in device["views"]]
        self.assertEqual([(view["runtime"], view["name"]) for view in views], [(runtime, f"Good {runtime} GPU")])

    def check_others(self, listing):
        def others(document_):
            return {entry["module"]: entry["outcome"] for entry in document_["probes"] if entry["module"] not in RUNTIMES}

        self.assertEqual(others(listing), others(self.baseline))
        self.assertLessEqual(device_ids(self.baseline), device_ids(listing))

    def check(self, case):
        run = self.runs[case.name]
        self.check_end(run)
        listing = document(run)
        validate(listing, "list")
        for runtime in RUNTIMES:
            with self.subTest(runtime=runtime):
                self.check_bad_driver(listing, runtime, case, run)
                self.check_good_driver(listing, runtime, run)
        self.check_others(listing)
        lingering = any(act["do"] == "fork_linger" for act in case.acts)
        self.assertEqual(bool(run.lingered), lingering, "the case did not happen")


def add_tests():
    for case in cases():
        setattr(Survival, f"test_{case.name}", lambda self, case=case: self.check(case))


class HostileNames(unittest.TestCase):
    NAMES = ({"name": list(b"\x1b[2J\x07\r\n\x00\xc2\x9b31m")}, {"name": [255, 254, 192, 128, 237, 160, 128]},
             {"name": "long ", "name_bytes": 10240})

    def test_reach_no_terminal_and_no_reader_unescaped(self):
        with FakeMachine(BINARY, BUILD) as machine:
            for runtime in RUNTIMES:
                devices = [{**name, "vendor": name["name"], "pci": f"0000:c{i}:00.0", "uuid": f"{i:032x}"}
                           for i, name in enumerate(self.NAMES, 1)]
                machine.add_driver(runtime, "rude", {"driver_name": [27, 91, 109, 255], "devices": devices})
            listing = document(machine.run("list", "--json"))
            validate(listing, "list")
            for number in range(1, len(self.NAMES) + 1):
                self.assertIn(f"pci:0000:c{number}:00.0", device_ids(listing))
            texts = list(strings(listing)) + machine.run("list").stdout.splitlines()
            self.assertEqual([text for text in texts if any(unprintable(letter) for letter in text)], [])
            self.assertLessEqual(max(map(len, texts)), 4096)


def strings(node):
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from strings(child)


def unprintable(letter):
    return ord(letter) < 32 or 127 <= ord(letter) < 160 or 0xD800 <= ord(letter) < 0xE000


class WithRealDrivers(unittest.TestCase):
    """The same with the machine's own software drivers as the good ones: a run that waits beside the others."""
    MANIFESTS = {"vulkan": vulkan_manifest("lvp"),
                 "opencl": pathlib.Path("/etc/OpenCL/vendors/pocl.icd")}
    # Compilers load with these: on a busy machine that takes longer than with the fakes.
    TIMEOUT_S = 3

    @classmethod
    def missing(cls):
        return [str(path) for path in cls.MANIFESTS.values() if not path.exists()]

    @classmethod
    def survey(cls):
        if cls.missing():
            return None
        with FakeMachine(BINARY, BUILD) as machine:
            hang = {"misbehave": [{"at": "enumerate", "do": "hang"}]}
            real = {name: machine.add_real_driver(name, path) for name, path in cls.MANIFESTS.items()}
            bad = {name: machine.add_driver(name, "bad", hang) for name in RUNTIMES}
            run = machine.run("list", "--json", "--timeout", str(cls.TIMEOUT_S))
            run.real, run.bad = real, bad
            return run

    def test_answer_beside_a_driver_that_hangs(self):
        if self.missing():
            self.skipTest(f"not installed: {', '.join(self.missing())}")
        run = BESIDE.result()
        self.assertEqual(run.status, 0, run.stderr)
        self.assertLessEqual(run.elapsed_s, 2 * self.TIMEOUT_S + 1)
        listing = document(run)
        for name in RUNTIMES:
            self.assertEqual(driver(listing, name, run.bad[name])["outcome"], "timed_out")
            self.assertEqual(driver(listing, name, run.real[name])["outcome"], "ok")
        host = next(device for device in listing["devices"] if device["id"] == "cpu:0")
        self.assertLessEqual(set(RUNTIMES), {view["runtime"] for view in host["views"]})


if __name__ == "__main__":
    add_tests()
    with concurrent.futures.ThreadPoolExecutor(1) as aside:
        BESIDE = aside.submit(WithRealDrivers.survey)
        main()
