#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes C++ headers of what AMD's Python bindings say of the newest ROCm, whose own headers no small package brings:
signatures and layouts from their Cython declarations (.pxd), numbers from the modules, which load no library for that.

headers_of_bindings.py WHEELS OUT    WHEELS holds the unpacked wheels, a folder each; writes OUT/<header> for every one of HEADERS

A header has what the test that includes it and the list of symbols name, and what that needs.
"""
import enum
import importlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# header -> the module that declares it, others whose types it takes, the test, and the list whose names begin so
HEADERS = {
    "hip/hip_version.h": ("hip", [], "hip_abi_test.cpp", None, ""),
    "hip/hip_runtime_api.h": ("hip", [], "hip_abi_test.cpp", None, ""),
    "hip/hiprtc.h": ("hiprtc", [], "hip_abi_test.cpp", None, ""),
    "hipblaslt/hipblaslt.h": ("hipblaslt", ["hipblas", "hip"], "hipblaslt_abi_test.cpp", "blas_lt_symbols.def", "hipblasLt"),
    "nccl.h": ("rccl", ["hip"], "nccl_abi_test.cpp", "nccl_symbols.def", ""),  # RCCL's, by the name that the test knows
}
CONSTANTS = "hip/hip_version.h"  # of HIP, which two headers would define twice


def declarations(text):
    """name -> its C++ text with {values} for enumerators; enumerator -> the name of its enumeration."""
    found, enumerators = {}, {}
    lines = [line.split("#")[0].rstrip() for line in text.splitlines()]
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        depth = len(lines[at]) - len(lines[at].lstrip())
        at += 1
        body = []
        if opened := re.match(r"(?:cdef|ctypedef) (struct|union|enum)\s*(\w*)[^:]*:$", line):
            while at < len(lines) and (not lines[at] or len(lines[at]) - len(lines[at].lstrip()) > depth):
                body += [lines[at].strip()] if lines[at].strip() not in ("", "pass") else []
                at += 1
            kind, name = opened.groups()
            if kind == "enum":
                name = name or f"Unnamed{at}"
                enumerators.update((row, name) for row in body)
                found[name] = ("enum", name, body)
            else:
                found[name] = (kind, name, body)
        elif match := re.match(r"ctypedef (.+?)(\w+)$", line):
            found.setdefault(match.group(2), ("typedef", match.group(2), [match.group(1)]))
        elif match := re.match(r"cdef (.+?)(\w+)\((.*)\) (?:except|noexcept)", line):
            found[match.group(2)] = ("function", match.group(2), [match.group(1), match.group(3)])
        elif match := re.match(r"cdef (?:int|size_t) (\w+)$", line):
            found[match.group(1)] = ("constant", match.group(1), [])
    return found, enumerators


def numbers(module):
    values = {}
    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            values.update((member, int(number)) for member, number in value.__members__.items())
        elif isinstance(value, int):
            values[name] = value
    return values


class Header:
    def __init__(self, found, enumerators, values):
        self.found, self.enumerators, self.values = found, enumerators, values
        self.done, self.lines = set(), []

    def add(self, name):
        name = self.enumerators.get(name, name)
        if name in self.done or name not in self.found:
            return
        self.done.add(name)
        kind, _, body = self.found[name]
        if kind not in ("enum", "constant"):
            for word in re.findall(r"\w+", " ".join(body)):
                self.add(word)
        self.lines += self.text(kind, name, body)

    def text(self, kind, name, body):
        if kind == "enum":
            rows = [f"  {row} = {self.values[row]}," for row in body if row in self.values]
            return [f"enum {name} {{", *rows, "};"]
        if kind in ("struct", "union"):
            return [f"{kind} {name} {{", *[f"  {field};" for field in body], "};"] if body else [f"{kind} {name};"]
        if kind == "typedef":
            return [f"typedef {body[0]}{name};"]
        if kind == "function":
            return [f"{body[0]}{name}({body[1]});"]
        return [f"constexpr long long {name} = {self.values[name]};"] if name in self.values else []


def words_of(test, symbols, prefix):
    words = set(re.findall(r"\w+", (ROOT / "tests/abi" / test).read_text()))
    if symbols:
        words |= {prefix + word for word in re.findall(r"\w+", (ROOT / "backends/stream" / symbols).read_text())}
    return words


def main(wheels, out):
    sys.path[:0] = [str(folder) for folder in wheels.glob("rocm-bindings-*")]
    importlib.import_module("rocm.bindings").__path__ = [
        str(folder) for folder in wheels.glob("rocm-bindings-*/rocm/bindings")]
    for header, (own, others, test, symbols, prefix) in HEADERS.items():
        found, enumerators, values = {}, {}, {}
        for name in [*others, own]:
            pxd = next(wheels.glob(f"rocm-bindings-*/rocm/bindings/cy{name}.pxd")).read_text()
            for known, more in zip((found, enumerators), declarations(pxd)):
                known.update(more)
            values.update(numbers(importlib.import_module(f"rocm.bindings.{name}")))
        made = Header(found, enumerators, values)
        for word in sorted(words_of(test, symbols, prefix)):
            is_constant = found.get(word, ("",))[0] == "constant"
            if own != "hip" or is_constant == (header == CONSTANTS):
                made.add(word)
        path = out / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["#pragma once", "#include <cstddef>", "#include <cstdint>",
                                   'extern "C" {', *made.lines, "}", ""]))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
