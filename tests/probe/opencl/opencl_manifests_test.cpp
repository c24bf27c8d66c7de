// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "probe/opencl/opencl_api.h"
#include "probe/opencl/opencl_drivers.h"

namespace {

using probe::opencl::FindManifests;
using probe::system::Environment;
using probe::system::FileSystem;
using testing::HasSubstr;
using testing::SizeIs;

Environment With(std::map<std::string, std::string, std::less<>> variables) {
  return Environment(std::move(variables));
}

// A machine of files alone.
class OpenClManifests : public testing::Test {
 protected:
  OpenClManifests() {
    std::string name = testing::TempDir() + "/opencl-manifests-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
  }
  ~OpenClManifests() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& content) {
    const auto full = std::filesystem::path(root_ + path);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << content;
  }
  // A function of the bus, under a driver of the kernel's where one is named.
  void Put(const std::string& address, const char* code, const char* vendor, const std::string& driver = "") {
    const auto folder = "/sys/bus/pci/devices/" + address;
    Write(folder + "/class", code);
    Write(folder + "/vendor", vendor);
    std::filesystem::remove(root_ + folder + "/driver");
    if (!driver.empty())
      std::filesystem::create_symlink("../../../bus/pci/drivers/" + driver, root_ + folder + "/driver");
  }
  [[nodiscard]] FileSystem Files() const { return std::move(*FileSystem::Open(root_)); }

  std::string root_;
};

TEST_F(OpenClManifests, AreTheIcdFilesOfTheDefaultDirectoryByName) {
  Write("/etc/OpenCL/vendors/b.icd", "libb.so.1\n");
  Write("/etc/OpenCL/vendors/a.icd", "liba.so.1");
  Write("/etc/OpenCL/vendors/readme.txt", "no driver");
  const auto found = FindManifests(Files(), Environment{});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].path, "/etc/OpenCL/vendors/a.icd");
  EXPECT_EQ(found[0].library, "liba.so.1");
  EXPECT_EQ(found[1].library, "libb.so.1");
  EXPECT_FALSE(found[1].refused.has_value());
}

TEST_F(OpenClManifests, FollowTheLoadersVariables) {
  Write("/etc/OpenCL/vendors/a.icd", "liba.so.1\n");
  Write("/opt/vendors/b.icd", "libb.so.1\n");
  Write("/opt/vendors/c.icd", "libc_driver.so.1\n");
  const auto files = Files();
  EXPECT_THAT(FindManifests(files, With({{"OPENCL_VENDOR_PATH", "/opt/vendors"}})), SizeIs(2));
  EXPECT_THAT(FindManifests(files, With({{"OCL_ICD_VENDORS", ""}})), SizeIs(1));
  EXPECT_THAT(FindManifests(files, With({{"OCL_ICD_VENDORS", "/opt/vendors"}})), SizeIs(2));
  const auto one = FindManifests(files, With({{"OCL_ICD_VENDORS", "/opt/vendors/c.icd"}}));
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].library, "libc_driver.so.1");
  const auto by_name =
      FindManifests(files, With({{"OCL_ICD_VENDORS", "b.icd"}, {"OPENCL_VENDOR_PATH", "/opt/vendors"}}));
  ASSERT_THAT(by_name, SizeIs(1));
  EXPECT_EQ(by_name[0].path, "/opt/vendors/b.icd");
  const auto library = FindManifests(files, With({{"OCL_ICD_VENDORS", "libdriver.so"}}));
  ASSERT_THAT(library, SizeIs(1));
  EXPECT_EQ(library[0].library, "libdriver.so");
  EXPECT_THAT(FindManifests(files, With({{"OCL_ICD_VENDORS", "/nowhere"}})), SizeIs(1));
}

TEST_F(OpenClManifests, AreAlsoTheLibrariesThatKhronossLoaderIsGiven) {
  Write("/usr/lib/libpocl.so.2.10.0", "");
  std::filesystem::create_symlink("libpocl.so.2.10.0", root_ + "/usr/lib/libpocl.so.2");
  Write("/etc/OpenCL/vendors/pocl.icd", "/usr/lib/libpocl.so.2.10.0\n");
  const auto found = FindManifests(
      Files(), With({{"OCL_ICD_FILENAMES", "libpocl.so.2:libnvidia-opencl.so.1::libnvidia-opencl.so.1"}}));
  ASSERT_THAT(found, SizeIs(2)) << "each driver once";
  EXPECT_EQ(found[0].path, "/etc/OpenCL/vendors/pocl.icd");
  EXPECT_EQ(found[1].path, "libnvidia-opencl.so.1");
  EXPECT_EQ(found[1].library, "libnvidia-opencl.so.1");
  EXPECT_EQ(probe::opencl::ManifestOf("/usr/lib/libnvidia-opencl.so.1", found, Files()), 1U);
}

TEST_F(OpenClManifests, HostileOnesAreNamedAndRefused) {
  const std::string at = "/etc/OpenCL/vendors/";
  Write(at + "empty.icd", "");
  Write(at + "newline.icd", "\nliba.so\n");
  Write(at + "binary.icd", std::string("lib\0a.so\n", 9));
  Write(at + "escape.icd", "\x1b[2Jliba.so\n");
  Write(at + "utf8.icd", "lib\xff\xfe.so\n");
  Write(at + "huge.icd", std::string(1 << 20, 'a'));
  Write(at + "relative.icd", "../liba.so\n");
  std::filesystem::create_directories(root_ + at + "directory.icd");
  ASSERT_EQ(mkfifo((root_ + at + "fifo.icd").c_str(), 0600), 0);
  std::filesystem::create_symlink("/nowhere", root_ + at + "dangling.icd");
  const auto found = FindManifests(Files(), Environment{});
  EXPECT_THAT(found, SizeIs(10));
  for (const auto& manifest : found) EXPECT_TRUE(manifest.refused.has_value()) << manifest.path;
}

TEST_F(OpenClManifests, RootTrustsNoFileThatOthersCanWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root refuses files of others";
  Write("/etc/OpenCL/vendors/a.icd", "/opt/liba.so\n");
  Write("/opt/liba.so", "");
  EXPECT_FALSE(FindManifests(Files(), Environment{}).at(0).refused.has_value());
  ASSERT_EQ(chmod((root_ + "/opt/liba.so").c_str(), 0666), 0);
  const auto refused = FindManifests(Files(), Environment{}).at(0).refused;
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->name, "refused");
  EXPECT_THAT(refused->text, HasSubstr("/opt/liba.so"));
}

TEST_F(OpenClManifests, OfAPipeAreRefused) {
  Write("/opt/other", "");
  ASSERT_EQ(mkfifo((root_ + "/opt/liba.so").c_str(), 0600), 0);
  Write("/etc/OpenCL/vendors/a.icd", "/opt/liba.so\n");
  const auto refused = FindManifests(Files(), Environment{}).at(0).refused;
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->name, "unloadable") << "nothing is wrong with its owner";
  EXPECT_EQ(refused->text, "is no regular file");
}

TEST_F(OpenClManifests, BelongToALibraryOnlyWhenNoOtherCould) {
  Write("/usr/lib/libone.so.2.1", "");
  std::filesystem::create_symlink("libone.so.2.1", root_ + "/usr/lib/libone.so");
  Write("/etc/OpenCL/vendors/a.icd", "/usr/lib/libone.so\n");
  Write("/etc/OpenCL/vendors/b.icd", "libtwo.so.1\n");
  const auto files = Files();
  auto manifests = FindManifests(files, Environment{});
  EXPECT_EQ(probe::opencl::ManifestOf("/usr/lib/libone.so.2.1", manifests, files), 0U);
  EXPECT_EQ(probe::opencl::ManifestOf("/opt/x/libtwo.so.1", manifests, files), 1U);
  EXPECT_EQ(probe::opencl::ManifestOf("/opt/x/libthree.so.1", manifests, files), std::nullopt);
  manifests.push_back(manifests[1]);
  EXPECT_EQ(probe::opencl::ManifestOf("/opt/x/libtwo.so.1", manifests, files), std::nullopt);
}

TEST_F(OpenClManifests, WhatHidesADriversDevicesHidesItsMakersGpus) {
  Put("0000:03:00.0", "0x030000\n", "0x1002\n", "amdgpu");
  Put("0000:03:00.1", "0x040300\n", "0x1002\n", "snd_hda_intel");
  Put("0000:04:00.0", "0x030000\n", "0x10de\n", "nvidia");
  Put("0000:05:00.0", "0x120000\n", "0x1002\n", "amdgpu");
  const auto why = [&](const char* variable) {
    return probe::opencl::WhyNoDevice("/opt/rocm/lib/libamdocl64.so", Files(), With({{variable, "7"}}));
  };
  const auto hidden = why("GPU_DEVICE_ORDINAL");
  EXPECT_EQ(hidden.variable, "GPU_DEVICE_ORDINAL");
  ASSERT_EQ(hidden.hidden.size(), 2U);
  EXPECT_EQ(ToString(hidden.hidden[0]), "0000:03:00.0");
  EXPECT_EQ(ToString(hidden.hidden[1]), "0000:05:00.0");
  EXPECT_TRUE(why("HIP_VISIBLE_DEVICES").hidden.empty()) << "it does not read that";
}

// Batch systems set one wherever a GPU was given.
TEST_F(OpenClManifests, AVariableIsToBlameWhereItsListLeavesNone) {
  struct Row {
    std::string library, variable, value;
    bool hides;
  };
  const std::string nvidia = "libnvidia-opencl.so.1", amd = "libamdocl64.so", intel = "libigdrcl.so";
  const std::string cuda = "CUDA_VISIBLE_DEVICES", rocr = "ROCR_VISIBLE_DEVICES",
                    ordinal = "GPU_DEVICE_ORDINAL";
  const std::string tiles = "ZE_AFFINITY_MASK";
  const Row rows[] = {{nvidia, cuda, "0", false},   {nvidia, cuda, "0,7", false},
                      {nvidia, cuda, "+0", false},  {nvidia, cuda, "GPU-00112233", false},
                      {nvidia, cuda, "1", true},    {nvidia, cuda, "-1", true},
                      {nvidia, cuda, "", true},     {nvidia, cuda, "none", true},
                      {nvidia, cuda, "0,0", true},  {nvidia, cuda, "7,0", true},
                      {amd, rocr, "0", false},      {amd, rocr, " 1", false},
                      {amd, rocr, "0x1", false},    {amd, rocr, "gpu-0123", false},
                      {amd, rocr, "0,0", false},    {amd, rocr, "2", true},
                      {amd, rocr, "", true},        {amd, ordinal, "1", false},
                      {amd, ordinal, "", false},    {amd, ordinal, "-1", true},
                      {intel, tiles, "0.1", false}, {intel, tiles, "1", false},
                      {intel, tiles, "", false},    {intel, tiles, "2", true}};
  Put("0000:01:00.0", "0x030000\n", "0x10de\n", "nvidia");
  Put("0000:03:00.0", "0x030000\n", "0x1002\n", "amdgpu");
  Put("0000:05:00.0", "0x120000\n", "0x1002\n", "amdgpu");
  Put("0000:06:00.0", "0x038000\n", "0x8086\n", "xe");
  for (const char* tile : {"tile0", "tile1"})
    Write(std::string("/sys/bus/pci/devices/0000:06:00.0/") + tile + "/vram", "");
  for (const auto& [library, variable, value, hides] : rows) {
    const auto why = probe::opencl::WhyNoDevice(library, Files(), With({{variable, value}}));
    EXPECT_EQ(why.outcome == probe::Outcome::kHidden, hides) << variable << "=" << value;
    EXPECT_EQ(why.hidden.empty(), !hides) << variable << "=" << value;
  }
  Write("/sys/bus/pci/devices/0000:06:00.0/drm/card0/gt/gt2/id", "");
  Write("/sys/bus/pci/devices/0000:06:00.0/drm/card0/gt/gt1/id", "");
  Write("/sys/bus/pci/devices/0000:06:00.0/drm/card0/gt/gt0/id", "");
  EXPECT_TRUE(probe::opencl::WhyNoDevice(intel, Files(), With({{tiles, "2"}})).hidden.empty());
  // The second counts among what the first leaves.
  const auto both = probe::opencl::WhyNoDevice(amd, Files(), With({{rocr, "0"}, {ordinal, "1"}}));
  EXPECT_EQ(both.variable, "GPU_DEVICE_ORDINAL");
  Write("/sys/bus/platform/devices/amdgpu_xcp_0/uevent", "");
  EXPECT_TRUE(probe::opencl::WhyNoDevice(amd, Files(), With({{rocr, "2"}})).hidden.empty())
      << "a card that is divided";
}

TEST_F(OpenClManifests, NoVariableHidesACardThatItsDriverDoesNotHave) {
  const auto why = [&](const char* value) {
    return probe::opencl::WhyNoDevice("libnvidia-opencl.so.1", Files(),
                                      With({{"CUDA_VISIBLE_DEVICES", value}}));
  };
  for (const char* driver : {"", "vfio-pci", "nouveau"}) {
    Put("0000:01:00.0", "0x030000\n", "0x10de\n", driver);
    for (const char* value : {"0", "7", ""}) {
      EXPECT_EQ(why(value).outcome, probe::Outcome::kNoDevice) << driver << " " << value;
      EXPECT_TRUE(why(value).hidden.empty()) << driver << " " << value;
    }
  }
  Put("0000:01:00.0", "0x030000\n", "0x10de\n", "nvidia");
  EXPECT_EQ(why("7").hidden.size(), 1U);
  // Windows has the card, and files do not tell how many.
  Put("0000:01:00.0", "0x030200\n", "0x1414\n", "dxgkrnl");
  EXPECT_EQ(why("").outcome, probe::Outcome::kNoDevice);
  Write("/dev/dxg", "");
  EXPECT_EQ(why("").outcome, probe::Outcome::kHidden);
  EXPECT_EQ(why("7").outcome, probe::Outcome::kNoDevice);
}

TEST_F(OpenClManifests, SilentDriversAreExplained) {
  using probe::opencl::WhyNoDevice;
  using probe::opencl::WhyNoDriver;
  const auto files = Files();
  const auto hidden =
      WhyNoDevice("/usr/lib/libnvidia-opencl.so.1", files, With({{"CUDA_VISIBLE_DEVICES", ""}}));
  EXPECT_EQ(hidden.outcome, probe::Outcome::kHidden);
  EXPECT_THAT(hidden.error.text, HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(hidden.variable, "CUDA_VISIBLE_DEVICES");
  EXPECT_TRUE(hidden.hidden.empty());
  EXPECT_EQ(WhyNoDevice("libpocl.so.2", files, With({{"POCL_DEVICES", "cuda"}})).outcome,
            probe::Outcome::kHidden);
  EXPECT_EQ(WhyNoDevice("libigdrcl.so", files, With({{"CUDA_VISIBLE_DEVICES", ""}})).outcome,
            probe::Outcome::kNoDevice);
  EXPECT_THAT(WhyNoDevice("libRusticlOpenCL.so.1", files, Environment{}).error.text,
              HasSubstr("RUSTICL_ENABLE"));
  const auto none = WhyNoDriver(files, Environment{});
  EXPECT_EQ(none.outcome, probe::Outcome::kAbsent);
  EXPECT_EQ(none.error.code, -1001);
  EXPECT_THAT(none.error.text, HasSubstr("pocl-opencl-icd"));
}

// Whether a variable that leads past these costs anybody a GPU.
TEST_F(OpenClManifests, ThatComputeOnTheProcessorAloneAreToldFromOthers) {
  const auto why = [&] {
    return probe::opencl::WhyNoDriver(Files(), With({{"OCL_ICD_VENDORS", "/nowhere"}}));
  };
  EXPECT_EQ(why().outcome, probe::Outcome::kAbsent);
  Write("/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2.10.0\n");
  Write("/etc/OpenCL/vendors/intel64.icd", "/opt/intel/lib/libintelocl.so\n");
  EXPECT_EQ(why().outcome, probe::Outcome::kHidden);
  EXPECT_EQ(why().error.name, "hides_software");
  EXPECT_THAT(why().error.text, HasSubstr("OCL_ICD_VENDORS=/nowhere leads past"));
  Write("/etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1\n");
  EXPECT_EQ(why().outcome, probe::Outcome::kHidden);
  EXPECT_EQ(why().error.name, "CL_PLATFORM_NOT_FOUND_KHR");
  Write("/etc/OpenCL/vendors/nvidia.icd", "libnobody-knows.so\n");
  EXPECT_EQ(why().error.name, "CL_PLATFORM_NOT_FOUND_KHR");
  const auto devices = probe::opencl::WhyNoDevice("libpocl.so.2", Files(), With({{"POCL_DEVICES", "cuda"}}));
  EXPECT_EQ(devices.error.name, "hides_software");
}

TEST(OpenClExtensions, AreWholeWords) {
  EXPECT_TRUE(probe::opencl::HasExtension("cl_khr_fp64 cl_khr_fp16", "cl_khr_fp16"));
  EXPECT_FALSE(probe::opencl::HasExtension("cl_khr_fp16_extra", "cl_khr_fp16"));
  EXPECT_FALSE(probe::opencl::HasExtension("", "cl_khr_fp16"));
}

TEST(OpenClErrors, CarryKhronosNames) {
  const auto known = probe::opencl::ErrorOf("clBuildProgram", -11);
  EXPECT_EQ(known.name, "CL_BUILD_PROGRAM_FAILURE");
  EXPECT_EQ(known.code, -11);
  EXPECT_EQ(probe::opencl::ErrorOf("clFinish", -9999).name, "unknown error");
}

}  // namespace
