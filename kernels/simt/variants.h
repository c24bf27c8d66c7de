// SPDX-License-Identifier: MIT
// The kernels without matrix units, in the C++ that CUDA and HIP have in common, as data.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::simt {

// The code of this folder's sources in a language of the runtime.
struct Modules {
  std::string_view stream, gemm_simt, gemv;
};

// Every device runs them. The chain comes after the products, before gemv.
[[nodiscard]] std::vector<Variant> Variants(const Modules& modules);

}  // namespace kernels::simt
