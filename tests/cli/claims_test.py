# SPDX-License-Identifier: MIT
"""A driver that computes on the processor and calls itself a known card makes no GPU: where the kernel lists the bus,
nothing on it can be the card, and no product comes near its peak, nothing is recommended by it. Real cards keep their
place wherever one of these does not hold.

    python3 claims_test.py WHICHGPU [unittest options]
"""
import copy
import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import BINARY, document, main, validate

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
CARD = "pci:0000:01:00.0"
NAME = "NVIDIA GeForce RTX 4090"
NOT_HERE = "no such card is on this machine's bus"
PEAK = 82.58e12


def machine(share, on_bus=False, bus="listed", others=(), pci="0000:01:00.0", change=None):
    """A processor and one Vulkan driver's RTX 4090, whose fastest product is that share of the card's peak."""
    record = json.loads((FIXTURES / "gpu_beside_igpu" / "record.json").read_text())
    probes = {probe["module"]: probe for probe in record["probes"]}
    sysfs = probes["sysfs"]
    card = next(one for one in sysfs["hardware"] if one["identity"]["pci"] == pci)
    sysfs["hardware"] = [card] * on_bus + list(others)
    sysfs["outcome"] = "ok" if sysfs["hardware"] else "no_device"
    if bus == "none":
        sysfs["error"] = {"call": "list /sys/bus/pci/devices", "name": "no_bus", "text": "no PCI bus is listed"}
    elif bus == "unmounted":
        record["warnings"].append("/sys is not mounted: much of the machine cannot be seen")
    elif bus == "failed":
        sysfs["outcome"] = "failed"
        sysfs["error"] = {"call": "fork", "name": "EAGAIN", "text": "it was not read"}
    views = [one for one in probes["vulkan"]["devices"] if one["identity"].get("pci") == pci]
    probes["vulkan"]["devices"] = views
    views[0]["identity"]["ids"] = {"vendor": 0x10de, "device": 0x2684}
    record["probes"] = [probe for name, probe in probes.items() if name != "cuda"]
    figures = []
    for figure in record["measurements"]:
        if figure["device_id"] == "cpu:0":
            figures.append(figure)
        elif (figure["device_id"], figure["runtime"]) == (CARD, "vulkan"):
            scale = share * PEAK / 40e12 if figure["kernel"] == "gemm" else share
            for key in ("rate", "p10_rate", "best_rate"):
                figure[key] *= scale
            if figure["in_dtype"] == "fp16":
                continue
            figures.append(figure)
    record["measurements"] = figures
    if change:
        change(record)
    return record


def hardware(ids, kind, pci="0000:00:03.0"):
    identity = {"ids": {"vendor": ids[0], "device": ids[1]}, **({"pci": pci} if pci else {})}
    return {"source": "sysfs", "identity": identity, "name": "another", "kind": kind, "nodes": [], "facts": []}


ASPEED = hardware((0x1a03, 0x2000), "management")


class Claims(unittest.TestCase):
    def replay(self, record, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
            return subprocess.run([BINARY, *arguments, "--replay", folder], capture_output=True, text=True)

    def report(self, record):
        run = self.replay(record, "--json")
        self.assertEqual(0, run.returncode, run.stderr)
        found = document(run)
        validate(found, "report")
        return found

    def claim(self, found):
        return [finding for finding in found["findings"] if finding["id"].startswith("claim.")]

    def check_refuted(self, record):
        self.assertEqual(11, self.replay(record, "--exit-code").returncode)
        found = self.report(record)
        for answer in found["recommendations"]:
            self.assertEqual("cpu:0", answer["device_id"])
        scores = [score for score in found["scores"] if score["device_id"] == CARD]
        self.assertTrue(scores)
        for score in scores:
            self.assertFalse(score["eligible"])
            self.assertIn(NOT_HERE, score["reasons"][0])
        (finding,) = self.claim(found)
        self.assertEqual(("blocking", CARD), (finding["severity"], finding["device_id"]))
        why = self.replay(record, "recommend", "--why", "--format", "plain").stderr.replace("\n  ", "")
        self.assertIn("claims to be", why)
        return finding["summary"]

    def check_usable(self, record, confidence, said):
        self.assertEqual(0, self.replay(record, "--exit-code").returncode)
        found = self.report(record)
        answer = found["recommendations"][0]
        self.assertEqual((CARD, confidence), (answer["device_id"], answer["confidence"]), answer)
        warnings = "\n".join(answer["warnings"])
        for text in said:
            self.assertIn(text, warnings)
        self.assertEqual(bool(said), bool(self.claim(found)))
        if not said:
            self.assertNotIn("claims to be", warnings)

    def test_a_card_that_is_on_no_bus_and_computes_at_a_thousandth_is_none(self):
        summary = self.check_refuted(machine(0.001))
        for text in (NAME, NOT_HERE, "0.1 % of that card's peak"):
            self.assertIn(text, summary)

    def test_graphics_of_another_maker_on_the_bus_back_nothing(self):
        self.check_refuted(machine(0.001, others=[ASPEED]))

    def test_a_driver_that_tells_no_number_is_known_by_the_name_that_it_gives(self):
        def nameless(record):
            for probe in record["probes"]:
                for device in probe["devices"]:
                    device["identity"].pop("ids", None)
        self.check_refuted(machine(0.001, change=nameless))

    def test_a_small_product_is_held_against_its_own_peak_and_no_larger_ones_of_its_number(self):
        def a_740m(record):
            for probe in record["probes"]:
                for device in probe["devices"]:
                    if "ids" in device["identity"]:
                        device["identity"]["ids"] = {"vendor": 0x1002, "device": 0x15bf, "revision": 7}
                        device["name"] = "AMD Radeon 740M (RADV PHOENIX)"
        found = self.report(machine(0.04 * 2.56e12 / PEAK, change=a_740m))
        (finding,) = self.claim(found)
        self.assertNotEqual("blocking", finding["severity"])
        self.assertIn("at 4 %", finding["summary"])

    def test_text_tells_what_the_device_is(self):
        run = self.replay(machine(0.001))
        text = " ".join(run.stdout.split())
        self.assertIn("Use cpu on", text)
        self.assertIn(NOT_HERE, text)

    def test_a_card_on_the_bus_is_one(self):
        self.check_usable(machine(0.5, on_bus=True), "high", [])

    def test_a_card_where_nothing_lists_a_bus_is_one(self):
        for bus in ("none", "unmounted", "failed"):
            with self.subTest(bus):
                self.check_usable(machine(0.5, bus=bus), "high", [])

    def test_a_fast_card_that_the_bus_does_not_show_is_doubted(self):
        self.check_usable(machine(0.5), "medium", [NOT_HERE, "though it computes at 50 %"])

    def test_what_may_be_the_card_under_another_name_backs_it(self):
        backers = {"virtual display": hardware((0x1af4, 0x1050), "virtual"), "not on pci": hardware((0x10de, 1), "integrated", None),
                   "a card lent to a guest": hardware((0x1414, 0x008e), "unknown"), "its maker's": hardware((0x10de, 0x1), "discrete")}
        for name, backer in backers.items():
            with self.subTest(name):
                self.check_usable(self.ahead(machine(0.5, others=[backer])), "high", [])

    def test_a_slow_card_alone_is_doubted(self):
        """Whatever slows it, on the bus or where nobody can tell, it stays one."""
        for record in (machine(0.01, on_bus=True), machine(0.01, bus="none"), machine(0.01, bus="unmounted")):
            self.check_usable(self.ahead(record), "low", ["it computes at 1 % of that card's peak"])

    def test_a_card_that_no_table_knows_is_not_judged(self):
        def unknown(record):
            for probe in record["probes"]:
                for device in probe["devices"]:
                    if device["identity"].get("ids"):
                        device["identity"]["ids"]["device"] = 0xfffe
        self.check_usable(self.ahead(machine(0.01, change=unknown)), "high", [])

    def beyond(self, device_id, rate):
        """A card that no table knows, and that device's memory at that rate."""
        def change(record):
            for probe in record["probes"]:
                for one in probe["devices"] + probe["hardware"]:
                    if one["identity"].get("ids"):
                        one["identity"]["ids"]["device"] = 0xfffe
                        one["name"] = "Some GPU"
            for figure in record["measurements"]:
                if (figure["device_id"], figure["kernel"]) == (device_id, "read"):
                    for key in ("rate", "p10_rate", "best_rate"):
                        figure[key] = rate
        return machine(0.5, on_bus=True, change=change)

    def test_figures_that_nothing_known_reaches_are_doubted(self):
        for rate, confidence in ((1e12, "high"), (9e12, "medium")):
            with self.subTest(rate):
                found = self.report(self.beyond(CARD, rate))
                answer = found["recommendations"][0]
                self.assertEqual((CARD, confidence), (answer["device_id"], answer["confidence"]), answer)
                doubts = [finding for finding in found["findings"] if finding["id"].startswith("rate.")]
                self.assertEqual(confidence == "medium", bool(doubts))

    def test_nor_does_a_processors_memory_lead_with_high_confidence(self):
        for rate, confidence in ((60e9, "high"), (8e12, "medium"), (300e12, None)):
            with self.subTest(rate):
                record = self.slowed(self.beyond("cpu:0", rate), CARD)
                for answer in self.report(record)["recommendations"]:
                    found = answer["device_id"], answer["confidence"]
                    if confidence:
                        self.assertEqual(("cpu:0", confidence), found, answer)
                    self.assertTrue(confidence == "high" or found != ("cpu:0", "high"), answer)

    def slowed(self, record, device):
        """That device made slower than any other, so that another is what is recommended."""
        record = copy.deepcopy(record)
        for figure in record["measurements"]:
            if figure["device_id"] == device:
                for key in ("rate", "p10_rate", "best_rate"):
                    figure[key] *= 1e-3
        return record

    def ahead(self, record):
        return self.slowed(record, "cpu:0")


main()
