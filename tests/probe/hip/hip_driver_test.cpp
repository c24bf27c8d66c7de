// SPDX-License-Identifier: MIT
// What files say of AMD's kernel driver, why HIP shows no device, and where its libraries are.
#include "probe/hip/hip_driver.h"

#include <gmock/gmock.h>

#include "probe/hip/hip_api.h"
#include "probe/system/wsl.h"
#include "tests/probe/tree.h"

namespace {

using probe::Outcome;
using probe::hip::Diagnose;
using probe::hip::ErrorOf;
using probe::hip::ReadKernelDriver;
using probe::system::Environment;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBound = "/sys/bus/pci/drivers/amdgpu/0000:03:00.0";

std::string Node(std::uint64_t location, int target, int minor) {
  return "simd_count 192\nsimd_per_cu 2\nvendor_id 4098\ndevice_id 29772\nlocation_id " +
         std::to_string(location) + "\ngfx_target_version " + std::to_string(target) + "\ndrm_render_minor " +
         std::to_string(minor) + "\n";
}

void AddNode(tests::Tree& tree, const std::string& number = "1") {
  tree.Write("/sys/class/kfd/kfd/topology/nodes/" + number + "/properties", Node(0x300, 110000, 128));
}

Environment With(const char* name, const char* value) {
  Environment environment;
  environment.Set(name, value);
  return environment;
}

probe::hip::Diagnosis NoDevice(const probe::hip::KernelDriver& driver, const Environment& environment = {}) {
  return Diagnose(ErrorOf("hipGetDeviceCount", probe::hip::kHipErrorNoDevice), driver, environment);
}
probe::hip::Diagnosis NoDevice(const tests::Tree& tree, const Environment& environment = {}) {
  return NoDevice(ReadKernelDriver(tree.Files()), environment);
}

// A GPU whose nodes open, but for one that says this when it is opened: of /dev/kfd, or the card's own.
probe::hip::KernelDriver WithClosed(const std::string& path, const char* open_error) {
  tests::Tree tree;
  tree.Write("/dev/kfd", "").Write("/dev/dri/renderD128", "");
  AddNode(tree);
  auto driver = ReadKernelDriver(tree.Files());
  driver.kfd_group = 110;
  auto& node = path == driver.kfd.path ? driver.kfd : driver.render_nodes.at(0);
  node.openable = false;
  node.open_error = open_error;
  return driver;
}

TEST(AmdKernelDriver, IsReadWithoutItsLibraries) {
  tests::Tree tree;
  tree.Write("/sys/module/amdgpu/version", "6.10.5\n").Directory(kBound).Write("/dev/kfd", "");
  tree.Directory("/sys/bus/pci/drivers/radeon/0000:04:00.0");
  tree.Write("/sys/bus/pci/devices/0000:05:00.0/class", "0x030000\n")
      .Write("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x1002\n");
  AddNode(tree);
  const auto driver = ReadKernelDriver(tree.Files());
  EXPECT_EQ(driver.version, "amdgpu 6.10.5");
  EXPECT_THAT(driver.amdgpu_cards, testing::ElementsAre("0000:03:00.0"));
  EXPECT_THAT(driver.radeon_cards, testing::ElementsAre("0000:04:00.0"));
  EXPECT_THAT(driver.unbound_cards, testing::ElementsAre("0000:05:00.0"));
  EXPECT_TRUE(driver.kfd.openable);
  ASSERT_EQ(driver.render_nodes.size(), 1U);
  EXPECT_EQ(driver.render_nodes[0].path, "/dev/dri/renderD128");
  EXPECT_FALSE(driver.render_nodes[0].exists);
}

TEST(AmdKernelDriver, OfTheKernelItselfIsNamedByTheKernel) {
  tests::Tree tree;
  tree.Directory("/sys/module/amdgpu").Write("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
  EXPECT_EQ(ReadKernelDriver(tree.Files()).version, "amdgpu of Linux 6.8.0-45-generic");
}

struct Case {
  std::string_view name;
  Outcome outcome;
  void (*build)(tests::Tree&);
};

TEST(NoAmdDevice, IsExplainedByItsLayer) {
  const Case cases[] = {
      {"hipErrorNoDevice", Outcome::kNoDevice, [](tests::Tree&) {}},
      {"amdgpu_not_loaded", Outcome::kNoDevice,
       [](tests::Tree& tree) {
         tree.Write("/sys/bus/pci/devices/0000:05:00.0/class", "0x038000\n")
             .Write("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x1002\n");
       }},
      {"driver_left_card", Outcome::kNoDevice,
       [](tests::Tree& tree) {
         tree.Write("/sys/bus/pci/devices/0000:05:00.0/class", "0x038000\n")
             .Write("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x1002\n")
             .Write("/sys/module/amdgpu/version", "6.10.5\n");
       }},
      {"radeon_bound", Outcome::kNoDevice,
       [](tests::Tree& tree) { tree.Directory("/sys/bus/pci/drivers/radeon/0000:04:00.0"); }},
      {"wsl_no_device", Outcome::kNoDevice,
       [](tests::Tree& tree) { tree.Write(probe::system::kWslGpuNode, ""); }},
      {"kfd_missing", Outcome::kNoDevice, [](tests::Tree& tree) { tree.Directory(kBound); }},
      {"kfd_not_passed", Outcome::kNoDevice,
       [](tests::Tree& tree) {
         tree.Directory(kBound);
         AddNode(tree);
       }},
      {"kfd_lacks_card", Outcome::kNoDevice,
       [](tests::Tree& tree) { tree.Directory(kBound).Write("/dev/kfd", ""); }},
      {"render_node_not_passed", Outcome::kNoDevice,
       [](tests::Tree& tree) {
         tree.Write("/dev/kfd", "");
         AddNode(tree);
       }},
      {"rocm_skips_gpu", Outcome::kNoDevice,
       [](tests::Tree& tree) {
         tree.Write("/dev/kfd", "").Write("/dev/dri/renderD128", "");
         AddNode(tree);
       }},
  };
  for (const Case& expected : cases) {
    tests::Tree tree;
    expected.build(tree);
    const auto found = NoDevice(tree);
    EXPECT_EQ(found.error.name, expected.name);
    EXPECT_EQ(found.outcome, expected.outcome) << expected.name;
    EXPECT_FALSE(found.error.text.empty()) << expected.name;
  }
}

TEST(NoAmdDevice, IsDeniedOnlyWhereTheKernelSaysSo) {
  struct Row {
    const char* path;
    const char* open_error;
    const char* name;
  };
  const Row rows[] = {{"/dev/kfd", "EACCES", "kfd_denied"},
                      {"/dev/kfd", "EPERM", "kfd_denied"},
                      {"/dev/dri/renderD128", "EACCES", "render_node_denied"},
                      // Of a reset, and of a card that did not come back from one.
                      {"/dev/kfd", "EAGAIN", "device_node_dead"},
                      {"/dev/kfd", "EIO", "device_node_dead"},
                      {"/dev/dri/renderD128", "ENODEV", "device_node_dead"}};
  for (const Row& row : rows) {
    const bool dead = row.name == std::string_view("device_node_dead");
    const auto found = NoDevice(WithClosed(row.path, row.open_error));
    EXPECT_EQ(found.error.name, row.name) << row.path << " " << row.open_error;
    EXPECT_EQ(found.outcome, dead ? Outcome::kFailed : Outcome::kDenied) << row.path << " " << row.open_error;
    EXPECT_THAT(found.error.text, HasSubstr(row.path));
    EXPECT_THAT(found.error.text, HasSubstr(dead ? row.open_error : "may not be opened"));
  }
  tests::Tree tree;
  tree.Directory("/dev/kfd");  // nobody can open a directory for writing
  EXPECT_TRUE(ReadKernelDriver(tree.Files()).kfd.open_error);
}

// What a module left that is gone, or what a container was given: nothing is behind the number.
TEST(NoAmdDevice, IsNotDeadWhereNoDriverIsBehindTheNode) {
  for (const char* said : {"ENXIO", "ENODEV", "EIO"}) {
    auto driver = WithClosed("/dev/kfd", said);
    driver.nodes.clear();
    EXPECT_EQ(NoDevice(driver).outcome, Outcome::kNoDevice) << said;
    EXPECT_EQ(NoDevice(driver).error.name, "hipErrorNoDevice") << said;
    EXPECT_THAT(NoDevice(driver).error.text, testing::AllOf(HasSubstr("no AMD GPU with"), HasSubstr(said)));
    driver.unbound_cards = {"0000:05:00.0"};
    EXPECT_EQ(NoDevice(driver).error.name, "amdgpu_not_loaded") << said;
    EXPECT_THAT(NoDevice(driver).error.text, testing::AllOf(HasSubstr("not loaded"), HasSubstr(said)));
    driver.wsl = true;
    EXPECT_EQ(NoDevice(driver).error.name, "wsl_no_device") << said;
    driver.amdgpu_cards = {"0000:03:00.0"};
    EXPECT_EQ(NoDevice(driver).error.name, "device_node_dead") << said << " of a card that amdgpu has";
  }
}

TEST(NoAmdDevice, NamesTheNodesGroupOnlyWhereItIsKnown) {
  auto driver = WithClosed("/dev/kfd", "EACCES");
  EXPECT_THAT(NoDevice(driver).error.text, HasSubstr("its group is 110"));
  driver.kfd_group.reset();
  EXPECT_THAT(NoDevice(driver).error.text, Not(HasSubstr("group")));
}

TEST(NoAmdDevice, IsHiddenWhereAVariableHidesWhatTheKernelHas) {
  tests::Tree tree;
  tree.Write("/dev/kfd", "").Write("/dev/dri/renderD128", "");
  AddNode(tree);
  const auto hidden = NoDevice(tree, With("HIP_VISIBLE_DEVICES", "-1"));
  EXPECT_EQ(hidden.outcome, Outcome::kHidden);
  EXPECT_THAT(hidden.error.text, HasSubstr("HIP_VISIBLE_DEVICES=\"-1\" leaves none of 1 GPU"));
  // HIP does not read CUDA's variable beside its own.
  EXPECT_EQ(NoDevice(tree, With("CUDA_VISIBLE_DEVICES", "-1")).outcome, Outcome::kHidden);
  EXPECT_EQ(NoDevice(tree, With("GPU_DEVICE_ORDINAL", "-1")).outcome, Outcome::kNoDevice) << "OpenCL's";
  EXPECT_EQ(NoDevice(tree, With("HIP_VISIBLE_DEVICES", "0")).error.name, "rocm_skips_gpu") << "leaves it";
  EXPECT_EQ(NoDevice(tree, With("HSA_OVERRIDE_GFX_VERSION", "10.3.0")).outcome, Outcome::kNoDevice);
}

// Units, containers and SLURM set one wherever ROCm is to run.
TEST(NoAmdDevice, IsNoVariablesFaultWhereANodeIsMissingOrDenied) {
  const auto environment = With("HIP_VISIBLE_DEVICES", "-1");
  tests::Tree missing;
  AddNode(missing);
  EXPECT_EQ(NoDevice(missing, environment).error.name, "kfd_not_passed");
  EXPECT_EQ(probe::hip::DiagnoseUnasked(ReadKernelDriver(missing.Files()), environment).error.name,
            "kfd_not_passed");
  EXPECT_EQ(NoDevice(WithClosed("/dev/kfd", "EACCES"), environment).outcome, Outcome::kDenied);
  tests::Tree without_card;
  without_card.Write("/dev/kfd", "");
  AddNode(without_card);
  EXPECT_EQ(NoDevice(without_card, environment).error.name, "render_node_not_passed");
}

TEST(NoAmdDevice, IsHiddenTooWhereOneOfSeveralIsDenied) {
  tests::Tree tree;
  tree.Write("/dev/kfd", "").Write("/dev/dri/renderD128", "").Write("/dev/dri/renderD129", "");
  AddNode(tree);
  tree.Write("/sys/class/kfd/kfd/topology/nodes/2/properties", Node(0x400, 110000, 129));
  auto driver = ReadKernelDriver(tree.Files());
  driver.render_nodes.at(1).openable = false;
  driver.render_nodes.at(1).open_error = "EACCES";
  EXPECT_EQ(NoDevice(driver, With("HIP_VISIBLE_DEVICES", "-1")).outcome, Outcome::kHidden);
  EXPECT_EQ(NoDevice(driver).outcome, Outcome::kDenied);
}

TEST(AmdError, ThatIsNoMissingDeviceStaysWhatItIs) {
  tests::Tree tree;
  const auto found = Diagnose(ErrorOf("hipGetDeviceCount", 999), ReadKernelDriver(tree.Files()), {});
  EXPECT_EQ(found.outcome, Outcome::kFailed);
  EXPECT_EQ(found.error.name, "hipErrorUnknown");
}

TEST(AmdPartition, IsKnownByItsNameAndFromIt) {
  probe::RuntimeDevice device;
  EXPECT_EQ(probe::hip::PartitionOf(device), 0U);
  device.identity.partition = probe::hip::PartitionName(3);
  EXPECT_EQ(device.identity.partition, "xcp3");
  EXPECT_EQ(probe::hip::PartitionOf(device), 3U);
  for (const char* other : {"", "MIG-1-0", "xcp", "xcpx"}) {
    device.identity.partition = other;
    EXPECT_EQ(probe::hip::PartitionOf(device), 0U) << other;
  }
}

TEST(RocmRelease, IsReadFromThePrefixOfTheLibrary) {
  tests::Tree tree;
  tree.Write("/opt/rocm-6.2.4/.info/version", "6.2.4-147\n");
  using probe::hip::ReleaseOf;
  EXPECT_EQ(ReleaseOf(tree.Files(), "/opt/rocm-6.2.4/lib/libamdhip64.so.6.2.41134"), "6.2.4-147");
  for (const char* path : {"/usr/lib/libamdhip64.so.5", "libamdhip64.so", "/", "", "/lib"}) {
    EXPECT_EQ(ReleaseOf(tree.Files(), path), std::nullopt) << path;
  }
}

TEST(RocmDirectories, AreThoseOfPrefixesWheelsAndEnginesNewestFirst) {
  tests::Tree tree;
  tree.Directory("/opt/rocm-6.2.4/lib").Directory("/opt/rocm-10.0.0/lib").Directory("/opt/rocm-7.0.1/lib");
  const std::string packages = "/venv/lib/python3.12/site-packages";
  tree.Directory(packages + "/_rocm_sdk_core/lib")
      .Directory(packages + "/_rocm_sdk_libraries_gfx94X_dcgpu/lib");
  tree.Write(packages + "/torch/lib/libamdhip64.so", "").Directory("/usr/lib/ollama/rocm");
  Environment environment = With("VIRTUAL_ENV", "/venv");
  environment.Set("ROCM_PATH", "/srv/rocm");
  environment.Set("HIP_PATH", "relative");
  const auto found = probe::hip::LibraryDirectories(tree.Files(), environment);
  const auto at = [&](const std::string& path) { return std::find(found.begin(), found.end(), path); };
  EXPECT_EQ(found.front(), "/srv/rocm/lib");
  for (const std::string& path : {std::string("/opt/rocm-6.2.4/lib"), packages + "/_rocm_sdk_core/lib",
                                  packages + "/_rocm_sdk_libraries_gfx94X_dcgpu/lib", packages + "/torch/lib",
                                  std::string("/usr/lib/ollama/rocm")}) {
    EXPECT_NE(at(path), found.end()) << path;
  }
  EXPECT_LT(at("/opt/rocm-10.0.0/lib"), at("/opt/rocm-7.0.1/lib"));
  EXPECT_LT(at("/opt/rocm-7.0.1/lib"), at("/opt/rocm-6.2.4/lib"));
  for (const auto& path : found) EXPECT_TRUE(path.starts_with('/')) << path;
}

TEST(RocmLibraries, AreSoughtBesideTheRuntimeAndNeverBesideAnother) {
  tests::Tree tree;
  for (const char* file : {"/opt/rocm-6/lib/libamdhip64.so.6", "/opt/rocm-6/lib/librocblas.so.4",
                           "/opt/rocm/lib/libamdhip64.so.7", "/opt/rocm/lib/librocblas.so.5",
                           "/usr/local/lib/librocblas.so.5", "/usr/local/lib/librocblas.so.4"})
    tree.Write(file, "");
  constexpr std::array<std::string_view, 2> kNames = {"librocblas.so.5", "librocblas.so.4"};
  const auto of = [&](const char* runtime) {
    return probe::hip::FilesBeside({"", runtime, {}}, kNames, tree.Files(), With("ROCM_PATH", "/opt/rocm"));
  };
  EXPECT_THAT(of("/opt/rocm-6/lib/libamdhip64.so.6"),
              testing::ElementsAre("/opt/rocm-6/lib/librocblas.so.4", "/usr/local/lib/librocblas.so.5"));
  EXPECT_THAT(of("/opt/rocm/lib/libamdhip64.so.7"),
              testing::ElementsAre("/opt/rocm/lib/librocblas.so.5", "/usr/local/lib/librocblas.so.5"));
}

TEST(RocmRuntime, OfAWheelGoesBeforeThatOfAnOldDistribution) {
  const std::vector<std::string_view> names(probe::hip::kRuntimeNames.begin(),
                                            probe::hip::kRuntimeNames.end());
  EXPECT_LT(std::find(names.begin(), names.end(), "libamdhip64.so"),
            std::find(names.begin(), names.end(), "libamdhip64.so.5"))
      << "PyTorch's wheel is newer than Debian's";
}

}  // namespace
