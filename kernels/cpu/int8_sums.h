// SPDX-License-Identifier: MIT
// How other people's code adds up products of int8 numbers here: what its results are worth depends on it.
#pragma once

namespace kernels::cpu {

// In 32 bits. x86 processors without VNNI have no instruction for that: libraries add two products in 16 bits
// there (VPMADDUBSW), which saturates.
[[nodiscard]] bool AddsInt8In32Bits();

}  // namespace kernels::cpu
