// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/score/score.h"

namespace report::score {
namespace {

using backends::Measurement;
using kernels::Dtype;
using kernels::Kernel;

bool IsProductType(Dtype dtype) {
  return dtype == Dtype::kFp16 || dtype == Dtype::kBf16 || dtype == Dtype::kFp32;
}

// A speed is never 0 nor below, however wide its interval is, nor as far above what was measured as below it.
constexpr double kLeastShare = 0.01;

Rate ToRate(const Measurement& m, std::span<const Measurement* const> beside) {
  auto name = FigureLabel(m, beside) + " " + RateText(*m.rate, m.unit);
  if (m.share_of_peak) name += " (" + PercentText(*m.share_of_peak) + " of the peak)";
  return {RangeOf(m), std::move(name)};
}

// nullptr where none was verified.
template <class Wanted>
const Measurement* Fastest(std::span<const Measurement* const> measurements, Wanted wanted) {
  const Measurement* best = nullptr;
  for (const auto* m : measurements) {
    if (IsVerified(*m) && wanted(*m) && (!best || *m->rate > *best->rate)) best = m;
  }
  return best;
}

const Measurement* FastestProduct(std::span<const Measurement* const> measurements) {
  return Fastest(measurements,
                 [](const Measurement& m) { return m.kernel == Kernel::kGemm && IsProductType(m.in_dtype); });
}

const Measurement* FastestOwnFp16(std::span<const Measurement* const> measurements) {
  return Fastest(measurements, [](const Measurement& m) {
    return m.kernel == Kernel::kGemm && m.in_dtype == Dtype::kFp16 && kernels::IsOwn(m.implementation);
  });
}

const Measurement* FastestOf(Kernel kernel, std::span<const Measurement* const> measurements) {
  return Fastest(measurements, [kernel](const Measurement& m) { return m.kernel == kernel; });
}

const Measurement* FastestGemv(std::string_view weights, std::span<const Measurement* const> measurements) {
  return Fastest(measurements, [&](const Measurement& m) {
    return m.kernel == Kernel::kGemv && kernels::Row(m.in_dtype).name == weights;
  });
}

const Measurement* FastestByTiles(std::string_view implementation,
                                  std::span<const Measurement* const> measurements) {
  return Fastest(measurements, [&](const Measurement& m) {
    const bool is_16_bit = m.in_dtype == Dtype::kFp16 || m.in_dtype == Dtype::kBf16;
    return m.kernel == Kernel::kGemm && is_16_bit && m.implementation == implementation;
  });
}

// "its q4 gemv gave a wrong result": the gravest; empty where none failed.
std::string GemvFailure(std::string_view weights, std::span<const Measurement* const> measurements) {
  const Measurement* worst = nullptr;
  for (const auto* m : measurements) {
    const bool meant = m->kernel == Kernel::kGemv && kernels::Row(m->in_dtype).name == weights;
    if (meant && IsTrouble(*m) && (!worst || Row(m->status).weight > Row(worst->status).weight)) worst = m;
  }
  return worst ? FailureText(*worst) : "";
}

bool HasVerified(std::span<const Measurement* const> measurements, Kernel kernel) {
  return std::any_of(measurements.begin(), measurements.end(),
                     [&](const Measurement* m) { return m->kernel == kernel && IsVerified(*m); });
}

struct Need {
  Kernel kernel;
  std::string_view speed;  // what it tells, for people
};
constexpr std::array kNeeds = {Need{Kernel::kGemm, "matrix"}, Need{Kernel::kRead, "memory"}};

// What was not measured for one reason.
struct Late {
  std::string reason;
  std::vector<std::string_view> speeds;
};

// Of no kernel: of all that were yet to be measured when the time of all together was over, or the device was
// lost. Copies between devices have their own.
bool IsOfAll(const Measurement& measurement) {
  return measurement.implementation.empty() && measurement.kernel == Kernel::kGemm &&
         (IsTrouble(measurement) || measurement.status == backends::MeasurementStatus::kOverBudget);
}
bool IsOfAllLate(const Measurement& measurement) {
  return IsOfAll(measurement) && measurement.status == backends::MeasurementStatus::kOverBudget;
}

std::string LateReason(const Measurement& measurement) {
  if (measurement.reason &&
      (IsInTheCaches(measurement) || measurement.needed_bytes || IsOfAllLate(measurement)))
    return *measurement.reason;
  return "the time budget ran out; --thorough gives more";
}

// The gravest first, and of those for which there was no room or no time the former: more time is no remedy.
std::pair<int, bool> Tells(const Measurement& m) {
  return {Row(m.status).weight, m.needed_bytes.has_value()};
}

// Of each kernel that scoring needs and that has no verified figure, the gravest failure; those for want of
// time or memory in a sentence for each reason.
void TellMissing(std::span<const Measurement* const> measurements, Rates& rates) {
  std::vector<const Measurement*> worst;
  std::vector<Late> late;
  std::vector<std::string> absent;
  std::size_t missing = 0, excused = 0;
  for (const auto& [kernel, speed] : kNeeds) {
    if (HasVerified(measurements, kernel)) continue;
    ++missing;
    const Measurement* found = nullptr;
    for (const auto* m : measurements) {
      const bool is_of_it = m->kernel == kernel || IsOfAll(*m);
      if (is_of_it && (!found || Tells(*m) > Tells(*found))) found = m;
    }
    if (found && found->status == backends::MeasurementStatus::kOverBudget) {
      auto reason = LateReason(*found);
      if (late.empty() || late.back().reason != reason) late.push_back({std::move(reason), {}});
      late.back().speeds.push_back(speed);
      ++excused;
    } else if (found && IsOfAll(*found) && kernel != found->kernel) {
      if (std::find(worst.begin(), worst.end(), found) == worst.end())
        rates.failures.push_back(
            fmt::format("its {} speed was not measured: {}", speed,
                        IsLoss(*found) ? FailureText(*found) : found->reason.value_or("its process ended")));
    } else if (found) {
      worst.push_back(found);
    } else if (std::any_of(measurements.begin(), measurements.end(),
                           [](auto* m) { return IsVerified(*m); })) {
      absent.push_back(fmt::format("its {} speed was not measured", speed));
    }
  }
  std::stable_sort(worst.begin(), worst.end(), [](const Measurement* a, const Measurement* b) {
    return Row(a->status).weight > Row(b->status).weight;
  });
  for (const auto* m : worst) rates.failures.push_back(FailureText(*m));
  rates.failures.insert(rates.failures.end(), absent.begin(), absent.end());
  rates.is_wrong = !worst.empty() && worst.front()->status == backends::MeasurementStatus::kWrongResult;
  for (const auto& [reason, kinds] : late) {
    const auto speeds = fmt::format("its {} speed", fmt::join(kinds, " and "));
    rates.failures.push_back(fmt::format("{} was not measured: {}", speeds, reason));
    if (excused == missing)
      rates.late.push_back(fmt::format("{} is estimated from facts: {}", speeds, reason));
  }
}

}  // namespace

Range RangeOf(const Measurement& measurement) {
  const double rate = *measurement.rate;
  const auto ci = measurement.ci95.value_or(std::array<double, 2>{1 - kUnknownSpread, 1 + kUnknownSpread});
  return {rate, rate * std::clamp(ci[0], kLeastShare, 1.0), rate * std::clamp(ci[1], 1.0, 1 / kLeastShare)};
}

Rates PickRates(std::span<const Measurement* const> measurements, const Wanted& wanted) {
  const auto rate = [&](const Measurement* m) {
    return m == nullptr ? std::optional<Rate>() : ToRate(*m, measurements);
  };
  Rates rates;
  rates.product = rate(FastestProduct(measurements));
  rates.own_fp16 = rate(FastestOwnFp16(measurements));
  rates.prompt = rate(PromptProduct(measurements));
  rates.prompt_fp32 = rate(PromptProductIn(Dtype::kFp32, measurements));
  rates.read = rate(FastestOf(Kernel::kRead, measurements));
  const auto* gemv = FastestGemv(wanted.weights, measurements);
  rates.gemv = rate(gemv);
  if (gemv != nullptr) {
    rates.gemv_type = gemv->in_dtype;
  } else {
    rates.gemv_failure = GemvFailure(wanted.weights, measurements);
  }
  rates.tiles = rate(FastestByTiles(wanted.tiles, measurements));
  rates.copy = rate(FastestOf(Kernel::kCopy, measurements));
  rates.upload = rate(FastestOf(Kernel::kHostToDevice, measurements));
  TellMissing(measurements, rates);
  return rates;
}

const WeightFactors* FactorsOf(const RuntimeFactors& factors, const InferenceRequest& request) {
  if (!factors.weights) return nullptr;
  const auto found = std::find_if(factors.weights->begin(), factors.weights->end(),
                                  [&](const WeightFactors& row) { return row.weights == request.weights; });
  return found == factors.weights->end() ? nullptr : &*found;
}

const WholeFactors* WholeFactorsOf(const RuntimeFactors& factors, const InferenceRequest& request) {
  if (!factors.whole) return nullptr;
  const auto found = std::find_if(factors.whole->begin(), factors.whole->end(),
                                  [&](const WholeFactors& row) { return row.weights == request.weights; });
  return found == factors.whole->end() ? nullptr : &*found;
}

RuntimeFactors UnknownFactors() {
  const Factor unknown{1, 0.25, 1, FactorBasis::kAssumed, "no figures for this runtime", ""};
  return {unknown, unknown, unknown, std::nullopt, std::nullopt, std::nullopt};
}

std::vector<const Measurement*> DecidingFigures(const Tables& tables, std::string_view runtime,
                                                std::span<const Measurement* const> of_one_way, Use use) {
  std::vector<const Measurement*> figures;
  if (use == Use::kTraining) {
    const auto* copy = FastestOf(Kernel::kCopy, of_one_way);
    figures = {FastestProduct(of_one_way), copy ? copy : FastestOf(Kernel::kRead, of_one_way)};
  } else {
    const auto& request = tables.reference.inference;
    const auto* facts = Find(tables, runtime);
    const bool by_weights = facts && FactorsOf(facts->factors, request);
    const auto* gemv = by_weights ? FastestGemv(request.weights, of_one_way) : nullptr;
    const auto* fp32 = PromptProductIn(Dtype::kFp32, of_one_way);
    figures = {by_weights && fp32 ? nullptr : PromptProduct(of_one_way), fp32,
               gemv ? gemv : FastestOf(Kernel::kRead, of_one_way)};
  }
  std::erase(figures, nullptr);
  return figures;
}

void FillIn(std::span<const Measurement* const> estimates, Rates& rates) {
  auto facts = PickRates(estimates, {});
  if (!rates.product) {
    rates.product = std::move(facts.product);
    rates.prompt = std::move(facts.prompt);
    rates.prompt_fp32 = std::move(facts.prompt_fp32);
  }
  if (!rates.read) rates.read = std::move(facts.read);
}

void RaiseToMeasured(std::span<const Measurement* const> of_device, Rates& rates) {
  const auto raise = [&](const Measurement* reached, std::optional<Rate>& rate) {
    if (!reached || !rate) return;
    auto measured = ToRate(*reached, {&reached, 1});
    Range& estimate = rate->per_s;
    if (measured.per_s.value <= estimate.value) {
      estimate.low = std::clamp(measured.per_s.low, estimate.low, estimate.value);
      return;
    }
    measured.per_s.high = std::max(measured.per_s.high, estimate.high);
    rate = Rate{measured.per_s, fmt::format("{} by {}", measured.name, reached->runtime)};
  };
  raise(FastestProduct(of_device), rates.product);
  raise(PromptProduct(of_device), rates.prompt);
  raise(PromptProductIn(Dtype::kFp32, of_device), rates.prompt_fp32);
  raise(FastestOf(Kernel::kRead, of_device), rates.read);
}

void FillInFromEqual(const Rates& whole, Rates& rates) {
  const bool alike = rates.own_fp16 && whole.own_fp16;
  const double of_products = alike ? rates.own_fp16->per_s.value / whole.own_fp16->per_s.value
                                   : rates.product->per_s.value / whole.product->per_s.value;
  const double of_memory = rates.read->per_s.value / whole.read->per_s.value;
  const auto fill = [](const std::optional<Rate>& from, double share, std::optional<Rate>& rate) {
    if (!from) return;
    const Range& of = from->per_s;
    rate = Rate{{of.value * share, of.low * share, of.high * share}, from->name};
  };
  if (whole.product->per_s.value * of_products > rates.product->per_s.value)
    fill(whole.product, of_products, rates.product);
  fill(whole.prompt, of_products, rates.prompt);
  fill(whole.prompt_fp32, of_products, rates.prompt_fp32);
  if (!rates.tiles) fill(whole.tiles, of_products, rates.tiles);
  if (!rates.copy) fill(whole.copy, of_memory, rates.copy);
  if (rates.gemv) return;
  fill(whole.gemv, of_memory, rates.gemv);
  rates.gemv_type = whole.gemv_type;
}

}  // namespace report::score
