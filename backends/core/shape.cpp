// SPDX-License-Identifier: MIT
#include "backends/core/shape.h"

#include <algorithm>
#include <vector>

#include "backends/core/operands.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;
using kernels::View;

std::uint64_t Elements(Role role, const Problem& problem) {
  const std::uint64_t m = problem.m;
  const std::uint64_t n = problem.n;
  const std::uint64_t k = problem.k;
  switch (role) {
    case Role::kA:
      return problem.count != 0 ? problem.count : m * k;
    case Role::kB:
      return problem.count != 0 ? problem.count : k * n;
    case Role::kW:
      return m * k;
    case Role::kC:
      return m * n;
    case Role::kX:
      return k;
    case Role::kY:
      return m;
    case Role::kIn:
    case Role::kOut:
      return problem.count;
    case Role::kPartials:
    case Role::kWorkspace:
      return 0;
  }
  return 0;
}

std::uint64_t FreeBytes(const Limits& limits) { return limits.memory_free_bytes.value_or(UINT64_MAX); }

// Every role that a variant binds, once.
std::vector<Role> Roles(const Variant& variant) {
  std::vector<Role> roles;
  for (const kernels::Step& step : variant.steps) {
    for (const kernels::Binding& binding : step.bindings) {
      if (std::find(roles.begin(), roles.end(), binding.role) == roles.end()) roles.push_back(binding.role);
    }
  }
  return roles;
}

std::uint64_t PartialsBytes(const Variant& variant, const Problem& problem,
                            const kernels::DeviceShape& device) {
  std::uint64_t words = 0;
  for (const kernels::Step& step : variant.steps) {
    const auto [x, y, z] = kernels::ShapeOf(step, problem, device).groups;
    words += std::uint64_t{x} * y * z * step.geometry.partials_a_group;
  }
  return words * sizeof(std::uint32_t);
}

bool BoundAsTexels(const Variant& variant, Role role) {
  for (const kernels::Step& step : variant.steps) {
    for (const kernels::Binding& binding : step.bindings) {
      if (binding.role == role && binding.view != View::kStorage) return true;
    }
  }
  return false;
}

}  // namespace

bool BindsTexels(const Variant& variant) {
  const std::vector<Role> roles = Roles(variant);
  return std::any_of(roles.begin(), roles.end(), [&](Role role) { return BoundAsTexels(variant, role); });
}

double Work(const Variant& variant, const Shape& shape) {
  return shape.copies * kernels::Work(variant.kernel, variant.in, shape.problem);
}

Problem Reported(const Shape& shape) {
  Problem problem = shape.problem;
  const std::uint64_t count = std::uint64_t{problem.count} * shape.copies;
  problem.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
  problem.seed = 0;
  return problem;
}

Dtype DtypeOf(const Variant& variant, Role role) {
  const bool result = role == Role::kC || role == Role::kY || role == Role::kX;
  return result || variant.kernel == Kernel::kChain ? variant.acc : variant.in;
}

std::uint64_t BufferBytes(const Variant& variant, Role role, const Problem& problem,
                          const kernels::DeviceShape& device) {
  std::uint64_t bytes = OperandBytes(DtypeOf(variant, role), Elements(role, problem));
  if (role == Role::kPartials) bytes = PartialsBytes(variant, problem, device);
  if (role == Role::kWorkspace && variant.workspace_bytes != nullptr) {
    bytes = variant.workspace_bytes(variant, problem, device);
  }
  return bytes == 0 ? 0 : RoundUp(bytes, kPaddingBytes);
}

std::uint64_t NeededBytes(const Variant& variant, const Shape& shape, const kernels::DeviceShape& device) {
  std::uint64_t total = 0;
  for (const Role role : Roles(variant)) total += BufferBytes(variant, role, shape.problem, device);
  return total * shape.copies;
}

std::string MissingFeature(const Variant& variant, const Limits& limits) {
  for (const std::string& feature : variant.requires_features) {
    if (std::find(limits.features.begin(), limits.features.end(), feature) == limits.features.end()) {
      return "the device lacks " + feature;
    }
  }
  return "";
}

std::string ShapeMisfit(const Variant& variant, const Shape& shape, const Limits& limits) {
  const Problem& p = shape.problem;
  if (p.m % variant.multiple_m != 0 || p.n % variant.multiple_n != 0 || p.k % variant.multiple_k != 0 ||
      p.count % variant.multiple_count != 0) {
    return "takes only multiples of its tile";
  }
  for (const Role role : Roles(variant)) {
    if (Elements(role, p) > UINT32_MAX) {
      return "an operand of " + std::to_string(Elements(role, p)) + " elements, of which " +
             std::to_string(UINT32_MAX) + " can be counted";
    }
    const std::uint64_t bytes = BufferBytes(variant, role, p, limits.shape);
    if (bytes > limits.max_buffer_bytes) {
      return "a buffer of " + std::to_string(bytes / kMiB) + " MiB exceeds the device's limit of " +
             std::to_string(limits.max_buffer_bytes / kMiB) + " MiB";
    }
    if (BoundAsTexels(variant, role) && bytes / kTexelBytes > limits.max_texel_elements) {
      return "a texel view of " + std::to_string(bytes / kTexelBytes) +
             " elements exceeds the device's limit of " + std::to_string(limits.max_texel_elements);
    }
  }
  return "";
}

std::string Misfit(const Variant& variant, const Shape& shape, const Limits& limits) {
  if (auto misfit = ShapeMisfit(variant, shape, limits); !misfit.empty()) return misfit;
  std::uint64_t total = 0;
  for (const Role role : Roles(variant)) total += BufferBytes(variant, role, shape.problem, limits.shape);
  if (total > FreeBytes(limits) / shape.copies) {
    return "needs " + std::to_string(total * shape.copies / kMiB) + " MiB, " +
           std::to_string(FreeBytes(limits) / kMiB) + " are free";
  }
  return "";
}

bool OnHost(const probe::RuntimeDevice& device) {
  return device.kind == probe::DeviceKind::kCpu || device.kind == probe::DeviceKind::kSoftware;
}

}  // namespace backends
