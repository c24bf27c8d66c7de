// SPDX-License-Identifier: MIT
#include "probe/sysfs/soc_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace probe::sysfs {
namespace {

// Compatible strings of one GPU each: linux, Documentation/devicetree/bindings/gpu (brcm,bcm-v3d.yaml,
// apple,agx.yaml, nvidia,gk20a.txt, img,powervr-*.yaml, vivante,gc.yaml) and display/brcm,bcm2835-*.yaml;
// NVIDIA's own since gp10b: nvgpu, os/linux/module.c. Compute capabilities: CUDA, "CUDA GPUs" (Jetson).
struct GpuRow {
  std::string_view compatible;
  std::string_view name;
  std::string_view vendor;
  std::string_view family;
  std::string_view target;
  bool one_product = true;
};
constexpr std::array kGpus = {
    GpuRow{"brcm,2712-v3d", "VideoCore VII", "Broadcom", "V3D 7.1", ""},
    GpuRow{"brcm,2711-v3d", "VideoCore VI", "Broadcom", "V3D 4.2", ""},
    GpuRow{"brcm,bcm2835-v3d", "VideoCore IV", "Broadcom", "", ""},
    GpuRow{"apple,agx-t8103", "Apple M1 GPU", "Apple", "AGX G13G", ""},
    GpuRow{"apple,agx-t6000", "Apple M1 Pro GPU", "Apple", "AGX G13S", ""},
    GpuRow{"apple,agx-t6001", "Apple M1 Max GPU", "Apple", "AGX G13C", ""},
    GpuRow{"apple,agx-t6002", "Apple M1 Ultra GPU", "Apple", "AGX G13D", ""},
    GpuRow{"apple,agx-t8112", "Apple M2 GPU", "Apple", "AGX G14G", ""},
    GpuRow{"apple,agx-t6020", "Apple M2 Pro GPU", "Apple", "AGX G14S", ""},
    GpuRow{"apple,agx-t6021", "Apple M2 Max GPU", "Apple", "AGX G14C", ""},
    GpuRow{"apple,agx-t6022", "Apple M2 Ultra GPU", "Apple", "AGX G14D", ""},
    GpuRow{"apple,agx-g13g", "Apple M1 GPU", "Apple", "AGX G13G", ""},
    GpuRow{"apple,agx-g14g", "Apple M2 GPU", "Apple", "AGX G14G", ""},
    GpuRow{"nvidia,gk20a", "Tegra K1 GPU (gk20a)", "NVIDIA", "Kepler", "sm_32"},
    GpuRow{"nvidia,gm20b", "Tegra X1 GPU (gm20b)", "NVIDIA", "Maxwell", "sm_53"},
    GpuRow{"nvidia,tegra210-gm20b", "Tegra X1 GPU (gm20b)", "NVIDIA", "Maxwell", "sm_53"},
    GpuRow{"nvidia,gp10b", "Tegra X2 GPU (gp10b)", "NVIDIA", "Pascal", "sm_62"},
    GpuRow{"nvidia,gv11b", "Xavier GPU (gv11b)", "NVIDIA", "Volta", "sm_72"},
    GpuRow{"nvidia,ga10b", "Orin GPU (ga10b)", "NVIDIA", "Ampere", "sm_87"},
    GpuRow{"vivante,gc", "Vivante GPU", "Vivante", "", "", false}};

// Whose GPU it is, where no row above says which.
constexpr std::array kMakers = {GpuRow{"brcm,", "Broadcom VideoCore GPU", "Broadcom", "", "", false},
                                GpuRow{"apple,agx-", "Apple GPU", "Apple", "", "", false},
                                GpuRow{"arm,mali", "Arm Mali GPU", "Arm", "", "", false},
                                GpuRow{"qcom,adreno", "Qualcomm Adreno GPU", "Qualcomm", "", "", false},
                                GpuRow{"qcom,kgsl-3d", "Qualcomm Adreno GPU", "Qualcomm", "", "", false},
                                GpuRow{"img,img-", "PowerVR GPU", "Imagination", "", "", false}};

// Which Mali a chip has: its node only names the architecture, and makers' kernels not even that one. Mesa,
// docs/drivers/panfrost.rst, and the chips' data sheets.
struct ChipRow {
  std::string_view compatible;  // of the board; with "-mali" of the GPU's node
  std::string_view gpu;
  std::string_view chip;
};
constexpr std::array kChips = {
    ChipRow{"rockchip,rk3588s", "Mali-G610", "RK3588S"}, ChipRow{"rockchip,rk3588", "Mali-G610", "RK3588"},
    ChipRow{"rockchip,rk3576", "Mali-G52", "RK3576"},    ChipRow{"rockchip,rk3568", "Mali-G52", "RK3568"},
    ChipRow{"rockchip,rk3566", "Mali-G52", "RK3566"},    ChipRow{"rockchip,px30", "Mali-G31", "PX30"},
    ChipRow{"rockchip,rk3399", "Mali-T860", "RK3399"},   ChipRow{"rockchip,rk3288", "Mali-T760", "RK3288"},
    ChipRow{"mediatek,mt8183", "Mali-G72", "MT8183"},    ChipRow{"mediatek,mt8186", "Mali-G52", "MT8186"},
    ChipRow{"mediatek,mt8188", "Mali-G57", "MT8188"},    ChipRow{"mediatek,mt8192", "Mali-G57", "MT8192"},
    ChipRow{"mediatek,mt8195", "Mali-G57", "MT8195"},    ChipRow{"amlogic,g12b", "Mali-G52", "G12B"},
    ChipRow{"amlogic,g12a", "Mali-G31", "G12A"},         ChipRow{"amlogic,sm1", "Mali-G31", "SM1"}};

constexpr std::string_view kMali = "arm,mali-";
constexpr std::string_view kAdreno = "qcom,adreno-";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

const ChipRow* FindChip(std::string_view compatible) {
  const auto row = std::find_if(kChips.begin(), kChips.end(),
                                [&](const ChipRow& known) { return known.compatible == compatible; });
  return row == kChips.end() ? nullptr : &*row;
}

// "rockchip,rk3588-mali" and "arm,mali-valhall-csf" of the node, "rockchip,rk3588" of the board.
std::optional<SocFacts> MaliOf(std::span<const std::string> own, std::span<const std::string> board) {
  const auto is_mali = [](std::string_view text) {
    return text.ends_with("-mali") || text.starts_with(kMali.substr(0, kMali.size() - 1));
  };
  if (std::none_of(own.begin(), own.end(), is_mali)) return std::nullopt;
  const ChipRow* chip = nullptr;
  for (const std::string_view text : own) {
    if (chip == nullptr && text.ends_with("-mali")) chip = FindChip(text.substr(0, text.size() - 5));
  }
  for (const std::string_view text : board) chip = chip == nullptr ? FindChip(text) : chip;
  if (chip != nullptr)
    return SocFacts{std::string(chip->gpu).append(" (").append(chip->chip).append(")"), true, "Arm", "", ""};
  for (const std::string_view text : own) {  // "arm,mali-t860", "arm,mali-450"
    if (!text.starts_with(kMali)) continue;
    const auto model = text.substr(kMali.size());
    if (!IsNumber(model) && !(model.starts_with('t') && IsNumber(model.substr(1)))) continue;
    std::string name = "Mali-" + std::string(model);
    name[5] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[5])));
    return SocFacts{std::move(name), true, "Arm", "", ""};
  }
  return SocFacts{"Arm Mali GPU", false, "Arm", "", ""};
}

// "qcom,adreno-660.1": the number, and after the point the revision (linux, bindings/display/msm/gpu.yaml).
std::optional<SocFacts> AdrenoOf(std::string_view compatible) {
  if (!compatible.starts_with(kAdreno)) return std::nullopt;
  const auto model = compatible.substr(kAdreno.size());
  const auto number = model.substr(0, model.find('.'));
  if (number.size() == model.size() || number.size() != 3 || !IsNumber(number)) return std::nullopt;
  return SocFacts{"Adreno " + std::string(number), true, "Qualcomm", "", ""};
}

SocFacts FactsOf(const GpuRow& row) {
  return {std::string(row.name), row.one_product, row.vendor, row.family, row.target};
}

}  // namespace

std::optional<SocFacts> FindSocFacts(std::span<const std::string> own, std::span<const std::string> board) {
  for (const std::string_view text : own) {
    for (const GpuRow& row : kGpus) {
      if (row.compatible == text) return FactsOf(row);
    }
    if (auto adreno = AdrenoOf(text)) return adreno;
  }
  if (auto mali = MaliOf(own, board)) return mali;
  for (const std::string_view text : own) {
    for (const GpuRow& row : kMakers) {
      const bool is_broadcom = row.vendor == "Broadcom";  // whose other devices share the beginning
      if (text.starts_with(row.compatible) && (!is_broadcom || text.ends_with("-v3d"))) return FactsOf(row);
    }
  }
  return std::nullopt;
}

}  // namespace probe::sysfs
