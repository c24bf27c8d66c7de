// SPDX-License-Identifier: MIT
#include "report/render/device_words.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/devices.h"

namespace report::render {
namespace {

bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Of the table the maker that has this number, else the one that drivers and processors call so: "" without.
std::string_view MakerOf(const probe::PhysicalDevice& device) {
  if (const auto number = VendorOf(device)) return probe::VendorName(*number);
  if (!device.vendor) return "";
  const auto said = probe::Lower(*device.vendor);
  const auto first = said.substr(0, said.find(' '));
  for (const probe::VendorNames& vendor : probe::KnownVendors()) {
    if (probe::Lower(vendor.name) == said || (!first.empty() && probe::Lists(vendor.maker_words, first)))
      return vendor.name;
  }
  return "";
}

}  // namespace

std::string VendorWord(const probe::PhysicalDevice& device) {
  auto word = probe::Lower(MakerOf(device));
  std::replace_if(word.begin(), word.end(), [](char c) { return !IsWord(c); }, '_');
  return word;
}

std::string MibText(std::optional<double> bytes) {
  constexpr double kMib = 1U << 20U;
  return bytes ? std::to_string(static_cast<std::uint64_t>(*bytes / kMib)) : "";
}

std::optional<double> AllBytes(const probe::PhysicalDevice& device, const probe::View* view) {
  auto bytes = device.memory.total_bytes;
  const bool is_shared = device.kind == probe::DeviceKind::kIntegrated;
  if (view && (!bytes || is_shared) && view->device.memory_total_bytes) {
    bytes = view->device.memory_total_bytes;
  } else if (HasCarveOut(device)) {
    *bytes += *device.memory.gtt_bytes;
  }
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes);
}

std::optional<double> FreeBytes(const probe::PhysicalDevice& device, const probe::View* view) {
  const bool is_told =
      device.memory.usable_bytes || device.memory.free_bytes || (view && view->device.memory_free_bytes);
  if (!is_told) return std::nullopt;
  return view ? AvailableBytes(device, *view) : AvailableBytes(device);
}

}  // namespace report::render
