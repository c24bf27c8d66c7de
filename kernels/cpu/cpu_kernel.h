// SPDX-License-Identifier: MIT
// The CPU's device code as a table: what kernels there are, for which instruction sets, and how they are
// called. Starts no threads, allocates no buffers and decides nothing: that is the session's work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/team.h"

namespace kernels::cpu {

// One of `count` threads, each pinned to its own core, that enter a kernel together.
struct Worker {
  unsigned index;
  unsigned count;
  Team* team;  // of `count` workers
};

// What a launch binds. Scalars are 32-bit words, floats by bit_cast, as in Vulkan push constants.
struct Arguments {
  std::span<void* const> buffers;  // each 64-byte aligned
  std::span<const std::uint32_t> scalars;
};

// Called by all workers at once. A worker that returns has finished its own share only: between two launches
// the caller puts a barrier. Kernels trust their arguments; they neither allocate nor fail.
//
//   entry         buffers         scalars
//   fill_*        out             count, seed, first (0 where it is left out, as q4, q8 must)
//                                                 out[i] = operand first + i: u32, fp32, fp16, bf16, int8,
//                                                 q4, q8 (operand.h)
//   read_u32      in, sums        count           sums[worker] = sum of the worker's share, modulo 2^32
//   copy_u32      in, out         count
//   triad_fp32    a, b, out       count, factor   out = a + factor * b
//   gemm_fp32     a, b, c, work   m, n, k         c[m x n] = a[m x k] * b[k x n], row-major, no padding
//   gemm_bf16     a, b, c, work   m, n, k         the same; bf16 into fp32
//   gemm_int8     a, b, c, work   m, n, k         the same; int8 into int32, exactly
//   gemv_fp32     w, x, y         m, k            y[m] = w[m x k] * x[k], w row-major
//   gemv_fp16     w, x, y         m, k            the same; w in fp16, x in fp32
//   gemv_bf16     w, x, y         m, k            the same; w in bf16, x in fp32
//   gemv_q4       w, x, y         m, k            the same; w in q4 (operand.h), k a multiple of 32, x in
//                                                 fp32
//   gemv_q4_q8    w, x, y, work   m, k            the same, x first rounded to 8 bits (Variant::x_in_8_bits)
//   gemv_q8_q8    w, x, y, work   m, k            the same as gemv_q4_q8; w in q8
//   chain_*       out             count, products accumulators as in kernels/spec.h, fp32, bf16 or int8;
//                                                 products = n * k, a multiple of 64
//   clock_adds    out             count           count * 2^14 additions, one a clock; out[worker] = 3 * that
//   empty         none            none            nothing, to time a launch
//   weigh_operand    weights, sums  count, seed, first, bits, stride  WeighOperand below, by one worker
//   weigh_q4, _q8    planes, sum    words, seed, first word, all words  WeighQ4, WeighQ8 below, by one worker
//   sum_operand_u32  sums         count, seed     sums[worker] = what read_u32 finds in what fill_u32 wrote
using EntryPoint = void (*)(const Arguments&, const Worker&);

struct Implementation {
  std::string_view entry;  // "gemm_fp32"
  std::string_view isa;    // "amx", "avx512_bf16", "avx512_vnni", "avx512", "avx_vnni", "avx2", "sse4",
                           // "generic", "neon", "neon_dotprod", "sve"
  bool (*supported)();     // whether this processor and kernel of the OS run it
  EntryPoint run;
};

// Every implementation built for this architecture; those of one entry stand together, best first.
[[nodiscard]] std::span<const Implementation> Implementations();

// The first supported implementation of `entry`, or null.
[[nodiscard]] const Implementation* Best(std::string_view entry);

// Bytes of the work buffer of a gemm entry, enough for every implementation of it. Zero: unknown entry.
[[nodiscard]] std::size_t GemmWorkspaceBytes(std::string_view entry, std::uint32_t m, std::uint32_t n,
                                             std::uint32_t k, unsigned workers);

// Bytes of the work buffer of the gemv entries that have one.
[[nodiscard]] std::size_t GemvWorkspaceBytes(std::uint32_t k, unsigned workers);

// On the calling thread, `count` operand integers of `bits` bits (kernels/operand.h) from `first` on, times
// each of four rows of weights, `stride` apart: what checking a product takes.
struct WeighRequest {
  std::uint32_t seed = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  int bits = 0;
};
[[nodiscard]] std::array<double, 4> WeighOperand(const WeighRequest& request, const double* weights,
                                                 std::uint32_t stride);

// On the calling thread, the product of whole blocks of a q4 or q8 operand (kernels/operand.h) with a vector
// of as many elements as they hold weights, in fp64.
struct WeighBlocksRequest {
  std::uint32_t seed = 0;
  std::uint32_t all_blocks = 0;  // of the operand
  std::uint32_t first_block = 0;
  std::uint32_t blocks = 0;
};
[[nodiscard]] double WeighQ4(const WeighBlocksRequest& request, std::span<const double> planes);
[[nodiscard]] double WeighQ8(const WeighBlocksRequest& request, std::span<const double> planes);
// The vector as these take it: for each of the weights of a word, from its lowest bits on, the elements that
// such weights meet, word by word; then, times what a weight's bits are too large by (8 or 128), what all
// elements of a word add up to.
[[nodiscard]] std::vector<double> Q4Planes(std::span<const double> x);
[[nodiscard]] std::vector<double> Q8Planes(std::span<const double> x);

// On the calling thread, what a fill entry writes, elements [first, first + count).
void WriteOperand(std::string_view fill_entry, std::uint32_t seed, std::uint32_t first, std::uint32_t count,
                  void* out);

// The sum of OperandBits(seed, i) for i < count, modulo 2^32, on the calling thread: what read_u32 must find.
// Of `parts` shares the one numbered `part`.
[[nodiscard]] std::uint32_t OperandChecksum(std::uint32_t seed, std::uint32_t count, unsigned part = 0,
                                            unsigned parts = 1);

}  // namespace kernels::cpu
