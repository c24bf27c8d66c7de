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


SYSTEM = library("/usr/lib/libSystem.B.dylib")
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
