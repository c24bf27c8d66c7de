// SPDX-License-Identifier: MIT
#include "probe/core/result.h"

namespace probe {

std::string Describe(const Error& error) {
  std::string out;
  const auto append = [&out](const std::string& part, const char* separator) {
    if (part.empty()) return;
    if (!out.empty()) out += separator;
    out += part;
  };
  append(error.call, "");
  append(error.name, ": ");
  if (error.code) append("(" + std::to_string(*error.code) + ")", " ");
  append(error.text, ": ");
  return out;
}

}  // namespace probe
