#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the committed SPIR-V words in spirv/ in step with the GLSL they were made from.

compile.py           compiles what is stale (glslangValidator on the path, or in $GLSLANG)
compile.py --all     compiles everything
compile.py --check   names what is stale and fails; needs no compiler

Modules for matrix units want glslang 13 or later. Of glslang's arguments one is our own: --bfloat16 turns the
module's 16-bit floats into bfloat16, which few compilers know.
"""
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import textwrap

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


def with_bfloat16(words):
    """The module with OpTypeFloat 16 in the encoding of SPV_KHR_bfloat16, used in cooperative matrices alone."""
    op_extension, op_capability, op_type_float = 10, 17, 22
    capability_float16, capability_bfloat16, capability_bfloat16_matrix = 9, 5116, 5118
    name = b"SPV_KHR_bfloat16".ljust(20, b"\0")
    added = [2 << 16 | op_capability, capability_bfloat16, 2 << 16 | op_capability, capability_bfloat16_matrix,
             6 << 16 | op_extension, *struct.unpack("<5I", name)]
    out, at, capabilities = words[:5], 5, True
    while at < len(words):
        code, size = words[at] & 0xffff, words[at] >> 16
        instruction = words[at:at + size]
        at += size
        if capabilities and code != op_capability:
            out, capabilities = out + added, False
        if code == op_type_float and instruction[2] == 16:
            instruction = [4 << 16 | op_type_float, instruction[1], 16, 0]
        if instruction != [2 << 16 | op_capability, capability_float16]:
            out += instruction
    return out


def compile_module(name, source, arguments):
    compiler = os.environ.get("GLSLANG", "glslangValidator")
    with tempfile.TemporaryDirectory() as scratch:
        binary = pathlib.Path(scratch) / "module.spv"
        own = [argument for argument in arguments if argument != "--bfloat16"]
        command = [compiler, "-V", "-g0", "-S", "comp", *own, str(HERE / source), "-o", str(binary)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        content = binary.read_bytes()
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    numbers = list(struct.unpack(f"<{len(content) // 4}I", content))
    if "--bfloat16" in arguments:
        numbers = with_bfloat16(numbers)
    words = " ".join(f"{number:#x}," for number in numbers)
    lines = ["// SPDX-License-Identifier: MIT",
             f"// Generated: glslangValidator -V -g0 -S comp {' '.join(arguments)} {source}",
             f"// {version}; arguments and source: sha256 {fingerprint(source, arguments)}"]
    lines += textwrap.wrap(words, 110)
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
