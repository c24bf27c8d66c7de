#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the released binary is made of: how it is hardened, and what it needs of the system that it runs on."""
import platform
import re
import subprocess
import unittest

from harness import BINARY, SANITIZED, main, run


def readelf(option):
    return subprocess.run(["readelf", "--wide", option, str(BINARY)], capture_output=True, text=True, check=True).stdout


def is_release():
    cache = BINARY.parents[1] / "CMakeCache.txt"
    return "CMAKE_BUILD_TYPE:STRING=Release" in cache.read_text()


@unittest.skipIf(SANITIZED, "a build with sanitizers is no release")
class Hardening(unittest.TestCase):
    def test_is_position_independent_and_its_tables_are_read_only(self):
        self.assertIn("DYN", readelf("--file-header"))
        self.assertIn("GNU_RELRO", readelf("--program-headers"))
        self.assertRegex(readelf("--dynamic"), r"BIND_NOW|FLAGS.*NOW")

    def test_no_stack_is_executable_and_no_search_path_is_built_in(self):
        stack = next(line for line in readelf("--program-headers").splitlines() if "GNU_STACK" in line)
        self.assertNotIn("RWE", stack)
        self.assertNotRegex(readelf("--dynamic"), "RPATH|RUNPATH")

    def test_stack_and_buffers_are_guarded(self):
        symbols = readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        if is_release():
            self.assertRegex(symbols, r"__(?:read|memcpy|snprintf|vsnprintf|fprintf|pread|realpath)_chk")

    @unittest.skipUnless(platform.machine() == "x86_64", "x86's landing pads")
    def test_functions_begin_with_landing_pads(self):
        code = subprocess.run(["objdump", "--disassemble=main", str(BINARY)], capture_output=True, text=True).stdout
        if "<main>:" not in code:  # stripped: the entry point then
            start = re.search(r"Entry point address:\s+0x([0-9a-f]+)", readelf("--file-header")).group(1)
            code = subprocess.run(["objdump", "-d", f"--start-address=0x{start}", f"--stop-address={int(start, 16) + 16}",
                                   str(BINARY)], capture_output=True, text=True).stdout
        self.assertIn("endbr64", code)


@unittest.skipIf(SANITIZED, "a build with sanitizers needs libraries of its own")
class Requirements(unittest.TestCase):
    def test_no_part_that_nobody_calls_asks_for_a_newer_libc(self):
        self.assertNotIn("arc4random", readelf("--dyn-syms"))

    def test_version_names_the_newest_symbol_that_it_needs(self):
        versions = re.findall(r"GLIBC_2\.(\d+)", readelf("--version-info"))
        newest = max(int(version) for version in versions)
        self.assertIn(f"(needs glibc 2.{newest} or newer)", run("--version").stdout)


if __name__ == "__main__":
    main()
