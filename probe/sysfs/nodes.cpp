// SPDX-License-Identifier: MIT
#include "probe/sysfs/nodes.h"

#include <algorithm>
#include <array>
#include <map>

#include "probe/core/parse.h"

namespace probe::sysfs {
namespace {

struct NodeKind {
  std::string_view prefix;  // of the name; digits follow
  std::string_view folder;  // of the device directory, and of the class
  std::string_view dev;
};
constexpr std::array kKinds = {NodeKind{"card", "drm", "/dev/dri/"}, NodeKind{"renderD", "drm", "/dev/dri/"},
                               NodeKind{"accel", "accel", "/dev/accel/"}};

const NodeKind* KindOf(std::string_view name, std::string_view folder) {
  for (const NodeKind& kind : kKinds) {
    if (kind.folder != folder || !name.starts_with(kind.prefix) || name.size() > kind.prefix.size() + 6)
      continue;
    const auto digits = name.substr(kind.prefix.size());
    if (IsDigits(digits)) return &kind;
  }
  return nullptr;
}

}  // namespace

std::vector<ClassDevice> ReadClassDevices(const system::FileSystem& files) {
  std::map<std::string, ClassDevice> devices;
  for (const std::string folder : {"drm", "accel"}) {
    const std::string directory = "/sys/class/" + folder;
    for (const std::string& name : files.List(directory)) {
      if (KindOf(name, folder) == nullptr) continue;
      const std::string device = std::string(directory).append("/").append(name).append("/device");
      const auto real = files.Resolve(device);
      ClassDevice& entry = devices[real.value_or(device)];
      if (entry.directory.empty()) entry.directory = device;
      entry.names.push_back(name);
    }
  }
  std::vector<ClassDevice> out;
  for (auto& [real, device] : devices) {
    std::sort(device.names.begin(), device.names.end());
    out.push_back(std::move(device));
  }
  return out;
}

std::vector<std::string> NodeNames(const system::FileSystem& files, const std::string& directory) {
  std::vector<std::string> names;
  for (const std::string folder : {"drm", "accel"}) {
    for (const std::string& name : files.List(std::string(directory).append("/").append(folder))) {
      if (KindOf(name, folder) != nullptr) names.push_back(name);
    }
  }
  return names;
}

std::string DevicePath(std::string_view name) {
  for (const NodeKind& kind : kKinds) {
    if (KindOf(name, kind.folder) == &kind) return std::string(kind.dev).append(name);
  }
  return std::string("/dev/").append(name);
}

std::optional<std::string> DrmNumber(const system::FileSystem& files, const std::string& directory,
                                     std::string_view name) {
  for (const NodeKind& kind : kKinds) {
    if (KindOf(name, kind.folder) != &kind) continue;
    const auto own = std::string("/").append(kind.folder).append("/").append(name).append("/dev");
    auto text = files.ReadLine("/sys/class" + own);
    if (!text) text = files.ReadLine(directory + own);
    const auto is_number = [](std::string_view part) { return part.size() <= 9 && IsDigits(part); };
    const auto colon = text ? text->find(':') : std::string::npos;
    if (colon == std::string::npos) return std::nullopt;
    const std::string_view number = *text;
    if (is_number(number.substr(0, colon)) && is_number(number.substr(colon + 1))) return text;
  }
  return std::nullopt;
}

bool IsDisplayNode(std::string_view name) { return name.starts_with("card"); }

bool IsAcceleratorNode(std::string_view name) { return KindOf(name, "accel") != nullptr; }

}  // namespace probe::sysfs
