#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the committed SPIR-V words in spirv/ in step with the GLSL they were made from.

compile.py           compiles what is stale (glslangValidator on the path, or in $GLSLANG)
compile.py --all     compiles everything
compile.py --check   names what is stale and fails; needs no compiler
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def modules():
    """Of every module its name, its source and the arguments of the compiler."""
    for line in (HERE / "modules.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, source, *arguments = line.split()
            yield name, source, arguments


def text_with_includes(path):
    return INCLUDE.sub(lambda match: text_with_includes(HERE / match.group(1)), path.read_text())


def fingerprint(source, arguments):
    text = "\n".join([*arguments, text_with_includes(HERE / source)])
    return hashlib.sha256(text.encode()).hexdigest()


def committed(name):
    """The fingerprint in a module's words, or nothing."""
    path = HERE / "spirv" / f"{name}.inc"
    match = re.search(r"sha256 ([0-9a-f]{64})", path.read_text()) if path.exists() else None
    return match and match.group(1)


def compile_module(name, source, arguments):
    compiler = os.environ.get("GLSLANG", "glslangValidator")
    with tempfile.TemporaryDirectory() as scratch:
        binary = pathlib.Path(scratch) / "module.spv"
        command = [compiler, "-V", "-S", "comp", *arguments, str(HERE / source), "-o", str(binary)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        content = binary.read_bytes()
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    words = [f"0x{int.from_bytes(content[i:i + 4], 'little'):08x}," for i in range(0, len(content), 4)]
    lines = ["// SPDX-License-Identifier: MIT",
             f"// Generated: glslangValidator -V -S comp {' '.join(arguments)} {source}",
             f"// {version}; arguments and source: sha256 {fingerprint(source, arguments)}"]
    lines += [" ".join(words[i:i + 10]) for i in range(0, len(words), 10)]
    (HERE / "spirv" / f"{name}.inc").write_text("\n".join(lines) + "\n")


def main(options):
    table = list(modules())
    stale = [row for row in table if committed(row[0]) != fingerprint(*row[1:])]
    if options == ["--check"]:
        orphans = {path.stem for path in (HERE / "spirv").glob("*.inc")} - {row[0] for row in table}
        for name in [row[0] for row in stale] + sorted(orphans):
            print(f"spirv/{name}.inc is not what its source makes: run kernels/glsl/compile.py", file=sys.stderr)
        return 1 if stale or orphans else 0
    for row in table if options == ["--all"] else stale:
        compile_module(*row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
