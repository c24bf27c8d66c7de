#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records and reports as somebody else may have written them: what breaks the schema, and what no run can have written,
is refused in one line; what is accepted is answered with JSON that follows the schema. A thousand devices cost what
their number does, and a signal ends the run."""
import concurrent.futures
import copy
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from harness import BINARY, SOURCE, document, environment, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
TYPES = json.loads((SOURCE / "data" / "schema" / "types.json").read_text())["$defs"]
REPORT = json.loads((SOURCE / "data" / "schema" / "report.json").read_text())
OTHER_TYPE = {"string": 7, "integer": "7", "number": "7", "boolean": "true", "array": {}, "object": []}

# A record is the report before the verdict: the same types, with what each probe saw inside it.
_DEVICE = copy.deepcopy(TYPES["view"])
_DEVICE["required"].remove("matched_by")
for _key in ("matched_by", "environment_hidden"):
    _DEVICE["properties"].pop(_key)
_PROBE = copy.deepcopy(TYPES["probe"])
_PROBE["required"] += ["devices", "hardware"]
_PROBE["properties"].update(devices={"type": "array", "items": _DEVICE},
                            hardware={"type": "array", "items": {"$ref": "#/$defs/hardware"}})
RECORD = {"type": "object",
          "required": ["format", "tool_version", "created", "interrupted", "calibrated", "host", "warnings", "probes",
                       "measurements"],
          "properties": {"format": {"const": 1}, "tool_version": {"type": "string"},
                         "created": REPORT["properties"]["created"], "interrupted": {"type": "boolean"},
                         "calibrated": {"type": "boolean"}, "host": {"$ref": "#/$defs/host"},
                         "warnings": {"type": "array", "items": {"type": "string"}},
                         "probes": {"type": "array", "items": _PROBE},
                         "measurements": {"type": "array", "items": {"$ref": "#/$defs/measurement"}}}}


# What reports of earlier and of later versions do without is read.
OPEN = TYPES["reason_id"]
YOUNG = {"recommendation": "why", "rejected": "id"}


def resolved(schema):
    return resolved(TYPES[schema["$ref"].rsplit("/", 1)[1]]) if "$ref" in schema else schema


def breaks(value, schema, path=()):
    """(path, what is put there) for every way in which this schema can be broken at this value; None removes it."""
    schema = resolved(schema)
    if "oneOf" in schema or "const" in schema:  # one of several words
        if schema is not OPEN:
            yield path, "no such word"
        yield path, 7
    elif schema.get("type") in OTHER_TYPE:
        yield path, OTHER_TYPE[schema["type"]]
    for bound, step in (("minimum", -1), ("maximum", 1)):
        if bound in schema:
            yield path, schema[bound] + step
    if "pattern" in schema:
        yield path, "no such form"
    if "minItems" in schema:
        yield path, value[:schema["minItems"] - 1]
    if schema.get("type") == "object":
        for key in schema.get("required", ()):
            if not any(schema is TYPES[name] and key == young for name, young in YOUNG.items()):
                yield (*path, key), None
        for key, inner in schema.get("properties", {}).items():
            if key in value:
                yield from breaks(value[key], inner, (*path, key))
    elif schema.get("type") == "array" and value:
        # One element of each set of keys stands for its like.
        for index in {tuple(sorted(v)) if isinstance(v, dict) else type(v): i for i, v in enumerate(value)}.values():
            yield from breaks(value[index], schema.get("items", {}), (*path, index))


def changed(value, path, new):
    """A copy of the value with the place at this path replaced or removed; shares what does not change."""
    if not path:
        return new
    out = copy.copy(value)
    if new is None and len(path) == 1:
        del out[path[0]]
    else:
        known = not isinstance(value, dict) or path[0] in value
        out[path[0]] = changed(value[path[0]], path[1:], new) if known else new
    return out


def full_record():
    """A fixture with every optional field of its types."""
    record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
    error = {"call": "call", "code": -3, "name": "E", "text": "text"}
    probe = next(p for p in record["probes"] if p["module"] == "cuda")
    probe.update(error=error, library={"soname": "lib.so", "path": "/lib.so", "version": "1"}, elapsed_s=0.5,
                 exit={"code": 1, "signal": 9}, stderr_tail="tail", warnings=["w"],
                 environment=[{"name": "A", "value": "b"}],
                 drivers=[{"manifest": "m", "name": "n", "version": "1", "library": "l", "outcome": "ok", "stage": "done",
                           "error": error, "elapsed_s": 0.1}])
    uuid = "00000000-0000-4000-8000-000000000001"
    probe["devices"][0].update(
        manifest="m", vendor="v", api_version="1", memory_free_bytes=1 << 30, subgroup_width=32,
        facts=[{"key": "k", "value": "v"}],
        identity={"pci": "0000:01:00.0", "uuid": uuid, "driver_uuid": uuid,
                  "ids": {"vendor": 0x10de, "device": 0x2684, "subsystem_vendor": 1, "subsystem_device": 2, "revision": 3}})
    probe["hardware"].append(
        {"source": "cuda", "identity": {"pci": "0000:01:00.0"}, "name": "n", "vendor": "v", "kind": "discrete",
         "architecture": "a", "kernel_driver": "k", "nodes": [{"path": "/dev/x", "exists": True, "openable": True}],
         "memory_total_bytes": 1 << 34, "memory_free_bytes": 1 << 33, "vram_bytes": 1 << 34, "gtt_bytes": 0,
         "pcie": {"generation": 4, "lanes": 16, "max_generation": 4, "max_lanes": 16}, "numa_node": 0,
         "removable": False, "facts": [{"key": "k", "value": "v"}]})
    processor = next(p for p in record["probes"] if p["module"] == "cpu")["hardware"][0]["processor"]
    processor.update(quota_cores=4.5, memory_limit_bytes=1 << 34, governor="performance",
                     caches=[{"level": 1, "type": "data", "size_bytes": 32768, "shared_by": 2, "instances": 16}])
    record["host"].update(container="docker", virtualization="kvm")
    record["warnings"] = ["w"]
    product = record["measurements"][0]
    time_s = 2 * product["shape"]["m"] * product["shape"]["n"] * product["shape"]["k"] / product["rate"]
    product.update(manifest="m", reason="r", stage="time", time_s=time_s, batch_times_s=[time_s] * product["samples"],
                   foreign_load=0.1, max_relative_error=1e-4, share_of_peak=0.5)
    record["measurements"].append({**record["measurements"][-1], "kernel": "p2p", "peer_id": "pci:0000:01:00.0",
                                   "unit": "bytes_per_s"})
    return record


class WithFiles(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name)

    def replay(self, record, *arguments):
        text = record if isinstance(record, str) else json.dumps(record)
        with tempfile.TemporaryDirectory(dir=self.root) as folder:
            (pathlib.Path(folder) / "record.json").write_text(text)
            return run(*arguments, "--replay", folder)

    def compare(self, report):
        with tempfile.TemporaryDirectory(dir=self.root) as folder:
            path = pathlib.Path(folder) / "report.json"
            path.write_text(json.dumps(report))
            return run("compare", path, path)

    def check_refused(self, process, what):
        self.assertEqual((2, ""), (process.returncode, process.stdout[:200]), what)
        self.assertEqual(1, process.stderr.count("\n"), (what, process.stderr))
        self.assertIn(".json", process.stderr, what)

    def check_answered(self, process, what):
        self.assertEqual(0, process.returncode, (what, process.stderr))
        validate(document(process), "report")

    def check_all_refused(self, cases, tell):
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for case, process in zip(cases, pool.map(lambda case: tell(*case), cases)):
                self.check_refused(process, case)


class Files(WithFiles):
    def test_whatever_breaks_the_schema_of_a_record_is_refused(self):
        record = full_record()
        self.check_answered(self.replay(record, "--json"), "the whole")
        cases = list(breaks(record, RECORD))
        self.assertGreater(len(cases), 300)
        self.check_all_refused(cases, lambda path, new: self.replay(changed(record, path, new), "--json"))

    def test_whatever_breaks_the_schema_of_a_report_is_refused(self):
        report = document(self.replay(full_record(), "--json"))
        self.assertEqual(0, self.compare(report).returncode)
        cases = list(breaks(report, REPORT))
        self.assertGreater(len(cases), 300)
        self.check_all_refused(cases, lambda path, new: self.compare(changed(report, path, new)))

    def test_what_no_run_can_have_written_is_refused(self):
        good = full_record()
        odd = {
            ("created",): "2026-11-21 12:00:00",
            ("measurements", 0, "rate"): 1e300,
            ("measurements", 0, "best_rate"): 1e30,
            ("measurements", 0, "ci95"): [1.2, 0.8],
            ("measurements", 0, "samples"): 3,
            ("measurements", 1, "device_id"): "pci:0000:99:00.0",
            ("measurements", 0, "unit"): "s",
            ("measurements", 0, "kernel"): "fill",
            ("measurements", 0, "device_id"): "pci:1:2:3",
            ("measurements", 0, "peer_id"): "cpu:0",
            ("measurements", 0, "runtime"): "../cpu",
            ("measurements", 0, "time_s"): 1e300,
            ("measurements", 0, "verified"): False,
            ("probes", 0, "format"): 2,
            ("probes", 0, "module"): "Sys fs",
            ("probes", 0, "hardware", 0, "source"): "elsewhere",
            ("probes", 0, "hardware", 0, "identity"): {"pci": "01:00.0"},
            ("probes", 0, "hardware", 0, "name"): "x" * 20000,
            ("probes", 0, "hardware", 0, "vram_bytes"): 1 << 64,
        }
        for path, new in odd.items():
            self.check_refused(self.replay(changed(good, path, new)), path)
        for time in ("2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
                     "2026-00-10T12:00:00Z", "2026-04-31T12:00:00Z"):
            self.check_refused(self.replay(changed(good, ("created",), time)), time)
        self.assertEqual(0, self.replay(changed(good, ("created",), "2028-02-29T23:59:59Z")).returncode)
        text = json.dumps(good)
        self.assertEqual(0, self.replay(text).returncode)
        for name, twice in (("format", text.replace('{"format": 1', '{"format": 1, "f\\u006frmat": 1', 1)),
                            ("rate", text.replace('"rate": ', '"rate": 1, "rate": ', 1))):
            process = self.replay(twice)
            self.check_refused(process, name)
            self.assertIn(f"'{name}' stands twice", process.stderr)
        self.check_refused(self.replay(text.replace('"rate": ', '"rate": 1e999, "other": ', 1)), "no number")
        self.check_refused(self.replay(text.replace('"rate": ', '"rate": NaN, "other": ', 1)), "NaN")

    def test_parts_of_a_record_that_contradict_each_other_are_refused(self):
        good = full_record()
        cuda = next(i for i, probe in enumerate(good["probes"]) if probe["module"] == "cuda")
        cpu = next(i for i, probe in enumerate(good["probes"]) if probe["module"] == "cpu")
        product = next(i for i, m in enumerate(good["measurements"]) if m["kernel"] == "gemm" and m["in_dtype"] == "fp32")
        read = next(i for i, m in enumerate(good["measurements"]) if m["kernel"] == "read")
        odd = [(("probes", cuda, "outcome"), outcome)
               for outcome in ("absent", "no_device", "hidden", "denied")]
        processor = ("probes", cpu, "hardware", 0, "processor")
        odd += [((*processor, "cores"), 0), ((*processor, "threads"), 0),
                (("measurements", product, "samples"), 0), (("measurements", product, "max_relative_error"), 1e9),
                (("measurements", product, "best_rate"), 1.0), (("measurements", product, "shape"), {}),
                (("measurements", product, "shape"), {"m": 1, "n": 1, "k": 1}),
                (("measurements", product, "acc_dtype"), "int32"), (("measurements", read, "in_dtype"), "q4"),
                (("measurements", product, "ci95"), [0, 0]), (("measurements", 0, "time_s"), 1e-9),
                (("measurements",), [*good["measurements"], good["measurements"][0]])]
        for path, new in odd:
            self.check_refused(self.replay(changed(good, path, new)), (path, new))

    def test_what_earlier_versions_wrote_so_is_taken(self):
        good = full_record()
        cuda = next(i for i, probe in enumerate(good["probes"]) if probe["module"] == "cuda")
        cpu = next(i for i, probe in enumerate(good["probes"]) if probe["module"] == "cpu")
        died = {"manifest": "/etc/one.json", "outcome": "crashed"}
        for record in (changed(good, ("probes", cpu, "hardware", 0, "processor", "threads"), 1),
                       changed(good, ("probes", cuda, "outcome"), "crashed"),
                       changed(changed(good, ("probes", cuda, "outcome"), "no_device"), ("probes", cuda, "drivers"), [died])):
            self.check_answered(self.replay(record, "--json"), record["probes"][cuda]["outcome"])

    def test_a_share_of_the_peak_is_told_by_the_tables(self):
        good = full_record()
        told = [document(self.replay(record, "--json"))["measurements"]
                for record in (good, changed(good, ("measurements", 0, "share_of_peak"), 40.0))]
        self.assertEqual(*told)

    def test_what_a_later_version_adds_is_passed_over(self):
        record = full_record()
        for path in ((), ("host",), ("probes", 0), ("measurements", 0), ("probes", 0, "hardware", 0)):
            self.check_answered(self.replay(changed(record, (*path, "added_later"), {"any": [1]}) if path else
                                            {**record, "added_later": 1}, "--json"), path)

    def test_extremes_are_answered_within_the_schema(self):
        record = full_record()
        del record["measurements"][0]["time_s"]
        for path, new in ((("measurements", 0, "rate"), 1e-9), (("measurements", 0), {**record["measurements"][0], **dict.fromkeys(
                                                                                    ("rate", "p10_rate", "best_rate"), 1e24)}),
                          (("measurements", 0, "ci95"), [0, 1e24]), (("measurements", 0, "ci95"), [0, 1])):
            process = self.replay(changed(record, path, new), "--json")
            self.check_answered(process, (path, new))
            for score in document(process)["scores"]:
                for key in ("tokens_per_s", "ranking_tokens_per_s"):
                    self.assertGreater(score.get(key, {"low": 1})["low"], 0, score)


def crowd(count, identified):
    """A record of that many cards with two drivers each."""
    record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
    probes = {probe["module"]: probe for probe in record["probes"]}
    card, cuda, vulkan = (probes["sysfs"]["hardware"][0], probes["cuda"]["devices"][0], probes["vulkan"]["devices"][0])
    figures = [m for m in record["measurements"] if m["device_id"] == "pci:0000:01:00.0" and m["shape"].get("m") != 512]
    record["measurements"] = [m for m in record["measurements"] if m["runtime"] == "cpu"]
    for probe, key in (("sysfs", "hardware"), ("cuda", "devices"), ("vulkan", "devices")):
        probes[probe][key] = []
    for i in range(count):
        pci = f"{i >> 13:04x}:{i >> 5 & 255:02x}:{i & 31:02x}.0"
        identity = {"pci": pci, "ids": {"vendor": 0x10de, "device": 0x2684}} if identified else {}
        if identified:
            probes["sysfs"]["hardware"].append({**card, "identity": identity})
        for probe, view in (("cuda", cuda), ("vulkan", vulkan)):
            probes[probe]["devices"].append({**view, "ordinal": i if identified else 0, "identity": identity})
        record["measurements"] += [{**m, "device_id": f"pci:{pci}" if identified else f"{m['runtime']}:nvidia:{i}"}
                                   for m in figures]
    return record


class Crowds(WithFiles):
    # How much more processor time a crowd of four times as many may take: 4 where each costs the same, 16 where each is
    # compared with each other. Seconds would say what the processor is.
    MOST_GROWTH = 8

    def spent(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = run(*arguments, "--replay", self.root)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(0, process.returncode, process.stderr)
        return after.ru_utime - before.ru_utime, process

    def test_many_devices_cost_what_their_number_does_and_fit_a_page(self):
        for identified in (True, False):
            for arguments in (("list",), (), ("recommend", "--why")):
                (self.root / "record.json").write_text(json.dumps(crowd(150, identified)))
                few_s = min(self.spent(*arguments)[0] for _ in range(2))
                (self.root / "record.json").write_text(json.dumps(crowd(600, identified)))
                many_s, process = self.spent(*arguments)
                if many_s > self.MOST_GROWTH * few_s:  # something else ran beside the one or the other
                    many_s = min(many_s, self.spent(*arguments)[0])
                self.assertLess(many_s, self.MOST_GROWTH * few_s, (identified, arguments))
                self.assertLess(process.stdout.count("\n"), 1500)
                self.assertLess(len(process.stderr), 20000)
                if arguments != ("recommend", "--why"):
                    self.assertIn("64 of ", process.stdout)

    def test_of_thousands_of_warnings_each_is_told_once_and_many_are_counted(self):
        record = crowd(1, True)
        record["warnings"] = ["the same"] * 3000 + [f"another {number}" for number in range(200)]
        (self.root / "record.json").write_text(json.dumps(record))
        for arguments in (("--details",), ("list",), ("recommend",), ("recommend", "--json"), ("--json",)):
            process = run(*arguments, "--replay", self.root)
            told = process.stdout if arguments in (("--details",), ("list",)) else process.stderr
            self.assertEqual(1, told.count("the same"), arguments)
            self.assertEqual(15, told.count("another "), arguments)
            self.assertIn("185 more warnings: --json has all", told, arguments)
            if "--json" in arguments:
                self.assertEqual(3000, json.loads(process.stdout)["warnings"].count("the same"), arguments)
        self.assertRegex(run("--replay", self.root).stdout, r"20\d more warnings")

    def test_a_signal_ends_it(self):
        # The fullest record of the accepted size, and a reader that never comes for the answer.
        (self.root / "record.json").write_text(json.dumps(crowd(4000, True)))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1):
            process = subprocess.Popen([str(BINARY), "--json", "--replay", str(self.root)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment())
            try:
                time.sleep(0.1)
                start = time.monotonic()
                process.send_signal(number)
                self.assertEqual(128 + number, process.wait(timeout=20))
                self.assertLess(time.monotonic() - start, 5)
                self.assertEqual(b"", process.stderr.read())
            finally:
                process.kill()
                process.stdout.close()
                process.stderr.close()


main()
