// SPDX-License-Identifier: MIT
// What the caller has no use for, and what that costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

namespace report::recommend {
namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "cuda, hip and cpu"
std::string Listed(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// By the way, or of the device where no view of that way is there.
std::optional<double> BytesOf(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  if (!device) return std::nullopt;
  const auto* view = FindView(*device, score.runtime, score.driver);
  return view ? AvailableBytes(*device, *view) : AvailableBytes(*device);
}

// Of what the caller describes the caller can say more.
std::string HowToSay(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  const auto how = device ? HowToSayMemory(*device) : "";
  return how.empty() ? "" : fmt::format(" (say {})", how);
}

// "" where it has what is asked for.
std::string LittleMemory(const Report& report, const Score& score) {
  if (!report.terms.min_memory_bytes) return "";
  const auto wanted = static_cast<double>(*report.terms.min_memory_bytes);
  const auto bytes = BytesOf(report, score);
  if (bytes && *bytes >= wanted) return "";
  auto asked = BytesText(wanted);
  if (!bytes)
    return fmt::format("nobody says how much memory it has{}, and --min-memory asks for {}",
                       HowToSay(report, score), asked);
  auto has = BytesText(*bytes);
  if (has == asked) {
    has = fmt::format("{:.0f} bytes", *bytes);
    asked = fmt::format("{:.0f} bytes", wanted);
  }
  return fmt::format("{} of its memory can be used, and --min-memory asks for {}", has, asked);
}

bool IsOmittedByCaller(const Report& report, const Score& score) {
  const auto omission = OmissionOf(report, score);
  return omission && !omission->option.empty();
}

// The fastest that is eligible and that the terms leave out; nullptr without one.
const Score* FastestOmitted(const Report& report, Use use) {
  const Score* fastest = nullptr;
  for (const Score& score : report.scores) {
    if (score.use != use || !score.eligible || !score.tokens_per_s || !score.ranking_tokens_per_s) continue;
    const bool ahead = !fastest || score.tokens_per_s->value > fastest->tokens_per_s->value;
    if (ahead && IsOmittedByCaller(report, score)) fastest = &score;
  }
  return fastest;
}

}  // namespace

std::string NotHeldText(const Report& report, const Score& chosen) {
  const auto text = fmt::format("{} has too little memory for {}, and its speed is told as if it had enough",
                                WayText(report, chosen), WorkText(report, chosen.use));
  for (const Score& score : report.scores) {
    if (score.use != chosen.use || !score.eligible || !score.tokens_per_s || !score.fits.value_or(true))
      continue;
    const auto omission = OmissionOf(report, score);
    const auto why = omission && !omission->option.empty()
                         ? fmt::format("and {} leaves it out", omission->option)
                         : std::string("and the program's build for the GPU is for smaller work");
    return fmt::format("{}: {} holds it, {}", text, WayText(report, score), why);
  }
  return text;
}

namespace {

std::optional<Omission> UnnamedOf(const Terms& terms, const Score& score) {
  const std::string_view among = terms.can ? "--can" : "--among";
  if (!terms.among.empty() && !Holds(terms.among, score.runtime))
    return Omission{among, fmt::format("not among {}, which {} names", Listed(terms.among), among)};
  if (const auto excluded = terms.Excluded(score.runtime, score.stands_on))
    return Omission{"--exclude", fmt::format("{} {}, which --exclude names",
                                             *excluded == score.runtime ? "by" : "it stands on", *excluded)};
  if (terms.excluded_ids.contains(score.device_id))
    return Omission{"--exclude", "on a device that --exclude names"};
  return std::nullopt;
}

// Why the caller's program, or every program, has nothing for the way.
Unfit TargetMisfit(const Report& report, const Score& score) {
  const auto found = report.terms.unfit.find({score.device_id, score.runtime, score.driver});
  if (found == report.terms.unfit.end()) return {};
  return found->second[score.use == Use::kTraining ? 1 : 0];
}

}  // namespace

bool IsNamed(const Report& report, const Score& score) { return !UnnamedOf(report.terms, score); }

namespace {

std::optional<Omission> OmissionByCaller(const Report& report, const Score& score) {
  if (auto unnamed = UnnamedOf(report.terms, score)) return unnamed;
  if (auto misfit = TargetMisfit(report, score); !misfit.why.empty())
    return Omission{misfit.option, std::move(misfit.why), misfit.can_be_mended};
  if (auto little = LittleMemory(report, score); !little.empty())
    return Omission{"--min-memory", std::move(little)};
  const auto* device = report.terms.proof ? FindDevice(report.devices, score.device_id) : nullptr;
  const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
  if (report.terms.proof && !(view && HasRun(report, *device, *view)))
    return Omission{"--can", view && HasFailed(report, *device, *view)
                                 ? "no kernel was right there"
                                 : "no kernel was measured there, so that nothing shows that it works"};
  return std::nullopt;
}

// The way of the runtime that this one stands on, where that is one for the caller.
const Score* WayBelow(const Report& report, const Score& score) {
  if (!score.stands_on) return nullptr;
  const auto below = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& other) {
    return other.use == score.use && other.device_id == score.device_id &&
           other.runtime == *score.stands_on && other.eligible && !OmissionByCaller(report, other);
  });
  return below == report.scores.end() ? nullptr : &*below;
}

}  // namespace

std::optional<Omission> OmissionOf(const Report& report, const Score& score) {
  if (auto omission = OmissionByCaller(report, score)) return omission;
  const Score* below = WayBelow(report, score);
  if (below == nullptr) return std::nullopt;
  return Omission{"", fmt::format("it stands on {}, which reaches the device itself", below->runtime)};
}

bool IsOmitted(const Report& report, const Score& score) { return OmissionOf(report, score).has_value(); }

bool StandsOnAnother(const Report& report, const Score& score) {
  return !OmissionByCaller(report, score) && WayBelow(report, score) != nullptr;
}

Reason FasterReason(const Report& report, const Score& chosen) {
  const Score* faster = FastestOmitted(report, chosen.use);
  if (!faster) return {};
  const double share = chosen.tokens_per_s->value / faster->tokens_per_s->value;
  if (share >= kWhole) return {};
  // An estimate is called one, and has no error of measuring.
  const bool measured = chosen.basis != Basis::kEstimated && faster->basis != Basis::kEstimated;
  const bool unknown = measured && Compare(*chosen.ranking_tokens_per_s, *faster->ranking_tokens_per_s) ==
                                       Difference::kUnknown;
  const std::string option(OmissionOf(report, *faster)->option);
  return {ReasonId::kFasterLeftOut,
          fmt::format("{}, which {} leaves out{}", ComparedText(report, chosen, *faster, share), option,
                      unknown ? ": that is within the error of measuring" : ""),
          {WayName(report.devices, faster->device_id, faster->runtime, faster->driver)},
          share,
          option};
}

Reason OmittedReason(const Report& report, Use use) {
  const Score* other = FastestOmitted(report, use);
  if (!other) return {};
  const std::string option(OmissionOf(report, *other)->option);
  return {ReasonId::kWorksLeftOut,
          fmt::format("{} leaves out what {} work here, such as {}", option,
                      other->basis == Basis::kEstimated ? "should" : "is known to", WayText(report, *other)),
          {WayName(report.devices, other->device_id, other->runtime, other->driver)},
          std::nullopt,
          option};
}

}  // namespace report::recommend
