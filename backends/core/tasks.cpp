// SPDX-License-Identifier: MIT
#include "backends/core/tasks.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Variant;

bool IsIntegerProduct(const Task& task) {
  return task.kernel == Kernel::kGemm && kernels::Row(task.in).integer;
}

// Leaves the first task of a kernel that `wanted` takes, and removes the others that it takes.
template <class Wanted>
void KeepFirst(std::vector<Task>& tasks, Wanted wanted) {
  const auto first = std::find_if(tasks.begin(), tasks.end(), wanted);
  if (first != tasks.end()) tasks.erase(std::remove_if(first + 1, tasks.end(), wanted), tasks.end());
}

}  // namespace

std::ptrdiff_t Precedence(const Task& task) {
  constexpr std::array kOrder = {Kernel::kGemm, Kernel::kRead, Kernel::kGemv, Kernel::kCopy};
  static_assert(kOrder[kDecisive] == Kernel::kGemv && kOrder[kOfTraining] == Kernel::kCopy);
  const auto at = std::find(kOrder.begin(), kOrder.end(), task.kernel);
  if (at == kOrder.end()) return std::ssize(kOrder) + 1;
  return IsIntegerProduct(task) ? std::ssize(kOrder) : at - kOrder.begin();
}

std::vector<Task> GroupVariants(std::span<const Variant> variants) {
  std::vector<Task> tasks;
  for (const Variant& variant : variants) {
    const bool service = variant.kernel == Kernel::kFill || variant.kernel == Kernel::kLaunch;
    if (service || variant.steps.empty()) continue;
    auto task = std::find_if(tasks.begin(), tasks.end(), [&](const Task& known) {
      return known.kernel == variant.kernel && known.in == variant.in && known.acc == variant.acc;
    });
    if (task == tasks.end()) {
      tasks.push_back({variant.kernel, variant.in, variant.acc, {}});
      task = tasks.end() - 1;
    }
    task->variants.push_back(&variant);
  }
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return Precedence(a) < Precedence(b); });
  // No answer without one product and the memory's speed: neither waits for products of other types.
  const auto read =
      std::find_if(tasks.begin(), tasks.end(), [](const Task& task) { return task.kernel == Kernel::kRead; });
  if (read != tasks.end() && read - tasks.begin() > 1) std::rotate(tasks.begin() + 1, read, read + 1);
  return tasks;
}

std::vector<Task> Select(std::vector<Task> tasks, Scope scope) {
  if (scope == Scope::kWhole || scope == Scope::kLibraries || scope == Scope::kAgain) return tasks;
  std::erase_if(tasks, [&](const Task& task) {
    const bool brief = task.kernel == Kernel::kGemm || task.kernel == Kernel::kRead;
    const bool wanted = brief || (scope == Scope::kRepeat && task.kernel == Kernel::kGemv);
    return IsIntegerProduct(task) || !wanted;
  });
  // Of an equal device the first product that decides (fp16 where it has one) stands for all.
  if (scope == Scope::kBrief) {
    const auto is_gemm = [](const Task& task) { return task.kernel == Kernel::kGemm; };
    std::stable_partition(tasks.begin(), tasks.end(), [&](const Task& task) {
      return is_gemm(task) && task.in == Dtype::kFp16 && task.acc == Dtype::kFp32;
    });
    KeepFirst(tasks, is_gemm);
  }
  // Weights come in blocks, and in one of the wider types, the narrowest of them.
  const auto wide = [](const Task& task) {
    return task.kernel == Kernel::kGemv && kernels::BlockBytes(task.in) == 0;
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& a, const Task& b) {
    return wide(a) && wide(b) && kernels::Row(a.in).bits < kernels::Row(b.in).bits;
  });
  KeepFirst(tasks, wide);
  return tasks;
}

std::vector<Figure> FiguresOf(const Task& task, std::span<const Figure> figures) {
  std::vector<Figure> own;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(own), [&](const Figure& figure) {
    return figure.kernel == task.kernel && figure.in == task.in && figure.acc == task.acc;
  });
  return own;
}

int FigureCount(const Task& task, const MeasureRequest& request) {
  if (!request.figures.empty()) return static_cast<int>(FiguresOf(task, request.figures).size());
  return task.kernel == Kernel::kGemm && request.scope != Scope::kLibraries ? 2 : 1;
}

}  // namespace backends
