// SPDX-License-Identifier: MIT
// What every session with a device must do, whatever its runtime. Included by one test of each backend, which
// says by INSTANTIATE_TEST_SUITE_P how its device is opened: SessionRules of any device, FaultRules of a fake
// that does what a scenario says (tests/fakes/common/scenario.h).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "backends/core/backend.h"
#include "kernels/operand.h"
#include "tests/backends/core/open_device.h"

namespace tests {

struct RuledDevice {
  std::string name;  // of the test's parameter
  backends::Backend backend;
  // What `body` returned with the device open; `keys` are more of it in its scenario: R"(, "key": 1)".
  std::function<std::string(const SessionBody& body, std::string_view keys)> with;
  bool computes = true;          // some fakes do not
  bool counts_arguments = true;  // and refuses more than a kernel has
  bool pins_memory = true;       // of the host's
};
inline void PrintTo(const RuledDevice& device, std::ostream* out) { *out << device.name; }
inline std::string NameOf(const testing::TestParamInfo<RuledDevice>& info) { return info.param.name; }

// The backend's first kernel of that sort on words, as one of the name "culprit" of which times are taken.
[[nodiscard]] inline probe::Result<backends::KernelId> LoadFirst(const backends::Backend& backend,
                                                                 backends::Session& session,
                                                                 kernels::Kernel kernel) {
  for (const auto& variant : backend.variants(session.limits())) {
    if (variant.kernel != kernel || variant.in != kernels::Dtype::kU32) continue;
    const auto& step = variant.steps.front();
    return session.Load(kernels::Own("culprit", kernels::Kernel::kRead, variant.in, variant.acc, step), step);
  }
  throw std::runtime_error("no such kernel");
}

// Whether the session itself refuses it, in these words: a driver that would do so, too, is not asked.
template <class T>
[[nodiscard]] bool IsRefused(const probe::Result<T>& result, std::string_view words) {
  return !result && result.error().name == "out of range" && result.error().text == words;
}
inline constexpr std::string_view kBeyond = "beyond the buffer", kNoBuffer = "no such buffer";

class SessionRules : public testing::TestWithParam<RuledDevice> {
 protected:
  [[nodiscard]] static std::string With(const SessionBody& body, std::string_view keys = "") {
    return GetParam().with(body, keys);
  }
  [[nodiscard]] static probe::Result<backends::KernelId> Load(backends::Session& session,
                                                              kernels::Kernel kernel) {
    return LoadFirst(GetParam().backend, session, kernel);
  }
  // 1024 words of the operand with that seed.
  [[nodiscard]] static backends::Launch Fill(backends::KernelId kernel, backends::BufferId to,
                                             std::uint32_t seed) {
    return {kernel, {{to}}, {{1, 1, 1}, {256, 1, 1}, {1024, seed}}};
  }
};

TEST_P(SessionRules, TransfersPartsAndNothingBeyond) {
  EXPECT_EQ(With([](backends::Session& session) -> std::string {
              const std::array<std::uint32_t, 4> words = {1, 2, 3, 4};
              const auto x = session.Allocate({16, {}});
              if (!x || !session.Upload(*x, 0, std::as_bytes(std::span(words)))) return "upload";
              std::array<std::uint32_t, 2> part{};
              const auto bytes = std::as_writable_bytes(std::span(part));
              if (!session.Download(*x, 4, bytes) || part != std::array<std::uint32_t, 2>{2, 3})
                return "part";
              for (const std::uint64_t offset : {std::uint64_t{12}, std::uint64_t{17}, UINT64_MAX}) {
                if (!IsRefused(session.Download(*x, offset, bytes), kBeyond)) return "read beyond";
                if (!IsRefused(session.Upload(*x, offset, bytes), kBeyond)) return "written beyond";
              }
              if (!IsRefused(session.Upload(backends::BufferId{99}, 0, bytes), kNoBuffer))
                return "no such buffer";
              if (session.Allocate({0, {}}) || session.Allocate({UINT64_MAX, {}}) ||
                  session.Allocate({session.limits().max_buffer_bytes + 1, {}}))
                return "sizes";
              session.Release(*x);
              session.Release(*x);
              if (!IsRefused(session.Download(*x, 0, bytes), kNoBuffer)) return "read after release";
              if (!IsRefused(session.Upload(*x, 0, bytes), kNoBuffer)) return "written after release";
              return "ok";
            }),
            "ok");
}

TEST_P(SessionRules, CopiesFromAndToMemoryOfTheHosts) {
  EXPECT_EQ(With([](backends::Session& session) -> std::string {
              const auto pinned = session.AllocateHost(8192);
              if (!GetParam().pins_memory) return pinned ? "pins memory" : pinned.error().name;
              const auto x = session.Allocate({8192, {}});
              if (!pinned || !x) return Say(pinned);
              if (pinned->bytes.size() != 8192) return "another size";
              const auto out = pinned->bytes.first(4096), back = pinned->bytes.last(4096);
              for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i * 7 + 1);
              std::fill(back.begin(), back.end(), std::byte{});
              if (!session.Upload(*x, 100, out) || !session.Download(*x, 100, back)) return "no copies";
              return std::equal(out.begin(), out.end(), back.begin()) ? "ok" : "other bytes";
            }),
            GetParam().pins_memory ? "ok" : "no such memory");
}

// One launch, several, and more than any runtime is handed at once.
TEST_P(SessionRules, RunsLaunchesInOrderAndTimesThem) {
  EXPECT_EQ(With([](backends::Session& session) -> std::string {
              const auto x = session.Allocate({4096, {}});
              const auto fill = Load(session, kernels::Kernel::kFill);
              if (!x || !fill) return Say(fill);
              const std::array launches = {Fill(*fill, *x, 1), Fill(*fill, *x, 2)};
              for (const std::uint32_t repeats : {1U, 2U, 300U}) {
                const auto timing = session.Run(launches, repeats);
                if (!timing) return Say(timing);
                if (!(timing->wall_s > 0) || !(timing->device_s.value_or(0) > 0)) return "no time";
                if (*timing->device_s > timing->wall_s) return "longer than the clock says";
              }
              std::uint32_t first = 0;
              if (!session.Download(*x, 0, std::as_writable_bytes(std::span(&first, 1)))) return "download";
              return !GetParam().computes || first == kernels::OperandBits(2, 0) ? "ok" : "order";
            }),
            "ok");
}

TEST_P(SessionRules, RefusesImpossibleLaunches) {
  EXPECT_EQ(With([](backends::Session& session) -> std::string {
              const auto x = session.Allocate({4096, {}}), released = session.Allocate({4096, {}});
              const auto fill = Load(session, kernels::Kernel::kFill);
              if (!x || !released || !fill) return Say(fill);
              session.Release(*released);
              const auto run = [&](const backends::Launch& launch) { return session.Run({&launch, 1}, 1); };
              auto launch = Fill(*fill, *x, 1);
              launch.shape.local[0] = 2 * session.limits().shape.max_work_group_size;
              if (run(launch)) return "a group too large";
              launch = Fill(*fill, *x, 1);
              launch.shape.scalars.push_back(1);
              if (GetParam().counts_arguments && run(launch)) return "too many arguments";
              if (!IsRefused(run(Fill(*fill, backends::BufferId{99}, 1)), kNoBuffer)) return "no such buffer";
              if (!IsRefused(run(Fill(*fill, *released, 1)), kNoBuffer)) return "a released buffer";
              if (!IsRefused(run(Fill(backends::KernelId{99}, *x, 1)), "no such kernel"))
                return "no such kernel";
              if (session.BroughtDownBy() != nullptr) return "said to be down";
              return run(Fill(*fill, *x, 1)) ? "ok" : "unusable after errors";
            }),
            "ok");
}

class FaultRules : public SessionRules {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultRules);

TEST_P(FaultRules, KnowsTheKernelThatEndedTheContext) {
  const auto body = [](backends::Session& session) -> std::string {
    const auto x = session.Allocate({4096, {}});
    const auto fill = Load(session, kernels::Kernel::kFill), read = Load(session, kernels::Kernel::kRead);
    if (!x || !fill || !read) return Say(read);
    const auto fills = Fill(*fill, *x, 1);
    const backends::Launch reads{*read, {{*x}, {*x}}, {{1, 1, 1}, {256, 1, 1}, {4}}};
    if (!session.Run({&fills, 1}, 1) || session.BroughtDownBy() != nullptr) return "down too early";
    if (session.Run({&reads, 1}, 1)) return "not down";
    if (session.Run({&fills, 1}, 1)) return "works in a context that ended";
    return session.BroughtDownBy() == nullptr ? "by nobody" : session.BroughtDownBy()->name;
  };
  EXPECT_EQ(With(body, R"(, "faulting_kernels": "read_")"), "culprit");
}

TEST_P(FaultRules, LacksMemoryByANameThatTheBackendTells) {
  const auto body = [](backends::Session& session) {
    const auto x = session.Allocate({8192, {}});
    return x ? "there is memory" : x.error().name;
  };
  const auto& names = GetParam().backend.memory_errors;
  EXPECT_THAT(std::vector(names.begin(), names.end()),
              testing::Contains(With(body, R"(, "allocation_limit_bytes": 4096)")));
}

}  // namespace tests
