#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ctest --output-junit FILE ... | summary.py FILE: passes ctest's output on, and before the summary that it ends with
says why tests were skipped, by what each test has printed, and which passed only when ctest ran them again (--repeat)."""
import collections
import html
import pathlib
import re
import signal
import sys

# GoogleTest's, unittest's and our scripts' own.
REASONS = re.compile(r": Skipped\n(?P<googletest>.+)|\.\.\. skipped (?P<quote>['\"])(?P<unittest>.+)(?P=quote)"
                     r"|^(?:.*<system-out>)?skipped: (?P<script>.+)", re.MULTILINE)

# A line of ctest's for a test that did not pass, the first time or again, and one of its list at the end.
FAILED = re.compile(r"\s*(?:\d+/\d+ )?Test +#\d+: (?P<name>\S+) \.*\*\*\*(?!Skipped|Not Run)")
LISTED = re.compile(r"\s*\d+ - (?P<name>\S+) \(")


def unsteady(lines, summary):
    """Which tests did not pass at first and are not among those that ctest's summary lists, in the order of their failures."""
    failed = dict.fromkeys(match["name"] for match in map(FAILED.match, lines) if match)
    listed = {match["name"] for match in map(LISTED.match, summary) if match}
    return [name for name in failed if name not in listed]


def reasons(printed):
    """How often each reason to skip stands in what tests have printed, the most frequent first."""
    found = (next(filter(None, match.group("googletest", "unittest", "script"))) for match in REASONS.finditer(printed))
    return collections.Counter(found).most_common()


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctest ends; what it says then is passed on as well
    held, failures = [], []
    for line in sys.stdin:
        if held or re.match(r"\d+% tests passed", line):
            held.append(line)
        else:
            print(line, end="", flush=True)
            if "***" in line:
                failures.append(line)
    results = pathlib.Path(sys.argv[1])
    if held and results.is_file():
        # Not parsed: what tests print need not be allowed in XML.
        skipped = reasons(html.unescape(results.read_text(errors="replace")))
        if skipped:
            lines = (f"  {reason}" + (f" ({count} checks)" if count > 1 else "") for reason, count in skipped)
            print("Skipped here:", *lines, "", sep="\n")
    again = unsteady(failures, held) if held else []
    if again:
        print("Failed first, and passed when run again (why stands above):", *(f"  {name}" for name in again), "", sep="\n")
    print("".join(held), end="", flush=True)


if __name__ == "__main__":
    main()
