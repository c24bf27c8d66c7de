// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"
#include "report/targets/build.h"

namespace report::targets {
namespace {

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view WordOf(Use use) { return use == Use::kTraining ? kTrainsModels : kRunsModels; }

class Judging {
 public:
  Judging(const BuildNeeds& needs, Policy policy) : needs_(needs), policy_(policy) {}

  void LookAtMachine(const Machine& machine) {
    if (needs_.os && !Holds(*needs_.os, machine.os)) {
      const bool runs_in_wsl =
          machine.os == "windows" && Holds(*needs_.os, "linux") && needs_.wsl.value_or(true);
      return ExcludeHere(fmt::format("is for {}{}", fmt::join(*needs_.os, ", "),
                                     runs_in_wsl ? ", in WSL on windows (wsl=yes)" : ""));
    }
    if (needs_.machine && !machine.architecture) AddUnknown("the processor's architecture");
    if (needs_.machine && machine.architecture && !Holds(*needs_.machine, *machine.architecture))
      return ExcludeHere(fmt::format("is for {}, and this machine is {}", fmt::join(*needs_.machine, ", "),
                                     *machine.architecture));
    if (needs_.wsl && *needs_.wsl != machine.is_wsl)
      return ExcludeHere(*needs_.wsl ? "is for WSL" : "is not for WSL");
    LookAtLibc(machine);
    if (!needs_.features) return;
    if (!machine.features || machine.features->empty()) return AddUnknown("what the processor can do");
    for (const std::string& feature : *needs_.features) {
      // Whoever has AVX2 or AVX-512 has AVX; older records do not list it.
      const bool implied =
          feature == "avx" && (Holds(*machine.features, "avx2") || Holds(*machine.features, "avx512f"));
      if (!implied && !Holds(*machine.features, feature))
        return Fail(Step::kMachine, fmt::format("needs a processor with {}", feature));
    }
  }

  void LookAtVendor(const std::optional<std::uint32_t>& vendor) {
    if (!needs_.vendors || IsOfVendors(vendor)) return;
    Exclude(Step::kArchitecture, fmt::format("is for GPUs of {}{}", fmt::join(VendorNames(), " and "),
                                             vendor ? "" : ", and whose this is is not known"));
  }

  // What runs on the processor can still be tied to a GPU beside it: its library opens that when it is
  // loaded.
  void LookAtNeighbours(const std::optional<std::uint32_t>& vendor, const Machine& machine) {
    if (!needs_.vendors || IsOfVendors(vendor)) return;
    if (std::any_of(machine.gpu_vendors.begin(), machine.gpu_vendors.end(),
                    [&](std::uint32_t one) { return IsOfVendors(one); }))
      return;
    Exclude(Step::kArchitecture, fmt::format("runs only beside a GPU of {}, and none is seen here",
                                             fmt::join(VendorNames(), " or ")));
  }

  // Of a described machine nobody says which they are: its maker's own.
  void LookAtDriverNames(const Way& way) {
    if (needs_.kernel_drivers && way.kernel_driver && !Holds(*needs_.kernel_drivers, *way.kernel_driver))
      Fail(Step::kArchitecture, fmt::format("needs the kernel's driver {}, and here is {}",
                                            fmt::join(*needs_.kernel_drivers, " or "), *way.kernel_driver));
    const auto& name = way.view.device.driver;
    if (!needs_.driver_names || IsSupposed(way.view) || name == kDescribed) return;
    if (std::none_of(needs_.driver_names->begin(), needs_.driver_names->end(),
                     [&](const std::string& begin) { return name.starts_with(begin); }))
      Fail(Step::kArchitecture,
           fmt::format("needs the driver {}, and here is {}", fmt::join(*needs_.driver_names, " or "), name));
  }

  // `devices`: its architecture, or those of all that are called so where nobody says which it is.
  // `compiles`: whether something here makes code for the device of what a build has.
  void LookAtArchitecture(const TargetFacts* target, const std::vector<std::string>& devices, bool compiles) {
    if (!needs_.architectures && !compiles)
      return Fail(Step::kArchitecture,
                  "is not known to have code for the device, and nothing compiles it here");
    if (!needs_.architectures) return;
    if (!target || devices.empty())
      return Exclude(Step::kArchitecture, "depends on the device's architecture, which is not known here");
    const auto shown = fmt::format("{}", fmt::join(devices, " or "));
    std::vector<std::string> misfits;
    for (const std::string& device : devices) {
      if (auto misfit = WhyNoCode(*target, device, shown, compiles); !misfit.empty())
        misfits.push_back(std::move(misfit));
    }
    if (misfits.empty()) return;
    Exclude(Step::kArchitecture,
            misfits.size() < devices.size() ? std::string(kForSomeSoCalled) : std::move(misfits.front()));
  }

  // `wsl`: how the runtime's driver is numbered there; nullptr elsewhere. `system_below`: what numbers below
  // are a system's releases.
  void LookAtDriver(const probe::RuntimeDevice& device, const std::vector<WslDriver>* wsl,
                    const std::optional<std::string>& system_below) {
    if (!verdict_.misfit.empty()) return;
    const auto is_systems = [&](const std::optional<std::string>& version) {
      return system_below && IsTold(version) && CompareVersions(*version, *system_below) < 0;
    };
    if (needs_.driver && is_systems(device.driver_version) && !is_systems(needs_.driver))
      return Outgrow(fmt::format("is for drivers from {} on, and {} is the number of a system's release",
                                 *needs_.driver, *device.driver_version));
    const bool tested = policy_ == Policy::kTested && needs_.driver_tested;
    auto least = tested ? needs_.driver_tested : needs_.driver;
    for (const WslDriver& row : wsl ? *wsl : std::vector<WslDriver>()) {
      if (least == row.linux_version) least = row.windows_version;
    }
    constexpr std::string_view kDriver = "the driver's version";
    constexpr std::string_view kRuntime = "the runtime's version";
    CheckLeast(least, device.driver_version, tested ? "is tested with driver" : "needs driver", kDriver);
    if (!verdict_.misfit.empty()) verdict_.driver = *least;
    auto outgrown = TooNew(needs_.driver_below, device.driver_version, "needs driver", kDriver);
    if (!outgrown.empty()) Outgrow(std::move(outgrown));
    const bool is_runtimes = verdict_.misfit.empty();
    CheckLeast(needs_.api, device.api_version, "needs version", kRuntime);
    if (is_runtimes && !verdict_.misfit.empty()) verdict_.api = *needs_.api;
    auto newer = TooNew(needs_.api_below, device.api_version, "needs version", kRuntime);
    if (!newer.empty()) Fail(Step::kDriver, std::move(newer));
  }

  void Fail(Step step, std::string misfit) {
    if (!verdict_.misfit.empty()) return;
    verdict_.reached = step;
    verdict_.misfit = std::move(misfit);
  }
  // Of a condition that nothing can mend here: a newer C library would not help.
  void Exclude(Step step, std::string misfit) {
    if (verdict_.misfit.empty()) verdict_.reached = step;
    if (verdict_.is_meant) verdict_.misfit = std::move(misfit);
    verdict_.is_meant = false;
  }
  // Nobody goes back to the driver that a device had before.
  void Outgrow(std::string misfit) {
    Exclude(Step::kDriver, std::move(misfit));
    verdict_.is_outgrown = true;
  }
  [[nodiscard]] Verdict verdict() const { return verdict_; }

 private:
  // "" where it has.
  [[nodiscard]] std::string WhyNoCode(const TargetFacts& target, const std::string& device,
                                      const std::string& shown, bool compiles) const {
    if (needs_.architectures_below && CompareVersions(device, *needs_.architectures_below) >= 0)
      return fmt::format("is for GPUs before {}, and here is {}", *needs_.architectures_below, shown);
    if (HasCodeFor(target, *needs_.architectures, device)) return "";
    // Newer devices compile what was written for earlier ones.
    if (compiles && needs_.intermediate && CompareVersions(*needs_.intermediate, device) <= 0) return "";
    // What several programs bring may have code that the driver compiles, beside what its makers stand for.
    return fmt::format(
        fmt::runtime(needs_.architectures_of ? "is not supported by its makers on {} (but on {}){}"
                                             : "has no code for {} (it has {}){}"),
        shown, fmt::join(*needs_.architectures, ", "),
        IsNewerThanAll(target, *needs_.architectures, device)
            ? ", which is newer than all that is known of it"
            : "");
  }
  void AddUnknown(std::string_view what) { probe::AddOnce(std::string(what), verdict_.unknown); }
  [[nodiscard]] bool IsOfVendors(const std::optional<std::uint32_t>& vendor) const {
    return vendor && Holds(*needs_.vendors, fmt::format("{:04x}", *vendor));
  }
  [[nodiscard]] std::vector<std::string> VendorNames() const {
    std::vector<std::string> names;
    for (const std::string& number : *needs_.vendors) {
      const auto id = probe::ParseNumber<std::uint32_t>(number, 16).value_or(0);
      probe::AddOnce(std::string(probe::VendorName(id)), names);
    }
    return names;
  }
  void ExcludeHere(std::string misfit) {
    verdict_.is_here = false;
    Exclude(Step::kMachine, std::move(misfit));
  }
  void LookAtLibc(const Machine& machine) {
    if (!needs_.glibc) return;
    if (machine.has_other_libc)
      return Fail(
          Step::kMachine,
          fmt::format("needs glibc {} or newer, and this machine has another C library", *needs_.glibc));
    if (!machine.glibc) {
      AddUnknown("the C library");
    } else if (CompareVersions(*machine.glibc, *needs_.glibc) < 0) {
      Fail(Step::kMachine,
           fmt::format("needs glibc {} or newer, and here is {}", *needs_.glibc, *machine.glibc));
    }
  }
  // "580.95.05", not "N/A": one that begins with no number tells nothing.
  static bool IsTold(const std::optional<std::string>& version) {
    return version && !version->empty() && version->front() >= '0' && version->front() <= '9';
  }
  void CheckLeast(const std::optional<std::string>& least, const std::optional<std::string>& here,
                  std::string_view wants, std::string_view what) {
    if (!least) return;
    if (!IsTold(here)) {
      AddUnknown(what);
    } else if (CompareVersions(*here, *least) < 0) {
      Fail(Step::kDriver, fmt::format("{} {} or newer, and here is {}", wants, *least, *here));
    }
  }
  // "needs driver before 580, and here is 590.48"; "" where it is not.
  std::string TooNew(const std::optional<std::string>& below, const std::optional<std::string>& here,
                     std::string_view wants, std::string_view what) {
    if (!below) return "";
    if (!IsTold(here)) {
      AddUnknown(what);
      return "";
    }
    return CompareVersions(*here, *below) < 0
               ? ""
               : fmt::format("{} before {}, and here is {}", wants, *below, *here);
  }

  const BuildNeeds& needs_;
  Policy policy_;
  Verdict verdict_;
};

}  // namespace

Machine MachineOf(const Report& report) {
  constexpr std::string_view kGlibc = "glibc ";
  Machine machine;
  machine.is_wsl = report.host.virtualization == probe::kWsl2;
  if (report.host.system) machine.os = *report.host.system;
  if (!report.host.architecture.empty() && report.host.architecture != "unknown")
    machine.architecture = report.host.architecture;
  if (const auto& libc = report.host.libc) {
    machine.has_other_libc = !libc->starts_with(kGlibc);
    if (!machine.has_other_libc) machine.glibc = libc->substr(kGlibc.size());
  }
  for (const auto& device : report.devices) {
    if (device.kind == probe::DeviceKind::kCpu && device.hardware && device.hardware->processor)
      machine.features = &device.hardware->processor->features;
    if (const auto vendor = VendorOf(device); vendor && IsGpu(device)) machine.gpu_vendors.push_back(*vendor);
  }
  return machine;
}

Way WayOf(const probe::PhysicalDevice& device, const probe::View& view) {
  Way way{view, VendorOf(device), std::nullopt, &device};
  if (device.hardware && device.hardware->kernel_driver != kDescribed)
    way.kernel_driver = device.hardware->kernel_driver;
  return way;
}

probe::View OfRuntime(std::string_view runtime) {
  probe::View view;
  view.device.runtime = runtime;
  return view;
}

bool HasViewBy(const probe::PhysicalDevice& device, std::string_view runtime) {
  return std::any_of(device.views.begin(), device.views.end(),
                     [&](const probe::View& view) { return view.device.runtime == runtime; });
}

namespace {

// As people write them.
std::vector<std::string> ArchitecturesOf(const RuntimeFacts& facts, const Way& way) {
  std::set<std::string> known;
  if (way.view.device.architecture) {
    known.insert(*way.view.device.architecture);
  } else if (way.device != nullptr) {
    known = ArchitecturesBy(facts, *way.device);
  }
  std::vector<std::string> all;
  for (const std::string& one : known) {
    if (auto text = ArchitectureText(*facts.target, one, Reader::kPeople); !text.empty())
      all.push_back(std::move(text));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return CompareVersions(a, b) < 0; });
  return all;
}

}  // namespace

Verdict Judge(const Tables& tables, const Build& build, const Machine& machine, const Way& way,
              Policy policy) {
  const auto& view = way.view;
  static const BuildNeeds none;
  Judging judging(build.needs ? *build.needs : none, policy);
  const auto* facts = Find(tables, build.backend);
  if (view.matched_by == kBrought && !build.brings_runtime.value_or(false))
    judging.Fail(Step::kMachine, fmt::format("needs {} installed", Title(tables, build.backend)));
  if (view.matched_by == kOwnRuntime && !build.brings_runtime.value_or(false))
    judging.Fail(Step::kMachine, fmt::format("needs all of {} installed", Title(tables, build.backend)));
  judging.LookAtMachine(machine);
  if (build.backend == kProcessorRuntime) {
    judging.LookAtNeighbours(way.vendor, machine);
  } else {
    judging.LookAtVendor(way.vendor);
  }
  judging.LookAtDriverNames(way);
  // What is built here is built for the device.
  const bool compiles = view.matched_by != kOwnCode || build.cmake;
  const auto* target = facts && facts->target ? &*facts->target : nullptr;
  judging.LookAtArchitecture(target, target ? ArchitecturesOf(*facts, way) : std::vector<std::string>(),
                             compiles);
  judging.LookAtDriver(view.device,
                       machine.is_wsl && facts && facts->wsl_drivers ? &*facts->wsl_drivers : nullptr,
                       facts ? facts->system_drivers_below : std::nullopt);
  return judging.verdict();
}

bool Serves(const Tables& tables, const Build& build, const probe::View& view) {
  const auto& runtime = view.device.runtime;
  if (build.backend == runtime) return true;
  const auto* facts = Find(tables, runtime);
  if (!facts) return build.through == runtime;
  return ComputesBy(build, *facts) && StandsOnOf(*facts, view).value_or(build.backend) == build.backend;
}

std::string WhyExcluded(const Terms& terms, const Build& build) {
  if (!build.through || !terms.Excluded(*build.through, std::nullopt)) return "";
  return fmt::format("computes by {}, which --exclude names", *build.through);
}

bool IsFor(const TargetTable& target, const Build& build, Use use) {
  const auto word = WordOf(use);
  return (!target.uses || Holds(*target.uses, word)) && (!build.uses || Holds(*build.uses, word));
}

}  // namespace report::targets
