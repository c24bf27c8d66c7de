#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""AMD's real drivers on a machine without an AMD GPU: Debian's ROCm says that there is none, and Mesa's RADV claims any
family that it is told to and is found out."""
import concurrent.futures
import json
import pathlib
import tempfile
import unittest

import harness

ROCM = harness.vendor_library("libamdhip64.so.[0-9]")
RADV = harness.vulkan_manifest("radeon")


def radv():
    """What Mesa's driver holds; of its releases some call a family otherwise, and the latest imagine none."""
    library = json.loads(RADV.read_text())["ICD"]["library_path"] if RADV.exists() else ""
    found = pathlib.Path(library) if library.startswith("/") else harness.vendor_library(library)
    return found.read_bytes() if library and found else b""


def imagines_no_gpus():
    return b"RADV_FORCE_FAMILY=<family> has been removed" in radv()


# Family -> PCI device number, as Mesa has it; what it has no number of is 0xdead there.
FAMILIES = {"navi21": 0x73a0, "navi10": 0x7310, "vega20": 0x66a0, "polaris10": 0x67c0,
            "navi31" if b"navi31\0" in radv() else "gfx1100": None}


def no_amd_gpu():
    return not pathlib.Path("/dev/kfd").exists() and not list(pathlib.Path("/dev/dri").glob("renderD*"))


@unittest.skipUnless(ROCM, "AMD's libamdhip64 is neither installed nor unpacked")
@unittest.skipUnless(no_amd_gpu(), "this machine has a GPU")
class Rocm(unittest.TestCase):
    def environment(self, **variables):
        """Where the loader finds it, and what it needs, as if it were installed."""
        return harness.environment(LD_LIBRARY_PATH=ROCM.parent, **variables)

    def survey(self, **variables):
        done = harness.run("list", "--only", "hip", "--json", env=self.environment(**variables))
        value = harness.document(done)
        harness.validate(value, "list")
        return value, next(probe for probe in value["probes"] if probe["module"] == "hip")

    def test_it_is_installed_and_has_no_device(self):
        value, probe = self.survey(WHICHGPU_LIBRARY_PATH=ROCM.parent)
        self.assertEqual(("no_device", "hipErrorNoDevice", 100),
                         (probe["outcome"], probe["error"]["name"], probe["error"]["code"]))
        self.check(value, probe)

    @unittest.skipIf(any(pathlib.Path("/dev", name).exists() for name in ("dxg", "dri", "accel")), "there is a device")
    def test_without_any_device_node_it_says_so_without_loading_it(self):
        value, probe = self.survey()
        self.assertEqual(("no_device", "load", "open /dev/kfd"),
                         (probe["outcome"], probe["stage"], probe["error"]["call"]))
        self.check(value, probe)

    def check(self, value, probe):
        self.assertEqual(str(ROCM.resolve()), probe["library"]["path"])
        self.assertIn("no AMD GPU", probe["error"]["text"])
        text = harness.run("list", "--only", "hip", env=self.environment()).stdout
        self.assertIn("ROCm is installed but has no device", text)
        self.assertEqual(["cpu:0"], [device["id"] for device in value["devices"]])

    def test_an_override_is_warned_of_with_what_it_does_and_the_fix(self):
        value, probe = self.survey(HSA_OVERRIDE_GFX_VERSION="10.3.0")
        self.assertEqual("no_device", probe["outcome"])
        self.assertTrue(any("gfx1030" in text and "hang" in text and "unset" in text for text in probe["warnings"]),
                        probe["warnings"])
        self.assertIn({"name": "HSA_OVERRIDE_GFX_VERSION", "value": "10.3.0"}, probe["environment"])
        self.assertIn("variable.hip.HSA_OVERRIDE_GFX_VERSION", [finding["id"] for finding in value["findings"]])
        shown = harness.run("list", "--only", "hip", env=self.environment(HSA_OVERRIDE_GFX_VERSION="10.3.0")).stdout
        self.assertIn("unset HSA_OVERRIDE_GFX_VERSION", shown)

    def test_without_a_variable_there_is_nothing_to_warn_of(self):
        value, probe = self.survey()
        self.assertEqual([], probe["warnings"])
        self.assertEqual([], [f["id"] for f in value["findings"] if f["id"].startswith("variable.")])


@unittest.skipUnless(RADV.exists(), "mesa-vulkan-drivers is not installed")
@unittest.skipIf(imagines_no_gpus(), "this Mesa has no RADV_FORCE_FAMILY any more")
@unittest.skipUnless(no_amd_gpu(), "this machine has a GPU")
class PhantomFamilies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = {family: pool.submit(cls.measure, family) for family in FAMILIES}
            cls.runs = {family: job.result() for family, job in jobs.items()}

    @staticmethod
    def measure(family):
        with tempfile.TemporaryDirectory(prefix="whichgpu-phantom-") as cache:
            variables = harness.environment(RADV_FORCE_FAMILY=family, VK_DRIVER_FILES=RADV, XDG_CACHE_HOME=cache)
            return harness.run("--only", "vulkan,cpu", "--budget", "0.5", "--json", "--exit-code", env=variables)

    def test_each_is_listed_as_what_it_claims_to_be(self):
        for family, number in FAMILIES.items():
            with self.subTest(family):
                value = harness.document(self.runs[family])
                device = next(device for device in value["devices"] if device["id"] != "cpu:0")
                self.assertEqual("AMD", device["vendor"])
                self.assertIn(family.upper(), device["name"])
                self.assertNotIn("hardware", device)
                ids = device["views"][0]["identity"]["ids"]
                self.assertEqual(0x1002, ids["vendor"])
                if number:
                    self.assertEqual(number, ids["device"])
                self.assertEqual({}, device["memory"])

    def test_each_is_unusable_with_the_reason(self):
        for family in FAMILIES:
            with self.subTest(family):
                done = self.runs[family]
                self.assertEqual(11, done.returncode, "a driver claims a GPU and none is usable")
                value = harness.document(done)
                figures = [m for m in value["measurements"] if m["runtime"] == "vulkan"]
                self.assertTrue(figures)
                self.assertNotIn("ok", {m["status"] for m in figures})
                self.assertTrue(any("not a real one" in m.get("reason", "") for m in figures), figures)
                self.assertEqual({"cpu"}, {answer["backend"] for answer in value["recommendations"]})
                reasons = [option["reason"] for answer in value["recommendations"] for option in answer["rejected"]
                           if option.get("runtime") == "vulkan"]
                self.assertTrue(any("not a real one" in reason for reason in reasons), reasons)


if __name__ == "__main__":
    harness.main()
