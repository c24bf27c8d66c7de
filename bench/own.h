// SPDX-License-Identifier: MIT
// Our side of a comparison: the workers, their memory, and a kernel as a side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_session.h"
#include "bench/sample.h"
#include "kernels/cpu/cpu_kernel.h"
#include "probe/system/filesystem.h"

namespace bench {

[[nodiscard]] const probe::system::FileSystem& Files();
[[nodiscard]] backends::cpu::Workers& TheWorkers();

// Everything of one row, freed together.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();
  // In huge pages where the system has them.
  void* Map(std::size_t bytes);

 private:
  std::vector<std::pair<void*, std::size_t>> mapped_;
};

void Run(const kernels::cpu::Implementation& implementation, std::vector<void*> buffers,
         std::vector<std::uint32_t> scalars);

void* MapOperand(Memory& memory, std::string_view fill, std::size_t count, std::size_t bytes,
                 std::uint32_t seed);

[[nodiscard]] Side Own(const kernels::cpu::Implementation& implementation, std::vector<void*> buffers,
                       std::vector<std::uint32_t> scalars, double work);

}  // namespace bench
