#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the wheel of a built program: make_wheel.py BINARY --version V --glibc 2.28 --processor x86_64 --out DIR. A wheel is
an archive whose RECORD has a hash of each file, so no package is needed for it, and no network. The same input gives the
same bytes; dates are those of SOURCE_DATE_EPOCH. It refuses a binary that needs more than its name will promise."""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

PYTHON = pathlib.Path(__file__).resolve().parent
SOURCE = PYTHON.parent
# What every system of a manylinux name has: auditwheel's manylinux-policy.json, as far as glibc's own libraries go.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
                    "ld-linux-aarch64.so.1"}
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}  # as readelf calls them
SUMMARY = "Which compute backend to use on this machine, how fast it really is, and why another does not work"


class Unfit(Exception):
    """The binary is not what the wheel's name would say."""


def readelf(binary):
    return subprocess.run(["readelf", "--wide", "--file-header", "--dynamic", "--version-info", str(binary)],
                          capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def check(binary, processor, glibc):
    """Raises Unfit unless the binary is for that processor and needs no more than that glibc."""
    text = readelf(binary)
    machine = re.search(r"^\s*Machine:\s*(.+)$", text, re.M)
    if not machine or machine[1].strip() != MACHINES[processor]:
        raise Unfit(f"{binary} is for {machine[1] if machine else 'no processor'}, not for {processor}")
    foreign = sorted(set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", text)) - SYSTEM_LIBRARIES)
    if foreign:
        raise Unfit(f"{binary} needs {', '.join(foreign)}, which not every system has: link it statically")
    names = set(re.findall(r"Name: (GLIBC_\S+)", text))
    allowed = tuple(map(int, glibc.split(".")))
    newer = sorted(name for name in names
                   if not re.fullmatch(r"GLIBC_[\d.]+", name) or tuple(map(int, name[6:].split(".")))[:2] > allowed)
    if newer:
        raise Unfit(f"{binary} needs {', '.join(newer)}, newer than glibc {glibc}: build it by ./dev release")


def metadata(version):
    head = [f"Metadata-Version: 2.1\nName: whichgpu\nVersion: {version}\nSummary: {SUMMARY}\nLicense: MIT",
            "Requires-Python: >=3.8", "Description-Content-Type: text/markdown"]
    head += ["Classifier: " + line for line in (
        "Environment :: Console", "License :: OSI Approved :: MIT License", "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3 :: Only", "Topic :: System :: Hardware", "Typing :: Typed")]
    return "\n".join(head) + "\n\n" + (PYTHON / "README.md").read_text()


def contents(binary, version, tag, sbom, notices):
    """Name, bytes and mode of every file but RECORD."""
    info = f"whichgpu-{version}.dist-info"
    out = [(path.relative_to(PYTHON).as_posix(), path.read_bytes(), 0o644)
           for path in sorted((PYTHON / "whichgpu").iterdir()) if path.is_file()]
    out.append(("whichgpu/bin/whichgpu", binary.read_bytes(), 0o755))
    out.append((f"{info}/METADATA", metadata(version).encode(), 0o644))
    out.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: whichgpu-make-wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
                0o644))
    out.append((f"{info}/entry_points.txt", b"[console_scripts]\nwhichgpu = whichgpu.__main__:main\n", 0o644))
    out.append((f"{info}/licenses/LICENSE", (SOURCE / "LICENSE").read_bytes(), 0o644))
    if notices:
        out.append((f"{info}/licenses/NOTICES.txt", notices.read_bytes(), 0o644))
    if sbom:
        out.append((f"{info}/sboms/whichgpu.spdx.json", sbom.read_bytes(), 0o644))
    return out, info


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write(path, files, seconds):
    """A file that is half written has another name."""
    date = time.gmtime(max(seconds, 315532800))[:6]  # archives begin with the year 1980
    part = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data, mode in files:
                entry = zipfile.ZipInfo(name, date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3  # Unix, whose permissions stand in the upper half
                entry.external_attr = (0o100000 | mode) << 16
                archive.writestr(entry, data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--glibc", required=True, help="the oldest that the wheel is to run with: 2.28")
    parser.add_argument("--processor", required=True, choices=MACHINES)
    parser.add_argument("--sbom", type=pathlib.Path)
    parser.add_argument("--notices", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+", options.glibc):
        parser.error(f"--glibc is a version such as 2.28, not {options.glibc}")
    try:
        check(options.binary, options.processor, options.glibc)
    except (Unfit, subprocess.CalledProcessError, OSError) as error:
        print(f"make_wheel: {error}", file=sys.stderr)
        return 1
    tag = f"py3-none-manylinux_{options.glibc.replace('.', '_')}_{options.processor}"
    files, info = contents(options.binary, options.version, tag, options.sbom, options.notices)
    record = "".join(record_line(name, data) for name, data, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    wheel = options.out / f"whichgpu-{options.version}-{tag}.whl"
    write(wheel, files, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
