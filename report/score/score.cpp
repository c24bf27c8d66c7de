// SPDX-License-Identifier: MIT
#include "report/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/score/model.h"
#include "report/score/rates.h"

namespace report::score {
namespace {

// A share of the native speed from here on says nothing against a software device.
constexpr double kNoArgument = 0.95;

enum class Bound { kValue, kLow, kHigh };

constexpr Bound Opposite(Bound bound) {
  return bound == Bound::kLow ? Bound::kHigh : bound == Bound::kHigh ? Bound::kLow : Bound::kValue;
}

template <class T>
double At(const T& range, Bound bound) {
  return bound == Bound::kLow ? range.low : bound == Bound::kHigh ? range.high : range.value;
}

// For the order: a fitted factor counts, an assumed one is 1.
double Ranked(const Factor& factor) { return factor.basis == FactorBasis::kFitted ? factor.value : 1.0; }

// Neutral, and honest about what is not known: for a runtime without a row in the tables.
RuntimeFactors UnknownFactors() {
  const Factor unknown{0.5, 0.25, 1.0, FactorBasis::kAssumed, "no figures for this runtime", ""};
  return {unknown, unknown, std::nullopt, unknown};
}

// One way to reach one device, with all that scores it.
struct Way {
  const probe::PhysicalDevice* device;
  const probe::View* view;
  bool software;
  Rates rates;
  RuntimeFactors factors;
  TrainingSupport training;
  bool estimated = false;  // in part: rates.late

  [[nodiscard]] bool measured() const { return rates.product && rates.read; }
};

// The product that scores the use: at the prompt's shape where that was measured.
const Rate& ProductOf(const Way& way, Use use) {
  return *(use != Use::kTraining && way.rates.prompt ? way.rates.prompt : way.rates.product);
}

Inputs RateInputs(const Way& way, Bound bound, Use use) {
  Inputs in;
  in.product_flop_per_s = At(ProductOf(way, use).per_s, bound);
  in.read_bytes_per_s = At(way.rates.read->per_s, bound);
  in.copy_bytes_per_s = At((way.rates.copy ? way.rates.copy : way.rates.read)->per_s, bound);
  return in;
}

// What all runtimes share (fitted), and what this one makes of it.
struct Efficiencies {
  const Factor& decode;
  const Factor& runtime_decode;
  const Factor& prefill;
  const Factor& runtime_prefill;
};

Efficiencies EfficienciesOf(const Tables& tables, const Way& way, Use use) {
  const auto& units = way.view->device.matrix_units;
  const bool matrix = std::find(units.begin(), units.end(), ProductOf(way, use).types) != units.end();
  const bool four_bits = tables.reference.inference.format.starts_with("Q4");
  const auto& own = way.factors;
  return {four_bits ? tables.fit.decode_q4 : tables.fit.decode_f16, own.decode,
          matrix ? tables.fit.prefill_matrix : tables.fit.prefill,
          matrix && own.prefill_matrix ? *own.prefill_matrix : own.prefill};
}

Times PredictedTimes(const Tables& tables, const Way& way, Bound bound, Use use) {
  const auto share = EfficienciesOf(tables, way, use);
  Inputs in = RateInputs(way, bound, use);
  in.prefill = At(share.prefill, bound) * At(share.runtime_prefill, bound);
  in.decode = At(share.decode, bound) * At(share.runtime_decode, bound);
  in.training = At(way.factors.training, bound);
  in.token_overhead_s = At(tables.fit.token_overhead_s, Opposite(bound));
  return Predict(tables.reference, in);
}

Times RankedTimes(const Tables& tables, const Way& way, Bound bound, Use use) {
  const auto share = EfficienciesOf(tables, way, use);
  Inputs in = RateInputs(way, bound, use);
  in.prefill = Ranked(share.prefill) * Ranked(share.runtime_prefill);
  in.decode = Ranked(share.decode) * Ranked(share.runtime_decode);
  in.training = Ranked(way.factors.training);
  in.token_overhead_s = tables.fit.token_overhead_s.value;
  return Predict(tables.reference, in);
}

class Scorer {
 public:
  Scorer(const Tables& tables, std::vector<Way> ways)
      : tables_(tables), request_(tables.reference), ways_(std::move(ways)) {
    for (const Way& way : ways_) {
      if (way.device->kind == probe::DeviceKind::kCpu && !way.software && way.measured()) native_ = &way;
    }
  }

  [[nodiscard]] std::vector<Score> All() const {
    std::vector<Score> scores;
    for (const Use use : kUses) {
      for (const Way& way : ways_) scores.push_back(One(way, use));
    }
    return scores;
  }

 private:
  [[nodiscard]] Score One(const Way& way, Use use) const {
    Score score;
    score.device_id = way.device->id;
    score.runtime = way.view->device.runtime;
    score.driver = way.view->device.driver;
    score.use = use;
    if (way.estimated) score.basis = Basis::kEstimated;
    const double share = Share(way, use);
    // Without the processor's figures a split cannot be predicted.
    const bool predictable = way.measured() && (share >= 1 || native_);
    if (predictable) Fill(way, use, share, score);
    Judge(way, use, share, score);
    score.eligible = predictable && !way.software && (use != Use::kTraining || way.training.supported);
    return score;
  }

  // Of the layers on the device itself.
  [[nodiscard]] double Share(const Way& way, Use use) const {
    const auto available = AvailableBytes(*way.device, *way.view);
    if (use == Use::kTraining || way.device->kind == probe::DeviceKind::kCpu || !available) return 1;
    if (*available >= NeededBytes(request_.inference)) return 1;
    return ResidentShare(request_.inference, *available);
  }

  template <class TimesOf>
  [[nodiscard]] Range Tokens(const Way& way, Use use, double share, TimesOf times_of) const {
    const auto at = [&](Bound bound) {
      Times times = times_of(tables_, way, bound, use);
      if (share < 1) times = Mix(times, times_of(tables_, *native_, bound, use), share);
      return TokensPerSecond(request_, times, use);
    };
    return {at(Bound::kValue), at(Bound::kLow), at(Bound::kHigh)};
  }

  void Fill(const Way& way, Use use, double share, Score& score) const {
    score.tokens_per_s = Tokens(way, use, share, PredictedTimes);
    score.ranking_tokens_per_s = Tokens(way, use, share, RankedTimes);
    Times times = PredictedTimes(tables_, way, Bound::kValue, use);
    if (share < 1) times = Mix(times, PredictedTimes(tables_, *native_, Bound::kValue, use), share);
    const Rate& product = ProductOf(way, use);
    if (use == Use::kTraining) {
      score.parts.push_back({"step", times.step_s, product.name});
      return;
    }
    if (use != Use::kDecode) score.parts.push_back({"prefill", times.prefill_s, product.name});
    if (use == Use::kPrefill) return;
    const double tokens = use == Use::kInference ? request_.inference.output_tokens : 1;
    score.parts.push_back({"decode", tokens * times.token_s, way.rates.read->name});
  }

  void Judge(const Way& way, Use use, double share, Score& score) const {
    if (way.software) score.reasons.push_back(SoftwareReason(score));
    if (use == Use::kTraining && !way.training.supported) {
      score.reasons.push_back(way.training.reason.value_or("no training framework supports it"));
    }
    if (way.estimated) {
      score.reasons.push_back(fmt::format(
          "{} is estimated from facts: the time budget ran out before it was measured; --thorough "
          "gives more",
          way.rates.late));
    }
    if (!way.measured()) {
      const auto& failures = way.rates.failures;
      score.reasons.insert(score.reasons.end(), failures.begin(), failures.end());
      if (failures.empty()) score.reasons.emplace_back("it was not measured");
    } else if (share < 1) {
      score.reasons.push_back(SplitReason(way, share));
    } else if (use == Use::kTraining) {
      const auto available = AvailableBytes(*way.device, *way.view);
      if (available && *available < request_.training.weight_bytes) {
        score.reasons.push_back(
            fmt::format("its memory does not hold the model's {} of weights: a figure for speed alone",
                        BytesText(static_cast<std::uint64_t>(request_.training.weight_bytes))));
      }
    }
  }

  [[nodiscard]] std::string SoftwareReason(const Score& score) const {
    std::string reason = "a software device: it runs on the same processor";
    if (!native_ || !score.ranking_tokens_per_s) return reason;
    const double share =
        score.ranking_tokens_per_s->value / Tokens(*native_, score.use, 1, RankedTimes).value;
    if (share >= kNoArgument) return reason;
    return reason.append(", ").append(PercentText(share)).append(" of its native speed");
  }

  [[nodiscard]] std::string SplitReason(const Way& way, double share) const {
    const auto& r = request_.inference;
    return fmt::format("{} needs {} and {} are free: {:.0f} of {:.0f} layers on it, the rest {}", r.model,
                       BytesText(static_cast<std::uint64_t>(NeededBytes(r))),
                       BytesText(static_cast<std::uint64_t>(*AvailableBytes(*way.device, *way.view))),
                       share * r.layers, r.layers,
                       native_ ? "on the processor" : "nowhere that was measured");
  }

  const Tables& tables_;
  const ReferenceRequest& request_;
  std::vector<Way> ways_;
  const Way* native_ = nullptr;  // the processor by its own runtime
};

}  // namespace

std::vector<Score> ScoreAll(const Tables& tables, std::span<const probe::PhysicalDevice> devices,
                            std::span<const backends::Measurement> measurements,
                            std::span<const backends::Measurement> estimates) {
  const MeasurementIndex measured(measurements);
  const MeasurementIndex estimated(estimates);
  std::vector<Way> ways;
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const auto& device : devices) {
    for (const auto& view : device.views) {
      const auto& [runtime, driver] = std::tie(view.device.runtime, view.device.driver);
      if (!known.emplace(device.id, runtime, driver).second) continue;
      const auto* facts = Find(tables, runtime);
      Way way{&device,
              &view,
              IsSoftware(device, view),
              PickRates(measured.Of(device.id, runtime, driver)),
              facts ? facts->factors : UnknownFactors(),
              facts ? facts->training : TrainingSupport{}};
      const bool ran = way.rates.product || way.rates.read;
      if (!way.rates.late.empty() && (ran || device.kind == probe::DeviceKind::kCpu)) {
        FillIn(estimated.Of(device.id, runtime, driver), way.rates);
        way.estimated = way.measured();
      }
      ways.push_back(std::move(way));
    }
  }
  return Scorer(tables, std::move(ways)).All();
}

}  // namespace report::score
