// SPDX-License-Identifier: MIT
#include "tests/report/targets/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/tables.h"
#include "report/targets/build.h"

namespace report::targets {
namespace {

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) words.emplace_back(probe::TakeUpTo(text, ' '));
  return words;
}

Bounds BoundsOf(std::string_view line) {
  const auto next = [&] { return std::string(probe::TakeUpTo(line, ',')); };
  Bounds bounds;
  for (auto* text : {&bounds.target, &bounds.build, &bounds.backend}) *text = next();
  bounds.os = Words(next());
  bounds.machine = Words(next());
  bounds.wsl = next();
  bounds.glibc = next();
  bounds.features = Words(next());
  for (auto* text :
       {&bounds.driver, &bounds.driver_tested, &bounds.driver_below, &bounds.api, &bounds.api_below})
    *text = next();
  bounds.vendors = Words(next());
  bounds.kernel_drivers = Words(next());
  bounds.driver_name = next();
  bounds.brings_runtime = next() == "yes";
  bounds.runs_on = Words(next());
  bounds.not_on = Words(next());
  return bounds;
}

std::string AsTold(const TargetFacts& facts, std::string architecture) {
  if (facts.form == TargetForm::kWord) return architecture;
  if (facts.form == TargetForm::kVersion) std::erase(architecture, '.');
  return facts.prefix + architecture;
}

// A machine that lies on the bounds, of which one thing at a time is changed.
class Trial {
 public:
  Trial(const Bounds& bounds, const Build& build)
      : bounds_(bounds), build_(build), facts_(Find(*EmbeddedTables(), bounds.backend)) {
    if (!bounds.os.empty()) machine_.os = bounds.os.front();
    machine_.architecture = bounds.machine.empty() ? "x86_64" : bounds.machine.front();
    machine_.is_wsl = bounds.wsl == "yes";
    machine_.has_other_libc = bounds.glibc.empty();
    if (!bounds.glibc.empty()) machine_.glibc = bounds.glibc;
    machine_.features = &bounds.features;
    view_.device.runtime = bounds.backend;
    view_.device.driver_version = Least(bounds.driver, bounds.driver_below);
    view_.device.api_version = Least(bounds.api, bounds.api_below);
    if (bounds.brings_runtime) view_.matched_by = kBrought;
    if (!bounds.vendors.empty()) vendor_ = Number(bounds.vendors.front());
    if (!bounds.kernel_drivers.empty()) kernel_driver_ = bounds.kernel_drivers.front();
    view_.device.driver = bounds.driver_name + "1";
    if (!bounds.runs_on.empty()) SetArchitecture(bounds.runs_on.front());
  }

  std::string Difference() {
    Expect(true, "on its bounds");
    LookAtMachine();
    LookAtDriver();
    for (const char* vendor : {"1002", "106b", "10de", "5143", "8086", ""}) TryVendor(vendor);
    TryDrivers();
    for (const auto& one : bounds_.runs_on) TryArchitecture(one, true);
    for (const auto& one : bounds_.not_on) TryArchitecture(one, false);
    if (bounds_.runs_on.empty() && facts_ && facts_->target) TryArchitecture("", true);
    auto changed = *this;
    changed.view_.matched_by = kBrought;
    changed.Tell(bounds_.brings_runtime, "without its runtime", difference_);
    return difference_;
  }

 private:
  static std::string Least(const std::string& least, const std::string& below) {
    if (!least.empty()) return least;
    return below.empty() ? "1" : Before(below);
  }
  void SetArchitecture(const std::string& name) {
    if (facts_ && facts_->target) view_.device.architecture = AsTold(*facts_->target, name);
  }
  void Tell(bool runs, std::string_view how, std::string& difference, Policy policy = Policy::kMinimum) {
    const auto misfit =
        Judge(*EmbeddedTables(), build_, machine_, {view_, vendor_, kernel_driver_}, policy).misfit;
    if (misfit.empty() == runs || !difference.empty()) return;
    difference = fmt::format("{} {}: {}", runs ? "does not run" : "runs", how, misfit);
  }
  void Expect(bool runs, std::string_view how) { Tell(runs, how, difference_); }

  void LookAtFeatures() {
    for (const std::string& feature : bounds_.features) {
      std::vector<std::string> others = {"neon"};  // it is known what the processor can do
      std::copy_if(bounds_.features.begin(), bounds_.features.end(), std::back_inserter(others),
                   [&](const std::string& one) { return one != feature; });
      auto changed = *this;
      changed.machine_.features = &others;
      changed.Tell(false, "without " + feature, difference_);
    }
    if (!bounds_.features.empty()) return;
    const std::vector<std::string> little = {"neon"};
    auto changed = *this;
    changed.machine_.features = &little;
    changed.Tell(true, "on a processor that can do little", difference_);
  }

  void LookAtMachine() {
    for (const char* os : {"linux", "windows", "macos"}) {
      const bool runs =
          bounds_.os.empty() || std::find(bounds_.os.begin(), bounds_.os.end(), os) != bounds_.os.end();
      auto changed = *this;
      changed.machine_.os = os;
      changed.Tell(runs, os, difference_);
    }
    for (const char* machine : {"x86_64", "aarch64", "riscv64"}) {
      const auto& known = bounds_.machine;
      auto changed = *this;
      changed.machine_.architecture = machine;
      changed.Tell(known.empty() || std::find(known.begin(), known.end(), machine) != known.end(), machine,
                   difference_);
    }
    auto other = *this;
    other.machine_.is_wsl = !machine_.is_wsl;
    if (other.machine_.is_wsl) other.NumberDriverAsWsl();
    other.Tell(bounds_.wsl.empty(), other.machine_.is_wsl ? "in WSL" : "outside WSL", difference_);
    LookAtFeatures();
    if (bounds_.glibc.empty()) return;
    auto changed = *this;
    changed.machine_.glibc = Before(bounds_.glibc);
    changed.Tell(false, "with an older glibc", difference_);
  }

  // The release on the bound as Windows calls it, whose driver WSL has.
  void NumberDriverAsWsl() {
    if (!facts_ || !facts_->wsl_drivers) return;
    for (const WslDriver& row : *facts_->wsl_drivers) {
      if (view_.device.driver_version == row.linux_version) view_.device.driver_version = row.windows_version;
    }
  }

  using Text = std::optional<std::string> probe::RuntimeDevice::*;
  void Try(Text field, const std::string& value, bool runs, Policy policy = Policy::kMinimum) {
    auto changed = *this;
    changed.view_.device.*field = value;
    changed.Tell(runs, (policy == Policy::kTested ? "as tested with " : "with ") + value, difference_,
                 policy);
  }
  void LookAtBounds(Text field, const std::string& least, const std::string& below) {
    constexpr const char* kNewest = "99999";
    if (!least.empty()) Try(field, Before(least), false);
    if (!below.empty()) Try(field, Before(below), true);
    if (!below.empty()) Try(field, below, false);
    if (below.empty()) Try(field, kNewest, true);
  }
  void LookAtDriver() {
    LookAtBounds(&probe::RuntimeDevice::driver_version, bounds_.driver, bounds_.driver_below);
    LookAtBounds(&probe::RuntimeDevice::api_version, bounds_.api, bounds_.api_below);
    const auto& tested = bounds_.driver_tested.empty() ? bounds_.driver : bounds_.driver_tested;
    if (tested.empty()) return;
    Try(&probe::RuntimeDevice::driver_version, tested, true, Policy::kTested);
    Try(&probe::RuntimeDevice::driver_version, Before(tested), false, Policy::kTested);
  }
  static std::optional<std::uint32_t> Number(const std::string& vendor) {
    return probe::ParseNumber<std::uint32_t>(vendor, 16);
  }
  void TryVendor(const std::string& number) {
    const auto& known = bounds_.vendors;
    auto changed = *this;
    changed.vendor_ = Number(number);
    changed.Tell(known.empty() || std::find(known.begin(), known.end(), number) != known.end(),
                 "on a GPU of " + (number.empty() ? "nobody known" : number), difference_);
  }
  void TryDrivers() {
    const auto by_kernel = [&](const std::string& name, bool runs) {
      auto changed = *this;
      changed.kernel_driver_ = name;
      changed.Tell(runs, "by the kernel's " + name, difference_);
    };
    for (const std::string& name : bounds_.kernel_drivers) by_kernel(name, true);
    by_kernel("nouveau", bounds_.kernel_drivers.empty());
    auto by_runtime = *this;
    by_runtime.view_.device.driver = "rusticl";
    by_runtime.Tell(bounds_.driver_name.empty(), "by another driver of the runtime's", difference_);
  }
  void TryArchitecture(const std::string& name, bool runs) {
    auto changed = *this;
    changed.SetArchitecture(name);
    changed.Tell(runs, "on " + name, difference_);
  }

  const Bounds& bounds_;
  const Build& build_;
  const RuntimeFacts* facts_;
  Machine machine_;
  probe::View view_;
  std::optional<std::uint32_t> vendor_{};
  std::optional<std::string> kernel_driver_{};
  std::string difference_{};
};

}  // namespace

const std::vector<Bounds>& AllBounds() {
  static const auto all = [] {
    std::vector<Bounds> lines;
    const char* folder = std::getenv("WHICHGPU_TARGETS");  // ctest says it
    std::ifstream stream(std::filesystem::path(folder ? folder : "") / "bounds.csv");
    std::string line;
    std::getline(stream, line);  // the heading
    while (std::getline(stream, line)) lines.push_back(BoundsOf(line));
    return lines;
  }();
  return all;
}

std::string Before(const std::string& version) {
  const auto dot = version.rfind('.');
  const auto start = dot == std::string::npos ? 0 : dot + 1;
  const auto number = probe::ParseNumber<int>(std::string_view(version).substr(start)).value_or(0);
  if (number > 0) return fmt::format("{}{}", version.substr(0, start), number - 1);
  return start == 0 ? "0" : Before(version.substr(0, start - 1));
}

std::string Difference(const Bounds& bounds, const Build& build) {
  if (build.backend != bounds.backend) return fmt::format("is for {}", build.backend);
  return Trial(bounds, build).Difference();
}

}  // namespace report::targets
