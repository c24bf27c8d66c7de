// SPDX-License-Identifier: MIT
#include "backends/core/operands.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "kernels/cpu/cpu_kernel.h"

namespace backends {
namespace {

// How a type lies in memory, from the float that equals it (integers: from the integer).
std::uint32_t Tf32Word(std::uint32_t seed, std::uint32_t index) {
  return std::bit_cast<std::uint32_t>(kernels::OperandFp16(seed, index));
}
template <auto Word>
void Write(std::uint32_t seed, std::uint32_t first, std::span<std::byte> out) {
  using T = decltype(Word(0U, 0U));
  for (std::size_t i = 0; i < out.size() / sizeof(T); ++i) {
    const T word = Word(seed, first + static_cast<std::uint32_t>(i));
    std::memcpy(out.data() + i * sizeof(T), &word, sizeof(T));
  }
}

// Two codes a byte.
void WriteFp4(std::uint32_t seed, std::uint32_t first, std::span<std::byte> out) {
  for (std::byte& pair : out) {
    const auto code = [&] { return std::byte{kernels::OperandFp4Code(seed, first++)}; };
    pair = code();
    pair |= code() << 4;
  }
}

// Written by the processor's own fill kernel where it has one for the type.
struct FormatRow {
  kernels::Dtype dtype;
  OperandFormat format;
  std::string_view fill;
  void (*write)(std::uint32_t, std::uint32_t, std::span<std::byte>) = nullptr;
};
constexpr std::array kFormats = {
    FormatRow{kernels::Dtype::kFp32, {24, 0x1p-23}, "fill_fp32"},
    FormatRow{kernels::Dtype::kTf32, {11, 0x1p-10}, "", Write<Tf32Word>},
    FormatRow{kernels::Dtype::kFp16, {11, 0x1p-10}, "fill_fp16"},
    FormatRow{kernels::Dtype::kBf16, {8, 0x1p-7}, "fill_bf16"},
    FormatRow{kernels::Dtype::kFp8, {4, 0x1p-3}, "", Write<kernels::OperandFp8Word>},
    FormatRow{kernels::Dtype::kFp4, {3, 1.0}, "", WriteFp4},
    FormatRow{kernels::Dtype::kInt8, {8, 1.0}, "fill_int8"},
    FormatRow{kernels::Dtype::kU32, {32, 1.0}, "fill_u32"},
    FormatRow{kernels::Dtype::kQ4, {}, "fill_q4"},
    FormatRow{kernels::Dtype::kQ8, {}, "fill_q8"},
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
  return row == nullptr || row->format.bits == 0 ? std::nullopt : std::optional(row->format);
}

void OperandIntegers(std::uint32_t seed, std::uint32_t first, int bits, std::span<std::int32_t> out) {
  const std::uint32_t key = kernels::Mix32(seed);
  const int shift = 32 - bits;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i] = std::bit_cast<std::int32_t>(kernels::Mix32((first + i) ^ key)) >> shift;
  }
}

std::uint64_t OperandBytes(kernels::Dtype dtype, std::uint64_t count) {
  if (const std::uint64_t block = kernels::BlockBytes(dtype); block != 0)
    return (count + kernels::kQ4Block - 1) / kernels::kQ4Block * block;
  return (count * kernels::Row(dtype).bits + 7) / 8;
}

bool WriteOperand(kernels::Dtype dtype, std::uint32_t seed, std::uint32_t first, std::span<std::byte> out) {
  const FormatRow* row = Find(dtype);
  if (row == nullptr) return false;
  if (row->write != nullptr) {
    row->write(seed, first, out);
    return true;
  }
  const std::size_t block = kernels::BlockBytes(dtype);
  const std::size_t count =
      block != 0 ? out.size() / block * kernels::kQ4Block : out.size() * 8 / kernels::Row(dtype).bits;
  kernels::cpu::WriteOperand(row->fill, seed, first, static_cast<std::uint32_t>(count), out.data());
  return true;
}

}  // namespace backends
