#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program estimates of described machines, held against every published row that bench/fit has of a card which
--assume knows by its name. These are rows that the factors are fitted on: what fails here is the way from the fit to the
program, or a class that takes cards which are not alike. How far off a device is that no row tells of, fit.py says, which
leaves each out of its own fit (left_out of data/fit.json, held to GOALS by --check).

estimates_test.py SOURCE WHICHGPU [--show]
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "bench" / "fit"))
sys.dont_write_bytecode = True
import fit  # noqa: E402

MEASURED = {"decode": "output_tokens_per_s", "prefill": "prompt_tokens_per_s"}
FURTHEST = 2.0        # no estimate is that many times as much as a row, or as little
FURTHEST_MEDIAN = 1.25  # of each class
LEAST_INSIDE = 0.8    # of the rows lie in the range that is told
# Which of two cards answers the request of Llama 2 7B in 4 bits sooner, as published rows of both have it.
DECODES_FASTER = [
    ("GeForce RTX 4090", "cuda", "AMD Instinct MI210", "hip"), ("GeForce RTX 3090", "cuda", "AMD Instinct MI100", "hip"),
    ("Radeon RX 7900 XTX", "hip", "AMD Instinct MI210", "hip"), ("GeForce RTX 5090", "cuda", "Radeon RX 7900 XTX", "hip"),
    ("Intel Arc B580", "sycl", "Intel Arc A770", "sycl"), ("Intel Arc B580", "level_zero", "Intel Arc A770", "level_zero"),
    ("Intel Arc B580", "vulkan", "Intel Arc A770", "vulkan"), ("GeForce RTX 4070", "vulkan", "Intel Arc B580", "sycl"),
    ("Apple M2 Ultra", "metal", "Intel Arc B580", "sycl"),
    ("Radeon RX 9070 XT", "vulkan", "Apple M4 Max", "metal"), ("NVIDIA A30", "cuda", "AMD Instinct MI210", "hip"),
    ("GeForce RTX 4080", "cuda", "Apple M2 Ultra", "metal"), ("Radeon RX 6800 XT", "vulkan", "Apple M2 Ultra", "metal"),
    ("Apple M5 Max", "metal", "Apple M3 Ultra", "metal"), ("Apple M2 Ultra", "metal", "Apple M4 Max", "metal"),
    ("Apple M1 Ultra", "metal", "GeForce RTX 3060 12GB", "cuda"), ("Radeon RX 5700 XT", "vulkan", "Radeon RX 580", "vulkan"),
    ("Radeon RX 580", "vulkan", "Radeon RX 470", "vulkan"), ("Tesla M40", "cuda", "Tesla K80", "cuda"),
]
# Nobody has published rows; a peak alone puts none of the second before these.
TRAINS_FASTER = [
    ("GeForce RTX 5070 Ti", "cuda", "Radeon RX 9070 XT", "hip"), ("GeForce RTX 4090", "cuda", "Radeon RX 9070 XT", "hip"),
    ("GeForce RTX 3090", "cuda", "Intel Arc A770", "level_zero"), ("GeForce RTX 4070", "cuda", "Intel Arc B580", "level_zero"),
    ("GeForce RTX 4090", "cuda", "Radeon RX 7900 XTX", "hip"), ("NVIDIA H100 SXM5 80GB", "cuda", "AMD Instinct MI300X", "hip"),
]


def estimates(cards, work, folder):
    """(card, runtime) -> use -> tokens_per_s of a machine with that card; `work` is what the request takes."""
    own = {"model": "a row's", "format": "any", "weights": "q4", "parameters": 1, "weight_bytes": 1, "layers": 32,
           "width": 4096, "kv_bytes_per_token": 1, "prompt_tokens": 1, "output_tokens": 128} | work
    (folder / "request.json").write_text(json.dumps({"inference": own}))
    found = {}
    for card, runtime in cards:
        run = subprocess.run([PROGRAM, "--json", "--assume", f"name={card},runtime={runtime}", "--request",
                              folder / "request.json"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{card} by {runtime}: {run.stderr}")
        found[card, runtime] = {score["use"]: score["tokens_per_s"] for score in json.loads(run.stdout)["scores"]
                                if score["runtime"] == runtime and "tokens_per_s" in score}
    return found


def work_of(row, phase):
    """The row's own: writing begins with an empty context, and embeddings take no part in products."""
    return {"parameters": int(row["parameters"] - fit.EMBEDDING_PARAMETERS[row["parameters"]]),
            "weight_bytes": int(row["weight_bytes"]), "kv_bytes_per_token": int(fit.KV_BYTES[row["parameters"]]),
            "prompt_tokens": int(row["prompt_tokens"] or 1) if phase == "prefill" else 1,
            "output_tokens": int(row["output_tokens"] or 128)}


def compare(folder):
    """(class, row, phase, estimated over published, whether the range holds it)."""
    rows = [row for row in fit.load()[0] if row["card"]]
    asked = {}
    for row in rows:
        for phase, measured in MEASURED.items():
            if row[measured]:
                work = tuple(sorted(work_of(row, phase).items()))
                asked.setdefault(work, []).append((row, phase))
    for work, of_work in asked.items():
        cards = {(row["card"], row["runtime"]) for row, _ in of_work}
        told = estimates(sorted(cards), dict(work), folder)
        for row, phase in of_work:
            rate, published = told[row["card"], row["runtime"]][phase], row[MEASURED[phase]]
            yield row["key"], row, phase, rate["value"] / published, rate["low"] <= published <= rate["high"]


def failures_of(compared):
    classes = {}
    for key, row, phase, times, _ in compared:
        classes.setdefault((phase, key), []).append(times)
        if not 1 / FURTHEST <= times <= FURTHEST:
            yield f"{row['device']} by {row['runtime']}: {phase} is estimated at {times:.2f} of {row['source']}"
    for (phase, key), times in classes.items():
        if not 1 / FURTHEST_MEDIAN <= statistics.median(times) <= FURTHEST_MEDIAN:
            yield f"{phase} of {fit.name_of(key)}: estimated at {statistics.median(times):.2f} in the median"
    share = statistics.fmean(inside for *_, inside in compared)
    if share < LEAST_INSIDE:
        yield f"{share:.2f} of the rows lie in the range that is told"


def wrongly_ordered(pairs, use, folder):
    cards = {card for one, by, other, through in pairs for card in ((one, by), (other, through))}
    q4 = {"parameters": 6609000000, "weight_bytes": 3822520893, "kv_bytes_per_token": 524288, "prompt_tokens": 512}
    told = estimates(sorted(cards), q4, folder)
    for one, by, other, through in pairs:
        faster, slower = told[one, by][use]["value"], told[other, through][use]["value"]
        if faster <= slower:
            yield f"{use}: {one} by {by} has {faster:.0f} tokens/s and {other} by {through} {slower:.0f}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compared = list(compare(folder))
        failures = [*failures_of(compared), *wrongly_ordered(DECODES_FASTER, "decode", folder),
                    *wrongly_ordered(TRAINS_FASTER, "training", folder)]
    if "--show" in sys.argv:
        for key, row, phase, times, inside in sorted(compared, key=lambda entry: (entry[2], str(entry[0]), entry[3])):
            print(f"{phase:8} {row['device']:42} {row['runtime']:7} {times:5.2f} {'' if inside else 'out'}")
    print("\n".join(failures))
    print(f"{len(compared)} figures of published rows, {len(failures)} failures")
    return 1 if failures or len(compared) < 200 else 0


sys.exit(main())
