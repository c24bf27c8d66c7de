#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`list` of recorded machines that are not part of the project, against one golden each (tests/cli/captures): what the
text says, and the hardware's facts of the JSON. WHICHGPU_UPDATE_GOLDENS=1 rewrites them; the machines are sought in
WHICHGPU_SHARED/captures or beside the source tree."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness

SHARED = pathlib.Path(os.environ.get("WHICHGPU_SHARED") or harness.SOURCE.parent / "shared") / "captures"
GOLDENS = harness.SOURCE / "tests" / "cli" / "captures"
KEPT = ("id", "name", "vendor", "kind", "memory", "parent_id")
KEPT_HARDWARE = ("identity", "architecture", "kernel_driver", "vram_bytes", "gtt_bytes", "pcie", "numa_node")
KEPT_FACTS = ("architecture_family", "clock_max_hz", "compute_driver", "compute_partition", "compute_partitions",
              "compute_units", "memory_partition", "name_basis", "visible_vram_bytes", "wavefront_size", "xcc_count",
              "xgmi_peers")


def digest(device):
    """What was derived of a device: nothing that only the recording holds."""
    out = {key: device[key] for key in KEPT if key in device}
    hardware = device["hardware"]
    out.update({key: hardware[key] for key in KEPT_HARDWARE if key in hardware})
    facts = {fact["key"]: fact["value"] for fact in hardware["facts"]}
    out["facts"] = {key: facts[key] for key in KEPT_FACTS if key in facts}
    return out


def device_lines(text):
    """The devices of a list: without the processor, what is not available, and the host."""
    blocks = text.split("\n\n")
    return "\n\n".join(block for block in blocks if "\n  pci:" in block and not block.startswith("Not available"))


def unpack(archive, folder, *members):
    """The archive below `folder`, or those of its members that match; recorded modes are dropped."""
    subprocess.run(["tar", "--wildcards", "--no-wildcards-match-slash", "--no-same-permissions", "-xf", archive, "-C",
                    folder, *members], check=True)


class Captures(unittest.TestCase):
    def setUp(self):
        # Thousands of small files: in memory where that can be.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.scratch = tempfile.TemporaryDirectory(prefix="whichgpu-captures-", dir=memory)
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def archive(self, name):
        path = SHARED / f"{name}.tar.xz"
        if not path.exists():
            self.skipTest(f"no recorded machines at {path}")
        return path

    def check(self, machine, root):
        arguments = ("list", "--sysroot", root)
        text = harness.run(*arguments)
        found = harness.run(*arguments, "--json")
        self.assertEqual((0, 0), (text.returncode, found.returncode), text.stderr + found.stderr)
        report = harness.document(found)
        harness.validate(report, "list")
        devices = [digest(device) for device in report["devices"] if device["id"] != "cpu:0"]
        shown = device_lines(text.stdout) + "\n\n" + json.dumps(devices, indent=1, sort_keys=True) + "\n"
        golden = GOLDENS / f"{machine}.txt"
        if os.environ.get("WHICHGPU_UPDATE_GOLDENS") == "1":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(shown)
        self.assertTrue(golden.exists(), f"{golden} is missing: WHICHGPU_UPDATE_GOLDENS=1 writes it")
        self.assertEqual(golden.read_text(), shown, f"WHICHGPU_UPDATE_GOLDENS=1 rewrites {golden}")
        return devices

    def test_single_cards(self):
        unpack(self.archive("lact-sysfs"), self.folder)
        machines = sorted((self.folder / "tests" / "snapshots").glob("*/*"))
        self.assertEqual(24, len(machines))
        for source in machines:
            name = f"{source.parent.name}-{source.name}"
            with self.subTest(name):
                root = self.folder / "root"
                (root / "sys" / "class").mkdir(parents=True)
                shutil.copytree(source, root / "sys" / "class" / "drm", symlinks=True)
                (root / "sys" / "class" / "kfd").mkdir()
                if (source / "kfd").exists():
                    (root / "sys" / "class" / "drm" / "kfd").rename(root / "sys" / "class" / "kfd" / "kfd")
                try:
                    self.assertEqual(1, len(self.check(name, root)))
                finally:
                    shutil.rmtree(root)

    def test_compute_topologies(self):
        nodes = "testdata/*/topology/nodes/*/"
        unpack(self.archive("rocm-kfd"), self.folder, nodes + "properties", nodes + "io_links/*/properties",
               nodes + "mem_banks/*/properties")
        for name, source, cards in (("kfd-vega", "topology-parsing", 1), ("kfd-mi308", "topology-parsing-mi308", 8)):
            with self.subTest(name):
                kfd = self.folder / name / "sys" / "class" / "kfd"
                kfd.mkdir(parents=True)
                (self.folder / "testdata" / source).rename(kfd / "kfd")
                self.assertEqual(cards, len(self.check(name, self.folder / name)))

    def test_whole_machines(self):
        unpack(self.archive("ghw-sysfs"), self.folder)
        machines = sorted((self.folder / "ghw").glob("*.tar.gz"))
        self.assertEqual(4, len(machines))
        for machine in machines:
            name = machine.name.removesuffix(".tar.gz")
            with self.subTest(name):
                root = self.folder / name
                root.mkdir()
                unpack(machine, root)
                self.check("ghw-" + name.removeprefix("linux-amd64-"), root)

    def test_each_golden_has_its_machine(self):
        self.assertEqual(30, len(list(GOLDENS.glob("*.txt"))))


if __name__ == "__main__":
    harness.main()
