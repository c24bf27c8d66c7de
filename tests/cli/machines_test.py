#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is recommended on the machines of tests/fixtures, and why."""
import copy
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE, document, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
USES = ("inference", "prefill", "decode", "training")


def answer(machine, use="inference"):
    """The recommendation for a fixture's name or a folder."""
    folder = machine if isinstance(machine, pathlib.Path) else FIXTURES / machine
    process = run("recommend", "--json", "--replay", folder, "--for", use)
    assert process.returncode == 0, process.stderr
    value = document(process)
    validate(value, "recommend")
    return value["recommendation"]


def rejected(recommendation, runtime):
    return "\n".join(option["reason"] for option in recommendation["rejected"] if option.get("runtime") == runtime)


def reasons(recommendation):
    return "\n".join(recommendation["reasons"])


class Machines(unittest.TestCase):
    def test_every_record_is_what_its_script_writes(self):
        process = subprocess.run([sys.executable, "-B", FIXTURES / "machines.py", "--check"], capture_output=True, text=True)
        self.assertEqual(0, process.returncode, process.stderr)

    def test_every_machine_gets_a_valid_report(self):
        for folder in sorted(path.parent for path in FIXTURES.glob("*/record.json")):
            with self.subTest(folder.name):
                process = run("--json", "--replay", folder)
                self.assertEqual(0, process.returncode, process.stderr)
                validate(document(process), "report")

    def test_the_card_and_not_the_graphics_beside_it(self):
        for use in USES:
            found = answer("gpu_beside_igpu", use)
            self.assertEqual(("cuda", "pci:0000:01:00.0"), (found["backend"], found["device_id"]))
        reason = [option["reason"] for option in answer("gpu_beside_igpu")["rejected"]
                  if option.get("device_id") == "pci:0000:0f:00.0"]
        self.assertIn("slower", reason[0])

    def test_one_runtime_reads_prompts_and_another_writes_tokens(self):
        prefill, decode = (answer("rocm_prefill_vulkan_decode", use) for use in ("prefill", "decode"))
        self.assertEqual(("hip", "vulkan"), (prefill["backend"], decode["backend"]))
        self.assertIn("faster than vulkan", reasons(prefill))
        self.assertIn("faster than hip", reasons(decode))
        self.assertIn("prefill limited by fp16 prompt", reasons(prefill))
        self.assertIn("decode limited by memory read", reasons(decode))
        self.assertIn("slower", rejected(prefill, "vulkan"))
        self.assertIn("slower", rejected(decode, "hip"))
        self.assertEqual("hip", answer("rocm_prefill_vulkan_decode", "training")["backend"])

    def test_three_within_two_percent_are_a_tie_under_noise(self):
        """20 runs with 3 % noise on every one of 20 samples give the same tie and the same answer."""
        record = json.loads((FIXTURES / "three_way_tie" / "record.json").read_text())
        dice = random.Random(1)
        seen = set()
        with tempfile.TemporaryDirectory() as directory:
            for i in range(20):
                noisy = copy.deepcopy(record)
                for figure in noisy["measurements"]:
                    samples = sorted(figure["rate"] * dice.gauss(1, 0.03) for _ in range(20))
                    figure["rate"] = statistics.median(samples)
                    figure["ci95"] = [samples[5] / figure["rate"], samples[14] / figure["rate"]]
                folder = pathlib.Path(directory) / str(i)
                folder.mkdir()
                (folder / "record.json").write_text(json.dumps(noisy))
                found = answer(folder)
                seen.add((found["backend"], tuple(sorted(found["tie"]))))
        gpu = "@pci:0000:01:00.0"
        self.assertEqual({("cuda", ("opencl" + gpu, "vulkan" + gpu))}, seen)
        self.assertIn("measures like opencl and vulkan", reasons(answer("three_way_tie")))

    def test_a_faster_runtime_with_wrong_results_is_rejected(self):
        for use in ("inference", "prefill", "decode"):
            found = answer("wrong_backend", use)
            self.assertEqual("vulkan", found["backend"])
            self.assertIn("wrong result", rejected(found, "hip"))
        self.assertEqual("cpu", answer("wrong_backend", "training")["backend"])

    def test_what_is_wrong_is_the_runtime_and_not_the_card(self):
        """A card that another runtime computes right on is not advised against, and the program's own way is the reason."""
        folder = FIXTURES / "wrong_backend"
        process = run("recommend", "--target", "pytorch", "--for", "training", "--json", "--replay", folder)
        [told] = [text for text in document(process)["recommendation"]["warnings"] if "is not used" in text]
        self.assertEqual("Radeon RX 6700 XT is not used: by ROCm its fp32 matrix product gave a wrong result (0 of 64 "
                         "sampled entries are right, at verify)", told)
        process = run("recommend", "--target", "vllm", "--replay", folder)
        self.assertIn("what has code for it: llama.cpp by Vulkan (vulkan-x64)", process.stderr)
        findings = document(run("--json", "--replay", folder))["findings"]
        [wrong] = [finding for finding in findings if finding["id"].endswith(".wrong_result")]
        self.assertTrue(wrong["fix"][0]["text"].startswith("do not use ROCm on this device; update the driver"), wrong["fix"])

    def test_memory_does_not_make_software_a_gpu(self):
        for use in USES:
            found = answer("software_memory", use)
            self.assertIn((found["backend"], found["device_id"]),
                          {("vulkan", "pci:0000:01:00.0"), ("cpu", "cpu:0")}, use)
            self.assertIn("a software device", rejected(found, "opencl"))
        self.assertEqual("vulkan", answer("software_memory")["backend"])

    def test_bandwidth_and_matrix_units_win_where_they_count(self):
        decode, prefill = answer("opencl_bandwidth", "decode"), answer("opencl_bandwidth", "prefill")
        self.assertEqual(("opencl", "vulkan"), (decode["backend"], prefill["backend"]))
        self.assertRegex(reasons(decode), r"[0-9.]+ % faster than vulkan")
        self.assertRegex(reasons(prefill), r"([0-9.]+ % faster than|times as fast as) level_zero")

    def test_a_processor_ahead_of_its_graphics(self):
        for use in USES:
            self.assertEqual("cpu", answer("cpu_ahead_of_igpu", use)["backend"])
        self.assertIn("times as fast as", reasons(answer("cpu_ahead_of_igpu")))

    def test_without_any_measuring_facts_answer(self):
        """A card of which the tables know units, clock or data sheet; nothing of one that no kernel driver backs."""
        for machine, backend in {"gpu_beside_igpu": "cuda", "three_way_tie": "cuda", "wrong_backend": "vulkan",
                                 "phantom_gpu": "cpu", "plain_server": "cpu", "denied_nodes": "cpu"}.items():
            with self.subTest(machine), tempfile.TemporaryDirectory() as folder:
                record = json.loads((FIXTURES / machine / "record.json").read_text())
                record.update(calibrated=False, measurements=[])
                if machine == "wrong_backend":
                    record["probes"] = [probe for probe in record["probes"] if probe["module"] != "hip"]
                (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
                found = answer(pathlib.Path(folder))
                self.assertEqual((backend, "estimated", "low"), (found["backend"], found["basis"], found["confidence"]))
                code = run("--replay", folder, "--exit-code").returncode
                self.assertEqual({"plain_server": 10, "denied_nodes": 11}.get(machine, 12), code, "no kernel was tried")

    def test_machine_codes(self):
        for machine, code in {"gpu_beside_igpu": 0, "plain_server": 10, "denied_nodes": 11, "phantom_gpu": 11}.items():
            self.assertEqual(code, run("--replay", FIXTURES / machine, "--exit-code").returncode, machine)


main()
