// SPDX-License-Identifier: MIT
// ONEAPI_DEVICE_SELECTOR, by which SYCL's programs are shown some of a machine's devices alone: what it
// leaves of one. Read as DPC++ does (intel/llvm, sycl/doc/EnvironmentVariables.md,
// sycl/source/detail/device_filter.cpp and platform_impl.cpp) and before it the Unified Runtime's loader,
// which leaves out whole backends (ur_adapter_registry.hpp). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"

namespace probe::intel {

inline constexpr std::string_view kSelector = "ONEAPI_DEVICE_SELECTOR";

class Selector {
 public:
  // nullopt of a malformed one, an empty one included: programs that ask for devices fail with it.
  [[nodiscard]] static std::optional<Selector> Parse(std::string_view text);

  // How many devices of a program this one is: 0 where it is hidden, 1 where it is left, and as many as tiles
  // of it are named (its fact "tiles" says how many it has). `number`: among all devices of the backend,
  // "level_zero" or "opencl".
  [[nodiscard]] std::uint32_t Count(const RuntimeDevice& device, std::string_view backend,
                                    std::uint32_t number) const;

 private:
  // "0.1" of "level_zero:0.1".
  struct Target {
    bool discards = false;
    std::string backend, word;  // "*": any; without a word it is of a number
    int number = 0;
    bool has_tile = false, is_below_tile = false;
    std::optional<int> tile;                     // nullopt: all
    bool is_numbered = false, is_known = false;  // to the loader: it begins with a digit or "*", or is a word
  };
  [[nodiscard]] static std::optional<Target> ParseTarget(std::string_view text);
  [[nodiscard]] bool AddTerm(std::string_view term);
  [[nodiscard]] bool IsLoaded(std::string_view backend) const;

  std::vector<Target> targets_;
  bool is_read_by_loader_ = true;
};

}  // namespace probe::intel
