#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every block of docs/installers.md as it stands there, with stand-ins for what it calls."""
import pathlib
import re
import shlex
import shutil
import sys
import unittest

from harness import SOURCE, main
from stubs import box, program

BUILD = pathlib.Path(sys.argv[2]).resolve()  # before a test works elsewhere
PAGE = (SOURCE / "docs" / "installers.md").read_text()
SCRIPTS = (SOURCE / "docs" / "scripts.md").read_text()
PC = "os=linux,arch=x86_64,glibc=2.39"
ADA = ("--assume", f"vendor=nvidia,cc=8.9,driver=580.65.06,memory=24GiB,{PC}")
RADEON = ("--assume", f"vendor=amd,gfx=gfx942,runtime=hip@7.1,{PC}")
MUSL = ("--assume", "vendor=none,os=linux,arch=x86_64,glibc=musl")
NO_GPU = ("--assume", f"vendor=none,{PC}")
TORCH = "torch>=2.12 torchvision --index-url HOST/whl/cu132"


def blocks(heading, language):
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S).group(1)
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)


class Every(unittest.TestCase):
    def test_block_is_run_here(self):
        """As many as the tests below take: whoever adds one adds its test."""
        self.assertEqual(["sh", "sh", "cmake", "cmake", "sh", "sh", "dockerfile", "sh", "sh", "yaml"],
                         re.findall(r"^```(\w+)$", PAGE, re.M))


class Readme(unittest.TestCase):
    def test_its_first_screen_is_what_the_program_says(self):
        text = (SOURCE / "README.md").read_text()
        shown = re.findall(r"^\$ (whichgpu recommend[^#\n]*)(?:#.*)?\n(.*)$", text, re.M)
        self.assertEqual(2, len(shown))
        for command, answer in shown:
            with box(*(() if "--assume" in command else NO_GPU)) as here:
                process = here.run("sh", "-c", command)
                self.assertEqual(answer + "\n", re.sub(r"https://[^/]+", "https://…", process.stdout), process.stderr)


class Scripts(unittest.TestCase):
    def test_its_first_example(self):
        block = re.search(r"^```sh\n(.*?)^```$", SCRIPTS, re.M | re.S).group(1)
        with box(*RADEON) as here:
            (here.folder / "run").symlink_to("/usr/bin/env")
            process = here.run("sh", "-c", block)
            self.assertIn("\nHIP_VISIBLE_DEVICES=0\n", process.stdout, process.stderr)
            self.assertEqual(["pip install torch>=2.14 torchvision --index-url HOST/whl/rocm7.14"], here.called("pip"))


class Shell(unittest.TestCase):
    def test_the_answer_is_installed_and_used(self):
        for shell in ("sh", "bash"):
            with box(*ADA) as here:
                process = here.run(shell, "-c", blocks("Shell", "sh")[0])
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertEqual("PyTorch's build cu132, for cuda on NVIDIA_8.9\n", process.stdout.replace("sm_89", "8.9"))
                self.assertEqual([f"pip install {TORCH}", "python3 -c import torch"], here.called("pip", "python3"))

    def test_it_ends_where_nothing_fits(self):
        with box(*MUSL) as here:
            process = here.run("sh", "-c", blocks("Shell", "sh")[0])
            self.assertEqual((1, []), (process.returncode, here.called("pip", "python3")))
            self.assertIn("needs glibc 2.28 or newer", process.stderr)

    def test_or_goes_on_without(self):
        for machine, words in ((ADA, "onnxruntime-gpu>=1.31"), (NO_GPU, "onnxruntime"), (MUSL, "onnxruntime")):
            with box(*machine) as here:
                process = here.run("sh", "-c", blocks("Shell", "sh")[1])
                self.assertEqual(0, process.returncode, process.stderr)
                (called,) = here.called("pip")
                self.assertEqual(words, called.split(" ")[2])


class CMake(unittest.TestCase):
    def configure(self, here, block, *arguments):
        (here.folder / "CMakeLists.txt").write_text(block)
        return here.run(program("cmake"), "-S", here.folder, "-B", here.folder / "build", *arguments)

    def test_by_its_module_and_by_none(self):
        module = f"-DCMAKE_MODULE_PATH={SOURCE / 'cmake'}"
        two = (*ADA, "--assume", "vendor=nvidia,cc=12.0")
        for block, arguments in zip(blocks("CMake", "cmake"), ((module,), ())):
            for machine, words in ((two, "backend cuda, architectures 89;120"), (RADEON, "backend hip, architectures gfx942"),
                                   (NO_GPU, "backend cpu, architectures")):
                with self.subTest(machine), box(*machine) as here:
                    process = self.configure(here, block, *arguments)
                    self.assertEqual(0, process.returncode, process.stderr)
                    self.assertIn(f"-- {words}", process.stdout)

    def test_its_module_passes_all_that_it_is_told(self):
        head = "cmake_minimum_required(VERSION 3.18)\nfind_package(Whichgpu 0.2 REQUIRED)\n"
        show = 'message(STATUS "<${WHICHGPU_STATUS}|${WHICHGPU_ARTEFACT}|${WHICHGPU_COMMAND}>")\n'
        said = {"TARGET onnxruntime AMONG cuda cpu OPTIONS --for prefill": "<assumed|CUDAExecutionProvider|pip install",
                "AMONG hip OPTIONAL": "<none||>", "OPTIONS --require cpu OPTIONAL": "<assumed||>"}
        for words, text in said.items():
            with self.subTest(words), box(*ADA) as here:
                process = self.configure(here, f"{head}whichgpu_recommend({words})\nproject(x LANGUAGES NONE)\n{show}",
                                         f"-DCMAKE_MODULE_PATH={SOURCE / 'cmake'}")
                self.assertIn(text, process.stdout, process.stderr)
                self.assertEqual("OPTIONAL" in words, "CMake Warning" in process.stderr, process.stderr)
        for words, text in {"AMONG hip": "no answer for --among hip", "AMONG cdua": "did you mean 'cuda'",
                            "TARGETS x": "'TARGETS;x' is neither"}.items():
            with self.subTest(words), box(*ADA) as here:
                process = self.configure(here, f"{head}whichgpu_recommend({words})\nproject(x LANGUAGES NONE)\n",
                                         f"-DCMAKE_MODULE_PATH={SOURCE / 'cmake'}")
                self.assertEqual(1, process.returncode)
                self.assertIn(text, " ".join(process.stderr.split()))

    def test_what_is_installed_is_found_with_its_program(self):
        with box(*ADA) as here:
            prefix = here.folder / "prefix"
            installed = here.run(program("cmake"), "--install", BUILD, "--prefix", prefix)
            self.assertEqual(0, installed.returncode, installed.stderr)
            block = blocks("CMake", "cmake")[0] + 'message(STATUS "by ${Whichgpu_EXECUTABLE}")\n'
            (here.folder.parent / "programs" / "whichgpu").unlink()
            block = block.replace("cpu)", "cpu OPTIONS --no-calibrate)")
            for place in (f"-DCMAKE_PREFIX_PATH={prefix}", f"-DWhichgpu_DIR={prefix}/share/cmake/whichgpu"):
                shutil.rmtree(here.folder / "build", ignore_errors=True)
                process = self.configure(here, block, place)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertIn(f"-- by {prefix}/bin/whichgpu\n", process.stdout)


class PipAndUv(unittest.TestCase):
    def test_the_file_of_requirements(self):
        with box(*ADA) as here:
            process = here.run("sh", "-c", blocks("pip and uv", "sh")[0])
            self.assertEqual(0, process.returncode, process.stderr)
            self.assertEqual(["pip install -r requirements.txt"], here.called("pip"))
            self.assertRegex((here.folder / "requirements.txt").read_text(),
                             r"\A--index-url https://[^/]+/whl/cu132\ntorch>=2\.12\ntorchvision\n\Z")
        with box(*RADEON) as here:
            process = here.run("sh", "-c", blocks("pip and uv", "sh")[1])
            self.assertEqual(0, process.returncode, process.stderr)
            self.assertEqual(["uv pip install -r requirements.txt"], here.called("uv"))
            self.assertRegex((here.folder / "requirements.txt").read_text(),
                             r"\A--extra-index-url https://[^/]+/rocm/\nvllm\n\Z")


# With what the commands of all programs begin with.
BASE = "FROM python:3.13\nRUN pip install uv cmake\n"


class Dockerfile(unittest.TestCase):
    def test_its_instructions(self):
        (block,) = blocks("Dockerfile", "dockerfile")
        instructions = [line.split(" ", 1) for line in block.replace("\\\n", "").splitlines()]
        self.assertEqual(["FROM", "COPY", "ARG", "RUN"], [word for word, _ in instructions])
        name, value = dict(instructions)["ARG"].split("=", 1)
        for machine, index in ((value, "cu132"), (f"vendor=none,{PC}", "cpu")):
            with box() as here:  # the machine that builds is not asked
                command = dict(instructions)["RUN"].replace("/tmp/", f"{here.folder}/")
                process = here.run("sh", "-c", command, **{name: machine})
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertEqual(["pip install --no-cache-dir -r HERE/requirements.txt"], here.called("pip"))
                self.assertIn(f"/whl/{index}\n", (here.folder / "requirements.txt").read_text())

    def test_images_and_flags(self):
        (block,) = blocks("Dockerfile", "sh")
        for machine, line, flags in (
                (RADEON, "FROM rocm/tensorflow:latest\n",
                 "--device /dev/kfd --device /dev/dri --group-add video --group-add render "),
                (ADA, f'{BASE}RUN pip install "tensorflow[and-cuda]>=2.18"\n', "--gpus all "),
                (NO_GPU, f"{BASE}RUN pip install tensorflow-cpu\n", "")):
            with self.subTest(machine), box(*machine) as here:
                process = here.run("sh", "-c", block)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertEqual(line, (here.folder / "Dockerfile").read_text())
                self.assertEqual(["docker build -t example .", f"docker run --rm {flags}example"], here.called("docker"))


    def test_the_image_has_a_python_that_the_build_has_wheels_for(self):
        """PyPI: 2.14.1 has wheels for Python 3.9 to 3.11, 2.11.1 for 3.7 to 3.10."""
        (block,) = blocks("Dockerfile", "sh")
        for driver, requirement, newest in (("525.60.13", "tensorflow[and-cuda]>=2.18", "3.13"),
                                            ("520.61.05", "tensorflow>=2.14,<2.15", "3.11"),
                                            ("470.256.02", "tensorflow>=2.11,<2.12", "3.10")):
            with self.subTest(driver), box("--assume", f"vendor=nvidia,cc=8.6,driver={driver},{PC}") as here:
                uv = here.folder.parent / "programs" / "uv"
                uv.unlink()
                uv.write_text(f"#!/bin/sh\ngrep -qxF '{requirement}' requirements.txt || exit 3\ncase $* in\n"
                              f"  *' --python-version {newest} '*) ;;\n  *) exit 1 ;;\nesac\n")
                uv.chmod(0o755)
                process = here.run("sh", "-c", block)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertEqual(f"FROM python:{newest}\n", (here.folder / "Dockerfile").read_text().splitlines(True)[0])


class Ci(unittest.TestCase):
    def test_later_steps_have_the_variables(self):
        (block,) = blocks("CI", "sh")
        with box(*ADA) as here:
            process = here.run("sh", "-c", block, GITHUB_ENV=str(here.folder / "variables"))
            self.assertEqual(0, process.returncode, process.stderr)
            lines = (here.folder / "variables").read_text().splitlines()
            self.assertTrue(all(re.fullmatch(r"[A-Z_]+=\S*", line) for line in lines), lines)
            self.assertIn("WHICHGPU_ARTEFACT=CUDAExecutionProvider", lines)
            self.assertTrue(here.called("pip")[0].startswith("pip install onnxruntime-gpu>=1.31 "))


class Ansible(unittest.TestCase):
    """By a stand-in for its three modules: command, copy, and what is registered."""

    def play(self, here, tasks, variables):
        def filled(text):
            def value(match):
                found = variables
                for word in match.group(1).split("."):
                    found = found[word]
                return found
            return re.sub(r"\{\{ ([a-z.]+) \}\}", value, text)

        for task in tasks:
            if copy := task.get("ansible.builtin.copy"):
                pathlib.Path(filled(copy["dest"])).write_text(filled(copy["content"]))
                continue
            process = here.run(*shlex.split(filled(task["ansible.builtin.command"])))
            if process.returncode:
                return process
            if "register" in task:
                variables[task["register"]] = {"stdout": process.stdout.rstrip("\n")}
        return process

    def test_its_tasks(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no python3-yaml to read the tasks with")
        tasks = yaml.safe_load(blocks("Ansible", "yaml")[0])
        for machine, text in ((ADA, "/whl/cu132\ntorch>=2.12\ntorchvision\n"), (MUSL, None)):
            with box(*machine) as here:
                (here.folder / "bin").mkdir()
                (here.folder / "bin" / "pip").symlink_to(here.folder.parent / "programs" / "stub")
                process = self.play(here, tasks, {"venv": str(here.folder)})
                if text is None:
                    self.assertEqual((1, []), (process.returncode, here.called("pip")))
                    self.assertIn("no answer for --target pytorch", process.stderr)
                    continue
                self.assertEqual(["pip install -r HERE/requirements.txt"], here.called("pip"))
                self.assertTrue((here.folder / "requirements.txt").read_text().endswith(text))


main()
