// SPDX-License-Identifier: MIT
#include "report/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "report/core/quantity.h"

namespace report::score {
namespace {

// A share of the native speed from here on says nothing against a software device.
constexpr double kNoArgument = 0.95;

// What a prediction's range holds: the error of measuring alone, or what is not known of software too.
enum class Uncertainty { kOfMeasuring, kOfAll };

enum class Bound { kValue, kLow, kHigh };

double At(const Range& range, Bound bound) {
  return bound == Bound::kLow ? range.low : bound == Bound::kHigh ? range.high : range.value;
}

Range RangeOf(const Factor& factor) { return {factor.value, factor.low, factor.high}; }

// The share that engines make of a rate: what devices share, and what this runtime makes of it.
Range ShareOf(const Factor& shared, const std::optional<Factor>& own) {
  if (!own) return RangeOf(shared);
  return own->basis == FactorBasis::kFitted ? RangeOf(*own) : Product({RangeOf(shared), RangeOf(*own)});
}

// matrix^power * scalar^(1 - power), with the interval of measuring.
Range PromptRate(const Fit& fit, const Way& way) {
  const Range& matrix = way.rates.prompt->per_s;
  const Range scalar =
      way.rates.prompt_fp32 ? way.rates.prompt_fp32->per_s : Product({matrix, Exactly(fit.scalar_share)});
  const auto at = [&](Bound bound) {
    return std::pow(At(matrix, bound), fit.matrix_power) * std::pow(At(scalar, bound), 1 - fit.matrix_power);
  };
  return {at(Bound::kValue), at(Bound::kLow), at(Bound::kHigh)};
}

Phase WritingOf(const Tables& tables, const Way& way) {
  const auto& fit = tables.fit;
  if (way.weights && way.rates.gemv)
    return {way.rates.gemv->per_s, RangeOf(WritingShare(way)), way.rates.gemv->name};
  return {way.rates.read->per_s, ShareOf(way.fit ? way.fit->decode : fit.decode, way.factors.decode),
          way.rates.read->name};
}

// Where the runtime was held against engines: of the product in fp32, which is steadier than that of tiles.
std::optional<Phase> ReadingByWeights(const Way& way) {
  const auto& fp32 = way.rates.prompt_fp32;
  if (!way.weights || !fp32) return std::nullopt;
  if (const auto* tiles = TilesOf(way))
    return Phase{fp32->per_s, RangeOf(tiles->prefill), fp32->name + " and tiles"};
  return Phase{fp32->per_s, RangeOf(way.weights->prefill), fp32->name};
}

Phase ReadingOf(const Tables& tables, const Way& way) {
  if (auto phase = ReadingByWeights(way)) return *std::move(phase);
  if (way.whole) return {way.rates.prompt->per_s, RangeOf(way.whole->prefill), way.rates.prompt->name};
  const auto& fit = tables.fit;
  const auto& fp32 = way.rates.prompt_fp32;
  const auto& product = *way.rates.prompt;
  // A runtime's own share was found of the product in fp32.
  if (const auto& own = way.factors.prefill; own && own->basis == FactorBasis::kFitted) {
    if (fp32) return {fp32->per_s, RangeOf(*own), fp32->name};
    return {Product({product.per_s, Exactly(fit.scalar_share)}), RangeOf(*own), product.name};
  }
  const bool mixed = fp32 && fp32->name != product.name;
  return {PromptRate(fit, way), ShareOf(way.fit ? way.fit->prefill : fit.prefill, way.factors.prefill),
          mixed ? product.name + " and " + fp32->name : product.name};
}

Times TimesOf(const Tables& tables, const Way& way, Bound bound, Uncertainty uncertainty) {
  const auto reached = [&](const Range& rate, const Range& share) {
    return At(Product({rate, uncertainty == Uncertainty::kOfAll ? share : Exactly(share.value)}), bound);
  };
  Inputs in;
  in.prompt_flop_per_s = reached(way.reading.per_s, way.reading.share);
  in.token_bytes_per_s = reached(way.writing.per_s, way.writing.share);
  const auto& training = way.fit && way.fit->training ? *way.fit->training : tables.fit.training;
  in.step_flop_per_s = reached(way.rates.product->per_s, ShareOf(training, way.factors.training));
  in.copy_bytes_per_s = At((way.rates.copy ? way.rates.copy : way.rates.read)->per_s, bound);
  in.prompt_overhead_s = tables.fit.token_overhead_s;
  in.token_overhead_s =
      way.fit ? way.fit->token_overhead_s.value_or(in.prompt_overhead_s) : in.prompt_overhead_s;
  if (way.step.streamed_bytes > 0 && way.rates.upload) {
    in.streamed_bytes = way.step.streamed_bytes;
    in.upload_bytes_per_s = At(way.rates.upload->per_s, bound);
  }
  return Predict(tables.reference, in);
}

class Scorer {
 public:
  Scorer(const Tables& tables, std::vector<Way> ways)
      : tables_(tables), request_(tables.reference), ways_(std::move(ways)), native_(NativeOf(ways_)) {
    for (Way& way : ways_) {
      if (!way.measured()) continue;
      way.reading = ReadingOf(tables, way);
      way.writing = WritingOf(tables, way);
    }
  }

  [[nodiscard]] std::vector<Score> All() const {
    std::vector<Score> scores;
    for (const Use use : kUses) {
      for (const Way& way : ways_) scores.push_back(One(way, use));
    }
    for (const Use use : kUses) DropWhatDoesNotFit(use, scores);
    return scores;
  }

 private:
  // What does not fit is no way where something else does; else its figure tells a speed and no more.
  void DropWhatDoesNotFit(Use use, std::vector<Score>& scores) const {
    const auto fits = [&](std::size_t i) { return ways_[i % ways_.size()].placement(use).fits; };
    bool one_fits = false;
    for (std::size_t i = 0; i < scores.size(); ++i)
      one_fits = one_fits || (scores[i].use == use && scores[i].eligible && fits(i));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i].use != use || fits(i)) continue;
      scores[i].fits = false;
      if (!scores[i].eligible) continue;
      scores[i].eligible = !one_fits;
      if (one_fits) continue;
      for (Reason& reason : scores[i].reasons)
        if (reason.id == ReasonId::kMemory) reason.text += "; the speed is told as if it fitted";
    }
  }

  [[nodiscard]] Score One(const Way& way, Use use) const {
    Score score;
    score.device_id = way.device->id;
    score.runtime = way.view->device.runtime;
    score.driver = way.view->device.driver;
    score.use = use;
    score.needed_bytes =
        use == Use::kTraining ? NeededTrainingBytes(request_) : NeededBytes(request_.inference);
    score.memory = way.memory;
    score.on_host_bytes = way.placement(use).on_host_bytes.value_or(0);
    if (way.estimated) score.basis = Basis::kEstimated;
    score.rates_unknown = way.rates_unknown;
    score.stands_on = StandsOnOf(tables_, *way.view);
    const double share = way.placement(use).share;
    // Without the processor's figures a split cannot be predicted.
    const bool predictable = way.measured() && share > 0 && (share >= 1 || native_);
    if (predictable) Fill(way, use, share, score);
    Judge(way, use, share, score);
    score.eligible = predictable && !way.software && (use != Use::kTraining || way.training.supported);
    return score;
  }

  [[nodiscard]] double BringingOf(const Way& way, double share, Bound bound) const {
    return BringingSeconds(request_.inference, 1 - share, At(way.rates.upload->per_s, bound));
  }

  [[nodiscard]] Times Taken(const Way& way, double share, Bound bound, Uncertainty uncertainty) const {
    const Times times = TimesOf(tables_, way, bound, uncertainty);
    if (share >= 1) return times;
    Times mixed = Mix(times, TimesOf(tables_, *native_, bound, uncertainty), share);
    if (BringsLayers(request_.inference, way))
      mixed.prefill_s = times.prefill_s + BringingOf(way, share, bound);
    return mixed;
  }

  [[nodiscard]] Range Tokens(const Way& way, Use use, double share, Uncertainty uncertainty) const {
    const auto at = [&](Bound bound) {
      return TokensPerSecond(request_, Taken(way, share, bound, uncertainty), use);
    };
    return {at(Bound::kValue), at(Bound::kLow), at(Bound::kHigh)};
  }

  // Of so many tokens, from their rate: low where that is high.
  static Range SecondsOf(double tokens, const Range& tokens_per_s) {
    return {tokens / tokens_per_s.value, tokens / tokens_per_s.high, tokens / tokens_per_s.low};
  }

  void TellPhases(const Way& way, double share, Score& score) const {
    const auto& r = request_.inference;
    score.request_s = SecondsOf(r.prompt_tokens + r.output_tokens, *score.tokens_per_s);
    score.first_token_s = SecondsOf(r.prompt_tokens, Tokens(way, Use::kPrefill, share, Uncertainty::kOfAll));
    score.writing_tokens_per_s = Tokens(way, Use::kDecode, share, Uncertainty::kOfAll);
  }

  void Fill(const Way& way, Use use, double share, Score& score) const {
    score.tokens_per_s = Tokens(way, use, share, Uncertainty::kOfAll);
    score.ranking_tokens_per_s = Tokens(way, use, share, Uncertainty::kOfMeasuring);
    if (use == Use::kInference) TellPhases(way, share, score);
    const Times times = Taken(way, share, Bound::kValue, Uncertainty::kOfMeasuring);
    if (use == Use::kTraining) {
      score.parts.push_back({"step", times.step_s, way.rates.product->name});
      if (times.stream_s == 0) return;
      score.assumes_upload = way.assumes_upload;
      score.streamed_bytes = way.step.streamed_bytes;
      score.parts.push_back({"from the host", times.stream_s, way.rates.upload->name});
      return;
    }
    if (use != Use::kDecode)
      score.parts.push_back({std::string(kPromptPart), times.prefill_s, LimitOfPrompt(way, share)});
    if (share < 1 && (use != Use::kPrefill || !BringsLayers(request_.inference, way))) {
      const auto& rest = *native_;
      score.rest =
          OtherPart{rest.device->id, rest.view->device.runtime, rest.view->device.driver, std::nullopt};
      if (use != Use::kPrefill && rest.weights) score.rest->gemv = rest.rates.gemv_type;
    }
    score.assumes_upload = way.assumes_upload && use != Use::kDecode && BringsLayers(request_.inference, way);
    if (use == Use::kPrefill) return;
    if (way.weights && way.rates.gemv) score.gemv = way.rates.gemv_type;
    const double tokens = use == Use::kInference ? request_.inference.output_tokens : 1;
    score.parts.push_back({std::string(kTokensPart), tokens * times.token_s,
                           LimitOf(way, share, &Times::token_s, &Way::writing)});
  }

  [[nodiscard]] std::string LimitOfPrompt(const Way& way, double share) const {
    if (share >= 1 || !BringsLayers(request_.inference, way))
      return LimitOf(way, share, &Times::prefill_s, &Way::reading);
    const Times own = TimesOf(tables_, way, Bound::kValue, Uncertainty::kOfMeasuring);
    return BringingOf(way, share, Bound::kValue) > own.prefill_s ? way.rates.upload->name : way.reading.name;
  }

  // What bounds a phase: of a split model the figure of the side that takes longer.
  [[nodiscard]] std::string LimitOf(const Way& way, double share, double Times::* phase,
                                    Phase Way::* of) const {
    if (share >= 1) return (way.*of).name;
    const auto taken = [&](const Way& side) {
      return TimesOf(tables_, side, Bound::kValue, Uncertainty::kOfMeasuring).*phase;
    };
    if (share * taken(way) >= (1 - share) * taken(*native_)) return (way.*of).name;
    return "the processor's " + (native_->*of).name;
  }

  void Judge(const Way& way, Use use, double share, Score& score) const {
    const auto say = [&](std::string text, ReasonId id = ReasonId::kOfTheWay) {
      score.reasons.push_back({id, std::move(text)});
    };
    if (way.software) say(SoftwareReason(score));
    if (use == Use::kTraining && !way.training.supported)
      say(way.training.reason.value_or("no training framework supports it"));
    const bool writes = use == Use::kInference || use == Use::kDecode;
    if (writes && way.weights && way.measured() && !way.rates.gemv && !way.rates.gemv_failure.empty())
      say(way.rates.gemv_failure + ": what it writes is predicted from its reads");
    if (!way.measured()) {
      for (const auto& failure : way.rates.failures) say(failure);
      const bool is_backed = way.device->hardware || way.device->kind == probe::DeviceKind::kCpu;
      if (way.rates.failures.empty() && is_backed) say("it was not measured", ReasonId::kUnmeasured);
      if (way.rates.failures.empty() && !is_backed) say("this machine's bus has no such card");
      // What computes wrong is of no use at all, whatever else may be said of it.
      auto& all = score.reasons;
      if (way.rates.is_wrong) std::rotate(all.begin(), all.end() - std::ssize(way.rates.failures), all.end());
    } else if (share < 1) {
      say(SplitReason(request_.inference, way, native_ != nullptr), ReasonId::kMemory);
    } else if (use != Use::kTraining && !way.software && !way.serving.fits) {
      say(MemoryReason(request_.inference, way), ReasonId::kMemory);
    } else if (const auto& own = way.memory.own_bytes;
               use == Use::kTraining && own && *own < *score.needed_bytes) {
      score.smaller_bytes = SmallerTrainingBytes(request_, *own);
      say(DoesNotFitReason(request_, way), ReasonId::kMemory);
    }
    // That a figure is an estimate rules nothing out.
    if (way.estimated) {
      for (const auto& late : way.rates.late) say(late);
    }
  }

  [[nodiscard]] std::string SoftwareReason(const Score& score) const {
    std::string reason = "a software device: it runs on the same processor";
    if (!native_ || !score.tokens_per_s) return reason;
    const double share =
        score.tokens_per_s->value / Tokens(*native_, score.use, 1, Uncertainty::kOfMeasuring).value;
    if (share >= kNoArgument) return reason;
    return reason.append(", ").append(PercentText(share)).append(" of its native speed");
  }

  const Tables& tables_;
  const ReferenceRequest& request_;
  std::vector<Way> ways_;
  const Way* native_;  // the processor by its own runtime
};

}  // namespace

std::vector<Score> ScoreAll(const Tables& tables, std::span<const probe::PhysicalDevice> devices,
                            std::span<const backends::Measurement> measurements,
                            std::span<const backends::Measurement> estimates) {
  return Scorer(tables, WaysOf(tables, devices, measurements, estimates)).All();
}

}  // namespace report::score
