// SPDX-License-Identifier: MIT
// Products of the vendor's library on its fake: each type verified, and what is wrong with a launch found
// out.
#include <gmock/gmock.h>

#include "backends/cuda/cuda_runtime.h"
#include "kernels/cuda/variants.h"
#include "tests/backends/cuda/compute.h"
#include "tests/backends/cuda/opened.h"

namespace {

using tests::Compute;
using tests::CudaMachine;
using tests::WithSession;

std::vector<kernels::Variant> Variants() {
  return backends::stream::ProductVariants("cublaslt", backends::cuda::CublasLt().types);
}

TEST(CublasLt, ComputesEveryTypeByAnAlgorithmThatRuns) {
  const CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90)));
  for (const auto& variant : Variants()) {
    EXPECT_EQ(WithSession(machine,
                          [&](backends::Session& session) {
                            const std::string missing = backends::MissingFeature(variant, session.limits());
                            return missing.empty() ? Compute(session, kernels::cuda::Variants(), variant)
                                                   : missing;
                          }),
              "right")
        << variant.steps[0].entry;
  }
}

TEST(CublasLt, NamesTheCallThatItsLibraryRefuses) {
  for (const auto& [attribute, call] :
       {std::pair("cublaslt_no_operation", "cublasLtMatmulDescCreate"),
        std::pair("cublaslt_no_preference", "cublasLtMatmulPreferenceCreate")}) {
    const CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90),
                                                  fmt::format(R"(, "attributes": {{"{}": 1}})", attribute)));
    EXPECT_EQ(WithSession(machine,
                          [](backends::Session& session) {
                            return Compute(session, kernels::cuda::Variants(), Variants().front());
                          }),
              std::string(call) + ": CUBLAS_STATUS_NOT_SUPPORTED (15)");
  }
}

TEST(CublasLt, WithSwappedOperandsIsFoundOut) {
  const CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90)));
  auto variant = Variants().front();
  std::swap(variant.steps[0].bindings[0], variant.steps[0].bindings[1]);
  EXPECT_NE(WithSession(machine,
                        [&](backends::Session& session) {
                          return Compute(session, kernels::cuda::Variants(), variant);
                        }),
            "right");
}

}  // namespace
