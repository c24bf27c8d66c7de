// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tests/fakes/level_zero/objects.h"

namespace fakes::level_zero {
namespace {

bool HasMatrixUnits(const Slot& slot) {
  const auto release = Get(*slot.gpu, "ip", 1255);
  return release >= 1255 && release != 1261 && release != 1270 && release != 1271;
}

}  // namespace

bool Links(const ModuleCode& code, const Slot& slot) {
  return std::all_of(code.imported.begin(), code.imported.end(), [&](const std::string& name) {
    const bool is_matrix = name.find("matrix_mad") != std::string::npos;
    return name.starts_with("__spirv_BuiltIn") || (is_matrix && HasMatrixUnits(slot));
  });
}

}  // namespace fakes::level_zero
