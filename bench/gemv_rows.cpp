// SPDX-License-Identifier: MIT
#include "bench/gemv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "bench/ggml.h"
#include "bench/own.h"
#include "kernels/operand.h"

namespace bench {
namespace {

using kernels::kQ4Block;
using kernels::cpu::Implementation;

// A feed-forward layer of a model of 8B parameters; different ones, so many that no cache holds them.
constexpr std::uint32_t kRows = 4096, kColumns = 14336;
constexpr std::size_t kWeights = std::size_t{kRows} * kColumns;
constexpr std::size_t kLeastBytes = std::size_t{1} << 30U;
constexpr std::uint32_t kSeedX = 1, kSeedW = 2;

// How our weights become ggml's. Interleaved: the same blocks, each with its scale before it.
enum class Conversion { kInterleaved, kSame, kRounded };
struct TypeRow {
  std::string_view entry, ggml;
  std::string_view fill;
  std::size_t block_bytes;  // of 32 weights with their scale
  Conversion conversion;
};
constexpr std::array kTypes = {
    TypeRow{"gemv_q4_q8", "q4_0", "fill_q4", 18, Conversion::kInterleaved},
    TypeRow{"gemv_q4_q8", "q4_K", "fill_q4", 18, Conversion::kRounded},
    TypeRow{"gemv_q8_q8", "q8_0", "fill_q8", 34, Conversion::kInterleaved},
    TypeRow{"gemv_fp16", "f16", "fill_fp16", 64, Conversion::kSame},
    TypeRow{"gemv_bf16", "bf16", "fill_bf16", 64, Conversion::kSame},
};

std::vector<std::byte> Interleaved(const std::byte* weights, std::size_t block_bytes) {
  constexpr std::size_t kScale = sizeof(std::uint16_t), kBlocks = kWeights / kQ4Block;
  const std::size_t numbers = block_bytes - kScale;
  std::vector<std::byte> out(kBlocks * block_bytes);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    std::byte* block = out.data() + i * block_bytes;
    std::memcpy(block, weights + kBlocks * numbers + i * kScale, kScale);
    std::memcpy(block + kScale, weights + i * numbers, numbers);
  }
  return out;
}

// A few rows of random numbers over and over: rounding all of them takes a minute.
std::vector<std::byte> Rounded(std::string_view type, std::size_t bytes) {
  constexpr std::size_t kDistinct = 16;
  std::vector<float> values(kDistinct * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = kernels::OperandFp32(kSeedW, static_cast<std::uint32_t>(i));
  const auto rows = GgmlQuantise(type, values, kColumns);
  std::vector<std::byte> out(bytes);
  for (std::size_t at = 0; at < bytes; at += rows.size())
    std::copy_n(rows.begin(), std::min(rows.size(), bytes - at), out.data() + at);
  return out;
}

// Ours.
struct Matrices {
  const Implementation* own;
  std::vector<void*> weights;
  void *x, *y, *work;

  void Run(std::size_t copy) const { bench::Run(*own, {weights[copy], x, y, work}, {kRows, kColumns}); }
};

std::vector<std::byte> Converted(const TypeRow& type, const void* weights, const GgmlProducts& to) {
  const auto* bytes = static_cast<const std::byte*>(weights);
  switch (type.conversion) {
    case Conversion::kInterleaved:
      return Interleaved(bytes, type.block_bytes);
    case Conversion::kSame:
      return {bytes, bytes + to.matrix_bytes()};
    case Conversion::kRounded:
      return Rounded(type.ggml, to.matrix_bytes());
  }
  return {};
}

// ggml keeps the scales of x in fp16: an 11th bit of each block.
bool Agree(const Matrices& ours, const GgmlProducts& theirs, std::size_t copy) {
  ours.Run(copy);
  std::vector<float> y(kRows);
  theirs.Get(copy, y);
  double difference = 0, size = 0;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const double value = static_cast<const float*>(ours.y)[i];
    difference += (value - static_cast<double>(y[i])) * (value - static_cast<double>(y[i]));
    size += value * value;
  }
  return std::sqrt(difference / size) < 0x1p-9;
}

}  // namespace

ContestOrReason PrepareGemv(const Row& row) {
  const std::string_view ggml = row.peer.substr(0, row.peer.find(' '));
  const std::string_view storage = row.peer.substr(row.peer.find(' ') + 1);
  const TypeRow& type = *std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& known) {
    return known.entry == row.entry && known.ggml == ggml;
  });
  const std::size_t bytes = kWeights / kQ4Block * type.block_bytes;
  const std::size_t copies = (kLeastBytes + bytes - 1) / bytes;
  auto opened = OpenGgml({ggml, storage, kRows, kColumns, copies, Threads()});
  if (auto* reason = std::get_if<std::string>(&opened)) return std::move(*reason);
  const std::shared_ptr<GgmlProducts> theirs = std::get<std::unique_ptr<GgmlProducts>>(std::move(opened));

  const auto memory = std::make_shared<Memory>();
  Matrices ours{kernels::cpu::Best(row.entry), {}, nullptr, nullptr, nullptr};
  ours.x = MapOperand(*memory, "fill_fp32", kColumns, sizeof(float), kSeedX);
  ours.y = memory->Map(kRows * sizeof(float));
  ours.work = memory->Map(kernels::cpu::GemvWorkspaceBytes(kColumns, Threads()));
  theirs->SetVector({static_cast<const float*>(ours.x), kColumns});
  std::vector<std::byte> converted;
  for (std::size_t i = 0; i < copies; ++i) {
    ours.weights.push_back(memory->Map(bytes));
    bench::Run(*kernels::cpu::Best(type.fill), {ours.weights.back()},
               {kWeights, kSeedW + static_cast<std::uint32_t>(i)});
    if (i == 0 || type.conversion != Conversion::kRounded)
      converted = Converted(type, ours.weights.back(), *theirs);
    theirs->SetMatrix(i, converted);
  }
  theirs->Run();
  const bool agree = type.conversion == Conversion::kRounded || Agree(ours, *theirs, copies - 1);
  const double work = static_cast<double>(copies * bytes);
  const auto run_ours = [=] {
    for (std::size_t i = 0; i < copies; ++i) ours.Run(i);
  };
  return Contest{{"own:" + std::string(ours.own->isa), [=] { return Rate(work, run_ours); }},
                 {fmt::format("ggml {}", row.peer), [=] { return Rate(work, [&] { theirs->Run(); }); }},
                 "bytes_per_s",
                 fmt::format("{} x ({} x {})", copies, kRows, kColumns),
                 theirs->version(),
                 agree ? "" : "the products differ",
                 memory,
                 {}};
}

}  // namespace bench
