#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row of data/'s tables says what its reader knows: a word that an enum lacks would be read as unknown, and a number
that is none as zero, without a sound."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows(name):
    """The rows of a table, each by the words of its heading; the last cell has whatever commas are left (ParseTable)."""
    lines = [line for line in (ROOT / "data" / name).read_text().splitlines() if line and not line.startswith("#")]
    heading = lines[0].split(",")
    return [dict(zip(heading, line.split(",", len(heading) - 1), strict=True)) for line in lines[1:]]


def names(path, enum):
    """The words of WHICHGPU_NAMES(enum, {kValue, "word"} ...)."""
    found = re.search(r"WHICHGPU_NAMES\([a-z:]*" + enum + r",(.*?)\);?\n\n", (ROOT / path).read_text(), re.S)
    return set(re.findall(r'"([a-z_]+)"', found.group(1)))


def keys_below(value):
    """All keys of a document, however deep."""
    if isinstance(value, dict):
        yield from value
        value = value.values()
    elif not isinstance(value, list):
        return
    for one in value:
        yield from keys_below(one)


class Tables(unittest.TestCase):
    def test_every_row_has_every_cell(self):
        for path in sorted((ROOT / "data").glob("*.csv")):
            with self.subTest(path.name):
                self.assertTrue(rows(path.name))

    def test_peaks_are_whole_numbers_with_a_source(self):
        texts = {"id", "name", "architecture", "kind", "date", "source"}
        forms = {"cards.csv": ("id", r"[0-9a-f]{4}(:[0-9a-f]{4})?"), "units.csv": ("architecture", r"[a-z0-9._-]+"),
                 "kinds.csv": ("kind", "|".join(sorted(names("probe/core/names.h", "DeviceKind") - {"unknown"})))}
        self.assertEqual(set(forms), {path.name for path in (ROOT / "data/peaks").glob("*")})
        for table, (key, form) in forms.items():
            for row in rows(f"peaks/{table}"):
                self.assertRegex(row[key], f"^({form})$", row)
                self.assertRegex(row["date"], r"^20\d\d-\d\d-\d\d$", row)
                self.assertTrue(row["source"], row)
                figures = [cell for column, cell in row.items() if column not in texts | {"memory_bytes"} and cell]
                self.assertTrue(figures, row)
                for cell in figures:
                    self.assertRegex(cell, r"^[1-9]\d*$", row)

    def test_the_memory_of_every_card_is_known_or_it_has_no_one_size(self):
        no_one_size = {"MI50, 16 and 32 GB": "1002:66a1", "RX 470 to 580, 4 and 8 GB": "1002:67df",
                       "RX 5500 XT, 4 and 8 GB": "1002:7340", "RX 6500 XT, the same": "1002:743f",
                       "what the host gives it": "1002:74b5", "RX 9060 XT, 8 and 16 GB": "1002:7590",
                       "RTX 3060, 8 and 12 GB": "10de:2487 10de:2501 10de:2503 10de:2504 10de:2544",
                       "Tesla M40, 12 and 24 GB": "10de:17fd", "RTX 4060 Ti, 8 and 16 GB": "10de:2788 10de:2803",
                       "GTX 960M, 2 and 4 GB": "10de:139b", "GTX 960, the same": "10de:1401",
                       "GTX 1060, 3, 5 and 6 GB": "10de:1b83 10de:1c03", "GTX 1060 Mobile, 3 and 6 GB": "10de:1c20",
                       "GTX 1050 Mobile, 2 and 4 GB": "10de:1c22 10de:1c62 10de:1c8d 10de:1c92 10de:1ccd",
                       "RTX 3080 Laptop GPU, 8 and 16 GB": "10de:249c 10de:24dc", "RTX 5060 Ti, the same": "10de:2d04",
                       "A770, 8 and 16 GB": "8086:56a0", "B300, of which NVIDIA's pages say 270 and 288 GB": "10de:3182"}
        in_the_package = {"1002:74a0": "MI300A, with 128 GB"}
        discrete = {f"{row['vendor']}:{device}" for row in rows("pci_names.csv") if row["kind"] == "discrete"
                    for device in row["device"].split()}
        unknown = set()
        for row in rows("peaks/cards.csv"):
            sizes = row["memory_bytes"].split(" / ") if row["memory_bytes"] else []
            self.assertIn(len(sizes), (0, 1, len(row["name"].split(" / "))), row)
            for size in sizes:
                self.assertRegex(size, r"^[1-9]\d*$", row)
                self.assertEqual(0, int(size) % (1 << 30), row)
            said = re.search(r"(\d+)GB", row["name"])
            self.assertIn(sizes, ([], [str(int(said[1]) << 30)]) if said else (sizes,), row)
            if row["id"] not in discrete | set(in_the_package):
                self.assertEqual([], sizes, "it is no card of its own")
            elif not sizes:
                unknown.add(row["id"])
        self.assertEqual(set(" ".join(no_one_size.values()).split()), unknown)

    def test_cards_stand_by_number_and_numbers_of_one_card_agree(self):
        cards = [row for row in rows("peaks/cards.csv") if ":" in row["id"]]
        ids = [row["id"] for row in cards]
        self.assertEqual(sorted(ids), ids)
        known = {}
        for row in cards:
            figures = {key: cell for key, cell in row.items() if key not in ("id", "name", "date", "source")}
            self.assertEqual(known.setdefault(row["name"], figures), figures, row["id"])
        self.assertLess(len(known), len(cards), "some card has several numbers")

    def test_a_t4g_is_a_t4(self):
        rates = {row["name"]: (row["memory_bytes_per_s"], row["fp32_flop_per_s"]) for row in rows("peaks/cards.csv")}
        self.assertEqual(rates["Tesla T4"], rates["T4G"])

    def test_another_name_of_a_card_stands_once(self):
        names = [row["alias"].lower() for row in rows("card_aliases.csv")]
        self.assertEqual(len(names), len(set(names)))

    def test_another_name_of_an_architecture_is_of_one_that_cards_have(self):
        known = {row["architecture"] for row in rows("pci_names.csv")}
        for row in rows("architecture_names.csv"):
            self.assertIn(row["architecture"], known)
            self.assertNotIn(row["name"], known)

    def test_what_installs_a_runtime_elsewhere_is_of_a_known_one_and_stands_once(self):
        known = {path.stem for path in (ROOT / "data/runtimes").glob("*.json")} | {""}
        told = [(row["os"], row["runtime"]) for row in rows("install_elsewhere.csv")]
        self.assertEqual(len(told), len(set(told)))
        for os, runtime in told:
            self.assertIn(os, ("windows", "macos"))
            self.assertIn(runtime, known)
            self.assertIn((os, ""), told, "a GPU that none of them is for has its row, too")

    def test_every_variable_that_hides_says_how_its_list_is_read(self):
        for row in rows("drivers.csv"):
            for word in row["hiding"].split():
                name, how = word.split("=")
                self.assertIn(name, row["variables"].split(), row)
                self.assertIn(how, ("names", "list", "filled", "unique"), row)
                self.assertEqual(how == "names", row["kernel"] == "", "cards are known by their kernel driver")

    def test_every_other_device_says_what_it_is_and_where_that_is_from(self):
        purposes = names("probe/core/names.h", "Purpose")
        targets = {path.stem for path in (ROOT / "data/targets").glob("*.json")}
        makers = {row["number"] for row in rows("vendors.csv")}
        numbered = {f"{row['vendor']}:{device}" for row in rows("pci_names.csv") for device in row["device"].split()}
        runtimes = {path.stem for path in (ROOT / "data/runtimes").glob("*.json")}
        seen, rest = set(), set()
        for row in rows("other_devices.csv"):
            self.assertIn(row["what"], purposes, row)
            self.assertRegex(row["date"], r"^20\d\d-\d\d$", row)
            self.assertTrue(row["source"] and row["name"], row)
            self.assertRegex(row["source"], r"^(([PU]|[LTI] \S.*)(; .+)?|kinds of pci_names.csv)$", row)
            known = [*row["pci"].split(), *row["usb"].split(), *row["misc"].split()] or row["drivers"].split()
            if not known:
                self.assertEqual("", row["vendor"] + row["runtime"], "it stands for a kind")
                rest.add(row["what"])
                continue
            self.assertTrue(row["vendor"] and row["page"].startswith("https://"), row)
            self.assertTrue(row["runtime"] or row["what"] in ("video", "accelerator"), "what computes says by what")
            for reached in row["reached"].split():
                self.assertIn(reached.partition("=")[0], runtimes, row)
                self.assertTrue(reached.partition("=")[2], row)
            self.assertFalse(seen & set(known) or row["family"] in seen, row)
            seen |= {row["family"], *known}
            for number in row["pci"].split():
                self.assertRegex(number, r"^[0-9a-f]{4}:([0-9a-f]{4}|\*)$", row)
                self.assertIn(number.split(":")[0], makers, "vendors.csv does not name its maker")
                self.assertTrue(number.endswith("*") or number in numbered, f"pci_names.csv does not name {number}")
            for number in row["usb"].split():
                self.assertRegex(number, r"^[0-9a-f]{4}:[0-9a-f]{4}$", row)
            for program in filter(None, row["programs"].split(";")):
                self.assertIn(program.split("=")[0], targets, row)
                self.assertTrue(program.partition("=")[2], row)
        self.assertEqual({"accelerator", "management", "virtual"}, rest)

    def test_every_accelerator_that_has_a_name_has_a_family(self):
        families = " ".join(row["pci"] for row in rows("other_devices.csv")).split()
        for row in rows("pci_names.csv"):
            for device in row["device"].split() if row["kind"] == "accelerator" else ():
                self.assertTrue({f"{row['vendor']}:{device}", f"{row['vendor']}:*"} & set(families), row)

    def test_kinds_and_roles_are_known(self):
        kinds = names("probe/core/names.h", "DeviceKind")
        roles = names("probe/sysfs/platform.cpp", "DriverRole")
        self.assertTrue({"discrete", "integrated"} <= kinds and {"gpu", "pci"} <= roles, (kinds, roles))
        for table in ("vendors.csv", "platform_drivers.csv"):
            for row in rows(table):
                self.assertIn(row["kind"], kinds | {""}, row)
        for row in rows("platform_drivers.csv"):
            self.assertIn(row["role"], roles, row)

    def test_every_key_of_a_runtime_is_one_that_is_read_and_explained(self):
        fields = {name: set(re.findall(r"\w+", keys)) for name, keys in
                  re.findall(r"WHICHGPU_FIELDS\((\w+),([^)]*)\)", (ROOT / "report/core/tables_fields.h").read_text())}
        self.assertIn("title", fields["RuntimeFacts"])
        table = "\n".join(line.split("|")[1] for line in (ROOT / "docs/adding-a-runtime.md").read_text().splitlines()
                          if line.startswith("|"))
        explained = set(re.findall(r"\w+", table))
        for path in sorted((ROOT / "data/runtimes").glob("*.json")):
            with self.subTest(path.name):
                facts = json.loads(path.read_text())
                self.assertEqual(set(), set(facts) - fields["RuntimeFacts"], "nobody reads these")
                self.assertEqual(set(), set(keys_below(facts)) - set().union(*fields.values()), "nobody reads these")
        self.assertEqual(set(), fields["RuntimeFacts"] - explained, "docs/adding-a-runtime.md says what each is")

    def test_every_error_of_metal_has_a_row(self):
        # "out of range" is of whoever calls a session, and reaches nobody.
        codes = (ROOT / "probe/metal/metal_codes.cpp").read_text()
        names = set(re.findall(r'\{k\w+, \d+, "(\w+)"', codes)) | set(re.findall(r'"(kIOGPU\w+Error[A-Z]\w+)"', codes))
        self.assertLess(14, len(names), names)
        own = {"missing_symbol", "other_system"}
        for path in (*(ROOT / "probe/metal").glob("*.cpp"), *(ROOT / "backends/metal").glob("*.cpp")):
            own |= set(re.findall(r'std::nullopt,\s*"([\w ]+)"', path.read_text()))
        self.assertLessEqual({"no buffer", "no queue", "no encoder"}, own)
        rows = {row["name"]: row for row in json.loads((ROOT / "data/runtimes/metal.json").read_text())["errors"]}
        self.assertEqual(set(), (names | own) - {"out of range"} - set(rows))
        for name in names:
            if name.startswith("kIOGPU"):
                self.assertNotIn("of_kernel", rows[name], name)

    def test_every_runtime_is_a_token_that_users_are_told(self):
        builds = json.loads((ROOT / "data/targets/backend.json").read_text())["builds"]
        told = {build["backend"] for build in builds}
        explained = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/scripts.md").read_text(), re.M))
        taken = set(re.search(r"^  (cpu\|[\w|]+)\) ;;$", (ROOT / "tests/cli/installer.sh").read_text(), re.M)[1].split("|"))
        for path in sorted((ROOT / "data/runtimes").glob("*.json")):
            self.assertIn(path.stem, told, "data/targets/backend.json has no row for it")
            self.assertIn(path.stem, explained & taken, "docs/scripts.md or tests/cli/installer.sh does not know it")

    def test_drivers_that_builds_for_linux_ask_for_have_a_number_in_wsl(self):
        # A driver's branch (a whole number) is called alike by both systems, and from 580 on both ask for the branch alone.
        same_from = 580
        for path in sorted((ROOT / "data/runtimes").glob("*.json")):
            known = {row["linux_version"] for row in json.loads(path.read_text()).get("wsl_drivers", [])}
            for target in sorted((ROOT / "data/targets").glob("*.json")) if known else ():
                for build in json.loads(target.read_text())["builds"]:
                    needs = build.get("needs", {})
                    if build["backend"] != path.stem or "linux" not in needs.get("os", ["linux"]) or needs.get("wsl") is False:
                        continue
                    asked = {needs[key] for key in ("driver", "driver_tested") if key in needs}
                    numbered = {one for one in asked if "." in one and int(one.split(".")[0]) < same_from}
                    self.assertEqual(set(), numbered - known, f"{path.name}: no such Linux version, {target.name} {build['id']}")

    def test_a_table_with_a_newer_key_has_the_format_that_has_it(self):
        # An older whichgpu then says that the table is newer than itself, and not that there is no such key.
        since = {"architectures_of": 2, "through": 2}
        seen = set()
        for path in sorted((ROOT / "data/targets").glob("*.json")):
            table = json.loads(path.read_text())
            keys = set(keys_below(table)) & set(since)
            seen |= keys
            self.assertEqual(max((since[key] for key in keys), default=1), table["format"], path.name)
        self.assertEqual(set(since), seen)

    def test_makers_have_numbers_of_their_own(self):
        numbers = [int(row["number"], 16) for row in rows("vendors.csv") if row["number"]]
        self.assertTrue(numbers and all(numbers))
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_what_no_runtime_is_made_for_has_no_driver_that_computes(self):
        said = [row for row in rows("platform_drivers.csv") if row["no runtime"]]
        self.assertTrue(said)
        for row in said:
            self.assertEqual("none", row["computes with"], row)
            self.assertTrue(row["no runtime"].startswith("no runtime "), row)

    def test_an_overridden_target_has_always_something_said(self):
        last = rows("gfx_overrides.csv")[-1]
        self.assertEqual(["*", "*"], list(last.values())[:2])


if __name__ == "__main__":
    unittest.main()
