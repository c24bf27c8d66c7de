#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows the promises of docs/contract.md one by one on this machine: each with its command and what was observed.
Needs no network and not root; the drivers that hang and crash are fakes.

    ./dev promises [WORD]
    python3 promises.py WHICHGPU BUILD_DIRECTORY [WORD]

WORD selects those whose section or text contains it. Exit code: 0 when all that can be shown hold, 1 when one does not,
2 when there is none to show.
"""
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import exit_codes  # noqa: E402,F401 (each registers its promises)
import json_output  # noqa: E402,F401
import deadlines  # noqa: E402,F401
import isolation  # noqa: E402,F401
import security  # noqa: E402,F401
from harness import BINARY, environment  # noqa: E402
from shown import PROMISES, show_all  # noqa: E402


def chosen(words):
    return [one for one in PROMISES if all(word.lower() in f"{one.section} {one.text}".lower() for word in words)]


def main():
    promises = chosen(sys.argv[3:])
    if not promises:
        print(f"promises: none speaks of {' '.join(sys.argv[3:])}", file=sys.stderr)
        return 2
    print("What docs/contract.md promises, shown on this machine.")
    return 1 if show_all(promises, BINARY, environment) else 0


if __name__ == "__main__":
    sys.exit(main())
