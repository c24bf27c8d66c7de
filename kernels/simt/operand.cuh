// SPDX-License-Identifier: MIT
// The hash of kernels/operand.h.
#pragma once

DEVICE unsigned Mix32(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

// The top bits as a signed integer.
DEVICE int Signed(unsigned bits, int width) { return static_cast<int>(bits) >> (32 - width); }
