// SPDX-License-Identifier: MIT
// The probe on libraries that are no driver, and on drivers that fail.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/fakes/cuda/fake_machine.h"

namespace {

using probe::Outcome;
using probe::Stage;
using testing::HasSubstr;
using tests::CudaMachine;
namespace machines = tests::machines;

TEST(CudaProbe, SaysThatThereIsNoDriver) {
  CudaMachine machine;
  const auto report = machine.Library("libcuda.so.1", "").Survey();
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  EXPECT_EQ(report.stage, Stage::kLoad);
}

TEST(CudaProbe, TellsTheToolkitsStubFromADriver) {
  const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "no CUDA toolkit here, so no stub";
  CudaMachine machine;
  const auto report = machine.Library("libcuda.so.1", stub).Library("libnvidia-ml.so.1", "").Survey();
  EXPECT_EQ(report.outcome, Outcome::kAbsent);
  EXPECT_EQ(report.stage, Stage::kInit);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, 34);
  EXPECT_EQ(report.error->name, "stub_here") << "for this tool alone";
}

TEST(CudaProbe, WarnsOfDevicesThatItDoesNotLookAt) {
  const auto survey = [](int count) {
    std::string gpus;
    for (int number = 1; number <= count; ++number)
      gpus += (number > 1 ? "," : "") + machines::Gpu("NVIDIA Fake", number, 90, "");
    return CudaMachine(machines::Of(gpus, "")).Survey();
  };
  const auto many = survey(130);
  EXPECT_EQ(many.devices.size(), 128U);
  EXPECT_THAT(many.warnings,
              testing::Contains("CUDA has 128 devices or more: no more than 128 are looked at"));
  EXPECT_THAT(survey(127).warnings, testing::Not(testing::Contains(HasSubstr("looked at"))));
}

TEST(CudaProbe, RefusesALibraryForAnotherProcessor) {
  // The header of a shared library for 32-bit x86.
  std::string elf(
      "\x7f"
      "ELF\x01\x01\x01",
      7);
  elf.resize(16, '\0');
  elf += std::string("\x03\0\x03\0\x01\0\0\0", 8);
  elf.resize(4096, '\0');
  CudaMachine machine;
  const auto file = machine.tree().Write("/thirty-two", elf, 0755);
  const auto report = machine.Library("libcuda.so.1", file).Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.stage, Stage::kLoad);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "unloadable");
  EXPECT_THAT(report.error->text, HasSubstr("ELFCLASS32"));
}

TEST(CudaProbe, RefusesATextFile) {
  CudaMachine machine;
  const auto file = machine.tree().Write("/text", "libcuda lives elsewhere\n");
  const auto report = machine.Library("libcuda.so.1", file).Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "unloadable");
  EXPECT_THAT(report.error->text, HasSubstr("libcuda.so.1"));
}

TEST(CudaProbe, NamesASymbolThatIsMissing) {
  CudaMachine machine;
  const auto report = machine.Library("libcuda.so.1", FAKE_CUDA_OLD_LIBRARY).Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.stage, Stage::kSymbols);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->name, "missing_symbol");
  EXPECT_THAT(report.error->call, HasSubstr("cuMemGetInfo_v2"));
}

struct CodeRow {
  int code;
  Outcome outcome;
  const char* name;
};
class CudaInitError : public testing::TestWithParam<CodeRow> {};

TEST_P(CudaInitError, HasItsOutcomeAndName) {
  const CudaMachine machine(machines::Of(
      machines::Gpu("H100", 1, 90),
      R"(, "misbehave": [{"at": "init", "do": "error", "code": )" + std::to_string(GetParam().code) + "}]"));
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, GetParam().outcome);
  EXPECT_EQ(report.stage, Stage::kInit);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->call, "cuInit");
  EXPECT_EQ(report.error->code, GetParam().code);
  EXPECT_EQ(report.error->name, GetParam().name);
  EXPECT_FALSE(report.error->text.empty());
  ASSERT_TRUE(report.library);
}
INSTANTIATE_TEST_SUITE_P(, CudaInitError,
                         testing::Values(CodeRow{34, Outcome::kAbsent, "stub_here"},
                                         CodeRow{100, Outcome::kNoDevice, "CUDA_ERROR_NO_DEVICE"},
                                         CodeRow{802, Outcome::kFailed, "CUDA_ERROR_SYSTEM_NOT_READY"},
                                         CodeRow{803, Outcome::kFailed, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                         CodeRow{804, Outcome::kFailed,
                                                 "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
                                         CodeRow{999, Outcome::kFailed, "nvidia_uvm_broken"}),
                         [](const auto& tested) { return "Code" + std::to_string(tested.param.code); });

TEST(CudaProbe, ReportsAManagementLibraryOfAnotherVersion) {
  const CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80),
                                         R"(, "attributes": {"nvml_init": 18},
      "misbehave": [{"at": "init", "do": "error", "code": 803}])"));
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  ASSERT_EQ(report.drivers.size(), 1U);
  ASSERT_TRUE(report.drivers[0].error);
  EXPECT_EQ(report.drivers[0].error->name, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
}

TEST(CudaProbe, DoesWithoutTheManagementLibrary) {
  CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80)));
  const auto report = machine.Library("libnvidia-ml.so.1", "").Survey();
  ASSERT_EQ(report.devices.size(), 1U);
  EXPECT_EQ(report.devices[0].memory_total_bytes, 1U << 30U);
  EXPECT_FALSE(report.devices[0].memory_free_bytes);
}

std::string ThatFails(int code) {
  return fmt::format(R"({{"misbehave": [{{"at": "init", "do": "error", "code": {}}}]}})", code);
}

TEST(CudaProbe, PassesOverAFileThatIsNotThisMachinesDriver) {
  for (const int code : {34, 100, 803, 804}) {
    CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80)));
    const auto compat = machine.Before("/compat", "libcuda.so.1", ThatFails(code));
    const auto stub = machine.Before("/stubs", "libcuda.so.1", ThatFails(34));
    EXPECT_EQ(machine.Survey().drivers.at(0).error->name, "before_driver_here") << "of this tool alone";
    EXPECT_THAT(machine.Survey().warnings, testing::Not(testing::Contains(HasSubstr("programs"))));
    machine.Set("LD_LIBRARY_PATH", stub.substr(0, stub.rfind('/')));
    const auto report = machine.Survey();
    EXPECT_EQ(report.outcome, Outcome::kOk) << code;
    ASSERT_EQ(report.devices.size(), 1U) << code;
    EXPECT_EQ(report.library->path, FAKE_CUDA_LIBRARY);
    EXPECT_EQ(tests::FactOf(report.devices[0], "libcuda"), FAKE_CUDA_LIBRARY);
    EXPECT_THAT(report.warnings, testing::Contains(HasSubstr(stub + " is not this machine's driver")));
    // What other programs load first has to be told as what keeps them from the GPU.
    ASSERT_EQ(report.drivers.size(), 1U) << code;
    EXPECT_EQ(report.drivers[0].error->name, "before_driver");
    EXPECT_EQ(report.drivers[0].outcome, Outcome::kAbsent);
    EXPECT_EQ(report.drivers[0].library, stub);
    EXPECT_THAT(report.drivers[0].error->text, HasSubstr(FAKE_CUDA_LIBRARY));
    EXPECT_THAT(report.warnings,
                testing::Contains(testing::AllOf(HasSubstr(compat), HasSubstr(fmt::format("({})", code)))));
  }
}

TEST(CudaProbe, SaysWhoseVariableLeadsToAStub) {
  CudaMachine machine(ThatFails(34));
  EXPECT_EQ(machine.Survey().error->name, "stub_here");
  machine.Set("LD_LIBRARY_PATH", std::filesystem::path(FAKE_CUDA_LIBRARY).parent_path());
  EXPECT_EQ(machine.Survey().error->name, "CUDA_ERROR_STUB_LIBRARY");
}

TEST(CudaProbe, SaysTheMostTellingErrorWhereNoFileIsTheDriver) {
  for (const bool stub_first : {true, false}) {
    CudaMachine machine(ThatFails(stub_first ? 803 : 34));
    const auto first = machine.Before("/first", "libcuda.so.1", ThatFails(stub_first ? 34 : 803));
    const auto report = machine.Survey();
    EXPECT_EQ(report.outcome, Outcome::kFailed);
    EXPECT_EQ(report.stage, Stage::kInit);
    EXPECT_EQ(report.error->code, 803);
    EXPECT_EQ(report.library->path, stub_first ? FAKE_CUDA_LIBRARY : first);
    const std::string stub = stub_first ? first : FAKE_CUDA_LIBRARY;
    EXPECT_THAT(report.warnings, testing::Contains(stub + " is not this machine's driver, "
                                                          "CUDA_ERROR_STUB_LIBRARY (34)"));
    EXPECT_THAT(report.warnings, testing::Not(testing::Contains(HasSubstr("was taken"))));
  }
}

TEST(CudaProbe, KeepsWhatAFileSaidWhereTheNextCanNotBeAsked) {
  CudaMachine text;
  text.Before("/compat", "libcuda.so.1", ThatFails(803));
  CudaMachine old;
  old.Before("/compat", "libcuda.so.1", ThatFails(803));
  const auto file = text.tree().Write("/text", "libcuda lives elsewhere\n");
  for (const auto& [machine, reason] :
       {std::pair(&text.Library("libcuda.so.1", file), "unloadable"),
        std::pair(&old.Library("libcuda.so.1", FAKE_CUDA_OLD_LIBRARY), "dlsym cuMemGetInfo_v2")}) {
    const auto report = machine->Survey();
    EXPECT_EQ(report.outcome, Outcome::kFailed);
    EXPECT_EQ(report.stage, Stage::kInit);
    EXPECT_EQ(report.error->code, 803);
    EXPECT_THAT(report.library->path.value_or(""), HasSubstr("/compat/"));
    EXPECT_THAT(report.warnings, testing::Contains(HasSubstr(reason)));
  }
}

TEST(CudaProbe, SaysWhatTheFirstDriverSaidWhereNoneShowsADevice) {
  CudaMachine machine(ThatFails(803));
  machine.Before("/second", "libcuda.so.1", ThatFails(100));
  const auto first = machine.Before("/first", "libcuda.so.1", ThatFails(100));
  const auto report = machine.Survey();
  EXPECT_EQ(report.error->code, 100);
  EXPECT_EQ(report.library->path, first);
  EXPECT_THAT(report.warnings, testing::ElementsAre(HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)")));
}

TEST(CudaProbe, TakesNoOtherFileForAnErrorOfTheMachine) {
  CudaMachine machine(machines::Of(machines::Gpu("A100", 1, 80)));
  machine.Before("/first", "libcuda.so.1", ThatFails(802));
  EXPECT_EQ(machine.Survey().error->code, 802);
}

TEST(CudaProbe, KeepsWhatArrivedBeforeAnEnumerationFails) {
  const CudaMachine machine(machines::Of(
      machines::Gpu("A100", 1, 80), R"(, "misbehave": [{"at": "enumerate", "do": "error", "code": 46}])"));
  const auto report = machine.Survey();
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_EQ(report.stage, Stage::kEnumerate);
  EXPECT_EQ(report.error->name, "CUDA_ERROR_DEVICE_UNAVAILABLE");
}

}  // namespace
