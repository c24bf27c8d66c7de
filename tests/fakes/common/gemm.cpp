// SPDX-License-Identifier: MIT
// Products of the fake: each block of the grid computes its tile of C, and those alone.
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/fakes/common/views.h"

namespace fakes {
namespace {

struct Operands {
  DeviceAddress a, b, c;
  std::uint64_t m, n, k;
};
struct Tile {
  std::uint64_t row, column;
};

struct Size {
  std::uint64_t rows, columns;
};

// Which tile of that size a block computes: by its place in the grid, or in the order of
// kernels/simt/tiles.cuh.
Tile ByPlace(const KernelLaunch& launch, std::uint64_t block, const Operands&, const Size& size) {
  return {block / launch.grid[0] * size.rows, block % launch.grid[0] * size.columns};
}
Tile InGroups(const KernelLaunch&, std::uint64_t block, const Operands& p, const Size& size) {
  constexpr std::uint64_t kGroup = 8;
  const std::uint64_t rows = p.m / size.rows, columns = p.n / size.columns;
  const std::uint64_t first = block / (kGroup * columns) * kGroup, inside = block % (kGroup * columns);
  const std::uint64_t height = std::min(rows - first, kGroup);
  return {(first + inside % height) * size.rows, inside / height * size.columns};
}

// The numbers of an operand.
template <class T, float (*kValue)(T)>
class Numbers {
 public:
  explicit Numbers(DeviceAddress pointer) : view_(pointer) {}
  [[nodiscard]] bool Fits(std::uint64_t count) const { return view_.Fits(count); }
  [[nodiscard]] float operator[](std::uint64_t i) const { return kValue(view_.data()[i]); }

 private:
  View<T> view_;
};
// Two a byte.
class Fp4 {
 public:
  explicit Fp4(DeviceAddress pointer) : view_(pointer) {}
  [[nodiscard]] bool Fits(std::uint64_t count) const { return view_.Fits((count + 1) / 2); }
  [[nodiscard]] float operator[](std::uint64_t i) const {
    return tests::FromFp4(view_.data()[i / 2] >> (i % 2 * 4) & 15U);
  }

 private:
  View<std::uint8_t> view_;
};

// Adds so many products to each sum, one after the other, which fetches and stores the sums that much less
// often.
constexpr std::uint64_t kDeep = 8;
template <std::uint64_t kColumns>
void AddProducts(const std::array<float, kDeep>& own, const std::array<std::array<float, kColumns>, kDeep>& b,
                 float* sums) {
  for (std::uint64_t j = 0; j < kColumns; ++j) {
    float sum = sums[j];
    for (std::uint64_t d = 0; d < kDeep; ++d) sum += own[d] * b[d][j];
    sums[j] = sum;
  }
}

// C's tile of float sums; B is stored k x n, or n x k where transposed. Beyond k both are taken as 0.
template <class Operand, bool kIsTransposed, std::uint64_t kRows, std::uint64_t kColumns>
void Multiply(const Operands& p, const Tile& tile, std::vector<float>& sums) {
  const Operand a(p.a), b(p.b);
  std::array<std::array<float, kColumns>, kDeep> rows_b{};
  std::array<float, kDeep> own{};
  std::fill(sums.begin(), sums.end(), 0.0F);
  for (std::uint64_t first = 0; first < p.k; first += kDeep) {
    const std::uint64_t deep = std::min(kDeep, p.k - first);
    if (deep < kDeep) {
      rows_b = {};
      own = {};
    }
    for (std::uint64_t j = 0; j < kColumns; ++j) {
      for (std::uint64_t d = 0; d < deep; ++d)
        rows_b[d][j] =
            b[kIsTransposed ? (tile.column + j) * p.k + first + d : (first + d) * p.n + tile.column + j];
    }
    for (std::uint64_t i = 0; i < kRows; ++i) {
      for (std::uint64_t d = 0; d < deep; ++d) own[d] = a[(tile.row + i) * p.k + first + d];
      AddProducts(own, rows_b, &sums[i * kColumns]);
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

template <class Operand, class C, bool kIsTransposed, std::uint64_t kRows, std::uint64_t kColumns,
          Tile (*kTileOf)(const KernelLaunch&, std::uint64_t, const Operands&, const Size&)>
Computed Gemm(const KernelLaunch& launch) {
  const Operands p{launch.values[0], launch.values[1], launch.values[2],
                   launch.values[3], launch.values[4], launch.values[5]};
  constexpr Size kSize{kRows, kColumns};
  if (p.m < kRows || p.n < kColumns) return Computed::kOutOfBounds;
  if (!Operand(p.a).Fits(p.m * p.k) || !Operand(p.b).Fits(p.k * p.n) || !View<C>(p.c).Fits(p.m * p.n)) {
    return Computed::kOutOfBounds;
  }
  const std::uint64_t tiles = (p.m / kRows) * (p.n / kColumns);
  // Blocks that have copies made go from tile to tile.
  const std::uint64_t blocks = launch.maps.empty() ? std::uint64_t{launch.grid[0]} * launch.grid[1] : tiles;
  if (blocks > tiles) return Computed::kOutOfBounds;
  std::vector<float> sums(kRows * kColumns);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const Tile tile = kTileOf(launch, block, p, kSize);
    if (tile.row + kRows > p.m || tile.column + kColumns > p.n) return Computed::kOutOfBounds;
    Multiply<Operand, kIsTransposed, kRows, kColumns>(p, tile, sums);
    C* c = View<C>(p.c).data();
    for (std::uint64_t i = 0; i < kRows; ++i) {
      for (std::uint64_t j = 0; j < kColumns; ++j) {
        c[(tile.row + i) * p.n + tile.column + j] = Result<C>(sums[i * kColumns + j]);
      }
    }
  }
  return Computed::kDone;
}

using Fp32 = Numbers<float, Same>;
using Fp16 = Numbers<std::uint16_t, FromHalf>;
using Bf16 = Numbers<std::uint16_t, FromBf16>;
using Int8 = Numbers<std::int8_t, FromInt8>;
using Fp8 = Numbers<std::uint8_t, FromFp8>;
using Fp8Fnuz = Numbers<std::uint8_t, FromFp8Fnuz>;
using Int32 = std::int32_t;
template <class Operand, class C, std::uint64_t kRows, std::uint64_t kColumns>
constexpr auto kTransposed = Gemm<Operand, C, true, kRows, kColumns, InGroups>;

// Tiles of kRows x kColumns by so many blocks: A in boxes of a block's rows, B in boxes of its part of the
// columns.
template <class Operand, class C, std::uint64_t kBits, std::uint64_t kRows, std::uint64_t kColumns,
          std::uint64_t kBlocks>
Computed Mapped(const KernelLaunch& launch) {
  if (launch.maps.size() != 2) return Computed::kRefused;
  const std::uint64_t row_bytes = launch.values[5] * kBits / 8;
  const auto fits = [&](const MappedMatrix& map, std::uint64_t rows, std::uint64_t box_rows) {
    return map.rows == rows && map.row_bytes == row_bytes && map.box_rows == box_rows;
  };
  const bool right = fits(launch.maps[0], launch.values[3], kRows / kBlocks) &&
                     fits(launch.maps[1], launch.values[4], kColumns / kBlocks);
  return right ? kTransposed<Operand, C, kRows, kColumns>(launch) : Computed::kOutOfBounds;
}
template <class Operand, class C, std::uint64_t kBits, std::uint64_t kColumns>
constexpr auto kByPairs = Mapped<Operand, C, kBits, 256, kColumns, 2>;
template <class Operand, class C, std::uint64_t kBits, std::uint64_t kColumns>
constexpr auto kAlone = Mapped<Operand, C, kBits, 128, kColumns, 1>;

struct EntryRow {
  std::string_view name;
  Computed (*run)(const KernelLaunch&);
};
constexpr std::array kEntries = {
    EntryRow{"gemm_fp32_128", Gemm<Fp32, float, false, 128, 128, ByPlace>},
    EntryRow{"gemm_fp32_64", Gemm<Fp32, float, false, 64, 64, ByPlace>},
    EntryRow{"gemm_tf32_128", kTransposed<Fp32, float, 128, 128>},
    EntryRow{"gemm_tf32_64", kTransposed<Fp32, float, 64, 64>},
    EntryRow{"gemm_fp16_128", kTransposed<Fp16, float, 128, 128>},
    EntryRow{"gemm_fp16_64", kTransposed<Fp16, float, 64, 64>},
    EntryRow{"gemm_fp16_fp16_128", kTransposed<Fp16, Half, 128, 128>},
    EntryRow{"gemm_bf16_128", kTransposed<Bf16, float, 128, 128>},
    EntryRow{"gemm_bf16_64", kTransposed<Bf16, float, 64, 64>},
    EntryRow{"gemm_int8_128", kTransposed<Int8, Int32, 128, 128>},
    EntryRow{"gemm_int8_64", kTransposed<Int8, Int32, 64, 64>},
    EntryRow{"gemm_fp8_128", kTransposed<Fp8, float, 128, 128>},
    EntryRow{"gemm_fp8_64", kTransposed<Fp8, float, 64, 64>},
    EntryRow{"volta_fp16_128", kTransposed<Fp16, float, 128, 128>},
    EntryRow{"volta_fp16_64", kTransposed<Fp16, float, 64, 64>},
    EntryRow{"turing_fp16_128", kTransposed<Fp16, float, 128, 128>},
    EntryRow{"turing_fp16_64", kTransposed<Fp16, float, 64, 64>},
    EntryRow{"turing_fp16_fp16_128", kTransposed<Fp16, Half, 128, 128>},
    EntryRow{"turing_int8_128", kTransposed<Int8, Int32, 128, 128>},
    EntryRow{"turing_int8_64", kTransposed<Int8, Int32, 64, 64>},
    EntryRow{"gemm_fp8_fnuz_128", kTransposed<Fp8Fnuz, float, 128, 128>},
    EntryRow{"gemm_fp8_fnuz_64", kTransposed<Fp8Fnuz, float, 64, 64>},
    EntryRow{"gemm_fp32_matrix_128", kTransposed<Fp32, float, 128, 128>},
    EntryRow{"gemm_fp32_matrix_64", kTransposed<Fp32, float, 64, 64>},
    EntryRow{"gemm_tf32_256x256", kTransposed<Fp32, float, 256, 256>},
    EntryRow{"gemm_tf32_256x128", kTransposed<Fp32, float, 256, 128>},
    EntryRow{"gemm_fp16_256x256", kTransposed<Fp16, float, 256, 256>},
    EntryRow{"gemm_fp16_256x128", kTransposed<Fp16, float, 256, 128>},
    EntryRow{"gemm_fp16_128_by_64", kTransposed<Fp16, float, 128, 128>},
    EntryRow{"gemm_bf16_256x256", kTransposed<Bf16, float, 256, 256>},
    EntryRow{"gemm_bf16_256x128", kTransposed<Bf16, float, 256, 128>},
    EntryRow{"gemm_bf16_128_by_64", kTransposed<Bf16, float, 128, 128>},
    EntryRow{"gemm_int8_256x256", kTransposed<Int8, Int32, 256, 256>},
    EntryRow{"gemm_int8_256x128", kTransposed<Int8, Int32, 256, 128>},
    EntryRow{"gemm_int8_128_by_64", kTransposed<Int8, Int32, 128, 128>},
    EntryRow{"gemm_fp8_256x256", kTransposed<Fp8, float, 256, 256>},
    EntryRow{"gemm_fp8_256x128", kTransposed<Fp8, float, 256, 128>},
    EntryRow{"gemm_fp8_128_by_64", kTransposed<Fp8, float, 128, 128>},
    EntryRow{"gemm_fp8_fnuz_256x256", kTransposed<Fp8Fnuz, float, 256, 256>},
    EntryRow{"gemm_fp8_fnuz_256x128", kTransposed<Fp8Fnuz, float, 256, 128>},
    EntryRow{"gemm_fp4_256x256", kTransposed<Fp4, float, 256, 256>},
    EntryRow{"gemm_fp4_256x128", kTransposed<Fp4, float, 256, 128>},
    EntryRow{"gemm_fp4_128", kTransposed<Fp4, float, 128, 128>},
    EntryRow{"gemm_fp4_64", kTransposed<Fp4, float, 64, 64>},
    EntryRow{"scaled_fp8_128", kTransposed<Fp8, float, 128, 128>},
    EntryRow{"scaled_fp8_64", kTransposed<Fp8, float, 64, 64>},
    EntryRow{"scaled_fp4_128", kTransposed<Fp4, float, 128, 128>},
    EntryRow{"scaled_fp4_64", kTransposed<Fp4, float, 64, 64>},
    EntryRow{"wgmma_fp16_256", kTransposed<Fp16, float, 128, 256>},
    EntryRow{"wgmma_fp16_128", kTransposed<Fp16, float, 128, 128>},
    EntryRow{"wgmma_bf16_256", kTransposed<Bf16, float, 128, 256>},
    EntryRow{"wgmma_bf16_128", kTransposed<Bf16, float, 128, 128>},
    EntryRow{"wgmma_tf32_256", kTransposed<Fp32, float, 128, 256>},
    EntryRow{"wgmma_tf32_128", kTransposed<Fp32, float, 128, 128>},
    EntryRow{"wgmma_int8_256", kTransposed<Int8, Int32, 128, 256>},
    EntryRow{"wgmma_int8_128", kTransposed<Int8, Int32, 128, 128>},
    EntryRow{"wgmma_fp8_256", kTransposed<Fp8, float, 128, 256>},
    EntryRow{"wgmma_fp8_128", kTransposed<Fp8, float, 128, 128>},
    EntryRow{"tma_fp16_256", kByPairs<Fp16, float, 16, 256>},
    EntryRow{"tma_fp16_128", kByPairs<Fp16, float, 16, 128>},
    EntryRow{"tma_bf16_256", kByPairs<Bf16, float, 16, 256>},
    EntryRow{"tma_bf16_128", kByPairs<Bf16, float, 16, 128>},
    EntryRow{"tma_tf32_256", kByPairs<Fp32, float, 32, 256>},
    EntryRow{"tma_tf32_128", kByPairs<Fp32, float, 32, 128>},
    EntryRow{"tma_int8_256", kByPairs<Int8, Int32, 8, 256>},
    EntryRow{"tma_int8_128", kByPairs<Int8, Int32, 8, 128>},
    EntryRow{"tma_fp8_256", kByPairs<Fp8, float, 8, 256>},
    EntryRow{"tma_fp8_128", kByPairs<Fp8, float, 8, 128>},
    EntryRow{"simdgroup_fp32_64", Gemm<Fp32, float, false, 64, 64, ByPlace>},
    EntryRow{"simdgroup_fp32_32", Gemm<Fp32, float, false, 32, 32, ByPlace>},
    EntryRow{"simdgroup_fp16_64", Gemm<Fp16, float, false, 64, 64, ByPlace>},
    EntryRow{"simdgroup_fp16_32", Gemm<Fp16, float, false, 32, 32, ByPlace>},
    EntryRow{"simdgroup_bf16_64", Gemm<Bf16, float, false, 64, 64, ByPlace>},
    EntryRow{"simdgroup_bf16_32", Gemm<Bf16, float, false, 32, 32, ByPlace>},
    EntryRow{"umma_fp16_pair", kByPairs<Fp16, float, 16, 256>},
    EntryRow{"umma_fp16_256", kAlone<Fp16, float, 16, 256>},
    EntryRow{"umma_fp16_128", kAlone<Fp16, float, 16, 128>},
    EntryRow{"umma_bf16_pair", kByPairs<Bf16, float, 16, 256>},
    EntryRow{"umma_bf16_256", kAlone<Bf16, float, 16, 256>},
    EntryRow{"umma_bf16_128", kAlone<Bf16, float, 16, 128>},
    EntryRow{"umma_tf32_pair", kByPairs<Fp32, float, 32, 256>},
    EntryRow{"umma_tf32_256", kAlone<Fp32, float, 32, 256>},
    EntryRow{"umma_tf32_128", kAlone<Fp32, float, 32, 128>},
    EntryRow{"umma_int8_pair", kByPairs<Int8, Int32, 8, 256>},
    EntryRow{"umma_int8_256", kAlone<Int8, Int32, 8, 256>},
    EntryRow{"umma_int8_128", kAlone<Int8, Int32, 8, 128>},
    EntryRow{"umma_fp8_pair", kByPairs<Fp8, float, 8, 256>},
    EntryRow{"umma_fp8_256", kAlone<Fp8, float, 8, 256>},
    EntryRow{"umma_fp8_128", kAlone<Fp8, float, 8, 128>},
};

}  // namespace

std::optional<Computed> ComputeGemm(const KernelLaunch& launch) {
  const auto row = std::find_if(kEntries.begin(), kEntries.end(),
                                [&](const EntryRow& known) { return known.name == launch.entry; });
  if (row == kEntries.end()) return std::nullopt;
  return launch.values.size() == 6 ? row->run(launch) : Computed::kRefused;
}

}  // namespace fakes
