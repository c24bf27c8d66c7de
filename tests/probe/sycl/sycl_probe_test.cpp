// SPDX-License-Identifier: MIT
// The probe on the fake loader: what it tells of devices, tiles and the selector, and what keeps devices
// away.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "probe/core/names.h"
#include "probe/sycl/sycl_api.h"
#include "probe/system/loader_path.h"
#include "probe/unify/unify.h"
#include "tests/backends/sycl/machine.h"

namespace {

using probe::DeviceKind;
using probe::Outcome;
using probe::ProbeReport;
using probe::RuntimeDevice;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using tests::kTwoTiles;
using tests::SyclMachine;
using tests::ZeGpu;
using tests::ZeMachine;

constexpr std::string_view kProcessor =
    R"({"name": "Some CPU", "type": "cpu", "vendor_id": 32902, "memory_total_bytes": 4294967296})";
constexpr std::string_view kSelector = "ONEAPI_DEVICE_SELECTOR";

std::string FactOf(const RuntimeDevice& device, std::string_view key) {
  const std::string* value = probe::FindFact(device.facts, key);
  return value == nullptr ? "" : *value;
}
// "0000:03:00.0#tile0", with a star where the selector hides it; a processor is "#".
std::vector<std::string> Names(const ProbeReport& report) {
  std::vector<std::string> names;
  for (const RuntimeDevice& device : report.devices) {
    const auto& identity = device.identity;
    names.push_back((identity.pci ? ToString(*identity.pci) : "") + "#" + identity.partition.value_or("") +
                    (FactOf(device, "hidden_by") == kSelector ? "*" : ""));
  }
  return names;
}

TEST(SyclProbe, TellsWhatADeviceIs) {
  const auto report =
      SyclMachine(ZeGpu(3, 1255, "", R"(, "clock_mhz": 2100, "memory_free_bytes": 200000000)")).Survey();
  ASSERT_EQ(report.outcome, Outcome::kOk) << Describe(report.error.value_or(probe::Error{}));
  ASSERT_THAT(report.devices, SizeIs(1));
  const RuntimeDevice& device = report.devices[0];
  EXPECT_EQ(device.name, "Arc 3");
  EXPECT_EQ(device.driver, "Intel(R) oneAPI Unified Runtime over Level-Zero");
  EXPECT_EQ(device.vendor, "Intel");
  EXPECT_EQ(device.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(ToString(device.identity.pci.value_or(probe::PciAddress{})), "0000:03:00.0");
  EXPECT_EQ(device.identity.ids.value_or(probe::PciIds{}).device, 0x56a3U);
  EXPECT_FALSE(device.identity.partition);
  EXPECT_EQ(device.architecture, "ip-12.55");
  EXPECT_EQ(device.driver_version, "1.6.31294");
  EXPECT_EQ(device.memory_total_bytes, 256U << 20U);
  EXPECT_EQ(device.memory_free_bytes, 200000000U);
  EXPECT_EQ(device.compute_units, 16U);
  EXPECT_EQ(device.clock_max_hz, 2.1e9);
  EXPECT_THAT(device.dtypes, ElementsAre("fp32", "int32", "fp16"));
  EXPECT_THAT(device.matrix_units, ElementsAre("fp16/fp32", "bf16/fp32", "int8/int32"));
  EXPECT_EQ(FactOf(device, "backend"), "level_zero");
  EXPECT_EQ(FactOf(device, "visible_as"), "level_zero:0");
  EXPECT_EQ(FactOf(device, "subgroup_sizes"), "8 16 32");
}

TEST(SyclProbe, TellsTheSameOfAnEarlierRelease) {
  const auto devices = ZeGpu(3, 1255) + "," + std::string(kProcessor);
  const auto now = SyclMachine(devices).Survey();
  const auto then = SyclMachine(devices, "", FAKE_SYCL_2025_1_LIBRARY).Survey();
  ASSERT_THAT(now.devices, SizeIs(2));
  EXPECT_EQ(now.devices, then.devices);
}

TEST(SyclProbe, KnowsAProcessorForASoftwareDevice) {
  const auto report = SyclMachine(kProcessor).Survey();
  ASSERT_THAT(report.devices, SizeIs(1));
  const RuntimeDevice& device = report.devices[0];
  EXPECT_EQ(device.kind, DeviceKind::kSoftware);
  EXPECT_EQ(FactOf(device, "backend"), "opencl");
  EXPECT_EQ(FactOf(device, "visible_as"), "opencl:0");
  EXPECT_EQ(FactOf(device, "native_vector_width_float"), "16");
  EXPECT_FALSE(device.identity.ids);
}

TEST(SyclProbe, IsOneDeviceWithWhatItStandsOn) {
  const std::string gpus = ZeGpu(3, 1260, "", kTwoTiles) + "," + ZeGpu(4, 1255);
  const auto seen = [&](const std::string& mask) {
    const std::array reports = {SyclMachine(gpus).Set("ZE_AFFINITY_MASK", mask).Survey(),
                                ZeMachine(gpus).Set("ZE_AFFINITY_MASK", mask).Survey()};
    std::vector<std::string> ids;
    for (const auto& device : probe::unify::Unify(reports)) {
      if (!device.views.empty()) ids.push_back(device.id + (device.views.size() == 2 ? "" : " by one alone"));
    }
    return ids;
  };
  EXPECT_THAT(seen(""), ElementsAre("pci:0000:03:00.0#tile0", "pci:0000:03:00.0#tile1", "pci:0000:04:00.0"));
  EXPECT_THAT(seen("1"), ElementsAre("pci:0000:03:00.0#tile1"))
      << "of a tile that is left SYCL tells no number";
}

TEST(SyclProbe, HasNoUseForADeviceWithoutSpirV) {
  const auto report = SyclMachine(ZeGpu(3, 1255, R"(, "no_spirv": 1)")).Survey();
  EXPECT_THAT(report.devices, SizeIs(0));
  ASSERT_THAT(report.drivers, SizeIs(1));
  EXPECT_EQ(report.drivers[0].outcome, Outcome::kNoDevice);
  EXPECT_THAT(report.drivers[0].error.value_or(probe::Error{}).text, HasSubstr("SPIR-V"));
}

TEST(SyclProbe, TellsWhatTheSelectorHides) {
  const std::string devices = ZeGpu(3, 1255) + "," + ZeGpu(4, 1255) + "," + std::string(kProcessor);
  const auto names = [&](const char* selector) {
    return Names(SyclMachine(devices).Set(std::string(kSelector), selector).Survey());
  };
  EXPECT_THAT(names("level_zero:1"), ElementsAre("0000:03:00.0#*", "0000:04:00.0#", "#*"));
  EXPECT_THAT(names("*:gpu"), ElementsAre("0000:03:00.0#", "0000:04:00.0#", "#*"));
  EXPECT_THAT(names("!level_zero:gpu"), ElementsAre("0000:03:00.0#*", "0000:04:00.0#*", "#"));
  EXPECT_THAT(names("level_zero:0;level_zero:1"), ElementsAre("0000:03:00.0#", "0000:04:00.0#", "#*"));
  EXPECT_THAT(names("*:acc"), ElementsAre("0000:03:00.0#*", "0000:04:00.0#*", "#*"));
  EXPECT_THAT(names("opencl:cpu"), ElementsAre("0000:03:00.0#*", "0000:04:00.0#*", "#"));
}

TEST(SyclProbe, KeepsACardOfWhichATileIsSelected) {
  const std::string gpus = ZeGpu(3, 1260, "", kTwoTiles) + "," + ZeGpu(4, 1260);
  const auto report = SyclMachine(gpus)
                          .Set("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE")
                          .Set(std::string(kSelector), "level_zero:0.1")
                          .Survey();
  EXPECT_THAT(Names(report), ElementsAre("0000:03:00.0#", "0000:04:00.0#*"));
  EXPECT_EQ(FactOf(report.devices.at(0), "tiles"), "2");
}

TEST(SyclProbe, ReadsTheSelectorOfAnEarlierReleaseAlike) {
  const auto devices = ZeGpu(3, 1255) + "," + std::string(kProcessor);
  const auto report =
      SyclMachine(devices, "", FAKE_SYCL_2025_1_LIBRARY).Set(std::string(kSelector), "opencl:cpu").Survey();
  EXPECT_THAT(Names(report), ElementsAre("0000:03:00.0#*", "#"));
  EXPECT_THAT(report.warnings, SizeIs(0));
}

TEST(SyclProbe, SaysThatProgramsFailWithAMalformedSelector) {
  for (const char* selector : {"", "garbage", "opencl", "level_zero:", "no_such:0", "opencl:foo"}) {
    const auto report = SyclMachine(ZeGpu(3, 1255)).Set(std::string(kSelector), selector).Survey();
    EXPECT_THAT(Names(report), ElementsAre("0000:03:00.0#*")) << selector;
    EXPECT_THAT(report.warnings, Contains(HasSubstr("SYCL programs that ask for devices fail"))) << selector;
    EXPECT_EQ(FactOf(report.devices.at(0), "note"), "malformed_selector") << selector;
  }
  EXPECT_THAT(SyclMachine(ZeGpu(3, 1255)).Survey().warnings, SizeIs(0));
}

// Of each its number, with what hides it.
TEST(SyclProbe, CountsOnFromOnePlatformToTheNext) {
  const auto numbers = [](const std::string& more) {
    std::vector<std::string> out;
    const auto gpus =
        ZeGpu(3, 1255) + "," + ZeGpu(4, 1255, R"(, "driver": 1)") + "," + ZeGpu(5, 1255, R"(, "driver": 1)");
    const auto report = SyclMachine(gpus, R"(, "attributes": {"drivers": 2})" + more)
                            .Set(std::string(kSelector), "level_zero:1")
                            .Survey();
    for (const RuntimeDevice& device : report.devices)
      out.push_back(FactOf(device, "visible_as") + " " + FactOf(device, "hidden_by") +
                    (FactOf(device, "unnumbered").empty() ? "" : "?"));
    return out;
  };
  const std::string hidden(kSelector);
  EXPECT_THAT(numbers(""), ElementsAre("level_zero:0 " + hidden, "level_zero:1 ", "level_zero:2 " + hidden));
  const auto failing = [](const char* where) {
    return fmt::format(R"(, "misbehave": [{{"at": "{}", "do": "error", "code": 1, "device": 0}}])", where);
  };
  EXPECT_THAT(numbers(failing("properties")), ElementsAre("level_zero:1 ", "level_zero:2 " + hidden));
  EXPECT_THAT(numbers(failing("enumerate")), ElementsAre(" ?", " ?")) << "how many it has is not known";
}

// What torch.xpu has of each, and what the note says.
TEST(SyclProbe, CountsDevicesAsPyTorchDoes) {
  const auto counts = [](const SyclMachine& machine) {
    std::string text;
    const auto report = machine.Survey();
    for (const RuntimeDevice& device : report.devices) text += FactOf(device, "torch_xpu") + " ";
    return text + FactOf(report.devices.at(0), "note_because");
  };
  const std::string tiles = ZeGpu(3, 1260, "", kTwoTiles);
  const std::string graphics = ZeGpu(2, 1202, "", R"(, "type": "integrated")");
  const std::string processor = "," + std::string(kProcessor);
  EXPECT_EQ(counts(SyclMachine(tiles + processor)), "1 1  torch.xpu would see 2 devices");
  EXPECT_EQ(counts(SyclMachine(tiles).Set("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE")),
            "1 torch.xpu would see 1 device");
  EXPECT_EQ(counts(SyclMachine(tiles).Set("ZE_AFFINITY_MASK", "1")), "1 torch.xpu would see 1 device");
  EXPECT_EQ(counts(SyclMachine(graphics + "," + ZeGpu(3, 1255))), "0 1 torch.xpu would see 1 device");
  EXPECT_EQ(counts(SyclMachine(graphics)), "1 torch.xpu would see 1 device");
  EXPECT_EQ(counts(SyclMachine(graphics + "," + ZeGpu(3, 1255)).Set(std::string(kSelector), "level_zero:0")),
            "1 0 torch.xpu would see 1 device");
  EXPECT_EQ(counts(SyclMachine(tiles + "," + ZeGpu(4, 1260))
                       .Set("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE")
                       .Set(std::string(kSelector), "level_zero:0.*")),
            "2 0 torch.xpu would see 2 devices");
  EXPECT_EQ(counts(SyclMachine(ZeGpu(3, 1255)).Set(std::string(kSelector), "opencl:cpu")),
            "0 torch.xpu would see 0 devices");
}

TEST(SyclProbe, BlamesTheVariableThatLeavesNoAdapter) {
  SyclMachine machine(ZeGpu(3, 1255));
  const auto adapter = machine.tree().Write("/none.so", "");
  const auto report = machine.Set("UR_ADAPTERS_FORCE_LOAD", adapter).Survey();
  EXPECT_EQ(report.outcome, Outcome::kHidden);
  EXPECT_THAT(report.error.value_or(probe::Error{}).text, HasSubstr("UR_ADAPTERS_FORCE_LOAD"));
}

// As root, what anybody may write is not loaded, whichever loader below would.
TEST(SyclProbe, KeepsFromRootWhatOthersMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: only root is kept from other users' files";
  SyclMachine machine(ZeGpu(3, 1255));
  const auto vendors = machine.tree().At("/lib");
  EXPECT_EQ(machine.VariableAfter("OCL_ICD_VENDORS"), vendors);
  machine.tree().Write("/lib/other.icd", "libother.so\n", 0666);
  EXPECT_NE(machine.VariableAfter("OCL_ICD_VENDORS"), vendors);
  EXPECT_THAT(machine.Survey().warnings, Contains(HasSubstr("other.icd")));

  const auto driver = machine.tree().Write("/driver.so", "", 0666);
  for (const char* variable : {"UR_ADAPTERS_FORCE_LOAD", "ZE_ENABLE_ALT_DRIVERS"}) {
    SyclMachine other(ZeGpu(3, 1255));
    EXPECT_EQ(other.Set(variable, driver).VariableAfter(variable), "") << variable;
    EXPECT_THAT(other.Survey().warnings, Contains(HasSubstr(variable))) << variable;
  }
  const auto adapter = machine.tree().Write("/more/libur_adapter_opencl.so.0", "", 0666);
  SyclMachine other(ZeGpu(3, 1255));
  other.Set("UR_ADAPTERS_SEARCH_PATH", machine.tree().At("/more"));
  EXPECT_EQ(other.VariableAfter("UR_ADAPTERS_SEARCH_PATH"), "");
  EXPECT_THAT(other.Survey().warnings, Contains(HasSubstr(adapter)));
  machine.tree().Write("/lib/libur_adapter_opencl.so.0", "", 0666);
  EXPECT_EQ(machine.Survey().outcome, Outcome::kFailed)
      << "what lies beside the loader can not be kept from it";
}

// Where the system finds it alone: the loader asks for adapters by their bare names.
TEST(SyclProbe, DoesNotOpenALoaderThatWouldLoadAnybodysAdapter) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: only root is kept from other users' files";
  const probe::system::TemporaryTree tree;
  tree.Write("/opt/libur_loader.so.0", "");
  const auto restrict_there = [&] {
    return tests::RunWith({}, [&](const auto&, const auto& environment) -> std::string {
      const auto files = probe::system::FileSystem::Open(tree.root());
      const auto kept_out = probe::sycl::RestrictLoader({"libur_loader.so.0", "/opt/libur_loader.so.0", {}},
                                                        *files, environment);
      return kept_out ? "" : Describe(kept_out.error());
    });
  };
  EXPECT_EQ(restrict_there(), "");
  const auto directories = probe::system::LoaderDirectories();
  ASSERT_FALSE(directories.empty());
  const auto adapter = directories.back() + "/libur_adapter_hip.so.0";
  tree.Write(adapter, "", 0666);
  EXPECT_THAT(restrict_there(), HasSubstr(adapter));
}

// As the loader reads them, with what is not there dropped: others may put it there in between.
TEST(SyclProbe, LeavesTheLoaderListsOfAdaptersAsItReadsThem) {
  SyclMachine machine(ZeGpu(3, 1255));
  const auto more = machine.tree().At("/more");
  machine.tree().Write("/more/readme", "");
  const auto left = [&](const char* variable, const std::string& value) {
    machine.Set(variable, value);
    const auto after = machine.VariableAfter(variable);
    EXPECT_THAT(machine.Survey().warnings, SizeIs(value.starts_with(' ') ? 1 : 0)) << value;
    return after;
  };
  constexpr const char* kSearch = "UR_ADAPTERS_SEARCH_PATH";
  EXPECT_EQ(left(kSearch, "'" + more + "'"), more);
  EXPECT_EQ(left(kSearch, "\"" + more + "\"," + machine.tree().At("/none")), more);
  EXPECT_EQ(left(kSearch, machine.tree().At("/none")), "");
  EXPECT_EQ(left(kSearch, " " + more), "") << "a relative path";
  machine.Set(kSearch, "");
  EXPECT_EQ(left("UR_ADAPTERS_FORCE_LOAD", machine.tree().At("/none")), "/dev/null/none");
  EXPECT_EQ(left("UR_ENABLE_LAYERS", "UR_LAYER_TRACING"), "");
  EXPECT_EQ(left("XPTI_FRAMEWORK_DISPATCHER", more), "");
}

// The newest releases load both, and a GPU may be the second one's alone.
TEST(SyclProbe, AsksForBothAdaptersOfLevelZero) {
  SyclMachine machine(ZeGpu(3, 1255));
  EXPECT_THAT(machine.Survey().drivers, SizeIs(1));
  machine.tree().Write("/lib/libur_adapter_level_zero_v2.so.0", "no library", 0755);
  EXPECT_THAT(machine.Survey().drivers, SizeIs(2));
}

TEST(SyclProbe, SaysWhichLibraryAnAdapterLacks) {
  SyclMachine machine(ZeGpu(3, 1255), R"(, "attributes": {"no_adapters": 1})");
  machine.tree().Write("/lib/libur_adapter_level_zero.so.0", "not an ELF file", 0755);
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  const auto error = report.error.value_or(probe::Error{});
  EXPECT_EQ(error.name, "adapter_unloadable");
  EXPECT_THAT(error.text, HasSubstr("libur_adapter_level_zero.so.0"));
}

// Of every folder that the loader looks in, each once, whatever names it has.
TEST(SyclProbe, LooksForAdaptersWhereTheLoaderDoes) {
  constexpr std::string_view kNoAdapters = R"(, "attributes": {"no_adapters": 1})";
  const auto broken = [](const SyclMachine& machine) {
    std::vector<std::string> paths;
    for (const auto& driver : machine.Survey().drivers) paths.push_back(driver.library.value_or(""));
    return paths;
  };
  SyclMachine named(ZeGpu(3, 1255), kNoAdapters);
  const auto lib = named.tree().At("/lib");
  const auto more = named.tree().Write("/more/libur_adapter_opencl.so.0", "no library", 0755);
  const auto beside = named.tree().Write("/lib/libur_adapter_level_zero.so.0", "no library", 0755);
  named.tree().Link("/again", lib);
  named.Set("UR_ADAPTERS_SEARCH_PATH", named.tree().At("/more"))
      .Set("LD_LIBRARY_PATH", lib + ":" + named.tree().At("/again"));
  EXPECT_THAT(broken(named), ElementsAre(more, beside));

  SyclMachine linked(ZeGpu(3, 1255), kNoAdapters);
  const auto adapter = linked.tree().Write("/sycl/lib/libur_adapter_level_zero.so.0", "no library", 0755);
  linked.tree().Link("/sycl/lib/libur_loader.so.0", FAKE_SYCL_LIBRARY);
  linked.Set("WHICHGPU_LIBRARY_PATH", "").Set("CMPLR_ROOT", linked.tree().At("/sycl"));
  const auto library = linked.Survey().library;
  if (library && library->path != std::filesystem::canonical(FAKE_SYCL_LIBRARY))
    GTEST_SKIP() << "skipped: the loader that the system has comes first";
  EXPECT_THAT(broken(linked), ElementsAre(adapter));
}

TEST(SyclProbe, IsOfNoUseWithoutAnAdapter) {
  const auto report = SyclMachine(ZeGpu(3, 1255), R"(, "attributes": {"no_adapters": 1})").Survey();
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  EXPECT_EQ(report.error.value_or(probe::Error{}).name, "no_adapter");
}

TEST(SyclProbe, NamesTheCodeOfALoaderThatFails) {
  const auto report =
      SyclMachine(ZeGpu(3, 1255), R"(, "misbehave": [{"at": "init", "do": "error", "code": 38}])").Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.error.value_or(probe::Error{}).name, "UR_RESULT_ERROR_OUT_OF_HOST_MEMORY");
}

TEST(SyclProbe, IsAbsentWithoutALoader) {
  const probe::system::TemporaryTree nothing;
  const auto report = tests::SurveyWith(
      {{"WHICHGPU_LIBRARY_PATH", nothing.At("/lib")}, {"HOME", nothing.root()}}, probe::sycl::Describe());
  if (report.library) GTEST_SKIP() << "skipped: this machine has a loader of its own";
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  EXPECT_THAT(report.devices, SizeIs(0));
}

}  // namespace
