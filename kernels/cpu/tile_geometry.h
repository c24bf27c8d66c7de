// SPDX-License-Identifier: MIT
// Whether the geometry of AMX tiles can be asked for: some code that uses them has to.
#pragma once

namespace kernels::cpu {

// The processor shows AMX, but CPUID leaf 0x1d, which describes its tiles, is empty: some hypervisors hide
// it.
[[nodiscard]] bool HidesTileGeometry();

}  // namespace kernels::cpu
