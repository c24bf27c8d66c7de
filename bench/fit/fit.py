#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the factors of data/fit.json on published llama-bench rows, by the formulas of report/score/score.h.

fit.py                writes data/fit.json
fit.py --check        fails where data/fit.json is not what this script writes, where docs/score.md states other errors
                      of it, or where they exceed GOALS
fit.py --rows         also shows every row: its device, and how many times as much is predicted as was measured, of a
                      machine that is measured, without that device, and of one that is described

A token: t = (weights + kv * context) / (e * read) + o.
A prompt: rate = c * matrix^a * scalar^(1 - a) / work, of the fastest product and that in fp32: the larger a device's
matrix units are beside the rest of it, the less of them a prompt reaches, whatever they are called.
By least absolute error of the logarithm of the rate: a row that is off by half would bend a square. e and c are those of
a class of devices, whatever runtime reaches them, so that between the runtimes of one device what was measured decides;
a class has runtimes where rows of one device differ more than its figures do. One overhead is all devices', so that a
machine that is faster as a whole keeps its order, but for classes that have their own, with e of their maker's others or,
where rows of several formats of weights tell both, with their own.

Where nobody measured a device's rate, the share of the specified one that others of its class reach in the median counts
("usual"), and so it does in the program where nothing is measured: both predict the same there. The errors that are
printed and kept are those of devices that were left out of their own fit; the range that is kept holds 95 % of its
class's, and of all others' too where few devices have told them, and "inside" counts the devices left out whose rows lie
in the range that the others give.

Training has no rows of frameworks but those of CUDA (bench/predict/fit_gpu.py). Of the other classes a step is supposed to
reach half of the product, and as much less of it as prompts do: makers' peaks of matrix units say little of what
software makes of them. Data-centre GPUs, whose libraries frameworks use and engines do not, stay at the half.

llama_rows.csv: builds of 2025 and later, since engines changed much before (on Metal less: most of its rows are older), from
pages that anybody can open; a device counts once in its class's share, however many rows it has. "architecture" is one of
data/pci_names.csv (its target of NVIDIA's and of gfx906, the chip of Apple's), "card" what --assume calls the very product.
The rates of devices are those that its pages state, or vendors' own, and as in data/peaks/cards.csv where they disagree (of
Apple's by the number of cores); read_bytes_per_s are measured by kernels that read, product rates by matrix products, both
published beside other devices (github.com/chsasank/device-benchmarks, github.com/zzc0721/torch-performance-test-data,
github.com/ProjectPhysX/OpenCL-Benchmark, clpeak).

Where a page does not state the form of a card, it has those of the slower one if they differ by a fifth at most (an A100
80GB's memory by 5 %, a Data Center GPU Max's vector units by 18 %), else none: that H100 and the memory of that Max count
for nothing. Of a Max 1550, whose halves show as devices of their own, the rates are a half's: by layers, a token reads with
one at a time. SYCL's rows have llama.cpp's reordered weights, as is the default since 2025; the prompt of
pull request 13536 was read without, since when no prompt is read with them. Of pages without the number of written tokens
it is that of llama.cpp's scripts for SYCL at that time (400, later 200).
"""
import csv
import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "data" / "fit.json"
REQUEST = json.loads((ROOT / "data" / "reference_request.json").read_text())["inference"]
DATE = "2026-11-29"
SOURCE = "bench/fit/fit.py on bench/fit/llama_rows.csv"
# Llama 2 7B and Llama 3 8B: parameters that take part in products, and bytes of context a token in fp16 (7B has as many
# key as query heads).
EMBEDDING_PARAMETERS = {6.74e9: 131e6, 7.24e9: 131e6, 8.03e9: 525e6}
KV_BYTES = {6.74e9: 524288, 7.24e9: 131072, 8.03e9: 131072}
# Of devices left out of their own fit: the median error is at most that, and so many rows lie in the range.
GOALS = {"decode": 0.10, "prefill": 0.20}
LEAST_INSIDE = 0.90
# Taken, not fitted: left out, devices' prompts are off by 12 to 14 % in the mean and 7 to 9 % in the median from 0 to 0.9, the
# mean least from 0.4 to 0.7, the median at 0 and 0.1. At 0 a device's matrix units would count for nothing where they were
# measured.
MATRIX_POWER = 0.2
# So many tell how far the next may be off.
ENOUGH_DEVICES = 8
# PCI vendor ids of those who have rows.
VENDORS = {"NVIDIA": "10de", "AMD": "1002", "Intel": "8086", "Apple": "106b"}
# The classes of each maker, the first that fits a device counts; what fits none is of the maker's own, which all rows
# count for that no class takes, or where none is left, all by the same runtimes. Architectures, or targets, are those of
# data/pci_names.csv. One without rows is "as" another, and "lowest" is where the range of its decode begins. Those that
# "wait" have wide memories and low clocks: what their rows lack beside the maker's other devices is the same time for each
# token, however fast they read. Rows of those with "formats" are of weights of 4 to 16 bits, which tell such a time apart from
# the share of the memory's rate.
CLASSES = [
    {"vendor": "NVIDIA", "chips": ["sm_70", "sm_80", "sm_90", "sm_100", "sm_103"], "waits": True},
    {"vendor": "NVIDIA", "chips": ["sm_61", "sm_62", "sm_72"]},
    # Without dot products of bytes, as which goes the P100: nobody has rows of it.
    {"vendor": "NVIDIA", "chips": ["sm_50", "sm_52", "sm_53", "sm_60"]},
    # Its range goes down to the other figure that there is: 0.95 tokens/s of 2.02 GB on a Quadro K4200 (173 GB/s) by Vulkan, a
    # hundredth of what its memory would give (github.com/Andyyyy64/whichllm, pull request 75).
    {"vendor": "NVIDIA", "chips": ["Kepler", "sm_30", "sm_32", "sm_35", "sm_37"], "lowest": 0.013},
    {"vendor": "NVIDIA", "chips": ["sm_75"]},
    # The same chips have half of their rate of matrix units, and more power, than on professional cards.
    {"vendor": "NVIDIA", "chips": ["sm_86", "sm_89", "sm_120"], "names": ["GeForce"]},
    {"vendor": "AMD", "chips": ["CDNA1", "CDNA2", "CDNA3", "CDNA4"], "waits": True},
    # The chip of the Instinct MI50 and MI60, Radeon VII and Pro VII, with its 1 TB/s. Other Vegas have half of that at most,
    # or share the processor's memory, and nobody's rows: they are the maker's.
    {"vendor": "AMD", "chips": ["gfx906"], "waits": True},
    # Without dot products of bytes, with rows of Polaris alone. Its range goes down to what an RX 480 makes of other weights:
    # 37.9 tokens/s of 2.37 GiB (Q4_K_XL) in llama.cpp's pull request 13324.
    {"vendor": "AMD", "chips": ["GCN1", "GCN2", "GCN3", "GCN4", "GCN5", "GCN5.1"], "lowest": 0.47},
    {"vendor": "AMD", "chips": ["RDNA1"]},  # without them, too
    {"vendor": "AMD", "chips": ["RDNA2"]},
    {"vendor": "AMD", "chips": ["RDNA3.5", "gfx1103"]},
    {"vendor": "AMD", "chips": ["RDNA3"]},
    {"vendor": "AMD", "chips": ["RDNA4"]},
    # Matrix engines, by oneDNN. Of Xe3 and Xe-LPG+ there are no rows with the machine's memory: the engines are Xe2's.
    {"vendor": "Intel", "chips": ["Xe-HPC"], "runtimes": ["level_zero", "sycl"], "waits": True},
    # By OpenCL, of which there are no rows: it waits as long.
    {"vendor": "Intel", "chips": ["Xe-HPC"], "as": "Xe-HPC"},
    {"vendor": "Intel", "chips": ["Xe-HPG"], "runtimes": ["level_zero", "sycl"]},
    {"vendor": "Intel", "chips": ["Xe2", "Xe2-LPG", "Xe3-LPG", "Xe-LPG+"], "runtimes": ["level_zero", "sycl"]},
    # By Vulkan, which reads less of their memory than of Xe2's.
    {"vendor": "Intel", "chips": ["Xe-HPG"]},
    {"vendor": "Intel", "chips": ["Xe2", "Xe2-LPG"]},
    {"vendor": "Apple", "names": ["M5"]},
    # Two chips in one, which read a smaller share of their memory's rate than one does.
    {"vendor": "Apple", "names": ["Ultra"], "formats": True},
    {"vendor": "Apple", "names": ["M1", "M2", "M3", "M4"], "formats": True},
]
# What libraries' products of 16 bits reach of the peak on cards of data centres, a further device each beside the rows
# (stas00/ml-engineering, maximum achievable matmul FLOPS: MI300X; A100; H100).
KNOWN_PRODUCTS = {"CDNA3": [0.51], "sm_80": [0.87], "sm_90": [0.8]}
# Their frameworks use other libraries than engines do.
TRAINED_BY_LIBRARIES = ("CDNA3", "Xe-HPC")
# No rows of many devices: what frameworks' users report of large products in bf16, as a share of the product alone.
TRAINING = {"value": 0.5, "low": 0.35, "high": 0.7, "basis": "assumed",
            "source": "assumed until rows of frameworks are fitted", "date": DATE}


def number(text):
    return float(text) if text else None


def found_key(row):
    """The place in CLASSES, or the maker where none of its classes fits."""
    for place, kind in enumerate(CLASSES):
        if (kind["vendor"] == row["vendor"] and row["architecture"] in kind.get("chips", [row["architecture"]]) and
                row["runtime"] in kind.get("runtimes", [row["runtime"]]) and
                any(name in row["card"] + row["device"] for name in kind.get("names", [""]))):
            return place
    return row["vendor"]


def told_by(key):
    """The class whose rows tell of this one, where that has none."""
    like = class_of(key).get("as")
    return next(place for place, kind in enumerate(CLASSES) if like in kind.get("chips", [])) if like else key


def base_of(key):
    """What tells of a class that has no rows: its maker, and those of its classes that have the same runtimes."""
    kind = class_of(key)
    return (kind["vendor"], *kind["runtimes"]) if "runtimes" in kind else kind["vendor"]


def rows_of(rows, key):
    """Those that a class takes; of a maker those that none takes, or where there are none, all by the same runtimes."""
    key = told_by(key)
    return [row for row in rows if row["key"] == key] or [row for row in rows if base_of(row["key"]) == base_of(key)]


def shares_of(rows, rate):
    spec = "spec_bytes_per_s" if rate.startswith("read") else "spec_" + rate
    return {row["device"]: row[rate] / row[spec] for row in rows if row[rate] and row[spec]}


def usual_share(rows, key, rate):
    """What devices reach of what is specified: of the class, else of the maker, else of all; never more than all."""
    own = rows_of(rows, key)
    vendors = [row for row in rows if row["vendor"] == own[0]["vendor"]]
    known = KNOWN_PRODUCTS if rate.startswith("matrix") else {}
    chips = class_of(key).get("chips", [])
    for candidates, published in ((own, [share for chip in chips for share in known.get(chip, [])]), (vendors, []),
                                  (rows, [])):
        shares = [*shares_of(candidates, rate).values(), *published]
        if shares:
            return min(1, statistics.median(shares))
    return 1


def usual_of(rows, key):
    return {"read": round(usual_share(rows, key, "read_bytes_per_s"), 3),
            "fp32": round(usual_share(rows, key, "fp32_flop_per_s"), 3),
            "matrix16": round(usual_share(rows, key, "matrix_flop_per_s"), 3)}


def keys():
    return [*range(len(CLASSES)), *VENDORS]


def load():
    """The rows with their rates, and the usual shares of each class."""
    text = ("device", "vendor", "architecture", "card", "runtime", "build", "source")
    with open(pathlib.Path(__file__).with_name("llama_rows.csv"), encoding="utf-8") as file:
        rows = [{key: value if key in text else number(value) for key, value in row.items()}
                for row in csv.DictReader(file)]
    for row in rows:
        row["key"] = found_key(row)
    usual = {key: usual_of(rows, key) for key in keys()}
    for row in rows:
        described(row, usual[row["key"]])
    return rows, usual


def described(row, usual):
    """Fills in what was not measured, and what the program takes of a device that is described."""
    for kind, share in (("read_bytes_per_s", "read"), ("fp32_flop_per_s", "fp32"), ("matrix_flop_per_s", "matrix16")):
        spec = row["spec_bytes_per_s" if kind.startswith("read") else "spec_" + kind]
        row["described_" + kind] = spec * usual[share] if spec else row[kind]
        row[kind] = row[kind] or row["described_" + kind]
    for name in ("", "described_"):
        if row[name + "fp32_flop_per_s"]:
            matrix = row[name + "matrix_flop_per_s"] or 0
            row[name + "matrix_flop_per_s"] = max(matrix, row[name + "fp32_flop_per_s"])


def token_bytes(row):
    return row["weight_bytes"] + KV_BYTES[row["parameters"]] * row["output_tokens"] / 2


def prompt_flop(row):
    attention = 2 * REQUEST["layers"] * REQUEST["width"] * row["prompt_tokens"]
    parameters = row["parameters"] - EMBEDDING_PARAMETERS[row["parameters"]]
    return row["prompt_tokens"] * (2 * parameters + attention)


def class_of(key):
    return CLASSES[key] if isinstance(key, int) else {"vendor": key}


def by_class(values):
    """key -> the median of what its rows give, each device once; under base_of() that of all that it may stand for."""
    devices = {}
    for row, value in values:
        devices.setdefault((row["device"], base_of(row["key"])), []).append((row["key"], value))
    own, alike = {}, {}
    for (_, base), found in devices.items():
        of_device = statistics.median(value for _, value in found)
        own.setdefault(found[0][0], []).append(of_device)
        alike.setdefault(base, []).append(of_device)
    return {key: statistics.median(shares) for key, shares in (alike | own).items()}


def best(candidates, fitted, predict, rows, measured):
    """The fit of the candidate that has the least mean of absolute errors, every class alike."""
    def loss(candidate):
        point = fitted(rows, candidate)
        errors = {}
        for row in rows:
            errors.setdefault(row["key"], []).append(abs(math.log(predict(row, point) / row[measured])))
        return sum(statistics.fmean(found) for found in errors.values())
    return fitted(rows, min(candidates, key=loss))


def decode_point(rows, overhead):
    """The shares, and the overhead of all under None and of each class that has its own."""
    waits, others = ([row for row in rows if class_of(row["key"]).get("waits", False) == wanted]
                     for wanted in (True, False))
    shares = by_class([(row, token_bytes(row) / row["read_bytes_per_s"]
                        / max(1 / row["output_tokens_per_s"] - overhead, 1e-4)) for row in others])
    overheads = by_class([(row, 1 / row["output_tokens_per_s"]
                           - token_bytes(row) / (shares[base_of(row["key"])] * row["read_bytes_per_s"])) for row in waits])
    shares |= {key: shares[base_of(key)] for key in overheads if isinstance(key, int)}
    return shares, {None: overhead} | {key: max(own, 0) for key, own in overheads.items() if isinstance(key, int)}


def share_of(row, shares):
    """Of the class, and of one whose only device was left out, of those that it is like."""
    return shares.get(row["key"], shares.get(base_of(row["key"])))


def overhead_of(key, overheads):
    return overheads.get(key, overheads[None])


def token_rate(row, fitted, rates=""):
    shares, overheads = fitted
    reading = token_bytes(row) / (share_of(row, shares) * row[rates + "read_bytes_per_s"])
    return 1 / (reading + overhead_of(row["key"], overheads))


def fit_decode(rows):
    """As decode_point() has them: the best overhead for all, and of each class with "formats" that of its own rows."""
    def fitted(own, longest):
        return best([i * 1e-4 for i in range(longest + 1)], decode_point, token_rate, own, "output_tokens_per_s")

    tell_both = {row["key"] for row in rows if class_of(row["key"]).get("formats", False)}
    shares, overheads = fitted([row for row in rows if row["key"] not in tell_both], 30)
    for key in tell_both:
        own, overhead = fitted([row for row in rows if row["key"] == key], 100)
        shares[key], overheads[key] = own[key], overhead[None]
    return shares, overheads


def mixed(row, power, rates=""):
    return row[rates + "matrix_flop_per_s"] ** power * row[rates + "fp32_flop_per_s"] ** (1 - power)


def prompt_speed(row):
    """flop/s that the published prompt was read with."""
    return prompt_flop(row) / row["prompt_tokens"] * row["prompt_tokens_per_s"]


def fit_prefill(rows, power=MATRIX_POWER):
    return by_class([(row, prompt_speed(row) / mixed(row, power)) for row in rows]), power


def prompt_rate(row, fitted, rates=""):
    shares, power = fitted
    return row["prompt_tokens"] * share_of(row, shares) * mixed(row, power, rates) / prompt_flop(row)


def training_of(rows, key):
    """The factor of a class that has no rows of frameworks; None where their own rows tell. It is half of the product, times
    the share of it that prompts reach: of the class's rows by runtimes that frameworks train with, else of its maker's."""
    chips = class_of(key).get("chips", [])
    of_maker = [row for row in rows if row["vendor"] == class_of(key)["vendor"] and row["runtime"] != "vulkan"]
    own = [row for row in rows_of(rows, key) if row["runtime"] != "vulkan"] or of_maker
    if class_of(key)["vendor"] == "NVIDIA" or any(chip in chips for chip in TRAINED_BY_LIBRARIES):
        return None
    reached = {}
    for row in own:
        reached.setdefault(row["device"], []).append(prompt_speed(row) / row["matrix_flop_per_s"])
    share = min(1, statistics.median(statistics.median(found) for found in reached.values()))
    value = TRAINING["value"] * share
    return TRAINING | {"value": round(value, 3), "low": round(value * TRAINING["low"] / TRAINING["value"], 3),
                       "source": "assumed until rows of frameworks are fitted: half of a product, by what prompts reach "
                                 "of it (bench/fit/llama_rows.csv)"}


def left_out(rows, fit, predict, measured):
    """(row, log of predicted over measured) of every row, fitted without its device."""
    errors = []
    for device in sorted({row["device"] for row in rows}):
        fitted = fit([row for row in rows if row["device"] != device])
        errors += [(row, math.log(predict(row, fitted) / row[measured])) for row in rows if row["device"] == device]
    return errors


def spread(errors):
    """What the error of one device more is below, either way, in 95 of 100 cases: the rank that Vovk's conformal
    prediction gives it (2005), or the largest error where that is beyond them. A device counts once, by the median of its
    rows, so that those with many do not tell of others how near they are."""
    devices = {}
    for row, error in errors:
        devices.setdefault(row["device"], []).append(abs(error))
    sizes = sorted(statistics.median(found) for found in devices.values())
    return math.exp(sizes[min(math.ceil(0.95 * (len(sizes) + 1)), len(sizes)) - 1])


def of(errors, vendor):
    return [(row, error) for row, error in errors if row["vendor"] == vendor]


def of_class(errors, key):
    own = [(row, error) for row, error in errors if row["key"] == told_by(key)]
    return own or [(row, error) for row, error in errors if base_of(row["key"]) == base_of(key)]


def range_of(errors, key):
    """How far up and down the range of a class goes: that of all where few devices have told its own."""
    own = of_class(errors, key)
    few = len({row["device"] for row, _ in own}) < ENOUGH_DEVICES
    return max(spread(own) if own else 1, spread(errors) if few else 1)


def inside(errors):
    """The share of rows whose error is within the range that all other devices give their class."""
    held = []
    for row, error in errors:
        others = [other for other in errors if other[0]["device"] != row["device"]]
        held.append(abs(error) <= math.log(range_of(others, row["key"])))
    return sum(held) / len(held)


def summary(errors):
    sizes = [abs(math.exp(error) - 1) for _, error in errors]
    widths = [range_of(errors, row["key"]) ** 2 for row, _ in errors]
    return {"rows": len(sizes), "devices": len({row["device"] for row, _ in errors}),
            "median_error": round(statistics.median(sizes), 3), "worst_error": round(max(sizes), 3),
            "inside": round(inside(errors), 3), "median_width": round(statistics.median(widths), 2),
            "median_error_of": {vendor: round(statistics.median(
                abs(math.exp(error) - 1) for _, error in of(errors, vendor)), 3)
                for vendor in sorted({row["vendor"] for row, _ in errors})}}


def factor(value, width):
    return {"value": round(value, 3), "low": round(value / width, 3), "high": round(value * width, 3),
            "basis": "fitted", "source": SOURCE, "date": DATE}


def shared(values, errors):
    """For a maker without rows: the geometric mean of those that have some, with a range that holds them all."""
    value = math.exp(statistics.fmean(math.log(values[vendor]) for vendor in VENDORS))
    return factor(value, spread(errors + [({"device": vendor}, math.log(value / values[vendor])) for vendor in VENDORS]))


def of_reading(width, rows, point):
    """How far the share alone has to reach for a token's time to reach so far, where much of it is overhead."""
    parts = [overhead_of(row["key"], point[1]) * token_rate(row, point) for row in rows]
    waiting = statistics.median(parts)
    return (width - waiting) / (1 - waiting)


def of_keys(rows, usual, points, errors):
    """data/fit.json's rows, the first that fits a device counts."""
    for key in keys():
        kind = class_of(key)
        row = {"vendor": VENDORS[kind["vendor"]]} | {word: kind[word] for word in ("chips", "names", "runtimes")
                                                     if word in kind}
        width = range_of(errors["decode"], key)
        if told_by(key) in points["decode"][1]:
            row["token_overhead_s"] = round(points["decode"][1][told_by(key)], 5)
            width = of_reading(width, rows_of(rows["decode"], key), points["decode"])
        # The range of decode covers the overhead too: they were left out together.
        row["decode"] = factor(points["decode"][0][told_by(key)], width)
        row["decode"]["low"] = kind.get("lowest", row["decode"]["low"])
        row["prefill"] = factor(points["prefill"][0][told_by(key)], range_of(errors["prefill"], key))
        training = training_of(rows["prefill"], key)
        yield row | ({"training": training} if training else {}) | {"usual": usual[key]}


def stated(found, rows, devices):
    """The sentences that docs/score.md must hold, of data/fit.json's left_out."""
    def makers(kind):
        return ", ".join(f"{name} {share * 100:.0f} %" for name, share in found[kind]["median_error_of"].items())

    decode, prefill = found["decode"], found["prefill"]
    return [f"{rows} published llama.cpp rows of {devices} devices",
            f"decode median {decode['median_error'] * 100:.1f} % ({makers('decode')})",
            f"prefill median {prefill['median_error'] * 100:.0f} % ({makers('prefill')})",
            f"{min(decode['inside'], prefill['inside']) * 100:.0f} % of their rows lie in the range",
            f"is {decode['median_width']:.1f} and {prefill['median_width']:.1f} in the median"]


def check(text, fitted, rows):
    if TARGET.read_text() != text:
        sys.exit(f"{TARGET.relative_to(ROOT)} is not what this script writes")
    for kind, goal in GOALS.items():
        found = fitted["left_out"][kind]
        if found["median_error"] > goal or found["inside"] < LEAST_INSIDE:
            sys.exit(f"{kind}: a median error of {found['median_error']} with {found['inside']} inside misses {goal} "
                     f"with {LEAST_INSIDE}")
    page = " ".join((ROOT / "docs" / "score.md").read_text(encoding="utf-8").split())
    for sentence in stated(fitted["left_out"], len(rows), len({row["device"] for row in rows})):
        if sentence not in page:
            sys.exit(f"docs/score.md does not state: {sentence}")


def name_of(key):
    kind = class_of(key)
    return " ".join([kind["vendor"], *kind.get("names", []), "/".join(kind.get("chips", [])), *kind.get("runtimes", [])])


def show_rows(rows, points, errors):
    """Every row, and each class's median and extremes, as times the measured: left out of its own fit, and of a machine
    that is described."""
    for phase, predict, measured in (("decode", token_rate, "output_tokens_per_s"),
                                     ("prefill", prompt_rate, "prompt_tokens_per_s")):
        table = {}
        for row, error in errors[phase]:
            described = predict(row, points[phase], "described_") / row[measured]
            table.setdefault(row["key"], []).append((row, math.exp(error), described))
        for key in (key for key in keys() if key in table):
            for row, *times in sorted(table[key], key=lambda entry: entry[2]):
                print(f"{phase:8} {row['device']:48} {row['runtime']:7}", *(f"{value:6.2f}" for value in times))
            columns = list(zip(*(times for _, *times in table[key])))
            spans = [f"{statistics.median(column):.2f} [{min(column):.2f} - {max(column):.2f}]" for column in columns]
            print(f"{phase:8} {name_of(key)}: left out {spans[0]}, described {spans[1]}")


def main():
    rows, usual = load()
    usable = {"decode": [row for row in rows if row["output_tokens_per_s"] and row["read_bytes_per_s"]],
              "prefill": [row for row in rows if row["prompt_tokens_per_s"] and row["fp32_flop_per_s"]]}
    points = {"decode": fit_decode(usable["decode"]), "prefill": fit_prefill(usable["prefill"])}
    errors = {"decode": left_out(usable["decode"], fit_decode, token_rate, "output_tokens_per_s"),
              "prefill": left_out(usable["prefill"], fit_prefill, prompt_rate, "prompt_tokens_per_s")}
    ratios = {row["device"]: row["fp32_flop_per_s"] / row["matrix_flop_per_s"] for row in usable["prefill"]}
    fitted = {
        "decode": shared(points["decode"][0], errors["decode"]),
        "token_overhead_s": round(points["decode"][1][None], 5),
        "prefill": shared(points["prefill"][0], errors["prefill"]),
        "matrix_power": round(points["prefill"][1], 3),
        "scalar_share": round(statistics.median(ratios.values()), 3),
        "training": TRAINING,
        "classes": list(of_keys(usable, usual, points, errors)),
        "left_out": {kind: summary(found) for kind, found in errors.items()},
    }
    text = json.dumps(fitted, indent=2) + "\n"
    print(json.dumps(fitted["left_out"], indent=1))
    if "--rows" in sys.argv[1:]:
        show_rows(usable, points, errors)
    if "--check" in sys.argv[1:]:
        check(text, fitted, rows)
    else:
        TARGET.write_text(text)


if __name__ == "__main__":
    main()
