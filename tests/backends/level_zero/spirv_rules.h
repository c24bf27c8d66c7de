// SPDX-License-Identifier: MIT
// What the runtimes that take our modules of SPIR-V must do on the fakes of Intel's GPUs, beside the rules of
// every session (tests/backends/core/session_rules.h). Included by one test of each.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/backends/core/session_rules.h"
#include "tests/backends/core/verified_kernels.h"
#include "tests/backends/level_zero/machine.h"

namespace tests {

struct SpirvRuntime {
  backends::Backend backend;
  // What `body` returned with the first of these GPUs open (ZeGpu); `more` is of the driver's scenario.
  std::function<std::string(const std::string& gpus, std::string_view more, const SessionBody& body,
                            const DeviceChange& change)>
      with;
  std::vector<std::string> makers;  // the calls that make something, as the fake's gives_nothing counts them
  std::string build_failure;        // the name of the compiler's error
};
inline void PrintTo(const SpirvRuntime& runtime, std::ostream* out) { *out << runtime.backend.runtime; }

class SpirvSession : public testing::TestWithParam<SpirvRuntime> {
 protected:
  [[nodiscard]] static std::string With(const std::string& gpus, const SessionBody& body,
                                        std::string_view more = "", const DeviceChange& change = nullptr) {
    return GetParam().with(gpus, more, body, change);
  }
  [[nodiscard]] static probe::Result<backends::KernelId> LoadFill(backends::Session& session) {
    return LoadFirst(GetParam().backend, session, kernels::Kernel::kFill);
  }
};

// A success that makes nothing, of each call that makes something.
TEST_P(SpirvSession, NamesTheCallThatMadeNothing) {
  const auto& makers = GetParam().makers;
  ASSERT_FALSE(makers.empty());
  for (std::size_t i = 0; i < makers.size(); ++i) {
    const auto use_all = [](backends::Session& session) -> std::string {
      const auto host = session.AllocateHost(4096);
      if (!host) return Say(host);
      const auto x = session.Allocate({4096, {}});
      if (!x) return Say(x);
      const auto fill = LoadFill(session);
      return fill ? Say(session.Upload(*x, 0, host->bytes)) : Say(fill);
    };
    const auto said =
        With(ZeGpu(3, 1255), use_all, fmt::format(R"(, "attributes": {{"gives_nothing": {}}})", i + 1));
    EXPECT_THAT(said, testing::HasSubstr(makers[i]));
    EXPECT_THAT(said, testing::HasSubstr("gives none"));
  }
}

TEST_P(SpirvSession, HandsOnTheCompilersLog) {
  const auto said = With(ZeGpu(3, 1255, R"(, "build_fails": 1)"),
                         [](backends::Session& session) { return Say(LoadFill(session)); });
  EXPECT_THAT(said, testing::HasSubstr(GetParam().build_failure));
  EXPECT_THAT(said, testing::HasSubstr("undefined reference"));
}

TEST_P(SpirvSession, OpensNoOtherDeviceInItsPlace) {
  const auto open = [](backends::Session&) { return std::string("open"); };
  EXPECT_EQ(With(ZeGpu(3, 1255), open), "open");
  EXPECT_THAT(With(ZeGpu(3, 1255), open, "", [](auto& device) { device.identity.pci->bus = 9; }),
              testing::HasSubstr("is not among the devices now"));
}

// Every kernel that the backend offers.
class SpirvKernels : public SpirvSession {
 protected:
  [[nodiscard]] static std::string VerifyAllOn(const std::string& gpu) {
    return With(gpu, [](backends::Session& session) { return VerifyAll(GetParam().backend, session); });
  }
};

TEST_P(SpirvKernels, AreRightOnACardWithMatrixUnits) {
  EXPECT_EQ(VerifyAllOn(ZeGpu(3, 1255)), "all right, 3 by matrix units");
}

TEST_P(SpirvKernels, AreRightWithSubgroupsOfSixteen) {
  EXPECT_EQ(VerifyAllOn(ZeGpu(3, 2001)), "all right, 3 by matrix units");
}

TEST_P(SpirvKernels, AreRightOnGraphicsOfAProcessor) {
  EXPECT_EQ(VerifyAllOn(ZeGpu(3, 1203, "", R"(, "type": "integrated")")), "all right, 0 by matrix units");
}

TEST_P(SpirvKernels, AreFoundWrongWhereTheDeviceLies) {
  EXPECT_THAT(VerifyAllOn(ZeGpu(3, 1255, "", R"(, "results": "garbage")")),
              testing::HasSubstr("own:coalesced read_u32: wrong"));
}

}  // namespace tests
