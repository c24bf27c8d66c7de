// SPDX-License-Identifier: MIT
// What OpenCL's kernels for GPUs compute, from the arguments of a launch and the module's types and arrays
// alone: streams, fills, chains and products with a vector as those of other fakes; products here.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "backends/core/onednn_api.h"
#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/views.h"
#include "tests/fakes/level_zero/objects.h"

namespace fakes::level_zero {
namespace {

// One product: where its operands lie, and what of C the grid reaches.
struct Product {
  DeviceAddress a, b, c;
  std::uint64_t m, n, k;
  std::uint64_t rows, columns;  // of C, from its first entry on
};

using Numbers = std::vector<float>;

template <class T, float (*kValue)(T)>
bool Unpack(DeviceAddress address, std::uint64_t count, Numbers& out) {
  const View<T> view(address);
  if (!view.Fits(count)) return false;
  out.resize(count);
  std::transform(view.data(), view.data() + count, out.begin(), kValue);
  return true;
}
float Same(float value) { return value; }
float OfInt8(std::int8_t value) { return value; }

using Unpacker = bool (*)(DeviceAddress, std::uint64_t, Numbers&);
constexpr Unpacker kFp32 = Unpack<float, Same>;
constexpr Unpacker kFp16 = Unpack<std::uint16_t, FromHalf>;
constexpr Unpacker kBf16 = Unpack<std::uint16_t, FromBf16>;
constexpr Unpacker kInt8 = Unpack<std::int8_t, OfInt8>;

// B as k rows of n: from n rows of k, or from words of `each` consecutive rows a column.
Numbers Transposed(const Numbers& b, const Product& p) {
  Numbers out(b.size());
  for (std::uint64_t i = 0; i < p.k; ++i) {
    for (std::uint64_t j = 0; j < p.n; ++j) out[i * p.n + j] = b[j * p.k + i];
  }
  return out;
}
Numbers FromWords(const Numbers& b, const Product& p, std::uint64_t each) {
  Numbers out(b.size());
  for (std::uint64_t i = 0; i < p.k; ++i) {
    for (std::uint64_t j = 0; j < p.n; ++j) out[i * p.n + j] = b[(i / each * p.n + j) * each + i % each];
  }
  return out;
}

template <class C>
bool Store(const Product& p, const Numbers& a, const Numbers& b) {
  const View<C> c(p.c);
  if (!c.Fits(p.m * p.n)) return false;
  Numbers sums(p.columns);
  for (std::uint64_t i = 0; i < p.rows; ++i) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (std::uint64_t d = 0; d < p.k; ++d) {
      const float own = a[i * p.k + d];
      const float* row = &b[d * p.n];
      for (std::uint64_t j = 0; j < p.columns; ++j) sums[j] += own * row[j];
    }
    for (std::uint64_t j = 0; j < p.columns; ++j) {
      if constexpr (std::is_same_v<C, std::uint16_t>) {
        c.data()[i * p.n + j] = ToHalf(sums[j]);
      } else {
        c.data()[i * p.n + j] = static_cast<C>(sums[j]);
      }
    }
  }
  return true;
}

std::uint32_t Word(const Kernel& kernel, std::size_t i) {
  return static_cast<std::uint32_t>(kernel.values[i].value_or(0));
}

// Nothing where the grid reaches beyond C.
std::optional<Product> ProductOf(const Kernel& kernel, const rt::ZeGroups& groups, std::uint64_t tile_rows,
                                 std::uint64_t tile_columns) {
  if (kernel.values.size() != 6) return std::nullopt;
  Product p{*kernel.values[0],
            *kernel.values[1],
            *kernel.values[2],
            Word(kernel, 3),
            Word(kernel, 4),
            Word(kernel, 5),
            0,
            0};
  p.rows = tile_rows * groups.y;
  p.columns = tile_columns * groups.x;
  return p.rows <= p.m && p.columns <= p.n ? std::optional(p) : std::nullopt;
}

// The tile's edge is 4 less than the length of a row of A in local memory.
std::uint64_t TileOf(const Module& module) {
  for (const std::uint64_t edge : {128U, 64U}) {
    if (module.code.lengths.count(edge + 4) != 0) return edge;
  }
  return 0;
}

Computed Gemm(const Kernel& kernel, const rt::ZeGroups& groups) {
  const std::uint64_t tile = TileOf(*kernel.module);
  const auto p = ProductOf(kernel, groups, tile, tile);
  if (!p || tile == 0) return Computed::kOutOfBounds;
  const auto& parameters = kernel.code->parameters;
  const bool is_int8 = !parameters[0].is_float;
  const Unpacker unpack = is_int8 ? kInt8 : parameters[0].bits == 16 ? kFp16 : kFp32;
  Numbers a, b;
  if (!unpack(p->a, p->m * p->k, a) || !unpack(p->b, p->k * p->n, b)) return Computed::kOutOfBounds;
  const bool fits = is_int8                    ? Store<std::int32_t>(*p, a, Transposed(b, *p))
                    : parameters[2].bits == 16 ? Store<std::uint16_t>(*p, a, b)
                                               : Store<float>(*p, a, b);
  return fits ? Computed::kDone : Computed::kOutOfBounds;
}

// Of one step of gemm_intel.cl: words of consecutive rows of B.
template <class T>
Computed PackB(const Kernel& kernel, const rt::ZeGroups& groups) {
  constexpr std::uint64_t kEach = sizeof(std::uint32_t) / sizeof(T);
  const std::uint64_t n = Word(kernel, 2), columns = std::uint64_t{groups.x} * kernel.group[0],
                      words = std::uint64_t{groups.y} * kernel.group[1];
  const View<T> b(*kernel.values[0]), packed(*kernel.values[1]);
  if (columns > n || !b.Fits(words * kEach * n) || !packed.Fits(words * n * kEach))
    return Computed::kOutOfBounds;
  for (std::uint64_t word = 0; word < words; ++word) {
    for (std::uint64_t column = 0; column < columns; ++column) {
      for (std::uint64_t i = 0; i < kEach; ++i)
        packed.data()[(word * n + column) * kEach + i] = b.data()[(word * kEach + i) * n + column];
    }
  }
  return Computed::kDone;
}

Computed GemmMatrix(const Kernel& kernel, const rt::ZeGroups& groups) {
  constexpr std::uint64_t kRows = 8 * 4 * 8, kPanels = 2;  // BLOCKS * 8 * SUBGROUPS, PANELS of the options
  const auto p = ProductOf(kernel, groups, kRows, kPanels * kernel.code->subgroup);
  if (!p || kernel.code->subgroup == 0) return Computed::kOutOfBounds;
  const auto calls = [&](std::string_view name) {
    const auto& names = kernel.module->code.imported;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& one) { return one.find(name) != std::string::npos; });
  };
  const bool is_int8 = calls("_i8_i8_");
  const Unpacker unpack = is_int8 ? kInt8 : calls("_bf16_bf16_") ? kBf16 : kFp16;
  Numbers a, b;
  if (!unpack(p->a, p->m * p->k, a) || !unpack(p->b, p->k * p->n, b)) return Computed::kOutOfBounds;
  b = FromWords(b, *p, is_int8 ? 4 : 2);
  const bool fits = is_int8 ? Store<std::int32_t>(*p, a, b) : Store<float>(*p, a, b);
  return fits ? Computed::kDone : Computed::kOutOfBounds;
}

}  // namespace

Computed ComputeKernel(const Kernel& kernel, const rt::ZeGroups& groups) {
  const std::string_view name = kernel.code->name;
  if (name == "gemm" || name == "gemm_int8") return Gemm(kernel, groups);
  if (name == "gemm_matrix") return GemmMatrix(kernel, groups);
  if (name == "pack_b") {
    return kernel.code->parameters[0].bits == 8 ? PackB<std::uint8_t>(kernel, groups)
                                                : PackB<std::uint16_t>(kernel, groups);
  }
  KernelLaunch launch{
      name, {groups.x, groups.y, groups.z}, {kernel.group[0], kernel.group[1], kernel.group[2]}};
  for (const auto& value : kernel.values) launch.values.push_back(value.value_or(0));
  return Compute(launch);
}

}  // namespace fakes::level_zero

// For the fake library of products in the same process: C in fp32, of int8 in int32, of `at` A, B and C, and
// of `edges` m, n and k. `type` is one of dnnl_data_type_t.
FAKE_ZE zeFakeMultiply(int type, bool is_transposed, const std::array<std::uint64_t, 3>& at,
                       const std::array<std::int64_t, 3>& edges) {
  using namespace fakes::level_zero;  // NOLINT: as the other entry points
  namespace onednn = backends::onednn;
  const std::map<int, Unpacker> unpackers = {
      {onednn::kF32, kFp32}, {onednn::kF16, kFp16}, {onednn::kBf16, kBf16}, {onednn::kS8, kInt8}};
  const auto m = static_cast<std::uint64_t>(edges[0]), n = static_cast<std::uint64_t>(edges[1]),
             k = static_cast<std::uint64_t>(edges[2]);
  const Product p{at[0], at[1], at[2], m, n, k, m, n};
  Numbers a, b;
  if (!unpackers.at(type)(p.a, m * k, a) || !unpackers.at(type)(p.b, k * n, b)) return rt::kZeInvalidArgument;
  if (is_transposed) b = Transposed(b, p);
  const bool fits = type == onednn::kS8 ? Store<std::int32_t>(p, a, b) : Store<float>(p, a, b);
  return fits ? rt::kZeSuccess : rt::kZeInvalidArgument;
}
