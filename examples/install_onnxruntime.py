#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs ONNX Runtime into a virtual environment, in the package for this machine, and writes down the execution provider
to be used:  install_onnxruntime.py FOLDER [OPTIONS OF whichgpu recommend...]
Lines that join or convert what whichgpu says, or hand it on, end in "glue"."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SETTINGS = "onnxruntime.json"
SHOW_PROVIDERS = "import json, onnxruntime; print(json.dumps(onnxruntime.get_available_providers()))"


def fail(text, code=1):
    print(f"install_onnxruntime: {text}", file=sys.stderr)
    sys.exit(code)


def ask(options):
    """What whichgpu recommends; ends with its own reason where nothing fits."""
    command = ["whichgpu", "recommend", "--target", "onnxruntime", "--format", "json", *options]  # glue
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if process.returncode:
        fail("no package fits here", process.returncode)
    return json.loads(process.stdout)["recommendation"]  # glue


def make_environment(folder):
    """The environment's variables; programs of the folder come first."""
    if not (folder / "bin" / "python").exists():
        subprocess.run(["python3", "-m", "venv", folder], check=True)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "VIRTUAL_ENV": str(folder)}


def providers(environment):
    process = subprocess.run(["python3", "-c", SHOW_PROVIDERS], env=environment, stdout=subprocess.PIPE, text=True)
    if process.returncode:
        fail("what was installed does not start here")
    return json.loads(process.stdout or "[]")


def main():
    if len(sys.argv) < 2:
        fail("it needs the folder of the environment", 2)
    folder = pathlib.Path(sys.argv[1]).absolute()
    if not shutil.which("whichgpu"):
        fail("whichgpu is not in PATH")
    answer = ask(sys.argv[2:])
    environment = make_environment(folder)
    if subprocess.run(answer["command"], shell=True, env=environment).returncode:  # glue
        fail("the installation failed")
    provider = answer["artefact"]["provider"]  # glue
    folder.mkdir(exist_ok=True)
    (folder / SETTINGS).write_text(json.dumps({"providers": [provider, "CPUExecutionProvider"]}) + "\n")
    if provider not in providers(environment):
        print(f"{provider} is a plug-in or lacks a library: {answer['artefact'].get('note', '')}")  # glue
    print(f"installed; {folder / SETTINGS} has what to create sessions with")


main()
