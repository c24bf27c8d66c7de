# SPDX-License-Identifier: MIT
"""A driver that answers and spoils the process that it shares with the other drivers of its loader: these are asked
again alone, and their devices are listed.

    python3 spoilers_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import concurrent.futures
import os
import sys
import unittest

from fake_machine import RUNTIMES, FakeMachine
from harness import BINARY, SANITIZED, document, main, validate

BUILD = os.path.abspath(sys.argv[2])
LIMITS = ("lower_rlimit_nofile", "lower_rlimit_as")
ACTS = ("setuid", "chroot", "close_low_fds", "clear_environment")
POINTS = ("load", "init", "enumerate", "properties")
# Asked in this order, or in any that the loader takes.
DRIVERS = ("a_good", "m_spoiler", "z_good")


def address(runtime, name):
    return f"pci:0000:{'cd'[list(RUNTIMES).index(runtime)]}{DRIVERS.index(name) + 1}:00.0"


def listing_beside(acts, spoilers=("m_spoiler",)):
    with FakeMachine(BINARY, BUILD) as machine:
        for runtime in RUNTIMES:
            for name in DRIVERS:
                device = {"name": f"{name} {runtime}", "pci": address(runtime, name)[4:],
                          "uuid": f"{name}{runtime}".encode().hex().ljust(32, "0")[:32]}
                scenario = {"driver_name": name, "devices": [device]}
                machine.add_driver(runtime, name, {**scenario, "misbehave": acts if name in spoilers else []})
        value = document(machine.run("list", "--json"))
        validate(value, "list")
        return value


def probe(listing, module):
    return next(entry for entry in listing["probes"] if entry["module"] == module)


class Spoilers(unittest.TestCase):
    def test_cost_no_other_driver_its_devices(self):
        self.check([(act, point) for act in ACTS for point in POINTS], ("m_spoiler",))

    def test_cost_each_other_nothing(self):
        # Whichever is loaded first spoils it for the others.
        self.check([(act, "load") for act in ACTS], DRIVERS)

    @unittest.skipIf(SANITIZED, "a sanitizer needs memory and descriptors of its own")
    def test_that_lower_limits_cost_no_other_driver_its_devices(self):
        self.check([(act, point) for act in LIMITS for point in POINTS], ("m_spoiler",))
        # What takes the memory takes its own, too.
        self.check([("lower_rlimit_nofile", "load")], DRIVERS)

    def check(self, rows, spoilers):
        with concurrent.futures.ThreadPoolExecutor(1 + (os.cpu_count() or 1)) as pool:
            listings = list(pool.map(lambda row: listing_beside([{"at": row[1], "do": row[0]}], spoilers), rows))
        for (act, point), listing in zip(rows, listings):
            found = {device["id"] for device in listing["devices"]}
            for runtime in RUNTIMES:
                with self.subTest(act=act, at=point, runtime=runtime):
                    answer = probe(listing, runtime)
                    self.assertEqual("ok", answer["outcome"], answer)
                    for name in DRIVERS if len(spoilers) > 1 else ("a_good", "z_good"):
                        self.assertIn(address(runtime, name), found, answer)
                    self.assertEqual(len(DRIVERS), len({driver["manifest"] for driver in answer["drivers"]}), answer)

    @unittest.skipIf(SANITIZED, "a sanitizer needs memory and descriptors of its own")
    def test_are_named(self):
        listing = listing_beside([{"at": "load", "do": "lower_rlimit_nofile"}], DRIVERS)
        for runtime, name in (("vulkan", "a_good"), ("opencl", "a driver")):
            warnings = " ".join(probe(listing, runtime)["warnings"])
            self.assertRegex(warnings, f"{name}.* changes the process .*the limit on open files fell from")

    def test_that_are_none_cost_no_second_try(self):
        listing = listing_beside([])
        for runtime in RUNTIMES:
            self.assertEqual([], probe(listing, runtime).get("warnings", []))


if __name__ == "__main__":
    main()
