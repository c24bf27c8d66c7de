#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source is laid out as clang-format-19 does it by .clang-format. Exits with 77 where that is missing, which Debian
12 and 13 have."""
import shutil
import subprocess
import sys

from structure_test import tracked

PROGRAM = "clang-format-19"


def main():
    if not shutil.which(PROGRAM):
        print(f"SKIPPED: no {PROGRAM}")
        return 77
    return subprocess.run([PROGRAM, "--dry-run", "--Werror", *tracked("*.h", "*.cpp")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
