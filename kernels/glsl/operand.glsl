// SPDX-License-Identifier: MIT
// The operands of kernels/operand.h, bit for bit.
uint Mix32(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

uint OperandBits(uint seed, uint index) { return Mix32(index ^ Mix32(seed)); }

// The top bits as a signed integer in [-2^(bits-1), 2^(bits-1)).
int OperandInteger(uint seed, uint index, int bits) { return int(OperandBits(seed, index)) >> (32 - bits); }
