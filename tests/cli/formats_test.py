#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever a table, a driver or a caller writes, each of the seven formats of `recommend` is what its readers take it for:
they are asked. Shells evaluate, CMake includes, pip's parser reads, and nothing is run that no command of a table says."""
import functools
import importlib
import itertools
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE, document, environment, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
FORMATS = ("plain", "shell", "env", "cmake", "json", "pip", "dockerfile")
MACHINE = ("--assume", "vendor=none,os=linux,arch=x86_64,glibc=2.36")
# One line of printable ASCII each: what a table may hold where people alone read it, and commands in quotes.
LINES = ("$(touch canary)", "`touch canary`", "'; touch canary; '", '"; touch canary; "', "\\'$(touch canary)\\", "%s%n\\n",
         "${IFS}touch${IFS}canary", '")file(TOUCH canary)', "]=] ]==] ]]) file(TOUCH canary) #[[", "$<1:x>;${A};@A@;$ENV{HOME}",
         "a;b;[c", "# none", "!! !x", "~root * ?", "-n", "x" * 4000)
# And what no table may hold anywhere, as JSON writes it; the first is no JSON.
NO_LINES = (b"\xff\xfe(", b"a\\nb", b"a\\r\\nb", b"a\\u0000b", b"\\u001b[31mred", b"\\u202e", b"\\ud800", b"x" * (1 << 20))
# What drivers, buses and callers may say: all of it, but for zeros, which no argument holds.
SAID = (*LINES[:-1], "a\nWHICHGPU_STATUS=none\n", "\x1b[31m\r\t", "\u202e desrever \u8655", "x" * 100000)


def table(**changes):
    """One build for the processor, with a command of its own."""
    build = {"id": "one", "backend": "cpu", "needs": {"os": ["linux"]}, "package": "some[extra]", "version": ">=2.4,<3",
             "packages": ["other~=1.2"], "index": "https://some.example/whl?a=1&b=2", "find_links": "https://some.example/x",
             "cmake": ["-DA=b;c"], "options": ["--gpus", "all"], "note": "a note",
             "missing": [{"library": "libsome.so", "text": "a library", "command": "apt install some"}]}
    whole = {"title": "Some", "source": "its makers", "date": "2026-11-25", "absent": "it has few", "builds": [build]}
    for key, value in changes.items():
        (whole if key in ("title", "absent", "source") else build)[key] = value
    return whole


class Evaluated(unittest.TestCase):
    """Answers in all formats in a folder, and what their readers make of them."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="whichgpu-formats-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "tables").mkdir()
        (self.folder / "work").mkdir()
        self.cmake = []

    def tearDown(self):
        self.assertFalse(list(self.folder.rglob("canary")), "something was run")

    def write(self, whole):
        (self.folder / "tables" / "pytorch.json").write_text(json.dumps(whole))
        return ("--target", "pytorch", "--tables", self.folder / "tables")

    def answers(self, *arguments):
        """The text of each format; None where the answer has none of it."""
        texts = {}
        for name in FORMATS:
            process = run("recommend", "--format", name, *arguments)
            self.assertIn(process.returncode, (0, 1) if name in ("pip", "dockerfile") else (0,), process.stderr)
            texts[name] = process.stdout if process.returncode == 0 else None
        return texts

    def in_shell(self, texts, shell, names, quoted):
        """The variables after the assignments of env were sourced, and after those of shell were given to eval."""
        show = "for name in {}; do eval \"printf '%s\\0' \\\"\\$$name\\\"\"; done\n"
        (self.folder / "env").write_text(texts["env"])
        (self.folder / "shell").write_text(texts["shell"])
        script = "(. ../env\n" + show.format(" ".join(names)) + ')\neval "$(cat ../shell)"\n' + show.format(" ".join((*names, *quoted)))
        process = subprocess.run([shell, "-euc", script], capture_output=True, text=True, env=environment(), timeout=60,
                                 cwd=self.folder / "work")
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        values = process.stdout.split("\0")
        return dict(zip(names, values)), dict(zip((*names, *quoted), values[len(names):]))

    def output_of(self, command):
        process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=self.folder / "work", timeout=60)
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        return process.stdout

    def check(self, *arguments):
        """Every format by its reader; the document. What CMake is to say is kept for check_cmake."""
        texts = self.answers(*arguments)
        whole = json.loads(texts["json"])
        validate(whole, "recommend")
        answer = whole["recommendation"]
        names = re.findall(r"^(WHICHGPU_[A-Z_]+)=", texts["env"], re.M)
        self.assertEqual(len(names), len(texts["env"].splitlines()), "one assignment a line")
        for line in texts["env"].splitlines():
            self.assertRegex(line, r"\AWHICHGPU_[A-Z_]+=[A-Za-z0-9_.:,#=/-]*\Z")
        for shell in ("sh", "bash"):
            env, values = self.in_shell(texts, shell, names, ("WHICHGPU_COMMAND", "WHICHGPU_OPTIONS"))
            self.assertEqual(env, {name: values[name] for name in names})
            self.assertEqual(answer.get("command", ""), values["WHICHGPU_COMMAND"])
        self.cmake.append((texts["cmake"], {**env, "WHICHGPU_COMMAND": answer.get("command", "")}))
        self.assertEqual(1, texts["plain"].count("\n"))
        if texts["pip"]:
            self.check_pip(texts["pip"], answer["artefact"])
        if texts["dockerfile"]:
            self.check_dockerfile(texts["dockerfile"], answer)
        return whole

    def check_pip(self, text, artefact):
        self.assertTrue(text.endswith("\n"))
        lines = text.splitlines()
        options = [line for line in lines if line.startswith("-")]
        wanted = {"--extra-index-url" if artefact.get("extra_index") else "--index-url": artefact.get("index"),
                  "--find-links": artefact.get("find_links")}
        self.assertEqual([f"{name} {value}" for name, value in wanted.items() if value], options)
        requirements = [line for line in lines if line not in options]
        self.assertEqual(artefact["requirements"], requirements)
        for line in requirements:
            requirement_parser()(line)

    def check_dockerfile(self, text, answer):
        """One instruction, as Docker reads lines: nothing is continued, nothing is a here-document or a list."""
        self.assertEqual(1, text.count("\n"))
        instruction, rest = text.rstrip("\n").split(" ", 1)
        self.assertFalse(rest.endswith("\\"), rest)
        if instruction == "FROM":
            self.assertRegex(rest, r"\A[A-Za-z0-9][A-Za-z0-9._:/@-]*\Z")
        else:
            self.assertEqual(("RUN", answer["command"]), (instruction, rest))
            self.assertNotRegex(rest, r"\A(\[|--)|<<")

    def check_cmake(self):
        if not shutil.which("cmake"):
            self.skipTest("there is no cmake to ask")
        script = []
        for i, (text, values) in enumerate(self.cmake):
            (self.folder / f"{i}.cmake").write_text(text)
            script.append(f"include(${{CMAKE_CURRENT_LIST_DIR}}/{i}.cmake)")
            for name in values:
                script.append(f'file(APPEND said "${{{name}}}")\nstring(ASCII 30 end)\nfile(APPEND said "${{end}}")')
            script.append("list(LENGTH WHICHGPU_OPTIONS count)\nfile(APPEND options \"${count} \")")
        (self.folder / "script.cmake").write_text("\n".join(script))
        process = subprocess.run(["cmake", "-P", "../script.cmake"], capture_output=True, text=True, cwd=self.folder / "work")
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        said = (self.folder / "work" / "said").read_text().split("\x1e")[:-1]
        self.assertEqual([value for _, values in self.cmake for value in values.values()], said)
        return (self.folder / "work" / "options").read_text().split()

    def refused(self, *arguments):
        process = run("recommend", *arguments)
        self.assertEqual((2, "", 1), (process.returncode, process.stdout, process.stderr.count("\n")), process.stderr[:300])
        self.assertNotRegex(process.stderr[:-1], "[\x00-\x1f\x7f]")
        return process.stderr


@functools.cache
def requirement_parser():
    """pip's, of this Python or of the one that ./dev test has made; without one that of the package, or none."""
    for name in ("pip._vendor.packaging.requirements", "packaging.requirements"):
        try:
            return importlib.import_module(name).Requirement
        except ImportError:
            continue
    raise unittest.SkipTest("there is no pip to ask")


class Tables(Evaluated):
    def test_any_line_means_in_every_format_what_it_says(self):
        for i, text in enumerate(LINES):
            command = "printf %s " + shlex.quote(text)
            library = [{"library": text, "text": text, "command": command}]
            for changes in ({"command": command}, *({"image": "some/image:1.2"}, {})[i % 8:][:1]):
                with self.subTest(text[:40], **changes):
                    answer = self.check(*self.write(table(title=text, absent=text, source=text, note=text, missing=library,
                                                          **changes)), *MACHINE)["recommendation"]
                    if "command" in changes:
                        self.assertEqual((command, text), (answer["command"], self.output_of(answer["command"])))
                    else:
                        self.assertEqual('pip install "some[extra]>=2.4,<3" "other~=1.2" --index-url '
                                         '"https://some.example/whl?a=1&b=2" --find-links https://some.example/x', answer["command"])
        self.assertEqual({"3"}, set(self.check_cmake()))

    def test_what_is_no_line_is_refused(self):
        for text, key in zip(NO_LINES * 2, itertools.cycle(("title", "command", "id", "package", "image"))):
            arguments = self.write(table(**{key: "PLACE"}))
            file = self.folder / "tables" / "pytorch.json"
            file.write_bytes(file.read_bytes().replace(b"PLACE", text))
            with self.subTest(text[:20], key=key):
                self.assertIn(str(file), self.refused(*arguments, *MACHINE))

    def test_what_another_program_reads_is_no_more_than_a_word(self):
        for text, key in itertools.product(LINES[:-1:4], ("package", "version", "index", "find_links", "image", "provider", "asset")):
            with self.subTest(text, key=key):
                self.assertIn(f"{key}: it must be", self.refused(*self.write(table(**{key: text})), *MACHINE))
        for text, key in itertools.product(LINES[:9:4], ("packages", "options", "cmake")):
            with self.subTest(text, key=key):
                self.assertIn(f"{key}: it must be", self.refused(*self.write(table(**{key: [text]})), *MACHINE))

    def test_a_word_that_means_nothing_here_is_named_with_what_is_near(self):
        for key, value, said in (
                ("backend", "cudda", "backend: 'cudda' is no runtime; did you mean 'cuda'? (build one)"),
                ("needs", {"os": ["linuks"]}, "os: 'linuks' is no system; did you mean 'linux'? (build one)"),
                ("needs", {"machine": ["amd64"]}, "machine: 'amd64' is no machine; known are aarch64, x86_64 (build one)"),
                ("uses", ["play"], "uses: it must be of inference and training (build one), not 'play'"),
                ("date", "2026-02-30", "date: it must be a date such as 2026-11-25 (build one), not '2026-02-30'"),
                ("command", "get {arhc}", "command: nothing fills the place '{arhc}'"),
                ("command", "  ", "command: it must be one line")):
            with self.subTest(key, value=value):
                arguments = self.write(table(**{key: value}))
                said_here = self.refused(*arguments, *MACHINE)
                self.assertIn(said, said_here)
                self.assertIn(str(self.folder / "tables" / "pytorch.json"), said_here)
        newer = table() | {"format": 3, "rows": []}
        self.assertIn("written for a newer whichgpu", self.refused(*self.write(newer), *MACHINE))

    def test_what_nothing_fills_is_no_command(self):
        arguments = self.write(table(command="get {arch} {visible}"))
        plain = run("recommend", *arguments, *MACHINE)
        self.assertEqual((0, "\n"), (plain.returncode, plain.stdout))
        self.assertIn("one has no command here: its table has the place {arch}", plain.stderr)
        answer = document(run("recommend", "--json", *arguments, *MACHINE))["recommendation"]
        self.assertIsNone(answer.get("command"))

    def test_a_folder_has_newer_tables(self):
        whole = table(title="Newer")
        folder = self.write(whole)[-1]
        for name in ("pytorch", "torch", "PyTorch"):
            answer = document(run("recommend", "--json", "--target", name, "--tables", folder, *MACHINE))["recommendation"]
            self.assertEqual(("pytorch", "one"), (answer["target"], answer["artefact"]["id"]))
        self.assertEqual("cpu", document(run("recommend", "--json", "--target", "pytorch", *MACHINE))["recommendation"]["artefact"]["id"])
        other = run("recommend", "--target", "jax", "--tables", folder, *MACHINE)
        self.assertEqual((0, run("recommend", "--target", "jax", *MACHINE).stdout), (other.returncode, other.stdout))
        (folder / "mine.json").write_text(json.dumps(whole))
        self.assertIn("pip install", run("recommend", "--target", "mine", "--tables", folder, *MACHINE).stdout)
        for wrong in (folder / "absent", folder / "pytorch.json"):
            self.assertIn("--tables takes a folder", self.refused("--target", "pytorch", "--tables", wrong, *MACHINE))
        self.assertIn("--tables: '' names no folder", self.refused("--target", "pytorch", "--tables", "", *MACHINE))
        empty = folder / "empty"
        empty.mkdir()
        self.assertIn(f"{empty}: no table of a program is in the folder", self.refused("--target", "pytorch", "--tables", empty, *MACHINE))
        (folder / "pytorch.json").write_text('{"title": "a", "title": "b"}')
        self.assertIn("the key 'title' stands twice", self.refused("--target", "pytorch", "--tables", folder, *MACHINE))
        (folder / "pytorch.json").write_text("[" * 100000)
        self.assertIn("too deep", self.refused("--target", "pytorch", "--tables", folder, *MACHINE))


class Callers(Evaluated):
    def test_any_name_of_an_assumed_card(self):
        for text in SAID:
            if "," in text or not text.strip():
                continue
            with self.subTest(text[:40]):
                whole = self.check("--target", "pytorch", "--assume", f"vendor=amd,gfx=gfx1100,name={text},glibc=2.36")
                self.assertEqual("hip", whole["recommendation"]["backend"])
        self.check_cmake()

    def test_any_other_word_is_named_on_one_line(self):
        keys = itertools.cycle(("vendor", "driver", "memory", "count", "runtime", "cc", "gfx", "ip", "os", "arch", "glibc", "wsl"))
        for text in SAID:
            if "," in text:
                continue
            for key in itertools.islice(keys, 5):
                with self.subTest(text[:40], key=key):
                    self.assertIn(f"--assume: {key}: ", self.refused("--assume", f"{key}={text}"))
            self.assertIn("there is no key", self.refused("--assume", f"{text.replace('=', '')}=x"))
            self.assertIn("there is no program", self.refused("--target", text, "--tables", self.folder, *MACHINE))
        self.assertIn("there is no program", self.refused("--target", b"\xff\xfe\xc3(".decode(errors="surrogateescape"), *MACHINE))


class Drivers(Evaluated):
    FOLDER = FIXTURES / "rocm_prefill_vulkan_decode"

    def said_by(self, **texts):
        """The recorded machine, on which ROCm says this."""
        record = json.loads((self.FOLDER / "record.json").read_text())
        for device in itertools.chain.from_iterable(probe["devices"] for probe in record["probes"]):
            if device["runtime"] == "hip":
                device.update(texts)
        for measurement in record["measurements"]:
            if measurement["runtime"] == "hip":
                measurement["driver"] = texts.get("driver", measurement["driver"])
        folder = self.folder / "machine"
        folder.mkdir(exist_ok=True)
        (folder / "record.json").write_text(json.dumps(record))
        return ("--for", "prefill", "--target", "pytorch", "--replay", folder)

    def test_anything_that_a_driver_says(self):
        for text in (*SAID[:-1], "zero\0byte"):
            with self.subTest(text[:40]):
                whole = self.check(*self.said_by(name=text, driver=text, driver_version=text, api_version=text, manifest=text,
                                                 vendor=text, facts=[{"key": "visible_as", "value": text}]))
                self.assertEqual("hip", whole["recommendation"]["backend"])
        for text in SAID[:6]:
            with self.subTest(text[:40], field="architecture"):
                self.check(*self.said_by(architecture="gfx" + text))
        self.check_cmake()


class Policies(unittest.TestCase):
    def test_tested_takes_what_its_makers_tried(self):
        for driver, policy, build in (("535.183.01", "minimum", "cu126"), ("535.183.01", "tested", "cu118"),
                                      ("550.54.14", "tested", "cu126"), ("580.65.06", "tested", "cu130")):
            process = run("recommend", "--target", "pytorch", "--policy", policy, "--format", "env", "--assume",
                          f"vendor=nvidia,cc=8.9,driver={driver},glibc=2.36")
            self.assertIn(f"WHICHGPU_ARTEFACT={build}\n", process.stdout)
        process = run("recommend", "--target", "pytorch", "--policy", "best", *MACHINE)
        self.assertEqual((2, "", 1), (process.returncode, process.stdout, process.stderr.count("\n")))
        self.assertIn("minimum", process.stderr)


main()
