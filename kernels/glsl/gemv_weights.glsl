// SPDX-License-Identifier: MIT
// The product of 16 bytes of weights with the x that they meet. Included where WEIGHTS is FP32, FP16 or Q4 and
// X(i) is four neighbours of x; y = W x with W of m rows and k columns.
#define FP32 1
#define FP16 2
#define Q4 3

#if WEIGHTS == FP32
#define PER_VECTOR 4  // weights in 16 bytes
float Product(uvec4 w, int at) { return dot(uintBitsToFloat(w), X(at)); }
#elif WEIGHTS == FP16
#define PER_VECTOR 8
float Product(uvec4 w, int at) {
  return dot(vec4(unpackHalf2x16(w.x), unpackHalf2x16(w.y)), X(2 * at)) +
         dot(vec4(unpackHalf2x16(w.z), unpackHalf2x16(w.w)), X(2 * at + 1));
}
#else
#define PER_VECTOR 32
// Byte j of a block holds weight j in its low and weight j + 16 in its high half, each 8 more than its value
// (kernels/operand.h).
vec4 Values(uint bytes) {
  return vec4(bytes & 15U, bytes >> 8 & 15U, bytes >> 16 & 15U, bytes >> 24 & 15U) - 8.0;
}
float Product(uvec4 w, int at) {
  vec4 sum = vec4(0.0);
  for (int j = 0; j < 4; ++j) {
    sum = fma(Values(w[j]), X(8 * at + j), sum);
    sum = fma(Values(w[j] >> 4), X(8 * at + 4 + j), sum);
  }
  return sum.x + sum.y + sum.z + sum.w;
}
#endif
