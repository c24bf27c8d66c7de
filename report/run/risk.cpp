// SPDX-License-Identifier: MIT
#include "report/run/risk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "probe/registry.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::isolate::Outlives;

// Why a step is left out. What was seen, and no more: that nobody saw it end is not the driver's confession.
std::optional<std::string> Sentence(const std::optional<probe::isolate::CrashMarker>& survivor) {
  if (!survivor || !survivor->believed) return std::nullopt;
  const auto times = fmt::format("{}", fmt::join(survivor->created, " and "));
  if (survivor->rebooted) {
    return fmt::format(
        "{} was interrupted at {}, and the machine has booted since: it may have gone down with it; "
        "--retry-crashed tries again",
        survivor->description, times);
  }
  return fmt::format(
      "{} was interrupted {} at {} by what nobody saw; --retry-crashed tries again, and so does the first "
      "run "
      "after the next boot",
      survivor->description,
      survivor->created.size() == 2 ? "twice," : fmt::format("{} times,", survivor->created.size()), times);
}

// Without its files.
probe::isolate::CrashKey KeyOf(const probe::Module& module, RiskyStep step) {
  probe::isolate::CrashKey key;
  // A key of its own: the first step's observed end must not absolve the second.
  if (step == RiskyStep::kByDriver) key.device = "driver by driver";
  key.runtime = module.name;
  return key;
}

probe::isolate::CrashKey KeyOf(const probe::Module& module, RiskyStep step,
                               const probe::system::Environment& environment,
                               const probe::system::FileSystem& files) {
  auto key = KeyOf(module, step);
  if (module.manifests != nullptr) key.files = module.manifests({files, environment, std::nullopt, nullptr});
  return key;
}

// Of a device that is reached without a driver nothing can be blamed for a run that was killed, and nothing
// would ever change that clears it.
bool LoadsVendorCode(const Target& target) {
  const auto modules = probe::Modules();
  const auto module = std::find_if(modules.begin(), modules.end(),
                                   [&](const auto& known) { return known.name == target.device.runtime; });
  return module == modules.end() || module->loads_vendor_code;
}

probe::isolate::CrashKey KeyOf(const Target& target) {
  probe::isolate::CrashKey key;
  key.runtime = target.device.runtime;
  if (target.device.manifest) key.files.push_back(*target.device.manifest);
  key.device = target.device_id + " " + target.device.name;
  for (const auto& peer : target.peers) key.device += "+" + peer.device_id;
  return key;
}

}  // namespace

Outlives MustOutlive(const probe::Module& module, const probe::system::FileSystem& files) {
  const auto nodes = module.device_nodes;
  if (nodes.empty()) return Outlives::kMachine;
  const auto names = files.List("/dev");
  const bool reaches = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(nodes.begin(), nodes.end(), [&](auto start) { return name.starts_with(start); });
  });
  return reaches ? Outlives::kMachine : Outlives::kProcess;
}

RiskLedger::RiskLedger(const probe::system::Environment& environment, const probe::system::FileSystem& files,
                       bool retry_crashed)
    : environment_(environment),
      files_(files),
      markers_(probe::isolate::CrashMarkers::Open(environment, files, retry_crashed)) {}

std::string RiskLedger::warning() const {
  if (!write_failed_) return markers_.warning();
  return "the cache directory can not be written (a full disk?): a crash of a driver would not be remembered";
}

std::shared_ptr<void> RiskLedger::ArmOne(const probe::isolate::CrashKey& key, const std::string& description,
                                         Outlives outlives) const {
  auto guard =
      std::make_shared<probe::isolate::CrashMarkers::Guard>(markers_.Arm(key, description, outlives));
  write_failed_ = write_failed_ || guard->failed();
  return guard;
}

probe::Result<std::shared_ptr<void>> RiskLedger::Permit(const probe::Module& module, RiskyStep step,
                                                        Company company) const {
  const auto key = KeyOf(module, step, environment_, files_);
  const auto survivor = markers_.Survivor(key);
  if (auto sentence = Sentence(survivor))
    return probe::Own(probe::OwnError::kLeftOut, "", *std::move(sentence));
  if (survivor && company == Company::kOthers) return probe::Own(probe::OwnError::kOnlyAlone, "", "");
  return ArmOne(key,
                fmt::format("looking for devices through {}{}", module.title,
                            step == RiskyStep::kByDriver ? " driver by driver" : ""),
                MustOutlive(module, files_));
}

std::optional<std::string> RiskLedger::Refuse(const Target& target) const {
  if (!LoadsVendorCode(target)) return std::nullopt;
  return Sentence(markers_.Survivor(KeyOf(target)));
}

std::shared_ptr<void> RiskLedger::Arm(const Target& target) const {
  if (!LoadsVendorCode(target)) return nullptr;
  return ArmOne(KeyOf(target),
                fmt::format("measuring {} through {}", target.device_id, target.device.runtime),
                Outlives::kMachine);
}

std::string RiskLedger::MarkerOf(const probe::Module& module, RiskyStep step) const {
  return markers_.PathOf(KeyOf(module, step));
}

std::string RiskLedger::MarkerOf(const Target& target) const {
  return LoadsVendorCode(target) ? markers_.PathOf(KeyOf(target)) : "";
}

}  // namespace report
