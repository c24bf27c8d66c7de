// SPDX-License-Identifier: MIT
// Which figures are to be found on a device, and in which order. Sizes nothing and runs nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backends/core/measurement.h"
#include "kernels/spec.h"

namespace backends {

// The variants of one kernel and type pair, in their given order.
struct Task {
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  kernels::Dtype in = kernels::Dtype::kFp32;
  kernels::Dtype acc = kernels::Dtype::kFp32;
  std::vector<const kernels::Variant*> variants;
};

// All but fills and launches: what a decision rests on first (a product, reads, products of the other
// floating types, matrix-vector products, then copies), products of integers, else in the order of their
// first variant.
[[nodiscard]] std::vector<Task> GroupVariants(std::span<const kernels::Variant> variants);

// Its kernel's place in that order. Up to kDecisive decisions for every use may rest on it, at kOfTraining
// those for training, for which reads stand in where there is no copy.
inline constexpr std::ptrdiff_t kDecisive = 2;
inline constexpr std::ptrdiff_t kOfTraining = kDecisive + 1;
[[nodiscard]] std::ptrdiff_t Precedence(const Task& task);

// Those of one scope, in their order.
[[nodiscard]] std::vector<Task> Select(std::vector<Task> tasks, Scope scope);

// Those of the figures that are the task's.
[[nodiscard]] std::vector<Figure> FiguresOf(const Task& task, std::span<const Figure> figures);

// How many figures a task yields for that request, one a shape.
[[nodiscard]] int FigureCount(const Task& task, const MeasureRequest& request);

}  // namespace backends
