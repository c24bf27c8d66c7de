#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fill_cache.py VARIABLE=FOLDER PROGRAM SOURCE...: runs a program of tests with that variable, so that what a driver's
compiler makes of the sources is in the folder when the tests themselves run; unless it did so for the same sources before.
How tests end is said by themselves, and one that finds nothing in the folder compiles."""
import hashlib
import os
import pathlib
import subprocess
import sys


def main():
    variable, folder = sys.argv[1].split("=", 1)
    program, *sources = map(pathlib.Path, sys.argv[2:])
    key = hashlib.sha256(b"".join(source.name.encode() + source.read_bytes() for source in sorted(sources)))
    stamp = pathlib.Path(folder) / f"{program.name}.{key.hexdigest()[:32]}.filled"
    if stamp.exists():
        os.utime(stamp)
        return
    stamp.parent.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run([program], env={**os.environ, variable: folder}, timeout=300, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return
    stamp.touch()


if __name__ == "__main__":
    main()
