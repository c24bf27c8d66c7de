// SPDX-License-Identifier: MIT
#include "report/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "report/core/devices.h"
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

double Squared(double value) { return value * value; }

// The product of independent figures; their 95 % ranges are added as the squares of logarithms are.
Range Product(std::initializer_list<Range> figures) {
  double value = 1, below = 0, above = 0;
  for (const Range& figure : figures) {
    value *= figure.value;
    below += Squared(std::log(figure.value / figure.low));
    above += Squared(std::log(figure.high / figure.value));
  }
  return {value, value / std::exp(std::sqrt(below)), value * std::exp(std::sqrt(above))};
}

// nullptr where its maker has no rows, and where only a driver's claim tells who made it: that orders
// nothing.
const VendorFit* FitOf(const Fit& fit, const probe::PhysicalDevice& device) {
  if (!device.hardware || !device.hardware->identity.ids) return nullptr;
  const auto vendor = device.hardware->identity.ids->vendor;
  const auto found =
      std::find_if(fit.vendors.begin(), fit.vendors.end(),
                   [name = fmt::format("{:04x}", vendor)](const auto& row) { return row.vendor == name; });
  return found == fit.vendors.end() ? nullptr : &*found;
}

// The share that engines make of a rate: what devices share, and what this runtime makes of it.
Range ShareOf(const Factor& shared, const std::optional<Factor>& own) {
  if (!own) return RangeOf(shared);
  return own->basis == FactorBasis::kFitted ? RangeOf(*own) : Product({RangeOf(shared), RangeOf(*own)});
}

Range Exactly(double value) { return {value, value, value}; }

// What bounds a phase: a rate, the share of it that engines reach, and the figures that it comes from.
struct Phase {
  Range per_s;
  Range share;
  std::string name;
};

// One way to reach one device, with all that scores it.
struct Way {
  const probe::PhysicalDevice* device;
  const probe::View* view;
  bool software;
  Rates rates;
  RuntimeFactors factors;
  TrainingSupport training;
  const WeightFactors* weights = nullptr;  // what counts for the request's
  const WholeFactors* whole = nullptr;     // the same where products take them as they are
  bool estimated = false;                  // in part: rates.late
  double streamed_bytes = 0;               // of what a training step needs, what does not fit
  WorkMemory memory{};
  Phase reading{};  // of a way that was measured, as is the next
  Phase writing{};

  [[nodiscard]] bool measured() const { return rates.product && rates.read; }
};

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

// nullptr where engines would not use tiles: there are none for these weights, or they are slower than the
// product in fp32.
const TileFactors* TilesOf(const Way& way) {
  const auto& [fp32, tiles] = std::tie(way.rates.prompt_fp32, way.rates.tiles);
  const bool used = way.weights && way.weights->tiles && tiles && fp32;
  return used && tiles->per_s.value > fp32->per_s.value ? &*way.weights->tiles : nullptr;
}

// Of a way that has factors of the weights: of the rate of their product with a vector.
const Factor& WritingShare(const Way& way) {
  const auto* tiles = TilesOf(way);
  return tiles ? tiles->decode : way.weights->decode;
}

Phase WritingOf(const Tables& tables, const Way& way) {
  const auto& fit = tables.fit;
  if (way.weights && way.rates.gemv)
    return {way.rates.gemv->per_s, RangeOf(WritingShare(way)), way.rates.gemv->name};
  const auto* maker = FitOf(fit, *way.device);
  return {way.rates.read->per_s, ShareOf(maker ? maker->decode : fit.decode, way.factors.decode),
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
  const auto* maker = FitOf(fit, *way.device);
  const auto& fp32 = way.rates.prompt_fp32;
  const auto& product = *way.rates.prompt;
  // A runtime's own share was found of the product in fp32.
  if (const auto& own = way.factors.prefill; own && own->basis == FactorBasis::kFitted) {
    if (fp32) return {fp32->per_s, RangeOf(*own), fp32->name};
    return {Product({product.per_s, Exactly(fit.scalar_share)}), RangeOf(*own), product.name};
  }
  const bool mixed = fp32 && fp32->name != product.name;
  return {PromptRate(fit, way), ShareOf(maker ? maker->prefill : fit.prefill, way.factors.prefill),
          mixed ? product.name + " and " + fp32->name : product.name};
}

Times TimesOf(const Tables& tables, const Way& way, Bound bound, Uncertainty uncertainty) {
  const auto reached = [&](const Range& rate, const Range& share) {
    return At(Product({rate, uncertainty == Uncertainty::kOfAll ? share : Exactly(share.value)}), bound);
  };
  Inputs in;
  in.prompt_flop_per_s = reached(way.reading.per_s, way.reading.share);
  in.token_bytes_per_s = reached(way.writing.per_s, way.writing.share);
  in.step_flop_per_s = reached(way.rates.product->per_s, ShareOf(tables.fit.training, way.factors.training));
  in.copy_bytes_per_s = At((way.rates.copy ? way.rates.copy : way.rates.read)->per_s, bound);
  in.token_overhead_s = tables.fit.token_overhead_s;
  if (way.streamed_bytes > 0 && way.rates.upload) {
    in.streamed_bytes = way.streamed_bytes;
    in.upload_bytes_per_s = At(way.rates.upload->per_s, bound);
  }
  return Predict(tables.reference, in);
}

class Scorer {
 public:
  Scorer(const Tables& tables, std::optional<double> host_bytes, std::vector<Way> ways)
      : tables_(tables), request_(tables.reference), ways_(std::move(ways)) {
    for (const Way& way : ways_) {
      if (way.device->kind != probe::DeviceKind::kCpu || way.software) continue;
      if (way.measured()) native_ = &way;
    }
    for (Way& way : ways_) way.memory = WorkMemoryOf(*way.device, *way.view, host_bytes);
    // What engines make of a runtime on its own devices says nothing of the processor that stands in for one.
    for (Way& way : ways_) {
      if (!way.software || !native_) continue;
      way.factors = native_->factors;
      way.weights = native_->weights;
      if (!way.rates.gemv) way.rates.gemv = StandIn(*native_, way);
    }
    FillInFromEquals();  // the first of equal GPUs alone has the whole plan
    for (Way& way : ways_) {
      if (!way.measured()) continue;
      way.reading = ReadingOf(tables, way);
      way.writing = WritingOf(tables, way);
    }
    StreamWhatDoesNotFit();
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
  // The product with a vector of a way on the same processor that does not measure one: such that it writes
  // as far below the native way as it reads. nullopt where either is not known.
  static std::optional<Rate> StandIn(const Way& native, const Way& way) {
    if (!way.weights || !native.rates.gemv || !native.rates.read || !way.rates.read) return std::nullopt;
    const double of_reads = native.rates.gemv->per_s.value / native.rates.read->per_s.value;
    const double share = of_reads * WritingShare(native).value / WritingShare(way).value;
    return Rate{Product({way.rates.read->per_s, Exactly(share)}), way.rates.read->name};
  }

  void FillInFromEquals() {
    for (Way& way : ways_) {
      if (!way.measured() || way.rates.prompt_fp32 || !way.rates.failures.empty()) continue;
      const auto whole =
          std::find_if(ways_.begin(), ways_.end(), [&, &of = way.view->device](const Way& other) {
            return other.device != way.device && other.view->device.runtime == of.runtime &&
                   other.measured() && other.view->device.driver == of.driver && other.rates.prompt_fp32 &&
                   AreEqualGpus(*other.device, *way.device);
          });
      if (whole != ways_.end()) FillInFromEqual(whole->rates, way.rates);
    }
  }

  // How much of a step a way leaves with the host, and at which rate it is brought: a device's own, whichever
  // runtime measured it, else that of its equals, else one that is assumed.
  void StreamWhatDoesNotFit() {
    std::vector<std::pair<const probe::PhysicalDevice*, Rate>> known;
    for (const Way& way : ways_) {
      if (way.rates.upload) known.emplace_back(way.device, *way.rates.upload);
    }
    for (Way& way : ways_) {
      way.streamed_bytes = StreamedBytes(way).value_or(0);
      if (way.streamed_bytes == 0 || way.rates.upload || !way.rates.read) continue;
      const auto found = std::find_if(known.begin(), known.end(), [&](const auto& row) {
        return row.first == way.device || AreEqualGpus(*row.first, *way.device);
      });
      way.rates.upload = found != known.end() ? found->second : AssumedUpload(way);
    }
  }

  // Cards read their own memory 20 to 70 times as fast as the host's (an RTX 3060 at 25 GB/s, an H200 at 55).
  static Rate AssumedUpload(const Way& way) {
    constexpr double kShare = 1.0 / 64;
    const double rate = way.rates.read ? way.rates.read->per_s.value * kShare : 0;
    return {{rate, rate / 4, rate * 4},
            "copies from the host, assumed to reach " + RateText(rate, "bytes_per_s")};
  }

  // 0: a step fits, or nobody knows that it does not. nullopt: it does not, and can not be brought from the
  // host, because that is the device itself, shares its memory or has too little of its own; or more than its
  // weights would have to be.
  [[nodiscard]] std::optional<double> StreamedBytes(const Way& way) const {
    const double missing = MissingTrainingBytes(request_, way.memory.own_bytes);
    if (missing <= 0) return 0;
    const double on_host = BytesOnHost(way, Use::kTraining);
    return on_host > 0 && way.memory.HostHolds(on_host) ? std::optional(on_host) : std::nullopt;
  }

  // Whether the work can be done at all: a step, or a request whose layers that are not on a card the host's
  // memory holds. True where nobody knows.
  [[nodiscard]] bool Fits(const Way& way, Use use) const {
    if (use == Use::kTraining) return StreamedBytes(way).has_value();
    return way.memory.HostHolds(BytesOnHost(way, use));
  }

  // Of what the work needs; of a step that can not do with the host's memory nothing.
  [[nodiscard]] double BytesOnHost(const Way& way, Use use) const {
    const auto& r = request_.inference;
    if (use != Use::kTraining) return way.memory.OnHost(NeededBytes(r), r.buffer_bytes, Share(way, use));
    const double missing = MissingTrainingBytes(request_, way.memory.own_bytes);
    return way.memory.kind == MemoryKind::kOwn && missing <= request_.training.weight_bytes ? missing : 0;
  }

  // What does not fit is no way where something else does; else its figure tells a speed and no more.
  void DropWhatDoesNotFit(Use use, std::vector<Score>& scores) const {
    const auto fits = [&](std::size_t i) { return Fits(ways_[i % ways_.size()], use); };
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
    score.on_host_bytes = BytesOnHost(way, use);
    if (way.estimated) score.basis = Basis::kEstimated;
    const double share = Share(way, use);
    // Without the processor's figures a split cannot be predicted.
    const bool predictable = way.measured() && share > 0 && (share >= 1 || native_);
    if (predictable) Fill(way, use, share, score);
    Judge(way, use, share, score);
    score.eligible = predictable && !way.software && (use != Use::kTraining || way.training.supported);
    return score;
  }

  // Of the layers on the device itself.
  [[nodiscard]] double Share(const Way& way, Use use) const {
    const auto& available = way.memory.own_bytes;
    if (use == Use::kTraining || way.memory.kind == MemoryKind::kHosts || !available) return 1;
    if (*available >= NeededBytes(request_.inference)) return 1;
    return ResidentShare(request_.inference, *available);
  }

  [[nodiscard]] Times Taken(const Way& way, double share, Bound bound, Uncertainty uncertainty) const {
    const Times times = TimesOf(tables_, way, bound, uncertainty);
    return share < 1 ? Mix(times, TimesOf(tables_, *native_, bound, uncertainty), share) : times;
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
      score.streamed_bytes = way.streamed_bytes;
      score.parts.push_back({"from the host", times.stream_s, way.rates.upload->name});
      return;
    }
    if (use != Use::kDecode)
      score.parts.push_back(
          {std::string(kPromptPart), times.prefill_s, LimitOf(way, share, &Times::prefill_s, &Way::reading)});
    if (share < 1) {
      const auto& rest = *native_;
      score.rest =
          OtherPart{rest.device->id, rest.view->device.runtime, rest.view->device.driver, std::nullopt};
      if (use != Use::kPrefill && rest.weights) score.rest->gemv = rest.rates.gemv_type;
    }
    if (use == Use::kPrefill) return;
    if (way.weights && way.rates.gemv) score.gemv = way.rates.gemv_type;
    const double tokens = use == Use::kInference ? request_.inference.output_tokens : 1;
    score.parts.push_back({std::string(kTokensPart), tokens * times.token_s,
                           LimitOf(way, share, &Times::token_s, &Way::writing)});
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
    if (way.estimated) {
      for (const auto& late : way.rates.late) say(late);
    }
    const bool writes = use == Use::kInference || use == Use::kDecode;
    if (writes && way.weights && way.measured() && !way.rates.gemv && !way.rates.gemv_failure.empty())
      say(way.rates.gemv_failure + ": what it writes is predicted from its reads");
    if (!way.measured()) {
      for (const auto& failure : way.rates.failures) say(failure);
      if (way.rates.failures.empty()) say("it was not measured");
      // What computes wrong is of no use at all, whatever else may be said of it.
      auto& all = score.reasons;
      if (way.rates.is_wrong) std::rotate(all.begin(), all.end() - std::ssize(way.rates.failures), all.end());
    } else if (share < 1) {
      say(SplitReason(way, share), ReasonId::kMemory);
    } else if (use != Use::kTraining && !way.software && !Fits(way, use)) {
      say(MemoryReason(way), ReasonId::kMemory);
    } else if (use == Use::kTraining) {
      const auto& available = way.memory.own_bytes;
      if (!available || *available >= *score.needed_bytes) return;
      score.smaller_bytes = SmallerTrainingBytes(request_, *available);
      say(DoesNotFitReason(way, *available), ReasonId::kMemory);
    }
  }

  [[nodiscard]] std::string DoesNotFitReason(const Way& way, double available) const {
    auto memory = fmt::format("a step needs {} and {} are free", BytesText(NeededTrainingBytes(request_)),
                              BytesText(available));
    const bool streams = way.streamed_bytes > 0 && way.rates.upload;
    if (streams)
      memory +=
          fmt::format(": {} of its weights come from the host in every step", BytesText(way.streamed_bytes));
    const auto less = SmallerTrainingBytes(request_, available);
    return less ? fmt::format("{}; with 4-bit weights (QLoRA) it needs {}", memory, BytesText(*less))
                : memory;
  }

  [[nodiscard]] std::string SoftwareReason(const Score& score) const {
    std::string reason = "a software device: it runs on the same processor";
    if (!native_ || !score.tokens_per_s) return reason;
    const double share =
        score.tokens_per_s->value / Tokens(*native_, score.use, 1, Uncertainty::kOfMeasuring).value;
    if (share >= kNoArgument) return reason;
    return reason.append(", ").append(PercentText(share)).append(" of its native speed");
  }

  [[nodiscard]] std::string MemoryReason(const Way& way) const {
    const auto& r = request_.inference;
    return fmt::format("{} needs {} and {} are free", r.model, BytesText(NeededBytes(r)),
                       BytesText(*way.memory.own_bytes));
  }

  [[nodiscard]] std::string SplitReason(const Way& way, double share) const {
    const auto& r = request_.inference;
    const auto memory = MemoryReason(way);
    if (share <= 0) return fmt::format("{}: none of {:.0f} layers fits", memory, r.layers);
    const bool is_same = way.memory.kind == MemoryKind::kShared;
    return fmt::format("{}: {:.0f} of {:.0f} layers on it, the rest {}{}", memory, share * r.layers, r.layers,
                       native_ ? "on the processor" : "nowhere that was measured",
                       !native_ || Fits(way, Use::kInference) ? ""
                       : is_same ? ", whose memory is the same and does not hold it"
                                 : ", whose memory does not hold it");
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
  const auto& request = tables.reference.inference;
  std::vector<Way> ways;
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const auto& device : devices) {
    for (const auto& view : device.views) {
      const auto& [runtime, driver] = std::tie(view.device.runtime, view.device.driver);
      if (!known.emplace(device.id, runtime, driver).second) continue;
      const auto* facts = Find(tables, runtime);
      const auto* factors = facts ? FactorsOf(facts->factors, request) : nullptr;
      const Wanted wanted{request.weights,
                          factors && factors->tiles ? std::string_view(factors->tiles->implementation) : ""};
      Way way{&device,
              &view,
              IsSoftware(device, view),
              PickRates(measured.Of(device.id, runtime, driver), wanted),
              facts ? facts->factors : UnknownFactors(),
              facts ? facts->training : TrainingSupport{},
              factors,
              facts ? WholeFactorsOf(facts->factors, request) : nullptr};
      const bool ran = way.rates.product || way.rates.read;
      const bool was_late = !way.rates.late.empty() && (ran || device.kind == probe::DeviceKind::kCpu);
      if (was_late || IsSupposed(view)) {
        FillIn(estimated.Of(device.id, runtime, driver), way.rates);
        if (IsSupposed(view)) RaiseToMeasured(measured.Of(device.id), way.rates);
        way.estimated = way.measured();
      }
      ways.push_back(std::move(way));
    }
  }
  return Scorer(tables, HostBytes(devices), std::move(ways)).All();
}

}  // namespace report::score
