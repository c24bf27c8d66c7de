// SPDX-License-Identifier: MIT
// WHICHGPU_CPU_ISA: no kernel uses more of the processor than the named set of instructions, as
// OPENBLAS_CORETYPE and ONEDNN_MAX_CPU_ISA bound those libraries. What the processor has is asked in
// detect_*.cpp.
#pragma once

#include <string_view>

namespace kernels::cpu {

// Whether the variable allows an Implementation::isa. Without the variable, or with a name that is not among
// those below, everything is allowed. Each allows those before it:
// x86-64: generic sse4 avx2 avx_vnni avx512 avx512_vnni (with avx512_bf16) amx; Arm: neon
// neon_dotprod sve.
[[nodiscard]] bool IsAllowed(std::string_view isa);

// A variable of the environment; nullptr where it is unset, and for a program with more rights than its user
// has, each system in its way.
[[nodiscard]] const char* TrustedVariable(const char* name);

}  // namespace kernels::cpu
