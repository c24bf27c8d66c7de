// SPDX-License-Identifier: MIT
// What about this processor decides whether the code of others computes right on it, or at all
// (detect_*.cpp).
#pragma once

namespace kernels::cpu {

// Products of int8 numbers are added up in 32 bits. x86 processors without VNNI have no instruction for that:
// libraries add two products in 16 bits there (VPMADDUBSW), which saturates.
[[nodiscard]] bool AddsInt8In32Bits();

// The processor shows AMX, but CPUID leaf 0x1d, which describes its tiles, is empty: some hypervisors hide
// it, and some code asks it.
[[nodiscard]] bool HidesTileGeometry();

}  // namespace kernels::cpu
