// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

namespace report::recommend {
namespace {

// A sentence names few; how many more there are it counts.
std::string JoinedFew(std::vector<std::string> parts, std::string_view separator) {
  constexpr std::size_t kMost = 8;
  if (parts.size() > kMost + 1) {
    const auto more = fmt::format("{} more", parts.size() - kMost);
    parts.resize(kMost);
    parts.push_back(more);
  }
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string NameBeside(const Report& report, const Score& other, const Score& chosen) {
  return other.device_id == chosen.device_id
             ? RuntimeName(report.devices, other.device_id, other.runtime, other.driver)
             : WayText(report, other);
}

std::string NameOf(const Report& report, const Score& score) {
  return WayName(report.devices, score.device_id, score.runtime, score.driver);
}

double SpeedRatio(const Score& of, const Score& to) {
  return of.tokens_per_s->value / to.tokens_per_s->value;
}

// What orders the same way for another use; nullptr where that was not scored.
const Range* RankedFor(const Report& report, const Score& way, Use use) {
  for (const Score& score : report.scores) {
    const bool same =
        score.device_id == way.device_id && score.runtime == way.runtime && score.driver == way.driver;
    if (same && score.use == use && score.ranking_tokens_per_s) return &*score.ranking_tokens_per_s;
  }
  return nullptr;
}

// "hip reads prompts faster, vulkan writes faster": where two that tie over both phases differ in each.
std::string PhaseReason(const Report& report, const Score& chosen, const Scores& tied) {
  if (chosen.use != Use::kInference) return "";
  const auto faster = [&](const Score& a, const Score& b, Use use) {
    const auto* x = RankedFor(report, a, use);
    const auto* y = RankedFor(report, b, use);
    return x && y && x->value > y->value && Compare(*x, *y) == Difference::kSome;
  };
  // Of many alike, any says it.
  const std::size_t looked_at = std::min<std::size_t>(tied.size(), 16);
  for (const Score* other : std::span(tied).first(looked_at)) {
    for (const auto& [reader, writer] : {std::pair(&chosen, other), std::pair(other, &chosen)}) {
      if (!faster(*reader, *writer, Use::kPrefill) || !faster(*writer, *reader, Use::kDecode)) continue;
      return fmt::format("{} reads prompts faster, {} writes faster", NameBeside(report, *reader, chosen),
                         NameBeside(report, *writer, chosen));
    }
  }
  return "";
}

// A device that is no software of the runtime's.
bool ReachesHardware(const Report& report, std::string_view runtime) {
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const probe::PhysicalDevice& device) {
    return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
      return view.device.runtime == runtime && !IsSoftware(device, view);
    });
  });
}

// Why a GPU was passed over: of every way to it, or the first cause alone.
std::string CausesOf(const probe::PhysicalDevice& gpu, const std::vector<Rejected>& rejected,
                     bool of_every_way) {
  std::vector<std::string> ways;
  std::string first;
  for (const Rejected& option : rejected) {
    if (option.device_id != gpu.id) continue;
    if (first.empty()) first = option.cause;
    if (option.runtime) ways.push_back(fmt::format("{}: {}", *option.runtime, option.cause));
  }
  if (of_every_way && ways.size() > 1) return JoinedFew(ways, ", ");
  return first.empty() ? "it was not measured" : first;
}

}  // namespace

std::uint32_t MaturityOf(const Tables& tables, const Score& score) {
  const auto* facts = Find(tables, score.runtime);
  if (!facts) return 0;
  return score.use == Use::kTraining ? facts->maturity.training : facts->maturity.inference;
}

double MemoryOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
  return view ? AvailableBytes(*device, *view).value_or(0) : 0;
}

Reason TieReason(const Tables& tables, const Report& report, const Score& chosen, const Scores& tied) {
  std::vector<std::string> others;
  std::vector<const Score*> twins;  // the same way of an equal card
  std::vector<std::string> ways;
  const auto* device = FindDevice(report.devices, chosen.device_id);
  bool served = false;
  bool mature = false;
  bool large = false;
  bool ahead = false;
  bool behind = false;
  for (const Score* score : tied) {
    if (score == &chosen) continue;
    ways.push_back(NameOf(report, *score));
    ahead = ahead || score->tokens_per_s->value < chosen.tokens_per_s->value;
    behind = behind || score->tokens_per_s->value > chosen.tokens_per_s->value;
    const auto* other = FindDevice(report.devices, score->device_id);
    const bool same_way = score->runtime == chosen.runtime && score->driver == chosen.driver;
    if (same_way && device && other && device != other && AreEqualGpus(*device, *other)) {
      twins.push_back(score);
    } else {
      others.push_back(NameBeside(report, *score, chosen));
    }
    served = served || (chosen.is_served && !score->is_served);
    mature = mature || MaturityOf(tables, *score) < MaturityOf(tables, chosen);
    const bool equal = MaturityOf(tables, *score) == MaturityOf(tables, chosen);
    const double memory = MemoryOf(report, *score);
    large = large || (equal && memory > 0 && memory < MemoryOf(report, chosen));
  }
  if (twins.size() == 1) others.push_back(NameBeside(report, *twins.front(), chosen));
  if (twins.size() > 1) others.push_back(fmt::format("{} more {}", twins.size(), PlainName(device->name)));
  auto phases = PhaseReason(report, chosen, tied);
  if (!phases.empty()) phases = ": " + phases;
  return {ReasonId::kEqual,
          fmt::format("it {} {}{}, {}",
                      chosen.basis == Basis::kEstimated ? "is estimated equal to" : "measures like",
                      JoinedFew(others, " and "), phases,
                      served             ? "and the programs that are named for it have code for the device"
                      : mature           ? "and more software is ready for it"
                      : large            ? "and it has more memory"
                      : ahead && !behind ? "and its own figure is ahead"
                      : !twins.empty()   ? "and it is the first of equal cards"
                                         : "and nothing that is known tells them apart"),
          std::move(ways)};
}

Reason LeadReason(const Report& report, const Scores& ordered, const Scores& tied, const Score& chosen) {
  const auto next = std::find_if(ordered.begin(), ordered.end(), [&](const Score* score) {
    return std::find(tied.begin(), tied.end(), score) == tied.end();
  });
  if (next == ordered.end()) return {};
  const double ratio = SpeedRatio(chosen, **next);
  if (ratio <= 1) return {};
  const auto name = NameBeside(report, **next, chosen);
  if (IsUndecided(chosen, chosen, **next))
    return {
        ReasonId::kAhead,
        chosen.basis == Basis::kEstimated && ratio >= 2
            ? fmt::format("it is estimated {} times as fast as {}, and facts do not rule out the opposite",
                          SignificantText(ratio, 2), name)
            : fmt::format(
                  "it is ahead of {} by {}, which is within {}", name, PercentText(ratio - 1),
                  chosen.basis == Basis::kEstimated ? "what facts can tell" : "the error of measuring"),
        {NameOf(report, **next)},
        ratio};
  // Of one device what engines make of it is the same by either way.
  const auto* verb = chosen.basis == Basis::kEstimated        ? "is estimated"
                     : chosen.device_id == (*next)->device_id ? "measures"
                                                              : "should be";
  return {ReasonId::kFaster,
          ratio < 2 ? fmt::format("it {} {} faster than {}", verb, PercentText(ratio - 1), name)
                    : fmt::format("it {} {} times as fast as {}", verb, SignificantText(ratio, 2), name),
          {NameOf(report, **next)},
          ratio};
}

Reason SoftwareReason(const Report& report, const probe::PhysicalDevice& device, const Score& chosen) {
  std::vector<std::string> names;
  std::vector<std::string> slower;
  std::vector<std::string> shares;
  std::vector<std::string> ways;
  for (const Score& score : report.scores) {
    if (score.use != chosen.use || score.device_id != device.id || !score.tokens_per_s) continue;
    const auto* view = FindView(device, score.runtime, score.driver);
    if (!view || !IsSoftware(device, *view) || ReachesHardware(report, score.runtime)) continue;
    names.push_back(RuntimeName(report.devices, score.device_id, score.runtime, score.driver));
    ways.push_back(NameOf(report, score));
    const double share = score.tokens_per_s->value / chosen.tokens_per_s->value;
    if (share >= 1 - kTieShare) continue;  // no argument against it
    slower.push_back(names.back());
    shares.push_back(PercentText(share));
  }
  if (names.empty()) return {};
  auto reach = fmt::format("{} only reach{} the same processor", JoinedFew(names, " and "),
                           names.size() == 1 ? "es" : "");
  if (slower.empty()) return {ReasonId::kSameProcessor, std::move(reach), std::move(ways)};
  const auto which = slower.size() == names.size() ? "" : fmt::format("{} ", JoinedFew(slower, " and "));
  return {ReasonId::kSameProcessor,
          fmt::format("{}, {}at {} of its native speed", reach, which, JoinedFew(shares, " and ")),
          std::move(ways)};
}

namespace {

std::string Colon(const std::string& why) { return why.empty() ? "" : ": " + why; }
std::string InBrackets(const std::string& why) { return why.empty() ? "" : fmt::format(" ({})", why); }

Reason NoGpuHere(const Report& report) {
  if (report.other_gpus != OtherGpus::kNone)
    return {ReasonId::kGpusLeftOut, "--device leaves every GPU out", {}, std::nullopt, "--device"};
  if (!report.hidden_gpus.empty()) return {ReasonId::kGpusHidden, report.hidden_gpus};
  const auto unseen = SubjectsOf(report.warnings, WarningKind::kNotMounted);
  const auto why = WhyNotLooked(report);
  // Of /sys the warning says it, with whatever else is not mounted.
  const bool is_said = why.empty() || std::find(unseen.begin(), unseen.end(), "/sys") != unseen.end();
  if (!unseen.empty() && is_said)
    return {ReasonId::kNotMounted,
            fmt::format("no GPU was found, and {} {} not mounted", fmt::join(unseen, " and "),
                        unseen.size() == 1 ? "is" : "are")};
  if (why.empty()) return {ReasonId::kNoGpu, "there is no GPU in this machine"};
  return {ReasonId::kNotMounted, "no GPU was found, and " + why};
}

using Gpus = std::vector<const probe::PhysicalDevice*>;

// The first one's, behind its id where it is not that of all.
std::string WhyNoneIsKnown(const Report& report, const Gpus& unknown) {
  const auto& first = *unknown.front();
  const auto why = WhyUnknown(report, first).value_or("");
  const bool is_of_all = std::all_of(unknown.begin() + 1, unknown.end(),
                                     [&](const auto* gpu) { return WhyUnknown(report, *gpu) == why; });
  return is_of_all || why.empty() ? why : fmt::format("{}: {}", first.id, why);
}

// None is known to be usable, and of `unknown` nobody can say that it is not.
Reason UnknownReason(const Report& report, const Gpus& gpus, const Gpus& unknown, std::string_view usable,
                     const std::vector<Rejected>& rejected) {
  const auto& first = *unknown.front();
  const bool were_tried =
      std::any_of(unknown.begin(), unknown.end(), [&](const auto* gpu) { return WasTried(report, *gpu); });
  const auto why = WhyNoneIsKnown(report, unknown);
  if (unknown.size() < gpus.size()) {
    const bool is_one = unknown.size() == 1;
    const auto what = were_tried ? fmt::format("{} not known to be {}", is_one ? "is" : "are", usable)
                                 : fmt::format("{} not measured", is_one ? "was" : "were");
    return {ReasonId::kGpusUnusable, fmt::format("of {} GPUs here {} {}{}, and none of the others is {}",
                                                 gpus.size(), unknown.size(), what, InBrackets(why), usable)};
  }
  if (gpus.size() > 1)
    return {ReasonId::kGpusUnmeasured,
            were_tried ? fmt::format("none of {} GPUs is known to be {}{}", gpus.size(), usable, Colon(why))
                       : fmt::format("none of {} GPUs was measured{}", gpus.size(), Colon(why))};
  const auto name = PlainName(first.name);
  return {ReasonId::kGpusUnmeasured,
          were_tried ? fmt::format("{} is not known to be usable: {}", name, CausesOf(first, rejected, true))
                     : fmt::format("{} was not measured{}", name, Colon(why))};
}

}  // namespace

Reason NoGpuReason(const Report& report, Use use, const std::vector<Rejected>& rejected) {
  std::vector<const probe::PhysicalDevice*> gpus;
  const auto divided = ParentIds(report.devices);
  for (const auto& device : report.devices) {
    if (IsGpu(device) && !IsUsedByParts(divided, device)) gpus.push_back(&device);
  }
  if (gpus.empty()) return NoGpuHere(report);
  const auto& not_asked = report.not_asked;
  const auto is_not_asked = [&](const auto* gpu) { return not_asked.device_ids.contains(gpu->id); };
  if (std::all_of(gpus.begin(), gpus.end(), is_not_asked)) {
    return {ReasonId::kGpusNotAsked,
            gpus.size() == 1
                ? fmt::format("{} was not asked: {}", PlainName(gpus.front()->name), not_asked.because)
                : fmt::format("{} GPUs were not asked: {}", gpus.size(), not_asked.because)};
  }
  std::erase_if(gpus, is_not_asked);
  const auto is_scored = [&](bool of_this_use) {
    return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
      const auto* device = FindDevice(report.devices, score.device_id);
      return device && IsGpu(*device) && score.eligible && (!of_this_use || score.use == use);
    });
  };
  if (is_scored(true)) return {};
  const auto usable = is_scored(false) ? fmt::format("usable for {}", probe::NameOf(use)) : "usable";
  std::vector<const probe::PhysicalDevice*> unknown;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(unknown),
               [&](const auto* gpu) { return WhyUnknown(report, *gpu).has_value(); });
  if (!unknown.empty()) return UnknownReason(report, gpus, unknown, usable, rejected);
  if (gpus.size() > 1)
    return {ReasonId::kGpusUnusable, fmt::format("{} GPUs are here, none of them {}", gpus.size(), usable)};
  return {ReasonId::kGpusUnusable, fmt::format("{} is not {}: {}", PlainName(gpus.front()->name), usable,
                                               CausesOf(*gpus.front(), rejected, is_scored(false)))};
}

Reason OneOfSeveralReason(const Report& report, const Score& chosen) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const auto equal = device ? CountEqualGpus(report.devices, *device) : 0;
  if (equal < 2) return {};
  return {ReasonId::kOneOfSeveral,
          fmt::format("the figures are of one of {} equal GPUs, not of all together", equal)};
}

Reason OnlyOptionReason(const Report& report, const Score& chosen) {
  std::vector<std::string> others;
  for (const Score& score : report.scores) {
    const auto omission = OmissionOf(report, score);
    if (score.use != chosen.use || (!omission && (score.eligible || score.reasons.empty()))) continue;
    const auto* device = FindDevice(report.devices, score.device_id);
    const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
    if (!view || IsSoftware(*device, *view)) continue;
    others.push_back(NameBeside(report, score, chosen) + ": " +
                     (omission ? omission->reason : score.reasons.front().text));
  }
  if (others.empty())
    return {ReasonId::kOnlyOption, report.measurements.empty()
                                       ? "nothing else here is known"
                                       : "nothing else here was measured and checked"};
  return {ReasonId::kOnlyOption, fmt::format("nothing else here is an option: {}", JoinedFew(others, "; "))};
}

Reason UnmeasuredReason(const Report& report, const Recommendation& answer) {
  const auto found = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use == answer.use && score.device_id == answer.device_id && score.runtime == answer.backend;
  });
  if (!report.measurements.empty() && found != report.scores.end() && !found->reasons.empty())
    return {ReasonId::kUnmeasured, Joined(found->reasons)};
  return {ReasonId::kUnmeasured,
          "a processor is what every machine has, and nothing here is known to be better"};
}

Reason AskedReason(const Tables& tables, const Report& report, const Recommendation& answer) {
  std::vector<std::string> asked;
  for (const auto& probe : report.probes) {
    if (probe.module == answer.backend) return {};
    if (Find(tables, probe.module)) asked.push_back(probe.module);
  }
  if (asked.empty()) return {};
  return {ReasonId::kOnlyAsked,
          fmt::format("only {} {} asked", fmt::join(asked, " and "), asked.size() == 1 ? "was" : "were")};
}

}  // namespace report::recommend
