// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "kernels/cpu/isa_limit.h"

namespace kernels::cpu {

const char* TrustedVariable(const char* name) { return secure_getenv(name); }

}  // namespace kernels::cpu
