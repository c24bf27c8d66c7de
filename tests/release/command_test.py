#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ./dev release refuses before it installs or builds anything."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Command(unittest.TestCase):
    def release(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "release").mkdir()
            shutil.copy(SOURCE / "dev", root)
            shutil.copy(SOURCE / "release/build.sh", root / "release")
            (root / "bin").mkdir()
            for tool in ("apt-get", "sudo", "dpkg-query", "cmake", "git"):  # a release that gets this far has gone too far
                (root / "bin" / tool).write_text("#!/bin/sh\n[ ${0##*/} = git ] || echo started ${0##*/} >&2\nexit 1\n")
                (root / "bin" / tool).chmod(0o755)
            path = f"{root / 'bin'}:{os.environ['PATH']}"
            process = subprocess.run([root / "dev", "release", *arguments], capture_output=True, text=True, timeout=60, check=False,
                                     env={**os.environ, "PATH": path, **environment})
            self.assertNotIn("started", process.stderr)
            self.assertFalse((root / "build").exists())
            return process

    def test_a_processor_that_it_does_not_know_is_named_beside_those_that_it_does(self):
        process = self.release("x86_64", "sparc")
        self.assertEqual((2, "dev: release knows no processor 'sparc': x86_64 aarch64\n"), (process.returncode, process.stderr))

    def test_without_a_date_it_says_how_to_give_one(self):
        for date in ("", "yesterday"):
            with self.subTest(date=date):
                process = self.release(SOURCE_DATE_EPOCH=date)
                self.assertEqual(2, process.returncode)
                self.assertRegex(process.stderr, r"^dev: .*SOURCE_DATE_EPOCH.*seconds since 1970.*\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
