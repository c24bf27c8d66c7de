#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--html and --svg: pages that stand alone, hold what --json prints, and that no driver's string breaks.
WHICHGPU_UPDATE_GOLDENS=1 rewrites tests/fixtures/<machine>/page.html and roofline.svg."""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from harness import BINARY, SOURCE, document, environment, main, run
from page_reader import Page, problems_of, without_carried

FOLDERS = sorted(path.parent for path in (SOURCE / "tests" / "fixtures").glob("*/record.json"))
GOLDENS = ("gpu_beside_igpu", "denied_nodes", "phantom_gpu")
MOST_BYTES = 300_000
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("\"'><script>alert(1)</script>", "</script><!-- <script>", "-->]]>", "& &amp; &lt; &#60; &nbsp", "a\nb\x00\x1b[31m\x7f",
           "\u202e\u2028\ufeff\U000e0041", "</title></style></svg></textarea>", "`${x}` {{x}} <%x%>", "<" * 300, "\U0001f4a9 e\u0301")


class Directory(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def page_of(self, folder, *arguments, name="page.html"):
        path = self.root / name
        process = run("--replay", folder, "--html", path, *arguments)
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        return path.read_text(encoding="utf-8")

    def refused(self, code, said, *arguments, **options):
        """One line that names what is wrong; nothing printed, nothing left behind."""
        before = sorted(self.root.rglob("*"))
        process = run(*arguments, **options)
        self.assertEqual(code, process.returncode, process.stderr)
        self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
        self.assertIn(said, process.stderr)
        self.assertEqual(before, sorted(self.root.rglob("*")))
        return process


class Pages(Directory):
    def golden(self, path, text):
        if os.environ.get("WHICHGPU_UPDATE_GOLDENS") == "1":
            path.write_text(text, encoding="utf-8")
        self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_every_machine_has_a_sound_page(self):
        for folder in FOLDERS:
            with self.subTest(folder.name):
                text = self.page_of(folder)
                page = Page(text)
                self.assertEqual([], problems_of(page))
                self.assertLessEqual(len(text.encode()), MOST_BYTES)
                self.assertEqual(document(run("--json", "--replay", folder)), page.json("report"))

    def test_it_says_what_the_terminal_says(self):
        for folder in FOLDERS:
            with self.subTest(folder.name):
                words = Page(self.page_of(folder)).words()
                value = document(run("--json", "--replay", folder))
                answer = value["recommendations"][0]
                head = " ".join(run("--replay", folder, env=environment(LANG="C.UTF-8", COLUMNS="200")).stdout.split())
                promise = re.match(r"Use \S+ on (.*?) because ", head)[0].removesuffix(" because ")
                self.assertIn(promise, words)
                for sentence in [reason["text"] for reason in answer["why"]][:1] + answer["warnings"]:
                    self.assertIn(sentence, words)
                for step in value["advice"]:
                    self.assertIn(" ".join(step.get("command", step["text"]).split()), words)

    def test_goldens(self):
        for name in GOLDENS:
            folder = SOURCE / "tests" / "fixtures" / name
            with self.subTest(name):
                self.golden(folder / "page.html", without_carried(self.page_of(folder, "--svg", self.root / "roofline.svg")))
                self.golden(folder / "roofline.svg", without_carried((self.root / "roofline.svg").read_text()))

    def test_pictures_are_xml_and_stand_alone(self):
        for folder in FOLDERS:
            with self.subTest(folder.name):
                path = self.root / "roofline.svg"
                self.assertEqual(0, run("--replay", folder, "--svg", path).returncode)
                root = xml.etree.ElementTree.parse(path).getroot()
                self.assertEqual((f"{SVG}svg", "img"), (root.tag, root.get("role")))
                self.assertTrue(root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text)
                self.assertNotRegex(path.read_text().replace("http://www.w3.org/2000/svg", ""), r"https?:|url\(|@import|href")
                measured = {m["device_id"] for m in document(run("--json", "--replay", folder))["measurements"] if m["verified"]}
                self.assertEqual(len(measured), len(root.findall(f"{SVG}g")))

    def test_one_device_alone(self):
        folder = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu"
        path = self.root / "one.svg"
        self.assertEqual(0, run("--replay", folder, "--device", "pci:0000:01:00.0", "--svg", path).returncode)
        self.assertEqual(1, len(xml.etree.ElementTree.parse(path).getroot().findall(f"{SVG}g")))

    def test_a_machine_that_is_described_has_a_page(self):
        path = self.root / "page.html"
        process = run("--assume", "vendor=nvidia,cc=8.9,memory=24GiB", "--html", path)
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        self.assertEqual([], problems_of(Page(path.read_text())))

    def test_what_is_printed_is_the_same_with_it(self):
        folder = SOURCE / "tests" / "fixtures" / "h200"
        for arguments in ((), ("--json",), ("--details",)):
            plain = run("--replay", folder, *arguments)
            self.assertEqual(plain.stdout, run("--replay", folder, "--html", self.root / "page.html", *arguments).stdout)

    def test_a_stricter_parser_finds_no_error(self):
        try:
            import html5lib
        except ImportError:
            self.skipTest("python3-html5lib is not installed")
        for folder in FOLDERS:
            html5lib.HTMLParser(strict=True).parse(self.page_of(folder))

    def test_tidy_finds_nothing(self):
        if not shutil.which("tidy"):
            self.skipTest("tidy is not installed")
        for folder in FOLDERS:
            process = subprocess.run(["tidy", "-q", "-e"], input=self.page_of(folder), capture_output=True, text=True)
            self.assertEqual("", process.stderr, folder.name)


class Colours(unittest.TestCase):
    """WCAG 2.1, 1.4.3 and 1.4.11: 4.5 for texts, 3 for the lines and marks of pictures."""
    TEXTS = ("--ink", "--dim", "--accent", "--good", "--fair", "--bad")
    LINES = ("--w0", "--w1", "--w2", "--w3", "--w4", "--w5", "--guide")

    @staticmethod
    def light(colour):
        digits = colour.lstrip("#")
        parts = [int(c * 2, 16) for c in digits] if len(digits) == 3 else [int(digits[i:i + 2], 16) for i in (0, 2, 4)]
        linear = [p / 255 / 12.92 if p / 255 <= 0.04045 else ((p / 255 + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, one, other):
        high, low = sorted((self.light(one), self.light(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def test_texts_and_lines_can_be_told_from_what_is_behind(self):
        sheets = [(SOURCE / "data" / "html" / name).read_text() for name in ("page.css", "chart.css")]
        blocks = [re.findall(r":root \{\s*(--[^}]*)\}", sheet) for sheet in sheets]
        self.assertEqual([3, 3], [len(found) for found in blocks])  # light, dark, paper
        for page, chart in zip(*blocks):
            values = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]+)", page + chart))
            grounds = [values[name] for name in ("--paper", "--card", "--chosen", "--ground")]
            for names, grounds_of, least in ((self.TEXTS, grounds, 4.5), (self.LINES, [values["--ground"]], 3),
                                             (("--w0",), [values["--ground"]], 4.5)):
                for name in names:
                    for ground in grounds_of:
                        self.assertGreaterEqual(self.contrast(values[name], ground), least, (name, values[name], ground))


class Strings(Directory):
    RECORD = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu" / "record.json"

    def record(self, text):
        """The record with the string in the place of each name and text that a driver or a file says."""
        record = json.loads(self.RECORD.read_text())
        record["host"].update(os=text, kernel=text)
        record["warnings"] = [text]
        for probe in record["probes"]:
            probe["warnings"] = [text]
            probe["environment"] = [{"name": "VARIABLE", "value": text}]
            for device in probe["devices"] + probe["hardware"]:
                device.update(name=text, vendor=text, architecture=text)
                device.setdefault("facts", []).append({"key": text, "value": text})
            for driver in probe["drivers"]:
                driver.update(name=text, version=text)
            if probe["outcome"] != "ok":
                probe["error"] = {"call": text, "code": 5, "name": text, "text": text}
        for figure in record["measurements"]:
            figure["implementation"] = text[:200] + figure["implementation"]
        folder = self.root / "record"
        folder.mkdir(exist_ok=True)
        (folder / "record.json").write_text(json.dumps(record))
        return folder

    def test_none_breaks_a_page_or_a_picture(self):
        for text in HOSTILE:
            with self.subTest(text):
                folder = self.record(text)
                told = run("--json", "--replay", folder)
                self.assertEqual(0, told.returncode, told.stderr)
                picture = self.root / "picture.svg"
                page = Page(self.page_of(folder, "--svg", picture))
                self.assertEqual([], problems_of(page))
                self.assertEqual(document(told), page.json("report"))
                # Nothing but what this program carries is run, and nothing foreign has become an element.
                self.assertEqual(2, len(page.named("script")))
                self.assertEqual(2, len(page.named("style")))
                self.assertEqual([], page.named("textarea", "img"))
                xml.etree.ElementTree.parse(picture)

    def test_what_no_tool_writes_is_refused_before_there_is_a_page(self):
        folder = self.record("x" * 1_000_000)
        self.refused(2, "record.json", "--replay", folder, "--html", self.root / "page.html")
        (folder / "record.json").write_bytes(self.RECORD.read_bytes().replace(b"GeForce", b"Ge\xffForce"))
        self.refused(2, "record.json", "--replay", folder, "--html", self.root / "page.html")


class Comparisons(Directory):
    FOLDER = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu"

    def report(self, name, change=lambda record: None):
        record = json.loads((self.FOLDER / "record.json").read_text())
        change(record)
        folder = self.root / f"{name}-record"
        folder.mkdir()
        (folder / "record.json").write_text(json.dumps(record))
        path = self.root / f"{name}.json"
        path.write_text(run("--json", "--replay", folder).stdout)
        return path

    def slower(self):
        def change(record):
            for figure in record["measurements"]:
                if figure["kernel"] == "read" and figure["status"] == "ok":
                    for key in ("rate", "p10_rate", "best_rate"):
                        figure[key] *= 0.7
        return self.report("slower", change)

    def test_a_page_holds_the_verdict_and_every_row(self):
        base, other, path = self.report("base"), self.slower(), self.root / "compared.html"
        process = run("compare", base, other, "--html", path)
        self.assertEqual(1, process.returncode, process.stderr)
        page = Page(path.read_text())
        self.assertEqual([], problems_of(page))
        value = document(run("compare", base, other, "--json"))
        told = page.json("comparison")
        for of in (value, told):
            of.pop("created")
        self.assertEqual(value, told)
        self.assertEqual(len(value["rows"]), len(page.named("tr")) - len(page.named("table")))
        self.assertIn(process.stdout.splitlines()[0], page.words())

    def test_a_name_of_a_file_is_no_markup(self):
        base = self.report("base")
        odd = self.root / "<script>alert('1')<!--.json"
        shutil.copy(base, odd)
        path = self.root / "compared.html"
        self.assertEqual(0, run("compare", odd, base, "--html", path).returncode)
        self.assertEqual([], problems_of(Page(path.read_text())))

    def test_what_is_compared_is_not_overwritten(self):
        base = self.report("base")
        before = base.read_bytes()
        self.refused(2, "one of the two that are compared", "compare", base, base, "--html", base)
        self.assertEqual(before, base.read_bytes())
        self.refused(2, "--svg", "compare", base, base, "--svg", self.root / "x.svg")

    def test_nor_is_what_is_compared_by_standard_input(self):
        base, other = self.report("base"), self.report("other")
        before = other.read_bytes()
        with other.open() as stream:
            process = subprocess.run([str(BINARY), "compare", str(base), "-", "--html", str(other)], stdin=stream,
                                     capture_output=True, text=True, env=environment(), timeout=60)
        self.assertEqual((2, ""), (process.returncode, process.stdout), process.stderr)
        self.assertIn("one of the two that are compared", process.stderr)
        self.assertEqual(before, other.read_bytes())


class Files(Directory):
    FOLDER = SOURCE / "tests" / "fixtures" / "plain_server"

    def test_what_can_not_be_written_is_refused_before_anything_is_looked_at(self):
        (self.root / "link").symlink_to(self.root / "elsewhere")
        (self.root / "folder").mkdir()
        os.mkfifo(self.root / "pipe")
        for name, said in (("", "--html: needs the name of a file"), ("-", "--html: the page goes to a file"), ("/nonexistent/page.html", "/nonexistent"),
                           (self.root / "folder", "is a directory"), (f"{self.root}/folder/", "is a directory"),
                           (self.root / "link", "is a link"), (self.root / "pipe", "no regular file"),
                           ("/dev/null", "no regular file"), ("/proc/page.html", "/proc: may not be written")):
            with self.subTest(name):
                # Without a replay it would measure for seconds.
                process = self.refused(2, said, "--html", name, timeout=5)
                self.assertEqual("", process.stdout)
        self.refused(2, "--svg: the picture goes to a file, beside what is printed: name one", "--svg", "-", timeout=5)
        self.refused(2, "--html and --svg name one file", "--html", self.root / "a", "--svg", f"{self.root}/folder/../a")
        self.refused(2, "--html", "--html")

    def test_what_the_run_reads_or_prints_to_is_not_overwritten(self):
        record = self.root / "record"
        shutil.copytree(self.FOLDER, record)
        request = self.root / "request.json"
        shutil.copy(SOURCE / "data" / "reference_request.json", request)
        kept = {path: path.read_bytes() for path in (record / "record.json", request)}
        for option in ("--html", "--svg"):
            self.refused(2, "a part of the record", "--replay", record, option, record / "record.json")
            self.refused(2, "is the request", "--replay", record, "--request", request, option, request)
            self.refused(2, "where the record is kept", "--record", self.root / "new", option, self.root / "new", timeout=5)
        self.assertEqual(kept, {path: path.read_bytes() for path in kept})
        for number in (1, 2):
            path = self.root / f"printed{number}"
            with path.open("w") as stream:
                streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, ("stdout", "stderr")[number - 1]: stream}
                done = subprocess.run([str(BINARY), "--replay", str(record), "--html", str(path)], stdin=subprocess.DEVNULL,
                                      env=environment(), timeout=60, **streams)
            self.assertEqual(2, done.returncode)
            self.assertNotIn("<", path.read_text())

    def test_commands_without_a_page_refuse_it(self):
        for command in (("list",), ("recommend",), ("query", "name")):
            for option in ("--html", "--svg"):
                self.refused(2, f"{option} belongs to the report", *command, option, self.root / "x")

    def test_a_page_replaces_a_page_whole_and_keeps_its_rights(self):
        path = self.root / "page.html"
        path.write_text("old")
        path.chmod(0o640)
        inode = path.stat().st_ino
        self.page_of(self.FOLDER)
        self.assertEqual(0o640, stat.S_IMODE(path.stat().st_mode))
        self.assertNotEqual(inode, path.stat().st_ino)
        self.assertEqual([path], sorted(self.root.iterdir()))
        fresh = self.root / "fresh.html"
        run("--replay", self.FOLDER, "--html", fresh)
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual(0o666 & ~umask, stat.S_IMODE(fresh.stat().st_mode))

    def test_a_failed_write_is_3_and_leaves_the_old_page(self):
        """The limit on the size of files stands for a full disk."""
        path = self.root / "page.html"
        path.write_text("old")
        process = self.refused(3, "page.html: can not be written", "--replay", self.FOLDER, "--html", path, prefix=(
            "sh", "-c", 'ulimit -f 8; exec "$0" "$@"'))
        self.assertIn("Use cpu on", process.stdout)
        self.assertEqual("old", path.read_text())

    def test_where_nobody_reads_what_is_printed_the_page_is_written(self):
        path = self.root / "page.html"
        with open(os.devnull, "rb") as nothing:
            reader, writer = os.pipe()
            os.close(reader)
            process = subprocess.run([*map(str, (BINARY, "--replay", self.FOLDER, "--html", path))],
                                     stdin=nothing, stdout=writer, stderr=subprocess.PIPE, env=environment())
            os.close(writer)
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertEqual([], problems_of(Page(path.read_text())))


main()
