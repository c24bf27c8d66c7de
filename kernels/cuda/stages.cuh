// SPDX-License-Identifier: MIT
// Stages of a product in shared memory that an instruction reads by descriptors, and the order in which they come. A
// tile has rows of 128 bytes of k, each of eight pieces of 16 bytes in the 128-byte swizzle of PTX ISA, "Shared Memory
// Matrix Layout": piece p of row r lies at p ^ (r % 8), eight rows are an atom of 1024 bytes.
#pragma once

namespace {

constexpr unsigned kRowBytes = 128;
constexpr unsigned kPieces = kRowBytes / 16;
constexpr unsigned kAtomBytes = 8 * kRowBytes;
constexpr unsigned kInstructionBytes = 32;  // of k

// A stage, of which there are kStages one after the other, and how often all of them have been gone through (mod 2).
template <unsigned kStages>
struct Ring {
  unsigned stage = 0, parity = 0;
  DEVICE void Next() {
    if (++stage < kStages) return;
    stage = 0;
    parity ^= 1;
  }
};

}  // namespace
