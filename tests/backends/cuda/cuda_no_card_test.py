# SPDX-License-Identifier: MIT
"""The real binary where NVIDIA's libraries are installed and there is no card of NVIDIA's: they are left alone, with and
without the node that they make for root, and nobody is told to mend permissions or to load a kernel module.

    python3 cuda_no_card_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import json
import shlex
import socket
import unittest

from cuda_cli_test import BINARY, CudaMachine, gpu, main
from harness import can_unshare

NODES = ("null", "zero", "full", "random", "urandom", "tty")
PCI = "bus/pci/devices/0000:01:00.0"
CARD = {f"{PCI}/class": "0x030000", f"{PCI}/vendor": "0x10de", f"{PCI}/device": "0x2684"}
SOUND = {f"{PCI}/class": "0x040300", f"{PCI}/vendor": "0x10de", f"{PCI}/device": "0x22ba"}


def act(at, do, **more):
    return {"misbehave": [{"at": at, "do": do, **more}]}


class Installed(CudaMachine):
    """The libraries are where the loader looks, as a package would put them; /sys and /dev are this machine's own.
    sysfs: path -> content; nodes: those of NVIDIA's, behind which nothing answers; live: those that answer; proc: files of
    NVIDIA's below /proc/driver, of which there are none otherwise."""

    def __init__(self, sysfs, nodes=(), live=(), proc=None, **scenario):
        super().__init__({"devices": [gpu(1, 80)], **scenario})
        self.sys = self._folder("sys")
        self.dev = self._folder("dev")
        (self.sys / "bus/pci/devices").mkdir(parents=True)
        self.write({"bus/pci/devices/0000:00:00.0/class": "0x060000",
                    "bus/pci/devices/0000:00:00.0/vendor": "0x8086", **sysfs})
        for name in (*NODES, *live):
            (self.dev / name).touch()
        # Opening a socket's file gives ENXIO, as a device's without its driver.
        for name in nodes:
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(str(self.dev / name))
        binds = [f"mount --bind /dev/{name} {shlex.quote(str(self.dev / name))}" for name in NODES]
        (self.sys / "devices/system").mkdir(parents=True)
        binds.append(f"mount --rbind /sys/devices/system {shlex.quote(str(self.sys / 'devices/system'))}")
        for path, text in (proc or {}).items():
            (self._folder("proc") / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder("proc") / path).write_text(f"{text}\n")
        binds += [f"mount --rbind {shlex.quote(str(folder))} /{name}"
                  for name, folder in (("dev", self.dev), ("sys", self.sys), ("proc/driver", self._folder("proc")))]
        script = self.folder / "tool"
        inner = " && ".join([*binds, 'exec "$0" "$@"'])
        script.write_text(f"#!/bin/sh\nexec unshare -m sh -c {shlex.quote(inner)} {shlex.quote(str(BINARY))} \"$@\"\n")
        script.chmod(0o755)
        self.binary = script

    def write(self, files):
        for path, text in files.items():
            (self.sys / path).parent.mkdir(parents=True, exist_ok=True)
            (self.sys / path).write_text(f"{text}\n")

    def environment(self):
        environment = super().environment()
        environment["LD_LIBRARY_PATH"] = environment.pop("WHICHGPU_LIBRARY_PATH")
        return environment


@unittest.skipUnless(can_unshare(), "no mount namespace: /sys and /dev of another machine cannot be shown")
class NoCard(unittest.TestCase):
    def cuda(self, machine):
        """What the module says, its findings and the text of `list --verbose`."""
        with machine:
            done = machine.run("list", "--json", "--only", "cuda,sysfs")
            text = machine.run("list", "--verbose", "--only", "cuda,sysfs").stdout
        self.assertEqual(0, done.status, done.stderr)
        value = json.loads(done.stdout)
        probe = next(probe for probe in value["probes"] if probe["module"] == "cuda")
        return probe, value["findings"], text

    def test_the_libraries_are_left_alone(self):
        for name, sysfs, nodes in (("nothing", {}, ()), ("the control node", {}, ("nvidiactl",)),
                                   ("no GPU of NVIDIA's", SOUND, ("nvidiactl", "nvidia-uvm"))):
            with self.subTest(name):
                # To load it would end the child.
                probe, findings, text = self.cuda(Installed(sysfs, nodes, **act("load", "abort")))
                self.assertEqual(("no_device", "no_card"), (probe["outcome"], probe["error"]["name"]), probe)
                self.assertIn("its library was left alone", probe["error"]["text"])
                self.assertTrue(probe["library"]["path"].endswith("libcuda.so.1"))
                self.assertIn("no NVIDIA card is on this machine's bus", " ".join(text.split()))
                for advice in ("usermod", "modprobe", "permission"):
                    self.assertNotIn(advice, text + json.dumps(findings))

    def test_no_driver_makes_a_node_where_there_is_no_card_for_it(self):
        """NVIDIA's OpenCL library makes /dev/nvidiactl for root, too, and its loader asks whatever is registered."""
        for name, sysfs in (("no card", {}), ("a card", CARD)):
            with self.subTest(name), Installed(sysfs) as machine:
                marks = machine._folder("marks")
                for runtime in ("opencl", "vulkan"):
                    machine.add_driver(runtime, "maker", {"misbehave": [
                        {"at": "enumerate", "do": "make_node", "mark": str(marks / runtime)}]})
                done = machine.run("list", "--json", "--only", "opencl,vulkan,sysfs")
                self.assertEqual(0, done.status, done.stderr)
                ran = {path.name.partition(".")[0] for path in marks.iterdir()}
                self.assertEqual({"opencl", "vulkan"}, ran, "the drivers were asked")
                made = {path.name for path in marks.glob("*.node")}
                if sysfs and not made:
                    self.skipTest("this user may make no node anywhere")
                self.assertEqual({"opencl.node", "vulkan.node"} if sysfs else set(), made)

    def test_a_card_on_the_bus_or_a_node_of_its_own_is_a_reason_to_ask(self):
        for name, sysfs, nodes in (("on the bus", CARD, ()), ("a container's", {}, ("nvidia0", "nvidiactl"))):
            with self.subTest(name):
                probe, *_ = self.cuda(Installed(sysfs, nodes))
                self.assertEqual("ok", probe["outcome"], probe)

    def test_a_card_without_its_module_is_told_to_load_it_and_nobody_to_mend_permissions(self):
        probe, findings, text = self.cuda(Installed(CARD, ("nvidiactl",), attributes={"nvml_init": 9},
                                                    **act("init", "error", code=100)))
        self.assertEqual(("no_device", "kernel_module_not_loaded"), (probe["outcome"], probe["error"]["name"]))
        self.assertIn("ENXIO", probe["error"]["text"])
        fixes = [fix for finding in findings for fix in finding["fix"]]
        in_container = any(fix["text"].startswith("on the host, not in this container: ") for fix in fixes)
        self.assertTrue(in_container or "modprobe nvidia" in {fix.get("command") for fix in fixes}, fixes)
        self.assertTrue(any("load the kernel module" in fix["text"] for fix in fixes), fixes)
        self.assertNotIn("usermod", text + json.dumps(findings))

    def test_a_loaded_driver_that_fails_without_a_word_is_not_explained_away(self):
        probe, *_ = self.cuda(Installed({**CARD, "module/nvidia/version": "580.65.06"},
                                        live=("nvidia0", "nvidiactl", "nvidia-uvm"),
                                        attributes={"nvml_init": 9}, **act("init", "error", code=999)))
        self.assertEqual(("failed", "CUDA_ERROR_UNKNOWN"), (probe["outcome"], probe["error"]["name"]))

    def test_a_stale_node_on_a_machine_without_a_card_is_no_card(self):
        probe, findings, text = self.cuda(Installed({}, ("nvidia0", "nvidiactl"), attributes={"nvml_init": 9},
                                                    **act("init", "error", code=100)))
        self.assertEqual(("no_device", "no_card"), (probe["outcome"], probe["error"]["name"]))
        for advice in ("usermod", "modprobe", "permission"):
            self.assertNotIn(advice, text + json.dumps(findings))


if __name__ == "__main__":
    main()
