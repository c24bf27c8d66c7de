// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/probe/opencl/forked_probe.h"

namespace {

using probe::Outcome;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tests::RunOpenClProbe;

constexpr const char* kPocl = "/etc/OpenCL/vendors/pocl.icd";

class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/opencl-probe-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ + "/" + name) << content;
    return path_ + "/" + name;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string PoclLibrary() {
  std::string line;
  std::getline(std::ifstream(kPocl) >> std::ws, line);
  return line;
}

TEST(OpenClProbe, FindsPoclAsASoftwareDeviceOfItsManifest) {
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", kPocl}});
  ASSERT_EQ(report.outcome, Outcome::kOk) << probe::Describe(report.error.value_or(probe::Error{}));
  ASSERT_THAT(report.devices, SizeIs(1));
  const auto& device = report.devices.front();
  EXPECT_EQ(device.runtime, "opencl");
  EXPECT_EQ(device.driver, "Portable Computing Language");
  EXPECT_EQ(device.manifest, kPocl);
  EXPECT_EQ(device.kind, probe::DeviceKind::kSoftware);
  EXPECT_FALSE(device.identity.pci.has_value());
  EXPECT_GT(device.memory_total_bytes.value_or(0), 0U);
  EXPECT_GT(device.compute_units.value_or(0), 0U);
  EXPECT_THAT(device.dtypes, Contains("fp32"));
  EXPECT_THAT(device.facts, Contains(testing::Field(&probe::Fact::key, "max_alloc_bytes")));
  ASSERT_THAT(report.drivers, SizeIs(1));
  EXPECT_EQ(report.drivers.front().manifest, kPocl);
  EXPECT_EQ(report.drivers.front().outcome, Outcome::kOk);
  ASSERT_TRUE(report.library.has_value());
  EXPECT_THAT(report.library->path.value_or(""), HasSubstr("libOpenCL.so"));
  EXPECT_THAT(report.environment,
              Contains(testing::Field(&probe::EnvironmentVariable::name, "OCL_ICD_VENDORS")));
}

TEST(OpenClProbe, FindsADriverThatAVariableOfKhronossLoaderNames) {
  const Folder none;
  const auto report =
      RunOpenClProbe({{"OCL_ICD_VENDORS", none.path()}, {"OCL_ICD_FILENAMES", PoclLibrary()}});
  ASSERT_THAT(report.devices, SizeIs(1));
  EXPECT_EQ(report.devices.front().manifest, PoclLibrary()) << "it is opened by that again";
}

TEST(OpenClProbe, AnswersForOneManifestAlone) {
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", kPocl}, {"POCL_DEVICES", "pthread"}}, kPocl);
  ASSERT_THAT(report.devices, SizeIs(1));
  ASSERT_THAT(report.environment, SizeIs(1)) << "what restricts the loader is not the user's";
  EXPECT_EQ(report.environment.front().name, "POCL_DEVICES");
  EXPECT_EQ(report.devices.front().manifest, kPocl);
}

TEST(OpenClProbe, BadManifestsDoNotCostTheGoodOne) {
  const Folder folder;
  const auto good = folder.Write("good.icd", PoclLibrary() + "\n");
  const auto text = folder.Write("text.icd", folder.Write("not_a_library.so", "just text"));
  const auto gone = folder.Write("gone.icd", "/nowhere/libgone.so\n");
  const auto relative = folder.Write("relative.icd", "./libevil.so\n");
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", folder.path()}});
  EXPECT_EQ(report.outcome, Outcome::kOk);
  ASSERT_THAT(report.devices, SizeIs(1));
  EXPECT_EQ(report.devices.front().manifest, good);
  EXPECT_THAT(report.drivers, SizeIs(4));
  for (const auto& driver : report.drivers) {
    if (driver.manifest == good) continue;
    EXPECT_EQ(driver.outcome, Outcome::kFailed) << driver.manifest.value_or("");
    ASSERT_TRUE(driver.error.has_value());
    const std::string expected = driver.manifest == text       ? "unloadable"
                                 : driver.manifest == gone     ? "missing"
                                 : driver.manifest == relative ? "refused"
                                                               : "";
    EXPECT_EQ(driver.error->name, expected);
  }
}

TEST(OpenClProbe, RefusesALibraryThatOthersCanWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root refuses files of others";
  const Folder folder;
  const auto library = folder.Write("libforeign.so", "");
  ASSERT_EQ(chmod(library.c_str(), 0666), 0);
  const auto manifest = folder.Write("foreign.icd", library);
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", folder.path()}});
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  ASSERT_THAT(report.drivers, SizeIs(1));
  EXPECT_EQ(report.drivers.front().manifest, manifest);
  EXPECT_EQ(report.drivers.front().error->name, "refused");
  EXPECT_FALSE(report.library.has_value()) << "the loader was opened";
}

TEST(OpenClProbe, SaysWhichVariableLeadsPastTheDrivers) {
  const Folder folder;
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", folder.path()}});
  EXPECT_EQ(report.outcome, Outcome::kHidden);
  EXPECT_THAT(report.error.value_or(probe::Error{}).text, HasSubstr("OCL_ICD_VENDORS"));
  EXPECT_THAT(report.devices, IsEmpty());
}

TEST(OpenClProbe, AVariableThatNamesNothingHidesWhatIsInstalled) {
  for (const char* nothing : {"/nowhere", "/nowhere/driver.icd"}) {
    const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", nothing}});
    EXPECT_EQ(report.outcome, Outcome::kHidden) << nothing;
    EXPECT_THAT(report.error.value_or(probe::Error{}).text, HasSubstr("OCL_ICD_VENDORS=/nowhere"));
    ASSERT_THAT(report.drivers, SizeIs(1)) << nothing;
    EXPECT_EQ(report.drivers.front().outcome, Outcome::kAbsent) << "there is nothing to reinstall";
  }
}

TEST(OpenClProbe, ALibraryThatIsNoDriverIsNotCalledAbsent) {
  const auto report = RunOpenClProbe({{"OCL_ICD_VENDORS", "libm.so.6"}});
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
  ASSERT_THAT(report.drivers, SizeIs(1));
  EXPECT_EQ(report.drivers.front().library, "libm.so.6");
}

}  // namespace
