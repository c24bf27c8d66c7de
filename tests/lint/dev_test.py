#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""./dev check runs what it is asked for, and tells a name that no test has, wherever it stands and before it builds where
that can be known, with stand-ins for CMake, ninja and ctest."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

DEV = pathlib.Path(__file__).resolve().parents[2] / "dev"
TOOLS = {
    "dpkg-query": """for package; do echo -n "installed:$package "; done""",
    "apt-get": "exit 1",
    "cmake": 'case "$*" in *--build*) touch built ;; esac',
    "ninja": """for object in probe/unify/CMakeFiles/probe_unify_test.dir/unify_test report/CMakeFiles/report_test.dir/score/score_test \\
  report/CMakeFiles/report_test.dir/score/weights_test report/CMakeFiles/report_test.dir/score/machines; do
  echo "tests/$object.cpp.o: CXX"
done""",
    # Tests of programs are known once these are built.
    "ctest": """case "$*" in
  *--show-only*) echo '{"tests": []}' ;;
  *-N*) for name in cli.contract $([ ! -e built ] || echo report_test.Score.Adds report_test.All/Weights.Sum/0); do
    echo "$name" | grep -q "${@: -1}" && echo "  Test #1: $name"; done ;;
  *) echo "ran $*" ;;
esac
true""",
}


SOURCES = {"probe/unify/unify_test.cpp": "TEST(Unify, Works) {}\n",
           "report/score/score_test.cpp": "TEST(Score, Adds) {}\nTEST_F(ScoreOf, One) {}\nTEST(Score, Holds) {}\n",
           "report/score/weights_test.cpp": "TEST_P(Weights, Sum) {}\nINSTANTIATE_TEST_SUITE_P(All, Weights, Values(1));\n",
           "report/score/machines.cpp": "Machine machine;\n"}


class Check(unittest.TestCase):
    def check(self, *names, built=False):
        """./dev check of them, by what became of it, and whether it built anything, as `builds` of that."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            shutil.copy(DEV, root)
            for tool, text in TOOLS.items():
                path = root / "bin" / tool
                path.parent.mkdir(exist_ok=True)
                path.write_text("#!/bin/bash\n" + text + "\n")
                path.chmod(0o755)
            build = root / "build" / "release"
            for source, text in SOURCES.items():
                (root / "tests" / source).parent.mkdir(parents=True, exist_ok=True)
                (build / "tests" / source).parent.mkdir(parents=True, exist_ok=True)
                (root / "tests" / source).write_text(text)
            (build / "build.ninja").touch()
            (build / "CMakeCache.txt").write_text("WHICHGPU_TESTS:BOOL=ON\n")
            if built:
                (build / "tests.xml").touch()
                (root / "built").touch()
            path = f"{root / 'bin'}:{os.environ['PATH']}"
            process = subprocess.run([root / "dev", "check", *names], capture_output=True, text=True, timeout=60, check=False,
                                     env={**os.environ, "PATH": path})
            process.builds = (root / "built").exists() and not built
            return process

    def test_a_name_that_no_test_has_is_named(self):
        for built in (False, True):
            with self.subTest(built=built):
                process = self.check("probe/unify", "cli.contrakt", built=built)
                self.assertEqual(2, process.returncode, process.stderr)
                self.assertIn("there is no test 'cli.contrakt'", process.stderr)
                self.assertNotIn("ran", process.stdout)
                self.assertFalse(process.builds, "what no source has a name of is known before")

    def test_a_name_that_the_sources_have_is_looked_for_once_all_is_built(self):
        for name in ("Score.Adds", "report_test.Score.Adds", "All/Weights", "report_test.All/Weights.Sum/0"):
            with self.subTest(name):
                process = self.check(name)
                self.assertEqual((0, True), (process.returncode, process.builds), process.stderr)
        process = self.check("Score.Gone")
        self.assertEqual((2, True), (process.returncode, process.builds), process.stderr)
        self.assertIn("there is no test 'Score.Gone'", process.stderr)

    def test_of_a_file_its_suites_are_run_and_of_a_folder_those_of_its_files(self):
        score = r"^report_test\.Score\.|^report_test\..*/Score\.|^report_test\.ScoreOf\.|^report_test\..*/ScoreOf\."
        weights = r"^report_test\.Weights\.|^report_test\..*/Weights\."
        for name, pattern in (("score_test", score), ("tests/report/score/weights_test.cpp", weights),
                              ("report/score", f"{score}|{weights}"), ("report_test", r"report_test\."),
                              ("report/score/machines", r"report_test\.")):
            with self.subTest(name):
                process = self.check(name)
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertIn(f"-R {pattern}\n", process.stdout)

    def test_names_that_there_are_run(self):
        process = self.check("probe/unify", "cli.contract")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertIn(r"-R probe_unify_test\.|cli.contract", process.stdout)


if __name__ == "__main__":
    unittest.main()
