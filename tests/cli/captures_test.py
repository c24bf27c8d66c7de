#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`list` of recorded machines that are not part of the project, against one golden each (tests/cli/captures): what the
text says, and the hardware's facts of the JSON; and what PyTorch has code for on each of them, against one golden of all.
WHICHGPU_UPDATE_GOLDENS=1 rewrites them; the machines are sought in WHICHGPU_SHARED/captures or beside the source tree."""
import json
import os
import pathlib
import platform
import re
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
# Of each recorded machine with a GPU of Intel's: what it is called, its kind, its kernel driver, and whether PyTorch's build
# for XPU has code for it, by PyTorch's page "Getting started on Intel GPU" (Arc A and B, Core Ultra with Arc graphics).
INTEL = {"intel-a380-i915": ("Intel Arc A380", "discrete", "i915", True),
         "intel-a380-xe": ("Intel Arc A380", "discrete", "xe", True),
         "intel-b580": ("Intel Arc B580", "discrete", "xe", True),
         "intel-cometlake": ("Intel UHD Graphics (Comet Lake-U)", "integrated", "i915", False),
         "intel-tigerlake": ("Intel Iris Xe Graphics (Tiger Lake-LP)", "integrated", "xe", False),
         "ghw-intel-i7-1270P": ("Intel Iris Xe Graphics (Alder Lake-P)", "integrated", "i915", False)}
# The same of what a profile of Vulkan's is called, which has no number of the device.
PROFILED = {"Arc A380": True, "Arc A770": True, "UHD Graphics 620": False}
XPU_SOURCE = "get_start_xpu.html"


def digest(device):
    """What was derived of a device: nothing that only the recording holds."""
    out = {key: device[key] for key in KEPT if key in device}
    hardware = device["hardware"]
    out.update({key: hardware[key] for key in KEPT_HARDWARE if key in hardware})
    facts = {fact["key"]: fact["value"] for fact in hardware["facts"]}
    out["facts"] = {key: facts[key] for key in KEPT_FACTS if key in facts}
    return out


def golden(path, shown):
    """What stands there, which is what is shown where goldens are rewritten."""
    if os.environ.get("WHICHGPU_UPDATE_GOLDENS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown)
    return path.read_text() if path.exists() else f"{path} is missing: WHICHGPU_UPDATE_GOLDENS=1 writes it"


def builds_of(*machine):
    """What `recommend --target pytorch` says of each GPU's builds, by its id."""
    found = harness.run("recommend", "--target", "pytorch", "--no-calibrate", "--json", *machine)
    if found.returncode:
        raise AssertionError(found.stderr)
    answer = harness.document(found)
    harness.validate(answer, "recommend")
    return {gpu["device_id"]: gpu for gpu in answer["recommendation"]["gpu_builds"]}


def build_lines(gpu):
    """One line for each runtime, and one for the programs that serve a GPU which PyTorch has nothing for."""
    word = {True: "yes", False: "no", None: "not known"}
    for code in gpu["builds"]:
        why = f": {code['reason']}" if "reason" in code else ""
        yield f"{code['backend']} {code.get('architecture', '-')} {word[code.get('has_code')]}, {code['build']}{why}"
    for other in gpu.get("served_by", ()):
        yield f"instead {other['title']} by {other['backend']}, {other['build']}"


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
        path = GOLDENS / f"{machine}.txt"
        self.assertEqual(golden(path, shown), shown, f"WHICHGPU_UPDATE_GOLDENS=1 rewrites {path}")
        return devices

    def single_cards(self):
        """The name of each, and a root with what was recorded of it."""
        unpack(self.archive("lact-sysfs"), self.folder)
        machines = sorted((self.folder / "tests" / "snapshots").glob("*/*"))
        self.assertEqual(24, len(machines))
        for source in machines:
            root = self.folder / "root"
            (root / "sys" / "class").mkdir(parents=True)
            shutil.copytree(source, root / "sys" / "class" / "drm", symlinks=True)
            (root / "sys" / "class" / "kfd").mkdir()
            if (source / "kfd").exists():
                (root / "sys" / "class" / "drm" / "kfd").rename(root / "sys" / "class" / "kfd" / "kfd")
            try:
                yield f"{source.parent.name}-{source.name}", root
            finally:
                shutil.rmtree(root)

    def whole_machines(self):
        unpack(self.archive("ghw-sysfs"), self.folder)
        machines = sorted((self.folder / "ghw").glob("*.tar.gz"))
        self.assertEqual(4, len(machines))
        for machine in machines:
            name = machine.name.removesuffix(".tar.gz").removeprefix("linux-amd64-")
            root = self.folder / name
            root.mkdir()
            unpack(machine, root)
            yield "ghw-" + name, root

    def test_single_cards(self):
        for name, root in self.single_cards():
            with self.subTest(name):
                devices = self.check(name, root)
                self.assertEqual(1, len(devices))
                self.look_at_intels(name, devices[0])

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

    def look_at_intels(self, name, device):
        if name in INTEL:
            self.assertEqual(INTEL[name][:3], (device["name"], device["kind"], device["kernel_driver"]))

    def test_whole_machines(self):
        for name, root in self.whole_machines():
            with self.subTest(name):
                for device in self.check(name, root):
                    self.look_at_intels(name, device)

    def look_at_xpu(self, has_code, gpu):
        """Of a GPU of Intel's: PyTorch's answer with its source and, where that is no, who serves it."""
        code, *others = gpu["builds"]
        self.assertEqual(([], "level_zero", "xpu", has_code),
                         (others, code["backend"], code["build"].removesuffix("-windows"), code["has_code"]))
        self.assertIn(XPU_SOURCE, code["source"])
        self.assertRegex(code["date"], r"^20\d\d-\d\d-\d\d$")
        served = [other["target"] for other in gpu.get("served_by", ())]
        self.assertEqual([] if has_code else ["llama.cpp", "openvino"], sorted(served))
        self.assertNotIn(("openvino", "level_zero"),
                         [(other["target"], other["backend"]) for other in gpu.get("served_by", ())])

    def test_what_pytorch_has_code_for(self):
        if platform.machine() != "x86_64":
            self.skipTest("PyTorch's builds for this processor are others than those of the golden")
        shown, seen = "", set()
        for machines in (self.single_cards(), self.whole_machines()):
            for name, root in machines:
                for device_id, gpu in builds_of("--sysroot", root).items():
                    shown += "".join(f"{name} {device_id} {line}\n" for line in build_lines(gpu))
                    if name in INTEL:
                        seen.add(name)
                        with self.subTest(name):
                            self.look_at_xpu(INTEL[name][3], gpu)
        self.assertEqual(set(INTEL), seen)
        path = GOLDENS / "pytorch.txt"
        self.assertEqual(golden(path, shown), shown, f"WHICHGPU_UPDATE_GOLDENS=1 rewrites {path}")

    def test_gpus_that_vulkan_profiles_name(self):
        unpack(self.archive("vulkan-profiles"), self.folder, "vk/*intel*")
        profiles = sorted((self.folder / "vk").glob("*.json"))
        self.assertEqual(6, len(profiles))
        seen = set()
        for profile in profiles:
            called, = json.loads(profile.read_text())["profiles"]
            series, number = re.search(r"(Arc|UHD)_+(?:[Tt][Mm]__)?(?:Graphics_)?(A?\d+)", called).groups()
            name = f"{series} {number}" if series == "Arc" else f"{series} Graphics {number}"
            system = "windows" if "windows" in called else "linux"
            with self.subTest(called, name=name):
                described = f"vendor=intel,name={name},runtime=vulkan,os={system},arch=x86_64"
                gpus = list(builds_of("--assume", described).values())
                self.assertEqual(1, len(gpus))
                self.look_at_xpu(PROFILED[name], gpus[0])
                seen.add(name)
        self.assertEqual(set(PROFILED), seen)

    def test_each_golden_has_its_machine(self):
        self.assertEqual(30 + 1, len(list(GOLDENS.glob("*.txt"))))


if __name__ == "__main__":
    harness.main()
