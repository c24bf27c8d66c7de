// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/gemm_amx.h"
#include "kernels/cpu/gemm_tile.h"
#include "kernels/cpu/gemv_q8.h"
#include "kernels/cpu/tables.h"
#include "kernels/operand.h"

namespace kernels::cpu {

std::span<const Implementation> Implementations() {
  static const auto all = [] {
    std::vector<Implementation> rows;
    for (const auto part : {ArchitectureImplementations(), OperandImplementations(), StreamImplementations(),
                            GemmVectorImplementations(), GemvImplementations(), GemvQ8Implementations(),
                            ChainImplementations(), ClockImplementations()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Implementation& a, const Implementation& b) { return a.entry < b.entry; });
    return rows;
  }();
  return all;
}

const Implementation* Best(std::string_view entry) {
  const auto all = Implementations();
  const auto found = std::find_if(all.begin(), all.end(), [entry](const Implementation& row) {
    return row.entry == entry && row.supported();
  });
  return found == all.end() ? nullptr : &*found;
}

std::size_t GemmWorkspaceBytes(std::string_view entry, std::uint32_t m, std::uint32_t n, std::uint32_t k,
                               unsigned workers) {
  struct Row {
    std::string_view entry;
    std::size_t (*bytes)(std::uint32_t m, std::uint32_t n, std::uint32_t k, unsigned workers);
  };
  static constexpr std::array kRows{
      Row{"gemm_fp32", TileWorkspaceBytes<1>}, Row{"gemm_bf16", TileWorkspaceBytes<2>},
      Row{"gemm_bf16", AmxWorkspaceBytes<2>},  Row{"gemm_int8", TileWorkspaceBytes<4>},
      Row{"gemm_int8", AmxWorkspaceBytes<1>},
  };
  std::size_t bytes = 0;
  for (const Row& row : kRows) {
    if (row.entry == entry) bytes = std::max(bytes, row.bytes(m, n, k, workers));
  }
  return bytes;
}

std::size_t GemvWorkspaceBytes(std::uint32_t k, unsigned workers) { return workers * Q8WorkerBytes(k); }

namespace {

void RunAlone(std::string_view entry, std::span<void* const> buffers, std::span<const std::uint32_t> scalars,
              unsigned part = 0, unsigned parts = 1) {
  Best(entry)->run({buffers, scalars}, {part, parts, nullptr});
}

}  // namespace

std::array<double, 4> WeighOperand(const WeighRequest& request, const double* weights, std::uint32_t stride) {
  static const EntryPoint weigh = Best("weigh_operand")->run;
  std::array<double, 4> sums;
  void* const buffers[] = {const_cast<double*>(weights), sums.data()};
  const std::uint32_t scalars[] = {request.count, request.seed, request.first,
                                   static_cast<std::uint32_t>(request.bits), stride};
  weigh({buffers, scalars}, {0, 1, nullptr});
  return sums;
}

namespace {

double WeighBlocks(EntryPoint weigh, std::uint32_t words_a_block, const WeighBlocksRequest& request,
                   std::span<const double> planes) {
  double sum = 0;
  void* const buffers[] = {const_cast<double*>(planes.data()), &sum};
  const std::uint32_t scalars[] = {words_a_block * request.blocks, request.seed,
                                   words_a_block * request.first_block, words_a_block * request.all_blocks};
  weigh({buffers, scalars}, {0, 1, nullptr});
  return sum;
}

// `place` says which element weight p of a word meets.
template <class Place>
std::vector<double> Planes(std::span<const double> x, std::size_t weights_a_word, double excess,
                           Place place) {
  const std::size_t words = x.size() / weights_a_word;
  std::vector<double> planes((weights_a_word + 1) * words);
  for (std::size_t word = 0; word < words; ++word) {
    for (std::size_t p = 0; p < weights_a_word; ++p) {
      const double value = x[place(word, p)];
      planes[p * words + word] = value;
      planes[weights_a_word * words + word] += excess * value;
    }
  }
  return planes;
}

}  // namespace

double WeighQ4(const WeighBlocksRequest& request, std::span<const double> planes) {
  static const EntryPoint weigh = Best("weigh_q4")->run;
  return WeighBlocks(weigh, 4, request, planes);
}

double WeighQ8(const WeighBlocksRequest& request, std::span<const double> planes) {
  static const EntryPoint weigh = Best("weigh_q8")->run;
  return WeighBlocks(weigh, 8, request, planes);
}

std::vector<double> Q4Planes(std::span<const double> x) {
  return Planes(x, 8, 8, [](std::size_t word, std::size_t p) {
    return word / 4 * kQ4Block + word % 4 * 4 + p / 2 + p % 2 * 16;
  });
}

std::vector<double> Q8Planes(std::span<const double> x) {
  return Planes(x, 4, 128, [](std::size_t word, std::size_t p) { return word * 4 + p; });
}

void WriteOperand(std::string_view fill_entry, std::uint32_t seed, std::uint32_t first, std::uint32_t count,
                  void* out) {
  void* const buffers[] = {out};
  const std::uint32_t scalars[] = {count, seed, first};
  RunAlone(fill_entry, buffers, scalars);
}

std::uint32_t OperandChecksum(std::uint32_t seed, std::uint32_t count, unsigned part, unsigned parts) {
  std::vector<std::uint32_t> sums(parts);
  void* const buffers[] = {sums.data()};
  const std::uint32_t scalars[] = {count, seed};
  RunAlone("sum_operand_u32", buffers, scalars, part, parts);
  return sums[part];
}

}  // namespace kernels::cpu
