// SPDX-License-Identifier: MIT
#include "probe/sysfs/platform.h"

#include <algorithm>
#include <array>
#include <utility>

#include "probe/sysfs/nodes.h"

namespace probe::sysfs {
namespace {

using DriverRow = PlatformDriver;
using Role = DriverRole;
using Kind = DeviceKind;

// Names of platform drivers as `uevent` has them: linux, drivers/gpu/drm; nvgpu, os/linux/module.c ("gk20a"
// for every chip); Arm's mali_kbase; Qualcomm's kgsl.
constexpr std::array kPlatformDrivers = {
    DriverRow{"asahi", "Apple GPU", "Apple", Kind::kIntegrated, Role::kGpu},
    DriverRow{"etnaviv-gpu", "Vivante GPU", "Vivante", Kind::kIntegrated, Role::kPart},
    DriverRow{"etnaviv", "Vivante GPU", "Vivante", Kind::kIntegrated, Role::kWhole},
    DriverRow{"lima", "Arm Mali Utgard GPU", "Arm", Kind::kIntegrated, Role::kGpu},
    DriverRow{"panfrost", "Arm Mali GPU", "Arm", Kind::kIntegrated, Role::kGpu},
    DriverRow{"panthor", "Arm Mali Valhall GPU", "Arm", Kind::kIntegrated, Role::kGpu},
    DriverRow{"mali", "Arm Mali GPU", "Arm", Kind::kIntegrated, Role::kGpu},
    DriverRow{"adreno", "Qualcomm Adreno GPU", "Qualcomm", Kind::kIntegrated, Role::kPart},
    DriverRow{"kgsl-3d", "Qualcomm Adreno GPU", "Qualcomm", Kind::kIntegrated, Role::kGpu},
    DriverRow{"msm", "Qualcomm Adreno GPU", "Qualcomm", Kind::kIntegrated, Role::kWhole},
    DriverRow{"msm_dpu", "Qualcomm Adreno GPU", "Qualcomm", Kind::kIntegrated, Role::kWhole},
    DriverRow{"msm_mdp", "Qualcomm Adreno GPU", "Qualcomm", Kind::kIntegrated, Role::kWhole},
    DriverRow{"powervr", "Imagination PowerVR GPU", "Imagination", Kind::kIntegrated, Role::kGpu},
    DriverRow{"v3d", "Broadcom VideoCore GPU", "Broadcom", Kind::kIntegrated, Role::kGpu},
    DriverRow{"vc4_v3d", "Broadcom VideoCore GPU", "Broadcom", Kind::kIntegrated, Role::kPart},
    DriverRow{"vc4-drm", "Broadcom VideoCore GPU", "Broadcom", Kind::kIntegrated, Role::kWhole},
    DriverRow{"gk20a", "NVIDIA Tegra GPU", "NVIDIA", Kind::kIntegrated, Role::kGpu},
    DriverRow{"nvgpu", "NVIDIA Tegra GPU", "NVIDIA", Kind::kIntegrated, Role::kGpu},
    DriverRow{"nouveau", "NVIDIA Tegra GPU", "NVIDIA", Kind::kIntegrated, Role::kGpu},
    DriverRow{"gv11b", "NVIDIA Tegra GPU", "NVIDIA", Kind::kIntegrated, Role::kGpu},
    DriverRow{"ga10b", "NVIDIA Tegra GPU", "NVIDIA", Kind::kIntegrated, Role::kGpu},
    DriverRow{"apple-drm", "Apple display controller", "Apple", Kind::kVirtual, Role::kDisplay},
    DriverRow{"exynos-drm", "Samsung display controller", "Samsung", Kind::kVirtual, Role::kDisplay},
    DriverRow{"imx-drm", "NXP display controller", "NXP", Kind::kVirtual, Role::kDisplay},
    DriverRow{"mediatek-drm", "MediaTek display controller", "MediaTek", Kind::kVirtual, Role::kDisplay},
    DriverRow{"meson-drm", "Amlogic display controller", "Amlogic", Kind::kVirtual, Role::kDisplay},
    DriverRow{"omapdrm", "Texas Instruments display controller", "Texas Instruments", Kind::kVirtual,
              Role::kDisplay},
    DriverRow{"rockchip-drm", "Rockchip display controller", "Rockchip", Kind::kVirtual, Role::kDisplay},
    DriverRow{"sun4i-drm", "Allwinner display controller", "Allwinner", Kind::kVirtual, Role::kDisplay},
    DriverRow{"tegra-host1x", "NVIDIA Tegra display controller", "NVIDIA", Kind::kVirtual, Role::kDisplay},
    DriverRow{"drm", "NVIDIA Tegra display controller", "NVIDIA", Kind::kVirtual,
              Role::kDisplay},  // of the host1x bus
    DriverRow{"nv_platform", "NVIDIA Tegra display controller", "NVIDIA", Kind::kVirtual, Role::kDisplay},
    DriverRow{"RKNPU", "Rockchip NPU", "Rockchip", Kind::kAccelerator, Role::kPretender},
    DriverRow{"rocket", "Rockchip NPU", "Rockchip", Kind::kAccelerator, Role::kPretender},
    DriverRow{"hyperv_drm", "Hyper-V virtual display", "Microsoft", Kind::kVirtual, Role::kPretender},
    DriverRow{"virtio_gpu", "virtio virtual display", "Red Hat", Kind::kVirtual, Role::kPretender},
    DriverRow{"simple-framebuffer", "firmware framebuffer", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"simpledrm", "firmware framebuffer", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"efi-framebuffer", "firmware framebuffer", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"vkms", "kernel's virtual display", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"vgem", "kernel's virtual display", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"evdi", "DisplayLink virtual display", "", Kind::kVirtual, Role::kPretender},
    DriverRow{"udl", "DisplayLink USB display", "", Kind::kVirtual, Role::kPretender}};

constexpr std::string_view kPlatformDevices = "/sys/bus/platform/devices";
constexpr std::string_view kDeviceTree = "/proc/device-tree/compatible";

// Parts of the names that device trees give to GPUs: "fb000000.gpu", "1002000000.v3d", "17000000.gv11b",
// "5000000.qcom,kgsl-3d0". Only the `compatible` of what has one is read: a board has hundreds of devices.
constexpr std::array<std::string_view, 9> kNameParts = {"gpu",   "v3d",   "mali",  "gk20a",  "gm20b",
                                                        "gp10b", "gv11b", "ga10b", "kgsl-3d"};

bool IsNamedLikeGpu(std::string_view name) {
  return std::any_of(kNameParts.begin(), kNameParts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

const DriverRow* DriverRowOf(const Card& card) {
  return card.function.driver ? FindPlatformDriver(*card.function.driver) : nullptr;
}

bool HasRole(const Card& card, DriverRole role) {
  const DriverRow* row = DriverRowOf(card);
  return row != nullptr && row->role == role;
}

bool HasRenderNode(const Card& card) {
  return std::any_of(card.node_names.begin(), card.node_names.end(),
                     [](const std::string& name) { return name.starts_with("renderD"); });
}

// Those that no device class lists: their driver has no DRM node, or there is no driver.
void AddFromBus(const system::FileSystem& files, const std::vector<std::string>& board,
                std::vector<Card>& cards) {
  for (const std::string& name : files.List(kPlatformDevices)) {
    if (!IsNamedLikeGpu(name)) continue;
    const std::string directory = std::string(kPlatformDevices) + "/" + name;
    const auto real = files.Resolve(directory);
    const bool is_listed = std::any_of(cards.begin(), cards.end(), [&](const Card& card) {
      return real && files.Resolve(card.function.directory) == real;
    });
    if (is_listed) continue;
    Card card;
    card.function = ReadPciFunction(files, directory);
    card.soc = FindSocFacts(card.function.compatible, board);
    const DriverRow* row = DriverRowOf(card);
    const bool is_gpu = card.soc || (row != nullptr && (row->role == Role::kGpu || row->role == Role::kPart));
    if (is_gpu && !OnlyDraws(card)) cards.push_back(std::move(card));
  }
}

// The DRM nodes of a GPU whose display driver has them, and one card for all parts of one maker.
void JoinParts(std::vector<Card>& cards) {
  for (auto part = cards.begin(); part != cards.end(); ++part) {
    if (!HasRole(*part, Role::kPart)) continue;
    const auto vendor = DriverRowOf(*part)->vendor;
    const auto is_of = [&](const Card& card, DriverRole role) {
      return HasRole(card, role) && DriverRowOf(card)->vendor == vendor;
    };
    const auto whole = std::find_if(cards.begin(), cards.end(), [&](const Card& card) {
      return is_of(card, Role::kWhole) && HasRenderNode(card);
    });
    // The display driver's own nodes are those of the whole, which it draws with as well.
    if (whole != cards.end() && part->node_names.empty()) {
      part->node_names = std::move(whole->node_names);
      whole->node_names.clear();
    }
    const auto place = part - cards.begin();
    cards.erase(
        std::remove_if(part + 1, cards.end(), [&](const Card& card) { return is_of(card, Role::kPart); }),
        cards.end());
    part = cards.begin() + place;
  }
}

void FoldDisplays(std::vector<Card>& cards) {
  const auto gpu = std::find_if(cards.begin(), cards.end(), [](const Card& card) {
    const DriverRow* row = DriverRowOf(card);
    return !OnlyDraws(card) && (card.soc || (row != nullptr && row->kind == Kind::kIntegrated));
  });
  if (gpu == cards.end()) return;
  for (const Card& card : cards) {
    if (OnlyDraws(card)) gpu->display_drivers.push_back(*card.function.driver);
  }
  std::erase_if(cards, OnlyDraws);
}

}  // namespace

bool OnlyDraws(const Card& card) {
  return HasRole(card, Role::kDisplay) || (HasRole(card, Role::kWhole) && !HasRenderNode(card));
}

const PlatformDriver* FindPlatformDriver(std::string_view driver) {
  const auto row = std::find_if(kPlatformDrivers.begin(), kPlatformDrivers.end(),
                                [&](const DriverRow& known) { return known.driver == driver; });
  return row == kPlatformDrivers.end() ? nullptr : &*row;
}

std::vector<std::string> OwnNodes(const system::FileSystem& files, std::string_view driver) {
  if (driver == "mali") return {"/dev/mali0"};
  if (driver == "kgsl-3d") return {"/dev/kgsl-3d0"};
  if (driver != "gk20a" && driver != "nvgpu") return {};
  // nvgpu, include/uapi/linux/nvgpu-ctrl.h: the newer name of one node, and the older.
  for (const char* path : {"/dev/nvgpu/igpu0/ctrl", "/dev/nvhost-ctrl-gpu"}) {
    if (files.Exists(path)) return {"/dev/nvmap", path};
  }
  return {"/dev/nvmap"};
}

void AddFromPlatform(const system::FileSystem& files, std::vector<Card>& cards) {
  const auto board = ReadCompatible(files, kDeviceTree);
  for (Card& card : cards) {
    if (!OnlyDraws(card)) card.soc = FindSocFacts(card.function.compatible, board);
  }
  AddFromBus(files, board, cards);
  JoinParts(cards);
  FoldDisplays(cards);
}

}  // namespace probe::sysfs
