// SPDX-License-Identifier: MIT
#include "tests/fakes/hip/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace fakes::hip {
namespace {

std::optional<std::size_t> IndexOf(const std::vector<Slot>& slots, const std::string& entry) {
  if (!entry.empty() && entry.find_first_not_of("0123456789") == std::string::npos) {
    const std::size_t index = std::stoul(entry);
    return index < slots.size() ? std::optional(index) : std::nullopt;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (entry == "GPU-" + UuidDigits(slots[i])) return i;
  }
  return std::nullopt;
}

// The list ends at the first entry that is none.
std::vector<Slot> Left(const std::vector<Slot>& slots, const char* value) {
  if (value == nullptr) return slots;
  std::vector<Slot> out;
  std::istringstream entries(value);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto index = IndexOf(slots, entry);
    if (!index) break;
    out.push_back(slots[*index]);
  }
  return out;
}

// An empty value is none: HIP filters by the first of the two that has a character, and not at all where
// neither has (ROCm/clr, rocclr/device/rocm/rocdevice.cpp, Device::init: `ordinals[0] != '\0'`).
const char* OwnVariable() {
  for (const char* name : {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

}  // namespace

const std::vector<Slot>& All() {
  static const std::vector<Slot> all = [] {
    std::vector<Slot> slots;
    for (std::uint32_t i = 0; i < Current().devices.size(); ++i) {
      const Device& gpu = Current().devices[i];
      if (gpu.partitions.empty()) slots.push_back({&gpu, nullptr, i, 0});
      for (std::uint32_t part = 0; part < gpu.partitions.size(); ++part) {
        slots.push_back({&gpu, &gpu.partitions[part], i, part});
      }
    }
    return slots;
  }();
  return all;
}

const std::vector<Slot>& Visible() {
  static const std::vector<Slot> visible =
      Left(Left(All(), std::getenv("ROCR_VISIBLE_DEVICES")), OwnVariable());
  return visible;
}

std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise) {
  const auto found = device.attributes.find(attribute);
  return found == device.attributes.end() ? otherwise : found->second;
}

std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise) {
  const auto found = Current().attributes.find(attribute);
  return found == Current().attributes.end() ? otherwise : found->second;
}

std::string TargetText(std::int64_t version) {
  char text[32];
  std::snprintf(text, sizeof text, "gfx%d%x%x", static_cast<int>(version / 10000),
                static_cast<unsigned>(version / 100 % 100), static_cast<unsigned>(version % 100));
  return text;
}

std::string TargetOf(const Slot& slot) {
  int major = 0, minor = 0, step = 0;
  const char* override_text = std::getenv("HSA_OVERRIDE_GFX_VERSION");
  if (override_text != nullptr && std::sscanf(override_text, "%d.%d.%d", &major, &minor, &step) == 3) {
    return TargetText(major * 10000 + minor * 100 + step);
  }
  return TargetText(Get(*slot.gpu, "gfx", 110000));
}

bool IsRdna(const Slot& slot) { return Get(*slot.gpu, "gfx", 110000) >= 100000; }

std::string UuidDigits(const Slot& slot) {
  std::string digits;
  for (std::size_t i = 8; i < 16; ++i) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned>(slot.self().uuid[i]));
    digits += pair;
  }
  return digits;
}

}  // namespace fakes::hip
