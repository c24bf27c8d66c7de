// SPDX-License-Identifier: MIT
// Operands of asynchronous products: what a descriptor of a K-major matrix in shared memory says, and the
// numbers of it. Written from PTX ISA, "Matrix Descriptor" and "Shared memory descriptor", not from the
// kernels. Used by warpgroup.cpp and tensor_memory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulation {

constexpr unsigned kProductBytes = 32;  // of k

// Bytes from atom to atom of eight rows, and without swizzle between 16-byte columns; `row_bytes` of k are in
// an atom's row: 16 without swizzle, else its width.
struct MatrixPlace {
  std::uint64_t start, leading, stride, row_bytes;
};
// Some bits of a descriptor.
constexpr std::uint64_t BitsOf(std::uint64_t descriptor, unsigned first, unsigned count) {
  return descriptor >> first & ((std::uint64_t{1} << count) - 1);
}
// kProductBytes of so many rows in a block of the cluster, as the async proxy sees them.
[[nodiscard]] std::vector<std::uint8_t> ReadRows(std::size_t rank, const MatrixPlace& place, unsigned first,
                                                 unsigned rows);

// sums[rows x columns] += A * B, of which a and b hold kProductBytes a row or column; sums of 4 bytes.
using Adder = void (*)(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns,
                       void* sums);
void AddFp16(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums);
void AddBf16(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums);
void AddTf32(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums);
void AddFp8(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums);
void AddInt8(const std::uint8_t* a, const std::uint8_t* b, unsigned rows, unsigned columns, void* sums);

}  // namespace emulation
