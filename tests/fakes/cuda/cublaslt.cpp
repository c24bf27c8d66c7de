// SPDX-License-Identifier: MIT
// A fake libcublasLt: products computed from the layouts, transposes and pointers that were passed, through
// the copies of the fake libcuda that is loaded beside it. Two algorithms are offered, of which the first
// does not run. Attributes of the driver: cublaslt_abort and cublaslt_hang end there, cublaslt_wrong forgets
// the last product of each sum, cublaslt_no_operation and cublaslt_no_preference refuse to make one, and
// cublaslt_fast_alone refuses fp8 without fast accumulation.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/cuda/cublaslt_declarations.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/views.h"
#include "tests/fakes/cuda/neighbour.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {

namespace {

using namespace backends::cuda;  // NOLINT: its constants

constexpr int kInvalid = 7;
constexpr int kNotSupported = 15;

struct Layout {
  int type = 0;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t stride = 0;
};
struct Operation {
  int compute = 0, scale = 0;
  int transposed[2] = {0, 0};
  std::int8_t fast = 0;
};

bool Wants(const char* attribute) { return GetOfDriver(attribute, 0) != 0; }

std::size_t BytesOf(int type) {
  return type == kLtFp32 || type == kLtInt32 ? 4 : type == kLtInt8 || type == kLtFp8 ? 1 : 2;
}

float Number(const unsigned char* bytes, int type) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, BytesOf(type));
  switch (type) {
    case kLtFp32:
      return std::bit_cast<float>(word);
    case kLtFp16:
      return FromHalf(static_cast<std::uint16_t>(word));
    case kLtBf16:
      return FromBf16(static_cast<std::uint16_t>(word));
    case kLtFp8:
      return FromFp8(static_cast<std::uint8_t>(word));
    default:
      return static_cast<std::int8_t>(word);
  }
}

void Store(std::vector<unsigned char>& bytes, int type, std::size_t i, float value) {
  std::uint32_t word = type == kLtFp32   ? std::bit_cast<std::uint32_t>(value)
                       : type == kLtFp16 ? ToHalf(value)
                                         : static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  std::memcpy(bytes.data() + i * BytesOf(type), &word, BytesOf(type));
}

// A matrix at a device address row by row or, with its rows innermost, column by column.
bool Fetch(const Layout& layout, const void* address, bool rows_innermost, std::vector<float>& out) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(layout.stride) * layout.columns *
                                   BytesOf(layout.type));
  if (DriverFunction<int(void*, nv::CuPointer, std::size_t)>("cuMemcpyDtoH_v2")(
          bytes.data(), reinterpret_cast<std::uintptr_t>(address), bytes.size()) != 0) {
    return false;
  }
  out.resize(layout.rows * layout.columns);
  for (std::uint64_t column = 0; column < layout.columns; ++column) {
    for (std::uint64_t row = 0; row < layout.rows; ++row) {
      const std::uint64_t from = column * static_cast<std::uint64_t>(layout.stride) + row;
      out[rows_innermost ? column * layout.rows + row : row * layout.columns + column] =
          Number(bytes.data() + from * BytesOf(layout.type), layout.type);
    }
  }
  return true;
}

// The sums of one column: of so many products each, a few of them at a time.
void AddColumn(const float* x, const float* y, std::uint64_t count, std::vector<float>& sums) {
  constexpr std::uint64_t kDeep = 8;
  const std::uint64_t rows = sums.size();
  std::fill(sums.begin(), sums.end(), 0.0F);
  std::uint64_t p = 0;
  for (; p + kDeep <= count; p += kDeep) {
    for (std::uint64_t i = 0; i < rows; ++i) {
      float sum = sums[i];
      for (std::uint64_t d = 0; d < kDeep; ++d) sum += x[(p + d) * rows + i] * y[p + d];
      sums[i] = sum;
    }
  }
  for (; p < count; ++p) {
    for (std::uint64_t i = 0; i < rows; ++i) sums[i] += x[p * rows + i] * y[p];
  }
}

struct Product {
  std::vector<float> x, y;  // depth x rows, columns x depth
  std::uint64_t rows, columns, added;
  std::int64_t stride;
  int type;
  bool operator==(const Product&) const = default;
};

// Column by column. That of the product before takes the same time and leaves the processor to others.
const std::vector<unsigned char>& ResultOf(Product product, std::uint64_t depth) {
  static std::optional<Product> before;
  static std::vector<unsigned char> z;
  static double processor_s = 0;
  if (before == product) {
    std::this_thread::sleep_for(std::chrono::duration<double>(processor_s));
    return z;
  }
  const double start = ProcessorSeconds();
  z.assign(static_cast<std::size_t>(product.stride) * product.columns * BytesOf(product.type), 0);
  std::vector<float> sums(product.rows);
  for (std::uint64_t j = 0; j < product.columns; ++j) {
    AddColumn(product.x.data(), &product.y[j * depth], product.added, sums);
    for (std::uint64_t i = 0; i < product.rows; ++i)
      Store(z, product.type, j * static_cast<std::uint64_t>(product.stride) + i, sums[i]);
  }
  processor_s = ProcessorSeconds() - start;
  before = std::move(product);
  return z;
}

}  // namespace
}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C

#define FAKE_LT extern "C" [[gnu::visibility("default")]] int

FAKE_LT cublasLtCreate(void** handle) {
  static int self = 0;
  *handle = &self;
  return Neighbour() == nullptr ? 1 : 0;
}
FAKE_LT cublasLtMatmulDescCreate(void** operation, int compute, int scale) {
  if (Wants("cublaslt_no_operation")) return kNotSupported;
  *operation = new Operation{.compute = compute, .scale = scale};
  return 0;
}
FAKE_LT cublasLtMatmulDescSetAttribute(void* operation, int attribute, const void* value, std::size_t bytes) {
  if (attribute == kLtFastAccumulation && bytes == 1) {
    std::memcpy(&static_cast<Operation*>(operation)->fast, value, bytes);
    return 0;
  }
  if (bytes != sizeof(int) || attribute < kLtTransposeA || attribute > kLtTransposeB) return kInvalid;
  std::memcpy(&static_cast<Operation*>(operation)->transposed[attribute - kLtTransposeA], value, bytes);
  return 0;
}
FAKE_LT cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                   std::int64_t stride) {
  if (stride < static_cast<std::int64_t>(rows)) return kInvalid;
  *layout = new Layout{type, rows, columns, stride};
  return 0;
}
FAKE_LT cublasLtMatmulPreferenceCreate(void** preference) {
  static int self = 0;
  if (Wants("cublaslt_no_preference")) return kNotSupported;
  *preference = &self;
  return 0;
}
FAKE_LT cublasLtMatmulPreferenceSetAttribute(void*, int attribute, const void*, std::size_t bytes) {
  return attribute == kLtWorkspaceBytes && bytes == sizeof(std::size_t) ? 0 : kInvalid;
}
FAKE_LT cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int wanted,
                                       LtHeuristic* results, int* found) {
  *found = 0;
  for (; *found < std::min(wanted, 2); ++*found)
    results[*found].algorithm[0] = static_cast<std::uint64_t>(*found);
  return 0;
}
FAKE_LT cublasLtMatmul(void*, void* operation, const void* alpha, const void* a, void* layout_a,
                       const void* b, void* layout_b, const void* beta, const void*, void*, void* d,
                       void* layout_d, const void* algorithm, void*, std::size_t, void*) {
  if (*static_cast<const std::uint64_t*>(algorithm) == 0) return kNotSupported;
  const auto& op = *static_cast<Operation*>(operation);
  const auto &first = *static_cast<Layout*>(layout_a), &second = *static_cast<Layout*>(layout_b);
  const auto& result = *static_cast<Layout*>(layout_d);
  std::uint32_t one = 0, zero = 1;
  std::memcpy(&one, alpha, op.scale == kLtFp16 ? 2 : 4);
  std::memcpy(&zero, beta, op.scale == kLtFp16 ? 2 : 4);
  if (one != (op.scale == kLtInt32  ? 1U
              : op.scale == kLtFp16 ? 0x3c00U
                                    : 0x3f800000U) ||
      (zero & 0xffffU) != 0)
    return kInvalid;
  const std::uint64_t depth = op.transposed[0] != 0 ? first.rows : first.columns;
  const std::uint64_t rows = op.transposed[0] != 0 ? first.columns : first.rows;
  const std::uint64_t columns = op.transposed[1] != 0 ? second.rows : second.columns;
  if (depth != (op.transposed[1] != 0 ? second.columns : second.rows) || rows != result.rows ||
      columns != result.columns) {
    return kInvalid;
  }
  if (first.type == kLtFp8 && op.fast == 0 && Wants("cublaslt_fast_alone")) return kNotSupported;
  if (Wants("cublaslt_abort")) std::abort();
  if (Wants("cublaslt_hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  Product product{{},         {}, rows, columns, depth - (Wants("cublaslt_wrong") ? 1 : 0), result.stride,
                  result.type};
  if (!Fetch(first, a, op.transposed[0] == 0, product.x) ||
      !Fetch(second, b, op.transposed[1] == 0, product.y))
    return 13;
  const auto& z = ResultOf(std::move(product), depth);
  return DriverFunction<int(nv::CuPointer, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
             reinterpret_cast<std::uintptr_t>(d), z.data(), z.size()) == 0
             ? 0
             : 13;
}
