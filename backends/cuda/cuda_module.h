// SPDX-License-Identifier: MIT
// Loads PTX on the current context and keeps what was loaded. Runs nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "probe/cuda/cuda_api.h"

namespace backends::cuda {

class ModuleCache {
 public:
  explicit ModuleCache(const probe::cuda::Api& api) : api_(api) {}

  // One load a text; a failed one is not repeated. `ptx` outlives the cache and ends in a zero beyond its
  // size. The error's text ends with the last lines of the driver's compiler.
  [[nodiscard]] probe::Result<probe::cuda::CuModule> Get(std::string_view ptx);

 private:
  [[nodiscard]] probe::Result<probe::cuda::CuModule> Load(std::string_view ptx) const;

  const probe::cuda::Api& api_;
  std::map<const char*, probe::Result<probe::cuda::CuModule>> loaded_;
};

}  // namespace backends::cuda
