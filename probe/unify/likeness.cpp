// SPDX-License-Identifier: MIT
#include "probe/unify/likeness.h"

#include <algorithm>
#include <array>

namespace probe::unify {
namespace {

constexpr std::array<std::string_view, 12> kEmptyWords = {
    "amd", "nvidia", "intel", "corporation", "inc", "r", "tm", "c", "gpu", "graphics", "ati", "corp"};

// Vendors that a driver may name in words alone, by their numbers as Vulkan has them.
struct VendorWord {
  std::string_view word;
  std::uint32_t vendor;
};
constexpr std::array kVendorWords = {VendorWord{"nvidia", vendor_id::kNvidia},
                                     VendorWord{"intel", vendor_id::kIntel},
                                     VendorWord{"amd", vendor_id::kAmd},
                                     VendorWord{"advanced", vendor_id::kAmd},
                                     VendorWord{"apple", vendor_id::kApple},
                                     VendorWord{"arm", vendor_id::kArm},
                                     VendorWord{"broadcom", vendor_id::kBroadcom},
                                     VendorWord{"qualcomm", vendor_id::kQualcomm},
                                     VendorWord{"imagination", vendor_id::kImagination}};

// What only one vendor's GPUs are called. Mesa's drivers give Mesa as the vendor of some.
constexpr std::array kProductWords = {
    VendorWord{"apple", vendor_id::kApple},    VendorWord{"mali", vendor_id::kArm},
    VendorWord{"immortalis", vendor_id::kArm}, VendorWord{"adreno", vendor_id::kQualcomm},
    VendorWord{"v3d", vendor_id::kBroadcom},   VendorWord{"videocore", vendor_id::kBroadcom},
    VendorWord{"tegra", vendor_id::kNvidia},   VendorWord{"powervr", vendor_id::kImagination}};

bool IsWordByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
         static_cast<unsigned char>(byte) >= 0x80;
}

char Lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; }

template <class Visit>
void ForEachWord(std::string_view text, Visit visit) {
  std::string word;
  for (const char byte : text) {
    const char lower = Lower(byte);
    if (IsWordByte(lower)) {
      word += lower;
    } else if (!word.empty()) {
      visit(word);
      word.clear();
    }
  }
  if (!word.empty()) visit(word);
}

template <std::size_t kCount>
std::optional<std::uint32_t> VendorIn(std::string_view text, const std::array<VendorWord, kCount>& words) {
  std::optional<std::uint32_t> found;
  ForEachWord(text, [&](const std::string& word) {
    for (const VendorWord& known : words) {
      if (!found && word == known.word) found = known.vendor;
    }
  });
  return found;
}

std::optional<std::uint32_t> VendorOf(const Identity& identity, const std::optional<std::string>& text,
                                      std::string_view name) {
  if (identity.ids) return identity.ids->vendor;
  const auto vendor = VendorIn(text.value_or(""), kVendorWords);
  return vendor ? vendor : VendorIn(name, kProductWords);
}

}  // namespace

std::string NormalName(std::string_view name) {
  std::string out;
  ForEachWord(name, [&](const std::string& word) {
    if (std::find(kEmptyWords.begin(), kEmptyWords.end(), word) != kEmptyWords.end()) return;
    out.append(out.empty() ? "" : " ").append(word);
  });
  return out;
}

std::string Slug(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const char lower = Lower(byte);
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) {
      out += lower;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "unnamed" : out.substr(0, 64);
}

Traits TraitsOf(const RuntimeDevice& device) {
  Traits out;
  out.vendor = VendorOf(device.identity, device.vendor, device.name);
  if (device.identity.ids && device.identity.ids->device != 0) out.device = device.identity.ids->device;
  out.kind = device.kind;
  out.name = NormalName(device.name);
  out.memory_bytes = device.memory_total_bytes;
  out.on_pci = device.identity.pci.has_value();
  return out;
}

Traits TraitsOf(const HardwareDevice& device) {
  Traits out;
  out.vendor = VendorOf(device.identity, device.vendor, device.name);
  if (device.identity.ids) out.device = device.identity.ids->device;
  out.kind = device.kind;
  out.name = NormalName(device.name);
  out.memory_bytes = device.vram_bytes ? device.vram_bytes : device.memory_total_bytes;
  out.on_pci = device.identity.pci.has_value();
  return out;
}

bool SameNumbers(const Traits& a, const Traits& b) {
  if (a.vendor && b.vendor && *a.vendor != *b.vendor) return false;
  return !a.device || !b.device || *a.device == *b.device;
}

bool SameVendorAndKind(const Traits& a, const Traits& b) {
  if (!a.vendor || !b.vendor || !SameNumbers(a, b)) return false;
  return a.kind == b.kind || a.kind == DeviceKind::kUnknown || b.kind == DeviceKind::kUnknown;
}

bool SameChip(const Traits& a, const Traits& b) {
  const bool integrated = a.kind == DeviceKind::kIntegrated && b.kind == DeviceKind::kIntegrated;
  return integrated && !a.on_pci && !b.on_pci && SameNumbers(a, b);
}

bool SameSize(std::uint64_t a, std::uint64_t b) {
  const auto [small, large] = std::minmax(a, b);
  return large - small <= large / 10;
}

bool SameNameAndMemory(const Traits& a, const Traits& b) {
  if (a.name.empty() || a.name != b.name || !SameNumbers(a, b)) return false;
  return !a.memory_bytes || !b.memory_bytes || SameSize(*a.memory_bytes, *b.memory_bytes);
}

}  // namespace probe::unify
