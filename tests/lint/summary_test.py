#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/summary.py says why tests were skipped, and ends as ctest does."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = pathlib.Path(__file__).parents[1] / "summary.py"
CTEST = "1/2 Test #1: a ...   Passed\n\n100% tests passed, 0 tests failed out of 2\n\nTotal Test time (real) = 1 sec\n"
RESULTS = """<testcase name="a"><system-out>[ RUN ]
../a_test.cpp:17: Skipped
no avx512 &amp; no amx
</system-out></testcase>
<testcase name="b"><system-out>../b_test.cpp:3: Skipped
no avx512 &amp; no amx
test_it (b.B) ... skipped 'only root may'
test_that (b.B) ... skipped "there is no 'x'"
</system-out></testcase>
<testcase name="c"><system-out>skipped: qemu is not installed\x1b
</system-out></testcase>
"""


def summary(ctest, results):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "tests.xml")
        if results is not None:
            file.write_text(results)
        return subprocess.run([sys.executable, "-B", SUMMARY, file], input=ctest, capture_output=True, text=True,
                              check=True).stdout


class Summary(unittest.TestCase):
    def test_every_reason_stands_before_the_summary(self):
        first, last = CTEST.split("100%")
        self.assertEqual(summary(CTEST, RESULTS), first + "Skipped here:\n  no avx512 & no amx (2 checks)\n"
                         "  only root may\n  there is no 'x'\n  qemu is not installed\x1b\n\n100%" + last)

    def test_output_is_passed_on_where_nothing_was_skipped_or_ctest_did_not_end(self):
        for ctest, results in ((CTEST, "<testsuite/>"), (CTEST, None), ("No tests were found!!!\n", RESULTS)):
            with self.subTest(results=results):
                self.assertEqual(summary(ctest, results), ctest)

    def test_a_test_that_passed_only_again_is_named_and_one_that_failed_twice_is_not(self):
        begin = ("1/3 Test #1: a ..........***Failed    0.01 sec\nwhy\n    Start 1: a\n    Test #1: a ..........   Passed    0.01 sec\n"
                 "2/3 Test #2: b.of/1 ...***Timeout   1.00 sec\n    Test #2: b.of/1 ...***Failed    0.01 sec\n"
                 "3/3 Test #3: c ...........***Skipped   0.01 sec\n\n")
        end = ("67% tests passed, 1 tests failed out of 3\n\nTotal Test time (real) = 1 sec\n\nThe following tests FAILED:\n"
               "\t  2 - b.of/1 (Failed)\n")
        self.assertEqual(summary(begin + end, None),
                         begin + "Failed first, and passed when run again (why stands above):\n  a\n\n" + end)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
