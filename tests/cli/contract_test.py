#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What every command promises: exit codes, streams, JSON, usage errors, records."""
import fcntl
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

from harness import BINARY, SOURCE, document, environment, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"


class Streams(unittest.TestCase):
    def test_list_is_a_result_on_stdout_and_nothing_on_stderr(self):
        process = run("list")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertIn("cpu:0", process.stdout)
        self.assertEqual("", process.stderr)

    def test_json_is_one_valid_object(self):
        for command in ("list", "recommend"):
            with self.subTest(command):
                process = run(command, "--json", "--no-calibrate") if command != "list" else run(command, "--json")
                self.assertEqual(0, process.returncode, process.stderr)
                value = document(process)
                validate(value, command)
                self.assertEqual(command, value["command"])
                self.assertFalse(value["interrupted"])

    def test_report_json_without_measuring_follows_its_schema(self):
        process = run("--json", "--no-calibrate")
        self.assertEqual(0, process.returncode, process.stderr)
        validate(document(process), "report")

    def test_one_processor_and_software_devices_are_views_of_it(self):
        devices = document(run("list", "--json"))["devices"]
        processors = [device for device in devices if device["id"] == "cpu:0"]
        self.assertEqual(1, len(processors))
        for device in devices:
            for view in device["views"]:
                if view["kind"] == "software":
                    self.assertEqual("cpu:0", device["id"])

    def test_a_closed_pipe_is_success_and_silent(self):
        process = subprocess.run(f"'{BINARY}' list --json 2>&1 >/dev/full | head -c 300; '{BINARY}' list | true; "
                                 "echo ${PIPESTATUS[0]}", shell=True, executable="/bin/bash", capture_output=True,
                                 text=True, env=environment(), timeout=60)
        self.assertIn("can not be written", process.stdout)
        self.assertEqual("0", process.stdout.strip().splitlines()[-1], process.stdout)

    def test_a_full_disk_is_an_internal_error(self):
        with open("/dev/full", "w") as full:
            process = subprocess.run([str(BINARY), "list"], stdout=full, stderr=subprocess.PIPE, text=True,
                                     env=environment(), timeout=60)
        self.assertEqual(3, process.returncode)
        self.assertEqual(1, len(process.stderr.strip().splitlines()))

    def test_a_file_that_may_not_grow_is_an_internal_error_too(self):
        with tempfile.TemporaryFile() as limited:
            process = subprocess.run([str(BINARY), "list"], stdout=limited, stderr=subprocess.PIPE, text=True,
                                     env=environment(), timeout=60,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1)))
        self.assertEqual(3, process.returncode, process.stderr)

    def test_a_pipe_that_does_not_block_gets_everything(self):
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
        process = subprocess.Popen([str(BINARY), "list", "--json"], stdout=write_end, env=environment())
        os.close(write_end)
        with open(read_end, encoding="utf-8") as reader:
            time.sleep(0.3)
            json.loads(reader.read())
        self.assertEqual(0, process.wait(timeout=60))

    def test_a_source_that_is_not_heard_is_said(self):
        titles = {"sysfs": "sysfs", "drm": "libdrm", "hwloc": "hwloc"}
        for _ in range(20):  # which of them is fast enough all the same is chance
            value = document(run("list", "--json", "--timeout", "0.000001"))
            unheard = {titles[probe["module"]] for probe in value["probes"]
                       if probe["module"] in titles and probe["outcome"] == "timed_out"}
            said = {title for title in titles.values()
                    if any(warning.startswith(f"{title} was not read") for warning in value["warnings"])}
            self.assertEqual(unheard, said)
            if unheard:
                return
        self.fail("every source answered within a microsecond")

    def test_plain_recommend_is_one_token(self):
        process = run("recommend", "--no-calibrate")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertRegex(process.stdout, r"\A[a-z0-9_.-]+\n\Z")

    def test_a_budget_that_is_too_short_is_said_so(self):
        process = run("recommend", "--only", "cpu", "--no-cache", "--budget", "0.001")
        self.assertEqual((0, "cpu\n"), (process.returncode, process.stdout))
        self.assertIn("0.0010 s is too short", process.stderr)

    def test_version_says_the_oldest_glibc(self):
        self.assertRegex(run("--version").stdout, r"^whichgpu \d+\.\d+\.\d+ \(needs glibc 2\.\d+ or newer\)\n$")

    def test_help_and_version_are_words_too(self):
        for words, flags in ((("help",), ("--help",)), (("help", "list"), ("list", "--help")),
                             (("version",), ("--version",))):
            self.assertEqual(run(*flags).stdout, run(*words).stdout)
            self.assertEqual(0, run(*words).returncode)

    def test_help_fits_a_narrow_terminal(self):
        for width in (40, 66, 80):
            lines = run("--help", env=environment(COLUMNS=width)).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertIn("--assume-machine NAME", "\n".join(lines))
        for nothing in ("0", "-4", "garbage", ""):
            self.assertEqual(run("--help", env=environment(COLUMNS=None)).stdout,
                             run("--help", env=environment(COLUMNS=nothing)).stdout, nothing)
        self.assertEqual(run("--version").stdout, run("--version", env=environment(COLUMNS=40)).stdout)

    def test_help_fits_a_screen(self):
        for command, most in (((), 50), (("list",), 24), (("recommend",), 24), (("compare",), 24), (("schema",), 24)):
            for flag in ("--help", "-h"):
                process = run(*command, flag)
                lines = process.stdout.splitlines()
                with self.subTest(command, flag=flag):
                    self.assertEqual((0, ""), (process.returncode, process.stderr))
                    self.assertLessEqual(len(lines), most)
                    self.assertLessEqual(max(map(len, lines)), 100)
                    self.assertIn(" ".join(("Usage: whichgpu", *command)), process.stdout)
                    self.assertIn("Examples:", process.stdout)


class Usage(unittest.TestCase):
    CASES = {
        ("--jsno",): "--json",
        ("lst",): "list",
        ("list", "recommend"): "one at a time",
        ("recommend", "training"): "recommend --for training",
        ("list", "extra"): "list takes no 'extra'",
        ("list", "--sysroot", "/nonexistent"): "--sysroot: /nonexistent",
        ("--only", "vulcan"): "vulkan",
        ("--skip", "sysf"): "sysfs",
        ("recommend", "--for", "trainng"): "training",
        ("--budget", "soon"): "--budget",
        ("--timeout", "-3"): "--timeout",
        ("--color", "neverr"): "never",
        ("--device", "cpu:O"): "cpu:0",
        ("--replay", "/nonexistent/dir"): "/nonexistent/dir",
        ("--record", "/nonexistent/dir/new"): "/nonexistent/dir",
        ("--record", "-"): "--record keeps a directory: name one",
        ("--record", "/proc/new"): "/proc: may not be written",
        ("--sysroot", "/nonexistent/root"): "/nonexistent/root",
        ("--quick", "--thorough"): "--thorough",
        ("recommend", "--require", "gpuu"): "gpu",
        ("--device",): "--device",
        ("--for", "trainning"): "belongs to recommend",
        ("--budget", "abc"): "'abc' is not a number of seconds above 0",
        ("--budget", "-1"): "'-1' is not a number of seconds above 0",
        ("--budget", "1e-300"): "from 0.001 on",
        ("list", "--exit-code"): "--exit-code belongs to the report and recommend",
        ("help", "lst"): "list",
        ("--request", "-"): "standard input: is not read here",
        ("compare", "--only", "a.json", "b.json"): "compare takes two files and no --only",
        ("--json=maybe",): "--json takes no value",
        ("--sysroot", ""): "--sysroot: ''",
        ("compare", "", "b.json"): "'': names no file",
        ("list", "--", "--json"): "list takes no '--json'",
        ("recommend", "--among", "cuda,vulcan"): "--among: 'vulcan' is not a value; did you mean 'vulkan'?",
        ("recommend", "--min-memory", "12G"): "12GiB, 16GB, 8000MiB",
        ("recommend", "--can", "vulkan", "--among", "cuda"): "--can and --among exclude each other",
        ("recommend", "--require", "nvidia"): "did you mean 'cuda'?; known are gpu, ",
    }

    def test_bad_input_is_code_2_one_line_and_nothing_on_stdout(self):
        for arguments, expected in self.CASES.items():
            with self.subTest(arguments):
                process = run(*arguments)
                self.assertEqual(2, process.returncode, process.stderr)
                self.assertEqual("", process.stdout)
                self.assertEqual(1, process.stderr.count("\n"), process.stderr)
                self.assertIn(expected, process.stderr)


    def test_another_request_is_predicted_from_the_same_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            request = pathlib.Path(folder) / "request.json"
            request.write_text('{"inference": {"model": "Mine", "format": "F16", "weights": "fp16", '
                               '"parameters": 7504924672, "weight_bytes": 9840000000}}')
            replay = ("--replay", FIXTURES / "three_way_tie", "--json")
            usual, mine = (document(run(*replay, *more)) for more in ((), ("--request", request)))
            self.assertEqual(usual["measurements"], mine["measurements"])
            for before, after in zip(usual["scores"], mine["scores"]):
                if before["use"] == "decode" and before.get("tokens_per_s"):
                    self.assertLess(after["tokens_per_s"]["value"], before["tokens_per_s"]["value"])
                    self.assertGreater(2.01 * after["tokens_per_s"]["value"], before["tokens_per_s"]["value"])
            text = run("--replay", FIXTURES / "three_way_tie", "--request", request).stdout
            self.assertIn("Mine F16, 512 tokens in, 128 out", text)
            answer = document(run("recommend", *replay, "--request", request))
            for found in (mine, answer):
                self.assertEqual("Mine", found["request"]["inference"]["model"])
            (score,) = [one for one in mine["scores"] if one["use"] == "inference" and one["runtime"] ==
                        answer["recommendation"]["backend"] and one["device_id"] == answer["recommendation"]["device_id"]]
            for key in ("request_s", "first_token_s", "writing_tokens_per_s"):
                self.assertEqual(score[key], answer["recommendation"][key])
            self.assertIn(f"{answer['recommendation']['writing_tokens_per_s']['value']:.2g} tokens/s", text)
            request.write_text('{"inference": {"layer": 3}}')
            for command in ((), ("recommend",), ("list",)):
                bad = run(*command, "--replay", FIXTURES / "three_way_tie", "--request", request)
                self.assertEqual((2, "", 1), (bad.returncode, bad.stdout, bad.stderr.count("\n")), bad.stderr)

    def test_a_directory_that_is_gone_is_named(self):
        for arguments in (("list", "--record", "new"), ("--record", "a/new")):
            with tempfile.TemporaryDirectory() as holder:
                process = subprocess.run(["sh", "-c", 'mkdir gone && cd gone && rmdir "$PWD" && exec "$@"', "sh", str(BINARY), *arguments],
                                         cwd=holder, capture_output=True, text=True, timeout=60, env=environment())
            self.assertEqual((2, ""), (process.returncode, process.stdout))
            self.assertRegex(process.stderr, r"\Awhichgpu: --record: (a/)?new is not absolute, and the current directory is gone\n\Z")


class ExitCodes(unittest.TestCase):
    def test_the_last_line_says_why_and_those_before_are_notes_and_warnings(self):
        server = ("--target", "llama.cpp", "--replay", FIXTURES / "plain_server")
        for arguments, code, why in ((("--format", "pip"), 1, "is no Python package"),
                                     (("--require", "gpu"), 1, "required gpu, got cpu"),
                                     (("--among", "vulkan", "--json"), 1, "no answer for --target llama.cpp --among"),
                                     (("--device", "no such"), 2, "is no device here")):
            process = run("recommend", *arguments, *server)
            with self.subTest(arguments):
                *before, last = process.stderr.splitlines()
                self.assertEqual(code, process.returncode)
                self.assertRegex(last, r"\Awhichgpu: (?!note: |warning: |it needs: )")
                self.assertIn(why, last)
                for line in before:
                    self.assertRegex(line, r"\Awhichgpu: (note|warning|it needs): ")

    def test_what_nothing_showed_to_work_meets_no_requirement(self):
        card = ("--assume", "vendor=amd,gfx=gfx1100,memory=24GiB,runtime=none,glibc=2.39")
        for required, reason in (("hip", "required hip, and nothing showed that hip works here"),
                                 ("gpu", "required gpu, and nothing showed that hip works here"),
                                 ("cuda", "required cuda, got hip: ")):
            process = run("recommend", "--for", "training", "--require", required, *card)
            self.assertEqual(1, process.returncode, process.stderr)
            self.assertIn(reason, process.stderr)
        self.assertEqual(0, run("recommend", "--for", "training", "--target", "pytorch", "--require", "hip", *card).returncode)

    def test_requirements(self):
        self.assertEqual(0, run("recommend", "--no-calibrate", "--require", "cpu", "--only", "cpu").returncode)
        for requirement, reason in (("gpu", "required gpu, got cpu: "), ("cuda", "required cuda, got cpu: ")):
            process = run("recommend", "--no-calibrate", "--require", requirement, "--only", "cpu")
            self.assertEqual((1, "cpu\n"), (process.returncode, process.stdout))
            self.assertIn(reason, process.stderr)

    def test_what_is_not_met_says_why_of_what_was_required(self):
        fixtures = SOURCE / "tests" / "fixtures"
        card = ("--assume", "name=RTX 4090")
        for requirement, machine, reason in (
                ("vulkan", card, r"got cuda: Vulkan: the description does not say that it is installed \(runtime=vulkan\)"),
                ("hip", card, "got cuda: ROCm: it is for GPUs of AMD alone, and none is described"),
                ("metal", card, "got cuda: Metal is part of macOS"),
                ("cpu", card, r"got cuda: cpu on processor is slower: it is estimated at \d+ % of the speed of cuda on RTX 4090 "
                              r"\([\d.]+ and [\d.]+ tokens/s\)"),
                ("gpu", ("--replay", fixtures / "cpu_ahead_of_igpu"),
                 r"got cpu: opencl on UHD Graphics 770 is slower: it should reach \d+ % .*\([\d.]+ and [\d.]+ tokens/s\)"),
                ("cuda", ("--replay", fixtures / "cpu_ahead_of_igpu"), "got cpu: CUDA is for GPUs of NVIDIA, and none is in this machine")):
            with self.subTest(requirement, machine=machine):
                process = run("recommend", "--require", requirement, *machine)
                self.assertEqual(1, process.returncode)
                self.assertRegex(process.stderr.splitlines()[-1], f"required {requirement}, {reason}$")

    def test_a_gpu_that_was_not_asked_for_is_one_all_the_same(self):
        process = run("recommend", "--exit-code", "--device", "cpu:0", "--why", "--replay",
                      SOURCE / "tests" / "fixtures" / "denied_nodes")
        self.assertEqual(11, process.returncode, process.stderr)
        self.assertNotIn("no GPU in this machine", process.stderr)
        process = run("--exit-code", "--device", "cpu:0", "--replay", SOURCE / "tests" / "fixtures" / "gpu_beside_igpu")
        self.assertEqual(12, process.returncode, "a runtime reaches it")
        self.assertNotIn("worth renting", process.stdout)
        left_out = run("--exit-code", "--device", "cpu:0", "--skip", "cuda,vulkan,opencl", "--replay",
                       SOURCE / "tests" / "fixtures" / "gpu_beside_igpu")
        self.assertEqual(12, left_out.returncode, "nobody asked")

    def test_a_sysroot_may_be_relative(self):
        with tempfile.TemporaryDirectory() as root:
            card = pathlib.Path(root, "machine/sys/bus/pci/devices/0000:01:00.0")
            card.mkdir(parents=True)
            for name, value in (("vendor", "0x10de"), ("device", "0x2684"), ("class", "0x030000")):
                (card / name).write_text(value + "\n")
            process = run("--exit-code", "--sysroot", "machine", cwd=root)
            self.assertEqual(12, process.returncode, process.stderr)

    def test_a_sysroot_that_may_not_be_read_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "closed")
            root.mkdir(mode=0o111)
            as_user = (BINARY,)
            if os.access(root, os.R_OK):
                as_user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", BINARY)
                if not shutil.which("setpriv") or subprocess.run([*as_user, "--version"], stdout=subprocess.DEVNULL).returncode:
                    self.skipTest("skipped: root may read everything, and no other user can run the program here")
                os.chmod(folder, 0o755)
            process = subprocess.run([*as_user, "list", "--sysroot", root], capture_output=True, text=True)
            self.assertEqual((2, ""), (process.returncode, process.stdout))
            self.assertEqual(f"whichgpu: --sysroot: {root}: Permission denied\n", process.stderr)

    def test_files_tell_of_a_gpu_and_not_whether_a_runtime_reaches_it(self):
        """A card on the bus, and one that is part of the chip."""
        with tempfile.TemporaryDirectory() as root:
            for machine, file, text in (
                    ("card", "sys/bus/pci/devices/0000:01:00.0/uevent", "PCI_CLASS=30000\nPCI_ID=10DE:2684\n"),
                    ("chip", "sys/bus/platform/devices/17000000.gpu/uevent",
                     "DRIVER=gk20a\nOF_COMPATIBLE_0=nvidia,ga10b\nOF_COMPATIBLE_N=1\n")):
                path = pathlib.Path(root, machine, file)
                path.parent.mkdir(parents=True)
                path.write_text(text)
                for command, code in ((("list",), 0), (("list", "--verbose"), 0), (("list", "--json"), 0), ((), 0),
                                      (("--verbose",), 0), (("--json",), 0), (("--exit-code",), 12),
                                      (("recommend", "--why"), 0), (("recommend", "--json"), 0),
                                      (("recommend", "--exit-code", "--why"), 12)):
                    with self.subTest(machine=machine, command=command):
                        process = run(*command, "--sysroot", pathlib.Path(root, machine))
                        self.assertEqual(code, process.returncode, process.stderr)
                        text = " ".join((process.stdout + process.stderr).split())
                        self.assertIn("not asked", text.lower())
                        self.assertIn("--sysroot reads files only", text)
                        for claim in ("no runtime reaches it", "not usable", "none of them usable", "no GPU"):
                            self.assertNotIn(claim, text)

    def test_what_was_not_asked_is_told_so_and_neither_usable_nor_not(self):
        """Not a word of what could not be known, in text and JSON."""
        machine = SOURCE / "tests" / "fixtures" / "gpu_beside_igpu"
        for options, because in ((("--only", "cpu"), "--only leaves their runtimes out"),
                                 (("--skip", "cuda,vulkan,opencl"), "--skip leaves their runtimes out"),
                                 (("--skip", "cuda,vulkan"), "--skip leaves their runtimes out"),
                                 (("--only", "opencl"), "--only leaves their runtimes out")):
            with self.subTest(options):
                done = {command: run(*command, "--replay", machine, *options)
                        for command in (("list",), ("list", "--json"), ("--exit-code",), ("recommend", "--why"))}
                self.assertEqual([0, 0, 12, 0], [process.returncode for process in done.values()])
                for command, process in done.items():
                    text = " ".join((process.stdout + process.stderr).split())
                    self.assertIn(because, text, command)
                    for claim in ("no runtime reaches it", "not usable", "none of them usable"):
                        self.assertNotIn(claim, text, command)
        one = run("--exit-code", "--replay", machine, "--only", "cuda")
        self.assertEqual(0, one.returncode, "the other card's runtimes do not count against one that is usable")

    def test_the_root_by_any_other_name_is_this_machine(self):
        for name in ("//", "/.", "//./", "."):
            process = run("list", "--json", "--only", "cpu", "--sysroot", name, cwd="/")
            self.assertNotIn("installed", document(process)["host"], name)

    def test_a_link_to_some_root_is_a_tree(self):
        """It reads "/" for every process, and may be a container's."""
        self.assertIn("installed", document(run("list", "--json", "--sysroot", "/proc/self/root"))["host"])

    def test_a_record_of_other_files_replays_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "machine")
            card = root / "sys" / "bus" / "pci" / "devices" / "0000:01:00.0"
            card.mkdir(parents=True)
            for name, value in (("vendor", "0x10de"), ("device", "0x2684"), ("class", "0x030000")):
                (card / name).write_text(value + "\n")
            record = pathlib.Path(folder, "record")
            first = run("--sysroot", root, "--record", record)
            self.assertIn("--sysroot reads files only", first.stdout)
            self.assertEqual(first.stdout, run("--replay", record).stdout)

    def test_a_machine_without_a_gpu_is_10(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            process = run("--exit-code", "--sysroot", root)
            self.assertEqual(12, process.returncode, "nothing was looked at")
            self.assertIn("its /sys is empty", process.stdout)
            for untrue in ("worth renting", "has no device"):
                self.assertNotIn(untrue, process.stdout + run("list", "--sysroot", root).stdout)
            bridge = root / "sys" / "bus" / "pci" / "devices" / "0000:00:00.0"
            bridge.mkdir(parents=True)
            (root / "sys" / "class").mkdir()
            for name, value in (("vendor", "0x8086"), ("device", "0x4621"), ("class", "0x060000")):
                (bridge / name).write_text(value + "\n")
            process = run("--exit-code", "--sysroot", root)
            self.assertEqual(10, process.returncode, process.stderr)
            self.assertIn("there is no GPU in this machine", process.stdout)


class Records(unittest.TestCase):
    def test_a_run_without_an_answer_has_none_in_its_record(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder, "record")
            shutil.copytree(SOURCE / "tests" / "fixtures" / "plain_server", record)
            content = json.loads((record / "record.json").read_text())
            content.update(interrupted=True, measurements=[])
            (record / "record.json").write_text(json.dumps(content))
            process = run("recommend", "--replay", record)
            self.assertEqual((1, ""), (process.returncode, process.stdout))
            self.assertIn("interrupted before", process.stderr)
            self.assertEqual(0, run("--replay", record).returncode)

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="whichgpu-test-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def recorded(self, *arguments):
        """A run and its record, with measured scores but of a list: on a busy machine a brief one may get none."""
        for seconds in ("0.7", "2", "8", "30"):
            record = self.directory / "_".join(("record", *arguments, seconds))
            process = run(*arguments, "--budget", seconds, "--record", record, "--only", "cpu", "--no-cache")
            self.assertEqual(0, process.returncode, process.stderr)
            if "list" in arguments:
                return process, record
            answer = document(run("recommend", "--json", "--replay", record))["recommendation"]
            if answer["basis"] == "measured":
                return process, record
        self.fail("no run measured anything")

    def test_a_replay_prints_the_same(self):
        for arguments in ((), ("list",), ("--json",), ("recommend", "--json")):
            with self.subTest(arguments):
                first, record = self.recorded(*arguments)
                second = run(*arguments, "--replay", record, env=environment(HOME="/", USER="other", LANG="C.UTF-8"))
                self.assertEqual(0, second.returncode, second.stderr)
                self.assertEqual(first.stdout, second.stdout)

    def test_a_record_names_neither_host_nor_user(self):
        record = self.directory / "record"
        env = environment(HOME="/home/zaphodb", USER="zaphodb")
        self.assertEqual(0, run("list", "--record", record, env=env).returncode)
        host = os.uname().nodename
        for path in record.rglob("*"):
            if path.is_file():
                content = path.read_text(errors="replace")
                self.assertNotIn("zaphodb", content, path)
                if len(host) > 3 and host != "localhost":
                    self.assertNotIn(host, content, path)

    def test_broken_records_are_one_error(self):
        record = self.directory / "record"
        self.assertEqual(0, run("list", "--record", record).returncode)
        good = (record / "record.json").read_text()
        broken = {
            "truncated": good[:len(good) // 2],
            "empty": "",
            "not an object": "[1]",
            "deep": "[" * 100000,
            "wrong type": good.replace('"probes": [', '"probes": 3, "other": [', 1),
            "wrong enum": good.replace('"kind": "cpu"', '"kind": "toaster"', 1),
            "not utf-8": good.replace("ok", "o\udcff", 1),
            "format": good.replace('"format": 1', '"format": 7', 1),
        }
        for name, content in broken.items():
            with self.subTest(name):
                (record / "record.json").write_bytes(content.encode("utf-8", "surrogateescape"))
                process = run("list", "--replay", record)
                self.assertEqual(2, process.returncode, process.stdout)
                self.assertEqual("", process.stdout)
                self.assertEqual(1, process.stderr.count("\n"), process.stderr)
                self.assertIn("record.json", process.stderr)

    def test_the_name_of_a_record_may_end_in_a_slash(self):
        for existing in (False, True):
            record = self.directory / f"record{existing}"
            if existing:
                record.mkdir()
            process = run("list", "--record", f"{record}/")
            self.assertEqual(0, process.returncode, process.stderr)
            self.assertTrue((record / "record.json").is_file())
        self.assertEqual(2, len(list(self.directory.iterdir())))

    def test_a_link_is_no_new_directory(self):
        (self.directory / "elsewhere").mkdir()
        (self.directory / "link").symlink_to("elsewhere")
        (self.directory / "dangling").symlink_to("nowhere")
        for name in ("link", "dangling"):
            self.assertEqual(2, run("list", "--record", self.directory / name).returncode)

    def test_a_replay_can_be_narrowed_like_a_run(self):
        record = self.directory / "record"
        self.assertEqual(0, run("list", "--record", record).returncode)
        for arguments in (("--only", "cpu"), ("--skip", "opencl,vulkan")):
            value = document(run("list", "--json", "--replay", record, *arguments))
            modules = {probe["module"] for probe in value["probes"]}
            self.assertIn("cpu", modules)
            self.assertFalse({"opencl", "vulkan"} & modules)
            runtimes = {view["runtime"] for device in value["devices"] for view in device["views"]}
            self.assertFalse({"opencl", "vulkan"} & runtimes)

    def test_an_existing_directory_is_not_overwritten(self):
        (self.directory / "mine").write_text("precious")
        process = run("list", "--record", self.directory)
        self.assertEqual(2, process.returncode)
        self.assertEqual("precious", (self.directory / "mine").read_text())


if __name__ == "__main__":
    main()
