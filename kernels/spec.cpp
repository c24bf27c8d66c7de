// SPDX-License-Identifier: MIT
#include "kernels/spec.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "kernels/operand.h"

namespace kernels {
namespace {

const auto& KernelRows() {
  using enum Role;
  using enum Number;
  static const std::array rows = {
      KernelRow{Kernel::kGemm, "gemm", "flop_per_s", {kA, kB, kC}, {kM, kN, kK}},
      KernelRow{Kernel::kChain, "chain", "flop_per_s", {kOut}, {kK, kWord}},
      KernelRow{Kernel::kGemv, "gemv", "bytes_per_s", {kW, kX, kY}, {kM, kK}},
      KernelRow{Kernel::kRead, "read", "bytes_per_s", {kIn, kPartials}, {kCount}},
      KernelRow{Kernel::kCopy, "copy", "bytes_per_s", {kIn, kOut}, {kCount}},
      KernelRow{Kernel::kTriad, "triad", "bytes_per_s", {kA, kB, kOut}, {kCount, kFactor}},
      KernelRow{Kernel::kHostToDevice, "h2d", "bytes_per_s"},
      KernelRow{Kernel::kDeviceToHost, "d2h", "bytes_per_s"},
      KernelRow{Kernel::kPeer, "p2p", "bytes_per_s"},
      KernelRow{Kernel::kLaunch, "launch", "s"},
      KernelRow{Kernel::kFill, "fill", "bytes_per_s", {kOut}, {kCount, kSeed}},
  };
  return rows;
}

constexpr std::array kDtypeRows = {
    DtypeRow{Dtype::kFp32, "fp32", 32, false, 0x3f800000},
    DtypeRow{Dtype::kTf32, "tf32", 32, false, 0x3f800000},
    DtypeRow{Dtype::kFp16, "fp16", 16, false, 0x3c003c00},
    DtypeRow{Dtype::kBf16, "bf16", 16, false, 0x3f803f80},
    DtypeRow{Dtype::kFp8, "fp8", 8, false, 0x38383838},
    DtypeRow{Dtype::kFp4, "fp4", 4, false, 0x22222222},
    DtypeRow{Dtype::kInt8, "int8", 8, true, 0x01010101},
    DtypeRow{Dtype::kInt32, "int32", 32, true, 1},
    DtypeRow{Dtype::kQ4, "q4", 4, false},
    DtypeRow{Dtype::kQ8, "q8", 8, false},
    DtypeRow{Dtype::kU32, "u32", 32, true, 1},
};

double ElementBytes(Dtype dtype) {
  const std::uint32_t block = BlockBytes(dtype);
  return block != 0 ? static_cast<double>(block) / kQ4Block : static_cast<double>(Row(dtype).bits) / 8.0;
}

std::uint32_t Value(const Scalar& scalar, const Problem& problem) {
  switch (scalar.number) {
    case Number::kOne:
      return 1;
    case Number::kM:
      return problem.m;
    case Number::kN:
      return problem.n;
    case Number::kK:
      return problem.k;
    case Number::kCount:
      return problem.count;
    case Number::kSeed:
      return problem.seed;
    case Number::kProducts:
      return problem.n * problem.k;
    case Number::kFactor:
      return std::bit_cast<std::uint32_t>(kTriadFactor);
    case Number::kWord:
      return scalar.word;
  }
  return 0;
}

std::uint32_t Groups(const Tiling& tiling, const Problem& problem) {
  const std::uint64_t extent = Value({tiling.number}, problem);
  return static_cast<std::uint32_t>((extent + tiling.each - 1) / tiling.each);
}

}  // namespace

const KernelRow& Row(Kernel kernel) { return KernelRows()[static_cast<std::size_t>(kernel)]; }
std::span<const KernelRow> Kernels() { return KernelRows(); }
const DtypeRow& Row(Dtype dtype) { return kDtypeRows[static_cast<std::size_t>(dtype)]; }
std::span<const DtypeRow> Dtypes() { return kDtypeRows; }

MatrixMap MapOf(const Binding& binding, Dtype in, const Problem& problem) {
  if (binding.box_rows == 0) return {};
  return {.rows = binding.role == Role::kA ? problem.m : problem.n,
          .row_bytes = std::uint64_t{problem.k} * Row(in).bits / 8,
          .box_rows = binding.box_rows};
}

LaunchShape ShapeOf(const Step& step, const Problem& problem, const DeviceShape& device) {
  const Geometry& geometry = step.geometry;
  LaunchShape shape;
  auto& [x, y, z] = shape.groups;
  x = Groups(geometry.tiles[0], problem);
  y = Groups(geometry.tiles[1], problem);
  if (geometry.in_a_row) x *= std::exchange(y, 1);
  if (geometry.groups_a_unit != 0) {
    const std::uint32_t most = device.compute_units * geometry.groups_a_unit;
    x = geometry.in_a_row ? std::min(x, most) : most;
  }
  x = std::max(x / geometry.groups_a_cluster, 1U) * geometry.groups_a_cluster;
  if (geometry.most_a_group != 0) x = std::max(x, problem.count / geometry.most_a_group + 1);
  shape.local = {geometry.threads[0], geometry.threads[1], 1};
  if (geometry.threads_are_subgroups) shape.local[0] *= device.subgroup_width;
  shape.scalars.reserve(step.scalars.size());
  for (const Scalar& scalar : step.scalars) shape.scalars.push_back(Value(scalar, problem));
  return shape;
}

Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, Step step) {
  const KernelRow& row = Row(kernel);
  if (step.bindings.empty()) {
    for (const Role role : row.roles) step.bindings.push_back({role});
  }
  if (step.scalars.empty()) {
    for (const Number number : row.scalars) step.scalars.push_back({number, Row(in).ones});
  }
  Variant variant;
  variant.family = name;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = in;
  variant.acc = acc;
  variant.steps.push_back(std::move(step));
  return variant;
}

std::uint32_t BlockBytes(Dtype dtype) {
  if (dtype == Dtype::kQ4) return static_cast<std::uint32_t>(Q4Bytes(kQ4Block));
  return dtype == Dtype::kQ8 ? static_cast<std::uint32_t>(Q8Bytes(kQ4Block)) : 0;
}

bool IsOfLibrary(const Variant& variant) {
  return std::any_of(variant.steps.begin(), variant.steps.end(),
                     [](const Step& step) { return !step.library.empty(); });
}

bool IsOwn(std::string_view implementation) { return implementation.starts_with("own:"); }

double Work(Kernel kernel, Dtype in, const Problem& problem) {
  const double m = problem.m;
  const double n = problem.n;
  const double k = problem.k;
  const double count_bytes = static_cast<double>(problem.count) * ElementBytes(in);
  switch (kernel) {
    case Kernel::kGemm:
      return 2.0 * m * n * k;
    case Kernel::kGemv:
      return m * k * ElementBytes(in);
    case Kernel::kCopy:
      return 2.0 * count_bytes;
    case Kernel::kTriad:
      return 3.0 * count_bytes;
    case Kernel::kChain:
      return 2.0 * static_cast<double>(problem.count) * n * k;
    case Kernel::kRead:
    case Kernel::kHostToDevice:
    case Kernel::kDeviceToHost:
    case Kernel::kPeer:
    case Kernel::kFill:
      return count_bytes;
    case Kernel::kLaunch:
      return 1.0;
  }
  return 0.0;
}

}  // namespace kernels
