#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""./dev check tells a name that no test has, wherever it stands, with stand-ins for CMake, ninja and ctest."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

DEV = pathlib.Path(__file__).resolve().parents[2] / "dev"
TOOLS = {
    "dpkg-query": "echo installed",
    "cmake": 'case "$*" in *--build*) touch built ;; esac',
    "ninja": "echo tests/probe/unify/CMakeFiles/probe_unify_test.dir/unify_test.cpp.o: CXX",
    # Tests of programs are known once these are built.
    "ctest": """case "$*" in
  *--show-only*) echo '{"tests": []}' ;;
  *-N*) for name in $([ ! -e built ] || echo cli.contract); do echo "$name" | grep -q "${@: -1}" && echo "  Test #1: $name"; done ;;
  *) echo "ran $*" ;;
esac
true""",
}


class Check(unittest.TestCase):
    def check(self, *names, built=False):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            shutil.copy(DEV, root)
            for tool, text in TOOLS.items():
                path = root / "bin" / tool
                path.parent.mkdir(exist_ok=True)
                path.write_text("#!/bin/bash\n" + text + "\n")
                path.chmod(0o755)
            build = root / "build" / "release"
            (root / "tests/probe/unify").mkdir(parents=True)
            (build / "tests/probe/unify").mkdir(parents=True)
            (build / "build.ninja").touch()
            (build / "CMakeCache.txt").write_text("WHICHGPU_TESTS:BOOL=ON\n")
            if built:
                (build / "tests.xml").touch()
                (root / "built").touch()
            path = f"{root / 'bin'}:{os.environ['PATH']}"
            return subprocess.run([root / "dev", "check", *names], capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "PATH": path})

    def test_a_name_that_no_test_has_is_named(self):
        for built in (False, True):
            with self.subTest(built=built):
                process = self.check("probe/unify", "cli.contrakt", built=built)
                self.assertEqual(2, process.returncode, process.stderr)
                self.assertIn("there is no test 'cli.contrakt'", process.stderr)
                self.assertNotIn("ran", process.stdout)

    def test_names_that_there_are_run(self):
        process = self.check("probe/unify", "cli.contract")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertIn(r"-R probe_unify_test\.|cli.contract", process.stdout)


if __name__ == "__main__":
    unittest.main()
