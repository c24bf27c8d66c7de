// SPDX-License-Identifier: MIT
// Loops under OpenMP, STREAM-style, as a user would compile them for this machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

[[nodiscard]] std::uint32_t OpenMpRead(const std::uint32_t* in, std::size_t count);
// out = a + factor * b, with ordinary stores or past the caches (which have to be aligned to 64 bytes).
void OpenMpTriad(const float* a, const float* b, float* out, float factor, std::size_t count);
void OpenMpTriadStreaming(const float* a, const float* b, float* out, float factor, std::size_t count);
// bf16 numbers, the upper halves of fp32 ones, to fp32.
void OpenMpWiden(const std::uint16_t* in, float* out, std::size_t count);

}  // namespace bench
