// SPDX-License-Identifier: MIT
#include "backends/core/measurement_fields.h"

template struct probe::Codec<backends::Measurement>;
template struct probe::Codec<backends::MeasureRequest>;

namespace probe {
namespace {

struct ProblemField {
  const char* key;
  std::uint32_t kernels::Problem::* member;
};
constexpr std::array kProblemFields = {
    ProblemField{"m", &kernels::Problem::m},       ProblemField{"n", &kernels::Problem::n},
    ProblemField{"k", &kernels::Problem::k},       ProblemField{"count", &kernels::Problem::count},
    ProblemField{"seed", &kernels::Problem::seed},
};

}  // namespace

Json Codec<kernels::Problem>::Encode(const kernels::Problem& value) {
  Json out = Json::object();
  for (const ProblemField& field : kProblemFields) {
    if (value.*field.member != 0) out[field.key] = value.*field.member;
  }
  return out;
}

detail::MaybeError Codec<kernels::Problem>::Decode(const Json& json, const std::string& path,
                                                   kernels::Problem& value) {
  if (!json.is_object()) return detail::Mismatch(path, "an object");
  for (const ProblemField& field : kProblemFields) {
    const auto found = json.find(field.key);
    if (found == json.end()) continue;
    if (auto error = Codec<std::uint32_t>::Decode(*found, path + "." + field.key, value.*field.member))
      return error;
  }
  return std::nullopt;
}

}  // namespace probe

namespace backends {
namespace {

// In the order of MeasureEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<MeasureEvent>> kEventNames = {"stage", "measurement"};

}  // namespace

probe::Json EncodeEvent(const MeasureEvent& event) { return probe::detail::EncodeEvent<kEventNames>(event); }

probe::Result<MeasureEvent> DecodeEvent(const probe::Json& json) {
  return probe::detail::DecodeEvent<kEventNames, MeasureEvent>(json);
}

}  // namespace backends
