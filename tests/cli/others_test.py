#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machines with what no runtime here is for: NPUs, accelerators, the graphics of a server's board, virtual displays. Each has
its name and the reason why it has no figures, and none is an answer."""
import json
import pathlib
import tempfile
import unittest

from harness import SOURCE, document, main, run, validate

FIXTURES = SOURCE / "tests/fixtures"
BOX = {  # an NPU, an integrated GPU, a BMC, a virtual display, a TPU, and a stick
    "0000:00:02.0": ("8086", "7d55", "030000", "i915"), "0000:00:0b.0": ("8086", "7d1d", "120000", "intel_vpu"),
    "0000:03:00.0": ("1a03", "2000", "030000", "ast"), "0000:04:00.0": ("15ad", "0405", "030000", "vmwgfx"),
    "0000:05:00.0": ("1ae0", "0063", "ff0000", None)}
NAMES = {"pci:0000:00:02.0": ("Intel Arc Graphics (Meteor Lake-P)", "integrated", None),
         "pci:0000:00:0b.0": ("Intel NPU (Meteor Lake)", "accelerator", "npu"),
         "pci:0000:03:00.0": ("ASPEED BMC graphics", "management", "management"),
         "pci:0000:04:00.0": ("VMware SVGA II virtual display", "virtual", "virtual"),
         "pci:0000:05:00.0": ("Google TPU v5e", "accelerator", "ai_accelerator"),
         "usb:1-2": ("Coral USB Accelerator (Edge TPU)", "accelerator", "npu")}
FIXTURE = FIXTURES / "accelerators_beside_igpu"


def words(process):
    return " ".join(process.stdout.split())


class Others(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="whichgpu-others-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def machine(self, cards, usb=()):
        root = self.folder / "root"
        for address, (vendor, device, code, driver) in cards.items():
            folder = root / "sys/bus/pci/devices" / address
            folder.mkdir(parents=True)
            for name, text in (("vendor", vendor), ("device", device), ("class", code)):
                (folder / name).write_text(f"0x{text}\n")
            if driver:
                (folder / "driver").symlink_to(f"/sys/bus/pci/drivers/{driver}")
        for place, vendor, product in usb:
            folder = root / "sys/bus/usb/devices" / place
            folder.mkdir(parents=True)
            (folder / "idVendor").write_text(vendor + "\n")
            (folder / "idProduct").write_text(product + "\n")
        return root

    def without_gpu(self):
        """The recorded machine without its GPU."""
        record = json.loads((FIXTURE / "record.json").read_text())
        gpu = "0000:00:02.0"
        for probe in record["probes"]:
            for key in ("devices", "hardware"):
                probe[key] = [one for one in probe[key] if one["identity"].get("pci") != gpu]
            if probe["module"] == "vulkan":
                probe.update(outcome="no_device", stage="enumerate")
        record["measurements"] = [one for one in record["measurements"] if one["device_id"] != f"pci:{gpu}"]
        folder = self.folder / "record"
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        return folder

    def test_every_device_of_a_full_box_has_its_name_and_its_reason(self):
        root = self.machine(BOX, [("1-2", "1a6e", "089a")])
        listed = document(run("list", "--json", "--sysroot", root))
        validate(listed, "list")
        found = {one["id"]: (one["name"], one["kind"], one.get("not_measurable", {}).get("what"))
                 for one in listed["devices"] if one["id"] != "cpu:0"}
        self.assertEqual(NAMES, found)
        npu = next(one["not_measurable"] for one in listed["devices"] if one["id"] == "pci:0000:00:0b.0")
        self.assertEqual("intel_npu", npu["family"])
        self.assertEqual(["intel_vpu"], npu["drivers"])
        self.assertEqual(["openvino", "onnxruntime"], [program["target"] for program in npu["programs"]])
        self.assertTrue(npu["runtime"] and npu["page"].startswith("https://"))
        text = words(run("list", "--sysroot", root))
        for sentence in ("· NPU · kernel driver intel_vpu", "not measurable: it computes by OpenVINO",
                         "what can use it: openvino (device NPU)", "not measurable: it draws a server's console",
                         "not measurable: there is no hardware behind it", "AI accelerator", "jax (its extra jax[tpu])"):
            self.assertIn(sentence, text)

    def test_none_of_them_is_an_answer_or_a_gpu(self):
        answer = document(run("recommend", "--json", "--replay", FIXTURE))["recommendation"]
        self.assertEqual(("vulkan", "pci:0000:00:02.0"), (answer["backend"], answer["device_id"]))
        rejected = {one["device_id"]: one for one in answer["rejected"] if "runtime" not in one}
        self.assertEqual({"pci:0000:00:0b.0", "pci:0000:02:00.0", "pci:0000:03:00.0", "pci:0000:05:00.0"}, set(rejected))
        self.assertEqual({"unreached"}, {one["id"] for one in rejected.values()})
        self.assertIn("libtpu", rejected["pci:0000:05:00.0"]["reason"])
        for target in ("openvino", "onnxruntime", "jax", "pytorch", "llama.cpp", "vllm"):
            process = run("recommend", "--json", "--target", target, "--replay", FIXTURE)
            self.assertIn(process.returncode, (0, 1), process.stderr)
            told = document(process).get("recommendation")
            if told:
                self.assertIn(told["device_id"], ("pci:0000:00:02.0", "cpu:0"), target)
        process = run("recommend", "--exit-code", "--replay", self.without_gpu())
        self.assertEqual(10, process.returncode, "no GPU is here")

    def test_the_processor_is_the_answer_and_says_what_of_the_others(self):
        record = self.without_gpu()
        answer = document(run("recommend", "--json", "--replay", record))["recommendation"]
        self.assertEqual("cpu:0", answer["device_id"])
        why = {reason["id"]: reason["text"] for reason in answer["why"]}
        self.assertEqual("there is no GPU in this machine", why["no_gpu"])
        self.assertEqual("2 accelerators are not measured, as no runtime here is for them: Intel NPU (Meteor Lake), "
                         "Google TPU v5e", why["not_measurable"])
        told = document(run("recommend", "--json", "--target", "openvino", "--replay", record))["recommendation"]
        self.assertEqual("cpu:0", told["device_id"])
        used = "openvino can use Intel NPU (Meteor Lake) (device NPU)"
        self.assertIn(used, {reason["id"]: reason["text"] for reason in told["why"]}["not_measurable"])
        process = run("recommend", "--target", "openvino", "--replay", record)
        self.assertIn(used, process.stderr, "a person who asks for a build alone is told, too")

    def test_what_the_program_can_use_is_a_warning_of_every_answer(self):
        told = document(run("recommend", "--json", "--target", "openvino", "--replay", FIXTURE))["recommendation"]
        self.assertEqual(["openvino can use Intel NPU (Meteor Lake) (device NPU), which nothing here measures: the answer "
                          "leaves it out"], [text for text in told["warnings"] if "can use" in text])
        told = document(run("recommend", "--json", "--replay", FIXTURE))["recommendation"]
        self.assertFalse([text for text in told["warnings"] if "can use" in text], "no program was asked about")

    def test_no_gpu_is_to_be_rented_beside_an_ai_accelerator(self):
        self.assertNotIn("renting", words(run("--replay", self.without_gpu())))

    def test_what_is_held_for_a_virtual_machine_says_so_but_for_what_is_used_by_vfio(self):
        record = json.loads((FIXTURE / "record.json").read_text())
        for probe in record["probes"]:
            for one in probe["hardware"]:
                if one["identity"].get("pci") in ("0000:00:0b.0", "0000:05:00.0"):
                    one["kernel_driver"] = "vfio-pci"
        folder = self.folder / "held"
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        found = {one["device_id"]: one for one in document(run("--json", "--replay", folder))["findings"]
                 if one["id"].startswith("not_measurable.")}
        self.assertIn("vfio-pci holds it for a virtual machine", found["pci:0000:00:0b.0"]["meaning"])
        self.assertIn("libtpu", found["pci:0000:05:00.0"]["meaning"])

    def test_a_box_with_one_of_them_alone(self):
        root = self.machine({"0000:00:0b.0": ("1022", "17f0", "118000", None)})
        answer = document(run("recommend", "--json", "--sysroot", root))["recommendation"]
        self.assertEqual(("cpu", "cpu:0"), (answer["backend"], answer["device_id"]))
        self.assertIn("AMD XDNA2 NPU (Strix/Krackan) is not measured: it computes by XRT",
                      {reason["id"]: reason["text"] for reason in answer["why"]}["not_measurable"])
        self.assertIn("no kernel driver is bound to it: it wants amdxdna", words(run("list", "--sysroot", root)))

    def test_a_finding_says_what_it_takes(self):
        findings = document(run("--json", "--replay", FIXTURE))["findings"]
        found = {finding["id"]: finding for finding in findings if finding["id"].startswith("not_measurable.")}
        self.assertEqual(["pci:0000:00:0b.0", "pci:0000:05:00.0"], [one["device_id"] for one in found.values()])
        for finding in found.values():
            self.assertEqual("note", finding["severity"])
            self.assertIn("its software: https://", finding["meaning"])
            self.assertEqual([], finding.get("fix", []), "nobody looked whether its software is there")
        unbound = self.machine({"0000:00:0b.0": ("8086", "7d1d", "120000", None)})
        finding = next(one for one in document(run("--json", "--sysroot", unbound))["findings"]
                       if one["id"].startswith("not_measurable."))
        self.assertIn("and the kernel driver intel_vpu: https://", finding["fix"][0]["text"])
        self.assertNotIn("command", finding["fix"][0])

    def test_a_gpu_of_a_runtime_that_is_not_built_in(self):
        record = json.loads((FIXTURES / "denied_nodes" / "record.json").read_text())
        sysfs = next(probe for probe in record["probes"] if probe["module"] == "sysfs")
        sysfs["hardware"] = [{"source": "sysfs", "identity": {"pci": "0000:0a:00.0", "ids": {"vendor": 0x1ed5, "device": 0x201}},
                              "name": "Moore Threads MTT S80", "kind": "discrete", "nodes": [], "facts": []}]
        for probe in record["probes"]:
            if probe["module"] not in ("sysfs", "cpu"):
                for key in ("error", "exit"):
                    probe.pop(key, None)
                probe.update(outcome="absent", stage="load", drivers=[])
        folder = self.folder / "musa"
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        report = document(run("--json", "--replay", folder))
        validate(report, "report")
        gpu = next(device for device in report["devices"] if device["id"] != "cpu:0")
        self.assertEqual(("gpu", "MUSA"), (gpu["not_measurable"]["what"], gpu["not_measurable"]["runtime"]))
        finding = next(one for one in report["findings"] if one["id"].startswith("unreached."))
        self.assertIn("install MUSA and the kernel driver mtgpu", finding["fix"][0]["text"])
        sysfs["hardware"][0]["kernel_driver"] = "mtgpu"
        (folder / "record.json").write_text(json.dumps(record))
        findings = document(run("--json", "--replay", folder))["findings"]
        finding = next(one for one in findings if one["id"].startswith("unreached."))
        self.assertIn("install the runtimes that its driver brings", finding["fix"][0]["text"])
        self.assertEqual(11, run("recommend", "--exit-code", "--replay", folder).returncode)
        answer = document(run("recommend", "--json", "--replay", folder))["recommendation"]
        self.assertIn("MUSA is not measured; Vulkan and OpenCL of its driver would reach it", " ".join(reason["text"] for reason in answer["why"]))


main()
