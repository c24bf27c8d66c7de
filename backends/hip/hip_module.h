// SPDX-License-Identifier: MIT
// Compiles sources for one target by hiprtc, loads what came out on the current device, and keeps it. Runs
// nothing. Compiling may abort the process: who asks for it has said so before.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

class ModuleCache {
 public:
  // `target` as the compiler takes it: "gfx942:sramecc+:xnack-".
  ModuleCache(const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, std::string target)
      : api_(api), compiler_(std::move(compiler)), target_(std::move(target)) {}

  // One compilation a text; a failed one is not repeated. `source` outlives the cache and ends in a zero
  // beyond its size. The error's text ends with the last lines of the compiler's log; without a compiler it
  // is the reason for that.
  [[nodiscard]] probe::Result<probe::hip::HipModule> Get(std::string_view source);

 private:
  [[nodiscard]] probe::Result<std::string> Compile(const char* source) const;
  [[nodiscard]] probe::Result<probe::hip::HipModule> Load(const char* source) const;

  const probe::hip::Api& api_;
  probe::Result<probe::hip::Compiler> compiler_;
  std::string target_;
  std::map<const char*, probe::Result<probe::hip::HipModule>> loaded_;
};

}  // namespace backends::hip
