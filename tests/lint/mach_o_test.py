#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reader of Mach-O files by which ./dev portable looks at what it has linked for macOS."""
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import mach_o  # noqa: E402  pylint: disable=wrong-import-position

ARM64 = 0x0100000c


def library(name, command=mach_o.LOAD_DYLIB):
    text = name.encode() + b"\0"
    text += b"\0" * (-len(text) % 8)
    return struct.pack("<6I", command, 24 + len(text), 24, 0, 0, 0) + text


def build_version(oldest, platform=mach_o.PLATFORM_MACOS):
    return struct.pack("<6I", mach_o.BUILD_VERSION, 24, platform, oldest, oldest, 0)


def program(*commands, processor=ARM64, kind=mach_o.EXECUTE):
    body = b"".join(commands)
    return struct.pack("<8I", mach_o.MAGIC_64, processor, 0, kind, len(commands), len(body), 0, 0) + body


def shared(*commands, trie=b""):
    """A library, and behind its load commands the tree of what it shows."""
    start = 32 + sum(map(len, commands)) + 48
    exports = struct.pack("<12I", mach_o.DYLD_INFO_ONLY, 48, *[0] * 8, start, len(trie))
    return program(*commands, exports, kind=mach_o.DYLIB) + trie


def tree(*names):
    """All names below the root, as a linker might write them: a leaf is two bytes of what is not read and no child."""
    size = 2 + sum(len(name) + 2 for name in names)  # the root's
    edges = b"".join(name + bytes([0, size + 4 * i]) for i, name in enumerate(names))
    return b"\0" + bytes([len(names)]) + edges + b"\x02\0\x10\0" * len(names)


SYSTEM = library("/usr/lib/libSystem.B.dylib")
NAMED = library("@rpath/libx.0.dylib", mach_o.ID_DYLIB)
HEADER = "WHICHGPU_EXPORT const char* whichgpu_one(void);\nWHICHGPU_EXPORT void whichgpu_two(int);\nvoid other(void);\n"
ELEVEN = build_version(11 << 16)


class MachO(unittest.TestCase):
    def wrong(self, content):
        return mach_o.wrong_with(mach_o.requirements(content), "arm64", "11.0")

    def test_a_program_of_libsystem_alone_is_right(self):
        self.assertEqual([], self.wrong(program(ELEVEN, SYSTEM)))
        self.assertEqual([], self.wrong(program(struct.pack("<4I", mach_o.VERSION_MIN, 16, 11 << 16, 0), SYSTEM)))

    def test_what_is_not_as_wanted_is_said(self):
        self.assertIn("libc++", " ".join(self.wrong(program(ELEVEN, SYSTEM, library("/usr/lib/libc++.1.dylib")))))
        for command in (mach_o.LOAD_WEAK_DYLIB, mach_o.REEXPORT_DYLIB, mach_o.LOAD_UPWARD_DYLIB, mach_o.LAZY_LOAD_DYLIB):
            self.assertIn("IOKit", " ".join(self.wrong(program(ELEVEN, SYSTEM, library("IOKit", command)))))
        self.assertIn("it needs lib", " ".join(self.wrong(program(ELEVEN, SYSTEM, library("lib?").replace(b"?", b"\xff")))))
        self.assertIn("no library", " ".join(self.wrong(program(ELEVEN))))
        self.assertIn("13.1", " ".join(self.wrong(program(build_version(13 << 16 | 1 << 8), SYSTEM))))
        self.assertIn("platform 2", " ".join(self.wrong(program(build_version(11 << 16, 2), SYSTEM))))
        self.assertIn("macOS None", " ".join(self.wrong(program(SYSTEM))))
        self.assertIn("x86_64", " ".join(self.wrong(program(ELEVEN, SYSTEM, processor=0x01000007))))

    def test_a_library_has_its_name_and_shows_what_its_header_declares(self):
        def wrong(name, *symbols):
            found = mach_o.requirements(shared(ELEVEN, SYSTEM, NAMED, trie=tree(*symbols)), mach_o.DYLIB)
            return mach_o.wrong_with(found, "arm64", "11.0") + mach_o.wrong_as_library(found, name, HEADER)
        both = (b"_whichgpu_one", b"_whichgpu_two")
        self.assertEqual([], wrong("@rpath/libx.0.dylib", *both))
        self.assertEqual([], wrong("@rpath/libx.0.dylib", *both, b"__Znwm", b"__ZdaPvm", b"___dso_handle"), "zig's")
        self.assertEqual(["it does not show _whichgpu_two", "it shows __Z5otherv"],
                         wrong("@rpath/libx.0.dylib", both[0], b"__Z5otherv"))
        self.assertIn("libx", " ".join(wrong("/usr/lib/liby.dylib", *both)))
        self.assertIn("not show", " ".join(wrong("@rpath/libx.0.dylib")))

    def test_a_library_that_is_none_is_refused(self):
        circle = b"\0\x01a\0\0"
        for trie in (circle, tree(b"a")[:-3], b"\0\x01a", b"\x80"):
            with self.subTest(trie), self.assertRaises(ValueError):
                mach_o.requirements(shared(ELEVEN, SYSTEM, NAMED, trie=trie), mach_o.DYLIB)
        with self.assertRaises(ValueError):
            mach_o.requirements(program(ELEVEN, SYSTEM), mach_o.DYLIB)

    def test_what_is_no_program_is_refused(self):
        good = program(ELEVEN, SYSTEM)
        one_more = good[:16] + struct.pack("<I", 3) + good[20:]
        short = [struct.pack("<2I", command, 8) for command in mach_o.READ_BYTES]
        for content in (b"", b"\x7fELF" + b"\0" * 60, program(ELEVEN, SYSTEM, kind=6), good[:-8], one_more, one_more + b"\0" * 8,
                        program(struct.pack("<2I", mach_o.LOAD_DYLIB, 0)), *map(program, short),
                        program(struct.pack("<3I", mach_o.BUILD_VERSION, 12, mach_o.PLATFORM_MACOS))):
            with self.subTest(content), self.assertRaises(ValueError):
                mach_o.requirements(content)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
