#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`whichgpu recommend` as a script uses it: tokens, assignments, reasons."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import BINARY, SOURCE, document, environment, main, run, validate

FIXTURES = SOURCE / "tests" / "fixtures"
INSTALLER = SOURCE / "tests" / "cli" / "installer.sh"
STATUSES = {"measured", "cached", "estimated", "assumed", "none"}
VARIABLES = ("STATUS", "BACKEND", "DEVICE", "VISIBLE", "DRIVER", "NAME", "VENDOR", "ARCH", "DRIVER_VERSION", "API_VERSION",
             "MEMORY_MIB", "FREE_MIB", "FITS", "TARGET", "ARTEFACT", "INDEX", "ARCHITECTURES")
TARGETS = sorted(path.stem for path in (SOURCE / "data" / "targets").glob("*.json"))
QUOTED = ("COMMAND", "OPTIONS")  # of the formats that can quote: they have blanks
HOSTILE = ("$(touch canary)", "`touch canary`", "'; touch canary; '", '"; touch canary; "', "a\nb", "&& touch canary",
           "\\'$(touch canary)", "${IFS}touch${IFS}canary")


def install(*arguments, shell="sh", folder=None):
    return subprocess.run([shell, str(INSTALLER), str(BINARY), *map(str, arguments)], capture_output=True, text=True,
                          env=environment(), cwd=folder, timeout=60)


class Installer(unittest.TestCase):
    def test_every_machine_installs_in_every_shell(self):
        for folder in sorted(path.parent for path in FIXTURES.glob("*/record.json")):
            expected = document(run("recommend", "--json", "--replay", folder))["recommendation"]
            for shell in ("sh", "bash"):
                with self.subTest(folder.name, shell=shell):
                    process = install("--replay", folder, shell=shell)
                    self.assertEqual(0, process.returncode, process.stderr)
                    status, backend, device, _ = process.stdout.strip().split("|")
                    self.assertIn(status, STATUSES)
                    self.assertEqual((expected["backend"], expected["device_id"]), (backend, device))

    def test_every_machine_that_has_a_name_gets_an_answer(self):
        rows = (SOURCE / "data" / "machines.csv").read_text().splitlines()
        names = [row.split(",")[0] for row in rows if not row.startswith(("#", "name,"))]
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            with self.subTest(name):
                answer = document(run("recommend", "--json", "--assume-machine", name))["recommendation"]
                self.assertEqual("assumed", answer["basis"])
                self.assertNotEqual("cpu", answer["backend"])
        refused = run("recommend", "--assume-machine", "dgx-sparc")
        self.assertEqual((2, ""), (refused.returncode, refused.stdout))
        self.assertIn("did you mean 'dgx-spark'?", refused.stderr)

    def test_a_jetsons_programs_are_told_of_one_jetpack(self):
        jetpack6 = {"pytorch": "jetson-jp6", "ollama": "jetpack6", "vllm": "jetson-image"}
        for name, builds in (("jetson-orin", jetpack6), ("jetson-orin-nx", jetpack6), ("jetson-orin-nano", jetpack6),
                             ("jetson-orin-jetpack7", {"pytorch": "cu130-orin", "ollama": "cuda_v13-orin", "vllm": "cu130-orin"})):
            for target, build in builds.items():
                with self.subTest(name, target=target):
                    answer = document(run("recommend", "--json", "--assume-machine", name, "--target", target))
                    self.assertEqual(build, answer["recommendation"]["artefact"]["id"])
            for target in TARGETS:
                told = run("recommend", "--json", "--assume-machine", name, "--target", target).stdout
                self.assertNotRegex(told, "driver's version of this machine|driver's version are not", target)
            speed = document(run("recommend", "--json", "--assume-machine", name))["recommendation"]["tokens_per_s"]
            self.assertLess(speed["high"], 5 * speed["low"], "its rates are those of NVIDIA's data sheets")

    def test_the_live_machine_installs(self):
        process = install("--no-calibrate")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertTrue(process.stdout.startswith("estimated|"), process.stdout)

    def test_nothing_that_a_driver_says_is_executed(self):
        """Names, drivers and ids of a device that nothing else identifies."""
        base = json.loads((FIXTURES / "wide_names" / "record.json").read_text())
        for i, text in enumerate(HOSTILE):
            record = json.loads(json.dumps(base))
            for probe in record["probes"]:
                for device in probe["devices"]:
                    if device["runtime"] == "vulkan":
                        device.update(name=text, driver=text, identity={})
                for device in probe["hardware"]:
                    if device["source"] == "sysfs":
                        device.update(name=text, identity={})
            with tempfile.TemporaryDirectory() as directory:
                folder = pathlib.Path(directory)
                (folder / "record.json").write_text(json.dumps({**record, "measurements": []}))
                devices = document(run("--json", "--replay", folder))["devices"]
                found = [d["id"] for d in devices for view in d["views"] if view["runtime"] == "vulkan"]
                for measurement in record["measurements"]:
                    if measurement["runtime"] == "vulkan":
                        measurement.update(driver=text, device_id=found[0])
                (folder / "record.json").write_text(json.dumps(record))
                with self.subTest(text):
                    process = install("--replay", folder, shell="bash", folder=folder)
                    self.assertEqual(0, process.returncode, process.stderr)
                    self.assertIn("|vulkan|", process.stdout, "the hostile device is the answer")
                    self.assertEqual(["record.json"], [path.name for path in folder.iterdir()], i)


class TwoDrivers(unittest.TestCase):
    """Two drivers of one runtime for one card: every face names the one that was taken, and what selects it."""

    def machine(self, folder, manifest, share=0.5, runtime="vulkan", second="NVK"):
        """Its arguments: the second driver at that share of the speed of NVIDIA's own, with the manifest of that name."""
        record = json.loads((FIXTURES / "three_way_tie" / "record.json").read_text())
        (probe,) = [probe for probe in record["probes"] if probe["module"] == runtime]
        (first,) = probe["devices"]
        probe["devices"] = [{**first, "driver": driver, "manifest": manifest.format(driver.lower())}
                            for driver in ("NVIDIA", second)]
        figures = [one for one in record["measurements"] if one["runtime"] == runtime]
        record["measurements"] += [{**one, "driver": second, "rate": share * one["rate"]} for one in figures]
        (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
        return ("--replay", folder, "--only", f"{runtime},sysfs")

    def test_every_face_names_the_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            replay = self.machine(folder, "/usr/share/vulkan/icd.d/{}.json")
            answer = document(run("recommend", "--json", *replay))["recommendation"]
            self.assertEqual(("vulkan", "NVIDIA"), (answer["backend"], answer["driver"]))
            self.assertIn("it measures 94 % faster than vulkan (NVK)", " ".join(answer["reasons"]))
            selects = {"name": "VK_DRIVER_FILES", "value": "/usr/share/vulkan/icd.d/nvidia.json", "selects": "driver"}
            self.assertIn(selects, answer["environment"])
            env = run("recommend", "--format", "env", *replay).stdout
            self.assertIn("\nWHICHGPU_DRIVER=VK_DRIVER_FILES=/usr/share/vulkan/icd.d/nvidia.json\n", env)
            shell = run("recommend", "--format", "shell", *replay).stdout
            self.assertIn("\nWHICHGPU_DRIVER='VK_DRIVER_FILES=/usr/share/vulkan/icd.d/nvidia.json'\n", shell)
            why = run("recommend", "--why", *replay)
            self.assertIn("vulkan (NVIDIA) on GeForce RTX 3060", why.stderr)
            self.assertIn("vulkan (NVK) on GeForce RTX 3060", why.stderr)
            text = run(*replay).stdout
            self.assertTrue(text.startswith("Use vulkan (NVIDIA) on GeForce RTX 3060"), text)
            self.assertIn("export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/nvidia.json", text)

    def test_of_opencl_the_driver_is_named_and_no_variable_that_half_of_its_loaders_read(self):
        """To ocl-icd OCL_ICD_VENDORS may be a manifest, to Khronos's loader only a directory."""
        with tempfile.TemporaryDirectory() as folder:
            replay = self.machine(folder, "/etc/OpenCL/vendors/{}.icd", runtime="opencl", second="rusticl")
            env = run("recommend", "--format", "env", *replay).stdout
            self.assertIn("\nWHICHGPU_DRIVER=\n", env)
            why = run("recommend", "--why", *replay)
            self.assertIn("opencl (NVIDIA) on GeForce RTX 3060", why.stderr)
            self.assertIn("opencl (rusticl) on GeForce RTX 3060", why.stderr)
            text = run(*replay).stdout
            self.assertTrue(text.startswith("Use opencl (NVIDIA) on GeForce RTX 3060"), text)
            self.assertNotIn("OCL_ICD_VENDORS", text)

    def test_only_those_alike_share_a_place(self):
        for share, tie in ((0.98, True), (0.5, False)):
            with self.subTest(share), tempfile.TemporaryDirectory() as folder:
                text = run("--details", *self.machine(folder, "/usr/share/vulkan/icd.d/{}.json", share)).stdout
                inference = text[text.index("Inference"):text.index("Training")]
                self.assertEqual(tie, bool(re.search(r"1= *vulkan \(NVIDIA\)", inference)), inference)
                self.assertEqual(tie, bool(re.search(r"1= *vulkan \(NVK\)", inference)), inference)

    def test_a_path_that_needs_quoting_is_not_said(self):
        for manifest in ("/usr/share/{}.json;touch canary|sh", "/opt/my drivers/{}.json", "/opt/`id`/{}.json", "{}.json",
                         "/" + 200 * "x" + "/{}.json"):
            with self.subTest(manifest), tempfile.TemporaryDirectory() as folder:
                replay = self.machine(folder, manifest)
                self.assertIn("\nWHICHGPU_DRIVER=''\n", run("recommend", "--format", "shell", *replay).stdout)
                self.assertNotIn("export", run(*replay).stdout)


class WhatACallerHas(unittest.TestCase):
    """--among, --exclude, --min-memory and --can: another answer from the same figures, or none and why."""
    machine = ("--replay", FIXTURES / "rocm_prefill_vulkan_decode", "--for", "decode")

    def test_an_installer_gets_the_best_of_what_it_has(self):
        self.assertEqual("vulkan\n", run("recommend", *self.machine).stdout)
        whole = document(run("recommend", "--json", *self.machine))["recommendation"]
        answer = document(run("recommend", "--json", "--among", "cuda,hip,cpu", *self.machine))["recommendation"]
        self.assertEqual("hip", answer["backend"])
        reasons = {option["runtime"]: option["reason"] for option in answer["rejected"]}
        self.assertEqual("not among cuda, hip and cpu, which --among names", reasons["vulkan"])
        self.assertIn("it measures 88 % of the speed of vulkan, which --among leaves out", answer["reasons"])
        for words, token in ((("--exclude", "vulkan"), "hip"), (("--exclude", "7900"), "cpu"), (("--can", "hip"), "hip"),
                             (("--min-memory", "30GiB"), "cpu"), (("--exclude", "pci:0000:03,cpu:0"), None)):
            with self.subTest(words):
                process = run("recommend", *words, *self.machine)
                self.assertEqual((0, f"{token}\n") if token else (1, ""), (process.returncode, process.stdout))
        self.assertEqual(whole, document(run("recommend", "--json", "--min-memory", "1", *self.machine))["recommendation"])

    def test_where_nothing_is_left_every_face_says_so(self):
        for words, reason in ((("--among", "opencl,metal"), "OpenCL is installed but has no device"),
                              (("--can", "opencl"), "OpenCL is installed but has no device"),
                              (("--min-memory", "1TiB"), "can be used, and --min-memory asks for 1.0 TiB"),
                              (("--exclude", "cpu,7900"), "--exclude leaves out what is known to work here")):
            with self.subTest(words):
                line = f"whichgpu: no answer for {words[0]} "
                process = run("recommend", "--json", *words, *self.machine)
                self.assertEqual(1, process.returncode)
                self.assertRegex(process.stderr, rf"\A{line}.*{re.escape(reason)}.*\n\Z")
                found = document(process)
                validate(found, "recommend")
                self.assertNotIn("recommendation", found)
                self.assertIn(reason, found["no_answer"]["reason"])
                self.assertEqual("decode", found["no_answer"]["use"])
                self.assertTrue(found["no_answer"]["rejected"])
        words = ("--can", "opencl", *self.machine)
        empty = [f"WHICHGPU_{name}=''" for name in (*VARIABLES[1:], *QUOTED)]
        process = run("recommend", "--format", "shell", *words)
        self.assertEqual((1, ["WHICHGPU_STATUS='none'", *empty]), (process.returncode, process.stdout.splitlines()))
        process = run("recommend", "--format", "cmake", *words)
        self.assertEqual((1, 'set(WHICHGPU_STATUS "none")'), (process.returncode, process.stdout.splitlines()[0]))
        self.assertRegex(run("recommend", "--why", *words).stderr, r"Else +vulkan on Radeon|\n +vulkan on Radeon")

    def test_words_that_mean_nothing_are_refused(self):
        for words, right in ((("--among", "rocm"), "did you mean 'hip'?"), (("--among", "gpu"), "--require gpu asks for any GPU; known are "),
                             (("--can", "nvidia"), "did you mean 'cuda'?"), (("--exclude", "no such"), "known are pci:"),
                             (("--exclude", "rocm"), "did you mean 'hip'?"), (("--min-memory", "12G"), "12GiB")):
            with self.subTest(words):
                process = run("recommend", *words, *self.machine)
                self.assertEqual((2, "", 1), (process.returncode, process.stdout, process.stderr.count("\n")))
                self.assertIn(right, process.stderr)


class NotAsked(unittest.TestCase):
    def test_a_gpu_that_an_option_leaves_out_is_not_called_unusable(self):
        replay = ("recommend", "--exit-code", "--replay", FIXTURES / "gpu_beside_igpu")
        for options, code in (((), 0), (("--only", "cpu"), 12), (("--only", "cpu", "--device", "pci:0000:01:00.0"), 12),
                              (("--device", "pci:0000:01:00.0"), 0)):
            with self.subTest(options):
                self.assertEqual(code, run(*replay, *options).returncode)


class TooSmall(unittest.TestCase):
    def test_what_the_processor_holds_is_not_said_to_fit_nothing(self):
        text = (SOURCE / "tests" / "fixtures" / "gpu_beside_igpu" / "record.json").read_text()
        record = json.loads(text)

        def shrink(node):
            for key, value in node.items() if isinstance(node, dict) else enumerate(node):
                if isinstance(value, (dict, list)):
                    shrink(value)
                elif key in ("memory_total_bytes", "memory_free_bytes", "vram_bytes") and 20 << 30 < value < 25 << 30:
                    node[key] = 4 << 30
        shrink(record["probes"])
        self.assertNotEqual(json.loads(text), record)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
            answers = [document(run("recommend", "--for", "training", "--json", *words, "--replay", folder))["recommendation"]
                       for words in ((), ("--target", "pytorch"))]
        self.assertEqual(["cpu", "cuda"], [answer["backend"] for answer in answers])
        for answer in answers:
            self.assertNotIn("nothing_fits", answer)
        self.assertIn("a step needs 21 GiB and 4.0 GiB are free", "\n".join(answers[1]["reasons"]))


    def test_every_format_says_that_nothing_fits(self):
        def told(*words):
            return run("recommend", "--assume", "name=RTX 4090,memory=1GiB,ram=2GiB,glibc=2.39,driver=580.65", *words)

        sentence = "nothing here fits Llama 3 8B Q4_K_M: it needs 5.1 GiB, and cuda on RTX 4090 has 1.0 GiB and the host 2.0 GiB"
        for words in ((), *(("--format", name) for name in ("shell", "env", "cmake")), ("--target", "pytorch"),
                      ("--target", "pytorch", "--format", "pip"), ("--target", "pytorch", "--format", "dockerfile")):
            with self.subTest(words):
                process = told(*words)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertEqual(1, process.stderr.count(sentence), process.stderr)
        for name, line in (("shell", "WHICHGPU_FITS='no'"), ("env", "WHICHGPU_FITS=no"), ("cmake", 'set(WHICHGPU_FITS "no")')):
            self.assertIn(line, told("--format", name).stdout.splitlines())
        answer = document(told("--json"))["recommendation"]
        self.assertEqual([1 << 30, 2 << 30], [answer["nothing_fits"][key] for key in ("available_bytes", "host_bytes")])
        shown = told("--why").stderr
        self.assertEqual(1, " ".join(shown.split()).lower().count(sentence.lower()), shown)

    def test_memory_that_nobody_says_is_named_with_its_key(self):
        process = run("recommend", "--assume", "name=RTX 3060")
        self.assertIn("warning: nobody says how much memory RTX 3060 has: it is supposed that Llama 3 8B Q4_K_M fits; say "
                      "how much, such as memory=24GiB", process.stderr)
        self.assertEqual("WHICHGPU_FITS=", next(line for line in run("recommend", "--assume", "name=RTX 3060", "--format", "env")
                                                .stdout.splitlines() if "FITS" in line))

    def test_memory_that_nobody_says_is_one_sentence_of_both_uses(self):
        for words, sentence in (("name=RTX 3060", "nobody says how much memory RTX 3060 has: it is supposed that Llama 3 8B "
                                                  "Q4_K_M and training fit; say how much, such as memory=24GiB"),
                                ("name=GTX 980", "nobody says how much memory the processor has: it is supposed to hold 1.2 GiB "
                                                 "of Llama 3 8B Q4_K_M and all of training; say how much, such as ram=64GiB")):
            with self.subTest(words):
                shown = " ".join(run("--details", "--assume", words).stdout.split())
                self.assertEqual(1, shown.count("nobody says"), shown)
                self.assertIn(sentence, shown)
                warnings = [answer["warnings"] for answer in document(run("--json", "--assume", words))["recommendations"]]
                self.assertTrue(all(any(one.startswith("nobody says") for one in of) for of in warnings), warnings)

    def test_a_weak_card_is_told_what_next_on_the_first_screen(self):
        smaller = " alone runs smaller models, or fewer bits a weight, up to "
        for words, told in (("name=GTX 1050 Ti", smaller), ("name=GTX 980", smaller), ("name=GTX 980,ram=32GiB", smaller),
                            ("name=GTX 1060 3GB,ram=32GiB", smaller), ("name=Tesla K20c", smaller),
                            ("cc=2.0,ram=32GiB", "llama.cpp: its build cpu-x64"),
                            ("name=Tesla K80,ram=32GiB", "llama.cpp: its build vulkan-x64")):
            with self.subTest(words):
                shown = run("--assume", words).stdout
                self.assertLessEqual(len(shown.splitlines()), 15, shown)
                self.assertIn(told, " ".join(shown.split()))
                if told == smaller:
                    self.assertIn(smaller, run("recommend", "--assume", words).stderr)

    def test_memory_that_a_cards_table_says_is_held_against_the_request(self):
        model = {"inference": {"model": "Llama 3.1 70B Q4_K_M", "parameters": 70.6e9, "weight_bytes": 42.5e9, "layers": 80,
                               "width": 8192}}
        with tempfile.TemporaryDirectory() as folder:
            request = pathlib.Path(folder) / "request.json"
            request.write_text(json.dumps(model))
            fits = {words: document(run("recommend", "--json", "--request", request, "--assume", f"name=RTX 4090,ram=16GiB{words}"))
                    ["recommendation"].get("nothing_fits") for words in ("", ",memory=48GiB")}
        self.assertEqual(24 << 30, fits[""]["available_bytes"])
        self.assertIsNone(fits[",memory=48GiB"], "what is said is more than what the table has")
        self.assertNotIn("nobody says", run("recommend", "--assume", "name=RTX 4090").stderr)


class NewerThanTheTables(unittest.TestCase):
    def test_a_card_of_no_table_is_a_gpu_for_every_program(self):
        record = json.loads((FIXTURES / "plain_server" / "record.json").read_text())
        card = {"source": "sysfs", "identity": {"pci": "0000:01:05.0", "ids": {"vendor": 0x1002, "device": 0x7599}},
                "name": "AMD device 1002:7599", "vendor": "AMD", "kind": "unknown", "kernel_driver": "amdgpu",
                "nodes": [{"path": "/dev/dri/renderD128", "exists": True, "openable": True}],
                "facts": [{"key": "pci_class", "value": "030000"}]}
        next(probe for probe in record["probes"] if probe["module"] == "sysfs")["hardware"] = [card]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "record.json").write_text(json.dumps(record))
            for target in ((), *(("--target", name) for name in TARGETS)):
                with self.subTest(target=target):
                    process = run("recommend", "--exit-code", "--replay", folder, *target)
                    # No build of the program is for any GPU of this machine, or its backend is not usable.
                    self.assertIn(process.returncode, (1, 11), process.stdout + process.stderr)
                    self.assertNotIn("no GPU in this machine", process.stdout + process.stderr)


class Described(unittest.TestCase):
    def test_a_report_asks_of_a_description_what_recommend_asks(self):
        programs = document(run("--json", "--assume", "vendor=nvidia"))["recommendations"][0]["programs"]
        self.assertTrue(programs)
        for program in programs:
            with self.subTest(program["target"]):
                self.assertEqual("its builds are told apart by cc, which is not said", program["reason"])
                self.assertNotIn("artefact", program)
                refused = run("recommend", "--assume", "vendor=nvidia", "--target", program["target"])
                self.assertEqual(2, refused.returncode)
                self.assertIn("cc: it is missing", refused.stderr)

    def test_nothing_is_asked_of_a_part_of_the_processor_beside_a_card(self):
        for part, untold in (("Arc Graphics", None), ("Radeon Graphics", "hip"), ("UHD Graphics 630", None),
                             ("Iris Xe", None)):
            for words in (("name=RTX 4070", f"name={part},count=2"), (f"name={part}", "name=RTX 4070")):
                with self.subTest(words):
                    process = run("recommend", *(word for one in words for word in ("--assume", one)), "--target", "pytorch")
                    self.assertEqual(0, process.returncode, process.stderr)
                    self.assertIn("/cu1", process.stdout)
                    text = f"no build for {untold} is looked at for {part}: PyTorch's are told apart by "
                    self.assertEqual(1 if untold else 0, process.stderr.count(text), process.stderr)
                    if untold is None:
                        self.assertNotIn("are told apart by", process.stderr, "none of those cards has a build, or all do")
        alone = run("recommend", "--assume", "name=Arc Graphics", "--target", "pytorch")
        self.assertIn("/xpu", alone.stdout, "each of the chips that are called so has it")
        apart = run("recommend", "--assume", "name=Arc Graphics", "--target", "vllm")
        self.assertEqual(2, apart.returncode)
        self.assertIn("Arc Graphics may have ip 12.71, 20.4, and its xpu-image is not for all of these", apart.stderr)
        for others in ((), ("--assume", "name=RX 7900 XTX")):
            beside = run("recommend", "--assume", "name=RTX 4070", "--assume", "vendor=nvidia", *others, "--target", "pytorch")
            self.assertIn("cc: it is missing", beside.stderr, "one build is for both")

    def test_nothing_is_asked_of_what_the_terms_leave_out(self):
        for terms in (("--among", "cpu"), ("--exclude", "cuda"), ("--exclude", "pci"), ("--device", "cpu")):
            with self.subTest(terms):
                process = run("recommend", "--assume", "vendor=nvidia", "--target", "pytorch", *terms)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertTrue(process.stdout.endswith("/cpu\n"), process.stdout)
        refused = run("recommend", "--assume", "vendor=nvidia", "--target", "pytorch", "--among", "cuda,cpu")
        self.assertEqual(2, refused.returncode)


class Formats(unittest.TestCase):
    def test_an_image_is_told_nothing_of_this_systems_python(self):
        for name, told in (("pip", True), ("dockerfile", False)):
            process = run("recommend", "--target", "pytorch", "--format", name, "--replay", FIXTURES / "plain_server")
            self.assertEqual(0, process.returncode, process.stderr)
            self.assertEqual(told, "virtual environment" in process.stderr, process.stderr)

    def test_a_dockerfile_has_nothing_for_another_system(self):
        process = run("recommend", "--target", "pytorch", "--format", "dockerfile", "--assume", "cc=8.9,driver=580.65,os=windows")
        self.assertEqual((1, ""), (process.returncode, process.stdout))
        self.assertIn("is for windows, and the lines of a Dockerfile are for Linux", process.stderr)

    def test_a_dockerfile_has_no_line_that_only_the_machine_itself_can_run(self):
        orin = ("--target", "tensorrt", "--assume", "name=Orin,driver=580.00,glibc=2.39")
        process = run("recommend", "--format", "dockerfile", *orin)
        self.assertEqual((1, ""), (process.returncode, process.stdout))
        self.assertIn("is installed on the machine itself, and in an image by no line", process.stderr)
        self.assertEqual("sudo apt-get install -y nvidia-jetpack\n", run("recommend", *orin).stdout)

    def test_a_gpu_that_is_required_tells_what_became_of_it(self):
        process = run("recommend", "--target", "vllm", "--require", "gpu", "--why", "--assume",
                      "name=GTX 1060,driver=535.104,glibc=2.35")
        self.assertEqual(1, process.returncode)
        self.assertIn("required gpu, got cpu: vLLM's cu130 has no code for 6.1", process.stderr)
        self.assertNotIn("error of measuring", process.stderr, "nothing was measured")

    def lines(self, *arguments):
        process = run("recommend", *arguments)
        self.assertEqual(0, process.returncode, process.stderr)
        return process.stdout.splitlines()

    def test_shell_env_and_cmake_are_assignments(self):
        replay = ("--replay", FIXTURES / "rocm_prefill_vulkan_decode")
        card = {"NAME": "Radeon_RX_7900_XTX", "VENDOR": "amd", "API_VERSION": "", "MEMORY_MIB": "24576", "FREE_MIB": "24576",
                "FITS": "yes"}
        hip = {"STATUS": "measured", "BACKEND": "hip", "DEVICE": "pci:0000:03:00.0",
               "VISIBLE": "HIP_VISIBLE_DEVICES=0", "DRIVER": "", "ARCH": "gfx1100", "DRIVER_VERSION": "7.1", **card}
        vulkan = {**hip, "BACKEND": "vulkan", "VISIBLE": "MESA_VK_DEVICE_SELECT=1002:744c", "ARCH": "",
                  "DRIVER_VERSION": "Mesa_25.2.6"}
        hip |= {"TARGET": "", "ARTEFACT": "", "INDEX": "", "ARCHITECTURES": "gfx1100", "COMMAND": "", "OPTIONS": ""}
        vulkan |= {"TARGET": "", "ARTEFACT": "", "INDEX": "", "ARCHITECTURES": ""}
        self.assertEqual([f"WHICHGPU_{name}='{hip[name]}'" for name in (*VARIABLES, *QUOTED)],
                         self.lines("--format", "shell", "--for", "prefill", *replay))
        self.assertEqual([f"WHICHGPU_{name}={vulkan[name]}" for name in VARIABLES],
                         self.lines("--format", "env", "--for", "decode", *replay))
        self.assertEqual([f'set(WHICHGPU_{name} "{hip[name]}")' for name in VARIABLES]
                         + ["set(WHICHGPU_COMMAND [=[]=])", 'set(WHICHGPU_OPTIONS "")'],
                         self.lines("--format", "cmake", "--for", "prefill", *replay))
        self.assertEqual("WHICHGPU_VISIBLE=''",
                         self.lines("--format", "shell", "--replay", FIXTURES / "plain_server")[3])

    def test_values_need_no_quoting(self):
        for folder in sorted(path.parent for path in FIXTURES.glob("*/record.json")):
            for line in self.lines("--format", "env", "--replay", folder):
                self.assertRegex(line, r"\AWHICHGPU_[A-Z_]+=[A-Za-z0-9_.:,#=/-]*\Z")

    def test_json_and_plain(self):
        replay = ("--replay", FIXTURES / "gpu_beside_igpu")
        self.assertEqual(["cuda"], self.lines("--format", "plain", *replay))
        self.assertEqual(run("recommend", "--json", *replay).stdout, run("recommend", "--format", "json", *replay).stdout)
        process = run("recommend", "--json", "--format", "shell", *replay)
        self.assertEqual((2, ""), (process.returncode, process.stdout))
        self.assertIn("shell", run("recommend", "--format", "shel", *replay).stderr)

    def test_why_goes_to_stderr(self):
        process = run("recommend", "--why", "--replay", FIXTURES / "wrong_backend")
        self.assertEqual("vulkan\n", process.stdout)
        self.assertIn("Radeon RX 6700 XT", process.stderr)
        self.assertRegex(process.stderr, r"hip on Radeon RX 6700 XT: its .* gave a\s+wrong result")
        self.assertNotIn("\x1b", process.stderr)

    def test_the_documented_tokens_are_those_of_the_tables(self):
        tokens = {path.stem for path in (SOURCE / "data" / "runtimes").glob("*.json")}
        self.assertEqual(tokens, set(re.search(r"^  (cpu\|.*)\) ;;", INSTALLER.read_text(), re.M).group(1).split("|")))
        documented = (SOURCE / "docs" / "scripts.md").read_text()
        for token in tokens | STATUSES | {f"WHICHGPU_{name}" for name in (*VARIABLES, *QUOTED)}:
            self.assertIn(f"`{token}`", documented)


main()
