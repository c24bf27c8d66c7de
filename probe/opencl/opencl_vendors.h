// SPDX-License-Identifier: MIT
// What a device tells by the extensions of one maker, beyond what OpenCL asks of all. The list is generated
// from the files opencl_<maker>.cpp of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/opencl/opencl_api.h"

namespace probe::opencl {

// Questions to one device.
struct Reader {
  const Api& api;
  cl_device_id id;
  std::string extensions;

  [[nodiscard]] bool Has(std::string_view name) const { return HasExtension(extensions, name); }
  [[nodiscard]] std::string Text(cl_device_info name) const { return DeviceText(api, id, name); }
  template <class T>
  [[nodiscard]] std::optional<T> Value(cl_device_info name) const {
    return DeviceValue<T>(api, id, name);
  }
  // As Value, but 0 means unknown.
  template <class T>
  [[nodiscard]] std::optional<T> Positive(cl_device_info name) const {
    const auto value = Value<T>(name);
    return value && *value != 0 ? value : std::nullopt;
  }
};

struct FactRow {
  std::string_view key;
  cl_device_info name;
};

struct VendorQueries {
  // All of the following is asked only of a device with this extension.
  std::string_view extension;
  std::optional<PciAddress> (*pci)(const Reader&) = nullptr;
  std::optional<cl_device_info> device_number;
  std::optional<cl_device_info> board_name;  // the product's, where the device is named for its chip
  std::optional<std::string> (*architecture)(const Reader&) = nullptr;
  std::optional<cl_device_info> subgroup_width;
  // Of a device of that architecture, so many in one that CL_DEVICE_MAX_COMPUTE_UNITS counts.
  std::uint32_t (*units_in_one)(const Reader&, std::string_view architecture) = nullptr;
  std::optional<std::uint64_t> (*free_bytes)(const Reader&) = nullptr;
  std::span<const FactRow> word_facts;
  std::span<const FactRow> long_facts;
  std::vector<Fact> (*further_facts)(const Reader&) = nullptr;

  // By further extensions, which drivers of others have too.
  std::vector<std::size_t> (*subgroup_sizes)(const Reader&) = nullptr;  // in order
  std::vector<std::string> (*matrix_units)(const Reader&) = nullptr;
  // What CL_DEVICE_MAX_COMPUTE_UNITS counts; empty: what data/unit_names.csv has, or it is another maker's.
  std::string_view (*unit)(const Reader&) = nullptr;
};

[[nodiscard]] std::span<const VendorQueries> AllVendorQueries();

}  // namespace probe::opencl
