// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "report/core/devices.h"
#include "report/decide/decide.h"

namespace report {
namespace {

// Device, runtime, driver and the file that registers it.
using Way = std::tuple<std::string, std::string, std::string, std::optional<std::string>>;
using NewNames = std::map<Way, std::string>;

// Views come sorted by runtime, driver and file.
void Number(probe::PhysicalDevice& device, NewNames& names) {
  auto& views = device.views;
  for (auto first = views.begin(); first != views.end();) {
    const auto runtime = first->device.runtime;
    const auto driver = first->device.driver;
    const auto last = std::find_if(first, views.end(), [&](const probe::View& view) {
      return view.device.runtime != runtime || view.device.driver != driver;
    });
    int number = 1;
    auto manifest = first->device.manifest;
    for (auto view = first; view != last; ++view) {
      if (view->device.manifest != manifest) ++number;
      manifest = view->device.manifest;
      if (number == 1) continue;
      view->device.driver = fmt::format("{} ({})", driver, number);
      names[{device.id, runtime, driver, manifest}] = view->device.driver;
    }
    if (number > 1 && IsGpu(device))
      device.conflicts.push_back(
          {"driver", runtime,
           fmt::format("{} {} times: one of them may claim a card that is not its own", driver, number)});
    first = last;
  }
}

}  // namespace

void TellDriversApart(std::vector<probe::PhysicalDevice>& devices,
                      std::vector<backends::Measurement>& measurements) {
  NewNames names;
  for (auto& device : devices) Number(device, names);
  if (names.empty()) return;
  for (auto& m : measurements) {
    const auto found = names.find({m.device_id, m.runtime, m.driver, m.manifest});
    if (found != names.end()) m.driver = found->second;
  }
}

}  // namespace report
