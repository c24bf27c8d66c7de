#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program for macOS asks of a Mac: its processor, its oldest macOS and its libraries, as the load commands of its
Mach-O file say (Apple, mach-o/loader.h).

mach_o.py FILE PROCESSOR MACOS exits with 1 and says what is wrong unless the file is a program for that processor (arm64,
x86_64) and for that macOS and newer (11.0), and needs libSystem alone, which every macOS is."""
import struct
import sys

MAGIC_64, EXECUTE = 0xfeedfacf, 2
PROCESSORS = {0x0100000c: "arm64", 0x01000007: "x86_64"}
LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB = 0xc, 0x80000018, 0x8000001f
LAZY_LOAD_DYLIB, LOAD_UPWARD_DYLIB = 0x20, 0x80000023
VERSION_MIN, BUILD_VERSION = 0x24, 0x32
# What is read of a command begins behind its own number and length, and is so many bytes long.
READ_BYTES = {**dict.fromkeys((LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB, LAZY_LOAD_DYLIB, LOAD_UPWARD_DYLIB), 4),
              BUILD_VERSION: 8, VERSION_MIN: 4}
PLATFORM_MACOS = 1
LIBRARIES = {"/usr/lib/libSystem.B.dylib"}


def version_text(number):
    return f"{number >> 16}.{number >> 8 & 0xff}"


def requirements(content):
    """{"processor", "macos", "libraries"} of a file of 64 bits, the least byte first; a ValueError where it is none."""
    if len(content) < 32:
        raise ValueError("it is too short for a program")
    magic, processor, _, kind, count, size = struct.unpack_from("<6I", content)
    if magic != MAGIC_64 or kind != EXECUTE:
        raise ValueError("it is no Mach-O program of 64 bits")
    found = {"processor": PROCESSORS.get(processor, hex(processor)), "macos": None, "libraries": []}
    at, end = 32, min(32 + size, len(content))
    for _ in range(count):
        if at + 8 > end:
            raise ValueError("it has fewer load commands than it says")
        command, length = struct.unpack_from("<2I", content, at)
        if length < 8 + READ_BYTES.get(command, 0) or at + length > end:
            raise ValueError("a load command reaches beyond its end")
        body = content[at:at + length]
        if command == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<2I", body, 8)
            found["macos"] = version_text(oldest) if platform == PLATFORM_MACOS else f"platform {platform}"
        elif command == VERSION_MIN:
            found["macos"] = version_text(struct.unpack_from("<I", body, 8)[0])
        elif command in READ_BYTES:
            start = struct.unpack_from("<I", body, 8)[0]
            found["libraries"].append(body[start:].split(b"\0")[0].decode(errors="replace"))
        at += length
    return found


def wrong_with(found, processor, macos):
    """What is not as it is wanted, a sentence each."""
    out = []
    if found["processor"] != processor:
        out.append(f"it is for {found['processor']}, not for {processor}")
    if found["macos"] != macos:
        out.append(f"it is for macOS {found['macos']}, not for {macos}")
    if not found["libraries"]:
        out.append("it needs no library, and no macOS starts such a program")
    out += [f"it needs {name}" for name in found["libraries"] if name not in LIBRARIES]
    return out


def main():
    path, processor, macos = sys.argv[1:4]
    with open(path, "rb") as file:
        content = file.read()
    found = requirements(content)
    wrong = wrong_with(found, processor, macos)
    for sentence in wrong:
        print(f"{path}: {sentence}", file=sys.stderr)
    if not wrong:
        print(f"{path}: {len(content)} bytes for {processor} and macOS {macos} or newer; needs {' '.join(found['libraries'])}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
