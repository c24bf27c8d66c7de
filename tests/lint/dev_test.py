#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""./dev check runs what it is asked for, and tells a name that no test has, wherever it stands and before it builds where
that can be known; ./dev test unpacks what it can have and leaves nothing half-done or running; all with stand-ins for CMake,
ninja, ctest and Debian's tools."""
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


# Every package is installed but those that are only unpacked; there is no pip.
SETUP = {
    "dpkg-query": """for package; do case $package in
  libze1|libamdhip64-dev|intel-opencl-icd|librocblas-dev|libze-dev) ;;
  *) echo -n "installed:$package " ;; esac; done""",
    "python3": "exit 1",
    "apt-get": """while (($#)); do case $1 in -*) [[ $1 != -o ]] || shift ;; install|download) ;; *) names+=("$1") ;; esac; shift; done
for name in "${names[@]}"; do case $name in librocblas-dev) exit 100 ;; esac; done
touch "${names[@]/%/_1_all.deb}" """,
    "cmake": "exit 7",
}


class Setup(unittest.TestCase):
    def set_up(self, **tools):
        """./dev test up to CMake, which ends it with 7 here: what became of it, and what is below build/vendor."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        root = pathlib.Path(scratch.name)
        shutil.copy(DEV, root)
        (root / "tests").mkdir()
        (root / "bin").mkdir()
        for tool, text in {**SETUP, **tools}.items():
            path = root / "bin" / tool
            path.write_text("#!/bin/bash\n" + text + "\n")
            path.chmod(0o755)
        environment = {**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}
        environment.pop("WHICHGPU_TEST_CACHE", None)
        process = subprocess.run([root / "dev", "test"], capture_output=True, text=True, timeout=60, check=False, env=environment)
        return process, {path.name for path in (root / "build" / "vendor").iterdir() if path.is_file()}

    def test_what_can_not_be_had_is_named_and_the_rest_unpacked(self):
        process, unpacked = self.set_up(**{"dpkg-deb": "exit 0"})
        self.assertEqual(7, process.returncode, process.stderr)
        self.assertEqual({"libze1", "libamdhip64-dev", "intel-opencl-icd", "libze-dev"}, unpacked)
        self.assertIn("dev: librocblas-dev can not be had", process.stderr)

    def test_what_can_not_be_unpacked_ends_it_and_counts_as_missing(self):
        for failing in ("libze1", "libze-dev"):
            with self.subTest(failing):
                process, unpacked = self.set_up(**{"dpkg-deb": f'[[ $2 != *{failing}* ]]'})
                self.assertEqual(1, process.returncode, process.stderr)
                self.assertNotIn(failing, unpacked)

    def test_a_part_that_ends_it_leaves_none_running(self):
        process, _ = self.set_up(**{"dpkg-deb": '[[ $2 != *libze1* ]]',
                                    "apt-get": 'case "$*" in *libze-dev*) echo $$ >"$(dirname "$0")/waiting"; exec sleep 50 ;; esac\n' +
                                               'while [[ ! -s $(dirname "$0")/waiting ]]; do sleep 0.01; done\n' + SETUP["apt-get"]})
        self.assertEqual(1, process.returncode, process.stderr)  # at once, and what slept has not kept its output open


if __name__ == "__main__":
    unittest.main()
