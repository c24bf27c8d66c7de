#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs commands that are recommended for this processor, as they are, and asks Python whether what they installed is what
the answer said. The packages are kept below $WHICHGPU_TEST_CACHE; without a registry that answers the tests skip."""
import hashlib
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import environment, main, run

BUILD = pathlib.Path(sys.argv[2]).resolve()
DOWNLOADED = pathlib.Path(os.environ.get("WHICHGPU_TEST_CACHE") or BUILD / "answers") / "downloaded" / "packages"
# Hundreds of megabytes are unpacked for a moment: not by way of a disk where there is a choice.
SHARED = pathlib.Path("/dev/shm")
MEMORY = (SHARED if os.access(SHARED, os.W_OK | os.X_OK) and shutil.disk_usage(SHARED).free > 1 << 30
          and not os.statvfs(SHARED).f_flag & os.ST_NOEXEC else None)
NETWORK = ("connection broken", "Connection", "HTTP error", "Temporary failure", "timed out", "ProxyError", "SSLError")
# Neither to be found nor a failure: a mirror that has nothing, or a Python for which there are no wheels yet.
UNKNOWN = "from versions: none"
# Program: the variable whose word has to be among what Python prints then.
PROGRAMS = {"onnxruntime": ("ARTEFACT", "import onnxruntime; print(*onnxruntime.get_available_providers())"),
            "mlx": ("BACKEND", "import mlx.core; print(mlx.core.default_device().type.name)")}


def python_with_pip():
    """This Python, or the one that ./dev test gives a pip; None without either."""
    if importlib.util.find_spec("pip"):
        return sys.executable
    vendor = BUILD.parent / "vendor" / "pip" / "bin" / "python3"
    return str(vendor) if vendor.exists() else None


def answer(program):
    """The word and the command, by the shell that an installer has, and the requirements."""
    asked = ("recommend", "--target", program, "--among", "cpu", "--no-calibrate")
    text = run(*asked, "--format", "shell").stdout
    script = f'eval "$1"; printf "%s\\0%s" "$WHICHGPU_{PROGRAMS[program][0]}" "$WHICHGPU_COMMAND"'
    word, command = subprocess.run(["sh", "-c", script, "sh", text], capture_output=True, text=True).stdout.split("\0")
    return word, command, run(*asked, "--format", "pip").stdout


class Packages(unittest.TestCase):
    def downloaded(self, python, requirements):
        """A folder with all that they need, from the registry when it is first asked for."""
        known = hashlib.sha256(f"{requirements}{sys.version_info[:2]}{os.uname().machine}".encode()).hexdigest()[:16]
        folder = DOWNLOADED / known
        if not folder.exists():
            DOWNLOADED.mkdir(parents=True, exist_ok=True)
            part = pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=DOWNLOADED))
            self.addCleanup(shutil.rmtree, part, ignore_errors=True)
            (part / "requirements.txt").write_text(requirements)
            process = subprocess.run(
                [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary", ":all:",
                 "--retries", "1", "--timeout", "20", "-d", part, "-r", part / "requirements.txt"],
                env=environment(), capture_output=True, text=True, timeout=500)
            if process.returncode and any(word in process.stderr for word in (*NETWORK, UNKNOWN)):
                self.skipTest(f"no package registry answers: {process.stderr.strip().splitlines()[0]}")
            self.assertEqual(0, process.returncode, process.stderr)
            part.rename(folder)
        return folder

    def check(self, program):
        python = python_with_pip()
        if not python:
            self.skipTest("no Python here has pip")
        word, command, requirements = answer(program)
        packages = self.downloaded(python, requirements)
        with tempfile.TemporaryDirectory(prefix="whichgpu-packages-", dir=MEMORY) as folder:
            subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
            own = pathlib.Path(folder) / "bin" / "python"
            pip = own.parent / "pip"
            pip.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} -m pip --python {shlex.quote(str(own))} "$@"\n')
            pip.chmod(0o755)
            settings = environment(PATH=f"{own.parent}:{os.environ['PATH']}", PIP_NO_INDEX=1, PIP_FIND_LINKS=packages,
                                   PIP_NO_COMPILE=1, PIP_DISABLE_PIP_VERSION_CHECK=1, PIP_QUIET=1, PYTHONDONTWRITEBYTECODE=1)
            process = subprocess.run(["sh", "-c", command], env=settings, capture_output=True, text=True, timeout=300)
            self.assertEqual(0, process.returncode, f"{command}\n{process.stderr}")
            seen = subprocess.run([own, "-B", "-c", PROGRAMS[program][1]], env=settings, capture_output=True, text=True,
                                  timeout=60)
            self.assertIn(word, seen.stdout.split(), f"after {command}: {seen.stderr}")

    def test_onnxruntime(self):
        self.check("onnxruntime")

    def test_mlx(self):
        self.check("mlx")


main()
