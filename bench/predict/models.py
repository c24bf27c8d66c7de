#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes models of the shapes that people run, with random weights, as files of llama.cpp (GGUF).

How fast a model runs does not depend on what its weights say, so that nothing has to be fetched. Layouts of blocks and
which tensor has which type are those of llama.cpp: ggml-common.h (block_q4_K, block_q6_K, block_q8_0) and
llama_tensor_get_type for LLAMA_FTYPE_MOSTLY_Q4_K_M.
"""
import dataclasses

import gguf
import numpy

# Weights repeat after so many rows: random enough for a cache, and quick to make.
POOL_BYTES = 1 << 24
VOCABULARY = 128256


@dataclasses.dataclass(frozen=True)
class Shape:
    """Llama 3's: of one layer width x width queries and outputs, width x kv keys and values, width x hidden three times."""
    layers: int
    width: int
    hidden: int
    heads: int
    kv_heads: int = 8
    tied: bool = False  # the output's weights are those of the embeddings

    @property
    def kv(self):
        return self.width // self.heads * self.kv_heads

    @property
    def parameters(self):
        """Those that take part in a token's products."""
        layer = 2 * self.width * (self.width + self.kv) + 3 * self.width * self.hidden
        return self.layers * layer + self.width * VOCABULARY

    @property
    def kv_bytes_per_token(self):
        """Keys and values in fp16."""
        return 2 * 2 * self.layers * self.kv


SHAPES = {"1B": Shape(16, 2048, 8192, 32, tied=True), "3B": Shape(28, 3072, 8192, 24, tied=True),
          "8B": Shape(32, 4096, 14336, 32)}
QUANTISED = gguf.GGMLQuantizationType
FORMATS = {"Q4_K_M": QUANTISED.Q4_K, "Q8_0": QUANTISED.Q8_0, "F16": QUANTISED.F16, "BF16": QUANTISED.BF16}


def tensors(shape, form):
    """(name, (rows, columns), type) of every matrix. Q4_K_M keeps half of the values and of what leads back from the
    hidden layer, and the output, in 6 bits."""
    plain = FORMATS[form]
    fine = QUANTISED.Q6_K if form == "Q4_K_M" else plain
    yield "token_embd.weight", (VOCABULARY, shape.width), fine if shape.tied else plain
    for i in range(shape.layers):
        eighth = shape.layers // 8
        more = i < eighth or i >= 7 * shape.layers // 8 or (i - eighth) % 3 == 2
        block = f"blk.{i}."
        yield block + "attn_q.weight", (shape.width, shape.width), plain
        yield block + "attn_k.weight", (shape.kv, shape.width), plain
        yield block + "attn_v.weight", (shape.kv, shape.width), fine if more else plain
        yield block + "attn_output.weight", (shape.width, shape.width), plain
        yield block + "ffn_gate.weight", (shape.hidden, shape.width), plain
        yield block + "ffn_up.weight", (shape.hidden, shape.width), plain
        yield block + "ffn_down.weight", (shape.width, shape.hidden), fine if more else plain
    if not shape.tied:
        yield "output.weight", (VOCABULARY, shape.width), fine


def vectors(shape):
    """(name, elements) of what stays in fp32."""
    for i in range(shape.layers):
        yield f"blk.{i}.attn_norm.weight", shape.width
        yield f"blk.{i}.ffn_norm.weight", shape.width
    yield "output_norm.weight", shape.width


def matrix_bytes(rows, columns, kind):
    block, size = gguf.GGML_QUANT_SIZES[kind]
    return rows * columns // block * size


def token_bytes(shape, form):
    """Bytes of weights that one token reads: all matrices but the embeddings, unless those are the output too."""
    return sum(matrix_bytes(*dimensions, kind) for name, dimensions, kind in tensors(shape, form)
               if shape.tied or name != "token_embd.weight")


def pool(kind, columns, random):
    """Some rows of weights of about 1 / sqrt(columns), as bytes: uint8[rows, bytes of a row]."""
    block, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = columns // block
    rows = max(1, POOL_BYTES // (blocks * size))
    spread = columns ** -0.5
    if kind in (QUANTISED.F16, QUANTISED.BF16):
        values = random.standard_normal((rows, columns), dtype=numpy.float32) * numpy.float32(spread)
        return gguf.quants.quantize(values, kind).view(numpy.uint8).reshape(rows, -1)
    data = random.integers(0, 256, (rows * blocks, size), dtype=numpy.uint8)

    def scale(value):
        return numpy.frombuffer(numpy.float16(value).tobytes(), numpy.uint8)
    if kind == QUANTISED.Q8_0:  # d, 32 values of 8 bits with a spread of 74
        data[:, :2] = scale(spread / 74)
    elif kind == QUANTISED.Q4_K:  # d, dmin, 12 bytes of scales of 6 bits, 128 of values: d s q - dmin m, in the mean 0
        data[:, :2] = scale(spread / 200)
        data[:, 2:4] = scale(spread / 200 * 7.5)
    elif kind == QUANTISED.Q6_K:  # 128 and 64 bytes of values, 16 signed scales, d
        data[:, 208:] = scale(spread / 1300)
    return data.reshape(rows, -1)


def write(path, shape, form, seed=1):
    """The whole file; only with its last byte does it have its name."""
    random = numpy.random.default_rng(seed)
    unfinished = path.with_suffix(".part")
    writer = gguf.GGUFWriter(str(unfinished), "llama")
    writer.add_context_length(8192)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(500000.0)
    writer.add_rope_dimension_count(shape.width // shape.heads)
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(VOCABULARY)
    matrices = list(tensors(shape, form))
    for name, (rows, columns), kind in matrices:
        writer.add_tensor_info(name, (rows, matrix_bytes(1, columns, kind)), numpy.dtype(numpy.uint8),
                               matrix_bytes(rows, columns, kind), raw_dtype=kind)
    for name, elements in vectors(shape):
        writer.add_tensor_info(name, (elements,), numpy.dtype(numpy.float32), elements * 4)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    pools = {}
    for _, (rows, columns), kind in matrices:
        if (kind, columns) not in pools:
            pools[kind, columns] = pool(kind, columns, random)
        source = pools[kind, columns]
        whole = numpy.take(source, random.integers(0, len(source), rows), axis=0)
        writer.write_tensor_data(whole)
    for _, elements in vectors(shape):
        writer.write_tensor_data(numpy.ones(elements, numpy.float32))
    writer.close()
    unfinished.rename(path)
