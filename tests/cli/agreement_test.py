#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Described machines of every maker and age: each face of an answer says the same, and with a program's name and without it
the answer is by the same runtime, or says why not."""
import unittest

from harness import document, main, run

MACHINES = (
    "name=Tesla K80", "name=Tesla K80,os=windows", "cc=3.0", "cc=3.5", "cc=2.0", "name=GTX 980", "name=GTX 1080,os=windows",
    "name=Tesla V100", "name=RTX 3060,wsl=yes", "name=RTX 4090,container=yes", "name=RTX 5090,os=windows", "name=DGX Spark",
    "name=RX 580", "name=Vega 64", "name=Vega 64,os=windows", "name=RX 5700 XT", "name=RX 6600,os=windows", "name=RX 7900 XTX",
    "name=RX 7900 XTX,wsl=yes", "name=RX 9070 XT,os=windows", "name=MI300X", "name=Strix Halo", "name=Steam Deck",
    "name=Arc A770", "name=Arc B580,os=windows", "name=Iris Xe", "name=UHD 630", "name=M1", "name=M4 Max 128GB",
    "name=Radeon Pro 5500M,os=macos", "vendor=none", "vendor=none,os=macos")
PROGRAMS = ("llama.cpp", "ollama", "vllm", "onnxruntime", "openvino", "pytorch", "mlx")


def answer_of(*arguments):
    return document(run("recommend", "--json", *arguments)).get("recommendation")


class Agreement(unittest.TestCase):
    def test_training_is_by_what_pytorch_trains_by(self):
        for machine in MACHINES:
            with self.subTest(machine):
                asking = ("--for", "training", "--assume", machine)
                own = answer_of(*asking)
                torch = answer_of(*asking, "--target", "pytorch")
                others = [one for one in own["warnings"] if one.startswith("few programs train on ")]
                # With a program to install a smaller model may be meant, for which a card that holds no step has room.
                too_small = [one for one in torch["warnings"] if "has too little memory for training" in one]
                self.assertEqual(not (others or too_small), own["backend"] == torch["backend"], own["warnings"])

    def test_a_model_runs_by_what_the_first_program_runs_it_by(self):
        # Of an answer by a GPU the report names programs: the first of them has a build by that runtime.
        for machine in MACHINES:
            with self.subTest(machine):
                whole = document(run("--json", "--assume", machine))["recommendations"]
                own = next(one for one in whole if one["use"] == "inference")
                few = any(one.startswith("few programs run models on ") for one in own["warnings"])
                self.assertEqual(not few, own["programs"][0].get("backend") == own["backend"], own["programs"])

    def test_every_face_of_a_programs_answer_says_the_same(self):
        for machine in MACHINES[::3]:
            for program in PROGRAMS:
                with self.subTest(machine, program=program):
                    asking = ("--assume", machine, "--target", program)
                    told = run("recommend", "--json", *asking)
                    answer = document(told).get("recommendation")
                    plain = run("recommend", *asking)
                    self.assertEqual(told.returncode, plain.returncode)
                    self.assertEqual(answer is None, plain.returncode == 1)
                    if answer is None:
                        self.assertIn(document(told)["no_answer"]["reason"], plain.stderr)
                        continue
                    self.assertEqual(answer.get("command", ""), plain.stdout.rstrip("\n"))
                    assignments = dict(line.split("=", 1) for line in
                                       run("recommend", "--format", "env", *asking).stdout.splitlines())
                    self.assertEqual((answer["backend"], program, answer["device_id"]),
                                     tuple(assignments[f"WHICHGPU_{name}"] for name in ("BACKEND", "TARGET", "DEVICE")))
                    why = " ".join(run("recommend", "--why", *asking).stderr.split())
                    self.assertIn(f"{answer['backend']} on ", why)
                    for reason in answer["reasons"][:1]:
                        self.assertIn(reason, why)

    def test_a_query_begins_with_the_answers_device(self):
        for machine in MACHINES:
            with self.subTest(machine):
                row = document(run("query", "backend,id", "--best", "--json", "--assume", machine))["rows"][0]
                own = answer_of("--assume", machine)
                self.assertEqual([own["backend"], own["device_id"]], [row["backend"], row["id"]], machine)


main()
