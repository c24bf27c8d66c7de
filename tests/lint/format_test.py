#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source is laid out as clang-format-19 does it by .clang-format. Exits with 77 where that is missing, which Debian
12 and 13 have. What was found right is not looked at again: $WHICHGPU_TEST_CACHE knows it by its content."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from structure_test import ROOT, tracked

PROGRAM = "clang-format-19"


def key_of_rules():
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
    return version + (ROOT / ".clang-format").read_bytes()


def main():
    if not shutil.which(PROGRAM):
        print(f"SKIPPED: no {PROGRAM}")
        return 77
    folder = os.environ.get("WHICHGPU_TEST_CACHE")
    kept = pathlib.Path(folder) / "formatted" if folder else None
    known = set(kept.read_text(encoding="ascii").split()) if kept and kept.is_file() else set()
    rules = key_of_rules()
    # The name counts, too: a source's own header comes first in it.
    keys = {path: hashlib.sha256(rules + str(path.relative_to(ROOT)).encode() + path.read_bytes()).hexdigest()
            for path in tracked("*.h", "*.cpp")}
    untold = [path for path, key in keys.items() if key not in known]
    if untold and (code := subprocess.run([PROGRAM, "--dry-run", "--Werror", *untold], check=False).returncode):
        return code
    if kept and untold:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"formatted.{os.getpid()}")
        part.write_text("\n".join(sorted(keys.values())), encoding="ascii")
        part.replace(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
