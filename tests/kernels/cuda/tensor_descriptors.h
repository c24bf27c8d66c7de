// SPDX-License-Identifier: MIT
// The descriptors of products in tensor memory: what their bits say, written from PTX ISA 8.6, "Instruction
// descriptor" and "Shared memory descriptor", not from the kernels. Used by tensor_memory.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/kernels/cuda/operands.h"
#include "tests/kernels/cuda/tensor_memory.h"

namespace emulation {

struct Instruction {
  unsigned sum, a, b, columns, rows;  // types by their numbers
};
// Nothing where a bit is set that no kernel here needs.
[[nodiscard]] std::optional<Instruction> DecodeInstruction(unsigned bits);
// nullptr for types that the kind has not, or that no kernel here multiplies.
[[nodiscard]] Adder AdderOf(TensorKind kind, const Instruction& of);
// Fails where a bit means nothing, or nothing that a kernel here needs.
[[nodiscard]] MatrixPlace DecodeMatrix(std::uint64_t bits);

}  // namespace emulation
