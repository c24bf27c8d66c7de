#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian package that CPack makes: what is in it, what it depends on, that lintian has nothing against it, and that it is
made again byte by byte. package_test.py BUILD. Exits with 77 where there is no dpkg-shlibdeps, or this build is not packed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1])
DATE = 1764115200  # 26 November 2025


def output(*command, **changes):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200, check=False,
                          env={**os.environ, **changes})
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def pack(folder):
    output("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder, SOURCE_DATE_EPOCH=str(DATE))
    package, = pathlib.Path(folder).glob("*.deb")
    return package


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.package = pack(f"{cls.folder.name}/first")
        output("dpkg-deb", "-R", cls.package, f"{cls.folder.name}/unpacked")
        cls.root = pathlib.Path(cls.folder.name) / "unpacked"

    def test_it_says_what_it_is_and_needs(self):
        fields = dict(line.split(": ", 1) for line in output("dpkg-deb", "-f", self.package).splitlines() if ": " in line[:40])
        self.assertEqual("whichgpu", fields["Package"])
        self.assertRegex(fields["Depends"], r"^libc6 \(>= 2\.\d+\)$")
        self.assertIn("libvulkan1", fields["Suggests"])
        self.assertRegex((self.root / "DEBIAN" / "shlibs").read_text(), r"^libwhichgpu 0 whichgpu \(>= ")
        scripts = {path.name for path in (self.root / "DEBIAN").iterdir()}
        self.assertEqual({"control", "md5sums", "shlibs", "triggers"}, scripts)

    def test_documents_are_where_debian_wants_them(self):
        documents = self.root / "usr" / "share" / "doc" / "whichgpu"
        text = (documents / "copyright").read_text()
        for words in ("The whichgpu authors", "CLI11", "hwloc", "common-licenses/Apache-2.0"):
            self.assertIn(words, text)
        self.assertIn("Wed, 26 Nov 2025 00:00:00 +0000", output("zcat", documents / "changelog.Debian.gz"))
        self.assertIn("# Changelog", output("zcat", documents / "changelog.gz"))
        pages = [path.name for path in (self.root / "usr/share/man/man1").iterdir()]
        self.assertIn("whichgpu-recommend.1.gz", pages)
        self.assertFalse([name for name in pages if not name.endswith(".gz")])

    def test_it_is_made_again_byte_by_byte(self):
        again = pack(f"{self.folder.name}/again")
        self.assertEqual(self.package.read_bytes(), again.read_bytes())

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian_has_nothing_against_it(self):
        # The package of ./dev package, whose prefix is /usr, has a folder of the processor's for libraries.
        done = subprocess.run(["lintian", "--allow-root", "--no-cfg", "--suppress-tags",
                               "pkg-config-unavailable-for-cross-compilation", self.package],
                              capture_output=True, text=True, check=False)
        left = [line for line in done.stdout.splitlines() if line.startswith(("E:", "W:"))]
        self.assertEqual([], left)

    def test_its_program_and_library_work_where_they_are(self):
        self.assertIn("whichgpu ", output(self.root / "usr/bin/whichgpu", "--version"))
        library, = (self.root / "usr" / "lib").rglob("libwhichgpu.so.0")
        code = ("import sys; from host import Library\n"
                "print(Library(sys.argv[1]).ask('recommend', b'{\"assume\": \"vendor=none\"}')[0])")
        environment = {name: value for name, value in os.environ.items() if name != "WHICHGPU_PROGRAM"}
        done = subprocess.run([sys.executable, "-B", "-c", code, library], capture_output=True, text=True, check=True,
                              env={**environment, "PYTHONPATH": str(pathlib.Path(__file__).parent), "PATH": "/nonexistent"})
        self.assertEqual("0\n", done.stdout)


if __name__ == "__main__":
    binary = (BUILD / "report" / "whichgpu").read_bytes()
    lacks = ("no dpkg-shlibdeps" if not shutil.which("dpkg-shlibdeps") else
             "a build with sanitizers is not packed" if b"__asan_init" in binary or b"__tsan_init" in binary else
             "it is for another processor" if binary[18] == 0xb7 and os.uname().machine != "aarch64" else "")
    if lacks:
        print(f"SKIPPED: {lacks}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
