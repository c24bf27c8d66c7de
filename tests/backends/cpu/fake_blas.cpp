// SPDX-License-Identifier: MIT
// A library with BLAS's product, by cblas.h's name (WHICHGPU_FAKE_CBLAS) or Fortran's
// (WHICHGPU_FAKE_FORTRAN), times WHICHGPU_FAKE_FACTOR; with the factor 0 it dies instead.
#include <cstddef>
#include <cstdlib>

namespace {

constexpr float kFactor = WHICHGPU_FAKE_FACTOR;

// Row-major; any leading dimensions.
[[maybe_unused]] void Multiply(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                               float* c, int ldc) {
  if (kFactor == 0) std::abort();
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float exact = 0;
      for (int p = 0; p < k; ++p) exact += a[std::ptrdiff_t{i} * lda + p] * b[std::ptrdiff_t{p} * ldb + j];
      c[std::ptrdiff_t{i} * ldc + j] = kFactor * exact;
    }
  }
}

}  // namespace

#ifdef WHICHGPU_FAKE_CBLAS
extern "C" [[gnu::visibility("default")]] void cblas_sgemm(int order, int transpose_a, int transpose_b, int m,
                                                           int n, int k, float, const float* a, int lda,
                                                           const float* b, int ldb, float, float* c,
                                                           int ldc) {
  if (order != 101 || transpose_a != 111 || transpose_b != 111) std::abort();
  Multiply(m, n, k, a, lda, b, ldb, c, ldc);
}
#endif
#ifdef WHICHGPU_FAKE_FORTRAN
// Column-major, which is the row-major product of the transposed matrices in turn.
extern "C" [[gnu::visibility("default")]] void sgemm_(const char* transpose_a, const char* transpose_b,
                                                      const int* m, const int* n, const int* k, const float*,
                                                      const float* a, const int* lda, const float* b,
                                                      const int* ldb, const float*, float* c,
                                                      const int* ldc) {
  if (*transpose_a != 'N' || *transpose_b != 'N') std::abort();
  Multiply(*n, *m, *k, b, *ldb, a, *lda, c, *ldc);
}
#endif
