#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`whichgpu describe`: every word of a page and of JSON has its line, and the documentation says the same."""
import json
import re
import unittest

from harness import SOURCE, document, environment, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
FOLDERS = sorted(path.parent for path in FIXTURES.glob("*/record.json"))
WORDS = document(run("describe", "--json"))["words"]


class Words(unittest.TestCase):
    def test_each_is_listed_and_described(self):
        text = run("describe").stdout
        for word in WORDS:
            self.assertIn(f"  {word['title']} ", text)
            one = run("describe", word["name"])
            self.assertEqual(0, one.returncode, one.stderr)
            self.assertTrue(one.stdout.startswith(word["title"]), one.stdout)
            self.assertIn(word["text"], re.sub(r"\s+", " ", one.stdout))
            for other in [word["title"], *word["also"]]:
                self.assertEqual(one.stdout, run("describe", *other.split()).stdout, other)

    def test_json_is_valid(self):
        for arguments in (), ("gemm",), ("first", "token"), ("memory.total",):
            validate(document(run("describe", *arguments, "--json")), "describe")

    def test_fields_of_query_are_words_too(self):
        for line in run("query", "--list-fields").stdout.splitlines():
            done = run("describe", line.split()[0])
            self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_runtimes_are_words_too(self):
        for word, title, said in (("cuda", "CUDA", "GPUs of NVIDIA alone"), ("level_zero", "Level Zero", "GPUs of Intel alone"),
                                  ("Level Zero", "Level Zero", "pytorch"), ("rocm", "ROCm", "by the word 'hip'"),
                                  ("vulkan", "Vulkan", "Nothing is trained by it"), ("cpu", "the CPU", "the processor itself")):
            done = run("describe", word)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertTrue(done.stdout.startswith(title), done.stdout)
            self.assertIn(said, re.sub(r"\s+", " ", done.stdout))
            validate(document(run("describe", word, "--json")), "describe")
        self.assertIn("did you mean 'vulkan'?", run("describe", "vulkn").stderr)

    def test_every_runtime_is_listed(self):
        names = {path.stem for path in (SOURCE / "data" / "runtimes").glob("*.json")}
        self.assertLessEqual(names, {word["name"] for word in WORDS})
        self.assertRegex(run("describe").stdout, r"(?s)\nRuntimes\n.*\n  CUDA +a way to compute on GPUs of NVIDIA alone\n")

    def test_a_runtime_is_said_to_reach_all_that_it_does(self):
        for word, said in (("sycl", "GPUs of Intel, and on processors by OpenCL"), ("metal", "GPUs of Apple alone"),
                           ("opencl", "the GPUs and processors of every maker whose driver has it")):
            self.assertIn(f"a way to compute on {said}\n", run("describe", word).stdout)

    def test_every_program_that_has_a_build_for_a_runtime_is_named(self):
        expected = {}
        for path in sorted((SOURCE / "data" / "targets").glob("*.json")):
            for build in json.loads(path.read_text())["builds"]:
                for runtime in build["backend"], build.get("through"):
                    if path.stem != "backend":  # of tokens, which installs nothing
                        expected.setdefault(runtime, set()).add(path.stem)
        self.assertLess({"pytorch", "vllm", "comfyui"}, expected["sycl"], "through another backend")
        for runtime in set(expected) - {None}:
            told, = re.findall(rf"told by the word '{runtime}': (.*?)\.(?: |$)",
                               " ".join(run("describe", runtime).stdout.split()))
            self.assertEqual(sorted(expected[runtime]), told.split(", "), runtime)

    def test_another_word_is_an_error_with_what_was_meant(self):
        for word, said in ("nosy", "did you mean 'noisy'?"), ("xyzzy", "'whichgpu describe' lists them"):
            done = run("describe", word)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn(said, done.stderr)
        done = run("describe", "gemm", "--measure")
        self.assertEqual(2, done.returncode)
        self.assertIn("describe takes a word of the report and no --measure", done.stderr)

    def test_an_empty_word_is_none(self):
        for word in ("", " "):
            done = run("describe", word)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn("an empty word", done.stderr)

    def test_hostile_words_are_shown_clean(self):
        done = run("describe", "\x1b[31mred\n" + "x" * 5000)
        self.assertEqual(2, done.returncode)
        self.assertEqual(1, done.stderr.count("\n"))
        self.assertNotIn("\x1b", done.stderr)
        self.assertLess(len(done.stderr), 300)


class Reports(unittest.TestCase):
    def test_what_they_measured_is_described_in_them(self):
        told = 0
        for folder in FOLDERS:
            report = document(run("--replay", folder, "--json"))
            kernels = {m["kernel"] for m in report["measurements"]}
            self.assertEqual(kernels, {figure["kernel"] for figure in report["figures"]}, folder.name)
            told += len(kernels)
            for figure in report["figures"]:
                word, = (word for word in WORDS if word["name"] == figure["kernel"])
                self.assertEqual((word["title"], word["text"]), (figure["title"], figure["text"]))
        self.assertGreater(told, 20)

    def test_rows_of_the_whole_report_are_words(self):
        rows = set()
        for folder in FOLDERS:
            page = run("--replay", folder, "--details", env=environment(COLUMNS="80")).stdout
            rows |= set(re.findall(r"^    (\S.*?) +[0-9.]+ (?:[TG]FLOP/s|[TG]OP/s|[TG]B/s|us|ms)  ±", page, re.M))
        rows = {re.sub(r"copy to (pci|cpu):.*", "copy to a GPU", row) for row in rows}
        self.assertGreater(len(rows), 8)
        for row in rows:
            done = run("describe", *row.split())
            self.assertEqual(0, done.returncode, (row, done.stderr))


class Documentation(unittest.TestCase):
    def test_its_table_is_the_glossary(self):
        """docs/reading-the-report.md: a row for each figure."""
        text = (SOURCE / "docs" / "reading-the-report.md").read_text()
        for word in WORDS:
            if word["kind"] != "figure":
                continue
            row = f"| {word['title']} | {' '.join([word['text'] + '.', *word['more']])} | {word['unit']} |"
            self.assertIn(row + "\n", text)


if __name__ == "__main__":
    main()
