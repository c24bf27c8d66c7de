// SPDX-License-Identifier: MIT
#include "probe/unify/likeness.h"

#include <algorithm>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"

namespace probe::unify {
namespace {

constexpr std::string_view kEmptyWords = "corporation inc r tm c gpu graphics corp";

bool IsWordByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
         static_cast<unsigned char>(byte) >= 0x80;
}

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

// The maker that one of the words means, whose rows say so in this field.
std::optional<std::uint32_t> VendorIn(std::string_view text, std::string_view VendorNames::* words) {
  std::optional<std::uint32_t> found;
  ForEachWord(text, [&](const std::string& word) {
    for (const VendorNames& vendor : KnownVendors()) {
      if (!found && Lists(vendor.*words, word)) found = vendor.number;
    }
  });
  return found;
}

// Mesa's drivers give Mesa as the maker of some.
std::optional<std::uint32_t> VendorOf(const Identity& identity, const std::optional<std::string>& text,
                                      std::string_view name) {
  if (identity.ids) return identity.ids->vendor;
  const auto vendor = VendorIn(text.value_or(""), &VendorNames::maker_words);
  return vendor ? vendor : VendorIn(name, &VendorNames::product_words);
}

bool IsEmpty(std::string_view word) {
  const auto vendors = KnownVendors();
  return Lists(kEmptyWords, word) ||
         std::any_of(vendors.begin(), vendors.end(),
                     [&](const VendorNames& vendor) { return Lists(vendor.leading_words, word); });
}

}  // namespace

std::string NormalName(std::string_view name) {
  std::string out;
  ForEachWord(name, [&](const std::string& word) {
    if (IsEmpty(word)) return;
    out.append(out.empty() ? "" : " ").append(word);
  });
  return out;
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
