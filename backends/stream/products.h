// SPDX-License-Identifier: MIT
// Matrix products of the vendors' libraries: what a library is asked for and what an open one answers, and
// its products as variants. Libraries are loaded and never linked. They may crash: who calls them is a child
// process that has reported everything else before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/stream/runtime.h"
#include "kernels/spec.h"

namespace backends::stream {

// One pair of types that a library multiplies.
struct ProductType {
  std::string_view entry;  // "rocblas:fp16/fp32", of a variant's step
  kernels::Dtype in, acc;
  std::string_view feature;  // that the device must have; empty: none
  struct {
    int operand, result, compute, scale;
  } numbers;  // the library's own, for the types of its matrices, of its sums and of its factors
};

// C[m x n] = A[m x k] * B with B stored n x k, all row-major, on the device.
struct Product {
  const ProductType& type;
  int m, n, k;
  const void* a;
  const void* b;
  void* c;
  bool rough = false;  // any way will do
};

// A library that is open.
struct Products {
  std::span<const ProductType> types;
  // Readies one product, on whose very operands the library may look for its fastest way.
  std::function<probe::Result<Enqueue>(const Product&)> prepare;
  std::uint64_t workspace_bytes = 0;  // of the device, that were taken for it
  // Why it takes workspace of its own, as much as it likes; empty where it keeps within those bytes.
  std::string unbounded = {};
};

// A variant for each type, by the library's name, whose step has the scalars m, n and k.
[[nodiscard]] std::vector<kernels::Variant> ProductVariants(std::string_view library,
                                                            std::span<const ProductType> types);

// 1 and 0 in the type that a product is scaled in, which is that of its sums.
struct Scales {
  std::uint32_t one, zero = 0;
};
[[nodiscard]] Scales ScalesOf(const ProductType& type);

}  // namespace backends::stream
