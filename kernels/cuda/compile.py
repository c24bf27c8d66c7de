#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regenerates ptx/ from the sources with nvcc (13), or with --check says which files are stale. A file's first lines
name the hash of what it was made of; .version and .target are lowered to those of modules.txt."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = re.compile(r'^#include "(kernels/cuda/[^"]+)"', re.M)
OPTIONS = ["-ptx", "-std=c++17", "-O3"]


def modules():
    """Of every module its name, nvcc's architecture, version and target."""
    return [row[:4] for row in table()]


def table():
    rows = [line.split() for line in (HERE / "modules.txt").read_text().splitlines()]
    return [row for row in rows if row and not row[0].startswith("#")]


def chips_that_run(name):
    """Chips of the table's last column, or nothing where all from the target on run the module."""
    return next((row[4].split(",") for row in table() if row[0] == name and len(row) > 4), None)


def sources(path, seen):
    """A source and what it includes, each once."""
    if path not in seen:
        seen.append(path)
        for name in INCLUDE.findall(path.read_text()):
            sources(ROOT / name, seen)
    return seen


def fingerprint(name, architecture, version, target):
    digest = hashlib.sha256(" ".join([*OPTIONS, architecture, version, target]).encode())
    for path in sources(HERE / f"{name}.cu", []):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def lowered(text, version, target):
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"^\.version .*$", f".version {version}", text, flags=re.M)
    text = re.sub(r"^\.target .*$", f".target {target}", text, flags=re.M)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def find_nvcc():
    found = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(found).exists():
        sys.exit("nvcc is not here; the committed PTX stays as it is")
    return found


def compile_all():
    nvcc = find_nvcc()
    for name, architecture, version, target in modules():
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.ptx"
            subprocess.run([nvcc, *OPTIONS, f"-arch={architecture}", f"-I{ROOT}", HERE / f"{name}.cu", "-o", out],
                           check=True)
            head = f"// SPDX-License-Identifier: MIT\n// made of {fingerprint(name, architecture, version, target)}\n"
            (HERE / "ptx" / f"{name}.ptx").write_text(head + lowered(out.read_text(), version, target))


def stale():
    for row in modules():
        path = HERE / "ptx" / f"{row[0]}.ptx"
        if not path.exists() or f"// made of {fingerprint(*row)}\n" not in path.read_text():
            yield row[0]


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        names = list(stale())
        if names:
            sys.exit(f"stale, run `cmake --build <dir> --target cuda_ptx`: {' '.join(names)}")
    else:
        compile_all()
