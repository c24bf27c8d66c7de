// SPDX-License-Identifier: MIT
#include "backends/core/operands.h"

#include <array>
#include <bit>
#include <cstring>

namespace backends {
namespace {

// How a type lies in memory, from the float that equals it (integers: from the integer).
std::uint32_t Fp32Word(std::uint32_t seed, std::uint32_t index) {
  return std::bit_cast<std::uint32_t>(kernels::OperandFp32(seed, index));
}
std::uint32_t Tf32Word(std::uint32_t seed, std::uint32_t index) {
  return std::bit_cast<std::uint32_t>(kernels::OperandFp16(seed, index));
}
std::uint16_t Bf16Word(std::uint32_t seed, std::uint32_t index) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(kernels::OperandBf16(seed, index)) >> 16U);
}
// Every operand is 0 or a normal number of fp16 (|x| >= 2^-10) with no more than its 11 significant bits, so
// the exponent is rebased (127 - 15) and 13 zero bits of the mantissa go.
std::uint16_t Fp16Word(std::uint32_t seed, std::uint32_t index) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(kernels::OperandFp16(seed, index));
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  return static_cast<std::uint16_t>(magnitude == 0 ? sign : sign | ((magnitude - (112U << 23U)) >> 13U));
}

template <auto Word>
void Write(std::uint32_t seed, std::uint32_t first, std::span<std::byte> out) {
  using T = decltype(Word(0U, 0U));
  for (std::size_t i = 0; i < out.size() / sizeof(T); ++i) {
    const T word = Word(seed, first + static_cast<std::uint32_t>(i));
    std::memcpy(out.data() + i * sizeof(T), &word, sizeof(T));
  }
}

struct FormatRow {
  kernels::Dtype dtype;
  OperandFormat format;
  void (*write)(std::uint32_t, std::uint32_t, std::span<std::byte>);
};
constexpr std::array kFormats = {
    FormatRow{kernels::Dtype::kFp32, {24, 0x1p-23}, Write<Fp32Word>},
    FormatRow{kernels::Dtype::kTf32, {11, 0x1p-10}, Write<Tf32Word>},
    FormatRow{kernels::Dtype::kFp16, {11, 0x1p-10}, Write<Fp16Word>},
    FormatRow{kernels::Dtype::kBf16, {8, 0x1p-7}, Write<Bf16Word>},
    FormatRow{kernels::Dtype::kInt8, {8, 1.0}, Write<kernels::OperandInt8>},
    FormatRow{kernels::Dtype::kU32, {32, 1.0}, Write<kernels::OperandBits>},
};

const FormatRow* Find(kernels::Dtype dtype) {
  for (const FormatRow& row : kFormats) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<OperandFormat> FormatOf(kernels::Dtype dtype) {
  const FormatRow* row = Find(dtype);
  return row == nullptr ? std::nullopt : std::optional(row->format);
}

bool WriteOperand(kernels::Dtype dtype, std::uint32_t seed, std::uint32_t first, std::span<std::byte> out) {
  const FormatRow* row = Find(dtype);
  if (row == nullptr) return false;
  row->write(seed, first, out);
  return true;
}

}  // namespace backends
