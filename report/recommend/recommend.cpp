// SPDX-License-Identifier: MIT
#include "report/recommend/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/rejected.h"

namespace report::recommend {
namespace {

using Scores = std::vector<const Score*>;

// Fastest first; equal ones by name, so that no order of arrival decides.
Scores Ordered(const Report& report, Use use) {
  Scores scores;
  for (const Score& score : report.scores) {
    if (score.use == use && score.eligible && score.ranking_tokens_per_s) scores.push_back(&score);
  }
  const auto key = [](const Score* s) { return std::tie(s->device_id, s->runtime, s->driver); };
  std::sort(scores.begin(), scores.end(), [&](const Score* a, const Score* b) {
    const double x = a->ranking_tokens_per_s->value;
    const double y = b->ranking_tokens_per_s->value;
    return x != y ? x > y : key(a) < key(b);
  });
  return scores;
}

std::uint32_t MaturityOf(const Tables& tables, const Score& score) {
  const auto* facts = Find(tables, score.runtime);
  if (!facts) return 0;
  return score.use == Use::kTraining ? facts->maturity.training : facts->maturity.inference;
}

const Score& MostMature(const Tables& tables, const Scores& tied) {
  return **std::max_element(tied.begin(), tied.end(), [&](const Score* a, const Score* b) {
    return MaturityOf(tables, *a) < MaturityOf(tables, *b);  // the first of equals, which is the fastest
  });
}

std::string NameBeside(const Report& report, const Score& other, const Score& chosen) {
  return other.device_id == chosen.device_id ? other.runtime : WayText(report, other);
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
    return x && y && x->value > y->value && !Ties(*x, *y);
  };
  for (const Score* other : tied) {
    for (const auto& [reader, writer] : {std::pair(&chosen, other), std::pair(other, &chosen)}) {
      if (!faster(*reader, *writer, Use::kPrefill) || !faster(*writer, *reader, Use::kDecode)) continue;
      return fmt::format("{} reads prompts faster, {} writes faster", NameBeside(report, *reader, chosen),
                         NameBeside(report, *writer, chosen));
    }
  }
  return "";
}

std::string TieReason(const Tables& tables, const Report& report, const Score& chosen, const Scores& tied) {
  std::vector<std::string> others;
  bool mature = false;
  for (const Score* score : tied) {
    if (score == &chosen) continue;
    others.push_back(NameBeside(report, *score, chosen));
    mature = mature || MaturityOf(tables, *score) < MaturityOf(tables, chosen);
  }
  auto phases = PhaseReason(report, chosen, tied);
  if (!phases.empty()) phases = ": " + phases;
  return fmt::format("it {} {}{}, {}",
                     chosen.basis == Basis::kEstimated ? "is estimated equal to" : "measures like",
                     fmt::join(others, " and "), phases,
                     mature ? "and more software is ready for it" : "and its own figure is ahead");
}

// Against the fastest of what does not tie. Of the rates that order: assumed software factors are not in it.
std::string LeadReason(const Report& report, const Scores& ordered, const Scores& tied, const Score& chosen) {
  const auto next = std::find_if(ordered.begin(), ordered.end(), [&](const Score* score) {
    return std::find(tied.begin(), tied.end(), score) == tied.end();
  });
  if (next == ordered.end()) return "";
  const double ratio = chosen.ranking_tokens_per_s->value / (*next)->ranking_tokens_per_s->value;
  if (ratio <= 1) return "";
  const auto name = NameBeside(report, **next, chosen);
  const auto* verb = chosen.basis == Basis::kEstimated ? "is estimated" : "measures";
  return ratio < 2 ? fmt::format("it {} {} faster than {}", verb, PercentText(ratio - 1), name)
                   : fmt::format("it {} {} times as fast as {}", verb, SignificantText(ratio, 2), name);
}

std::string SoftwareReason(const Report& report, const probe::PhysicalDevice& device, const Score& chosen) {
  std::vector<std::string> names;
  std::vector<std::string> slower;
  std::vector<std::string> shares;
  for (const Score& score : report.scores) {
    const auto* view = FindView(device, score.runtime, score.driver);
    if (score.use != chosen.use || score.device_id != device.id || !view || !IsSoftware(device, *view))
      continue;
    if (!score.ranking_tokens_per_s) continue;
    names.push_back(score.runtime);
    const double share = score.ranking_tokens_per_s->value / chosen.ranking_tokens_per_s->value;
    if (share >= 1 - kTieShare) continue;  // no argument against it
    slower.push_back(score.runtime);
    shares.push_back(PercentText(share));
  }
  if (names.empty()) return "";
  const auto reach = fmt::format("{} only reach{} the same processor", fmt::join(names, " and "),
                                 names.size() == 1 ? "es" : "");
  if (slower.empty()) return reach;
  const auto which = slower.size() == names.size() ? "" : fmt::format("{} ", fmt::join(slower, " and "));
  return fmt::format("{}, {}at {} of its native speed", reach, which, fmt::join(shares, " and "));
}

// What a person asks first when the answer is the processor. `rejected` says what became of the GPUs.
std::string NoGpuReason(const Report& report, const std::vector<Rejected>& rejected) {
  std::vector<const probe::PhysicalDevice*> gpus;
  for (const auto& device : report.devices) {
    if (IsGpu(device)) gpus.push_back(&device);
  }
  if (gpus.empty()) {
    const auto unseen = NotMounted(report.warnings);
    return unseen.empty() ? "there is no GPU in this machine"
                          : fmt::format("no GPU was found, and {} {} not mounted", fmt::join(unseen, " and "),
                                        unseen.size() == 1 ? "is" : "are");
  }
  const bool scored = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return device && IsGpu(*device) && score.eligible;
  });
  if (scored) return "";
  if (gpus.size() > 1) return fmt::format("{} GPUs are here, none of them usable", gpus.size());
  const auto cause = std::find_if(rejected.begin(), rejected.end(), [&](const Rejected& option) {
    return option.device_id == gpus.front()->id;
  });
  const auto reason =
      cause == rejected.end() ? "it was not measured" : cause->reason.substr(0, cause->reason.find("; "));
  return fmt::format("{} is not usable: {}", PlainName(gpus.front()->name), reason);
}

// Why a way that was measured on other hardware is no option for this use, where that is all there is to say.
std::string OnlyOptionReason(const Report& report, const Score& chosen) {
  std::vector<std::string> others;
  for (const Score& score : report.scores) {
    const auto* device = FindDevice(report.devices, score.device_id);
    const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
    if (score.use != chosen.use || score.eligible || score.reasons.empty() || !view ||
        IsSoftware(*device, *view))
      continue;
    others.push_back(score.runtime + ": " + score.reasons.front());
  }
  if (others.empty()) return "nothing else here was measured and checked";
  return fmt::format("nothing else here is an option: {}", fmt::join(others, "; "));
}

void AddNonEmpty(std::vector<std::string>& list, std::string text) {
  if (!text.empty()) list.push_back(std::move(text));
}

struct Reliability {
  bool noisy = false;
  double foreign_load = 0;
  bool throttled = false;
  bool host_timed = false;
};

Reliability Look(const Report& report, const Score& score) {
  Reliability found;
  for (const auto* m : MeasurementsOf(report.measurements, score.device_id, score.runtime, score.driver)) {
    const bool counts = m->kernel == kernels::Kernel::kGemm || m->kernel == kernels::Kernel::kRead;
    if (!counts || !IsVerified(*m)) continue;
    const bool noisy = m->quality == backends::Quality::kNoisy;
    found.noisy = found.noisy || noisy;
    found.foreign_load = std::max(found.foreign_load, m->foreign_load.value_or(0));
    // A later third that is slower by chance tells nothing of power or heat.
    found.throttled = found.throttled || (m->throttled && !noisy);
    found.host_timed = found.host_timed || m->host_timed;
  }
  return found;
}

void Judge(const Report& report, const Score& chosen, bool tie, Recommendation& answer) {
  const auto look = Look(report, chosen);
  if (look.foreign_load > 0) {
    answer.warnings.push_back(fmt::format(
        "other programs took {} of the processors while {} was measured: its figures are too low, "
        "run it again when the machine is idle",
        PercentText(look.foreign_load), answer.backend));
  } else if (look.noisy) {
    answer.warnings.push_back(answer.backend +
                              "'s figures are noisy: something else may be using the machine");
  }
  if (look.throttled)
    answer.warnings.push_back(answer.backend + " slowed down while it was measured: power or heat limits it");
  if (report.interrupted)
    answer.warnings.emplace_back("the run was interrupted once everything was measured");
  const bool estimated = chosen.basis == Basis::kEstimated;
  const auto measured = MeasurementsOf(report.measurements, chosen.device_id, chosen.runtime, chosen.driver);
  if (estimated &&
      std::none_of(measured.begin(), measured.end(), [](const auto* m) { return IsVerified(*m); }))
    answer.warnings.emplace_back("nothing was measured: the rates are estimated from facts");
  answer.confidence = look.noisy || report.interrupted || estimated ? Confidence::kLow
                      : tie || look.throttled                       ? Confidence::kMedium
                                                                    : Confidence::kHigh;
}

// What became of the processor's own figures.
std::string UnmeasuredReason(const Report& report, const Recommendation& answer) {
  const auto found = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use == answer.use && score.device_id == answer.device_id && score.runtime == answer.backend;
  });
  if (!report.measurements.empty() && found != report.scores.end() && !found->reasons.empty())
    return fmt::format("{}", fmt::join(found->reasons, "; "));
  return "a processor is what every machine has, and nothing here is known to be better";
}

// Where the processor's own runtime was left out: which ones were not.
std::string AskedReason(const Tables& tables, const Report& report, const Recommendation& answer) {
  std::vector<std::string> asked;
  for (const auto& probe : report.probes) {
    if (probe.module == answer.backend) return "";
    if (Find(tables, probe.module)) asked.push_back(probe.module);
  }
  if (asked.empty()) return "";
  return fmt::format("only {} {} asked", fmt::join(asked, " and "), asked.size() == 1 ? "was" : "were");
}

// Nothing has a score: every machine has a processor, and nothing is known to be better.
Recommendation Fallback(const Tables& tables, const Report& report, Use use) {
  Recommendation answer;
  answer.use = use;
  answer.backend = "cpu";
  answer.device_id = "cpu:0";
  for (const auto& device : report.devices) {
    if (device.kind != probe::DeviceKind::kCpu) continue;
    answer.device_id = device.id;
    for (const auto& view : device.views) {
      if (IsSoftware(device, view)) continue;
      answer.backend = view.device.runtime;
      answer.driver = view.device.driver;
    }
  }
  answer.basis = Basis::kEstimated;
  answer.confidence = Confidence::kLow;
  answer.rejected = RejectedOptions(tables, report, use, nullptr, {});
  const auto asked = AskedReason(tables, report, answer);
  answer.reasons = {NoGpuReason(report, answer.rejected)};
  answer.reasons.insert(asked.empty() ? answer.reasons.end() : answer.reasons.begin(),
                        asked.empty() ? UnmeasuredReason(report, answer) : asked);
  std::erase_if(answer.rejected, [&](const Rejected& option) {
    return option.runtime == answer.backend && option.device_id == answer.device_id;
  });
  return answer;
}

// The run ended before everything that it meant to measure was.
bool IsCutShort(const Report& report) {
  return report.interrupted &&
         (report.measurements.empty() ||
          std::any_of(report.measurements.begin(), report.measurements.end(),
                      [](const auto& m) { return m.status == backends::MeasurementStatus::kInterrupted; }));
}

}  // namespace

bool Ties(const Range& a, const Range& b) {
  const bool overlap = a.low <= b.high && b.low <= a.high;
  return overlap || std::abs(a.value - b.value) <= kTieShare * std::max(a.value, b.value);
}

std::optional<Recommendation> Recommend(const Tables& tables, const Report& report, Use use,
                                        std::optional<std::string> target) {
  if (IsCutShort(report)) return std::nullopt;
  const Scores ordered = Ordered(report, use);
  if (ordered.empty()) {
    auto answer = Fallback(tables, report, use);
    answer.target = std::move(target);
    return answer;
  }
  Scores tied;
  for (const Score* score : ordered) {
    if (Ties(*ordered.front()->ranking_tokens_per_s, *score->ranking_tokens_per_s)) tied.push_back(score);
  }
  const Score& chosen = MostMature(tables, tied);

  Recommendation answer;
  answer.use = use;
  answer.target = std::move(target);
  answer.backend = chosen.runtime;
  answer.device_id = chosen.device_id;
  answer.driver = chosen.driver;
  answer.tokens_per_s = chosen.tokens_per_s;
  answer.basis = chosen.basis;
  for (const Score* score : tied) {
    if (score != &chosen) answer.tie.push_back(WayName(score->runtime, score->device_id));
  }
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const bool processor = device && device->kind == probe::DeviceKind::kCpu;
  answer.rejected = RejectedOptions(tables, report, use, &chosen, tied);
  if (processor) AddNonEmpty(answer.reasons, NoGpuReason(report, answer.rejected));
  if (tied.size() > 1) answer.reasons.push_back(TieReason(tables, report, chosen, tied));
  AddNonEmpty(answer.reasons, LeadReason(report, ordered, tied, chosen));
  if (processor) AddNonEmpty(answer.reasons, SoftwareReason(report, *device, chosen));
  if (answer.reasons.empty()) answer.reasons.push_back(OnlyOptionReason(report, chosen));
  answer.reasons.insert(answer.reasons.end(), chosen.reasons.begin(), chosen.reasons.end());
  Judge(report, chosen, tied.size() > 1, answer);
  return answer;
}

}  // namespace report::recommend
