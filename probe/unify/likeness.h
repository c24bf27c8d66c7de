// SPDX-License-Identifier: MIT
// Whether two descriptions can be of the same thing: vendors, kinds, numbers, names and sizes. Comparisons
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/device.h"

namespace probe::unify {

// Lower case words of a name in order, joined by blanks, without makers, trademarks and words that only say
// "GPU": "NVIDIA GeForce RTX 4090" and "GeForce RTX 4090" are both "geforce rtx 4090".
[[nodiscard]] std::string NormalName(std::string_view name);

// What is compared; fields may be unknown.
struct Traits {
  std::optional<std::uint32_t> vendor;
  std::optional<std::uint32_t> device;
  DeviceKind kind = DeviceKind::kUnknown;
  std::string name;  // normalised
  std::optional<std::uint64_t> memory_bytes;
  bool on_pci = false;
};
[[nodiscard]] Traits TraitsOf(const RuntimeDevice& device);
[[nodiscard]] Traits TraitsOf(const HardwareDevice& device);

// No known numbers contradict each other.
[[nodiscard]] bool SameNumbers(const Traits& a, const Traits& b);
// Both vendors are known and the same, the numbers agree, and the kinds do, or one is unknown.
[[nodiscard]] bool SameVendorAndKind(const Traits& a, const Traits& b);
// Both are integrated, neither is on a PCI bus, and nothing says that their vendors differ: parts of a chip.
[[nodiscard]] bool SameChip(const Traits& a, const Traits& b);
// Equal names, numbers that agree, and memory within 10 % where both know it (drivers hold some back).
[[nodiscard]] bool SameNameAndMemory(const Traits& a, const Traits& b);
[[nodiscard]] bool SameSize(std::uint64_t a, std::uint64_t b);

}  // namespace probe::unify
