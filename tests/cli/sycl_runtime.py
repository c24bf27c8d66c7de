#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's SYCL runtime for processors, as PyPI has it, for tests: sycl_runtime.py PYTHON FOLDER fetches it, once for all, by a
Python that has pip. It is installed nowhere, for the tool would then find it on this machine."""
import fcntl
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

# With what they need: 470 MB that come over the network, and as much on disk.
WHEELS = ("intel-sycl-rt==2026.2.0", "intel-opencl-rt==2026.2.0")
NAME = "2026.2.0"
# What no test loads: compilers of other programs, debuggers' scripts, and tools.
UNUSED = ("libsycl-jit.so*", "libsycl-preview.so*", "icx-lto.so*", "libur_sanitizer_layer.so*", "libtcm_debug.so*", "*-gdb.py",
          "cmake", "pkgconfig", "python3*")
LIMIT_S = 900


def folder(cache, build):
    """Where it lies below the test's cache, or below build/vendor; the reason in its place where it does not."""
    kept = pathlib.Path(cache) if cache else pathlib.Path(build).parent / "vendor"
    found = kept / "downloaded" / "sycl" / NAME
    return found if found.exists() else f"no {found}: ./dev test fetches it where PyPI answers, for x86-64"


def once_each(libraries):
    """Wheels have a library under each of its names: one file and links to it are enough."""
    known = {}
    for path in sorted(libraries.iterdir(), key=lambda one: -len(one.name)):
        if path.is_symlink() or not path.is_file():
            continue
        first = known.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
        if first is not path:
            path.unlink()
            path.symlink_to(first.name)


def fetch(python, kept):
    """None, or what went wrong in a line."""
    if platform.machine() != "x86_64":
        return "it is for x86-64"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return str(error)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two, the second finds what the first has fetched
        if (kept / NAME).exists():
            return None
        part = pathlib.Path(tempfile.mkdtemp(prefix="part-", dir=kept))
        try:
            command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", "--no-cache-dir",
                       "--no-warn-script-location", "--ignore-installed", "--only-binary", ":all:", "--retries", "1",
                       "--timeout", "20", "--prefix", part, *WHEELS]
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                                  env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
            if done.returncode:
                return (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            libraries = part / "lib"
            for pattern in UNUSED:
                for path in libraries.glob(pattern):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            once_each(libraries)
            part.chmod(0o755)
            part.rename(kept / NAME)
        except (OSError, subprocess.SubprocessError) as error:
            return str(error)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return None


if __name__ == "__main__":
    if why := fetch(sys.argv[1], pathlib.Path(sys.argv[2])):
        sys.exit(f"dev: Intel's SYCL runtime can not be had; the check that needs it will skip: {why}")
