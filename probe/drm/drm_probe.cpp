// SPDX-License-Identifier: MIT
// What the kernel's graphics drivers say of themselves when their render nodes are opened: name and version.
// Through libdrm, on the live machine only. sysfs is the source for everything else.
#include <xf86drm.h>

#include <array>
#include <charconv>
#include <memory>
#include <vector>

#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/system/filesystem.h"

namespace probe::drm {
namespace {

constexpr std::string_view kRenderNode = "/dev/dri/renderD";
constexpr int kMaxDevices = 256;

struct FreeVersion {
  void operator()(drmVersion* version) const { drmFreeVersion(version); }
};

// drmGetDevices2 with its release.
class Devices {
 public:
  Devices() : count_(drmGetDevices2(0, devices_.data(), kMaxDevices)) {}
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;
  ~Devices() {
    if (count_ > 0) drmFreeDevices(devices_.data(), count_);
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] const drmDevice& operator[](int i) const { return *devices_[static_cast<std::size_t>(i)]; }

 private:
  std::array<drmDevicePtr, kMaxDevices> devices_{};
  int count_;
};

std::string Text(const char* text, int length) {
  return text == nullptr || length <= 0
             ? ""
             : CleanText(std::string_view(text, static_cast<std::size_t>(length)), 128);
}

void ReadVersion(int node, std::vector<Fact>& facts) {
  const std::unique_ptr<drmVersion, FreeVersion> version(drmGetVersion(node));
  if (!version) return;
  facts.push_back({"drm_driver", Text(version->name, version->name_len)});
  facts.push_back({"drm_driver_version", std::to_string(version->version_major) + "." +
                                             std::to_string(version->version_minor) + "." +
                                             std::to_string(version->version_patchlevel)});
  auto date = Text(version->date, version->date_len);
  if (!date.empty() && date != "0") facts.push_back({"drm_driver_date", std::move(date)});
}

// Opens the render node, and asks the driver behind it where that is allowed.
DeviceNode ReadRenderNode(const std::string& path, std::vector<Fact>& facts) {
  DeviceNode node{path, true, false};
  int minor = -1;
  if (!path.starts_with(kRenderNode)) return node;
  std::from_chars(path.data() + kRenderNode.size(), path.data() + path.size(), minor);
  const int opened = minor >= 0 ? drmOpenRender(minor) : -1;
  if (opened < 0) return node;
  node.openable = true;
  ReadVersion(opened, facts);
  drmClose(opened);
  return node;
}

// Devices on other buses have no identity that would join them with what sysfs found.
std::optional<HardwareDevice> Read(const drmDevice& found) {
  if (found.bustype != DRM_BUS_PCI) return std::nullopt;
  HardwareDevice device;
  device.source = "drm";
  const auto& bus = *found.businfo.pci;
  device.identity.pci = PciAddress{bus.domain, bus.bus, bus.dev, bus.func};
  const auto& info = *found.deviceinfo.pci;
  device.identity.ids =
      PciIds{info.vendor_id, info.device_id, info.subvendor_id, info.subdevice_id, std::nullopt};
  if ((found.available_nodes & 1 << DRM_NODE_RENDER) != 0) {
    device.nodes.push_back(ReadRenderNode(CleanText(found.nodes[DRM_NODE_RENDER], 128), device.facts));
  }
  return device;
}

bool LoadsNothing(const ProbeContext& context) {
  return !context.files.live() || !context.files.Exists("/dev/dri");
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kEnumerate});
  if (LoadsNothing(context)) return;
  const Devices devices;
  if (devices.count() < 0) {
    context.sink(
        Failure{Outcome::kFailed, {"drmGetDevices2", devices.count(), "", "libdrm could not list devices"}});
    return;
  }
  for (int i = 0; i < devices.count(); ++i) {
    if (auto device = Read(devices[i])) context.sink(*device);
  }
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "drm";
  module.title = "libdrm";
  module.kind = ModuleKind::kHardware;
  module.loads_nothing = LoadsNothing;
  module.probe = Probe;
  return module;
}

}  // namespace probe::drm
