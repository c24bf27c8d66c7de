#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times on a GPU, in torch, what whichgpu predicts: a stack of matrix products and attention of the shape of Llama 3 8B with
random weights in bf16, which reads a prompt of 512 tokens and writes tokens in the middle of an output of 128, and a step of
LoRA training (lora.py's layers, two sequences of 2048 tokens): stack.py [LAYERS]. Prints JSON: seconds of each, medians, by
the device's events. Tokens are written by replaying a captured graph, as engines do, and once launch by launch. Ends with 3
where there is no torch, with 4 where that sees no GPU."""
import json
import statistics
import sys
import time

try:
    import torch
    from torch.nn import functional
except ImportError:
    sys.exit(3)
if not torch.cuda.is_available():
    sys.exit(4)

import lora

PROMPT, OUTPUT, CONTEXT = 512, 128, 1024
SEQUENCES, SEQUENCE = 2, 2048
KV = lora.WIDTH // lora.HEADS * lora.KV_HEADS
HEAD = lora.WIDTH // lora.HEADS
WARM_S, TIMES = 0.5, 9  # a card that idled before has low clocks at first


def seconds(run, times=TIMES):
    """The median time of a run, and how far apart the longest and the shortest are as a share of it."""
    end = time.monotonic() + WARM_S
    while time.monotonic() < end:
        run()
        torch.cuda.synchronize()
    taken = []
    for _ in range(times):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        run()
        last.record()
        torch.cuda.synchronize()
        taken.append(first.elapsed_time(last) / 1e3)
    median = statistics.median(taken)
    return {"seconds": median, "spread": (max(taken) - min(taken)) / median}


def matrix(outputs, inputs):
    return torch.randn(outputs, inputs, dtype=torch.bfloat16, device="cuda") * inputs ** -0.5


class Layer:
    """Of products by as few kernels as engines launch: queries, keys and values by one, the two of the hidden layer by one."""

    def __init__(self):
        self.qkv = matrix(lora.WIDTH + 2 * KV, lora.WIDTH)
        self.o = matrix(lora.WIDTH, lora.WIDTH)
        self.gate_up = matrix(2 * lora.HIDDEN, lora.WIDTH)
        self.down = matrix(lora.WIDTH, lora.HIDDEN)
        self.keys, self.values = (torch.zeros(1, lora.KV_HEADS, CONTEXT, HEAD, dtype=torch.bfloat16, device="cuda")
                                  for _ in range(2))

    def __call__(self, x, first, cosine, sine):
        """x: bf16[tokens, width], the tokens from `first` on of one sequence, whose earlier ones are in the cache."""
        tokens = x.shape[0]
        q, k, v = functional.linear(lora.normalised(x), self.qkv).split([lora.WIDTH, KV, KV], dim=-1)
        q, k, v = (part.unflatten(-1, (-1, HEAD)).transpose(0, 1).unsqueeze(0) for part in (q, k, v))
        self.keys[:, :, first:first + tokens] = lora.rotated(k, cosine, sine)
        self.values[:, :, first:first + tokens] = v
        attended = functional.scaled_dot_product_attention(
            lora.rotated(q, cosine, sine), self.keys[:, :, :first + tokens], self.values[:, :, :first + tokens],
            is_causal=tokens > 1, enable_gqa=True)
        x = x + functional.linear(attended.squeeze(0).transpose(0, 1).flatten(1), self.o)
        gate, up = functional.linear(lora.normalised(x), self.gate_up).chunk(2, dim=-1)
        return x + functional.linear(functional.silu(gate) * up, self.down)


def angles(tokens):
    of = torch.outer(torch.arange(tokens, device="cuda"), 5e5 ** -torch.linspace(0, 1, HEAD // 2, device="cuda"))
    return of.cos().to(torch.bfloat16), of.sin().to(torch.bfloat16)


@torch.no_grad()
def inference(count):
    layers = [Layer() for _ in range(count)]
    head = matrix(lora.VOCABULARY, lora.WIDTH)
    cosine, sine = angles(CONTEXT)

    def tokens_from(x, first):
        for layer in layers:
            x = layer(x, first, cosine[first:first + x.shape[0]], sine[first:first + x.shape[0]])
        return functional.linear(lora.normalised(x[-1:]), head)
    prompt = torch.randn(PROMPT, lora.WIDTH, dtype=torch.bfloat16, device="cuda")
    token = torch.randn(1, lora.WIDTH, dtype=torch.bfloat16, device="cuda")
    at = PROMPT + OUTPUT // 2
    read = seconds(lambda: tokens_from(prompt, 0))
    launched = seconds(lambda: tokens_from(token, at))
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tokens_from(token, at)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        tokens_from(token, at)
    return {"prefill": {**read, "tokens": PROMPT}, "decode": {**seconds(graph.replay, 30), "context": at},
            "decode_launched": launched}


def training(count):
    with torch.device("cuda"):
        layers = torch.nn.ModuleList(lora.Layer() for _ in range(count))
    head = matrix(lora.VOCABULARY, lora.WIDTH)
    optimiser = torch.optim.AdamW([p for p in layers.parameters() if p.requires_grad], fused=True)
    cosine, sine = angles(SEQUENCE)
    x = torch.randn(SEQUENCES, SEQUENCE, lora.WIDTH, dtype=torch.bfloat16, device="cuda")
    wanted = torch.randint(lora.VOCABULARY, (SEQUENCES * SEQUENCE,), device="cuda")

    def step(checkpointed):
        y = x
        for layer in layers:
            y = torch.utils.checkpoint.checkpoint(layer, y, cosine, sine, use_reentrant=False) if checkpointed else layer(
                y, cosine, sine)
        logits = functional.linear(lora.normalised(y), head).flatten(0, 1).float()
        functional.cross_entropy(logits, wanted).backward()
        optimiser.step()
        optimiser.zero_grad()
    return {"training": {**seconds(lambda: step(False), 5), "tokens": SEQUENCES * SEQUENCE},
            "training_checkpointed": seconds(lambda: step(True), 5)}


def main():
    import torch.utils.checkpoint
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 32
    torch.manual_seed(1)
    found = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "layers": count}
    for part in (inference, training):
        try:
            found.update(part(count))
        except Exception as error:
            found[part.__name__] = str(error)[:300]
        torch.cuda.empty_cache()
    print(json.dumps(found))


main()
