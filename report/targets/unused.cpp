// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/quantity.h"
#include "report/core/unreached.h"
#include "report/core/wording.h"
#include "report/targets/build.h"
#include "report/targets/supposed.h"

namespace report::targets {
namespace {

// That the program has nothing for a way to the GPU that the caller asks for; "" where it has, or nothing
// reaches the GPU.
std::string WhyUnfit(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                     Use use) {
  for (const auto& view : device.views) {
    const auto found = report.terms.unfit.find({device.id, view.device.runtime, view.device.driver});
    if (found == report.terms.unfit.end() || IsSoftware(device, view) ||
        !IsLeft(tables, report.terms, device, view))
      continue;
    if (const auto& why = found->second[use == Use::kTraining ? 1 : 0].why; !why.empty()) return why;
  }
  return "";
}

// That the program has something for a way to the GPU, and that this way does not work; "" where none is so.
std::string WhyMeantWayFails(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                             const Recommendation& answer) {
  for (const Rejected& option : answer.rejected) {
    if (option.device_id != device.id || option.id != ReasonId::kUnusable || !option.runtime) continue;
    const auto found = report.terms.unfit.find({device.id, *option.runtime, option.driver.value_or("")});
    if (found != report.terms.unfit.end() && found->second[answer.use == Use::kTraining ? 1 : 0].why.empty())
      return fmt::format("by {} {}", Title(tables, *option.runtime), option.cause);
  }
  return "";
}

// "--exclude leaves out Level Zero, by which PyTorch's xpu fits", of a GPU to which the terms leave no way
// that the program has a build for; "" of any other.
std::string WhyLeftOut(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                       Use use) {
  const probe::View* excluded = nullptr;
  for (const auto& view : device.views) {
    const auto found = report.terms.unfit.find({device.id, view.device.runtime, view.device.driver});
    const bool fits = found != report.terms.unfit.end() &&
                      found->second[use == Use::kTraining ? 1 : 0].why.empty() && !IsSoftware(device, view);
    if (!fits) continue;
    if (IsLeft(tables, report.terms, device, view)) return "";
    if (excluded == nullptr) excluded = &view;
  }
  if (excluded == nullptr) return "";
  const auto& builds = TargetOf(report).builds;
  const auto build = std::find_if(builds.begin(), builds.end(), [&](const Build& one) {
    return Serves(tables, one, *excluded) && IsFor(TargetOf(report), one, use) &&
           Judge(tables, one, MachineOf(report), WayOf(device, *excluded), report.terms.policy)
               .misfit.empty();
  });
  if (build == builds.end()) return "";
  const auto& runtime = excluded->device.runtime;
  const auto& among = report.terms.among;
  const auto named = report.terms.Excluded(runtime, StandsOnOf(tables, *excluded));
  const bool is_among = among.empty() || std::find(among.begin(), among.end(), runtime) != among.end();
  if (!named && is_among) return "";  // for its memory
  const auto* option = named ? "--exclude" : report.terms.can ? "--can" : "--among";
  return fmt::format("{} leaves out {}, by which {}'s {} fits", option,
                     Title(tables, named.value_or(runtime)), TargetOf(report).title, build->id);
}

// What is wrong with the GPU itself, and what became of its maker's runtime; "" of one that is an option.
std::string WhyUnreached(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         const Recommendation& answer) {
  std::vector<std::string> why;
  for (const Rejected& option : answer.rejected) {
    if (option.device_id == device.id && !option.runtime) why.push_back(option.reason);
  }
  // What hides the GPU is what became of its runtime, too.
  if (!HidingVariables(report, device).empty()) return fmt::format("{}", fmt::join(why, "; "));
  const auto vendor = VendorOf(device);
  for (const Rejected& option : answer.rejected) {
    const auto* facts = !why.empty() && vendor && !option.device_id && option.runtime
                            ? Find(tables, *option.runtime)
                            : nullptr;
    // What nothing reaches for is what became of the runtime, and was said.
    const bool is_said = facts && why.front().ends_with(option.reason);
    if (facts && facts->vendor && IsOfVendor(*facts, *vendor) && !is_said) why.push_back(option.reason);
  }
  return fmt::format("{}", fmt::join(why, "; "));
}

const GpuBuilds* FindBuilds(const Recommendation& answer, const probe::PhysicalDevice& device) {
  if (!answer.gpu_builds) return nullptr;
  const auto found = std::find_if(answer.gpu_builds->begin(), answer.gpu_builds->end(),
                                  [&](const GpuBuilds& one) { return one.device_id == device.id; });
  return found == answer.gpu_builds->end() ? nullptr : &*found;
}

// That no build by the maker's own runtime has code for the GPU, which no way to it shows: nothing that is
// installed would help. "" of any other GPU.
std::string WhyNoCode(const Report& report, const probe::PhysicalDevice& device, const GpuBuilds* builds) {
  if (builds == nullptr || !builds->served_by || builds->builds.empty()) return "";
  const CodeForGpu& code = builds->builds.front();
  if (HasViewBy(device, code.backend)) return "";
  return fmt::format("{}'s {} {}", TargetOf(report).title, code.build, code.reason.value_or(""));
}

// How the runtime is absent: that it is not there, or that nobody looked for it. "" where it is not.
std::string WhyAbsent(const Report& report, const RuntimeFacts& facts) {
  const auto probe = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& one) { return one.module == facts.name; });
  if (probe == report.probes.end()) return "nobody looked for";
  if (probe->outcome != probe::Outcome::kAbsent) return "";
  return IsUntold(*probe)
             ? fmt::format("the description does not name: add runtime={}, if it is there", facts.name)
             : "is not installed";
}

// The build that would fit, were its runtime there: the maker's own, or of a described machine any that the
// description leaves open.
std::string WhatWouldFit(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         Use use) {
  const auto vendor = VendorOf(device);
  for (const Build& build : TargetOf(report).builds) {
    const auto* facts = Find(tables, build.backend);
    const bool is_served = std::any_of(device.views.begin(), device.views.end(),
                                       [&](const auto& view) { return Serves(tables, build, view); });
    if (!facts || !vendor || is_served || !IsFor(TargetOf(report), build, use) ||
        !WhyExcluded(report.terms, build).empty())
      continue;
    const auto is_open = [&](const auto& one) { return one.module == facts->name && IsUntold(one); };
    const bool may_be = !facts->vendor && std::any_of(report.probes.begin(), report.probes.end(), is_open);
    if (!IsOfVendor(*facts, *vendor) && !may_be) continue;
    const auto why = WhyAbsent(report, *facts);
    if (why.empty()) continue;
    auto view = OfRuntime(build.backend);
    view.device.architecture = ArchitectureOf(*facts, device);
    if (!Judge(tables, build, MachineOf(report), WayOf(device, view), report.terms.policy).misfit.empty())
      continue;
    return fmt::format("; its {} is for {}, which {}", build.id, facts->title, why);
  }
  return "";
}

// The program's build for the GPU by its maker's runtime, be that well or not; nullptr for none.
const Build* BuildOf(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                     Use use) {
  const auto vendor = VendorOf(device);
  for (const Build& build : TargetOf(report).builds) {
    const auto* facts = Find(tables, build.backend);
    if (!facts || !vendor || !facts->vendor || !IsOfVendor(*facts, *vendor) ||
        !IsFor(TargetOf(report), build, use) || !WhyExcluded(report.terms, build).empty())
      continue;
    auto view = OfRuntime(build.backend);
    if (auto architecture = ArchitectureOf(*facts, device); !architecture.empty())
      view.device.architecture = std::move(architecture);
    for (const auto& known : device.views) {
      if (known.device.runtime == build.backend) view = known;
    }
    if (Judge(tables, build, MachineOf(report), WayOf(device, view), report.terms.policy).misfit.empty())
      return &build;
  }
  return nullptr;
}

// "; once that is mended PyTorch's rocm7.14 fits"
std::string WhatFitsThen(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         Use use, std::string_view when) {
  const Build* build = BuildOf(tables, report, device, use);
  return build == nullptr ? "" : fmt::format("; {} {}'s {} fits", when, TargetOf(report).title, build->id);
}

constexpr std::string_view kMended = "once that is mended";

// Why a GPU is no answer that has a way and a build for it: others hold its memory, or what was measured
// failed. "" of one that is an option, and of what is known to be too small.
std::string WhyUnusable(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                        Use use) {
  const Score* unusable = nullptr;
  for (const Score& score : report.scores) {
    if (score.use != use || score.device_id != device.id) continue;
    if (score.eligible) return "";
    const auto* view = FindView(device, score.runtime, score.driver);
    if (unusable != nullptr || !view || IsSoftware(device, *view) ||
        !IsLeft(tables, report.terms, device, *view))
      continue;
    unusable = &score;
  }
  if (unusable == nullptr || unusable->reasons.empty()) return "";
  const auto* view = FindView(device, unusable->runtime, unusable->driver);
  if (view && !IsRuledOut(report, device, *view) && IsFull(report, device, use))
    return fmt::format("others hold the memory, {} of {} are free", BytesText(*device.memory.free_bytes),
                       BytesText(*device.memory.total_bytes)) +
           WhatFitsThen(tables, report, device, use, "once they have ended");
  if (view && !HasFailed(report, device, *view)) return "";
  return unusable->reasons.front().text + WhatFitsThen(tables, report, device, use, kMended);
}

// That the processor, which is the answer, is as good; "" where no way to the GPU was weighed against it.
std::string WhySlower(const Tables& tables, const probe::PhysicalDevice& device,
                      const Recommendation& answer) {
  for (const Rejected& option : answer.rejected) {
    const bool is_behind = option.id == ReasonId::kSlower || option.id == ReasonId::kNotKnownFaster;
    if (is_behind && option.device_id == device.id && option.runtime)
      return fmt::format("by {} it is {}", Title(tables, *option.runtime), option.cause);
  }
  const auto end = "@" + device.id;
  const bool ties = std::any_of(answer.tie.begin(), answer.tie.end(),
                                [&](const std::string& way) { return way.ends_with(end); });
  return ties ? "it can not be told to be faster than the processor" : "";
}

// "512 MiB of 24 GiB are free, and --min-memory asks for 8 GiB"; "" of what has as much.
std::string WhyTooSmall(const Report& report, const probe::PhysicalDevice& device) {
  const auto& wanted = report.terms.min_memory_bytes;
  const auto available = AvailableBytes(device);
  if (!wanted || !available || *available >= static_cast<double>(*wanted)) return "";
  const auto& [free, all] = std::tie(device.memory.free_bytes, device.memory.total_bytes);
  const auto has = free && all ? fmt::format("{} of {} are free", BytesText(*free), BytesText(*all))
                               : fmt::format("it has {}", BytesText(*available));
  return fmt::format("{}, and --min-memory asks for {}", has, BytesText(*wanted));
}

// The first of these that there is; what its program's build would have been for is added to `left_out`.
std::string WhyUnused(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                      Recommendation& answer) {
  const auto leave_out = [&] { probe::AddOnce(DeviceName(report.devices, device.id), answer.left_out); };
  auto why = IsFull(report, device, answer.use) ? WhyUnusable(tables, report, device, answer.use) : "";
  if (why.empty()) why = WhyTooSmall(report, device);
  if (!why.empty()) {
    leave_out();
    return why;
  }
  if (why = WhyMeantWayFails(tables, report, device, answer); !why.empty()) {
    leave_out();
    return why;
  }
  if (why = WhyLeftOut(tables, report, device, answer.use); !why.empty()) return why;
  const auto* builds = FindBuilds(answer, device);
  if (why = WhyNoCode(report, device, builds); why.empty()) {
    why = WhyUnfit(tables, report, device, answer.use);
    if (!why.empty()) why += WhatWouldFit(tables, report, device, answer.use);
  }
  if (!why.empty()) {
    leave_out();
    return builds == nullptr ? why : why + ServedText(tables, *builds);
  }
  if (why = WhyUnreached(tables, report, device, answer); !why.empty()) {
    const bool is_mendable = FailureOfMakers(tables, report, device).has_value();
    const auto then = is_mendable ? WhatFitsThen(tables, report, device, answer.use, kMended) : "";
    why += then.empty() ? WhatWouldFit(tables, report, device, answer.use) : then;
    return builds == nullptr ? why : why + ServedText(tables, *builds);
  }
  why = WhyUnusable(tables, report, device, answer.use);
  return why.empty() ? WhySlower(tables, device, answer) : why;
}

}  // namespace

void WarnOfUnused(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto* own = FindDevice(report.devices, answer.device_id);
  if (own && own->kind != probe::DeviceKind::kCpu) return;
  std::vector<std::pair<std::string, std::vector<const probe::PhysicalDevice*>>> unused;
  for (const auto& device : report.devices) {
    if (!IsGpu(device) || report.terms.excluded_ids.contains(device.id)) continue;
    auto why = WhyUnused(tables, report, device, answer);
    if (why.empty()) continue;
    const auto known =
        std::find_if(unused.begin(), unused.end(), [&](const auto& one) { return one.first == why; });
    if (known == unused.end()) {
      unused.push_back({std::move(why), {&device}});
    } else {
      known->second.push_back(&device);
    }
  }
  for (const auto& [why, devices] : unused) {
    probe::AddOnce(fmt::format("{} {} not used: {}", NamesOf(report.devices, devices),
                               devices.size() == 1 ? "is" : "are", why),
                   answer.warnings);
  }
}

}  // namespace report::targets
