#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`whichgpu query`: what a script asks in one command, on every recorded machine, and in every format."""
import csv
import io
import json
import pathlib
import tempfile
import unittest

from harness import SOURCE, document, environment, main, measures, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
FOLDERS = sorted(path.parent for path in FIXTURES.glob("*/record.json"))
FIELDS = [line.split()[0] for line in run("query", "--list-fields").stdout.splitlines()]


def asked(*arguments, machine="gpu_beside_igpu"):
    process = run("query", *arguments, "--replay", FIXTURES / machine)
    assert process.returncode == 0, process.stderr
    return [line.split("\t") for line in process.stdout.splitlines()]


class Questions(unittest.TestCase):
    """Of a script's author, each one command."""

    def test_name_and_memory_of_the_best_gpu(self):
        self.assertEqual([["GeForce RTX 4090", "24576"]], asked("name", "memory.total", "--gpu", "--best"))

    def test_the_capability_of_cudas_best_device(self):
        self.assertEqual([["8.9"]], asked("arch", "--backend", "cuda", "--best"))

    def test_what_does_not_work_is_no_line_of_what_does(self):
        self.assertEqual([["8.9"]], asked("arch", "--backend", "cuda", "--usable", "--best"))
        for fields in (["name"], ["usable", "reason"]):
            none = run("query", *fields, "--gpu", "--usable", "--best", "--replay", FIXTURES / "denied_nodes")
            self.assertEqual((1, ""), (none.returncode, none.stdout))
            self.assertEqual(0, run("query", *fields, "--gpu", "--best", "--replay", FIXTURES / "denied_nodes").returncode)

    def test_the_drivers_version(self):
        self.assertEqual([["580.95.05"]], asked("driver.version", "--best"))

    def test_how_fast_its_memory_is(self):
        self.assertEqual([["925.0"]], asked("bandwidth", "--best"))

    def test_why_it_is_not_cuda(self):
        reason = asked("reason", "--backend", "hip", "--best", machine="h200")
        self.assertEqual([["ROCm is installed but has no device (there is no AMD GPU with a compute driver)"]], reason)
        self.assertEqual([["no", "no runtime reaches it: /dev/dri/renderD128 may not be opened"]],
                         asked("usable", "reason", "--gpu", machine="denied_nodes"))

    def test_a_runtime_that_nobody_asked_has_a_line_that_says_so(self):
        for backend, title in (("cuda", "CUDA"), ("hip", "ROCm")):
            (row,) = asked("backend", "usable", "reason", "--backend", backend, machine="opencl_bandwidth")
            self.assertEqual([backend, "unknown"], row[:2])
            self.assertRegex(row[2], f"^{title} was not asked: ")
        rejected = document(run("recommend", "--json", "--replay", FIXTURES / "three_way_tie", "--for", "training"))
        self.assertNotIn("hip", [option.get("runtime") for option in rejected["recommendation"]["rejected"]])

    def test_tokens_and_the_first_token_are_those_of_the_page(self):
        (tokens, first), = asked("tokens_per_s", "first_token", "--best")
        page = run("--replay", FIXTURES / "gpu_beside_igpu").stdout
        self.assertIn(f"{tokens} tokens/s, first token after {float(first) * 1000:.0f} ms", page)

    def test_the_memory_of_a_gpu_that_shares_the_hosts_is_that_of_its_backend_in_every_face(self):
        self.assertIn(["integrated", "16384"], asked("kind", "memory.total", "--gpu"))
        for arguments in (("--details",), ("list",)):
            page = run(*arguments, "--replay", FIXTURES / "gpu_beside_igpu").stdout
            self.assertIn("512 MiB of its own · 31 GiB GTT", page)
            self.assertRegex(page, r"vulkan +RADV.* 16 GiB of memory")
        answer = run("recommend", "--exclude", "pci:0000:01:00.0,cpu", "--format", "env", "--replay",
                     FIXTURES / "gpu_beside_igpu").stdout
        self.assertIn("WHICHGPU_MEMORY_MIB=16384", answer.splitlines())
        with tempfile.TemporaryDirectory() as folder:
            record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
            for probe in record["probes"]:
                probe["devices"] = [device for device in probe["devices"] if device["kind"] != "integrated"]
            record["measurements"] = [row for row in record["measurements"] if row["driver"] != "RADV"]
            (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
            rows = list(csv.reader(io.StringIO(run("query", "kind", "memory.total", "memory.free", "usable", "--gpu", "--csv",
                                                   "--replay", folder).stdout)))
        (total, free), = [row[1:3] for row in rows if row[0] == "integrated"]
        self.assertEqual(512 + 31744, int(total), "what no runtime reaches has its own part and what it may borrow")
        self.assertLessEqual(int(free), int(total))

    def test_a_table_of_gpus(self):
        text = run("query", "name,memory.total,backend", "--gpu", "--markdown", "--replay", FIXTURES / "gpu_beside_igpu").stdout
        self.assertEqual(["| name | memory.total [MiB] | backend |", "| --- | --- | --- |", "| GeForce RTX 4090 | 24576 | cuda |"],
                         text.splitlines()[:3])

    def test_no_gpu_is_a_requirement_that_is_not_met(self):
        process = run("query", "name", "--gpu", "--replay", FIXTURES / "plain_server")
        self.assertEqual((1, "", "whichgpu: no device matches\n"), (process.returncode, process.stdout, process.stderr))

    def test_what_no_runtime_reaches_is_no_empty_line(self):
        """Of facts a runtime without a device has none; why it has none is a line."""
        for backend in ("cuda", "hip"):
            process = run("query", "arch", "--backend", backend, "--replay", FIXTURES / "denied_nodes")
            self.assertEqual((1, ""), (process.returncode, process.stdout))
        self.assertIn("/dev/kfd", asked("reason", "--backend", "hip", machine="denied_nodes")[0][0])

    def test_what_is_not_usable_for_training_has_no_figure_for_it(self):
        self.assertEqual([["cuda", "302"], ["opencl", ""], ["vulkan", ""]],
                         [line for line in asked("backend", "training", "--all", machine="three_way_tie") if line[0] != "cpu"])

    def test_what_ties_shares_a_place_and_says_so(self):
        lines = asked("backend", "rank", "reason", "--all", machine="three_way_tie")
        self.assertEqual(["cuda", "1", ""], lines[0])
        for line in lines[1:3]:
            self.assertEqual(["1", "as fast as the answer, within 5 %"], line[1:])

    def test_quality_tells_what_is_known_as_a_range_alone(self):
        self.assertEqual([["measured", "noisy"]], asked("basis", "quality", "--best", machine="h200"))
        self.assertEqual([["measured", "good"]], asked("basis", "quality", "--best"))


class Kept(unittest.TestCase):
    """On this machine, after a run that left its figures."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.env = environment(XDG_CACHE_HOME=str(self.folder))

    def cpu(self, *arguments):
        return run(*arguments, "--only", "cpu", env=self.env, timeout=120)

    def entry_after(self, *arguments):
        """What a run leaves that has measured; on a busy machine a brief one may get nothing."""
        for seconds in ("0.7", "2", "8", "30"):
            self.cpu(*arguments, "--budget", seconds)
            if entries := list(self.folder.rglob("measurements-*.json")):
                return entries[0]
        self.fail("no run measured anything")

    def test_facts_are_read_again_but_for_what_changes_at_any_moment(self):
        entry = self.entry_after("--json")
        kept = json.loads(entry.read_text())
        for probe in kept["record"]["probes"]:
            for device in probe.get("hardware", []):
                device["name"] = "As It Was Then"
        entry.write_text(json.dumps(kept))
        self.assertEqual("As It Was Then\n", self.cpu("query", "name").stdout)
        now = self.cpu("query", "name", "memory.free").stdout
        self.assertNotIn("As It Was Then", now)
        self.assertGreater(int(now.split("\t")[1]), 0)

    def test_a_recommendation_leaves_no_table_of_every_way(self):
        """It measures the candidates alone, and what it keeps serves neither the page nor a query of figures."""
        entry = self.entry_after("recommend")
        kept = json.loads(entry.read_text())
        self.assertIs(True, kept["candidates_only"])
        entry.write_text(json.dumps({**kept, "effort": 2}))
        self.assertEqual("cached", document(self.cpu("recommend", "--json"))["recommendation"]["basis"])
        self.assertTrue(measures("--only", "cpu", env=self.env))


class Formats(unittest.TestCase):
    def test_every_machine_answers_every_field_alike_in_every_format(self):
        for folder in FOLDERS:
            with self.subTest(folder.name):
                arguments = ("query", *FIELDS, "--all", "--replay", folder)
                value = document(run(*arguments, "--json"))
                validate(value, "query")
                plain = [line.split("\t") for line in run(*arguments).stdout.splitlines()]
                head, *rows = csv.reader(io.StringIO(run(*arguments, "--csv").stdout))
                self.assertEqual([name.split(" ")[0] for name in head], FIELDS)
                self.assertEqual(plain, rows)
                self.assertEqual([list(line) for line in plain],
                                 [line.split("\t") for line in run(*arguments, "--tsv").stdout.splitlines()[1:]])
                self.assertEqual(len(value["rows"]), len(rows))
                for row, keyed in zip(rows, value["rows"]):
                    self.assertEqual({name for name, cell in zip(FIELDS, row) if cell}, set(keyed))

    def test_it_agrees_with_the_report(self):
        for folder in FOLDERS:
            with self.subTest(folder.name):
                report = document(run("--json", "--replay", folder))
                best = document(run("query", "id", "backend", "rank", "--best", "--json", "--replay", folder))["rows"][0]
                answer = next(one for one in report["recommendations"] if one["use"] == "inference")
                self.assertEqual((answer["device_id"], answer["backend"]), (best["id"], best["backend"]))

    def test_a_name_can_break_no_format(self):
        record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
        evil = 'a,"b"|c\\d\te\n$(reboot)'
        text = json.dumps(record).replace("GeForce RTX 4090", json.dumps(evil)[1:-1])
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "record.json").write_text(text)
            shown = {how: run("query", "name", "backend", "--best", *how, "--replay", folder).stdout
                     for how in ((), ("--csv",), ("--markdown",))}
        self.assertEqual(2, len(shown[()].rstrip("\n").split("\t")))
        self.assertEqual(1, shown[()].count("\n"))
        _, row = csv.reader(io.StringIO(shown[("--csv",)]))
        self.assertEqual("cuda", row[1])
        self.assertIn('a,"b"|c', row[0])
        self.assertEqual(3, shown[("--markdown",)].count("\n"))
        self.assertIn("\\|", shown[("--markdown",)].splitlines()[2])


class Schema(unittest.TestCase):
    def test_its_keys_are_the_fields_that_are_listed_with_their_words(self):
        schema = json.loads((SOURCE / "data" / "schema" / "query.json").read_text())
        keys = schema["properties"]["rows"]["items"]["properties"]
        self.assertEqual(FIELDS, list(keys))
        listed = run("query", "--list-fields").stdout.splitlines()
        for line, key in zip(listed, keys.values()):
            self.assertTrue(key["description"].startswith(line[30:]), line)


class Refusals(unittest.TestCase):
    def test_what_is_wrong_and_what_would_be_right(self):
        for arguments, told in {
                (): "--list-fields names them", ("nam",): "did you mean 'name'?",
                ("memory",): "did you mean 'memory.total' or 'memory.free'?",
                ("--list-fields", "--json"): "is a list for people", (" name", "nam e"): "there is no field 'nam e'",
                ("name", "--csv", "--json"): "exclude each other", ("name", "--backend", "rocm"): "did you mean 'hip'?",
                ("name", "--all", "--backend", "cpu"): "exclude each other"}.items():
            with self.subTest(arguments):
                process = run("query", *arguments)
                self.assertEqual((2, ""), (process.returncode, process.stdout))
                self.assertIn(told, process.stderr)


main()
