// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include "kernels/cpu/isa_limit.h"

namespace kernels::cpu {

const char* TrustedVariable(const char* name) { return issetugid() == 0 ? getenv(name) : nullptr; }

}  // namespace kernels::cpu
