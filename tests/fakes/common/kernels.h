// SPDX-License-Identifier: MIT
// What the kernels of CUDA, HIP and Metal compute, from the arguments of a launch alone. Knows no driver.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fakes {

// How a chain of matrix instructions is laid out: lanes of a wave (or warp), accumulators of one, and how
// many bytes of k an instruction, or a step of several, goes.
struct MatrixUnit {
  std::uint32_t lanes = 32;
  std::uint32_t accumulators = 1024;
  std::uint32_t step_bytes = 32;
  bool operator==(const MatrixUnit&) const = default;
};

// A matrix as a kernel's copies are told of it: boxes of box_rows x 128 bytes.
struct MappedMatrix {
  std::uint64_t rows, row_bytes;
  std::uint32_t box_rows;
  bool operator==(const MappedMatrix&) const = default;
};

struct KernelLaunch {
  std::string_view entry;
  unsigned int grid[3];
  unsigned int block[3];
  std::vector<std::uint64_t> values{};  // of the parameters, zero-extended; of a mapped matrix its address
  MatrixUnit unit{};
  std::vector<MappedMatrix> maps{};  // in the order of the parameters
};

enum class Computed {
  kDone,
  kRefused,     // a kernel that is not known, or arguments that are not its
  kOutOfBounds  // it would touch memory that is not the device's
};
// Every kernel does as much as its grid reaches, so that a wrong stride, order or size of an argument shows
// in the result. The same launch once more, of memory that nobody touched since, takes the same time and
// leaves the processor to others: what it would write is there. `processor_s`: what it took of one.
[[nodiscard]] Computed Compute(const KernelLaunch& launch, double& processor_s);
[[nodiscard]] Computed Compute(const KernelLaunch& launch);

}  // namespace fakes
