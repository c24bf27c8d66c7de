// SPDX-License-Identifier: MIT
#include "probe/sysfs/pci_function.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace probe::sysfs {
namespace {

constexpr std::size_t kMaxUeventBytes = 4096;  // the kernel writes one page at most
constexpr std::size_t kMaxCompatible = 32;
constexpr std::size_t kMaxCompatibleBytes = 128;  // of one string

std::optional<std::uint32_t> Hex(std::string_view text, std::uint32_t limit) {
  const auto value = ParseNumber<std::uint32_t>(text, 16);
  return value && *value <= limit ? value : std::nullopt;
}

using Uevent = std::map<std::string, std::string, std::less<>>;

Uevent ReadUevent(const system::FileSystem& files, const std::string& directory) {
  Uevent out;
  const auto text = files.Read(directory + "/uevent", kMaxUeventBytes);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find_first_of(std::string_view("\n\0", 2)));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return out;
}

std::string_view Get(const Uevent& uevent, std::string_view key) {
  const auto found = uevent.find(key);
  return found == uevent.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::uint32_t> ReadId(const system::FileSystem& files, const std::string& path,
                                    std::uint32_t limit) {
  const auto value = files.ReadNumber(path);
  if (!value || *value > limit) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

// "10DE:2704" -> both halves.
struct Pair {
  std::optional<std::uint32_t> first;
  std::optional<std::uint32_t> second;
};
Pair ParsePair(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  return {Hex(text.substr(0, colon), 0xffff), Hex(text.substr(colon + 1), 0xffff)};
}

// The number that follows a tag of "pci:v00001AF4d00001050sv00001AF4sd00001100bc03sc00i00".
std::optional<std::uint32_t> Tagged(std::string_view modalias, std::string_view tag, std::size_t digits) {
  if (!modalias.starts_with("pci:")) return std::nullopt;
  const auto at = modalias.find(tag, 4);
  if (at == std::string_view::npos || at + tag.size() + digits > modalias.size()) return std::nullopt;
  return Hex(modalias.substr(at + tag.size(), digits), 0xffff);
}

std::optional<PciAddress> FindAddress(const system::FileSystem& files, const std::string& directory,
                                      const Uevent& uevent) {
  if (const auto address = ParsePciAddress(LastComponent(directory))) return address;
  if (const auto address = ParsePciAddress(Get(uevent, "PCI_SLOT_NAME"))) return address;
  const auto real = files.Resolve(directory);
  return real ? ParsePciAddress(LastComponent(*real)) : std::nullopt;
}

std::optional<std::string> FindDriver(const system::FileSystem& files, const std::string& directory,
                                      const Uevent& uevent) {
  std::string name;
  if (const auto link = files.ReadLink(directory + "/driver")) name = LastComponent(*link);
  if (name.empty()) name = Get(uevent, "DRIVER");
  if (name.empty()) return std::nullopt;
  return CleanText(name, 64);
}

// Of a device tree's node, as the kernel copies it into `uevent` (linux, drivers/of/device.c).
std::vector<std::string> CompatibleOf(const system::FileSystem& files, const std::string& directory,
                                      const Uevent& uevent) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kMaxCompatible; ++i) {
    const auto text = Get(uevent, "OF_COMPATIBLE_" + std::to_string(i));
    if (text.empty()) break;
    out.push_back(CleanText(text, kMaxCompatibleBytes));
  }
  return out.empty() ? ReadCompatible(files, directory + "/of_node/compatible") : out;
}

}  // namespace

std::vector<std::string> ReadCompatible(const system::FileSystem& files, std::string_view path) {
  std::vector<std::string> out;
  const auto text = files.Read(path, kMaxCompatible * kMaxCompatibleBytes);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty() && out.size() < kMaxCompatible) {
    const auto one = rest.substr(0, rest.find_first_of(std::string_view("\0\n", 2)));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (!one.empty()) out.push_back(CleanText(one, kMaxCompatibleBytes));
  }
  return out;
}

std::string_view LastComponent(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

PciFunction ReadPciFunction(const system::FileSystem& files, std::string directory) {
  const Uevent uevent = ReadUevent(files, directory);
  std::string modalias(Get(uevent, "MODALIAS"));
  if (modalias.empty()) modalias = files.ReadLine(directory + "/modalias").value_or("");
  const Pair ids = ParsePair(Get(uevent, "PCI_ID"));
  const Pair subsystem = ParsePair(Get(uevent, "PCI_SUBSYS_ID"));
  const auto first_of = [](auto... values) {
    std::optional<std::uint32_t> out;
    ((out = out ? out : values), ...);
    return out;
  };
  const auto id = [&](const char* file) { return ReadId(files, directory + "/" + file, 0xffff); };

  PciFunction out;
  out.address = FindAddress(files, directory, uevent);
  out.vendor = first_of(id("vendor"), ids.first, Tagged(modalias, "v0000", 4));
  const auto device = first_of(id("device"), ids.second, Tagged(modalias, "d0000", 4));
  if (out.vendor && device) {
    out.ids = PciIds{*out.vendor, *device, std::nullopt, std::nullopt,
                     ReadId(files, directory + "/revision", 0xff)};
    out.ids->subsystem_vendor =
        first_of(id("subsystem_vendor"), subsystem.first, Tagged(modalias, "sv0000", 4));
    out.ids->subsystem_device =
        first_of(id("subsystem_device"), subsystem.second, Tagged(modalias, "sd0000", 4));
  }
  out.class_code =
      first_of(ReadId(files, directory + "/class", 0xffffff), Hex(Get(uevent, "PCI_CLASS"), 0xffffff));
  if (const auto base = Tagged(modalias, "bc", 2); base && !out.class_code) {
    out.class_code = *base << 16U | Tagged(modalias, "sc", 2).value_or(0) << 8U;
  }
  out.driver = FindDriver(files, directory, uevent);
  if (!out.address) out.compatible = CompatibleOf(files, directory, uevent);
  out.directory = std::move(directory);
  return out;
}

}  // namespace probe::sysfs
