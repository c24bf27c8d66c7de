// SPDX-License-Identifier: MIT
#include "probe/hip/hip_driver.h"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/hip/hip_declarations.h"
#include "probe/hip/hip_visible.h"
#include "probe/system/wsl.h"

namespace probe::hip {
namespace {

constexpr std::string_view kPciDevices = "/sys/bus/pci/devices";
constexpr std::string_view kPartition = "xcp";

std::vector<std::string> BoundTo(const system::FileSystem& files, const std::string& driver) {
  std::vector<std::string> out;
  for (auto& name : files.List("/sys/bus/pci/drivers/" + driver)) {
    if (ParsePciAddress(name)) out.push_back(std::move(name));
  }
  return out;
}

// AMD's display and compute functions that no driver has.
std::vector<std::string> Unbound(const system::FileSystem& files) {
  std::vector<std::string> out;
  for (auto& name : files.List(kPciDevices)) {
    const std::string directory = std::string(kPciDevices) + "/" + name;
    const auto code = files.ReadNumber(directory + "/class");
    const auto base = code ? *code >> 16U : 0;
    const bool graphics = base == 0x03 || base == 0x12;
    if (graphics && files.ReadNumber(directory + "/vendor") == amd::kPciNumber &&
        !files.StatLink(directory + "/driver")) {
      out.push_back(std::move(name));
    }
  }
  return out;
}

std::string ModuleText(const system::FileSystem& files) {
  if (const auto version = files.ReadLine("/sys/module/amdgpu/version"))
    return "amdgpu " + CleanText(*version, 64);
  const auto kernel = files.ReadLine("/proc/sys/kernel/osrelease");
  if (!files.Exists("/sys/module/amdgpu") || !kernel) return {};
  return "amdgpu of Linux " + CleanText(*kernel, 64);
}

std::string Count(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Diagnosis Cause(Outcome outcome, Error error, std::string_view name, std::string text) {
  error.name = name;
  error.text = std::move(text);
  return {outcome, std::move(error)};
}

// Of a node that exists and does not open; `denied` is the cause's name where it is this process that may
// not.
Diagnosis Closed(Error error, const DeviceNode& node, std::string_view denied, const std::string& more = "") {
  if (IsDenied(node)) {
    return Cause(Outcome::kDenied, std::move(error), denied,
                 node.path + " exists and may not be opened by this user or container" + more);
  }
  return Cause(Outcome::kFailed, std::move(error), "device_node_dead",
               DeadText(node) + ": amdgpu is resetting the GPU or has given it up");
}

Diagnosis WithoutNode(Error error, const KernelDriver& driver) {
  if (!driver.amdgpu_cards.empty() || !driver.nodes.empty()) {
    if (driver.nodes.empty()) {
      return Cause(
          Outcome::kNoDevice, std::move(error), "kfd_missing",
          fmt::format("amdgpu has {}, and this kernel has no compute driver (KFD) beside it: there is no "
                      "/dev/kfd",
                      Count(driver.amdgpu_cards.size(), "card")));
    }
    return Cause(
        Outcome::kNoDevice, std::move(error), "kfd_not_passed",
        fmt::format(
            "the kernel's compute driver has {}, but there is no /dev/kfd here: this container was not "
            "given it",
            Count(driver.nodes.size(), "GPU")));
  }
  if (!driver.radeon_cards.empty()) {
    return Cause(
        Outcome::kNoDevice, std::move(error), "radeon_bound",
        driver.radeon_cards.front() + " is under the kernel driver radeon, which has no compute driver");
  }
  if (!driver.unbound_cards.empty() && !driver.version.empty()) {
    return Cause(
        Outcome::kNoDevice, std::move(error), kLeftByDriver,
        fmt::format("{} is loaded and did not take {}", driver.version, driver.unbound_cards.front()));
  }
  if (!driver.unbound_cards.empty()) {
    return Cause(
        Outcome::kNoDevice, std::move(error), "amdgpu_not_loaded",
        "no kernel driver has " + driver.unbound_cards.front() + ": the module amdgpu is not loaded");
  }
  error.text = "there is no AMD GPU with a compute driver";
  return {Outcome::kNoDevice, std::move(error)};
}

Diagnosis Hidden(Error error, const KernelDriver& driver, const system::Environment& environment) {
  return Cause(Outcome::kHidden, std::move(error), "hidden", NoneText(environment, driver.nodes));
}

// A variable is to blame last: it may be set wherever ROCm is used, and hide nothing.
Diagnosis WithNode(Error error, const KernelDriver& driver, const system::Environment& environment) {
  const auto closed = std::find_if(driver.render_nodes.begin(), driver.render_nodes.end(),
                                   [](const DeviceNode& node) { return !node.openable; });
  if (driver.nodes.empty()) {
    if (driver.amdgpu_cards.empty()) return WithoutNode(std::move(error), driver);
    return Cause(
        Outcome::kNoDevice, std::move(error), "kfd_lacks_card",
        fmt::format("amdgpu has {}, and the kernel's compute driver did not take it: an old chip, or a slot "
                    "whose PCIe rejects atomics",
                    driver.amdgpu_cards.front()));
  }
  // Of several cards with one closed those that are left are hidden all the same.
  const bool some_open = std::any_of(driver.render_nodes.begin(), driver.render_nodes.end(),
                                     [](const DeviceNode& node) { return node.openable; });
  if (some_open && HidesAll(environment, driver.nodes)) return Hidden(std::move(error), driver, environment);
  if (closed != driver.render_nodes.end() && closed->exists)
    return Closed(std::move(error), *closed, "render_node_denied");
  if (closed != driver.render_nodes.end()) {
    return Cause(Outcome::kNoDevice, std::move(error), "render_node_not_passed",
                 "/dev/kfd is here and " + closed->path + ", which ROCm opens too, is not");
  }
  if (HidesAll(environment, driver.nodes)) return Hidden(std::move(error), driver, environment);
  return Cause(
      Outcome::kNoDevice, std::move(error), "rocm_skips_gpu",
      fmt::format("the kernel's compute driver has {} ({}), and this ROCm shows none: it may not know {}",
                  Count(driver.nodes.size(), "GPU"), driver.nodes.front().target.value_or("target unknown"),
                  driver.nodes.size() == 1 ? "its target" : "their targets"));
}

// Whether any GPU is in amdgpu's hands: a node without it has no driver behind its number, as what a module
// left that is gone, or what a container was given of a host that has none.
bool HasLiveDriver(const KernelDriver& driver) {
  return !driver.nodes.empty() || !driver.amdgpu_cards.empty();
}

Diagnosis NoDevice(Error error, const KernelDriver& driver, const system::Environment& environment) {
  const bool closed = driver.kfd.exists && !driver.kfd.openable;
  if (closed && (IsDenied(driver.kfd) || HasLiveDriver(driver))) {
    return Closed(std::move(error), driver.kfd, "kfd_denied",
                  driver.kfd_group ? fmt::format("; its group is {}", *driver.kfd_group) : "");
  }
  if (driver.wsl) {
    return Cause(Outcome::kNoDevice, std::move(error), "wsl_no_device",
                 "the Windows host's driver offers ROCm no device");
  }
  if (driver.kfd.exists && !closed) return WithNode(std::move(error), driver, environment);
  Diagnosis found = WithoutNode(std::move(error), driver);
  if (closed) found.error.text += "; " + DeadText(driver.kfd);
  return found;
}

}  // namespace

KernelDriver ReadKernelDriver(const system::FileSystem& files) {
  KernelDriver driver;
  driver.version = ModuleText(files);
  driver.amdgpu_cards = BoundTo(files, "amdgpu");
  driver.radeon_cards = BoundTo(files, "radeon");
  driver.unbound_cards = Unbound(files);
  driver.kfd = system::CheckNode(files, "/dev/kfd");
  if (const auto status = files.Stat("/dev/kfd")) driver.kfd_group = status->owner_gid;
  driver.nodes = amd::ReadKfdNodes(files);
  for (const amd::KfdNode& node : driver.nodes) {
    if (node.render_minor) {
      driver.render_nodes.push_back(
          system::CheckNode(files, fmt::format("/dev/dri/renderD{}", *node.render_minor)));
    }
  }
  driver.wsl = files.Exists(system::kWslGpuNode);
  return driver;
}

std::string PartitionName(std::uint32_t number) { return fmt::format("{}{}", kPartition, number); }

std::uint32_t PartitionOf(const RuntimeDevice& device) {
  std::string_view name = device.identity.partition ? std::string_view(*device.identity.partition) : "";
  if (!name.starts_with(kPartition)) return 0;
  return ParseNumber<std::uint32_t>(name.substr(kPartition.size())).value_or(0);
}

const amd::KfdNode* NodeOf(const std::vector<amd::KfdNode>& nodes, const RuntimeDevice& device) {
  const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const amd::KfdNode& known) {
    return device.identity.pci && SlotOf(known.address) == SlotOf(*device.identity.pci) &&
           known.partition == PartitionOf(device);
  });
  return node == nodes.end() ? nullptr : &*node;
}

std::optional<std::string> ReleaseOf(const system::FileSystem& files, const std::string& library) {
  const auto lib = library.rfind('/');
  const auto prefix = lib == std::string::npos || lib == 0 ? lib : library.rfind('/', lib - 1);
  if (prefix == std::string::npos || prefix == 0) return std::nullopt;
  const auto line = files.ReadLine(library.substr(0, prefix) + "/.info/version");
  return line ? std::optional(CleanText(*line, 64)) : std::nullopt;
}

Diagnosis Diagnose(Error error, const KernelDriver& driver, const system::Environment& environment) {
  if (error.code == kHipErrorNoDevice || error.code == kHipErrorInvalidDevice)
    return NoDevice(std::move(error), driver, environment);
  return {Outcome::kFailed, std::move(error)};
}

bool HasDeviceNodes(const system::FileSystem& files) {
  constexpr std::array kNodes = {"/dev/kfd", system::kWslGpuNode, "/dev/dri", "/dev/accel"};
  return std::any_of(kNodes.begin(), kNodes.end(), [&](const char* node) { return files.Exists(node); });
}

Diagnosis DiagnoseUnasked(const KernelDriver& driver, const system::Environment& environment) {
  return NoDevice({"open /dev/kfd", ENOENT, "ENOENT", {}}, driver, environment);
}

}  // namespace probe::hip
