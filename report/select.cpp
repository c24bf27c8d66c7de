// SPDX-License-Identifier: MIT
#include "report/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/suggest.h"

namespace report {
namespace {

template <class Matches>
std::vector<std::size_t> Indices(const std::vector<probe::PhysicalDevice>& devices, const Matches& matches) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (matches(devices[i])) found.push_back(i);
  }
  return found;
}

}  // namespace

probe::Result<std::size_t> SelectDevice(const std::vector<probe::PhysicalDevice>& devices,
                                        const std::string& text) {
  const std::string wanted = probe::Lower(text);
  const auto by_id = Indices(devices, [&](const auto& device) { return probe::Lower(device.id) == wanted; });
  const auto by_prefix =
      Indices(devices, [&](const auto& device) { return probe::Lower(device.id).starts_with(wanted); });
  const auto by_name = Indices(devices, [&](const auto& device) {
    return probe::Lower(device.name).find(wanted) != std::string::npos;
  });
  for (const auto* found : {&by_id, &by_prefix, &by_name}) {
    if (found->size() == 1 && !wanted.empty()) return found->front();
  }
  std::vector<std::string> ids;
  ids.reserve(devices.size());
  for (const auto& device : devices) ids.push_back(device.id);
  const bool ambiguous = !wanted.empty() && (by_prefix.size() > 1 || by_name.size() > 1);
  return probe::Error{"", std::nullopt, "",
                      fmt::format("--device: '{}' {}{}", probe::CleanText(text, 64),
                                  ambiguous ? "fits more than one device" : "is no device here",
                                  ambiguous ? Hint("", ids) : Hint(wanted, ids))};
}

}  // namespace report
