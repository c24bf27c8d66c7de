// SPDX-License-Identifier: MIT
// Products of the fake: each block of the grid computes its tile of C, and those alone.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/fakes/cuda/interpreter.h"

namespace fakes::cuda {
namespace {

struct Operands {
  nv::CuPointer a, b, c;
  std::uint64_t m, n, k;
};
struct Tile {
  std::uint64_t row, column;
};

// Which tile a block computes: by its place in the grid, or in the order of kernels/cuda/gemm_mma.cuh.
Tile ByPlace(const LaunchArguments& launch, std::uint64_t block, const Operands&, std::uint64_t edge) {
  return {block / launch.grid[0] * edge, block % launch.grid[0] * edge};
}
Tile InGroups(const LaunchArguments&, std::uint64_t block, const Operands& p, std::uint64_t edge) {
  constexpr std::uint64_t kGroup = 8;
  const std::uint64_t rows = p.m / edge, columns = p.n / edge;
  const std::uint64_t first = block / (kGroup * columns) * kGroup, inside = block % (kGroup * columns);
  const std::uint64_t height = std::min(rows - first, kGroup);
  return {(first + inside % height) * edge, inside / height * edge};
}

// C's tile of float sums; B is stored k x n, or n x k where transposed.
template <class T, float (*kValue)(T), bool kTransposed>
void Multiply(const Operands& p, const Tile& tile, std::uint64_t edge, std::vector<float>& sums) {
  const T* a = View<T>(p.a).data() + tile.row * p.k;
  const T* b = View<T>(p.b).data();
  std::vector<float> row_b(edge);
  std::fill(sums.begin(), sums.end(), 0.0F);
  std::vector<float> column_a(edge);
  for (std::uint64_t d = 0; d < p.k; ++d) {
    for (std::uint64_t j = 0; j < edge; ++j) {
      row_b[j] = kValue(kTransposed ? b[(tile.column + j) * p.k + d] : b[d * p.n + tile.column + j]);
    }
    for (std::uint64_t i = 0; i < edge; ++i) {
      const float own = kValue(a[i * p.k + d]);
      for (std::uint64_t j = 0; j < edge; ++j) sums[i * edge + j] += own * row_b[j];
    }
  }
}

float Same(float value) { return value; }
float FromInt8(std::int8_t value) { return value; }

// Sums of int8 products are exact in fp32 below 2^24: k up to 1023 at the worst, far more for random numbers.
template <class C>
C Result(float sum) {
  return static_cast<C>(sum);
}
struct Half {
  std::uint16_t bits;
};
template <>
Half Result<Half>(float sum) {
  return {ToHalf(sum)};
}

template <class T, class C, float (*kValue)(T), bool kTransposed, std::uint64_t kEdge,
          Tile (*kTileOf)(const LaunchArguments&, std::uint64_t, const Operands&, std::uint64_t)>
int Gemm(const LaunchArguments& launch) {
  const Operands p{launch.values[0], launch.values[1], launch.values[2],
                   launch.values[3], launch.values[4], launch.values[5]};
  if (p.m < kEdge || p.n < kEdge) return kIllegalAddress;
  if (!View<T>(p.a).Fits(p.m * p.k) || !View<T>(p.b).Fits(p.k * p.n) || !View<C>(p.c).Fits(p.m * p.n)) {
    return kIllegalAddress;
  }
  const std::uint64_t blocks = std::uint64_t{launch.grid[0]} * launch.grid[1];
  if (blocks > (p.m / kEdge) * (p.n / kEdge)) return kIllegalAddress;
  std::vector<float> sums(kEdge * kEdge);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const Tile tile = kTileOf(launch, block, p, kEdge);
    if (tile.row + kEdge > p.m || tile.column + kEdge > p.n) return kIllegalAddress;
    Multiply<T, kValue, kTransposed>(p, tile, kEdge, sums);
    C* c = View<C>(p.c).data();
    for (std::uint64_t i = 0; i < kEdge; ++i) {
      for (std::uint64_t j = 0; j < kEdge; ++j) {
        c[(tile.row + i) * p.n + tile.column + j] = Result<C>(sums[i * kEdge + j]);
      }
    }
  }
  return kSuccess;
}

struct EntryRow {
  std::string_view name;
  int (*run)(const LaunchArguments&);
};
constexpr std::array kEntries = {
    EntryRow{"gemm_fp32_128", Gemm<float, float, Same, false, 128, ByPlace>},
    EntryRow{"gemm_fp32_64", Gemm<float, float, Same, false, 64, ByPlace>},
    EntryRow{"gemm_tf32_128", Gemm<float, float, Same, true, 128, InGroups>},
    EntryRow{"gemm_tf32_64", Gemm<float, float, Same, true, 64, InGroups>},
    EntryRow{"gemm_fp16_128", Gemm<std::uint16_t, float, FromHalf, true, 128, InGroups>},
    EntryRow{"gemm_fp16_64", Gemm<std::uint16_t, float, FromHalf, true, 64, InGroups>},
    EntryRow{"gemm_fp16_fp16_128", Gemm<std::uint16_t, Half, FromHalf, true, 128, InGroups>},
    EntryRow{"gemm_bf16_128", Gemm<std::uint16_t, float, FromBf16, true, 128, InGroups>},
    EntryRow{"gemm_bf16_64", Gemm<std::uint16_t, float, FromBf16, true, 64, InGroups>},
    EntryRow{"gemm_int8_128", Gemm<std::int8_t, std::int32_t, FromInt8, true, 128, InGroups>},
    EntryRow{"gemm_int8_64", Gemm<std::int8_t, std::int32_t, FromInt8, true, 64, InGroups>},
    EntryRow{"gemm_fp8_128", Gemm<std::uint8_t, float, FromFp8, true, 128, InGroups>},
    EntryRow{"gemm_fp8_64", Gemm<std::uint8_t, float, FromFp8, true, 64, InGroups>},
};

}  // namespace

std::optional<int> InterpretGemm(const LaunchArguments& launch) {
  const auto row = std::find_if(kEntries.begin(), kEntries.end(),
                                [&](const EntryRow& known) { return known.name == launch.entry; });
  if (row == kEntries.end()) return std::nullopt;
  return launch.values.size() == 6 ? row->run(launch) : kInvalidValue;
}

}  // namespace fakes::cuda
