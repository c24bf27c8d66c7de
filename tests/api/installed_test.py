#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What cmake --install puts below a prefix, used from there by other people's projects in C and C++: by find_package and by
pkg-config, also where the prefix was moved. installed_test.py BUILD C_COMPILER CXX_COMPILER"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from host import SOURCE, script

BUILD = pathlib.Path(sys.argv[1])
C, CXX = sys.argv[2:4]
RECORD = SOURCE / "tests" / "fixtures" / "plain_server"
SANITIZED = b"__asan_init" in (BUILD / "report" / "whichgpu").read_bytes()
EMULATED = "aarch64" in C and os.uname().machine != "aarch64"
HOST = """#include <stdio.h>
#include <whichgpu.h>
int main(int argc, char **argv) {
  const whichgpu_result *result = whichgpu_recommend(argc > 1 ? argv[1] : NULL);
  printf("%d %.1s %s\\n", result->status, result->json ? result->json : "-", result->error ? result->error : "-");
  const int status = result->status;
  whichgpu_free(result);
  whichgpu_free(NULL);
  return status;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.18)
project(host LANGUAGES C CXX)
find_package(whichgpu 0.2 REQUIRED)
add_executable(in_c host.c)
add_executable(in_cxx host.cpp)
target_compile_features(in_cxx PRIVATE cxx_std_11)
foreach(host in_c in_cxx)
  target_compile_options(${host} PRIVATE -Wall -Wextra -Wpedantic -Werror)
  target_link_libraries(${host} PRIVATE whichgpu::whichgpu)
endforeach()
"""


def output(*command, **changes):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("WHICHGPU_", "LD_"))}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False,
                          env={**environment, **changes})
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


@unittest.skipIf(SANITIZED, "a build with sanitizers is not installed")
@unittest.skipIf(EMULATED, "programs for this processor link no library for another")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = pathlib.Path(cls.folder.name)
        output("cmake", "--install", BUILD, "--prefix", root / "first")
        cls.prefix = root / "moved to" / "here"
        cls.prefix.parent.mkdir()
        (root / "first").rename(cls.prefix)
        cls.host = root / "host"
        cls.host.mkdir()
        (cls.host / "host.c").write_text(HOST)
        (cls.host / "host.cpp").write_text(HOST)
        (cls.host / "CMakeLists.txt").write_text(PROJECT)
        cls.lib, = (path.parent for path in cls.prefix.rglob("libwhichgpu.so"))

    def check(self, host, **changes):
        self.assertEqual("0 { -\n", output(host, f'{{"replay": "{RECORD}"}}', **changes))

    def test_by_find_package(self):
        build = self.host / "build"
        output("cmake", "-S", self.host, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={C}",
               f"-DCMAKE_CXX_COMPILER={CXX}")
        output("cmake", "--build", build)
        for name in ("in_c", "in_cxx"):
            self.check(build / name)
        (self.host / "CMakeLists.txt").write_text(PROJECT.replace("0.2", "9.9"))
        with self.assertRaisesRegex(AssertionError, "version"):
            output("cmake", "-S", self.host, "-B", self.host / "newer", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        (self.host / "CMakeLists.txt").write_text(PROJECT)

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_by_pkg_config(self):
        words = output("pkg-config", "--cflags", "--libs", "whichgpu", PKG_CONFIG_PATH=str(self.lib / "pkgconfig"))
        words = [word.replace("\\ ", " ") for word in re.split(r"(?<!\\) ", words.strip())]
        output(C, "-Wall", "-Wextra", "-Wpedantic", "-Werror", self.host / "host.c", "-o", self.host / "by_pc", *words)
        self.check(self.host / "by_pc", LD_LIBRARY_PATH=str(self.lib))
        version = output("pkg-config", "--modversion", "whichgpu", PKG_CONFIG_PATH=str(self.lib / "pkgconfig")).strip()
        self.assertIn(f"whichgpu {version} ", output(self.prefix / "bin" / "whichgpu", "--version"))

    def test_the_examples_of_the_documentation(self):
        blocks = dict(re.findall(r"^```(c|python)\n(.*?)^```", (SOURCE / "docs" / "c-api.md").read_text(), re.M | re.S))
        (self.host / "example.c").write_text(blocks["c"])
        output(C, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{self.prefix / 'include'}", self.host / "example.c",
               f"-L{self.lib}", "-lwhichgpu", "-o", self.host / "example")
        program = script(self.host, "print('{\"recommendation\": {\"backend\": \"cpu\"}}')")
        environment = {"LD_LIBRARY_PATH": str(self.lib), "WHICHGPU_PROGRAM": str(program)}
        self.assertIn('"backend": "cpu"', output(self.host / "example", **environment))
        self.assertEqual("0 cpu\n", output(sys.executable, "-c", blocks["python"], **environment))

    def test_the_library_shows_its_functions_alone(self):
        library = self.lib / "libwhichgpu.so.0"
        shown = re.findall(r" [TDBVW] (\w+)@@WHICHGPU_0$", output("nm", "-D", "--defined-only", library), re.M)
        self.assertEqual(["whichgpu_free", "whichgpu_recommend", "whichgpu_report"], sorted(shown))
        dynamic = output("readelf", "-d", library)
        self.assertIn("[libwhichgpu.so.0]", dynamic)
        self.assertFalse({name for name in re.findall(r"NEEDED.*\[(\S+)\]", dynamic) if not re.match(r"lib[cm]\.so|ld-linux", name)})

    def test_they_are_stripped_and_look_where_the_loader_looks(self):
        for path in (self.prefix / "bin" / "whichgpu", self.lib / "libwhichgpu.so"):
            self.assertNotIn(".symtab", output("readelf", "-S", path))
            dynamic = output("readelf", "-d", path)
            self.assertNotRegex(dynamic, "RPATH|RUNPATH")
            self.assertIn("NOW", dynamic)
            self.assertIn("DYN (", output("readelf", "-h", path))

    def test_what_goes_with_them_is_there(self):
        share = self.prefix / "share"
        for name in ("man/man1/whichgpu.1", "man/man1/whichgpu-recommend.1", "bash-completion/completions/whichgpu",
                     "zsh/site-functions/_whichgpu", "fish/vendor_completions.d/whichgpu.fish", "doc/whichgpu/LICENSE",
                     "doc/whichgpu/notices.txt", "doc/whichgpu/docs/contract.md", "doc/whichgpu/docs/c-api.md",
                     "cmake/whichgpu/WhichgpuConfig.cmake"):
            self.assertTrue((share / name).is_file(), name)
        for path in self.prefix.rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertNotIn(str(SOURCE).encode(), path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
