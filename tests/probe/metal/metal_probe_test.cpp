// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "probe/metal/metal_api.h"
#include "tests/backends/metal/machine.h"

namespace {

using probe::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::MetalGpu;

class MetalMachine : public tests::MetalMachine {
 public:
  explicit MetalMachine(std::string_view gpus, std::string_view more = "")
      : tests::MetalMachine(FAKE_METAL_LIBRARY, gpus, more) {}
};

std::string FactOf(const probe::RuntimeDevice& device, std::string_view key) {
  const std::string* value = probe::FindFact(device.facts, key);
  return value == nullptr ? "none" : *value;
}

TEST(MetalProbe, IsOfNoOtherSystemAndLoadsNothingThere) {
  const auto files = probe::system::FileSystem::Open("/");
  const probe::system::Environment environment;
  probe::ProbeReport report;
  const probe::ProbeContext context{*files, environment, std::nullopt,
                                    [&](const probe::ProbeEvent& event) { Apply(event, report); }};
  const auto module = probe::metal::Describe();
  EXPECT_TRUE(module.loads_nothing(context));
  module.probe(context);
  probe::Conclude(report);
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  ASSERT_TRUE(report.error.has_value());
  EXPECT_THAT(report.error->text, HasSubstr("a part of Apple's systems"));
}

TEST(MetalProbe, SaysWhatAnApplesGpuIs) {
  const auto report = MetalMachine(MetalGpu(R"("apple_family": 9, "metal4": 1, "gpu_cores": 10)")).Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.outcome, Outcome::kOk);
  const auto& device = report.devices[0];
  EXPECT_EQ(device.name, "Apple M1");
  EXPECT_EQ(device.vendor, "Apple");
  EXPECT_EQ(device.kind, probe::DeviceKind::kIntegrated);
  EXPECT_EQ(device.architecture, "apple9");
  EXPECT_EQ(device.unified_memory, true);
  EXPECT_EQ(device.memory_total_bytes, 1073741824U);
  EXPECT_EQ(device.subgroup_width, 32U);
  EXPECT_EQ(device.compute_units, 10U);
  EXPECT_THAT(device.dtypes, ElementsAre("fp32", "fp16", "bf16"));
  EXPECT_THAT(device.matrix_units, ElementsAre("fp32/fp32", "fp16/fp32", "bf16/fp32"));
  EXPECT_EQ(FactOf(device, "registry_id"), "0x1000002a0");
  EXPECT_EQ(FactOf(device, "location"), "built in");
  EXPECT_EQ(FactOf(device, "location_number"), "none") << "there are no slots";
  EXPECT_EQ(FactOf(device, "recommended_max_working_set_bytes"), "1073741824");
  EXPECT_EQ(FactOf(device, "max_buffer_bytes"), "536870912");
  EXPECT_EQ(FactOf(device, "architecture_name"), "applegpu_g13g");
  EXPECT_EQ(FactOf(device, "metal3") + FactOf(device, "metal4"), "11");
  EXPECT_EQ(FactOf(device, "note"), "neural_engine");
  EXPECT_THAT(FactOf(device, "note_because"), HasSubstr("through Core ML or MPSGraph"));
  EXPECT_EQ(device.identity.ids, (probe::PciIds{0x106b, 0, {}, {}, {}})) << "data sheets are found by it";
}

TEST(MetalProbe, TellsAMacsCardsFromItsProcessorsGpu) {
  const auto gpu = [](std::string_view name, std::string_view attributes) {
    return fmt::format(R"({{"name": "{}", "attributes": {{"apple_family": 0, "mac2": 1{}}}}})", name,
                       attributes);
  };
  const auto report =
      MetalMachine(gpu("AMD Radeon Pro 5500M", R"(, "location": 1)") + ", " +
                   gpu("Intel UHD Graphics 630", R"(, "low_power": 1)") + ", " +
                   gpu("AMD Radeon RX 580", R"(, "location": 2, "removable": 1, "headless": 1)"))
          .Survey();
  ASSERT_EQ(report.devices.size(), 3U);
  EXPECT_EQ(report.devices[0].kind, probe::DeviceKind::kDiscrete);
  EXPECT_EQ(report.devices[1].kind, probe::DeviceKind::kIntegrated);
  EXPECT_EQ(report.devices[2].kind, probe::DeviceKind::kDiscrete);
  EXPECT_EQ(FactOf(report.devices[0], "location") + FactOf(report.devices[0], "location_number"), "slot0");
  EXPECT_EQ(FactOf(report.devices[2], "location"), "external");
  EXPECT_EQ(FactOf(report.devices[2], "removable") + FactOf(report.devices[2], "headless"), "11");
  EXPECT_EQ(report.devices[0].vendor, "AMD");
  EXPECT_EQ(report.devices[1].vendor, "Intel");
  EXPECT_FALSE(report.devices[0].identity.ids.has_value());
  EXPECT_EQ(report.devices[0].architecture, "mac2");
  EXPECT_TRUE(report.devices[0].matrix_units.empty());
  EXPECT_EQ(FactOf(report.devices[0], "note"), "none") << "no chip of Apple's";
  EXPECT_EQ(FactOf(report.devices[2], "registry_id"), "0x1000002a2");
}

TEST(MetalProbe, LeavesUnknownWhatAnOlderSystemDoesNotTell) {
  const auto thirteen = MetalMachine(MetalGpu(), R"(, "attributes": {"macos": 13})").Survey();
  ASSERT_EQ(thirteen.devices.size(), 1U);
  EXPECT_THAT(thirteen.devices[0].dtypes, ElementsAre("fp32", "fp16"));
  EXPECT_EQ(FactOf(thirteen.devices[0], "architecture_name"), "none");
}

TEST(MetalProbe, WithoutADeviceHasNone) {
  EXPECT_EQ(MetalMachine("").Survey().outcome, Outcome::kNoDevice);
  const auto refused =
      MetalMachine(MetalGpu(), R"(, "misbehave": [{"at": "init", "do": "error", "code": 1}])").Survey();
  EXPECT_EQ(refused.outcome, Outcome::kNoDevice) << "nil is a list of none";
}

// Metal itself does not tell.
TEST(MetalProbe, KnowsCoresWhereTheRegistryDoes) {
  const auto cores = [](const MetalMachine& machine) {
    const auto report = machine.Survey();
    return report.devices.size() == 1 ? report.devices[0].compute_units : std::optional(99U);
  };
  for (const char* said : {R"("gpu_cores": 0)", R"("gpu_cores": -1)", R"("gpu_cores": 1000000)"})
    EXPECT_EQ(cores(MetalMachine(MetalGpu(said))), std::nullopt) << said;
  for (const char* name : {"IOKit", "CoreFoundation"}) {
    MetalMachine machine(MetalGpu(R"("gpu_cores": 10)"));
    EXPECT_EQ(cores(machine), 10U);
    machine.Library(name, "");
    EXPECT_EQ(cores(machine), std::nullopt) << name;
  }
}

TEST(MetalProbe, NeedsBothLibraries) {
  for (const char* name : {"Metal", "libobjc.A.dylib"}) {
    MetalMachine machine(MetalGpu());
    machine.Library(name, "");
    EXPECT_EQ(machine.Survey().outcome, Outcome::kAbsent) << name;
  }
}

// A file of such a name in the system's folders is nothing of Apple's.
TEST(MetalProbe, LooksForTheLastPartOfANameWhereTheUserSaysAlone) {
  EXPECT_EQ(MetalMachine(MetalGpu()).SurveyBySystemsFolders().outcome, Outcome::kAbsent);
}

TEST(MetalProbe, NamesTheFunctionThatIsMissing) {
  MetalMachine machine(MetalGpu());
  machine.Library("Metal", "/proc/self/exe");
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed) << "a program is no library";
}

TEST(MetalProbe, HoldsNothingAfterwards) {
  const MetalMachine machine(MetalGpu(R"("gpu_cores": 8)") + ", " + MetalGpu());
  EXPECT_EQ(machine.Run([](const auto& files, const auto& environment) {
    int devices = 0;
    probe::metal::Describe().probe({files, environment, std::nullopt, [&](const probe::ProbeEvent& event) {
                                      devices += std::holds_alternative<probe::RuntimeDevice>(event) ? 1 : 0;
                                    }});
    return fmt::format("{} devices; {}", devices, tests::StillHeld(FAKE_METAL_LIBRARY));
  }),
            "2 devices; ");
}

}  // namespace
