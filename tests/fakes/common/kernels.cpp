// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "kernels/operand.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/views.h"

namespace fakes {
namespace {

constexpr std::uint64_t kChains = 16;               // accumulators a thread of chain_fp32
constexpr MatrixUnit kWarpgroup{32, 16 * 128, 32};  // of Hopper
constexpr MatrixUnit kTensorMemory{288, 128 * 256, 32};
constexpr std::uint32_t kSimdgroupLanes = 32, kSimdgroupAccumulators = 8 * 64, kSimdgroupDepth = 8;
constexpr std::uint64_t kGemvRows = 4;    // a block
constexpr std::uint64_t kGemvQ4Rows = 8;  // the same

std::uint64_t Blocks(const KernelLaunch& launch) {
  return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}
std::uint64_t Threads(const KernelLaunch& launch) {
  return std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
}
std::uint32_t Word(const KernelLaunch& launch, std::size_t i) {
  return static_cast<std::uint32_t>(launch.values[i]);
}
float Number(const KernelLaunch& launch, std::size_t i) { return std::bit_cast<float>(Word(launch, i)); }

template <auto kWord>
Computed Fill(const KernelLaunch& launch) {
  using T = decltype(kWord(0U, 0U));
  const View<T> out(launch.values[0]);
  const std::uint32_t count = Word(launch, 1), seed = Word(launch, 2);
  if (!out.Fits(count)) return Computed::kOutOfBounds;
  for (std::uint32_t i = 0; i < count; ++i) out.data()[i] = kWord(seed, i);
  return Computed::kDone;
}
std::uint32_t Fp32(std::uint32_t seed, std::uint32_t i) {
  return std::bit_cast<std::uint32_t>(kernels::OperandFp32(seed, i));
}
std::uint32_t Tf32(std::uint32_t seed, std::uint32_t i) {
  return std::bit_cast<std::uint32_t>(kernels::OperandFp16(seed, i));
}

// The same numbers with an exponent's bias of 8 and no negative zero.
std::uint8_t Fp8Fnuz(std::uint32_t seed, std::uint32_t i) {
  const auto word = static_cast<std::uint8_t>(kernels::OperandFp8Word(seed, i));
  return static_cast<std::uint8_t>(word == 0 ? 0 : word + 8);
}

Computed FillFp4(const KernelLaunch& launch) {
  const std::uint32_t count = Word(launch, 1), seed = Word(launch, 2);
  const View<std::uint8_t> out(launch.values[0]);
  if (count % 8 != 0 || !out.Fits(count / 2)) return Computed::kOutOfBounds;
  for (std::uint32_t i = 0; i < count / 2; ++i) {
    out.data()[i] = static_cast<std::uint8_t>(kernels::OperandFp4Code(seed, 2 * i) |
                                              kernels::OperandFp4Code(seed, 2 * i + 1) << 4);
  }
  return Computed::kDone;
}

Computed FillQ4(const KernelLaunch& launch) {
  const std::uint32_t count = Word(launch, 1), seed = Word(launch, 2), words = count / 8, blocks = count / 32;
  const View<std::uint32_t> out(launch.values[0]);
  if (!out.Fits(words + (blocks + 1) / 2)) return Computed::kOutOfBounds;
  for (std::uint32_t i = 0; i < words; ++i) out.data()[i] = kernels::OperandBits(seed, i);
  auto* scales = reinterpret_cast<std::uint16_t*>(out.data() + words);
  for (std::uint32_t i = 0; i < blocks; ++i) scales[i] = kernels::OperandQ4ScaleWord(seed, blocks, i);
  return Computed::kDone;
}

Computed Read(const KernelLaunch& launch) {
  const std::uint64_t count = std::uint64_t{Word(launch, 2)} / 4 * 4;
  const View<std::uint32_t> in(launch.values[0]), partials(launch.values[1]);
  if (!in.Fits(count) || !partials.Fits(Blocks(launch))) return Computed::kOutOfBounds;
  std::fill_n(partials.data(), Blocks(launch), 0U);
  // The blocks take turns at as many elements as their threads read at once.
  const std::uint64_t turn = 4 * Threads(launch);
  for (std::uint64_t first = 0; first < count; first += turn) {
    partials.data()[first / turn % Blocks(launch)] +=
        std::accumulate(in.data() + first, in.data() + std::min(first + turn, count), 0U);
  }
  return Computed::kDone;
}

Computed Copy(const KernelLaunch& launch) {
  const std::uint64_t count = std::uint64_t{Word(launch, 2)} / 4 * 4;
  const View<std::uint32_t> in(launch.values[0]), out(launch.values[1]);
  if (!in.Fits(count) || !out.Fits(count)) return Computed::kOutOfBounds;
  std::copy_n(in.data(), count, out.data());
  return Computed::kDone;
}

Computed Triad(const KernelLaunch& launch) {
  const std::uint64_t count = std::uint64_t{Word(launch, 3)} / 4 * 4;
  const View<float> a(launch.values[0]), b(launch.values[1]), out(launch.values[2]);
  if (!a.Fits(count) || !b.Fits(count) || !out.Fits(count)) return Computed::kOutOfBounds;
  for (std::uint64_t i = 0; i < count; ++i) out.data()[i] = a.data()[i] + Number(launch, 4) * b.data()[i];
  return Computed::kDone;
}

Computed Chain(const KernelLaunch& launch) {
  const View<float> out(launch.values[0]);
  const std::uint64_t count = Blocks(launch) * Threads(launch) * kChains;
  if (!out.Fits(count)) return Computed::kOutOfBounds;
  const float one = Number(launch, 2);
  const std::uint32_t steps = Word(launch, 1) / 16 * 16;
  for (std::uint64_t i = 0; i < count; ++i)
    out.data()[i] = static_cast<float>(i % 8) + one * static_cast<float>(steps);
  return Computed::kDone;
}

// A product of ones is as deep as a step.
template <class T, std::uint32_t kBits, std::uint32_t kOnes>
Computed ChainOf(const KernelLaunch& launch, const MatrixUnit& unit) {
  const View<T> out(launch.values[0]);
  const std::uint64_t count = Blocks(launch) * Threads(launch) / unit.lanes * unit.accumulators;
  if (!out.Fits(count)) return Computed::kOutOfBounds;
  const std::uint64_t depth = unit.step_bytes * 8 / kBits;
  const std::uint64_t sum = Word(launch, 2) == kOnes ? std::uint64_t{Word(launch, 1)} * depth : 0;
  for (std::uint64_t i = 0; i < count; ++i) out.data()[i] = static_cast<T>(i % 8 + sum);
  return Computed::kDone;
}
template <class T, std::uint32_t kBits, std::uint32_t kOnes>
Computed MatrixChain(const KernelLaunch& launch) {
  return ChainOf<T, kBits, kOnes>(launch, launch.unit);
}
template <class T, std::uint32_t kBits, std::uint32_t kOnes>
Computed WarpgroupChain(const KernelLaunch& launch) {
  return ChainOf<T, kBits, kOnes>(launch, kWarpgroup);
}
template <class T, std::uint32_t kBits, std::uint32_t kOnes>
Computed TensorChain(const KernelLaunch& launch) {
  return ChainOf<T, kBits, kOnes>(launch, kTensorMemory);
}
// A step is an instruction's k.
template <std::uint32_t kBits, std::uint32_t kOnes>
Computed SimdgroupChain(const KernelLaunch& launch) {
  return ChainOf<float, kBits, kOnes>(launch,
                                      {kSimdgroupLanes, kSimdgroupAccumulators, kSimdgroupDepth * kBits / 8});
}

template <class T, float (*kValue)(T)>
void DotRow(const T* w, const float* x, std::uint64_t k, float& y) {
  double sum = 0;
  for (std::uint64_t i = 0; i < k; ++i) sum += static_cast<double>(kValue(w[i])) * x[i];
  y = static_cast<float>(sum);
}
float Same(float value) { return value; }

template <class T, float (*kValue)(T)>
Computed Gemv(const KernelLaunch& launch) {
  const std::uint64_t m = Word(launch, 3), k = Word(launch, 4),
                      rows = std::min(Blocks(launch) * kGemvRows, m);
  const View<T> w(launch.values[0]);
  const View<float> x(launch.values[1]), y(launch.values[2]);
  if (!w.Fits(rows * k) || !x.Fits(k) || !y.Fits(rows)) return Computed::kOutOfBounds;
  for (std::uint64_t row = 0; row < rows; ++row)
    DotRow<T, kValue>(w.data() + row * k, x.data(), k, y.data()[row]);
  return Computed::kDone;
}

Computed GemvQ4(const KernelLaunch& launch) {
  const std::uint64_t m = Word(launch, 3), k = Word(launch, 4), blocks = k / 32;
  const std::uint64_t rows = std::min(Blocks(launch) * kGemvQ4Rows, m);
  const View<std::uint8_t> w(launch.values[0]);
  const View<float> x(launch.values[1]), y(launch.values[2]);
  if (!w.Fits(m * blocks * 18) || !x.Fits(k) || !y.Fits(rows)) return Computed::kOutOfBounds;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(w.data() + m * blocks * 16);
  for (std::uint64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::uint64_t b = row * blocks; b < (row + 1) * blocks; ++b) {
      double dot = 0;
      for (std::uint64_t j = 0; j < 32; ++j) {
        const int half = w.data()[b * 16 + j % 16] >> (j / 16 * 4) & 15;
        dot += (half - 8) * static_cast<double>(x.data()[(b - row * blocks) * 32 + j]);
      }
      sum += dot * FromHalf(scales[b]);
    }
    y.data()[row] = static_cast<float>(sum);
  }
  return Computed::kDone;
}

struct EntryRow {
  std::string_view name;
  std::size_t parameters;
  Computed (*run)(const KernelLaunch&);
};
constexpr std::array kEntries = {
    EntryRow{"fill_fp32", 3, Fill<Fp32>},
    EntryRow{"fill_u32", 3, Fill<kernels::OperandBits>},
    EntryRow{"fill_tf32", 3, Fill<Tf32>},
    EntryRow{"fill_fp16", 3, Fill<kernels::OperandFp16Word>},
    EntryRow{"fill_bf16", 3, Fill<kernels::OperandBf16Word>},
    EntryRow{"fill_int8", 3, Fill<kernels::OperandInt8>},
    EntryRow{"fill_fp8", 3, Fill<kernels::OperandFp8Word>},
    EntryRow{"fill_fp8_fnuz", 3, Fill<Fp8Fnuz>},
    EntryRow{"fill_q4", 3, FillQ4},
    EntryRow{"fill_fp4", 3, FillFp4},
    EntryRow{"read_u32", 3, Read},
    EntryRow{"copy_u32", 3, Copy},
    EntryRow{"triad_fp32", 5, Triad},
    EntryRow{"chain_fp32", 3, Chain},
    EntryRow{"chain_fp32_matrix", 3, MatrixChain<float, 32, 0x3f800000>},
    EntryRow{"chain_tf32", 3, MatrixChain<float, 32, 0x3f800000>},
    EntryRow{"chain_fp16", 3, MatrixChain<float, 16, 0x3c003c00>},
    EntryRow{"chain_bf16", 3, MatrixChain<float, 16, 0x3f803f80>},
    EntryRow{"chain_int8", 3, MatrixChain<std::int32_t, 8, 0x01010101>},
    EntryRow{"chain_fp8", 3, MatrixChain<float, 8, 0x38383838>},
    EntryRow{"chain_fp4", 3, MatrixChain<float, 4, 0x22222222>},
    EntryRow{"chain_fp8_fnuz", 3, MatrixChain<float, 8, 0x40404040>},
    EntryRow{"chain_volta_fp16", 3, MatrixChain<float, 16, 0x3c003c00>},
    EntryRow{"chain_turing_fp16", 3, MatrixChain<float, 16, 0x3c003c00>},
    EntryRow{"chain_turing_int8", 3, MatrixChain<std::int32_t, 8, 0x01010101>},
    EntryRow{"chain_scaled_fp8", 3, MatrixChain<float, 8, 0x38383838>},
    EntryRow{"chain_scaled_fp4", 3, MatrixChain<float, 4, 0x22222222>},
    EntryRow{"chain_wgmma_fp16", 3, WarpgroupChain<float, 16, 0x3c003c00>},
    EntryRow{"chain_wgmma_bf16", 3, WarpgroupChain<float, 16, 0x3f803f80>},
    EntryRow{"chain_wgmma_tf32", 3, WarpgroupChain<float, 32, 0x3f800000>},
    EntryRow{"chain_wgmma_int8", 3, WarpgroupChain<std::int32_t, 8, 0x01010101>},
    EntryRow{"chain_wgmma_fp8", 3, WarpgroupChain<float, 8, 0x38383838>},
    EntryRow{"chain_umma_fp16", 3, TensorChain<float, 16, 0x3c003c00>},
    EntryRow{"chain_umma_bf16", 3, TensorChain<float, 16, 0x3f803f80>},
    EntryRow{"chain_umma_tf32", 3, TensorChain<float, 32, 0x3f800000>},
    EntryRow{"chain_umma_int8", 3, TensorChain<std::int32_t, 8, 0x01010101>},
    EntryRow{"chain_umma_fp8", 3, TensorChain<float, 8, 0x38383838>},
    EntryRow{"chain_simdgroup_fp32", 3, SimdgroupChain<32, 0x3f800000>},
    EntryRow{"chain_simdgroup_fp16", 3, SimdgroupChain<16, 0x3c003c00>},
    EntryRow{"chain_simdgroup_bf16", 3, SimdgroupChain<16, 0x3f803f80>},
    EntryRow{"gemv_fp32", 5, Gemv<float, Same>},
    EntryRow{"gemv_fp16", 5, Gemv<std::uint16_t, FromHalf>},
    EntryRow{"gemv_q4", 5, GemvQ4},
};

Computed Run(const KernelLaunch& launch) {
  if (const auto code = ComputeGemm(launch)) return *code;
  const auto row = std::find_if(kEntries.begin(), kEntries.end(),
                                [&](const EntryRow& known) { return known.name == launch.entry; });
  if (row == kEntries.end() || launch.values.size() != row->parameters) return Computed::kRefused;
  return row->run(launch);
}

// The launch before, and what all memory was when it had run.
struct Past {
  std::string entry;
  std::array<unsigned int, 6> shape;
  std::vector<std::uint64_t> values;
  MatrixUnit unit;
  std::vector<MappedMatrix> maps;

  explicit Past(const KernelLaunch& launch)
      : entry(launch.entry),
        shape{launch.grid[0],  launch.grid[1],  launch.grid[2],
              launch.block[0], launch.block[1], launch.block[2]},
        values(launch.values),
        unit(launch.unit),
        maps(launch.maps) {}
  bool operator==(const Past&) const = default;

  // One that reads what it writes leaves something else the second time.
  [[nodiscard]] bool IsOfDistinctBuffers() const {
    std::set<std::uint64_t> seen;
    return std::all_of(values.begin(), values.end(),
                       [&](std::uint64_t value) { return !OwnerOf(value) || seen.insert(value).second; });
  }
};

// A thread that sleeps wakes up to so much too late.
constexpr double kShortestSleep = 300e-6;

}  // namespace

Computed Compute(const KernelLaunch& launch, double& processor_s) {
  struct Known {
    Past past;
    double processor_s;
    std::uint64_t touches;
  };
  static std::optional<Known> before;
  Past now(launch);
  if (before && before->touches == Touches() && before->past == now) {
    processor_s = before->processor_s;
    std::this_thread::sleep_for(std::chrono::duration<double>(processor_s));
    return Computed::kDone;
  }
  const double start = ProcessorSeconds();
  const Computed computed = Run(launch);
  processor_s = ProcessorSeconds() - start;
  before.reset();
  if (computed == Computed::kDone && processor_s >= kShortestSleep && now.IsOfDistinctBuffers())
    before = Known{std::move(now), processor_s, Touches()};
  return computed;
}

Computed Compute(const KernelLaunch& launch) {
  double processor_s = 0;
  return Compute(launch, processor_s);
}

}  // namespace fakes
