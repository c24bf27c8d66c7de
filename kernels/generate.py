#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the committed device code from its sources: `./dev kernels [LANGUAGE...]` does it for cuda, glsl, hip and spirv.

generate.py [LANGUAGE...]            makes what is stale
generate.py --all [LANGUAGE...]      makes everything
generate.py --check [LANGUAGE...]    names what is stale and fails; needs no compiler

A row of kernels/<language>/modules.txt is a module: its name, its source (below kernels/), settings NAME=VALUE of the
language, and definitions -DNAME=VALUE. Of CUDA's and HIP's sources, which are templates, a module is the source with all
that it includes as one text, in which each definition's name, and MODULE, is replaced by its value, a `##` joins words, and
`#ifdef NAME` asks for a definition. What is made begins with the hash of what it was made of and names its compiler.
"""
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field

KERNELS = pathlib.Path(__file__).resolve().parent
SPDX = "// SPDX-License-Identifier: MIT\n"
INCLUDE = re.compile(r'^#include "(?:kernels/)?([^"]+)"\n', re.M)
NVCC_OPTIONS = ["-ptx", "-std=c++17", "-O3"]


@dataclass
class Module:
    language: str
    name: str
    source: str
    settings: dict = field(default_factory=dict)
    definitions: list = field(default_factory=list)  # "-DNAME=VALUE" or "-DNAME"

    def values(self):
        pairs = (definition.removeprefix("-D").partition("=") for definition in self.definitions)
        return {"MODULE": self.settings.get("copies", self.name), **{name: value for name, _, value in pairs}}


def modules(language):
    for line in (KERNELS / language / "modules.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, source, *rest = line.split()
            yield Module(language, name, source, dict(word.split("=", 1) for word in rest if not word.startswith("-")),
                         [word for word in rest if word.startswith("-")])


def read(name):
    return (KERNELS / name).read_text()


def whole(module, read=read, skip=(), before=()):
    """The text of a module of CUDA or HIP. `read` returns a file below kernels/, `skip` is not included, `before` comes
    first."""
    seen = set(skip)

    def included(name):
        if name in seen:
            return ""
        seen.add(name)
        return INCLUDE.sub(lambda match: included(match.group(1)), read(name).replace("#pragma once\n", ""))

    values = module.values()
    head = "".join(included(name) for name in before)
    seen.add(module.source)
    own = re.sub(r"^#ifdef ([A-Z]\w+)\n(.*?)^#endif\n", lambda part: part.group(2) if part.group(1) in values else "",
                 read(module.source), flags=re.M | re.S)
    own = re.sub(r"\b\w+\b", lambda word: values.get(word.group(), word.group()), own).replace("##", "")
    return head + INCLUDE.sub(lambda match: included(match.group(1)), own)


def without_comments(text):
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//"))
    return "\n".join(lines) + "\n"


def digest(*texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def version_of(command):
    return subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout


class Cuda:
    """PTX, which nvcc (13) makes; .version and .target are lowered to those of the row, so that old drivers take it."""
    folder, suffix = "ptx", ".ptx"

    def fingerprint(self, module):
        settings = module.settings
        text = without_comments(self.text(module))
        return digest(*NVCC_OPTIONS, settings["arch"], settings["version"], settings["target"], text)

    def text(self, module):
        return whole(module, before=["cuda/device.cuh"])

    def make(self, module):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not pathlib.Path(nvcc).exists():
            sys.exit("nvcc is not here: the committed PTX stays as it is")
        with tempfile.TemporaryDirectory() as folder:
            source, out = pathlib.Path(folder) / f"{module.name}.cu", pathlib.Path(folder) / "out.ptx"
            source.write_text(self.text(module))
            subprocess.run([nvcc, *NVCC_OPTIONS, "-diag-suppress=177", f"-arch={module.settings['arch']}", source, "-o", out],
                           check=True)
            text = out.read_text()
        release = re.search(r"V([\d.]+)", version_of([nvcc])).group(1)
        text = re.sub(r"//.*", "", text)
        text = re.sub(r"^\.version .*$", f".version {module.settings['version']}", text, flags=re.M)
        text = re.sub(r"^\.target .*$", f".target {module.settings['target']}", text, flags=re.M)
        lines = "\n".join(line.strip() for line in text.splitlines() if line.strip())
        return f"{SPDX}// made of {self.fingerprint(module)} by nvcc {release}\n{lines}\n"


class Hip:
    """Whole programs for hiprtc, which sees no files: nothing is compiled here."""
    folder, suffix = "programs", ".hip"

    def text(self, module):
        return without_comments(whole(module, skip=["cuda/device.cuh"], before=["hip/device.hip.h"]))

    def fingerprint(self, module):
        return digest(self.text(module))

    def make(self, module):
        return f"{SPDX}// made of {self.fingerprint(module)} by kernels/generate.py\n{self.text(module)}"


class Glsl:
    """SPIR-V words, which glslangValidator makes (of the path, or $GLSLANG; for matrix units 13 or later). The setting
    floats=bfloat16 turns a module's 16-bit floats into bfloat16, which few compilers know."""
    folder, suffix = "spirv", ".inc"

    def arguments(self, module):
        bfloat16 = ["--bfloat16"] if module.settings.get("floats") == "bfloat16" else []
        return ["--target-env", module.settings["env"], *module.definitions], bfloat16

    def text(self, name):
        return re.sub(r'^#include "([^"]+)"', lambda match: self.text("glsl/" + match.group(1)), read(name), flags=re.M)

    def fingerprint(self, module):
        arguments, own = self.arguments(module)
        return digest(*arguments, *own, self.text(module.source))

    def make(self, module):
        compiler = os.environ.get("GLSLANG", "glslangValidator")
        if not shutil.which(compiler):
            sys.exit(f"{compiler} is not here (Debian: glslang-tools): the committed SPIR-V stays as it is")
        arguments, own = self.arguments(module)
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "module.spv"
            subprocess.run([compiler, "-V", "-g0", "-S", "comp", *arguments, KERNELS / module.source, "-o", binary],
                           check=True, stdout=sys.stderr)
            content = binary.read_bytes()
        numbers = words_of(content)
        if own:
            numbers = with_bfloat16(numbers)
        words = lines_of(numbers)
        source = pathlib.Path(module.source).name
        return "\n".join([SPDX + f"// Generated: glslangValidator -V -g0 -S comp {' '.join([*arguments, *own])} {source}",
                          f"// {version_of([compiler]).splitlines()[0]}; arguments and source: sha256 "
                          f"{self.fingerprint(module)}", *words]) + "\n"


class Spirv:
    """SPIR-V words of OpenCL's kernels as a driver's own compiler would begin with them: clang 15 translates without a pass
    of its own, llvm-spirv 15 writes them (of the path, or $CLANG and $LLVM_SPIRV)."""
    folder, suffix = "modules", ".inc"
    front = ["-cl-std=CL1.2", "--target=spir64-unknown-unknown", "-O2", "-Xclang", "-disable-llvm-passes", "-Xclang",
             "-finclude-default-header", "-emit-llvm", "-c"]
    back = ["--spirv-max-version=1.2"]

    def before(self, module):
        return module.settings.get("with")

    def fingerprint(self, module):
        before = self.before(module)
        return digest(*self.front, *self.back, *module.definitions, *([read(before)] if before else []), read(module.source))

    def make(self, module):
        clang, translator = os.environ.get("CLANG", "clang-15"), os.environ.get("LLVM_SPIRV", "llvm-spirv-15")
        for tool in (clang, translator):
            if not shutil.which(tool):
                sys.exit(f"{tool} is not here (Debian: clang-15, llvm-spirv-15): the committed SPIR-V stays as it is")
        before = self.before(module)
        included = ["-include", KERNELS / before] if before else []
        with tempfile.TemporaryDirectory() as folder:
            bitcode, binary = pathlib.Path(folder) / "module.bc", pathlib.Path(folder) / "module.spv"
            subprocess.run([clang, *self.front, *included, *module.definitions, KERNELS / module.source, "-o", bitcode],
                           check=True)
            subprocess.run([translator, *self.back, bitcode, "-o", binary], check=True)
            content = binary.read_bytes()
        release = re.search(r"clang version ([\d.]+)", version_of([clang])).group(1)
        return "\n".join([SPDX + f"// made of {self.fingerprint(module)} by clang {release} and llvm-spirv",
                          *lines_of(words_of(content))]) + "\n"


def words_of(binary):
    return list(struct.unpack(f"<{len(binary) // 4}I", binary))


def lines_of(words):
    return textwrap.wrap(" ".join(f"{word:#x}," for word in words), 110)


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


LANGUAGES = {"cuda": Cuda(), "glsl": Glsl(), "hip": Hip(), "spirv": Spirv()}


def made(module):
    language = LANGUAGES[module.language]
    return KERNELS / module.language / language.folder / (module.name + language.suffix)


def stale(language):
    """The modules that were made of something else, and the files that belong to none."""
    rows = list(modules(language))
    old = [row for row in rows if not made(row).exists()
           or LANGUAGES[language].fingerprint(row) not in made(row).read_text()[:2000]]
    orphans = set(made(rows[0]).parent.iterdir()) - {made(row) for row in rows}
    return old, orphans


def main(arguments):
    options = {word for word in arguments if word.startswith("--")}
    languages = [word for word in arguments if word not in options] or list(LANGUAGES)
    if options - {"--all", "--check"} or set(languages) - set(LANGUAGES):
        sys.exit(__doc__)
    status = 0
    for language in languages:
        old, orphans = stale(language)
        if "--check" in options:
            for path in [made(module) for module in old] + sorted(orphans):
                print(f"{path.relative_to(KERNELS.parent)} is not what its source makes: run ./dev kernels {language}",
                      file=sys.stderr)
                status = 1
            continue
        for module in modules(language) if "--all" in options else old:
            print(f"making {made(module).relative_to(KERNELS.parent)}", file=sys.stderr)
            made(module).write_text(LANGUAGES[language].make(module))
        for path in orphans:
            path.unlink()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
