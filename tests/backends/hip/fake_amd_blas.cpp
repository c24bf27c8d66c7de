// SPDX-License-Identifier: MIT
// rocBLAS and hipBLASLt as far as they are called, on memory of the host: fp32 and int8, TN, stored by
// columns. A rocBLAS that was given a workspace writes to all of it. Of hipBLASLt's four algorithms the first
// is none for this device, the second fails as it runs.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define FAKE extern "C" [[gnu::visibility("default")]] int

namespace {

template <class In, class Out>
void Multiply(std::int64_t m, std::int64_t n, std::int64_t k, const void* a, const void* b, void* d) {
  for (std::int64_t column = 0; column < n; ++column) {
    for (std::int64_t row = 0; row < m; ++row) {
      Out sum{};
      for (std::int64_t p = 0; p < k; ++p) {
        sum = static_cast<Out>(sum + static_cast<Out>(static_cast<const In*>(a)[row * k + p]) *
                                         static_cast<Out>(static_cast<const In*>(b)[column * k + p]));
      }
      static_cast<Out*>(d)[column * m + row] = sum;
    }
  }
}

bool IsOne(const void* scale, bool integer) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, scale, sizeof bits);
  return bits == (integer ? 1U : 0x3f800000U);
}

struct RocblasHandle {
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};
struct Operation {
  int compute = 0, scale = 0, transpose_a = 111, transpose_b = 111;
};
struct Layout {
  int type = 0;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t stride = 0;
};
struct Algorithm {
  std::uint64_t number, unused;
  std::size_t max_workspace_bytes;
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};

}  // namespace

FAKE rocblas_create_handle(void** handle) {
  *handle = new RocblasHandle();
  return 0;
}
FAKE rocblas_set_workspace(void* handle, void* address, std::size_t bytes) {
  *static_cast<RocblasHandle*>(handle) = {address, bytes};
  return 0;
}
FAKE rocblas_gemm_ex(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                     const void* a, int a_type, int a_stride, const void* b, int b_type, int b_stride,
                     const void* beta, const void* c, int c_type, int c_stride, void* d, int d_type,
                     int d_stride, int compute, int, std::int32_t, std::uint32_t) {
  const bool integer = a_type == 160;
  if (transpose_a != 112 || transpose_b != 111 || a_stride != k || b_stride != k || c_stride != m ||
      d_stride != m || a_type != b_type || c_type != d_type || c != d || compute != d_type)
    return 4;
  if (!IsOne(alpha, integer) || IsOne(beta, integer)) return 11;
  if (integer && d_type == 162) {
    Multiply<std::int8_t, std::int32_t>(m, n, k, a, b, d);
  } else if (a_type == 151 && d_type == 151) {
    Multiply<float, float>(m, n, k, a, b, d);
  } else {
    return 2;
  }
  const auto& own = *static_cast<RocblasHandle*>(handle);
  if (own.workspace == nullptr) return 0;
  std::memset(own.workspace, 0x5a, own.workspace_bytes);
  return own.workspace_bytes < 4096 ? 7 : 0;  // a slower way
}

FAKE hipblasLtCreate(void** handle) {
  *handle = new int(0);
  return 0;
}
FAKE hipblasLtMatmulDescCreate(void** operation, int compute, int scale) {
  *operation = new Operation{compute, scale};
  return 0;
}
FAKE hipblasLtMatmulDescSetAttribute(void* operation, int attribute, const void* value, std::size_t bytes) {
  if (bytes != sizeof(int) || attribute > 1) return 3;
  auto& own = *static_cast<Operation*>(operation);
  std::memcpy(attribute == 0 ? &own.transpose_a : &own.transpose_b, value, bytes);
  return 0;
}
FAKE hipblasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                 std::int64_t stride) {
  *layout = new Layout{type, rows, columns, stride};
  return 0;
}
FAKE hipblasLtMatmulPreferenceCreate(void** preference) {
  *preference = new std::uint64_t(0);
  return 0;
}
FAKE hipblasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, std::size_t bytes) {
  return attribute == 1 && bytes == 8 ? 0 : 3;
}
FAKE hipblasLtMatmulAlgoGetHeuristic(void*, void*, void* a, void*, void*, void*, void*, int wanted,
                                     void* offered, int* found) {
  if (static_cast<Layout*>(a)->type != 0 && static_cast<Layout*>(a)->type != 3) {
    *found = 0;
    return 0;
  }
  *found = wanted < 4 ? wanted : 4;
  auto* results = static_cast<Heuristic*>(offered);
  for (int i = 0; i < *found; ++i) {
    results[i] = {{static_cast<std::uint64_t>(i), 0, 0}, 0, i == 0 ? 7 : 0, 1, {}};
  }
  return 0;
}
FAKE hipblasLtMatmul(void*, void* operation, const void* alpha, const void* a, void* layout_a, const void* b,
                     void* layout_b, const void* beta, const void*, void*, void* d, void* layout_d,
                     const void* algorithm, void*, std::size_t, void*) {
  const auto& how = *static_cast<Operation*>(operation);
  const auto &first = *static_cast<Layout*>(layout_a), &second = *static_cast<Layout*>(layout_b),
             &result = *static_cast<Layout*>(layout_d);
  const auto number = static_cast<const Algorithm*>(algorithm)->number;
  if (number < 2) return number == 1 ? 6 : 7;
  const bool integer = how.scale == 10;
  const auto k = static_cast<std::int64_t>(first.rows), m = static_cast<std::int64_t>(first.columns),
             n = static_cast<std::int64_t>(second.columns);
  if (how.transpose_a != 112 || how.transpose_b != 111 || second.rows != first.rows || first.stride != k ||
      second.stride != k || result.stride != m || result.rows != first.columns ||
      result.columns != second.columns || !IsOne(alpha, integer) || IsOne(beta, integer))
    return 3;
  if (integer) {
    Multiply<std::int8_t, std::int32_t>(m, n, k, a, b, d);
  } else {
    Multiply<float, float>(m, n, k, a, b, d);
  }
  return 0;
}
