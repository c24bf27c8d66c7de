// SPDX-License-Identifier: MIT
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "backends/core/runner.h"
#include "backends/core/shape.h"
#include "kernels/metal/variants.h"
#include "kernels/operand.h"
#include "tests/backends/core/compute.h"
#include "tests/backends/core/session_rules.h"
#include "tests/backends/metal/machine.h"

namespace {

using backends::Launch;
using backends::Session;
using kernels::Kernel;
using testing::HasSubstr;
using tests::FaultRules;
using tests::MetalGpu;
using tests::NameOf;
using tests::Say;
using tests::SessionRules;

class MetalMachine : public tests::MetalMachine {
 public:
  explicit MetalMachine(std::string_view gpus, std::string_view more = "")
      : tests::MetalMachine(FAKE_METAL_LIBRARY, gpus, more) {}
};

const kernels::Step& StepOf(std::string_view entry) {
  static const auto all = kernels::metal::Variants();
  for (const auto& variant : all) {
    if (variant.steps[0].entry == entry) return variant.steps[0];
  }
  throw std::runtime_error("no such entry");
}

// Every kernel that the device has, small and checked: what is not right.
std::string Verify(Session& session) {
  const auto all = kernels::metal::Variants();
  std::string wrong;
  for (const auto& variant : all) {
    if (variant.kernel == Kernel::kFill || !backends::MissingFeature(variant, session.limits()).empty())
      continue;
    const std::string what = tests::Compute(session, all, variant);
    if (what != "right") wrong += fmt::format("{}: {}\n", variant.steps[0].entry, what);
  }
  return wrong;
}

tests::RuledDevice WithMemory(const std::string& name, bool unified) {
  return {.name = name,
          .backend = backends::metal::Describe(),
          .with = [unified](const auto& body,
                            auto keys) { return MetalMachine(MetalGpu("", keys, unified)).With(body); },
          .counts_arguments = false,
          .pins_memory = false};
}
const auto kGpus = testing::Values(WithMemory("unified", true), WithMemory("of_its_own", false));
INSTANTIATE_TEST_SUITE_P(Metal, SessionRules, kGpus, NameOf);
INSTANTIATE_TEST_SUITE_P(Metal, FaultRules, kGpus, NameOf);

TEST(MetalSession, SaysWhatTheDeviceAllows) {
  const auto say = [](Session& session) {
    const auto& limits = session.limits();
    return fmt::format("{} {} {} {}", limits.max_buffer_bytes, limits.shape.max_work_group_size,
                       limits.shape.subgroup_width, fmt::join(limits.features, ","));
  };
  EXPECT_EQ(MetalMachine(MetalGpu()).With(say), "536870912 1024 32 simdgroups_of_32,simdgroup_matrix,bfloat");
  EXPECT_EQ(MetalMachine(MetalGpu(), R"(, "attributes": {"macos": 13})").With(say),
            "536870912 1024 32 simdgroups_of_32,simdgroup_matrix");
  EXPECT_EQ(
      MetalMachine(MetalGpu(R"("apple_family": 0, "mac2": 1)", R"(, "max_workgroup_size": 256)")).With(say),
      "536870912 256 1 ");
}

// The working set is what the system recommends, not what is free.
TEST(MetalSession, DoesNotSayWhatIsFree) {
  EXPECT_EQ(MetalMachine(MetalGpu()).With([](Session& session) {
    return std::string(session.limits().memory_free_bytes.has_value() ? "free" : "unknown");
  }),
            "unknown");
}

TEST(MetalSession, WhatNobodyTellsIsNotZero) {
  const auto say = [](Session& session) { return std::to_string(session.limits().max_buffer_bytes); };
  EXPECT_EQ(MetalMachine(MetalGpu(), R"(, "attributes": {"tells_no_sizes": 1})").With(say), "268435456");
  EXPECT_EQ(
      MetalMachine(R"({"name": "Apple M1", "memory_total_bytes": 1048576, "max_buffer_bytes": 0})").With(say),
      "1048576");
}

// Nobody asked the card what it has.
TEST(MetalSession, WhatWasWrittenForOtherGpusSaysSo) {
  const auto say = [](Session& session) {
    std::string said;
    for (const auto& variant : backends::metal::Describe().variants(session.limits()))
      if (variant.kernel == Kernel::kGemv) said = backends::MissingFeature(variant, session.limits());
    return said;
  };
  EXPECT_EQ(MetalMachine(MetalGpu()).With(say), "");
  EXPECT_THAT(MetalMachine(MetalGpu(R"("apple_family": 0, "mac2": 1)")).With(say),
              HasSubstr("not written for this GPU"));
}

TEST(MetalSession, ATextThatIsNoneIsAnErrorOfThatKernelAlone) {
  EXPECT_EQ(MetalMachine(MetalGpu()).With([](Session& session) {
    kernels::Step source = StepOf("read_u32"), entry = source;
    source.source = "// SPDX \xff";
    entry.entry = "read\xff";
    return Say(session.Load({}, source)) + "; " + Say(session.Load({}, entry)) + "; " +
           Say(session.Load({}, StepOf("read_u32")));
  }),
            "stringWithUTF8String:: no string: Foundation makes none of a text; "
            "stringWithUTF8String:: no string: Foundation makes none of a text; ok");
}

TEST(MetalSession, EveryKernelIsRightInEitherMemory) {
  for (const bool unified : {true, false})
    EXPECT_EQ(MetalMachine(MetalGpu("", "", unified)).With(Verify), "") << unified;
}

TEST(MetalSession, EveryKernelOfAnOlderSystemOrCardIsRight) {
  EXPECT_EQ(MetalMachine(MetalGpu(), R"(, "attributes": {"macos": 13})").With(Verify), "");
  EXPECT_EQ(MetalMachine(MetalGpu(R"("apple_family": 0, "mac2": 1)", "", false)).With(Verify), "");
}

TEST(MetalSession, AWrongResultIsFoundOut) {
  for (const char* results : {"garbage", "nan", "zero"}) {
    const std::string more = fmt::format(R"(, "results": "{}")", results);
    EXPECT_THAT(MetalMachine(MetalGpu("", more)).With([](Session& session) {
      const auto all = kernels::metal::Variants();
      const auto read =
          std::find_if(all.begin(), all.end(), [](const auto& one) { return one.kernel == Kernel::kRead; });
      return tests::Compute(session, all, *read);
    }),
                HasSubstr("wrong: "))
        << results;
  }
}

// More than the buffer that stands between holds.
TEST(MetalSession, TransfersInPartsWhereTheMemoryIsTheGpusAlone) {
  EXPECT_EQ(MetalMachine(MetalGpu("", "", false)).With([](Session& session) -> std::string {
    std::vector<std::uint32_t> words((80U << 20U) / 4);
    for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = kernels::OperandBits(1, i);
    const auto x = session.Allocate({words.size() * 4, {}});
    if (!x) return Say(x);
    if (const auto up = session.Upload(*x, 0, std::as_bytes(std::span(words))); !up) return Say(up);
    std::vector<std::uint32_t> back(words.size());
    if (const auto down = session.Download(*x, 0, std::as_writable_bytes(std::span(back))); !down)
      return Say(down);
    return back == words ? "ok" : "other words";
  }),
            "ok");
}

// What came of a read after a fill, and who is said to have ended the queue.
std::string ReadAfterFill(Session& session) {
  const auto x = session.Allocate({4096, {}});
  const auto fill = session.Load({}, StepOf("fill_u32")),
             read = session.Load(
                 kernels::Own("culprit", Kernel::kRead, kernels::Dtype::kU32, kernels::Dtype::kU32, {}),
                 StepOf("read_u32"));
  if (!x || !fill || !read) return Say(read);
  const Launch fills{*fill, {{*x}}, {{1, 1, 1}, {32, 1, 1}, {1, 1}}};
  const Launch reads{*read, {{*x}, {*x}}, {{1, 1, 1}, {32, 1, 1}, {4}}};
  const auto filled = session.Run({&fills, 1}, 1);
  if (!filled) return "the fill: " + Say(filled);
  if (session.BroughtDownBy() != nullptr) return "down too early";
  std::string said = Say(session.Run({&reads, 1}, 1));
  if (session.BroughtDownBy() == nullptr)
    return said + "; the queue serves on: " + Say(session.Run({&fills, 1}, 1));
  if (session.Run({&fills, 1}, 1)) return "works on a queue that ended";
  return said + "; by " + session.BroughtDownBy()->name;
}

TEST(MetalSession, KnowsTheKernelThatEndedTheQueue) {
  EXPECT_THAT(
      MetalMachine(MetalGpu("", R"(, "faulting_kernels": "read_")")).With(ReadAfterFill),
      testing::AllOf(HasSubstr("MTLCommandBufferErrorPageFault (3)"), testing::EndsWith("; by culprit")));
}

TEST(MetalSession, ADeviceThatIsPulledOutEndsIt) {
  EXPECT_THAT(MetalMachine(MetalGpu("", R"(, "lost_after_launches": 1)")).With(ReadAfterFill),
              HasSubstr("MTLCommandBufferErrorDeviceRemoved (11)"));
}

TEST(MetalSession, ACommandBufferThatFailsIsTold) {
  const MetalMachine machine(MetalGpu(),
                             R"(, "misbehave": [{"at": "launch", "do": "error", "code": 8, "after": 1}])");
  EXPECT_THAT(machine.With(ReadAfterFill), HasSubstr("MTLCommandBufferErrorOutOfMemory (8)"));
  EXPECT_THAT(machine.With(ReadAfterFill), HasSubstr("; the queue serves on")) << "memory may be there later";
  const MetalMachine other(MetalGpu(), R"(, "misbehave": [{"at": "launch", "do": "error", "code": 77}])");
  EXPECT_THAT(other.With(ReadAfterFill), HasSubstr("MTLCommandBufferErrorDomain (77)"))
      << "a code that is new";
}

// The system's watchdog, and what another program's fault takes along, have one code with everything else.
TEST(MetalSession, WhatTheDriverMeansByAnInternalErrorHasItsName) {
  const auto said = [](int reason) {
    return MetalMachine(MetalGpu(), fmt::format(R"(, "attributes": {{"internal_error": {}}}, )"
                                                R"("misbehave": [{{"at": "launch", "do": "error", )"
                                                R"("code": 1, "after": 1}}])",
                                                reason))
        .With(ReadAfterFill);
  };
  EXPECT_THAT(said(0), HasSubstr("MTLCommandBufferErrorInternal (1)"));
  EXPECT_THAT(said(1), HasSubstr("kIOGPUCommandBufferCallbackErrorImpactingInteractivity (1)"));
  EXPECT_THAT(said(2), HasSubstr(": kIOGPUCommandBufferCallbackErrorInnocentVictim (1)"));
  EXPECT_THAT(said(2), HasSubstr("; the queue serves on")) << "the fault was another's";
  EXPECT_THAT(said(3), HasSubstr("MTLCommandBufferErrorInternal (1)"));
}

TEST(MetalSession, AnEntryThatIsNotThereIsAnErrorOfThatKernelAlone) {
  EXPECT_EQ(MetalMachine(MetalGpu()).With([](Session& session) {
    kernels::Step step = StepOf("read_u32");
    step.entry = "none";
    return Say(session.Load({}, step)) + "; " + Say(session.Load({}, StepOf("read_u32")));
  }),
            "newFunctionWithName:: MTLLibraryErrorFunctionNotFound: the library has no none; ok");
}

TEST(MetalSession, RepeatsTheCompilersWords) {
  const MetalMachine machine(MetalGpu(), R"(, "attributes": {"compiler_refuses": 1})");
  const std::string said = machine.With([](Session& session) {
    return Say(session.Load({}, StepOf("read_u32"))) + " again " + Say(session.Load({}, StepOf("copy_u32")));
  });
  EXPECT_THAT(
      said, HasSubstr("MTLLibraryErrorCompileFailure (3): program_source:1:1: error: the compiler refuses"));
  EXPECT_THAT(said, HasSubstr(" again newLibraryWithSource"))
      << "what failed once is not tried again, and is told again";
}

TEST(MetalSession, WithoutAQueueIsNotOpen) {
  EXPECT_EQ(MetalMachine(MetalGpu(), R"(, "misbehave": [{"at": "create", "do": "error", "code": 1}])")
                .With([](Session&) { return std::string("open"); }),
            "not open: newCommandQueue: no queue: Metal gives no queue of the device");
}

TEST(MetalSession, WithoutMemoryIsNotOpen) {
  EXPECT_THAT(MetalMachine(R"({"name": "Apple M1", "memory_total_bytes": 0, "max_buffer_bytes": 0})")
                  .With([](Session&) { return std::string("open"); }),
              HasSubstr("the device claims no memory"));
}

TEST(MetalSession, TellsThatMemoryIsLacking) {
  const auto take = [](Session& session) { return Say(session.Allocate({4096, {}})); };
  EXPECT_EQ(MetalMachine(MetalGpu("", R"(, "allocation_limit_bytes": 1024)")).With(take),
            "newBufferWithLength:options:: no buffer: Metal gives no memory for 4096 bytes");
  EXPECT_THAT(backends::metal::Describe().memory_errors, testing::Contains("no buffer"));
}

TEST(MetalSession, OpensTheDeviceThatWasAskedForOrNone) {
  const MetalMachine machine(MetalGpu() + ", " + MetalGpu("", R"(, "slow_kernel_s": 0)"));
  const auto ok = [](Session&) { return std::string("open"); };
  EXPECT_EQ(machine.With(ok, 1), "open");
  const auto other = [](probe::RuntimeDevice& device) {
    for (auto& fact : device.facts) {
      if (fact.key == "registry_id") fact.value = "0x7";
    }
  };
  EXPECT_EQ(machine.With(ok, 1, other),
            "not open: open: not found: 1: Apple M1 is not among the devices now: 0: Apple M1, 1: Apple M1");
}

TEST(MetalSession, TakesLittleOfADeviceThatOthersUse) {
  const auto say = [](Session& session) { return session.limits().shared_with; };
  EXPECT_EQ(MetalMachine(MetalGpu())
                .With(say, 0, [](auto& device) { device.facts.push_back({"utilization_percent", "60"}); }),
            "60 % busy");
}

// The fake counts every retain, and what is given to no pool.
TEST(MetalSession, HoldsNothingAfterwards) {
  for (const bool unified : {true, false}) {
    for (const char* more :
         {"", R"(, "faulting_kernels": "read_")", R"(, "allocation_limit_bytes": 65536)"}) {
      const MetalMachine machine(MetalGpu("", more, unified));
      const auto device = machine.Survey().devices[0];
      EXPECT_EQ(machine.Run([&](const auto& files, const auto& environment) {
        {
          const auto session = backends::metal::Describe().open({device, std::nullopt, files, environment});
          if (!session) return Say(session);
          (void)Verify(**session);
          if (tests::StillHeld(FAKE_METAL_LIBRARY).empty())
            return std::string("an open session holds something");
          kernels::Step step = StepOf("read_u32");
          step.entry = "none";
          (void)(*session)->Load({}, step);
        }
        return tests::StillHeld(FAKE_METAL_LIBRARY);
      }),
                "")
          << unified << more;
    }
  }
}

TEST(MetalSession, IsMeasuredAsTheProgramDoes) {
  const MetalMachine machine(
      R"({"name": "Apple M1", "memory_total_bytes": 1073741824, "max_buffer_bytes": 67108864, "unified_memory": true})");
  EXPECT_EQ(machine.With([](Session& session) {
    backends::MeasureRequest request;
    request.budget_s = 3.0;
    std::set<std::string> measured, failed;
    backends::Measure(session, kernels::metal::Variants(), request, [&](const backends::MeasureEvent& event) {
      const auto* one = std::get_if<backends::Measurement>(&event);
      if (one == nullptr) return;
      const std::string name(kernels::Row(one->kernel).name);
      if (one->status == backends::MeasurementStatus::kOk) measured.insert(name);
      if (one->status == backends::MeasurementStatus::kFailed) failed.insert(name + one->reason.value_or(""));
    });
    const bool enough = measured.contains("gemm") && measured.contains("read");
    return enough && failed.empty()
               ? std::string("ok")
               : fmt::format("{}; failed {}", fmt::join(measured, ","), fmt::join(failed, ","));
  }),
            "ok");
}

}  // namespace
