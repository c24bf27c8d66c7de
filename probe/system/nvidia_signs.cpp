// SPDX-License-Identifier: MIT
#include "probe/system/nvidia_signs.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "probe/core/ids.h"

namespace probe::system {
namespace {

// Of the kernel's host1x and memory drivers, on JetPack of all ages; newer ones have a folder of GPUs.
bool IsTegraNode(const std::string& name) {
  return name.starts_with("nvhost") || name == "nvmap" || name == "nvgpu";
}

void ReadBus(const FileSystem& files, NvidiaSigns& signs) {
  const std::string devices = "/sys/bus/pci/devices";
  const auto names = files.List(devices);
  signs.bus_shown = !names.empty();
  signs.card_on_bus = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::string directory = devices + "/" + name;
    const auto base = files.ReadNumber(directory + "/class").value_or(0) >> 16U;
    const bool computes = base == 0x03 || base == 0x12;  // display, processing accelerator
    return computes && files.ReadNumber(directory + "/vendor") == vendor_id::kNvidia;
  });
}

void GiveUpMakingNodes() {
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  (void)prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return;
  auto& set = sets[CAP_TO_INDEX(CAP_MKNOD)];
  const auto keep = ~static_cast<__u32>(CAP_TO_MASK(CAP_MKNOD));
  set.effective &= keep;
  set.permitted &= keep;
  set.inheritable &= keep;
  (void)syscall(SYS_capset, &header, sets.data());
}

}  // namespace

bool IsNvidiaGpuNode(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

NvidiaSigns ReadNvidiaSigns(const FileSystem& files) {
  NvidiaSigns signs;
  ReadBus(files, signs);
  signs.gpus = files.List("/proc/driver/nvidia/gpus").size();
  const auto nodes = files.List("/dev");
  signs.gpu_node = std::any_of(nodes.begin(), nodes.end(), IsNvidiaGpuNode);
  signs.tegra = std::any_of(nodes.begin(), nodes.end(), IsTegraNode);
  signs.wsl = files.Exists("/dev/dxg");
  return signs;
}

bool MayHaveGpu(const NvidiaSigns& signs) {
  return signs.card_on_bus || signs.gpus > 0 || signs.gpu_node || signs.wsl || signs.tegra;
}

void KeepFromMakingNodes(const FileSystem& files) {
  if (files.live() && !MayHaveGpu(ReadNvidiaSigns(files))) GiveUpMakingNodes();
}

}  // namespace probe::system
