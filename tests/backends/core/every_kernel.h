// SPDX-License-Identifier: MIT
// Every kernel of a runtime on every real GPU of this machine that it reaches, by processes of its own for
// each, as the program measures: of a card in several instances a process sees one. A kernel that hangs, or
// faults and so ends its process's context, costs the others little: the next process goes on after it,
// without the family of one that hung. Of equal GPUs, and of a card's instances, the first has all kernels
// tried and the others one of each family. Says of each kernel what came of it and how long it took, for
// bench/gpu_check.
#pragma once

#include "backends/core/backend.h"
#include "probe/core/module.h"

namespace tests {

struct TestedRuntime {
  probe::Module module;
  backends::Backend backend;
  const char* maker;
  // Where the driver keeps the modules that it has translated; with it is said how long that takes. nullptr:
  // it keeps none.
  const char* cache_variable = nullptr;
};
// Skips the test where there is no GPU, and fails it on anything else.
void VerifyEveryKernel(const TestedRuntime& runtime);
// The products in fp16 and tf32, also the libraries' own, of k = 8192 and 16384: they are right, and one
// wrong number among the results shows.
void VerifyLongProducts(const TestedRuntime& runtime);

}  // namespace tests
