#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shows the promises tells those that hold from those that do not, within 80 columns."""
import io
import unittest

from shown import Broken, NotShown, Promise, expect, show_all


def holds(stage):
    stage.typed("list", "--only", "a word with spaces", suffix=" | true")
    return "exit 0, " + "seen " * 40


def breaks(stage):
    expect(False, "exit 1")


def fails(stage):
    raise OSError("no such thing")


def denied(stage):
    raise NotShown("there is no /dev/full")


class Show(unittest.TestCase):
    def shown(self, *functions):
        stream = io.StringIO()
        promises = [Promise("1. Section", function.__name__ + " as promised.", function) for function in functions]
        return show_all(promises, "whichgpu", dict, stream), stream.getvalue()

    def test_what_holds_and_what_is_denied_is_no_failure(self):
        broken, text = self.shown(holds, denied)
        self.assertEqual(0, broken)
        self.assertIn("  ✓ holds as promised.\n    $ whichgpu list --only 'a word with spaces' | true\n", text)
        self.assertIn("not shown here: there is no /dev/full", text)
        self.assertIn("1 of 2 promises hold, 0 do not, 1 were not shown here", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_what_does_not_hold_or_can_not_be_seen_to_is_one(self):
        broken, text = self.shown(breaks, fails)
        self.assertEqual(2, broken)
        self.assertIn("✗ breaks as promised.\n      exit 1", text)
        self.assertIn("OSError: no such thing", text)

    def test_broken_is_an_assertion(self):
        self.assertTrue(issubclass(Broken, AssertionError))


unittest.main(verbosity=2)
