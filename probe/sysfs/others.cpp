// SPDX-License-Identifier: MIT
// What is on no PCI bus and has no node of a device class that is read: accelerators on USB and those behind
// a node of class misc, as data/other_devices.csv knows them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/sysfs/card.h"

namespace probe::sysfs {
namespace {

constexpr std::string_view kUsbDevices = "/sys/bus/usb/devices";
constexpr std::string_view kMiscClass = "/sys/class/misc";

// "1a6e", of four digits and without 0x (linux, Documentation/ABI/testing/sysfs-bus-usb).
std::optional<std::uint32_t> ReadUsbNumber(const system::FileSystem& files, const std::string& path) {
  const auto text = files.ReadLine(path);
  return text && text->size() == 4 ? ParseNumber<std::uint32_t>(*text, 16) : std::nullopt;
}

}  // namespace

void AddFromUsb(const system::FileSystem& files, std::vector<Card>& cards) {
  for (const std::string& name : files.List(kUsbDevices)) {
    if (name.find(':') != std::string::npos) continue;  // an interface of a device
    const std::string directory = std::string(kUsbDevices) + "/" + name;
    const auto vendor = ReadUsbNumber(files, directory + "/idVendor");
    const auto product = vendor ? ReadUsbNumber(files, directory + "/idProduct") : std::nullopt;
    const OtherDevice* other = product ? FindOtherByUsb(*vendor, *product) : nullptr;
    if (other == nullptr) continue;
    Card& card = cards.emplace_back();
    card.function.directory = directory;
    card.other = other;
    card.usb_id = UsbIdText(*vendor, *product);
  }
}

void AddFromMisc(const system::FileSystem& files, std::vector<Card>& cards) {
  std::vector<const OtherDevice*> found;  // one device may have several such nodes
  for (const std::string& name : files.List(kMiscClass)) {
    const OtherDevice* other = FindOtherByMisc(name);
    if (other == nullptr || std::find(found.begin(), found.end(), other) != found.end()) continue;
    const bool is_known = std::any_of(cards.begin(), cards.end(), [&](const Card& card) {
      return card.function.driver && FindOtherByDriver(*card.function.driver) == other;
    });
    if (is_known) continue;
    found.push_back(other);
    Card& card = cards.emplace_back();
    card.function.directory = std::string(kMiscClass) + "/" + name;
    card.other = other;
    card.misc_node = name;
  }
}

}  // namespace probe::sysfs
