// SPDX-License-Identifier: MIT
#include "probe/system/this_process.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "probe/core/text.h"

namespace probe::system {

void SetProcessVariable(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    setenv(name.c_str(), value->c_str(), 1);
  } else {
    unsetenv(name.c_str());
  }
}

std::optional<std::string> FileOfAddress(const void* address) {
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return std::nullopt;
  return info.dli_fname;
}

std::optional<std::string> WhyNotLoadable(const std::string& library) {
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return std::nullopt;
  const char* reason = dlerror();
  return CleanText(reason != nullptr ? reason : library);
}

}  // namespace probe::system
