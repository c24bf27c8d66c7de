#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the predictions for the processor against llama.cpp and torch: predict.py WHICHGPU TOOLS [--models ...] [--out F].

WHICHGPU is the program, TOOLS the folder that setup.sh built. For every number of threads and round whichgpu measures
(--record) and the engines run, in turn and on the same processors, so that all see what the machine does meanwhile:
llama-bench with a prompt of 512 tokens and 32 of output for every model, then steps of LoRA training in torch (lora.py)
where the tools have it. What is predicted the program itself says of those figures (--replay, --request). --instructions
compares lesser processors: llama.cpp with kernels for those and whichgpu under the same bound. Prints every run and a
summary; --out keeps all, added to what the file has."""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

import fit
import models

HERE = pathlib.Path(__file__).resolve().parent
PROMPT, OUTPUT = fit.PROMPT, 32
# Sets of instructions as whichgpu names them, and as ggml and oneDNN (torch's products) do.
INSTRUCTIONS = {"avx2": ("haswell", "AVX2"), "avx_vnni": ("alderlake", "AVX2_VNNI"),
                "avx512_vnni": ("icelake", "AVX512_CORE_VNNI"), "amx": ("sapphirerapids", "AVX512_CORE_AMX")}
# Llama 3 8B's layers, of which lora.py has two, and its output.
LORA = {"inference": {"model": "two layers of Llama 3 8B", "layers": 2, "width": 4096,
                      "parameters": 2 * 218103808 + models.VOCABULARY * 4096,
                      "weight_bytes": 2 * (2 * 218103808 + models.VOCABULARY * 4096)},
        "training": {"weight_bytes": 2 * (2 * 218103808 + models.VOCABULARY * 4096),
                     "adapter_parameters": 2 * 1310720}}


def asked(values, known, what):
    unknown = [value for value in values if value not in known]
    if unknown:
        sys.exit(f"predict: no {what} is called {unknown[0]}; there are {', '.join(known)}")
    return values


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("whichgpu", type=pathlib.Path)
    parser.add_argument("tools", type=pathlib.Path)
    names = [f"{shape}-{form}" for form in models.FORMATS for shape in models.SHAPES]
    parser.add_argument("--models", nargs="*", default=names, metavar="SHAPE-FORMAT")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--instructions", nargs="+", default=["amx"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lora-tokens", type=int, default=0, help="of a training step; 0: none")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    asked(args.models, names, "model")
    asked(args.instructions, list(INSTRUCTIONS), "set of instructions")
    return args


def processors(count):
    """The first that this process may use, and no two of one core where there are enough cores."""
    allowed = sorted(os.sched_getaffinity(0))
    if count > len(allowed):
        sys.exit(f"predict: {count} threads are wanted, {len(allowed)} processors are there")

    def siblings(cpu):
        path = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        return path.read_text() if path.exists() else str(cpu)
    first = {}
    for cpu in allowed:
        first.setdefault(siblings(cpu), cpu)
    chosen = list(first.values())
    return (chosen + [cpu for cpu in allowed if cpu not in chosen])[:count]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where something runs."""
    instructions: str
    threads: int

    def run(self, command, **environment):
        """Its JSON."""
        cpus = processors(self.threads)
        done = subprocess.run([str(word) for word in command], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus), env={**os.environ, **environment})
        if done.returncode != 0:
            sys.exit(f"predict: {command[0]} ended with {done.returncode}")
        return json.loads(done.stdout)


class Tool:
    """whichgpu, with what it measured last."""

    def __init__(self, program, place):
        self.program, self.place = program.resolve(), place
        self.folder = tempfile.TemporaryDirectory()
        self.record = pathlib.Path(self.folder.name) / "record"
        self.report = place.run([self.program, "--json", "--only", "cpu", "--record", self.record],
                                WHICHGPU_CPU_ISA=place.instructions)

    def figures(self):
        """kernel, type and shape -> [rate, low, high] of the fastest verified way of the processor."""
        best = {}
        for m in self.report["measurements"]:
            if m["status"] != "ok" or not m["verified"] or m["kernel"] not in ("gemm", "gemv", "read"):
                continue
            prompt = " prompt" if m["kernel"] == "gemm" and m["shape"].get("m") == PROMPT else ""
            key = f"{m['kernel']} {m['in_dtype']}{prompt} {m['implementation']}"
            low, high = m.get("ci95", [0.9, 1.1])
            if key not in best or m["rate"] > best[key][0]:
                best[key] = [m["rate"], m["rate"] * low, m["rate"] * high]
        return best

    def disturbed(self):
        """Whether other programs took a part of the processors meanwhile."""
        return any(m.get("foreign_load", 0) > 0 for m in self.report["measurements"])

    def predicted(self, use, request):
        path = pathlib.Path(self.folder.name) / "request.json"
        path.write_text(json.dumps(request))
        report = self.place.run([self.program, "--json", "--replay", self.record, "--request", path])
        (score,) = [one for one in report["scores"] if one["use"] == use and one["runtime"] == "cpu"]
        rate = score["tokens_per_s"]
        return [rate["value"], rate["low"], rate["high"]]


def request_of(name, prompt, output):
    shape, form = name.split("-")
    known = models.SHAPES[shape]
    return {"inference": {
        "model": f"Llama 3 {shape}", "format": form, "weights": fit.FORMATS[form], "parameters": known.parameters,
        "weight_bytes": models.token_bytes(known, form), "layers": known.layers, "width": known.width,
        "kv_bytes_per_token": known.kv_bytes_per_token, "prompt_tokens": prompt, "output_tokens": output}}


def llama(args, place, name, tool):
    """Rows of writing and of reading: tokens/s measured and predicted."""
    path = args.tools / "models" / f"{name}.gguf"
    # A mapped file is as fast as the pages that the system happened to cache it in (BF16: 5.9 or 9.7 tokens/s).
    found = place.run([args.tools / "bin" / INSTRUCTIONS[place.instructions][0] / "llama-bench", "-m", path, "-p", PROMPT,
                       "-n", OUTPUT, "-r", 2, "-t", place.threads, "--load-mode", "none", "-o", "json"])
    for row in found:
        use = "prefill" if row["n_prompt"] else "decode"
        # llama-bench writes from the first token on.
        request = request_of(name, PROMPT if row["n_prompt"] else 1, OUTPUT)
        yield {"use": use, "model": name, "engine": f"llama.cpp {row['build_commit']}",
               "work": request["inference"]["weight_bytes"] if use == "decode" else flop_of(request),
               "load": "none", "measured": row["avg_ts"], "predicted": tool.predicted(use, request)}


def flop_of(request):
    """Of one token of a prompt (report/score/score.h)."""
    r = request["inference"]
    return 2 * r["parameters"] + 2 * r["layers"] * r["width"] * PROMPT


def lora(args, place, tool):
    tokens = args.lora_tokens
    found = place.run([args.tools / "torch" / "bin" / "python", HERE / "lora.py", place.threads, tokens, 2],
                      ONEDNN_MAX_CPU_ISA=INSTRUCTIONS[place.instructions][1])
    r, t = LORA["inference"], LORA["training"]
    request = {**LORA, "training": {**t, "sequence_tokens": tokens, "step_tokens": tokens}}
    work = 4 * r["parameters"] + 6 * t["adapter_parameters"] + 6 * r["layers"] * r["width"] * tokens
    yield {"use": "training", "model": f"2 layers, {tokens} tokens", "engine": f"torch {found['torch']}", "work": work,
           "measured": tokens / statistics.median(found["seconds"]), "predicted": tool.predicted("training", request)}


def prepare(args):
    """The models that memory holds, written where they are not yet."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name in args.models:
        path = args.tools / "models" / f"{name}.gguf"
        path.parent.mkdir(exist_ok=True)
        shape, form = name.split("-")
        needed = 1.2 * models.token_bytes(models.SHAPES[shape], form) + 1e9
        if needed > memory:
            print(f"{name}: skipped, it needs {needed / 1e9:.0f} GB of memory", flush=True)
            continue
        if not path.exists():
            models.write(path, models.SHAPES[shape], form)
        yield name


def runs(args):
    present = list(prepare(args))
    for instructions in args.instructions:
        for turn in range(args.rounds):
            for threads in args.threads:
                place = Place(instructions, threads)
                work = [lambda tool, name=name: llama(args, place, name, tool) for name in present]
                if args.lora_tokens:
                    work.append(lambda tool: lora(args, place, tool))
                tool, uses = None, 0
                for engine in work:
                    # Figures are not to be older than three engines' runs.
                    if uses % 3 == 0:
                        tool = Tool(args.whichgpu, place)
                    uses += 1
                    for row in engine(tool):
                        row = {**row, "instructions": instructions, "threads": threads, "round": turn,
                               "disturbed": tool.disturbed(), "figures": tool.figures()}
                        yield row


def show(row):
    value, low, high = row["predicted"]
    print(f"{row['model']:24} {row['instructions']:12} {row['threads']} threads: {row['use']:8} {row['measured']:8.2f} measured"
          f" {value:8.2f} [{low:.2f}-{high:.2f}] predicted{' (disturbed)' if row['disturbed'] else ''}", flush=True)


def summary(kept):
    for use in fit.GOALS:
        pairs = [(row["measured"], row["predicted"]) for row in kept if row["use"] == use]
        if pairs:
            error, inside, width = fit.errors(pairs)
            print(f"{use}: {len(pairs)} runs, median error {error:.1%}, {inside:.0%} inside the range, "
                  f"whose width is {width:.2f}")


def processor_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def keep(path, row):
    """Added to what the file has."""
    rows = [*(json.loads(path.read_text())["runs"] if path.exists() else []), row]
    unfinished = path.with_suffix(".part")
    lines = ",\n".join(json.dumps(one) for one in rows)
    unfinished.write_text(f'{{"processor": {json.dumps(processor_name())}, "runs": [\n{lines}\n]}}\n')
    unfinished.rename(path)


def main():
    args = arguments()
    kept = []
    for row in runs(args):
        show(row)
        kept.append(row)
        if args.out:
            keep(args.out, row)
    if not kept:
        sys.exit("predict: nothing was compared")
    summary(kept)


main()
