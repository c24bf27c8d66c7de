#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The fixes of a recorded machine, as it is and as if it ran another distribution."""
import json
import pathlib
import tempfile
import unittest

from harness import SOURCE, document, main, run, validate

RECORD = json.loads((SOURCE / "tests" / "fixtures" / "denied_nodes" / "record.json").read_text())


class Advice(unittest.TestCase):
    def replay(self, *arguments, probes=RECORD["probes"], **host):
        """The machine's answer with these of its host changed; None takes one away."""
        told = {key: value for key, value in {**RECORD["host"], **host}.items() if value is not None}
        record = {**RECORD, "probes": probes, "host": told}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
            process = run(*arguments, "--replay", folder)
        self.assertEqual(0, process.returncode, process.stderr)
        return process

    def joining(self, command, **host):
        value = document(self.replay(*command, "--json", **host))
        validate(value, command[0] if command else "report")
        findings = {finding["id"]: finding for finding in value["findings"]}
        self.assertEqual(len(value["advice"]), len({(step["text"], step.get("command")) for step in value["advice"]}))
        for step in value["advice"]:
            self.assertIn(step["text"], [fix["text"] for fix in findings[step["why"]]["fix"]])
        steps = [step for step in value["advice"] if step["text"].startswith("join the groups")]
        self.assertEqual(1, len(steps), value["advice"])
        return steps[0]

    def test_every_command_has_each_step_once(self):
        for command in ((), ("list",), ("recommend",)):
            with self.subTest(command):
                step = self.joining(command)
                self.assertEqual('usermod -aG render,video "$USER"', step["command"])
                self.assertTrue(step["needs_root"])
                self.assertEqual("device_node.denied.pci-0000-0b-00-0", step["why"])

    def test_the_command_is_that_of_the_distribution(self):
        alpine = {"id": "alpine", "id_like": [], "version_id": "3.23.0"}
        self.assertEqual('addgroup "$USER" video', self.joining((), os_release=alpine)["command"])
        self.assertIn('doas addgroup "$USER" video', self.replay(os_release=alpine).stdout)

    def test_a_container_and_a_record_of_an_earlier_version_have_the_sentence(self):
        self.assertNotIn("command", self.joining((), container="docker"))
        self.assertNotIn("command", self.joining((), os_release=None))

    def test_the_groups_are_those_that_the_nodes_have(self):
        devices = json.loads(json.dumps(RECORD["probes"]))
        for open_to, command in (("compute", 'usermod -aG compute "$USER"'), ("root", "chmod a+rw ")):
            nodes = [node for probe in devices for device in probe["hardware"] for node in device["nodes"]
                     if node["exists"] and not node["openable"]]
            self.assertTrue(nodes)
            for node in nodes:
                node.update(open_error="EACCES", open_to=open_to)
            value = document(self.replay("--json", probes=devices))
            validate(value, "report")
            commands = [step.get("command", "") for step in value["advice"]]
            self.assertTrue(any(one.startswith(command) for one in commands), commands)
            self.assertFalse(any("render,video" in one for one in commands), commands)

    def test_words_of_the_distribution_are_no_part_of_a_command(self):
        evil = {"id": "$(reboot)", "id_like": ["; reboot", "debian"], "version_id": "`reboot`", "codename": "$(reboot)"}
        value = document(self.replay("--json", os_release=evil))
        for step in value["advice"]:
            self.assertNotIn("reboot", step.get("command", ""))
        self.assertNotIn("reboot", self.replay(os_release=evil).stdout)

    def test_the_text_says_each_fix_once(self):
        text = " ".join(self.replay("--details").stdout.split())
        self.assertEqual(1, text.count("join the groups that own the node"), text)
        self.assertEqual(1, text.count("usermod"), text)


main()
