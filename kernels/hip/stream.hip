// SPDX-License-Identifier: MIT
// What CUDA has too, and the operands that only AMD has.
#include "kernels/simt/stream.cu"

namespace {
// e4m3 of gfx942 has an exponent's bias of 8 instead of 7 and no negative zero.
DEVICE unsigned char Fp8FnuzWord(unsigned bits) {
  const unsigned char word = Fp8Word(bits);
  return static_cast<unsigned char>(word == 0 ? 0 : word + 8);
}
}  // namespace

FILL(fill_fp8_fnuz, unsigned char, Fp8FnuzWord)
