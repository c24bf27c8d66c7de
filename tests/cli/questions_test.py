#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ten questions of docs/json.md, answered by the lines that stand there: those of python3 print what is expected, and
those of jq, where that is installed, the same."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE, environment, main, run

PAGE = (SOURCE / "docs" / "json.md").read_text(encoding="utf-8")
FIXTURES = SOURCE / "tests" / "fixtures"
QUESTIONS = {title: re.findall(r"```sh\n(.*?)```", text, re.S)
             for title, text in re.findall(r"^### ([^\n]*\?)\n(.*?)(?=^##)", PAGE, re.M | re.S)}
INTERRUPTED = "h200, cut short"
CRASHED = "h200, CUDA crashed"

# (machine, the question's first words): what is printed.
EXPECTED = {
    ("denied_nodes", "Which device is the best"): r"cpu cpu:0\nRadeon RX 6800 XT is not usable: .*\n(.*\n)*",
    ("wrong_backend", "How fast"): r"58 tokens/s, from 41 to 81\nmeasured high\n",
    ("h200", "Is any CUDA"): r"yes\n",
    ("denied_nodes", "Is any CUDA"): r"no\n",
    ("h200", "Why is CUDA not used"): r"it is used\nasking it: ok\n",
    (CRASHED, "Why is CUDA not used"): r"all devices runtime_failed .*crashed.*\nasking it: crashed\n",
    ("h200", "Which memory bandwidth"): r"cpu:0 cpu native \d+ GB/s\n(.*\n)*pci:0000:00:06\.0 cuda NVIDIA \d{4} GB/s\n(.*\n)*",
    ("h200", "In which order"): r"[1=] cuda NVIDIA pci:0000:00:06\.0 yes\n(.*\n)*- .* cpu:0 no\n",
    ("three_way_tie", "In which order"): r"= cuda NVIDIA (\S+) yes\n= opencl NVIDIA \1 yes\n= vulkan NVIDIA \1 yes\n"
                                         r"- cpu native cpu:0 yes\n",
    ("opencl_bandwidth", "In which order"): r"= vulkan ANV (\S+) yes\n= opencl .* \1 yes\n- level_zero .* \1 yes\n"
                                            r"- cpu native cpu:0 yes\n",
    ("gpu_beside_igpu", "How much memory"): r"(pci:\S+ .* \d+ MiB\n){2}",
    ("h200", "Which variables"): r"CUDA_VISIBLE_DEVICES=GPU-[0-9a-f-]{36}\n",
    ("denied_nodes", "What should be mended"): r'as root: usermod -aG render,video "\$USER"\n(as root: .*\n)+',
    ("wrong_backend", "What should be mended"): r"as yourself: .*\n",
    ("h200", "Did a signal"): r"complete\n(.*\n)*",
    (INTERRUPTED, "Did a signal"): r"cut short\n(.*\n)*",
}


def record_of(machine):
    """Of a fixture, or of one to which something happened."""
    record = json.loads((FIXTURES / machine.split(",")[0] / "record.json").read_text())
    record["interrupted"] = machine == INTERRUPTED
    if machine == CRASHED:
        cuda = next(probe for probe in record["probes"] if probe["module"] == "cuda")
        cuda.update(outcome="crashed", stage="init", devices=[], exit={"signal": 11})
        record["measurements"] = [m for m in record["measurements"] if m["runtime"] != "cuda"]
    return record


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        for name in {machine for machine, _ in EXPECTED}:
            place = pathlib.Path(cls.folder.name) / name
            place.mkdir()
            (place / "record.json").write_text(json.dumps(record_of(name)))
            (place / "report.json").write_text(run("--json", "--replay", place).stdout)

    def answer(self, lines, machine):
        process = subprocess.run(["sh", "-c", lines], cwd=pathlib.Path(self.folder.name) / machine,
                                 env=environment(PATH=f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"),
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual((0, ""), (process.returncode, process.stderr), lines)
        return process.stdout

    def test_there_are_ten_in_two_forms(self):
        self.assertEqual(10, len(QUESTIONS))
        for title, forms in QUESTIONS.items():
            self.assertEqual(["python3", "jq"], [form.split()[0] for form in forms], title)
        unasked = [title for title in QUESTIONS if not any(title.startswith(words) for _, words in EXPECTED)]
        self.assertEqual([], unasked)

    def test_python_answers_them(self):
        for (machine, words), printed in EXPECTED.items():
            with self.subTest(machine, question=words):
                title, = (title for title in QUESTIONS if title.startswith(words))
                self.assertRegex(self.answer(QUESTIONS[title][0], machine), rf"\A{printed}\Z")

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_jq_prints_the_same(self):
        for machine in {machine for machine, _ in EXPECTED}:
            for title, (python, jq) in QUESTIONS.items():
                with self.subTest(machine, question=title):
                    self.assertEqual(self.answer(python, machine), self.answer(jq, machine))


main()
