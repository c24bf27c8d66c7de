// SPDX-License-Identifier: MIT
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "kernels/cuda/variants.h"
#include "probe/cuda/cuda_api.h"
#include "tests/backends/core/session_rules.h"
#include "tests/backends/cuda/opened.h"

namespace {

using testing::HasSubstr;
using tests::CudaMachine;
using tests::FaultRules;
using tests::NameOf;
using tests::Say;
using tests::SessionRules;
using tests::WithSession;
namespace machines = tests::machines;

const kernels::Step& StepOf(std::string_view entry) {
  static const auto all = kernels::cuda::Variants();
  for (const auto& variant : all) {
    if (variant.steps[0].entry == entry) return variant.steps[0];
  }
  throw std::runtime_error("no such entry");
}

const tests::RuledDevice kCard{.name = "card",
                               .backend = backends::cuda::Describe(),
                               .with =
                                   [](const auto& body, auto keys) {
                                     return WithSession(
                                         CudaMachine(machines::Of(machines::Gpu("A100", 1, 80, keys))), body);
                                   },
                               .counts_arguments = false};
INSTANTIATE_TEST_SUITE_P(Cuda, SessionRules, testing::Values(kCard), NameOf);
INSTANTIATE_TEST_SUITE_P(Cuda, FaultRules, testing::Values(kCard), NameOf);

TEST(CudaSession, SaysWhatTheDeviceAllows) {
  const CudaMachine machine(
      machines::Of(machines::Gpu("A100", 1, 80, R"(, "memory_free_bytes": 123456789)")));
  EXPECT_EQ(WithSession(machine,
                        [](backends::Session& session) {
                          const auto& limits = session.limits();
                          return fmt::format("{} {} {} {} {}", limits.max_buffer_bytes,
                                             *limits.memory_free_bytes, *limits.cache_bytes,
                                             limits.shape.compute_units, fmt::join(limits.features, ","));
                        }),
            "1073741824 123456789 4194304 4 sm_50,sm_70,sm_75,sm_80,shared:32,shared:48,shared:64,shared:96,"
            "shared:160,shared:192,shared:224");
}

TEST(CudaSession, TakesATwentiethOfTheFreeMemoryBesideOthers) {
  const CudaMachine machine(machines::Of(R"({"name": "A100", "pci": "0000:01:00.0",
      "memory_total_bytes": 1073741824, "memory_free_bytes": 800000000,
      "attributes": {"capability": 80, "processes": 1, "utilization": 55}})"));
  EXPECT_EQ(
      WithSession(machine,
                  [](backends::Session& session) -> std::string {
                    const auto& limits = session.limits();
                    // Each fits and both do not.
                    const auto first = session.Allocate({39000000, {}});
                    const auto second = session.Allocate({2000000, {}});
                    if (first) session.Release(*first);
                    const auto third = session.Allocate({2000000, {}});
                    return fmt::format("{} {} {} {}: {}, {}, {}", *limits.memory_free_bytes,
                                       limits.max_buffer_bytes, limits.shared_with, limits.disturbed,
                                       first.ok(), Say(second), third.ok());
                  }),
      "40000000 40000000 1 other process on it, 55 % busy true: true, left to others: 762 MiB are free, of "
      "which 38 MiB (5 %) are used at most beside others (1 other process on it, 55 % busy), and 39 MiB are "
      "needed, true");
}

// What is read when we open it may be the kernels of the runtime that was measured before.
TEST(CudaSession, UtilisationCountsAsFarAsItWasThereBefore) {
  const CudaMachine machine(machines::Of(R"({"name": "A100", "pci": "0000:01:00.0",
      "attributes": {"capability": 80, "processes": 0, "utilization": 99}})"));
  const auto shared_with = [](backends::Session& session) { return session.limits().shared_with; };
  const auto found_idle = [](probe::RuntimeDevice& device) {
    for (auto& fact : device.facts) {
      if (fact.key == "utilization_percent") fact.value = "3";
    }
  };
  EXPECT_EQ(WithSession(machine, shared_with, 0, found_idle), "");
  EXPECT_EQ(WithSession(machine, shared_with), "99 % busy");
}

TEST(CudaSession, OfWhatOthersLeaveIdleMoreIsUsed) {
  const auto percent = [](std::string_view utilization) {
    return WithSession(CudaMachine(machines::Of(fmt::format(R"({{"name": "A100", "pci": "0000:01:00.0",
            "memory_free_bytes": 100000000, "attributes": {{"processes": 1{}}}}})",
                                                            utilization))),
                       [](backends::Session& session) {
                         return fmt::format("{} {}", *session.limits().memory_free_bytes,
                                            session.limits().disturbed);
                       });
  };
  EXPECT_EQ(percent(R"(, "utilization": 3)"), "25000000 false");
  EXPECT_EQ(percent(R"(, "utilization": 30)"), "5000000 true");
  EXPECT_EQ(percent(""), "5000000 false") << "nobody tells";
}

TEST(CudaSession, AnInstanceIsSharedByItsOwnProcessesAlone) {
  const CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80, R"(, "partitions": [
      {"uuid": "aa000000000000000000000000000001", "attributes": {"processes": 0}},
      {"uuid": "aa000000000000000000000000000002", "attributes": {"gpu_instance": 1, "processes": 2}}])")));
  const auto shared_with = [](backends::Session& session) { return session.limits().shared_with; };
  EXPECT_EQ(WithSession(machine, shared_with, 0), "");
  EXPECT_EQ(WithSession(machine, shared_with, 1), "2 other processes on it");
}

TEST(CudaSession, SaysWhatHoldsItsClocksBack) {
  const auto state = [](backends::Session& session) {
    const auto now = session.State();
    return fmt::format("{}{} {}", now.throttled_by, now.limited_by, now.clock_share.value_or(-1));
  };
  const std::string gpu = R"({"name": "A100", "pci": "0000:01:00.0", "clock_mhz": 1000, "attributes": {)";
  EXPECT_EQ(WithSession(CudaMachine(machines::Of(gpu + R"("throttle_reasons": 69, "clock_now_mhz": 500}})")),
                        state),
            "hardware thermalits power limit 0.5")
      << "idle (1) is no reason";
  const auto capped = [&](int limit_mw) {
    return WithSession(
        CudaMachine(machines::Of(gpu + fmt::format(R"("throttle_reasons": 4, "power_limit_mw": {},
        "power_limit_default_mw": 700000}}}})",
                                                   limit_mw))),
        state);
  };
  EXPECT_EQ(capped(700000), "its power limit of 700 W 1") << "what it is made for";
  EXPECT_EQ(capped(500000), "power cap 1");
  EXPECT_EQ(WithSession(CudaMachine(machines::Of(gpu + R"("throttle_reasons": 1}})")), state), " 1");
  CudaMachine without(machines::Of(gpu + "}}"));
  EXPECT_EQ(WithSession(without.Library("libnvidia-ml.so.1", ""), state), " -1");
}

TEST(CudaSession, SaysHowHotItIsAndWhatItTakes) {
  const auto state = [](backends::Session& session) {
    const auto now = session.State();
    return fmt::format("{} {}", now.temperature_c.value_or(-1), now.power_w.value_or(-1));
  };
  const std::string gpu = R"({"name": "A100", "pci": "0000:01:00.0", "attributes": {)";
  EXPECT_EQ(
      WithSession(CudaMachine(machines::Of(gpu + R"("temperature_c": 64, "power_mw": 312500}})")), state),
      "64 312.5");
  EXPECT_EQ(WithSession(CudaMachine(machines::Of(gpu + "}}")), state), "-1 -1") << "where nobody says";
}

// Errors of the memory and of links (214, 220), too, of which cuda.h does not say that the process must end.
TEST(CudaSession, ErrorsAfterWhichEveryCallFailsEndTheContext) {
  for (const int code : {214, 220, 226, 700, 715, 719}) EXPECT_TRUE(probe::cuda::EndsContext(code)) << code;
  for (const int code : {0, 1, 2, 100, 209, 221, 222, 600, 701, 704, 801, 999, 12345})
    EXPECT_FALSE(probe::cuda::EndsContext(code)) << code;
}

// By its number every GPU before it would be woken, too.
TEST(CudaSession, WatchesItsGpuByItsAddressWhereTheLibraryFindsItSo) {
  const auto clock_share = [](std::string_view attribute) {
    const CudaMachine machine(
        machines::Of(R"({"name": "A", "pci": "0000:01:00.0", "uuid": "aa000000000000000000000000000001"},
        {"name": "B", "pci": "0000:02:00.0", "uuid": "aa000000000000000000000000000002", "clock_mhz": 1000, "attributes": {"clock_now_mhz": 250}})",
                     fmt::format(R"(, "attributes": {{"{}": 0}})", attribute)));
    return WithSession(
        machine,
        [](backends::Session& session) { return fmt::to_string(session.State().clock_share.value_or(-1)); },
        1);
  };
  EXPECT_EQ(clock_share("nvml_by_index"), "0.25");
  EXPECT_EQ(clock_share("nvml_by_address"), "0.25") << "of libraries that find none so";
}

TEST(CudaSession, ChipsWithInstructionsOfTheirOwnSaySo) {
  using Row = std::pair<int, std::string>;
  for (const auto& [capability, own] :
       {Row(61, ""), Row(70, "volta_mma"), Row(75, "turing_mma"), Row(86, ""), Row(89, "fp8_mma"),
        Row(90, "sm_90a tensor_maps"), Row(100, "sm_100a sm_100f tensor_maps"), Row(101, "tensor_maps"),
        Row(103, "sm_100f tensor_maps"), Row(110, "sm_110a tensor_maps"),
        Row(120, "tensor_maps fp8_mma scaled_mma"), Row(121, "tensor_maps fp8_mma scaled_mma")}) {
    const CudaMachine machine(machines::Of(machines::Gpu("GPU", 1, capability)));
    EXPECT_EQ(WithSession(machine,
                          [](backends::Session& session) {
                            std::string found;
                            for (const std::string& feature : session.limits().features) {
                              const bool general =
                                  feature.starts_with("shared:") || feature == "cublaslt" ||
                                  (feature.starts_with("sm_") &&
                                   std::isdigit(static_cast<unsigned char>(feature.back())) != 0);
                              if (!general) found += (found.empty() ? "" : " ") + feature;
                            }
                            return found;
                          }),
              own)
        << capability;
  }
}

TEST(CudaSession, ADriverThatDescribesNoMatricesSaysSo) {
  const auto describes = [](backends::Session& session) {
    const auto& features = session.limits().features;
    return fmt::format("{} {}", std::count(features.begin(), features.end(), "sm_90a"),
                       std::count(features.begin(), features.end(), "tensor_maps"));
  };
  CudaMachine machine(machines::Of(machines::Gpu("H100", 1, 90)));
  EXPECT_EQ(WithSession(machine, describes), "1 1");
  EXPECT_EQ(WithSession(machine.Library("libcuda.so.1", FAKE_CUDA_11_LIBRARY), describes), "1 0");
}

TEST(CudaSession, SaysThatTheHostHasNoMemoryToPin) {
  const CudaMachine full(
      machines::Of(machines::Gpu("A100", 1, 80), R"(, "attributes": {"pinned_bytes": 100})"));
  const auto pin = [](backends::Session& session) { return Say(session.AllocateHost(4096)); };
  EXPECT_THAT(WithSession(full, pin), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
}

std::string LoadOf(const CudaMachine& machine, const kernels::Step& step) {
  return WithSession(machine, [&](backends::Session& session) { return Say(session.Load({}, step)); });
}

TEST(CudaSession, AnOldDriverRefusesNewerPtxAndRunsTheRest) {
  const CudaMachine machine(machines::Of(machines::Gpu("RTX 4090", 1, 89),
                                         R"(, "attributes": {"driver_ptx": 70, "driver_cuda": 11000})"));
  EXPECT_EQ(LoadOf(machine, StepOf("gemm_fp8_128")),
            "cuModuleLoadDataEx: unimplemented (222): needs a driver that knows PTX 8.4 (550)");
  EXPECT_EQ(LoadOf(machine, StepOf("gemm_fp16_128")), "ok");
}

// Nothing of anybody's runs there: it is the driver's fault.
TEST(CudaSession, ADriverThatRefusesTheOldestPtxIsAtFault) {
  const CudaMachine machine(
      machines::Of(machines::Gpu("GTX 980", 1, 52), R"(, "attributes": {"driver_ptx": 50})"));
  EXPECT_THAT(LoadOf(machine, StepOf("fill_u32")), HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"));
}

// Both lie where the loader does not look.
TEST(CudaSession, ADriverFindsItsCompilerBesideItself) {
  CudaMachine machine(R"({"attributes": {"loads_compiler": 1}})");
  EXPECT_THAT(LoadOf(machine, StepOf("fill_u32")), HasSubstr("CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221)"));
  machine.Before("/driver", "libcuda.so.1");
  std::filesystem::copy_file(machine.tree().At("/lib/libnvidia-ptxjitcompiler.so.1"),
                             machine.tree().At("/driver/libnvidia-ptxjitcompiler.so.1"));
  EXPECT_EQ(LoadOf(machine, StepOf("fill_u32")), "ok");
}

TEST(CudaSession, TheFirstDriversOfAChipRunAnOlderTextOfItsKernels) {
  const auto load = [](int ptx, int capability) {
    const CudaMachine machine(machines::Of(machines::Gpu("RTX 5090", 1, capability),
                                           fmt::format(R"(, "attributes": {{"driver_ptx": {}}})", ptx)));
    return LoadOf(machine, StepOf("scaled_fp4_128"));
  };
  EXPECT_EQ(load(88, 120), "ok");
  EXPECT_EQ(load(87, 120), "ok");
  const std::string needs = "(222): needs a driver that knows PTX 8.8 (575)";
  EXPECT_THAT(load(86, 120), HasSubstr("(222): needs a driver that knows PTX 8.7 (570)"))
      << "which would run the older text";
  EXPECT_THAT(load(86, 121), HasSubstr(needs));
  EXPECT_EQ(load(88, 121), "ok");
  EXPECT_THAT(load(87, 121), HasSubstr(needs)) << "the older is of 120 alone";
}

TEST(CudaSession, TruncatedCodeIsRefusedWithTheCompilersWords) {
  kernels::Step step = StepOf("gemv_fp32");
  const std::string part(step.source.substr(0, step.source.size() / 2));
  step.source = part;
  EXPECT_THAT(LoadOf(CudaMachine(), step), HasSubstr("Unexpected end of file"));
}

TEST(CudaSession, ABlockMayAskForNoMoreSharedMemoryThanThereIs) {
  const CudaMachine machine(machines::Of(
      R"({"name": "T4", "attributes": {"capability": 86, "shared_memory_per_block_optin": 40960}})"));
  EXPECT_THAT(LoadOf(machine, StepOf("gemm_fp16_128")), HasSubstr("cuFuncSetAttribute"));
}

TEST(CudaBackend, OpensExactlyTheDeviceAskedFor) {
  const CudaMachine machine(machines::Of(machines::Gpu("A", 1, 80) + "," + machines::Gpu("B", 2, 80)));
  const auto ok = [](backends::Session&) { return std::string("ok"); };
  EXPECT_EQ(WithSession(machine, ok, 1), "ok");
  EXPECT_THAT(WithSession(machine, ok, 0, [](probe::RuntimeDevice& d) { d.identity.uuid = probe::Uuid{1}; }),
              HasSubstr("not open: open: not found"));
}

TEST(CudaBackend, ReachesEveryMigInstance) {
  const CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80, R"(, "partitions": [
      {"uuid": "aa000000000000000000000000000001", "memory_total_bytes": 104857600, "compute_units": 1},
      {"uuid": "aa000000000000000000000000000002", "memory_total_bytes": 209715200, "compute_units": 2,
       "attributes": {"gpu_instance": 1}}])")));
  const auto total = [](backends::Session& session) {
    return fmt::to_string(*session.limits().memory_free_bytes);
  };
  EXPECT_EQ(WithSession(machine, total, 0), "104857600");
  EXPECT_EQ(WithSession(machine, total, 1), "209715200");
}

TEST(CudaBackend, SaysByItsComputeModeWhyADeviceDoesNotOpen) {
  const auto error = [](int mode) {
    return WithSession(
        CudaMachine(machines::Of(
            fmt::format(R"({{"name": "GPU", "pci": "0000:01:00.0", "attributes": {{"compute_mode": {}}}}})",
                        mode),
            R"(, "misbehave": [{"at": "create", "do": "error", "code": 46}])")),
        [](backends::Session&) { return std::string(); });
  };
  EXPECT_THAT(error(2), HasSubstr("compute_prohibited"));
  EXPECT_THAT(error(3), HasSubstr("compute_exclusive"));
}

TEST(CudaBackend, SaysWhyADeviceDoesNotOpen) {
  const CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80), R"(, "misbehave": [
      {"at": "create", "do": "error", "code": 46}])"));
  EXPECT_THAT(WithSession(machine, [](backends::Session&) { return std::string(); }),
              HasSubstr("CUDA_ERROR_DEVICE_UNAVAILABLE"));
}

}  // namespace
