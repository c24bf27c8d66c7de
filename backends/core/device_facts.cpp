// SPDX-License-Identifier: MIT
#include "backends/core/device_facts.h"

#include "probe/core/parse.h"

namespace backends {

bool IsSame(const probe::RuntimeDevice& wanted, const probe::RuntimeDevice& found) {
  if (wanted.driver != found.driver || wanted.name != found.name) return false;
  const auto& a = wanted.identity;
  const auto& b = found.identity;
  if (a.pci != b.pci || a.partition != b.partition || a.uuid != b.uuid || a.driver_uuid != b.driver_uuid)
    return false;
  return a.pci || a.uuid || wanted.ordinal == found.ordinal;
}

namespace {

// "Intel(R) OpenCL 0: AMD EPYC"
std::string TextOf(const probe::RuntimeDevice& device) {
  return device.driver + " " + std::to_string(device.ordinal) + ": " + device.name;
}

}  // namespace

void Offered::Add(const probe::RuntimeDevice& device) {
  devices_.append(devices_.empty() ? "" : ", ").append(TextOf(device));
}

probe::Error Offered::NotFound(const probe::RuntimeDevice& wanted) const {
  return {"open", std::nullopt, "not found",
          TextOf(wanted) +
              " is not among the devices now: " + (devices_.empty() ? std::string("none") : devices_)};
}

std::uint64_t NumberFact(const probe::RuntimeDevice& device, std::string_view key) {
  const std::string* text = probe::FindFact(device.facts, key);
  return text != nullptr ? probe::ParseNumber<std::uint64_t>(*text).value_or(0) : 0;
}

std::vector<std::string> FeaturesOf(const probe::RuntimeDevice& device) {
  std::vector<std::string> features;
  for (const auto& dtype : device.dtypes) features.push_back(dtype == "int8" ? "int8_dot" : dtype);
  for (const auto& pair : device.matrix_units) features.push_back("matrix:" + pair);
  if (const std::string* sizes = probe::FindFact(device.facts, "subgroup_sizes"))
    features.push_back("subgroup:" + sizes->substr(0, sizes->find(' ')));
  return features;
}

void AddLanes(std::uint64_t lanes, std::vector<std::string>& features) {
  for (const std::uint64_t width : {4U, 8U, 16U}) {
    if (lanes >= width) features.push_back("lanes:" + std::to_string(width));
  }
}

}  // namespace backends
