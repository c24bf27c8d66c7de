#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program or a library for macOS asks of a Mac: its processor, its oldest macOS and its libraries, as the load
commands of its Mach-O file say (Apple, mach-o/loader.h); of a library also what it shows and by which name it is found.

mach_o.py FILE PROCESSOR MACOS [NAME HEADER] exits with 1 and says what is wrong unless the file is a program for that
processor (arm64, x86_64) and for that macOS and newer (11.0), and needs libSystem alone, which every macOS is. With the last
two it is to be a library that programs find by that name and that shows what the header declares as WHICHGPU_EXPORT."""
import re
import struct
import sys

MAGIC_64, EXECUTE, DYLIB = 0xfeedfacf, 2, 6
PROCESSORS = {0x0100000c: "arm64", 0x01000007: "x86_64"}
LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB = 0xc, 0x80000018, 0x8000001f
LAZY_LOAD_DYLIB, LOAD_UPWARD_DYLIB = 0x20, 0x80000023
ID_DYLIB = 0xd
DYLD_INFO, DYLD_INFO_ONLY, EXPORTS_TRIE = 0x22, 0x80000022, 0x80000033
VERSION_MIN, BUILD_VERSION = 0x24, 0x32
# What is read of a command begins behind its own number and length, and is so many bytes long.
READ_BYTES = {**dict.fromkeys((LOAD_DYLIB, LOAD_WEAK_DYLIB, REEXPORT_DYLIB, LAZY_LOAD_DYLIB, LOAD_UPWARD_DYLIB, ID_DYLIB), 4),
              BUILD_VERSION: 8, VERSION_MIN: 4, DYLD_INFO: 40, DYLD_INFO_ONLY: 40, EXPORTS_TRIE: 8}
# Where a command has the place and the size of what the file shows.
EXPORTS_AT = {DYLD_INFO: 40, DYLD_INFO_ONLY: 40, EXPORTS_TRIE: 8}
PLATFORM_MACOS = 1
LIBRARIES = {"/usr/lib/libSystem.B.dylib"}
# What zig's linker shows whatever it is told: its own names for the file's header, and the C++ library's operators new and
# delete, for it knows no -exported_symbols_list. Apple's does.
OF_ZIG = re.compile(r"__mh_dylib_header|___dso_handle|__Zn[wa]\w+|__Zd[la]P\w+")


def version_text(number):
    return f"{number >> 16}.{number >> 8 & 0xff}"


def read_number(trie, at):
    """A number of seven bits a byte, the least first (ULEB128), and what follows it."""
    number = shift = 0
    while True:
        number |= (trie[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if not trie[at - 1] & 0x80:
            return number, at


def exported(trie):
    """The names that a file shows, by the tree of their beginnings (Apple, mach-o/loader.h, "export trie")."""
    names, open_nodes, seen = set(), [(0, b"")], set()
    try:
        while open_nodes:
            at, name = open_nodes.pop()
            if at in seen:
                raise ValueError("its exports go in a circle")
            seen.add(at)
            size, at = read_number(trie, at)
            if size:
                names.add(name.decode(errors="replace"))
            at += size
            children, at = trie[at], at + 1
            for _ in range(children):
                end = trie.index(b"\0", at)
                child, after = read_number(trie, end + 1)
                open_nodes.append((child, name + trie[at:end]))
                at = after
    except IndexError:
        raise ValueError("its exports reach beyond their end") from None
    return names


def requirements(content, wanted_kind=EXECUTE):
    """{"processor", "macos", "libraries", "name", "exports"} of a file of 64 bits, the least byte first; a ValueError where
    it is none of the wanted kind."""
    if len(content) < 32:
        raise ValueError("it is too short for a program")
    magic, processor, _, kind, count, size = struct.unpack_from("<6I", content)
    if magic != MAGIC_64 or kind != wanted_kind:
        raise ValueError(f"it is no Mach-O {'program' if wanted_kind == EXECUTE else 'library'} of 64 bits")
    found = {"processor": PROCESSORS.get(processor, hex(processor)), "macos": None, "libraries": [], "name": None,
             "exports": set()}
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
        elif command in EXPORTS_AT:
            start, bytes_long = struct.unpack_from("<2I", body, EXPORTS_AT[command])
            found["exports"] |= exported(content[start:start + bytes_long]) if bytes_long else set()
        elif command in READ_BYTES:
            start = struct.unpack_from("<I", body, 8)[0]
            text = body[start:].split(b"\0")[0].decode(errors="replace")
            if command == ID_DYLIB:
                found["name"] = text
            else:
                found["libraries"].append(text)
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


def wrong_as_library(found, name, header):
    """What of its name and of what it shows is not as it is wanted, a sentence each."""
    declared = {"_" + function for function in re.findall(r"^WHICHGPU_EXPORT .*?(\w+)\(", header, re.M)}
    out = [] if found["name"] == name else [f"its name is {found['name']}, not {name}"]
    out += [f"it does not show {symbol}" for symbol in sorted(declared - found["exports"])]
    return out + [f"it shows {symbol}" for symbol in sorted(found["exports"] - declared) if not OF_ZIG.fullmatch(symbol)]


def main():
    path, processor, macos, *of_library = sys.argv[1:]
    with open(path, "rb") as file:
        content = file.read()
    found = requirements(content, DYLIB if of_library else EXECUTE)
    wrong = wrong_with(found, processor, macos)
    if of_library:
        with open(of_library[1], encoding="utf-8") as header:
            wrong += wrong_as_library(found, of_library[0], header.read())
    for sentence in wrong:
        print(f"{path}: {sentence}", file=sys.stderr)
    if not wrong:
        print(f"{path}: {len(content)} bytes for {processor} and macOS {macos} or newer; needs {' '.join(found['libraries'])}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
