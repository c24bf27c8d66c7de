// SPDX-License-Identifier: MIT
// Products of the vendor's library on its fake: each type verified, and what is wrong with a launch found
// out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "backends/cuda/cuda_runtime.h"
#include "kernels/cuda/variants.h"
#include "tests/backends/core/compute.h"
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
  for (const auto& [attribute, said] :
       {std::pair(
            "cublaslt_no_operation",
            "cublasLtMatmulDescCreate: unimplemented (15): cuBLASLt has no such product for this device"),
        std::pair("cublaslt_no_preference",
                  "cublasLtMatmulPreferenceCreate: CUBLAS_STATUS_NOT_SUPPORTED (15)")}) {
    const CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90),
                                                  fmt::format(R"(, "attributes": {{"{}": 1}})", attribute)));
    EXPECT_EQ(WithSession(machine,
                          [](backends::Session& session) {
                            return Compute(session, kernels::cuda::Variants(), Variants().front());
                          }),
              said);
  }
}

TEST(CublasLt, OfEightBitsIsAskedForFastAccumulation) {
  const CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90),
                                                R"(, "attributes": {"cublaslt_fast_alone": 1})"));
  EXPECT_EQ(WithSession(machine,
                        [](backends::Session& session) {
                          return Compute(session, kernels::cuda::Variants(), Variants().back());
                        }),
            "right");
}

TEST(CublasLt, FindsTheDriverByNameThoughAStubComesFirst) {
  CudaMachine machine(tests::machines::Of(tests::machines::Gpu("H100", 1, 90)));
  machine.Before("/stubs", "libcuda.so.1", R"({"misbehave": [{"at": "init", "do": "error", "code": 34}]})");
  EXPECT_EQ(WithSession(machine,
                        [](backends::Session& session) {
                          return Compute(session, kernels::cuda::Variants(), Variants().front());
                        }),
            "right");
}

// What comes of its first product where those are installed under its names.
std::string FirstOf(int driver_cuda, bool broken_13, bool has_12) {
  CudaMachine machine(
      tests::machines::Of(tests::machines::Gpu("H100", 1, 90),
                          fmt::format(R"(, "attributes": {{"driver_cuda": {}}})", driver_cuda)));
  const auto fake = [&](const char* soname) {
    return std::filesystem::read_symlink(machine.tree().At(std::string("/lib/") + soname)).string();
  };
  if (has_12) machine.Library("libcublasLt.so.12", fake("libcublasLt.so.13"));
  if (broken_13) machine.Library("libcublasLt.so.13", fake("libnccl.so.2"));
  return WithSession(machine, [](backends::Session& session) {
    return Compute(session, kernels::cuda::Variants(), Variants().front());
  });
}

TEST(CublasLt, OfANewerCudaThanTheDriversIsNotTriedAndOneThatFailsNotTheLast) {
  EXPECT_EQ(FirstOf(13000, false, false), "right");
  EXPECT_EQ(FirstOf(13000, true, true), "right") << "by the older one";
  EXPECT_THAT(FirstOf(13000, true, false), testing::HasSubstr("missing_symbol"));
  EXPECT_EQ(FirstOf(12040, false, true), "right");
  EXPECT_THAT(FirstOf(12040, false, false), testing::HasSubstr("libcublasLt.so.12: absent"));
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
