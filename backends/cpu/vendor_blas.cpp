// SPDX-License-Identifier: MIT
// The BLAS interfaces: cblas.h's, else Fortran's. Both with integers of 32 bits (LP64).
#include "backends/cpu/vendor.h"

namespace backends::cpu {
namespace {

using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
using FortranSgemm = void (*)(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                              const int* k, const float* alpha, const float* a, const int* lda,
                              const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

// CblasRowMajor and CblasNoTrans of cblas.h.
constexpr int kRowMajor = 101, kNoTranspose = 111;

struct IntEdges {
  explicit IntEdges(const Product& product)
      : m(static_cast<int>(product.m)), n(static_cast<int>(product.n)), k(static_cast<int>(product.k)) {}
  int m, n, k;
};

void RunCblas(CblasSgemm sgemm, const Product& product) {
  const IntEdges edges(product);
  sgemm(kRowMajor, kNoTranspose, kNoTranspose, edges.m, edges.n, edges.k, 1.0F,
        static_cast<const float*>(product.a), edges.k, static_cast<const float*>(product.b), edges.n, 0.0F,
        static_cast<float*>(product.c), edges.n);
}

// Fortran's matrices are column-major: its C' = B' A' is our C = A B.
void RunFortran(FortranSgemm sgemm, const Product& product) {
  const IntEdges edges(product);
  const float one = 1.0F, zero = 0.0F;
  sgemm("N", "N", &edges.n, &edges.m, &edges.k, &one, static_cast<const float*>(product.b), &edges.n,
        static_cast<const float*>(product.a), &edges.k, &zero, static_cast<float*>(product.c), &edges.n);
}

template <typename Function>
probe::Result<Multiply> Bound(Function function, void (*run)(Function, const Product&)) {
  return Multiply([function, run](const Product& product) -> probe::Status {
    if (product.in != kernels::Dtype::kFp32)
      return probe::Error{"sgemm", std::nullopt, "unsupported", "multiplies fp32 alone"};
    run(function, product);
    return probe::Ok();
  });
}

}  // namespace

probe::Result<Multiply> BindBlas(const probe::system::Library& library) {
  if (const auto cblas = library.Function<CblasSgemm>("cblas_sgemm")) return Bound(cblas, RunCblas);
  if (const auto fortran = library.Function<FortranSgemm>("sgemm_")) return Bound(fortran, RunFortran);
  return probe::Error{"dlsym cblas_sgemm", std::nullopt, "missing symbol",
                      library.info().path.value_or("the library") + " has neither cblas_sgemm nor sgemm_"};
}

}  // namespace backends::cpu
