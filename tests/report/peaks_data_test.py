#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds data/peaks/ against the facts of 95 devices, where those lie beside the project or at WHICHGPU_SHARED, and of
those that peak_facts.csv adds to them.

peaks_data_test.py SOURCE_DIR"""
import collections
import csv
import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FACTS = pathlib.Path(os.environ.get("WHICHGPU_SHARED") or SOURCE.parent / "shared") / "devices.csv"
MORE_FACTS = pathlib.Path(__file__).with_name("peak_facts.csv")
COLUMNS = {"memory_bytes_per_s": ("mem_bw_gbs", 1e9, "mem_fp32_source"),
           "fp32_flop_per_s": ("fp32_tflops", 1e12, "mem_fp32_source"),
           "matrix16_flop_per_s": ("fp16_matrix_tflops_dense", 1e12, "matrix_spec_source"),
           "int8_op_per_s": ("int8_tops_dense", 1e12, "matrix_spec_source")}


def rows(name):
    """Those of one table, a number as such and an unknown as an absent key."""
    lines = (SOURCE / "data" / "peaks" / name).read_text(encoding="utf-8").splitlines()
    heading, *table = [line for line in lines if not line.startswith("#")]
    keys = heading.split(",")
    cells = [dict(zip(keys, row.split(",", len(keys) - 1), strict=True)) for row in table]
    return [{key: cell if key in TEXTS else int(cell) for key, cell in row.items() if cell} for row in cells]


TEXTS = {"id", "name", "memory_bytes", "architecture", "kind", "date", "source"}
CARDS = rows("cards.csv")
PEAKS = {"devices": [row for row in CARDS if ":" in row["id"]], "parts": [row for row in CARDS if ":" not in row["id"]],
         "units": rows("units.csv"), "kinds": rows("kinds.csv")}


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def all_facts():
    with open(FACTS, encoding="utf-8") as file:
        facts = list(csv.DictReader(file))
    lines = MORE_FACTS.read_text(encoding="utf-8").splitlines()
    return facts + list(csv.DictReader(line for line in lines if not line.startswith("#")))


def figure(row, key):
    """The fact as a rate; None where it is unknown or only from memory."""
    column, factor, source = COLUMNS[key]
    if not row[source] or "memory" in row[source]:
        return None
    value = number(row[column])
    return value * factor if value else None


@unittest.skipUnless(FACTS.is_file(), f"{FACTS} is not here")
class Peaks(unittest.TestCase):
    def setUp(self):
        self.facts = [row for row in all_facts() if ":" in row["pci_id"]]

    def test_the_first_row_of_an_id_is_its_largest_confirmed_fact(self):
        seen = set()
        for row in PEAKS["devices"]:
            known = [fact for fact in self.facts if fact["pci_id"] == row["id"]]
            if row["id"] in seen:
                known = [fact for fact in known if fact["name"] == row["name"]]
            seen.add(row["id"])
            self.assertTrue(known, row["name"])
            for key in COLUMNS:
                facts = [value for fact in known if (value := figure(fact, key))]
                with self.subTest(row["name"], key=key):
                    self.assertEqual(key in row, bool(facts), "a figure from memory is no bound")
                    if facts:
                        self.assertAlmostEqual(1, row[key] / max(facts), places=4)

    def test_a_cards_memory_is_what_devices_of_it_have(self):
        checked = 0
        several = collections.Counter(row["id"] for row in PEAKS["devices"])
        for row in PEAKS["devices"]:
            sizes = [int(size) / 2**30 for size in row.get("memory_bytes", "").split(" / ") if size]
            for fact in self.facts:
                had = number(fact.get("mem_gb", ""))
                if not sizes or fact["pci_id"] != row["id"] or not had:
                    continue
                if several[row["id"]] > 1 and fact["name"] != row["name"]:
                    continue
                with self.subTest(fact["name"]):
                    # What error correction takes, or the driver, does not show.
                    self.assertTrue(any(0.93 <= had / size <= 1.02 for size in sizes), (had, sizes))
                    checked += 1
        self.assertGreater(checked, 40)

    def test_parts_of_chips_are_facts_too(self):
        self.assertTrue(PEAKS["parts"])
        for row in PEAKS["parts"]:
            known = [fact for fact in all_facts() if re.sub(r" \(.*", "", fact["name"]) == row["name"]]
            self.assertTrue(known, row["name"])
            for key in COLUMNS:
                if key in row:
                    with self.subTest(row["name"], key=key):
                        self.assertAlmostEqual(1, row[key] / max(figure(fact, key) or 0 for fact in known), places=4)

    def test_no_part_of_a_chip_is_half_known_or_below_a_smaller_one_of_its_generation(self):
        rates = ("memory_bytes_per_s", "fp32_flop_per_s")
        parts = {row["name"]: row for row in PEAKS["parts"]}
        for name, row in parts.items():
            for rate in rates:
                with self.subTest(name, rate=rate):
                    self.assertIn(rate, row, "a common GPU's would stand for it, and no warning say so")
        for smaller, larger in (("", " Pro"), (" Pro", " Max"), (" Max", " Ultra")):
            for name in parts:
                beside = parts.get(name.removesuffix(smaller) + larger) if name.endswith(smaller) else None
                for rate in rates if beside else ():
                    with self.subTest(beside["name"], rate=rate):
                        self.assertGreater(beside[rate], parts[name][rate])

    def test_matrix_units_do_as_much_a_clock_as_the_data_sheets_imply(self):
        units = {row["architecture"]: row for row in PEAKS["units"] if "name" not in row}
        checked = set()
        for fact in self.facts:
            row = units.get(fact.get("target"))
            fp32 = number(fact["fp32_tflops"])
            for column, key in (("matrix16", "matrix16_flop_per_s"), ("int8", "int8_op_per_s")):
                confirmed = figure(fact, key)
                if not row or column not in row or not confirmed or not fp32:
                    continue
                # Matrix units and vectors of one card may be specified at different clocks; fp32 of some cards counts
                # lanes once where the table counts a second issue.
                ratio = row[column] / row["fp32"] / (confirmed / (fp32 * 1e12))
                with self.subTest(fact["name"], column=column):
                    self.assertTrue(0.8 <= ratio <= 1.25 or 0.4 <= ratio <= 0.625, ratio)
                    checked.add(fact["target"])
        self.assertGreaterEqual(len(checked), 5)

    def test_no_confirmed_fact_exceeds_its_kind(self):
        kinds = {row["kind"]: row for row in PEAKS["kinds"]}
        names = {"dGPU": "discrete", "APU": "integrated", "iGPU": "integrated", "CPU": "cpu"}
        with open(FACTS, encoding="utf-8") as file:
            facts = list(csv.DictReader(file))
        reached = set()
        for fact in facts:
            kind = kinds[names[fact["kind"]]]
            for key in COLUMNS:
                value = figure(fact, key)
                if not value or key not in kind:
                    continue
                with self.subTest(fact["name"], key=key):
                    self.assertLessEqual(value, kind[key])
                    if value == kind[key]:
                        reached.add((kind["kind"], key))
        self.assertLessEqual({("discrete", key) for key in COLUMNS}, reached)

    def test_no_matrix_figure_rests_on_memory(self):
        confirmed = {fact.get("target") for fact in self.facts if figure(fact, "matrix16_flop_per_s")}
        processors = {"avx2", "avx512f", "avx512bf16", "avx512vnni", "avxvnni", "amx-bf16", "amx-int8", "neon"}
        published = ("Matrix Instruction Calculator", "CDNA white paper", "v_dot4_i32_i8", "NVIDIA Jetson T5000",
                     "A40 data sheet", "A10G data sheet", "Quadro RTX 6000 data sheet", "V100 data sheet", "RTX 5090 data sheet",
                     "GTX 1660 Ti data sheet", "Intel, ", "Intel Data Center GPU Max Series technical overview", "as Xe-")
        for row in PEAKS["units"]:
            if ("matrix16" in row or "int8" in row) and not any(name in row["source"] for name in published):
                self.assertIn(row["architecture"], confirmed | processors)


unittest.main(argv=sys.argv[:1], verbosity=2)
