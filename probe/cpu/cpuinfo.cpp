// SPDX-License-Identifier: MIT
#include "probe/cpu/cpuinfo.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

#include "probe/core/text.h"

namespace probe::cpu {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::array kVendors = {
    std::pair<std::string_view, std::string_view>{"GenuineIntel", "Intel"},
    std::pair<std::string_view, std::string_view>{"AuthenticAMD", "AMD"},
    std::pair<std::string_view, std::string_view>{"HygonGenuine", "Hygon"},
    std::pair<std::string_view, std::string_view>{"CentaurHauls", "Zhaoxin"},
    std::pair<std::string_view, std::string_view>{"  Shanghai  ", "Zhaoxin"},
};

// Implementer and part numbers of Arm processors: Linux, arch/arm64/include/asm/cputype.h.
struct ArmPart {
  std::uint32_t implementer;
  std::uint32_t part;
  std::string_view name;
};
struct ArmVendor {
  std::uint32_t implementer;
  std::string_view name;
};
constexpr std::array kArmVendors = {
    ArmVendor{0x41, "Arm"},       ArmVendor{0x42, "Broadcom"},  ArmVendor{0x43, "Cavium"},
    ArmVendor{0x46, "Fujitsu"},   ArmVendor{0x48, "HiSilicon"}, ArmVendor{0x4e, "NVIDIA"},
    ArmVendor{0x50, "APM"},       ArmVendor{0x51, "Qualcomm"},  ArmVendor{0x61, "Apple"},
    ArmVendor{0x6d, "Microsoft"}, ArmVendor{0xc0, "Ampere"}};
constexpr std::array kArmParts = {ArmPart{0x41, 0xd03, "Cortex-A53"},    ArmPart{0x41, 0xd05, "Cortex-A55"},
                                  ArmPart{0x41, 0xd07, "Cortex-A57"},    ArmPart{0x41, 0xd08, "Cortex-A72"},
                                  ArmPart{0x41, 0xd0a, "Cortex-A75"},    ArmPart{0x41, 0xd0b, "Cortex-A76"},
                                  ArmPart{0x41, 0xd0c, "Neoverse-N1"},   ArmPart{0x41, 0xd0d, "Cortex-A77"},
                                  ArmPart{0x41, 0xd40, "Neoverse-V1"},   ArmPart{0x41, 0xd41, "Cortex-A78"},
                                  ArmPart{0x41, 0xd42, "Cortex-A78AE"},  ArmPart{0x41, 0xd44, "Cortex-X1"},
                                  ArmPart{0x41, 0xd46, "Cortex-A510"},   ArmPart{0x41, 0xd47, "Cortex-A710"},
                                  ArmPart{0x41, 0xd48, "Cortex-X2"},     ArmPart{0x41, 0xd49, "Neoverse-N2"},
                                  ArmPart{0x41, 0xd4d, "Cortex-A715"},   ArmPart{0x41, 0xd4e, "Cortex-X3"},
                                  ArmPart{0x41, 0xd4f, "Neoverse-V2"},   ArmPart{0x41, 0xd80, "Cortex-A520"},
                                  ArmPart{0x41, 0xd81, "Cortex-A720"},   ArmPart{0x41, 0xd82, "Cortex-X4"},
                                  ArmPart{0x41, 0xd83, "Neoverse-V3AE"}, ArmPart{0x41, 0xd84, "Neoverse-V3"},
                                  ArmPart{0x41, 0xd85, "Cortex-X925"},   ArmPart{0x41, 0xd87, "Cortex-A725"},
                                  ArmPart{0x41, 0xd8e, "Neoverse-N3"},   ArmPart{0x46, 0x001, "A64FX"},
                                  ArmPart{0x48, 0xd01, "TaiShan v110"},  ArmPart{0x4e, 0x004, "Carmel"},
                                  ArmPart{0x51, 0x001, "Oryon"},         ArmPart{0xc0, 0xac3, "Ampere-1"},
                                  ArmPart{0xc0, 0xac4, "Ampere-1A"},     ArmPart{0x61, 0x022, "M1 Icestorm"},
                                  ArmPart{0x61, 0x023, "M1 Firestorm"}};

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::uint32_t> Value(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (words.size() < 1024) {
    text = Trim(text);
    if (text.empty()) break;
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(CleanText(text.substr(0, end), 64));
    text.remove_prefix(end);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Collects the lines of all processors. Cores of different kinds differ in flags and names (Arm, hybrid x86).
class Collector {
 public:
  void Line(std::string_view key, std::string_view value) {
    if (key == "processor" && Value(value)) ++threads_;
    if (key == "physical id") package_ = Value(value);
    if (key == "core id") Core(Value(value));
    if (key == "vendor_id" && !info_.vendor) info_.vendor = VendorName(value);
    if (key == "model name" || key == "uarch") Model(value);
    if (key == "flags") Flags(Family::kX86, value);
    if (key == "Features") Flags(Family::kArm64, value);
    if (key == "isa") Isa(value);
    if (key == "CPU implementer") implementer_ = Value(value);
    if (key == "CPU part") Part(Value(value));
  }

  CpuInfo Take() {
    if (threads_ != 0) info_.threads = threads_;
    if (!cores_.empty()) info_.cores = static_cast<std::uint32_t>(cores_.size());
    if (!packages_.empty()) info_.packages = static_cast<std::uint32_t>(packages_.size());
    return std::move(info_);
  }

 private:
  void Core(std::optional<std::uint32_t> core) {
    if (!core || !package_) return;
    cores_.insert({*package_, *core});
    packages_.insert(*package_);
  }
  void Model(std::string_view value) {
    if (!info_.model && !value.empty()) info_.model = CleanText(value);
  }
  void Flags(Family family, std::string_view value) {
    auto words = Words(value);
    if (info_.family == Family::kUnknown) {
      info_.family = family;
      info_.flags = std::move(words);
      last_flags_ = value;
    } else if (value != last_flags_) {
      std::vector<std::string> shared;
      std::set_intersection(words.begin(), words.end(), info_.flags.begin(), info_.flags.end(),
                            std::back_inserter(shared));
      info_.flags = std::move(shared);
      last_flags_ = value;
    }
  }
  void Isa(std::string_view value) {
    if (info_.isa) return;
    info_.family = Family::kRiscv;
    info_.isa = CleanText(value, 256);
  }
  void Part(std::optional<std::uint32_t> part) {
    if (!implementer_ || !part) return;
    for (const auto& [id, name] : kArmVendors) {
      if (id == *implementer_ && !info_.vendor) info_.vendor = name;
    }
    for (const ArmPart& known : kArmParts) {
      if (known.implementer != *implementer_ || known.part != *part) continue;
      if (!info_.model) info_.model = known.name;
      if (info_.model->find(known.name) == std::string::npos && info_.model->size() < 200) {
        info_.model->append(" + ").append(known.name);
      }
    }
  }

  CpuInfo info_;
  std::uint32_t threads_ = 0;
  std::optional<std::uint32_t> package_;
  std::optional<std::uint32_t> implementer_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> cores_;
  std::set<std::uint32_t> packages_;
  std::string_view last_flags_;
};

}  // namespace

bool CpuInfo::Has(std::string_view flag) const {
  return std::binary_search(flags.begin(), flags.end(), flag);
}

std::string VendorName(std::string_view cpuid_vendor) {
  for (const auto& [id, name] : kVendors) {
    if (id == cpuid_vendor || Trim(id) == cpuid_vendor) return std::string(name);
  }
  return CleanText(cpuid_vendor, 64);
}

CpuInfo ParseCpuInfo(std::string_view text) {
  Collector collector;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos)
      collector.Line(Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return collector.Take();
}

}  // namespace probe::cpu
