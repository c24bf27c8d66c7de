#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What frameworks make of a GPU's products, of results of bench/gpu_check that have a model's stack in PyTorch (stack.py):
fit_gpu.py RESULT... Prints of each the share of the prompt's product that a prompt reaches and of the fastest product that a
step of training reaches, by the formulas of report/score/score.h, and how far what the tables predict is from what was
measured: factors come from the first results, errors that say something from others."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUEST = json.loads((ROOT / "data" / "reference_request.json").read_text())
FIT = json.loads((ROOT / "data" / "fit.json").read_text())
FACTORS = json.loads((ROOT / "data" / "runtimes" / "cuda.json").read_text())["factors"]
# Of the stack: bf16, and what of the matrices a token reads.
WEIGHT_BYTES = 2 * REQUEST["inference"]["parameters"]


def best(result, kernel, types, **shape):
    rates = [m["rate"] for m in result["measurements"] if m["runtime"] == "cuda" and m["kernel"] == kernel
             and m["in_dtype"] in types and all(m["shape"].get(edge) == size for edge, size in shape.items())]
    if not rates:
        sys.exit(f"fit_gpu: {kernel} of {' or '.join(types)} was not measured")
    return max(rates)


def compare(name, measured_s, predicted_s):
    print(f"{name:9} {measured_s * 1e3:8.2f} ms measured, {predicted_s * 1e3:8.2f} ms predicted: "
          f"{100 * (predicted_s / measured_s - 1):+.0f} %")


def main():
    r, t = REQUEST["inference"], REQUEST["training"]
    hopper = next(row for row in FIT["classes"] if row["vendor"] == "10de" and "sm_90" in row.get("chips", []))
    overhead_s = FIT["token_overhead_s"]
    token_overhead_s = hopper.get("token_overhead_s", overhead_s)
    for path in sys.argv[1:]:
        result = json.loads(pathlib.Path(path).read_text())
        stack = result["stack"]
        tokens, context, step = stack["prefill"]["tokens"], stack["decode"]["context"], stack["training"]["tokens"]
        prompt_flop = tokens * (2 * r["parameters"] + 2 * r["layers"] * r["width"] * tokens)
        step_flop = step * (4 * r["parameters"] + 6 * t["adapter_parameters"]
                            + 6 * r["layers"] * r["width"] * t["sequence_tokens"])
        prompt = best(result, "gemm", ("fp16", "bf16"), m=512)
        product, read = best(result, "gemm", ("fp16", "bf16")), best(result, "read", ("u32",))
        token_bytes = WEIGHT_BYTES + r["kv_bytes_per_token"] * context
        prefill_s, step_s = stack["prefill"]["seconds"], stack["training"]["seconds"]
        print(f"{path}: {stack['device']}, torch {stack['torch']}: a prompt {prompt_flop / (prefill_s - overhead_s) / prompt:.2f} "
              f"of its product, a step {step_flop / step_s / product:.2f} of the fastest")
        whole = next(row for row in FACTORS["whole"] if row["weights"] == "bf16")["prefill"]["value"]
        compare("prefill", prefill_s, prompt_flop / (whole * prompt) + overhead_s)
        compare("decode", stack["decode"]["seconds"], token_bytes / (hopper["decode"]["value"] * read) + token_overhead_s)
        compare("training", step_s, step_flop / (FACTORS["training"]["value"] * product))


main()
