# SPDX-License-Identifier: MIT
"""The real binary on NVIDIA machines of which a part is wrong or missing: the finding of each card names what is wrong with
that card, and says nothing that the rest of the machine refutes.

    python3 cuda_causes_test.py WHICHGPU BUILD_DIRECTORY [unittest options]
"""
import json
import unittest

import cuda_cli_test
from cuda_cli_test import ERRORS, advised, main
from cuda_no_card_test import CARD, Installed, act
from harness import can_unshare

ALL_NODES = ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm")
MODULE = {"module/nvidia/version": "580.65.06"}
VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:12:12 UTC 2025"


def gpu(number, capability=89, attributes=None):
    """The libraries' view of that card."""
    return cuda_cli_test.gpu(number, capability, {"pci_device_id": 0x2684, **(attributes or {})})


def card(number):
    """One that the kernel's driver has, as files show it: below /sys and below /proc/driver."""
    address = f"0000:{number:02x}:00.0"
    sysfs = {path.replace("0000:01:00.0", address): text for path, text in CARD.items()}
    sysfs[f"bus/pci/devices/{address}/uevent"] = "DRIVER=nvidia"
    return sysfs, {f"nvidia/gpus/{address}/information": f"Model: \t NVIDIA Card {number}\nDevice Minor: \t {number - 1}"}


def cards(count):
    sysfs, proc = dict(MODULE), {"nvidia/version": VERSION}
    for number in range(1, count + 1):
        for into, part in zip((sysfs, proc), card(number)):
            into.update(part)
    return {"sysfs": sysfs, "proc": proc}


class Machine(Installed):
    """A container says that it is one, so that the answer is the same wherever this runs. first: the scenario of a libcuda
    that is found before the other; ours: by this tool alone; without: libraries that are not here."""

    def __init__(self, first=None, ours=False, without=(), **machine):
        super().__init__(**machine)
        for name in without:
            (self._folder("lib") / name).unlink()
        self.folders = str(self._folder("lib"))
        if first:
            (self._folder("first") / "libcuda.so.1").write_bytes((self._folder("lib") / "libcuda.so.1").read_bytes())
            (self._folder("first") / "libcuda.so.1.scenario.json").write_text(json.dumps(first))
            self.folders = f"{self._folder('first')}:{self.folders}"
        self.ours = ours

    def environment(self):
        first, _, others = self.folders.partition(":")
        paths = {"WHICHGPU_LIBRARY_PATH": first, "LD_LIBRARY_PATH": others} if self.ours else {"LD_LIBRARY_PATH": self.folders}
        return {**super().environment(), **paths, "container": "docker"}

    def given(self, **variables):
        self.variables = {**self.variables, **variables}
        return self


@unittest.skipUnless(can_unshare(), "no mount namespace: /sys, /dev and /proc of another machine cannot be shown")
class Causes(unittest.TestCase):
    def look(self, machine, *arguments):
        with machine:
            done = machine.run("list", "--json", "--only", "cuda,sysfs", *arguments)
        self.assertEqual(0, done.status, done.stderr)
        value = json.loads(done.stdout)
        probe = next(probe for probe in value["probes"] if probe["module"] == "cuda")
        return probe, {finding["id"]: finding for finding in value["findings"]}, value

    def is_of(self, error, finding):
        row = ERRORS[error]
        fixes = [text for text in advised(finding) if text != "mount /sys"]  # which is another's here
        self.assertEqual((row["layer"], row["meaning"], [fix["text"] for fix in row["fix"]]),
                         (finding["layer"], finding["meaning"], fixes))

    def test_a_gpu_that_is_lost_is_named_and_no_other(self):
        lost = gpu(1, attributes={"nvml_handle": 15})
        probe, findings, value = self.look(Machine(**cards(2), live=ALL_NODES, devices=[lost, gpu(2)]))
        self.assertEqual("ok", probe["outcome"])
        self.assertEqual(["a GPU (0000:01:00.0) fell off the bus"], probe["warnings"])
        self.is_of("NVML_ERROR_GPU_IS_LOST", findings["unreached.pci-0000-01-00-0"])
        self.assertIn("it fell off the bus", findings["unreached.pci-0000-01-00-0"]["summary"])
        self.assertNotIn("unreached.pci-0000-02-00-0", findings)
        probe, findings, value = self.look(Machine(**cards(2), live=ALL_NODES, devices=[lost, gpu(2)],
                                                   **act("init", "error", code=999)))
        self.assertEqual("NVML_ERROR_GPU_IS_LOST", probe["error"]["name"])
        for number in (1, 2):
            self.is_of("NVML_ERROR_GPU_IS_LOST", findings[f"unreached.pci-0000-0{number}-00-0"])
        self.assertNotIn("rmmod", json.dumps(value))

    def test_a_gpu_in_mig_mode_is_not_to_be_given_its_nodes(self):
        _, findings, value = self.look(Machine(**cards(2), live=ALL_NODES, devices=[gpu(1, attributes={"mig": 1}), gpu(2)]))
        self.is_of("no_mig_instance", findings["unreached.pci-0000-01-00-0"])
        for said in ("device nodes", "CUDA_DEVICE_ORDER"):
            self.assertNotIn(said, json.dumps(value))

    def test_a_variable_that_hides_is_one_finding(self):
        """NVIDIA_VISIBLE_DEVICES is of the container's start: what it gave is here."""
        for count, value, hidden, because in ((1, "1", [1], '"1" names no GPU here'), (2, "0", [2], ""), (2, "", [1, 2], ""),
                                              (2, "0,first", [2], '"first" is neither')):
            with self.subTest(value=value):
                machine = Machine(**cards(count), live=ALL_NODES, devices=[gpu(number + 1) for number in range(count)])
                _, findings, value_of = self.look(machine.given(CUDA_VISIBLE_DEVICES=value, NVIDIA_VISIBLE_DEVICES="0"))
                finding, = value_of["findings"]
                self.assertEqual(f"unreached.pci-0000-0{hidden[0]}-00-0", finding["id"])
                self.assertEqual([f"pci:0000:0{number}:00.0" for number in hidden],
                                 finding.get("device_ids", [finding["device_id"]]))
                for finding in findings.values():
                    self.assertIn(f" hidden by CUDA_VISIBLE_DEVICES={value}", finding["summary"])
                    self.assertIn(because, finding["summary"])
                    self.assertEqual(["unset CUDA_VISIBLE_DEVICES"], [fix.get("command") for fix in finding["fix"]])
                self.assertNotIn("NVIDIA_VISIBLE_DEVICES", json.dumps(value_of["findings"]))

    def test_what_a_variable_hides_is_not_the_management_librarys_fault(self):
        for name, broken in (("it fails", {"attributes": {"nvml_init": 999}}), ("it is not here", {"without": ["libnvidia-ml.so.1"]}),
                             ("nor are the driver's files", {"without": ["libnvidia-ml.so.1"], "proc": {}})):
            with self.subTest(name):
                machine = Machine(**{**cards(2), "live": ALL_NODES, "devices": [gpu(1), gpu(2)], **broken})
                probe, findings, value = self.look(machine.given(CUDA_VISIBLE_DEVICES="0"))
                self.assertEqual("ok", probe["outcome"])
                finding = findings["unreached.pci-0000-02-00-0"]
                self.assertIn("is hidden by CUDA_VISIBLE_DEVICES=0", finding["summary"])
                self.assertEqual(["unset CUDA_VISIBLE_DEVICES"], [fix.get("command") for fix in finding["fix"]])
                self.assertIn("hides 1 of 2 GPUs", " ".join(probe["warnings"]))
                self.assertNotIn("device nodes", json.dumps(value["findings"]))

    def test_a_gpu_without_its_node_is_hidden_by_no_variable(self):
        machine = Machine(**cards(2), live=("nvidia0", "nvidiactl", "nvidia-uvm"), devices=[gpu(1)], attributes={"nvml_init": 999})
        _, findings, _ = self.look(machine.given(CUDA_VISIBLE_DEVICES="0"))
        finding = findings["unreached.pci-0000-02-00-0"]
        self.assertNotIn("VISIBLE_DEVICES", finding["summary"])
        self.assertNotIn("NVML", finding["summary"])
        self.assertIn("give the container its device nodes", finding["fix"][0]["text"])

    def test_a_driver_of_another_runtime_that_lacks_its_libraries_is_not_to_be_updated(self):
        for capabilities, lacks in (("compute,utility", True), ("all", False)):
            machine = Machine(**cards(1), live=ALL_NODES, devices=[gpu(1)])
            machine.add_driver("vulkan", "GLX_nvidia", act("init", "error", code=-9))
            with machine.given(NVIDIA_DRIVER_CAPABILITIES=capabilities):
                done = machine.run("list", "--json", "--only", "cuda,vulkan,sysfs")
            finding, = [one for one in json.loads(done.stdout)["findings"] if one["id"].startswith("driver.vulkan")]
            self.assertIn("CUDA work: there is none to be updated", finding["meaning"])
            self.assertEqual(lacks, "NVIDIA_DRIVER_CAPABILITIES lacks graphics" in finding["meaning"])
            commands = [fix["command"] for fix in finding["fix"] if "command" in fix]
            self.assertIn("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all", commands[:1] if lacks else commands)
            self.assertIn("X11 and of GLVND" if lacks else "of X11 or of GLVND", json.dumps(finding))
            self.assertNotIn("update or reinstall", json.dumps(finding))

    def test_a_container_without_nodes_is_not_told_that_no_module_is_loaded(self):
        for code in (100, 999):
            probe, _, value = self.look(Machine(**cards(1), attributes={"nvml_init": 9}, **act("init", "error", code=code)))
            self.assertEqual(("no_device_nodes", []), (probe["error"]["name"], probe["drivers"]))
            self.assertNotIn("modprobe", json.dumps(value["findings"]))

    def test_a_container_without_libcuda_is_not_told_to_install_a_driver(self):
        probe, findings, value = self.look(Machine(**cards(1), live=ALL_NODES, without=["libcuda.so.1"]))
        self.assertEqual(("absent", "libcuda_not_passed"), (probe["outcome"], probe["error"]["name"]))
        for finding in ("runtime.cuda.absent", "unreached.pci-0000-01-00-0"):
            self.is_of("libcuda_not_passed", findings[finding])
        self.assertNotIn("install NVIDIA's driver", json.dumps(value))

    def test_what_cuda_says_itself_is_not_a_missing_nodes_fault(self):
        nodes = ("nvidia0", "nvidiactl")
        for code, name in ((803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
                           (999, "nvidia_uvm_not_passed")):
            probe, findings, _ = self.look(Machine(**cards(1), live=nodes, **act("init", "error", code=code)))
            self.assertEqual(name, probe["error"]["name"])
        self.is_of("nvidia_uvm_not_passed", findings["runtime.cuda.failed"])
        commands = [fix.get("command") for fix in findings["runtime.cuda.failed"]["fix"]]
        self.assertEqual(["docker run --gpus all", None], commands[-2:], "the host's part is not done here")

    def test_a_stub_that_other_programs_do_not_find_is_no_fault_of_the_machine(self):
        for ours in (False, True):
            _, findings, value = self.look(Machine(**cards(1), live=ALL_NODES, devices=[gpu(1)], ours=ours,
                                                   first=act("init", "error", code=34)))
            finding = findings["driver.cuda.stub.absent"]
            variable = "WHICHGPU_LIBRARY_PATH" if ours else "LD_LIBRARY_PATH"
            self.assertEqual("note" if ours else "degraded", finding["severity"])
            self.assertIn(f"take the folder of the stub of libcuda out of {variable}", finding["fix"][0]["text"])
            self.assertIn(f"export {variable}=", " ".join(step.get("command", "") for step in value["advice"]))
            self.assertEqual(ours, "which other programs do not read" in finding["summary"])

    def test_in_wsl_a_linux_driver_is_passed_over(self):
        no_device = act("init", "error", code=100)
        for code in (100, 999):
            probe, *_ = self.look(Machine(sysfs={}, live=("dxg",), first=act("init", "error", code=code)))
            self.assertEqual("ok", probe["outcome"])
            self.assertIn(f"({code})", " ".join(probe["warnings"]))
        with Machine(sysfs={}, live=("dxg",), **no_device) as machine:
            done = machine.run("--json", "--exit-code", "--no-calibrate", "--only", "cuda,cpu,sysfs")
        self.assertEqual(11, done.status, "the management library lists the GPU\n" + done.stderr)
        findings = {finding["id"]: finding for finding in json.loads(done.stdout)["findings"]}
        self.is_of("wsl_no_device", findings["unreached.pci-0000-01-00-0"])


if __name__ == "__main__":
    main()
