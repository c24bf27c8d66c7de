// SPDX-License-Identifier: MIT
// The probe on machines: what it reads of each GPU, and that identities hold whatever the order.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <set>

#include "probe/core/parse.h"
#include "probe/unify/unify.h"
#include "tests/fakes/cuda/fake_machine.h"

namespace {

using probe::DeviceKind;
using probe::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::CudaMachine;
using tests::FactOf;
namespace machines = tests::machines;

std::vector<std::string> Ids(const probe::ProbeReport& report) {
  std::vector<std::string> ids;
  for (const auto& device : probe::unify::Unify({&report, 1})) {
    if (device.id != "cpu:0") ids.push_back(device.id);
  }
  return ids;
}

TEST(CudaMachines, ACapabilityThatCanNotBeIsNoArchitecture) {
  const CudaMachine machine(machines::Of(R"({"name": "Odd", "attributes": {"capability": 2147483640}})"));
  const auto report = machine.Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].architecture, std::nullopt);
  EXPECT_THAT(report.devices[0].matrix_units, testing::IsEmpty());
}

TEST(CudaMachines, EveryFactOfOneGpuIsRead) {
  const CudaMachine machine(machines::Of(R"({"name": "NVIDIA H100 80GB HBM3", "pci": "0000:1a:00.0",
      "uuid": "00112233445566778899aabbccddeeff", "memory_total_bytes": 85899345920, "memory_free_bytes": 42949672960,
      "compute_units": 132, "clock_mhz": 1980, "attributes": {"capability": 90, "memory_bus_bits": 5120,
      "memory_clock_mhz": 2619, "l2_bytes": 52428800, "ecc": 1, "power_limit_mw": 700000, "throttle_reasons": 36,
      "processes": 2, "utilization": 55, "nvlinks": 18, "persistence": 1}})"));
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, Outcome::kOk);
  ASSERT_EQ(report.devices.size(), 1U);
  const auto& device = report.devices[0];
  EXPECT_EQ(device.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(probe::ToString(*device.identity.pci), "0000:1a:00.0");
  EXPECT_EQ(probe::ToString(*device.identity.uuid), "00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(device.identity.ids->vendor, 0x10deU);
  EXPECT_EQ(device.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(device.architecture, "sm_90");
  EXPECT_EQ(device.api_version, "13.0");
  EXPECT_EQ(device.driver_version, "580.65.06");
  EXPECT_EQ(device.memory_total_bytes, 85899345920U);
  EXPECT_EQ(device.memory_free_bytes, 42949672960U);
  EXPECT_EQ(device.compute_units, 132U);
  EXPECT_EQ(device.clock_max_hz, 1.98e9);
  EXPECT_EQ(device.subgroup_width, 32U);
  EXPECT_THAT(device.dtypes, testing::IsSupersetOf({"fp32", "fp16", "bf16", "int8", "fp8"}));
  EXPECT_THAT(device.matrix_units, testing::Contains("fp8/fp32"));
  EXPECT_EQ(FactOf(device, "memory_bus_bits"), "5120");
  EXPECT_EQ(FactOf(device, "l2_bytes"), "52428800");
  EXPECT_EQ(FactOf(device, "ecc"), "1");
  EXPECT_EQ(FactOf(device, "power_limit_mw"), "700000");
  EXPECT_EQ(FactOf(device, "throttled"), "power cap, software thermal");
  EXPECT_EQ(FactOf(device, "processes"), "2");
  EXPECT_EQ(FactOf(device, "utilization_percent"), "55");
  EXPECT_EQ(FactOf(device, "nvlinks"), "18");
  EXPECT_EQ(FactOf(device, "kept_ready"), "yes");
  EXPECT_EQ(FactOf(device, "cuda_runs_up_to"), "13.x");
  EXPECT_EQ(FactOf(device, "visible_as"), "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("(0000:1a:00.0): 2 other processes on it, 55 % busy")));
}

TEST(CudaMachines, EveryLinkIsCounted) {
  const auto links = [](std::string_view attributes) {
    const auto report =
        CudaMachine(machines::Of(fmt::format(
                        R"({{"name": "GPU", "pci": "0000:01:00.0", "attributes": {{{}}}}})", attributes)))
            .Survey();
    return report.devices.empty() ? "none" : FactOf(report.devices[0], "nvlinks");
  };
  EXPECT_EQ(links(R"("nvlinks": 36, "nvlink_places": 36)"), "36");
  EXPECT_EQ(links(R"("nvlinks": 18)"), "18");
  EXPECT_EQ(links(R"("nvlinks": 0)"), "0");
  EXPECT_EQ(links(""), "");
}

TEST(CudaMachines, WhoHoldsMemoryAndDoesNothingIsNoWarning) {
  const auto warnings = [](int percent) {
    return CudaMachine(machines::Of(fmt::format(R"({{"name": "GPU", "pci": "0000:01:00.0",
        "attributes": {{"processes": 1, "utilization": {}}}}})",
                                                percent)))
        .Survey()
        .warnings;
  };
  EXPECT_THAT(warnings(0), testing::IsEmpty());
  EXPECT_THAT(warnings(50), ElementsAre(HasSubstr("1 other process on it, 50 % busy")));
}

TEST(CudaMachines, AComputeModeThatClosesAGpuIsSaidBeforehand) {
  const auto survey = [](int mode, int processes) {
    return CudaMachine(machines::Of(fmt::format(R"({{"name": "GPU", "pci": "0000:01:00.0",
        "attributes": {{"compute_mode": {}, "processes": {}, "utilization": 0}}}})",
                                                mode, processes)))
        .Survey();
  };
  const auto open = survey(0, 1);
  EXPECT_EQ(FactOf(open.devices.at(0), "compute_mode"), "");
  EXPECT_THAT(open.warnings, testing::IsEmpty());
  const auto closed = survey(2, 0);
  EXPECT_EQ(FactOf(closed.devices.at(0), "compute_mode"), "prohibited");
  EXPECT_THAT(closed.warnings, ElementsAre("GPU: its compute mode lets no process compute on it"));
  const auto free = survey(3, 0);
  EXPECT_EQ(FactOf(free.devices.at(0), "compute_mode"), "exclusive");
  EXPECT_THAT(free.warnings, testing::IsEmpty());
  EXPECT_THAT(survey(3, 1).warnings,
              ElementsAre("GPU: its compute mode gives it to one process at a time, and one has it"));
}

TEST(CudaMachines, TwoIdenticalGpusStayTwo) {
  const CudaMachine machine(
      machines::Of(machines::Gpu("NVIDIA A100", 1, 80, R"(, "memory_free_bytes": 1000000000)") + "," +
                   machines::Gpu("NVIDIA A100", 2, 80, R"(, "memory_free_bytes": 500000000)")));
  const auto report = machine.Survey();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].memory_free_bytes, 1000000000U);
  EXPECT_EQ(report.devices[1].memory_free_bytes, 500000000U);
  EXPECT_THAT(Ids(report), ElementsAre("pci:0000:01:00.0", "pci:0000:02:00.0"));
}

TEST(CudaMachines, AMixedPairIsExplainedWhereTheNumberingsDiffer) {
  const std::string gpus =
      machines::Gpu("NVIDIA RTX 5090", 2, 120) + "," + machines::Gpu("Tesla P100", 1, 60);
  const auto report = CudaMachine(machines::Of(gpus)).Survey();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].architecture, "sm_120");
  EXPECT_EQ(FactOf(report.devices[0], "nvidia_smi_index"), "1");
  EXPECT_THAT(report.devices[1].matrix_units, testing::IsEmpty());
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID")));
  for (const auto& device : report.devices) {
    EXPECT_EQ(FactOf(device, "note"), "counts_apart");
    EXPECT_EQ(FactOf(device, "note_because"), report.warnings.at(0));
  }
  CudaMachine ordered(machines::Of(gpus));
  const auto by_address = ordered.Set("CUDA_DEVICE_ORDER", "PCI_BUS_ID").Survey();
  EXPECT_THAT(by_address.warnings, testing::IsEmpty());
  EXPECT_EQ(FactOf(by_address.devices.at(0), "note"), "");
  EXPECT_THAT(by_address.environment, testing::SizeIs(1));
  EXPECT_EQ(Ids(report), Ids(by_address));
}

TEST(CudaMachines, EightGpusKeepTheirIdentitiesInAnyOrder) {
  const auto survey = [](const std::vector<int>& order) {
    std::string gpus;
    for (const int number : order) {
      gpus += (gpus.empty() ? "" : ",") +
              machines::Gpu("NVIDIA H200", number, 90,
                            ", \"memory_free_bytes\": " + std::to_string(number * 1000000));
    }
    return CudaMachine(machines::Of(gpus)).Survey();
  };
  const auto straight = survey({1, 2, 3, 4, 5, 6, 7, 8});
  const auto permuted = survey({5, 3, 8, 1, 7, 2, 6, 4});
  ASSERT_EQ(permuted.devices.size(), 8U);
  const auto ids = Ids(straight);
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 8U);
  EXPECT_EQ(ids, Ids(permuted));
  for (const auto& device : permuted.devices) {
    EXPECT_EQ(device.memory_free_bytes, device.identity.pci->bus * 1000000ULL) << "its own free memory";
    EXPECT_EQ(device.identity.uuid->at(15), device.identity.pci->bus) << "its own UUID";
  }
}

constexpr std::string_view kMig = R"(, "partitions": [
    {"uuid": "aa000000000000000000000000000001", "memory_total_bytes": 104857600, "memory_free_bytes": 94371840,
     "compute_units": 1, "attributes": {"gpu_instance": 7, "compute_instance": 0}},
    {"uuid": "aa000000000000000000000000000002", "memory_total_bytes": 209715200, "memory_free_bytes": 198180864,
     "compute_units": 2, "attributes": {"gpu_instance": 3, "compute_instance": 0}}])";

TEST(CudaMachines, MigInstancesAreDevicesOfTheirOwn) {
  const auto report = CudaMachine(machines::Of(machines::Gpu("NVIDIA A100", 1, 80, kMig))).Survey();
  ASSERT_EQ(report.devices.size(), 2U) << "CUDA shows one, NVML both";
  EXPECT_EQ(report.devices[0].identity.partition, "MIG-7-0");
  EXPECT_EQ(report.devices[1].identity.partition, "MIG-3-0");
  EXPECT_EQ(report.devices[0].memory_total_bytes, 104857600U);
  EXPECT_EQ(report.devices[1].memory_free_bytes, 198180864U);
  EXPECT_EQ(report.devices[1].compute_units, 2U);
  EXPECT_EQ(report.devices[1].architecture, "sm_80") << "as its sibling's";
  EXPECT_THAT(FactOf(report.devices[1], "visible_as"), HasSubstr("MIG-aa000000"));
}

TEST(CudaMachines, MigInstancesNeverMergeWithTheirParent) {
  const auto report = CudaMachine(machines::Of(machines::Gpu("NVIDIA A100", 1, 80, kMig))).Survey();
  probe::ProbeReport hardware;
  hardware.module = "sysfs";
  probe::HardwareDevice card;
  card.source = "sysfs";
  card.identity.pci = report.devices.at(0).identity.pci;
  card.name = "NVIDIA A100";
  card.kind = DeviceKind::kDiscrete;
  hardware.hardware.push_back(card);
  const std::array reports = {hardware, report};
  const auto devices = probe::unify::Unify(reports);
  int instances = 0;
  for (const auto& device : devices) {
    if (device.views.empty()) continue;
    ++instances;
    EXPECT_THAT(device.id, HasSubstr("#MIG-"));
    EXPECT_EQ(device.parent_id, "pci:0000:01:00.0");
    EXPECT_EQ(device.views.size(), 1U);
    EXPECT_EQ(device.memory.total_bytes, device.views[0].device.memory_total_bytes);
  }
  EXPECT_EQ(instances, 2);
}

// The card as the kernel lists it, and what CUDA's report tells of it beside those that it shows.
std::string FactsOfTheFirst(const probe::ProbeReport& report) {
  probe::ProbeReport hardware;
  hardware.module = "sysfs";
  auto& card = hardware.hardware.emplace_back();
  card.source = "sysfs";
  card.identity.pci = probe::ParsePciAddress("0000:01:00.0");
  card.name = "Card";
  const std::array reports = {hardware, report};
  std::string all;
  for (const auto& device : probe::unify::Unify(reports)) {
    if (device.id != "pci:0000:01:00.0") continue;
    for (const auto& fact : device.hardware->facts) all += fact.key + "=" + fact.value + "\n";
  }
  return all;
}

TEST(CudaMachines, AGpuInMigModeWithoutAnInstanceBesideAWholeOneIsSaidToBe) {
  const auto report = CudaMachine(machines::Of(R"({"name": "NVIDIA A100", "pci": "0000:01:00.0",
      "uuid": "00000000000000000000000000000101", "attributes": {"mig": 1}},)" +
                                               machines::Gpu("NVIDIA A100", 2, 80)))
                          .Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_THAT(report.warnings,
              ElementsAre("NVIDIA A100 (0000:01:00.0) is in MIG mode and has no instance that CUDA can use"));
  EXPECT_EQ(FactsOfTheFirst(report),
            "unreached_error=no_mig_instance\n"
            "unreached_because=it is in MIG mode and has no instance that CUDA can use\n");
}

TEST(CudaMachines, AGpuThatIsLostIsNoOtherGpusFault) {
  const auto survey = [](int code, const char* more = "") {
    return CudaMachine(machines::Of(fmt::format(R"({{"name": "Lost", "pci": "0000:01:00.0",
      "uuid": "00000000000000000000000000000101", "attributes": {{"nvml_handle": {}}}}},)",
                                                code) +
                                        machines::Gpu("NVIDIA A100", 2, 80),
                                    more))
        .Survey();
  };
  for (const auto& [code, said] : {std::pair(8, "has no power"), {11, "no interrupts"}, {15, "fell off"}}) {
    const auto beside = survey(code);
    EXPECT_EQ(beside.devices.size(), 1U);
    EXPECT_THAT(beside.warnings, ElementsAre(testing::AllOf(HasSubstr("GPU 0"), HasSubstr(said))));
    ASSERT_EQ(beside.hardware.size(), 1U) << "which tells whose address it may be";
    EXPECT_EQ(*probe::FindFact(beside.hardware[0].facts, "unreached_because"), beside.warnings[0]);
    EXPECT_EQ(probe::unify::Unify({&beside, 1}).size(), 2U) << "it makes no device";
  }
  EXPECT_THAT(survey(4).warnings, testing::IsEmpty()) << "one of somebody else's";
  const auto none = survey(15, R"(, "misbehave": [{"at": "init", "do": "error", "code": 999}])");
  EXPECT_EQ(none.outcome, Outcome::kFailed);
  EXPECT_EQ(none.error->name, "NVML_ERROR_GPU_IS_LOST");
}

// Here no file shows a card.
TEST(CudaMachines, WhatTheManagementLibraryListsIsAGpuThatNobodyReaches) {
  const auto report =
      CudaMachine(machines::Of(machines::Gpu("NVIDIA A100", 1, 80),
                               R"(, "misbehave": [{"at": "init", "do": "error", "code": 803}])"))
          .Survey();
  if (report.hardware.empty()) GTEST_SKIP() << "this machine has a card of its own";
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  const auto devices = probe::unify::Unify({&report, 1});
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "NVIDIA A100");
  EXPECT_EQ(devices[0].kind, DeviceKind::kDiscrete);
  EXPECT_EQ(devices[0].memory.total_bytes, 1U << 30U);
  EXPECT_EQ(devices[0].hardware->identity.ids->vendor, 0x10deU);
}

TEST(CudaMachines, AMigInstanceCanBeChosen) {
  CudaMachine machine(machines::Of(machines::Gpu("NVIDIA A100", 1, 80, kMig)));
  const auto report =
      machine.Set("CUDA_VISIBLE_DEVICES", "MIG-aa000000-0000-0000-0000-000000000002").Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].identity.partition, "MIG-3-0");
}

TEST(CudaMachines, MemoryThatIsNotCountedIsSharedWithTheHost) {
  const auto report = CudaMachine(machines::Of(R"({"name": "NVIDIA GB10", "pci": "000f:01:00.0",
      "memory_total_bytes": 128849018880, "attributes": {"capability": 121, "integrated": 1, "nvml_memory": 0}})"))
                          .Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].kind, DeviceKind::kIntegrated);
  EXPECT_EQ(report.devices[0].unified_memory, true);
  EXPECT_EQ(report.devices[0].memory_total_bytes, 128849018880U);
  EXPECT_FALSE(report.devices[0].memory_free_bytes);
}

TEST(CudaMachines, AVariableThatHidesIsExplained) {
  const std::string scenario = machines::Of(machines::Gpu("A", 1, 80) + "," + machines::Gpu("B", 2, 80));
  CudaMachine one(scenario);
  const auto second = one.Set("CUDA_VISIBLE_DEVICES", "1").Survey();
  ASSERT_EQ(second.devices.size(), 1U);
  EXPECT_EQ(second.devices[0].name, "B");
  EXPECT_THAT(second.warnings, ElementsAre(HasSubstr("hides 1 of 2 GPUs: A (0000:01:00.0)")));
  CudaMachine by_uuid(scenario);
  const auto first = by_uuid.Set("CUDA_VISIBLE_DEVICES", "GPU-00000000-0000-0000-0000-000000000101").Survey();
  ASSERT_EQ(first.devices.size(), 1U);
  EXPECT_EQ(first.devices[0].name, "A");
  CudaMachine garbage(scenario);
  const auto kept = garbage.Set("CUDA_VISIBLE_DEVICES", "0,gpu1").Survey();
  EXPECT_EQ(kept.devices.size(), 1U);
  EXPECT_THAT(kept.warnings, testing::Contains(HasSubstr("\"gpu1\"")));
  CudaMachine none(scenario);
  const auto empty = none.Set("CUDA_VISIBLE_DEVICES", "").Survey();
  EXPECT_EQ(empty.outcome, Outcome::kHidden);
  EXPECT_THAT(empty.error->text, HasSubstr("2 GPUs"));
}

// What is shown of the GPUs A, B and C, and what is said beside which of them are hidden.
TEST(CudaMachines, EveryGrammarOfTheVariableIsRead) {
  const std::string scenario = machines::Of(machines::Gpu("A", 1, 80) + "," + machines::Gpu("B", 2, 80) +
                                            "," + machines::Gpu("C", 3, 80));
  const std::string uuid = "GPU-00000000-0000-0000-0000-00000000010";
  struct Row {
    std::string value, shown, said;
  };
  const Row rows[] = {{"2,0", "CA", ""},
                      {"+1", "B", ""},
                      {"1gpu2", "B", ""},
                      {"0, 1", "AB", ""},
                      {"0,0", "", "\"0\" is there twice"},
                      {"0,7,1", "A", "\"7\" names no GPU here"},
                      {"0,gpu1", "A", "\"gpu1\" is neither"},
                      {uuid + "2," + uuid + "1", "BA", ""},
                      {"0," + uuid + "2", "A", "not of one kind"},
                      {uuid, "", "names several GPUs"},
                      {"-1", "", ""},
                      {"", "", ""},
                      {"none", "", "\"none\" is neither"}};
  for (const auto& [value, shown, said] : rows) {
    CudaMachine machine(scenario);
    const auto report = machine.Set("CUDA_VISIBLE_DEVICES", value).Survey();
    std::string names;
    for (const auto& device : report.devices) names += device.name;
    EXPECT_EQ(names, shown) << value;
    EXPECT_EQ(report.outcome, shown.empty() ? Outcome::kHidden : Outcome::kOk) << value;
    // What it hides and what is wrong with it are one thing to mend.
    ASSERT_EQ(report.warnings.size(), 1U) << value;
    EXPECT_THAT(report.warnings[0], HasSubstr(fmt::format("hides {} of 3 GPUs", 3 - shown.size()))) << value;
    EXPECT_THAT(report.warnings[0], HasSubstr(said)) << value;
    EXPECT_EQ(report.hardware.size(), 3 - shown.size()) << value;
    for (const auto& hidden : report.hardware) {
      EXPECT_EQ(*probe::FindFact(hidden.facts, "hidden_by"), "CUDA_VISIBLE_DEVICES");
      const auto* because = probe::FindFact(hidden.facts, "hidden_because");
      EXPECT_EQ(because == nullptr, said.empty()) << value;
      EXPECT_THAT(because ? *because : "", HasSubstr(said)) << value;
      for (const auto& device : report.devices) EXPECT_NE(hidden.identity.pci, device.identity.pci) << value;
    }
  }
}

bool HidesAny(const probe::ProbeReport& report) {
  return std::any_of(report.hardware.begin(), report.hardware.end(),
                     [](const auto& one) { return probe::FindFact(one.facts, "hidden_by") != nullptr; });
}

// cuInit may work where no GPU is shown.
TEST(CudaMachines, WhatHidesEveryGpuIsToldOnce) {
  const std::string scenario = machines::Of(machines::Gpu("A", 1, 80) + "," + machines::Gpu("B", 2, 80),
                                            R"(, "attributes": {"starts_empty": 1})");
  CudaMachine hidden(scenario);
  const auto none = hidden.Set("CUDA_VISIBLE_DEVICES", "").Survey();
  EXPECT_EQ(none.outcome, Outcome::kHidden);
  EXPECT_THAT(none.warnings, ElementsAre(HasSubstr("hides 2 of 2 GPUs")));
  EXPECT_EQ(none.hardware.size(), 2U);
  for (const char* value : {"0", "0,1"}) {
    CudaMachine named(scenario);
    const auto silent = named.Set("CUDA_VISIBLE_DEVICES", value).Survey();
    EXPECT_EQ(silent.outcome, Outcome::kNoDevice) << value << ": it names a GPU";
    EXPECT_FALSE(HidesAny(silent)) << value;
    EXPECT_TRUE(silent.warnings.empty()) << value;
  }
  const auto without = CudaMachine(scenario).Survey();
  EXPECT_EQ(without.outcome, Outcome::kNoDevice);
  EXPECT_FALSE(HidesAny(without));
}

std::vector<std::string> HiddenBuses(const probe::ProbeReport& report) {
  std::vector<std::string> out;
  for (const auto& hardware : report.hardware) {
    if (probe::FindFact(hardware.facts, "hidden_by") != nullptr)
      out.push_back(std::to_string(hardware.identity.pci->bus));
  }
  return out;
}

// CUDA numbers two of these three.
TEST(CudaMachines, OfGpusBesideOneInMigModeAVariableIsBlamedByWhatCudaShows) {
  const auto survey = [](const char* value) {
    CudaMachine machine(machines::Of(machines::Gpu("A", 1, 89) + "," + machines::Gpu("B", 2, 90, kMig) + "," +
                                     machines::Gpu("C", 3, 89)));
    return machine.Set("CUDA_VISIBLE_DEVICES", value).Survey();
  };
  const auto none = survey("2");
  EXPECT_EQ(none.outcome, Outcome::kHidden);
  EXPECT_THAT(HiddenBuses(none), ElementsAre("1", "2", "3"));
  const auto all = survey("0,1,2");
  EXPECT_EQ(all.devices.size(), 2U);
  EXPECT_THAT(HiddenBuses(all), ElementsAre("2"));
}

TEST(CudaMachines, WhatHidesTheOthersHidesNothingOfAGpuWithoutAnInstance) {
  CudaMachine machine(machines::Of(R"({"name": "NVIDIA A100", "pci": "0000:01:00.0",
      "uuid": "00000000000000000000000000000101", "attributes": {"mig": 1}},)" +
                                   machines::Gpu("NVIDIA A100", 2, 80)));
  const auto report = machine.Set("CUDA_VISIBLE_DEVICES", "1").Survey();
  EXPECT_EQ(report.outcome, Outcome::kHidden);
  EXPECT_THAT(HiddenBuses(report), ElementsAre("2"));
  EXPECT_THAT(FactsOfTheFirst(report), HasSubstr("unreached_error=no_mig_instance"));
}

TEST(CudaMachines, AnOldDriverSaysWhatItRuns) {
  const auto report = CudaMachine(R"({"driver_version": "470.256.02", "attributes": {"driver_cuda": 11040},
      "devices": [{"name": "Tesla K80", "attributes": {"capability": 37}}]})")
                          .Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].api_version, "11.4");
  EXPECT_EQ(FactOf(report.devices[0], "cuda_runs_up_to"), "11.x");
}

}  // namespace
