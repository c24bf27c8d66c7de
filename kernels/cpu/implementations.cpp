// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/gemm_fp32.h"
#include "kernels/cpu/tables.h"

namespace kernels::cpu {

std::span<const Implementation> Implementations() {
  static const auto all = [] {
    std::vector<Implementation> rows;
    for (const auto part : {OperandImplementations(), StreamImplementations(), GemmFp32Implementations()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
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
  static constexpr std::array kRows{Row{"gemm_fp32", GemmFp32WorkspaceBytes}};
  for (const Row& row : kRows) {
    if (row.entry == entry) return row.bytes(m, n, k, workers);
  }
  return 0;
}

std::uint32_t OperandChecksum(std::uint32_t seed, std::uint32_t count) {
  std::uint32_t sum = 0;
  void* const buffers[] = {&sum};
  const std::uint32_t scalars[] = {count, seed};
  SpinBarrier alone(1);
  Best("sum_operand_u32")->run({buffers, scalars}, {0, 1, &alone});
  return sum;
}

}  // namespace kernels::cpu
