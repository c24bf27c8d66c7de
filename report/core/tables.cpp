// SPDX-License-Identifier: MIT
#include "report/core/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "data/runtimes/runtimes.h"

#include "probe/core/names.h"
#include "probe/core/parse.h"
#include "report/core/device_fit.h"
#include "report/core/request.h"
#include "report/core/tables_fields.h"

namespace report {

struct ClassTable {
  std::vector<ClassFit> classes;
};
WHICHGPU_FIELDS(UsualShares, read, fp32, matrix16)
WHICHGPU_FIELDS(ClassFit, vendor, chips, names, runtimes, decode, prefill, training, token_overhead_s, usual)
WHICHGPU_FIELDS(ClassTable, classes)

namespace {

// No figure of a table is near to it, and no product of some overflows.
constexpr double kMost = 1e18;

// Looks at every figure of a decoded table: what would divide by zero or rank by nonsense is refused here.
class Check {
 public:
  template <class T>
  void operator()(const char* key, T& value) {
    if constexpr (std::is_same_v<T, const Factor>) {
      if (!Positive(value.low) || !Positive(value.high) || value.value < value.low ||
          value.value > value.high)
        Fail(key);
    } else if constexpr (std::is_same_v<T, const std::optional<Factor>>) {
      if (value) (*this)(key, *value);
    } else if constexpr (std::is_same_v<T, const UsualShares>) {
      for (const double share : {value.read, value.fp32, value.matrix16}) {
        if (!Positive(share) || share > 1) Fail(key);
      }
    } else if constexpr (std::is_same_v<T, const std::vector<ClassFit>>) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        Check row;
        Fields(row, value[i]);
        if (!row.bad_key().empty()) Fail(fmt::format("{}[{}].{}", key, i, row.bad_key()));
      }
    } else if constexpr (std::is_same_v<T, const std::optional<GuideClaim>>) {
      if (value && (!Positive(value->low) || value->high < value->low)) Fail(key);
    } else if constexpr (std::is_same_v<T, const std::optional<double>>) {
      if (value && !Positive(*value)) Fail(key);
    } else if constexpr (std::is_same_v<T, const std::vector<DevicePeak>> ||
                         std::is_same_v<T, const std::vector<UnitPeak>> ||
                         std::is_same_v<T, const std::vector<KindPeak>>) {
      for (const auto& row : value) Fields(*this, row);
    } else if constexpr (std::is_same_v<T, const double>) {
      if (!Positive(value)) Fail(key);
    } else if constexpr (std::is_same_v<T, const RuntimeFactors>) {
      for (const auto* factor : {&value.decode, &value.prefill, &value.training}) {
        if (!*factor) continue;
        (*this)(key, **factor);
        if ((*factor)->basis == FactorBasis::kAssumed && (*factor)->value != 1) Fail(key);
      }
      for (const WholeFactors& row : value.whole.value_or(std::vector<WholeFactors>{})) Fields(*this, row);
      for (const WeightFactors& row : value.weights.value_or(std::vector<WeightFactors>{})) {
        Fields(*this, row);
        if (!row.tiles) continue;
        (*this)(key, row.tiles->prefill);
        (*this)(key, row.tiles->decode);
      }
    } else if constexpr (std::is_same_v<T, const InferenceRequest> ||
                         std::is_same_v<T, const TrainingRequest>) {
      Fields(*this, value);
    } else if constexpr (std::is_same_v<T, const std::string>) {
      if (std::string_view(key) == "weights" && !IsTypeOfWeights(value)) Fail(key);
    }
  }
  [[nodiscard]] const std::string& bad_key() const { return bad_key_; }

 private:
  static bool Positive(double value) { return std::isfinite(value) && value > 0 && value <= kMost; }
  static bool IsTypeOfWeights(std::string_view name) {
    return std::find(kWeightTypes.begin(), kWeightTypes.end(), name) != kWeightTypes.end();
  }
  void Fail(std::string_view key) {
    if (bad_key_.empty()) bad_key_ = key;
  }
  std::string bad_key_;
};

template <class T>
probe::Result<T> DecodeTable(std::string_view text) {
  const auto json = probe::ParseOwnJson(text);
  if (!json) return json.error();
  auto decoded = probe::Decode<T>(*json);
  if (!decoded) return decoded.error();
  Check check;
  Fields(check, std::as_const(*decoded));
  if (!check.bad_key().empty()) {
    return probe::Error{"decode", std::nullopt, check.bad_key(),
                        "figures must be positive, low <= value <= high, what is assumed of a runtime 1, "
                        "usual shares at most 1"};
  }
  return decoded;
}

}  // namespace

const RuntimeFacts* Find(const Tables& tables, std::string_view runtime) {
  const auto found = std::find_if(tables.runtimes.begin(), tables.runtimes.end(),
                                  [&](const RuntimeFacts& facts) { return facts.name == runtime; });
  return found == tables.runtimes.end() ? nullptr : &*found;
}

std::string Title(const Tables& tables, std::string_view runtime) {
  const auto* facts = Find(tables, runtime);
  return facts ? facts->title : std::string(runtime);
}

bool LooksFor(const Tables& tables, std::string_view runtime) {
  return std::find(tables.looked_for.begin(), tables.looked_for.end(), runtime) != tables.looked_for.end();
}

std::optional<std::string> StandsOnOf(const RuntimeFacts& facts, const probe::View& view) {
  const auto* told = facts.stands_on ? probe::FindFact(view.device.facts, facts.stands_on->fact) : nullptr;
  if (told == nullptr) return std::nullopt;
  const auto& runtimes = facts.stands_on->runtimes;
  const bool is_known = std::find(runtimes.begin(), runtimes.end(), *told) != runtimes.end();
  return is_known ? std::optional(*told) : std::nullopt;
}

std::optional<std::string> StandsOnOf(const Tables& tables, const probe::View& view) {
  const auto* facts = Find(tables, view.device.runtime);
  return facts ? StandsOnOf(*facts, view) : std::nullopt;
}

bool IsOfVendor(const RuntimeFacts& facts, std::uint32_t vendor) {
  return facts.vendor == fmt::format("{:04x}", vendor);
}

bool IsMakersOwn(const RuntimeFacts& facts, std::uint32_t vendor) {
  return IsOfVendor(facts, vendor) && !facts.stands_on;
}

probe::Result<RuntimeFacts> DecodeRuntimeFacts(std::string_view name, std::string_view json) {
  auto decoded = DecodeTable<RuntimeFacts>(json);
  if (decoded) decoded->name = name;
  return decoded;
}

probe::Result<ReferenceRequest> DecodeReferenceRequest(std::string_view json) {
  return DecodeTable<ReferenceRequest>(json);
}

std::optional<std::string> OddKey(const ReferenceRequest& request) {
  Check check;
  Fields(check, request);
  return check.bad_key().empty() ? std::nullopt : std::optional(check.bad_key());
}

probe::Result<Fit> DecodeFit(std::string_view json) {
  auto fit = DecodeTable<Fit>(json);
  if (fit && fit->matrix_power >= 1)
    return probe::Error{"decode", std::nullopt, "matrix_power", "it must be below 1"};
  return fit;
}

probe::Result<std::vector<ClassFit>> DecodeClassFits(std::string_view json) {
  auto table = DecodeTable<ClassTable>(json);
  if (!table) return table.error();
  return std::move(table->classes);
}

namespace {

// The peaks are not JSON, of which so many rows would be half the time of an answer that is kept.
std::optional<double> Rate(std::string_view cell) {
  const auto number = probe::ParseNumber<std::uint64_t>(cell);
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

void AddCards(std::string_view table, Peaks& peaks) {
  for (const auto& [id, name, bytes, memory, fp32, matrix16, int8, date, source] :
       probe::ParseTable<9>(table)) {
    const bool on_bus = id.find(':') != std::string_view::npos;
    (on_bus ? peaks.devices : peaks.parts)
        .push_back({std::string(id), std::string(name), Rate(memory), Rate(fp32), Rate(matrix16), Rate(int8),
                    std::string(source), std::string(date)});
  }
}

void AddUnits(std::string_view table, Peaks& peaks) {
  for (const auto& [architecture, name, fp32, matrix16, matrix16_fp32, bf16, int8, date, source] :
       probe::ParseTable<9>(table)) {
    peaks.units.push_back({std::string(architecture),
                           name.empty() ? std::nullopt : std::optional<std::string>(name), Rate(fp32),
                           Rate(matrix16), Rate(matrix16_fp32), Rate(bf16), Rate(int8), std::string(source),
                           std::string(date)});
  }
}

void AddKinds(std::string_view table, Peaks& peaks) {
  for (const auto& [kind, name, memory, fp32, matrix16, int8, date, source] : probe::ParseTable<8>(table)) {
    peaks.kinds.push_back({probe::ParseName<probe::DeviceKind>(kind).value_or(probe::DeviceKind::kUnknown),
                           std::string(name), Rate(memory), Rate(fp32), Rate(matrix16), Rate(int8),
                           std::string(source), std::string(date)});
  }
}

}  // namespace

const Peaks& EmbeddedPeaks() {
  static const Peaks peaks = [] {
    Peaks all;
    AddCards(data::CardPeaksText(), all);
    AddUnits(data::UnitPeaksText(), all);
    AddKinds(data::KindPeaksText(), all);
    return all;
  }();
  return peaks;
}

namespace {

probe::Result<Tables> DecodeEmbedded() {
  Tables tables;
  auto reference = DecodeReferenceRequest(data::ReferenceRequestText());
  if (!reference) return reference.error();
  tables.reference = *std::move(reference);
  auto fit = DecodeFit(data::FitText());
  if (!fit) return fit.error();
  tables.fit = *std::move(fit);
  if (!ClassFits()) return ClassFits().error();
  for (const auto& [name, text] : data::RuntimeTexts()) {
    auto facts = DecodeRuntimeFacts(name, text);
    if (!facts) {
      auto error = facts.error();
      error.call = "data/runtimes/" + std::string(name) + ".json";
      return error;
    }
    tables.runtimes.push_back(*std::move(facts));
  }
  const auto here = data::RuntimesOfThisBuild();
  tables.looked_for.assign(here.begin(), here.end());
  return tables;
}

}  // namespace

const probe::Result<Tables>& EmbeddedTables() {
  static const probe::Result<Tables> tables = DecodeEmbedded();
  return tables;
}

}  // namespace report
