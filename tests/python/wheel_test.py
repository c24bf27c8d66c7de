#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What python/make_wheel.py makes of the built program: wheel_test.py BINARY."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv[1]).resolve()
SANITIZED = b"__asan_init" in BINARY.read_bytes() or b"__tsan_init" in BINARY.read_bytes()
PROCESSOR = platform.machine()
EPOCH = "1700000001"


def newest_glibc():
    said = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"needs glibc (\d+\.\d+) or newer", said)[1]


@unittest.skipIf(SANITIZED, "a build with sanitizers needs libraries that no wheel may")
class Wheel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.glibc = newest_glibc()

    def make(self, folder="out", binary=BINARY, **changes):
        out = self.scratch / folder
        out.mkdir(exist_ok=True)
        options = {"version": "1.2.3", "glibc": self.glibc, "processor": PROCESSOR, **changes}
        return subprocess.run([sys.executable, "-B", SOURCE / "python/make_wheel.py", binary, "--out", out,
                               *(f"--{name}={value}" for name, value in options.items())], capture_output=True, text=True,
                              check=False, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH})

    def wheel(self, folder="out", **changes):
        process = self.make(folder, **changes)
        self.assertEqual((0, ""), (process.returncode, process.stderr))
        (made,) = (self.scratch / folder).iterdir()
        self.assertEqual(f"{made}\n", process.stdout)
        return made

    def test_the_same_input_gives_the_same_bytes(self):
        copy = self.scratch / "whichgpu"
        copy.write_bytes(BINARY.read_bytes())  # with another date and mode
        self.assertEqual(self.wheel("first").read_bytes(), self.wheel("second", binary=copy).read_bytes())

    def test_record_has_every_file_with_its_hash_and_size(self):
        with zipfile.ZipFile(self.wheel()) as archive:
            record = "whichgpu-1.2.3.dist-info/RECORD"
            rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
            self.assertEqual(sorted(archive.namelist()), sorted(row[0] for row in rows))
            for name, digest, size in rows:
                data = archive.read(name)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual(("", "") if name == record else (f"sha256={wanted}", str(len(data))), (digest, size), name)

    def test_name_tag_and_metadata_agree(self):
        made = self.wheel()
        tag = f"py3-none-manylinux_{self.glibc.replace('.', '_')}_{PROCESSOR}"
        self.assertEqual(f"whichgpu-1.2.3-{tag}.whl", made.name)
        with zipfile.ZipFile(made) as archive:
            info = "whichgpu-1.2.3.dist-info/"
            self.assertIn(f"Tag: {tag}\n", archive.read(info + "WHEEL").decode())
            self.assertIn("Root-Is-Purelib: false\n", archive.read(info + "WHEEL").decode())
            metadata = archive.read(info + "METADATA").decode()
            self.assertRegex(metadata, r"^Metadata-Version: 2\.1\nName: whichgpu\nVersion: 1\.2\.3\n")
            self.assertNotIn("Requires-Dist", metadata)
            self.assertEqual((SOURCE / "LICENSE").read_bytes(), archive.read(info + "licenses/LICENSE"))
            self.assertIn(b"whichgpu = whichgpu.__main__:main", archive.read(info + "entry_points.txt"))

    def test_the_program_may_be_executed_and_is_unchanged(self):
        with zipfile.ZipFile(self.wheel()) as archive:
            self.assertEqual(0o100755, archive.getinfo("whichgpu/bin/whichgpu").external_attr >> 16)
            self.assertEqual(0o100644, archive.getinfo("whichgpu/__init__.py").external_attr >> 16)
            self.assertEqual(BINARY.read_bytes(), archive.read("whichgpu/bin/whichgpu"))
            self.assertIn("whichgpu/py.typed", archive.namelist())

    def test_it_runs_from_where_it_is_unpacked(self):
        folder = self.scratch / "site"
        with zipfile.ZipFile(self.wheel()) as archive:
            archive.extractall(folder)
        code = "import whichgpu; print(whichgpu.recommend(no_calibrate=True, assume='vendor=nvidia,cc=9.0')['command'])"
        process = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60, check=False,
                                 env={**os.environ, "PYTHONPATH": str(folder), "PATH": "/nonexistent"})
        self.assertEqual((0, "recommend\n"), (process.returncode, process.stdout), process.stderr)

    def refuse(self, reason, **changes):
        process = self.make(**changes)
        self.assertEqual(1, process.returncode, process.stdout)
        self.assertRegex(process.stderr, reason)
        self.assertEqual([], list((self.scratch / "out").iterdir()))

    def test_a_name_that_promises_an_older_libc_is_refused(self):
        self.refuse(r"needs GLIBC_2\.\d+.*newer than glibc 2\.5\b", glibc="2.5")

    def test_a_program_of_another_processor_is_refused(self):
        other = "aarch64" if PROCESSOR == "x86_64" else "x86_64"
        self.refuse(f"not for {other}", processor=other)

    def test_a_library_that_not_every_system_has_is_refused(self):
        if not os.access("/usr/bin/dpkg-deb", os.X_OK):
            self.skipTest("no program at hand that needs another library")
        self.refuse("link it statically", binary="/usr/bin/dpkg-deb", glibc="2.99")

    def test_what_is_no_program_is_refused(self):
        self.refuse("no processor|readelf", binary=SOURCE / "LICENSE")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
