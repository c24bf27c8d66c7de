# SPDX-License-Identifier: MIT
"""Derives seeds from the recorded machines of tests/fixtures: seeds.py SOURCE OUT writes OUT/<harness>/<name>."""
import copy
import json
import pathlib
import struct
import sys


def records(source):
    for path in sorted((source / "tests/fixtures").glob("*/record.json")):
        yield path.parent.name, json.loads(path.read_text())


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def without_samples(record):
    """As the cache keeps it, and short."""
    record = copy.deepcopy(record)
    for measurement in record["measurements"]:
        measurement["batch_times_s"] = []
    return record


def smaller(record, measurements):
    """The record with a part of its measurements: small inputs are mutated to more effect."""
    record = without_samples(record)
    del record["measurements"][measurements:]
    return record


def report(record):
    kept = ("tool_version", "created", "measurements")
    return {"schema_version": 1, "command": "report", **{key: record[key] for key in kept}}


def slowed(record):
    record = copy.deepcopy(record)
    for index, measurement in enumerate(record["measurements"]):
        for key in ("rate", "p10_rate", "best_rate"):
            if key in measurement:
                measurement[key] *= 0.5 + 0.25 * (index % 5)
    return record


def events(record):
    """What the children streamed, one record a line."""
    for probe in record["probes"]:
        lines = [{"event": "stage", "value": {"stage": probe.get("stage", "start")}}]
        for key, event in (("drivers", "driver"), ("devices", "device"), ("hardware", "hardware"),
                           ("environment", "environment")):
            lines += [{"event": event, "value": value} for value in probe.get(key, [])]
        if "library" in probe:
            lines.append({"event": "library", "value": probe["library"]})
        if "error" in probe:
            lines.append({"event": "failure", "value": {"outcome": probe["outcome"], "error": probe["error"]}})
        lines += [{"event": "warning", "value": {"text": text}} for text in probe.get("warnings", [])]
        yield probe["module"], lines + [{"done": True}]
    measured = [{"event": "measurement", "value": value} for value in record["measurements"][:4]]
    if measured:
        yield "measured", [{"event": "stage", "value": {"stage": "compile", "title": "gemm",
                                                        "implementation": "own", "allow_s": 1.0}}] + measured


def loader_cache(entries):
    """/etc/ld.so.cache as glibc's sysdeps/generic/dl-cache.h has it."""
    strings, table = b"", b""
    start = 48 + 24 * len(entries)
    for soname, path in entries:
        offsets = []
        for text in (soname, path):
            offsets.append(start + len(strings))
            strings += text.encode() + b"\0"
        table += struct.pack("<iIIIQ", 0x303, *offsets, 0, 0)
    return struct.pack("<20sIIB3xI12x", b"glibc-ld.so.cache1.1", len(entries), len(strings), 2, 0) + table + strings


def parsers():
    """One input a parser of parsers_harness.cpp, which its first letter chooses."""
    metrics = bytearray(120)
    metrics[:4] = struct.pack("<HBB", 120, 1, 3)
    metrics[112:120] = struct.pack("<Q", 0x0000_0001_0000_0004)
    return {
        "a-loader-cache": b"alibx.so\n" + loader_cache([("libx.so", "/usr/lib/libx.so"), ("y", "/y")]),
        "b-versions": b"bGLIBC_2.34\nGLIBC_2.3.4\nGLIBC_PRIVATE\nGCC_3.0",
        "c-paths": b"c/usr/lib:relative::/opt/x:",
        "d-filter": b"dradeon_icd.json\n*radeon*,intel*,*.json",
        "e-numbers": b"e0-3,8, 10-12",
        "f-metrics": b"f" + bytes(metrics),
        "g-address": b"g0000:c1:00.0",
        "g-uuid": b"g01234567-89ab-cdef-0123-456789abcdef",
        "h-x86": b"hprocessor : 0\nvendor_id : AuthenticAMD\nmodel name : AMD EPYC\nflags : fpu sse2 avx2\ncore id : 0\n",
        "h-riscv": b"hprocessor : 0\nhart : 0\nisa : rv64imafdcv\nmmu : sv39\n",
        "i-target": b"i" + struct.pack("<Q", 90010),
        "j-libraries": b'j{"ICD": {"library_path": "/usr/lib/libvulkan_lvp.so"}}',
        "k-suggestion": b"kvulcan",
    }


def texts():
    """Each for every check of text_harness.cpp that reads text, and figures for the one that does not."""
    found = {
        "plain": b"NVIDIA GeForce RTX 4090 Laptop GPU (TM) needs about 0.133831 s",
        "wide": "\u65e5\u672c\u8a9e\u306e\u540d\u524d \u30b0\u30e9\u30d5 \U0001f680\U0001f680 e\u0301e\u0301".encode(),
        "hostile": b"\x1b[31mred\x07 \xff\xc3( \xe2\x80\xae gpu \xc2\x9b \xed\xa0\x80",
        "long": b"word " * 20 + b"x" * 150,
    }
    for name, text in found.items():
        for check in range(1, 5):
            yield f"{name}-{check}", struct.pack(">HHH", check, 60, 25) + text
    for index, figures in enumerate(((249.7e9, 1.5e-6, 15 << 30), (1e308, 5e-324, 1), (99.5, 0.0995, 2**64 - 1))):
        yield f"figures-{index}", struct.pack(">HHH", 0, 0, index) + struct.pack("<ddQ", *figures)


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

    def seed(harness, name, content):
        path = out / harness / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    for name, record in records(source):
        lean = without_samples(record)
        seed("record", name, compact(lean))
        seed("record", name + "-small", compact(smaller(record, 3)))
        few = smaller(record, 3)
        seed("cache", name, compact({"format": 1, "key": "k", "effort": 1, "record": few}))
        seed("compare", name, compact({"base": report(few), "other": report(slowed(few))}))
        seed("compare", name + "-whole", compact({"base": report(lean), "other": report(slowed(lean))}))
        for module, lines in events(lean):
            encoded = [compact(line) for line in lines]
            seed("channel", f"{name}-{module}", "\n".join(encoded))
            framed = b"".join(len(text.encode()).to_bytes(4, "little") + text.encode() for text in encoded)
            seed("channel", f"{name}-{module}-framed", framed)
        devices = [device for probe in record["probes"] for device in probe.get("devices", [])]
        for index, device in enumerate(devices[:2]):
            seed("json", f"{name}-{index}", compact(device))
    for harness, inputs in (("parsers", parsers()), ("text", dict(texts()))):
        for name, content in inputs.items():
            seed(harness, name, content)
    lines = ["", "list --json --only cpu,vulkan", "recommend --for training --why", "recommend --format shell",
             "recommend --require gpu --no-cache", "query name,arch --best --csv", "query --list-fields", "recommend --among cuda,hip --min-memory 12GiB", "recommend --can vulkan",
             "recommend --exclude cpu,radeon --format cmake", "compare a.json b.json --verbose", "--quick --budget 3.5",
             "--record D --record-ids", "--replay D --device cpu:0 --color always", "help list", "--version", "--help",
             "list --sysroot / --timeout 2", "--thorough --exit-code", "--only=sysfs --skip cpu", "trainig", "--jsno",
             "recommend --for=decode --format=env --require=cuda", "compare a", "version", "list --help", "-- x"]
    for index, line in enumerate(lines):
        seed("options", f"line-{index}", "\0".join(line.split()))


if __name__ == "__main__":
    main()
