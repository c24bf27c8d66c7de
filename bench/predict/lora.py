#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times steps of LoRA training in torch on the processor: two layers of the shape of Llama 3 8B and its output, random
weights in bf16, adapters of rank 16 on every matrix, AdamW: lora.py THREADS TOKENS STEPS. Prints JSON: seconds of each
step after the first, which compiles and allocates. What a step costs does not depend on what the weights say."""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

LAYERS, WIDTH, HIDDEN, HEADS, KV_HEADS, VOCABULARY, RANK = 2, 4096, 14336, 32, 8, 128256, 16


class Adapted(nn.Module):
    """A frozen matrix and its adapter: x W' + (x A') B'."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs, dtype=torch.bfloat16) * inputs ** -0.5,
                                   requires_grad=False)
        self.a = nn.Parameter(torch.randn(RANK, inputs, dtype=torch.bfloat16) * inputs ** -0.5)
        self.b = nn.Parameter(torch.zeros(outputs, RANK, dtype=torch.bfloat16))

    def forward(self, x):
        return functional.linear(x, self.weight) + functional.linear(functional.linear(x, self.a), self.b)


def normalised(x):
    return functional.rms_norm(x, (WIDTH,))


def rotated(x, cosine, sine):
    even, odd = x.chunk(2, dim=-1)
    return torch.cat((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        kv = WIDTH // HEADS * KV_HEADS
        self.q, self.k, self.v = Adapted(WIDTH, WIDTH), Adapted(WIDTH, kv), Adapted(WIDTH, kv)
        self.o = Adapted(WIDTH, WIDTH)
        self.gate, self.up, self.down = Adapted(WIDTH, HIDDEN), Adapted(WIDTH, HIDDEN), Adapted(HIDDEN, WIDTH)

    def forward(self, x, cosine, sine):
        def heads(y):
            return y.unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2)
        y = normalised(x)
        q, k = rotated(heads(self.q(y)), cosine, sine), rotated(heads(self.k(y)), cosine, sine)
        k, v = (t.repeat_interleave(HEADS // KV_HEADS, dim=1) for t in (k, heads(self.v(y))))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(attended.transpose(1, 2).flatten(2))
        y = normalised(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


def main():
    threads, tokens, steps = (int(word) for word in sys.argv[1:4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    layers = nn.ModuleList(Layer() for _ in range(LAYERS))
    head = (torch.randn(VOCABULARY, WIDTH) * WIDTH ** -0.5).to(torch.bfloat16)
    adapters = [parameter for parameter in layers.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(adapters)
    angles = torch.outer(torch.arange(tokens), 5e5 ** -torch.linspace(0, 1, WIDTH // HEADS // 2))
    cosine, sine = angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)
    taken = []
    for _ in range(steps + 1):
        x = torch.randn(1, tokens, WIDTH, dtype=torch.bfloat16)
        wanted = torch.randint(VOCABULARY, (tokens,))
        start = time.perf_counter()
        for layer in layers:
            x = layer(x, cosine, sine)
        loss = functional.cross_entropy(functional.linear(normalised(x), head).float().squeeze(0), wanted)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        taken.append(time.perf_counter() - start)
    print(json.dumps({"torch": torch.__version__, "seconds": taken[1:]}))


if __name__ == "__main__":
    main()
