// SPDX-License-Identifier: MIT

#include <dlfcn.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "backends/hip/hip_runtime.h"
#include "kernels/hip/variants.h"
#include "tests/backends/core/compute.h"
#include "tests/backends/core/session_rules.h"
#include "tests/backends/hip/machine.h"

namespace {

using backends::Session;
using testing::HasSubstr;
using tests::FaultRules;
using tests::HipGpu;
using tests::HipMachine;
using tests::NameOf;
using tests::Say;
using tests::SessionRules;

const kernels::Step& StepOf(std::string_view entry) {
  static const auto all = kernels::hip::Variants();
  for (const auto& variant : all) {
    if (variant.steps[0].entry == entry) return variant.steps[0];
  }
  throw std::runtime_error("no such entry");
}

std::string LoadOf(const HipMachine& machine, std::string_view entry) {
  return machine.With([&](Session& session) { return Say(session.Load({}, StepOf(entry))); });
}

std::string Ok(Session&) { return "ok"; }

const tests::RuledDevice kCard{
    .name = "card",
    .backend = backends::hip::Describe(),
    .with = [](const auto& body, auto keys) { return HipMachine(HipGpu(1, 110000, "", keys)).With(body); },
    .counts_arguments = false};
INSTANTIATE_TEST_SUITE_P(Hip, SessionRules, testing::Values(kCard), NameOf);
INSTANTIATE_TEST_SUITE_P(Hip, FaultRules, testing::Values(kCard), NameOf);

TEST(HipSession, SaysWhatTheDeviceAllows) {
  const HipMachine machine(HipGpu(1, 90402, R"(, "l2_bytes": 4194304)"));
  EXPECT_EQ(machine.With([](Session& session) {
    const auto& limits = session.limits();
    return fmt::format("{} {} {} {} {}", limits.max_buffer_bytes, limits.cache_bytes.value_or(0),
                       limits.shape.compute_units, limits.shape.subgroup_width,
                       fmt::join(limits.features, ","));
  }),
            "1073741824 4194304 4 64 mfma,mfma_xf32,mfma_fp8_fnuz");
}

TEST(HipSession, TakesAnApusCachesForLargerThanItsSecondLevel) {
  const auto cache_of = [](std::string_view attributes) {
    return HipMachine(HipGpu(1, 110501, attributes)).With([](Session& session) {
      return fmt::to_string(session.limits().cache_bytes.value_or(0));
    });
  };
  EXPECT_EQ(cache_of(R"(, "l2_bytes": 2097152, "integrated": 1)"), "67108864");
  EXPECT_EQ(cache_of(R"(, "l2_bytes": 2097152)"), "2097152");
}

TEST(HipSession, TakesTheLargestCacheThatIsToldOf) {
  const auto bytes = [](const char* l3_bytes, std::optional<int> l2_bytes, bool is_apu) -> std::int64_t {
    probe::RuntimeDevice device;
    device.kind = is_apu ? probe::DeviceKind::kIntegrated : probe::DeviceKind::kDiscrete;
    if (l3_bytes != nullptr) device.facts = {{"l3_bytes", l3_bytes}};
    return backends::hip::LastCacheBytes(device, l2_bytes).value_or(-1);
  };
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_EQ(bytes("268435456", 4 << 20, true), 256 * kMiB) << "MI300A tells of it: the floor is no bound";
  EXPECT_EQ(bytes("268435456", 4 << 20, false), 256 * kMiB);
  EXPECT_EQ(bytes("33554432", 2 << 20, true), 64 * kMiB);
  EXPECT_EQ(bytes("4294967296", 4 << 20, false), 4096 * kMiB) << "more than an int holds";
  EXPECT_EQ(bytes(nullptr, std::nullopt, false), -1) << "nobody tells";
}

// AMD's documents are silent: what cuda.h says of its codes of the same numbers, which leave "the process in
// an inconsistent state". It does not say so of 214, an error of the memory, which no kernel is to blame for.
TEST(HipSession, OnlyErrorsOfAKernelThatDiedEndTheContext) {
  for (const int code : {700, 702, 710, 719}) EXPECT_TRUE(probe::hip::EndsContext(code)) << code;
  for (const int code : {0, 1, 2, 98, 100, 209, 214, 600, 701, 704, 801, 999, 12345})
    EXPECT_FALSE(probe::hip::EndsContext(code)) << code;
}

// ROCm 7 keeps an error until it is asked for, and a library takes it for its own.
TEST(HipSession, LeavesNoErrorThatWasPassedOver) {
  const HipMachine machine(HipGpu(1, 110000), R"(, "attributes": {"host_free": 1})");
  EXPECT_EQ(machine.With([](Session& session) -> std::string {
    void* runtime = dlopen(FAKE_HIP_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    auto* const last =
        reinterpret_cast<int (*)()>(runtime == nullptr ? nullptr : dlsym(runtime, "hipGetLastError"));
    if (last == nullptr) return "not loaded";
    if (const int code = last(); code != 0) return fmt::format("{} of opening", code);
    const auto most = session.limits().max_buffer_bytes;
    const auto first = session.Allocate({most, {}});
    if (!first || session.Allocate({most, {}})) return "too much memory";
    if (const int code = last(); code != 0) return fmt::format("{} of too much memory", code);
    kernels::Step step = StepOf("read_u32");
    step.entry = "none";
    if (session.Load({}, step)) return "an entry that is not there";
    if (const int code = last(); code != 0) return fmt::format("{} of an entry that is not there", code);
    if (!session.AllocateHost(4096)) return "no memory of the host";
    const int code = last();
    return code == 0 ? "none" : fmt::format("{} of the host's memory", code);
  }),
            "none");
}

TEST(HipSession, SaysThatTheRuntimeHasNoMemoryOfTheHost) {
  const HipMachine locked(HipGpu(1, 110000), R"(, "attributes": {"pinned_bytes": 1024})");
  EXPECT_THAT(locked.With([](Session& session) { return Say(session.AllocateHost(4096)); }),
              HasSubstr("hipHostMalloc"));
}

TEST(HipSession, TakesLittleOfADeviceThatOthersUse) {
  const HipMachine machine(HipGpu(1, 90402));
  const auto take = [](Session& session) -> std::string {
    if (session.limits().shared_with != "60 % busy") return session.limits().shared_with;
    const auto most = session.limits().max_buffer_bytes;
    const auto first = session.Allocate({most, {}});
    if (!first) return Say(first);
    if (session.Allocate({16, {}})) return "more than its share";
    session.Release(*first);
    return Say(session.Allocate({16, {}}));
  };
  EXPECT_EQ(
      machine.With(take, 0, [](auto& device) { device.facts.push_back({"utilization_percent", "60"}); }),
      "ok");
}

TEST(HipSession, WithoutACompilerSaysSoOfEveryKernel) {
  HipMachine machine(HipGpu(1, 90402));
  machine.Library("libhiprtc.so.6", "");
  EXPECT_THAT(LoadOf(machine, "fill_u32"), HasSubstr("libhiprtc"));
}

TEST(HipSession, RepeatsTheCompilersWords) {
  const HipMachine machine(HipGpu(1, 110000), R"(, "attributes": {"compiler_refuses": 110000})");
  EXPECT_THAT(LoadOf(machine, "fill_u32"), HasSubstr("unknown target CPU 'gfx1100'"));
}

TEST(HipSession, RunsOnRocm5) {
  HipMachine machine(HipGpu(1, 90402));
  machine.Library("libamdhip64.so.6", "").Library("libhiprtc.so.6", "");
  machine.Library("libamdhip64.so.5", FAKE_HIP5_LIBRARY);
  EXPECT_EQ(LoadOf(machine, "fill_u32"), "ok");
}

TEST(HipSession, SaysWhatHoldsTheClockBackNow) {
  const probe::system::TemporaryTree tree;
  const auto files = probe::system::FileSystem::Open(tree.root());
  const probe::system::Environment environment;
  probe::RuntimeDevice facts;
  facts.identity.pci = probe::ParsePciAddress("0000:03:00.0");
  backends::hip::HipRuntime runtime({}, {0}, *files, environment);
  runtime.PrepareKernels(facts, probe::Error{}, "gfx1100");
  EXPECT_EQ(runtime.State().throttled_by, "");
  // Format 1.3 with a cause among the currents' bits.
  std::string metrics(120, '\0');
  metrics[0] = 120;
  metrics[2] = 1;
  metrics[3] = 3;
  metrics[114] = 1;
  tree.Write("/sys/bus/pci/devices/0000:03:00.0/gpu_metrics", metrics);
  EXPECT_EQ(runtime.State().throttled_by, "current");
}

// Linux 5.15 and 5.10 as Ubuntu 22.04 and Debian 11 have them.
TEST(HipSession, AsksTheKernelDriverWhatIsFreeWhereTheRuntimeCanNot) {
  const probe::system::TemporaryTree tree;
  const auto files = probe::system::FileSystem::Open(tree.root());
  const probe::system::Environment environment;
  probe::hip::Api api;
  api.hipSetDevice = [](int) -> int { return 0; };
  api.hipMemGetInfo = [](std::size_t*, std::size_t*) -> int { return 1; };
  api.hipDeviceGet = [](probe::hip::HipDevice* handle, int device) -> int { return *handle = device, 0; };
  api.hipDeviceTotalMem = [](std::size_t* bytes, int device) -> int {
    return *bytes = device == 3 ? 1000 : 2000, 0;
  };
  api.hipDeviceGetPCIBusId = [](char* text, int, int device) -> int {
    return std::strcpy(text, device == 3 ? "0000:03:00.0" : "0000:04:00.0"), 0;
  };
  backends::hip::HipRuntime runtime(api, {2, 3}, *files, environment);
  tree.Write("/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_used", "400\n");
  const auto free_of = [&](std::size_t device) {
    const auto memory = runtime.Enter(device) ? runtime.AskMemory() : probe::Error{};
    return memory ? fmt::format("{} of {}", memory->free_bytes, memory->total_bytes) : "nothing";
  };
  EXPECT_EQ(free_of(0), "2000 of 2000") << "nobody says what is used";
  EXPECT_EQ(free_of(1), "600 of 1000");
  EXPECT_EQ(HipMachine(HipGpu(1, 110000), R"(, "attributes": {"memory_info": 1})").With(Ok), "ok");
}

std::string asked;
std::string OptionsFor(const char* target, std::uint32_t dies) {
  probe::hip::Compiler compiler;
  compiler.hiprtcCreateProgram = [](auto, auto, auto, int, auto, auto) -> int { return 0; };
  compiler.hiprtcDestroyProgram = [](auto) -> int { return 0; };
  compiler.hiprtcGetProgramLogSize = [](auto, auto) -> int { return 1; };
  compiler.hiprtcCompileProgram = [](auto, int count, auto options) -> int {
    asked = fmt::format("{}", fmt::join(options, options + count, " "));
    return 6;
  };
  EXPECT_FALSE(backends::hip::ModuleCache({}, compiler, target, dies).Get("x"));
  return asked;
}

TEST(HipCompilation, IsForTheDiesAndTheComputeUnitsOfTheDevice) {
  EXPECT_EQ(OptionsFor("gfx942:sramecc+:xnack-", 8),
            "--offload-arch=gfx942:sramecc+:xnack- -std=c++17 -O3 -DXCC_COUNT=8");
  EXPECT_EQ(OptionsFor("gfx1100", 1), "--offload-arch=gfx1100 -std=c++17 -O3 -DXCC_COUNT=1 -mcumode");
}

TEST(HipBackend, OpensExactlyTheDeviceAskedFor) {
  const HipMachine machine(HipGpu(1, 90402) + "," + HipGpu(2, 100306));
  EXPECT_EQ(machine.With(Ok, 1), "ok");
  EXPECT_THAT(
      machine.With(Ok, 0, [](probe::RuntimeDevice& device) { device.identity.uuid = probe::Uuid{1}; }),
      HasSubstr("not open: open: not found"));
}

TEST(HipBackend, ReachesEveryPartitionOfACard) {
  const HipMachine machine(HipGpu(1, 90402, "", R"(, "partitions": [
      {"uuid": "aa000000000000000000000000000001", "memory_total_bytes": 104857600, "compute_units": 1},
      {"uuid": "aa000000000000000000000000000002", "memory_total_bytes": 209715200, "compute_units": 2}])"));
  const auto total = [](Session& session) { return fmt::to_string(session.limits().max_buffer_bytes); };
  EXPECT_EQ(machine.With(total, 0), "104857600");
  EXPECT_EQ(machine.With(total, 1), "209715200");
}

TEST(HipBackend, SpeaksOfOtherChipsUnitsOnlyWhereItHasNone) {
  backends::Limits limits;
  limits.features = kernels::hip::FeaturesOf("gfx1100");
  std::set<std::string> missing;
  for (const auto& variant : backends::hip::Describe().variants(limits)) {
    if (!backends::MissingFeature(variant, limits).empty()) missing.emplace(kernels::Row(variant.in).name);
  }
  EXPECT_THAT(missing, testing::ElementsAre("fp4", "fp8", "tf32"));
}

// Chains of one pair of types share a shape.
TEST(HipVariants, AChainOfSingleProductsTakesStepsOfAnyDepth) {
  EXPECT_EQ(HipMachine(HipGpu(1, 90402)).With([](Session& session) {
    const auto all = kernels::hip::Variants();
    const auto chain = std::find_if(
        all.begin(), all.end(), [](const auto& variant) { return variant.steps[0].entry == "chain_fp32"; });
    return tests::Compute(session, all, *chain, {0, 16, 64, chain->multiple_count, 0});
  }),
            "right");
}

// Every kernel of a target: compiled, launched with its own arguments, its result checked.
class HipVariantsOf : public testing::TestWithParam<int> {};

TEST_P(HipVariantsOf, AreVerified) {
  EXPECT_EQ(HipMachine(HipGpu(1, GetParam())).With([](Session& session) -> std::string {
    const auto all = kernels::hip::Variants();
    std::string wrong;
    int checked = 0;
    for (const auto& variant : all) {
      if (variant.kernel == kernels::Kernel::kFill) continue;
      if (!backends::MissingFeature(variant, session.limits()).empty()) continue;
      const std::string what = tests::Compute(session, all, variant);
      ++checked;
      if (what != "right") wrong += fmt::format("{}: {}\n", variant.steps[0].entry, what);
    }
    return checked < 9 ? "too few" : wrong;
  }),
            "");
}
INSTANTIATE_TEST_SUITE_P(, HipVariantsOf, testing::Values(90006, 90010, 90402, 90500, 100300, 110000, 120001),
                         [](const auto& tested) {
                           return "gfx_target_version_" + fmt::to_string(tested.param);
                         });

}  // namespace
