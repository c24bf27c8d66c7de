// SPDX-License-Identifier: MIT
// For systems whose programs name no versions of a C library's symbols.
#include "report/cli/elf_requirements.h"

namespace report {

std::optional<std::string> NewestGlibcNeeded() { return std::nullopt; }

}  // namespace report
