// SPDX-License-Identifier: MIT
#include "report/risk.h"

#include <fmt/format.h>

namespace report {
namespace {

using Guards = std::vector<probe::isolate::CrashMarkers::Guard>;

std::optional<std::string> Sentence(const std::optional<probe::isolate::CrashMarker>& survivor) {
  if (!survivor) return std::nullopt;
  return fmt::format(
      "{} at {} was never seen to end: the tool or the machine went down with it; --retry-crashed tries "
      "again",
      survivor->description, survivor->created);
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

RiskLedger::RiskLedger(const probe::system::Environment& environment, const probe::system::FileSystem& files,
                       bool retry_crashed)
    : environment_(environment),
      files_(files),
      markers_(probe::isolate::CrashMarkers::Open(environment, files, retry_crashed)) {}

const probe::isolate::CrashKey& RiskLedger::KeyOf(const probe::Module& module) const {
  const auto [entry, is_new] = keys_.try_emplace(module.name);
  probe::isolate::CrashKey& key = entry->second;
  if (!is_new) return key;
  key.runtime = module.name;
  if (module.manifests != nullptr)
    key.files = module.manifests({files_, environment_, std::nullopt, nullptr});
  return key;
}

std::string RiskLedger::warning() const {
  if (!write_failed_) return markers_.warning();
  return "the cache directory can not be written (a full disk?): a crash of a driver would not be remembered";
}

probe::isolate::CrashMarkers::Guard RiskLedger::ArmOne(const probe::isolate::CrashKey& key,
                                                       const std::string& description) const {
  auto guard = markers_.Arm(key, description);
  write_failed_ = write_failed_ || guard.failed();
  return guard;
}

std::optional<std::string> RiskLedger::Refuse(const probe::Module& module) const {
  if (!module.loads_vendor_code) return std::nullopt;
  return Sentence(markers_.Survivor(KeyOf(module)));
}

std::optional<std::string> RiskLedger::Refuse(const Target& target) const {
  return Sentence(markers_.Survivor(report::KeyOf(target)));
}

std::shared_ptr<void> RiskLedger::Arm(const std::vector<const probe::Module*>& modules) const {
  auto guards = std::make_shared<Guards>();
  for (const probe::Module* module : modules) {
    if (!module->loads_vendor_code) continue;
    guards->push_back(ArmOne(KeyOf(*module), fmt::format("looking for devices through {}", module->title)));
  }
  return guards;
}

std::shared_ptr<void> RiskLedger::Arm(const Target& target) const {
  auto guards = std::make_shared<Guards>();
  guards->push_back(ArmOne(report::KeyOf(target),
                           fmt::format("measuring {} through {}", target.device_id, target.device.runtime)));
  return guards;
}

}  // namespace report
