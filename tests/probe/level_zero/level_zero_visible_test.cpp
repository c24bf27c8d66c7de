// SPDX-License-Identifier: MIT
// What variables and nodes mean for Level Zero, on trees of made-up machines.
#include "probe/level_zero/level_zero_visible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/core/hidden.h"
#include "probe/system/filesystem.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::level_zero {
namespace {

using testing::HasSubstr;

// An Arc A770 at 0000:03:00.0 under i915, a neural processor, and a card of another maker's.
class Machine {
 public:
  explicit Machine(bool has_node = true, const std::string& driver = "i915") {
    Card("0000:03:00.0", "0x8086", "0x030000", driver);
    Card("0000:00:0b.0", "0x8086", "0x120000", "intel_vpu");
    Card("0000:05:00.0", "0x10de", "0x030000", "nvidia");
    tree_.Write("/sys/bus/pci/devices/0000:03:00.0/drm/renderD128/dev", "226:128\n");
    if (has_node) tree_.Write("/dev/dri/renderD128", "");
  }
  [[nodiscard]] Diagnosis Why(bool has_driver = true, std::string_view mask = "",
                              std::int64_t code = 0x78000001) const {
    const auto files = system::FileSystem::Open(tree_.At(""));
    system::Environment environment;
    if (!mask.empty()) environment.Set(kMask, mask);
    return Diagnose({"zeInit", code, "", ""}, ReadCards(*files), has_driver, *files, environment);
  }
  [[nodiscard]] std::vector<KernelCard> Cards() const {
    return ReadCards(*system::FileSystem::Open(tree_.At("")));
  }

 private:
  void Card(const std::string& address, const std::string& vendor, const std::string& code,
            const std::string& driver) {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    tree_.Write(folder + "/vendor", vendor + "\n");
    tree_.Write(folder + "/class", code + "\n");
    if (!driver.empty()) tree_.Link(folder + "/driver", "../../../bus/pci/drivers/" + driver);
  }
  system::TemporaryTree tree_;
};

TEST(LevelZeroCards, AreItsMakersWithoutNeuralProcessors) {
  const auto cards = Machine().Cards();
  ASSERT_EQ(cards.size(), 1U);
  EXPECT_EQ(ToString(cards[0].address), "0000:03:00.0");
  EXPECT_TRUE(cards[0].has_driver);
  ASSERT_EQ(cards[0].render.size(), 1U);
  EXPECT_TRUE(cards[0].render[0].openable);
}

TEST(LevelZeroDiagnosis, TellsALoaderWithoutADriverFromNoGpu) {
  const auto why = Machine().Why(false);
  EXPECT_EQ(why.outcome, Outcome::kAbsent);
  EXPECT_EQ(why.error.name, "no_driver");
  EXPECT_EQ(why.error.code, 0x78000001) << "what was returned stays";
}

TEST(LevelZeroDiagnosis, NamesWhatKeepsTheGpuAway) {
  EXPECT_EQ(Machine().Why().error.name, "driver_skips_gpu");
  EXPECT_EQ(Machine().Why(true, "default").error.name, "driver_skips_gpu") << "the driver's word for no mask";
  EXPECT_EQ(Machine().Why(true, "0").error.name, "driver_skips_gpu") << "the mask leaves every card";
  EXPECT_EQ(Machine(false).Why().error.name, "render_node_not_passed");
  EXPECT_EQ(Machine(true, "").Why().error.name, "no_kernel_driver");
  EXPECT_EQ(Machine(true, "vfio-pci").Why().error.name, "no_kernel_driver");
  const auto hidden = Machine().Why(true, "7");
  EXPECT_EQ(hidden.outcome, Outcome::kHidden);
  EXPECT_THAT(hidden.error.text, HasSubstr("ZE_AFFINITY_MASK=7"));
}

// Whether or not a node that is closed explains it, and whatever driver is found.
TEST(LevelZeroDiagnosis, BelievesADriverThatIsDenied) {
  for (const bool has_driver : {true, false}) {
    const auto why = Machine().Why(has_driver, "7", 0x70010000);
    EXPECT_EQ(why.outcome, Outcome::kDenied);
    EXPECT_EQ(why.error.name, "render_node_denied");
    EXPECT_EQ(why.error.code, 0x70010000);
  }
}

TEST(LevelZeroDiagnosis, SaysThatThereIsNoGpu) {
  const system::TemporaryTree tree;
  tree.Write("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x10de\n");
  const auto files = system::FileSystem::Open(tree.At(""));
  const auto why = Diagnose({}, ReadCards(*files), true, *files, {});
  EXPECT_EQ(why.outcome, Outcome::kNoDevice);
  EXPECT_EQ(why.error.name, "no device");
}

TEST(LevelZeroMask, IsReadAsTheDriverDoes) {
  using Entries = std::vector<MaskEntry>;
  EXPECT_EQ(ParseMask("1,0,1"), (Entries{{0, {}}, {1, {}}}));
  EXPECT_EQ(ParseMask("0.1, 0.0"), (Entries{{0, 0}, {0, 1}}));
  EXPECT_EQ(ParseMask("x,0.,-1,2"), (Entries{{2, {}}}));
  EXPECT_EQ(ParseMask(""), Entries{});
}

TEST(LevelZeroMask, NamesADeviceAmongThoseThatItLeft) {
  EXPECT_EQ(MaskOf("2,0", 0, 2), "0");
  EXPECT_EQ(MaskOf("2,0", 1, 2), "2");
  EXPECT_EQ(MaskOf("1.0,1.1", 0, 1), "1.0,1.1");
  EXPECT_EQ(MaskOf("2,0", 0, 1), std::nullopt) << "one of them is not there";
  EXPECT_EQ(MaskOf("", 0, 2), std::nullopt);
}

KernelCard Card(const char* address) {
  KernelCard card;
  card.address = ParsePciAddress(address).value();
  card.has_driver = true;
  card.render.push_back({});
  card.render[0].openable = true;
  return card;
}
RuntimeDevice Shown(const char* address, DeviceKind kind = DeviceKind::kDiscrete,
                    const char* driver = "Level Zero", std::uint32_t ordinal = 0) {
  RuntimeDevice device;
  device.identity.pci = ParsePciAddress(address);
  device.kind = kind;
  device.driver = driver;
  device.driver_version = "1.6.33578";
  device.ordinal = ordinal;
  return device;
}
system::Environment With(std::string_view name, std::string_view value) {
  system::Environment environment;
  environment.Set(name, value);
  return environment;
}

// What keeps the second of two cards away, where the first is shown.
std::string KeptBy(std::string_view mask, const std::vector<RuntimeDevice>& shown = {Shown("0000:03:00.0")},
                   bool has_failed = false) {
  const std::vector cards = {Card("0000:03:00.0"), Card("0000:04:00.0")};
  std::string said;
  for (const auto& hardware : NotShown(cards, shown, has_failed, With(kMask, mask))) {
    const std::string* variable = FindFact(hardware.facts, kHiddenByFact);
    const std::string* error = FindFact(hardware.facts, kUnreachedErrorFact);
    said += ToString(hardware.identity.pci.value()) + " " + (variable ? *variable : error ? *error : "");
  }
  return said;
}

TEST(LevelZeroHidden, AreCardsThatTheMaskLeavesOut) {
  const std::string by_mask = "0000:04:00.0 ZE_AFFINITY_MASK", by_driver = "0000:04:00.0 driver_skips_gpu";
  EXPECT_EQ(KeptBy("0"), by_mask);
  EXPECT_EQ(KeptBy("0,7"), by_mask) << "there is no such device";
  EXPECT_EQ(KeptBy("0,1"), by_driver) << "it lists as many as there are";
  EXPECT_EQ(KeptBy("default"), by_driver) << "the driver's word for none";
  EXPECT_EQ(KeptBy(""), by_driver);
  EXPECT_EQ(KeptBy("0", {RuntimeDevice()}), "") << "it may be the one without an address";
  EXPECT_EQ(KeptBy("", {Shown("0000:03:00.0")}, true), "") << "it may be the one that failed";
  auto tile = Shown("0000:03:00.0");
  tile.identity.partition = "tile0";
  EXPECT_EQ(KeptBy("0,1", {tile}), by_mask) << "these are tiles of one card";
}

// Of a processor's graphics, of a newer card behind an older one, and of the driver of each family.
TEST(LevelZeroPlaces, AreOfAllDriversOfALibrary) {
  const auto integrated = DeviceKind::kIntegrated, discrete = DeviceKind::kDiscrete;
  std::vector devices = {Shown("0000:08:00.0", discrete, "Level Zero"),
                         Shown("0000:03:00.0", discrete, "Level Zero (driver 2)"),
                         Shown("0000:09:00.0", discrete, "Level Zero (driver 2)", 1),
                         Shown("0000:00:02.0", integrated, "Level Zero (driver 3)")};
  using Places = std::vector<std::uint32_t>;
  EXPECT_EQ(PlacesOf(devices, {}), (Places{1, 0, 2, 3}));
  EXPECT_EQ(PlacesOf(devices, With(kPciOrder, "1")), (Places{2, 1, 3, 0}));
  EXPECT_EQ(PlacesOf(devices, With(kPciOrder, "0")), (Places{1, 0, 2, 3}));
  auto other = devices;
  other[3].driver_version = "1.5.1";
  EXPECT_EQ(PlacesOf(other, {}), std::nullopt) << "of another library";
  devices[1].identity.pci.reset();
  EXPECT_EQ(PlacesOf(devices, {}), std::nullopt);
  EXPECT_EQ(PlacesOf({devices[1], devices[2]}, {}), (Places{0, 1}))
      << "one driver has them in the mask's order";
}

}  // namespace
}  // namespace probe::level_zero
