// SPDX-License-Identifier: MIT
// Products of oneDNN on its fake: each type verified, the builds of it that compute nothing here told apart,
// and what fails said by the library's own words.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/backends/core/compute.h"
#include "tests/backends/level_zero/machine.h"

namespace {

using backends::Session;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using tests::ZeGpu;
using tests::ZeMachine;

// `attribute` is one of tests/fakes/level_zero/onednn.cpp.
class OneDnnMachine : public ZeMachine {
 public:
  explicit OneDnnMachine(std::string_view attribute = "drivers", int value = 1,
                         const std::string& library = FAKE_ONEDNN_LIBRARY)
      : ZeMachine(ZeGpu(3, 1255), fmt::format(R"(, "attributes": {{"{}": {}}})", attribute, value)) {
    WithLibrary("libdnnl.so.3", library);
  }
};

std::string Compute(Session& session, const kernels::Variant& variant) {
  return tests::Compute(session, backends::level_zero::Describe().variants(session.limits()), variant);
}
std::string ComputeOn(const ZeMachine& machine, const kernels::Variant& variant) {
  return machine.With([&](Session& session) { return Compute(session, variant); });
}
// What comes of its first product, which is in fp32.
std::string FirstOn(const ZeMachine& machine) { return ComputeOn(machine, machine.Libraries().front()); }

TEST(OneDnn, ComputesEveryType) {
  const OneDnnMachine machine;
  const auto variants = machine.Libraries();
  ASSERT_EQ(variants.size(), 4U);
  for (const auto& variant : variants)
    EXPECT_EQ(ComputeOn(machine, variant), "right") << variant.steps[0].entry;
}

TEST(OneDnn, IsNotAskedForWhereItIsNotInstalled) {
  EXPECT_TRUE(ZeMachine(ZeGpu(3, 1255)).Libraries().empty());
}

TEST(OneDnn, OfAnotherBuildIsNoFaultAndSaysWhichOneIsWanted) {
  EXPECT_THAT(FirstOn(OneDnnMachine("onednn_runtime", 0)),
              AllOf(StartsWith("dnnl_version: unimplemented: /"),
                    HasSubstr("oneDNN 3.13.2, is built for processors alone: one that is built with "
                              "ONEDNN_GPU_RUNTIME=ZE has products for this device")));
  EXPECT_THAT(FirstOn(OneDnnMachine("onednn_runtime", 512)), HasSubstr("reaches GPUs by another runtime"));
}

TEST(OneDnn, ThatDoesNotLoadIsNoFaultAndSaysWhy) {
  probe::system::TemporaryTree tree;
  const auto text = tree.Write("/text", "libdnnl lives elsewhere\n", 0755);
  EXPECT_THAT(FirstOn(OneDnnMachine("drivers", 1, text)),
              AllOf(HasSubstr("unimplemented"), HasSubstr("too short")));
}

TEST(OneDnn, ThatIsAnotherLibraryIsNotCalled) {
  EXPECT_THAT(FirstOn(OneDnnMachine("drivers", 1, FAKE_LEVEL_ZERO_OLD_LIBRARY)),
              AllOf(HasSubstr("missing_symbol"), HasSubstr("is not oneDNN")));
}

TEST(OneDnn, NamesTheCallThatFails) {
  EXPECT_EQ(FirstOn(OneDnnMachine("onednn_engine", 5)),
            "dnnl_ze_interop_engine_create: dnnl_runtime_error (5)");
  EXPECT_EQ(
      FirstOn(OneDnnMachine("onednn_engine", 2)),
      "dnnl_ze_interop_engine_create: unimplemented (2): oneDNN does not know this device: it serves those "
      "of the first driver");
  EXPECT_EQ(FirstOn(OneDnnMachine("onednn_wait", 1)), "dnnl_stream_wait: dnnl_out_of_memory (1)");
  EXPECT_EQ(
      FirstOn(OneDnnMachine("onednn_lacks", 3)),
      "dnnl_matmul_primitive_desc_create: unimplemented (3): oneDNN has no such product for this device");
}

TEST(OneDnn, WithoutOneTypeHasTheOthers) {
  const OneDnnMachine machine("onednn_lacks", 3);
  EXPECT_EQ(ComputeOn(machine, machine.Libraries().back()), "right");
}

TEST(OneDnn, ThatComputesWrongIsFoundOut) {
  EXPECT_THAT(FirstOn(OneDnnMachine("onednn_wrong")), StartsWith("wrong: "));
}

TEST(OneDnn, ThatFailsLeavesTheKernelsAsTheyWere) {
  const OneDnnMachine machine("onednn_wait", 5);
  const auto library = machine.Libraries().front();
  EXPECT_EQ(machine.With([&](Session& session) -> std::string {
    const auto own = backends::level_zero::Describe().variants(session.limits());
    const auto gemm = std::find_if(own.begin(), own.end(), [&](const kernels::Variant& variant) {
      return variant.kernel == kernels::Kernel::kGemm && variant.in == library.in;
    });
    return Compute(session, library) + ", " + Compute(session, *gemm);
  }),
            "dnnl_stream_wait: dnnl_runtime_error (5), right");
}

// A library keeps its events to itself; each launch has operands of its own.
TEST(OneDnn, IsTimedByTheHostAndComputesEveryLaunch) {
  const OneDnnMachine machine;
  const auto variant = machine.Libraries().front();
  EXPECT_EQ(machine.With([&](Session& session) -> std::string {
    const auto own = backends::level_zero::Describe().variants(session.limits());
    backends::OperandWriter writer(session, own);
    const auto loaded = backends::Load(session, variant);
    auto workload = backends::Workload::Create(session, writer, *loaded,
                                               {.problem = tests::SmallProblem(variant), .copies = 2});
    if (!workload || !workload->Prepare(7, 0)) return "not ready";
    const auto timing = workload->Run(3);
    if (!timing) return tests::Say(timing);
    const auto verdict = workload->Verify();
    if (!verdict || !verdict->right) return "wrong";
    return timing->wall_s > 0 && !timing->device_s ? "by the host" : "by events";
  }),
            "by the host");
}

}  // namespace
