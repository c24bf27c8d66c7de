// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "report/score/score.h"

namespace report::score {
namespace {

// Tokens that engines process in one go while they read a prompt.
constexpr double kPrefillBatch = 512;

double ContextBytes(const InferenceRequest& request) {
  return request.kv_bytes_per_token * (request.prompt_tokens + request.output_tokens);
}

double Batches(const InferenceRequest& r) { return std::ceil(r.prompt_tokens / kPrefillBatch); }

double MeanContext(const InferenceRequest& r) { return r.prompt_tokens + r.output_tokens / 2; }

double Squared(double value) { return value * value; }

}  // namespace

Range Product(std::initializer_list<Range> figures) {
  double value = 1;
  double below = 0;
  double above = 0;
  for (const Range& figure : figures) {
    value *= figure.value;
    below += Squared(std::log(figure.value / figure.low));
    above += Squared(std::log(figure.high / figure.value));
  }
  return {value, value / std::exp(std::sqrt(below)), value * std::exp(std::sqrt(above))};
}

Work PromptWork(const InferenceRequest& r) {
  return {r.prompt_tokens * (2 * r.parameters + 2 * r.layers * r.width * r.prompt_tokens),
          Batches(r) * r.weight_bytes};
}

Work TokenWork(const InferenceRequest& r) {
  const double context = MeanContext(r);
  constexpr double kProducts = 2;  // queries by keys, and what comes of it by values
  return {2 * r.parameters + kProducts * 2 * r.layers * r.width * context,
          r.weight_bytes + r.kv_bytes_per_token * context};
}

Times Predict(const ReferenceRequest& request, const Inputs& inputs) {
  const auto& r = request.inference;
  const double attention = r.layers * r.width;
  const Work prompt = PromptWork(r);
  const auto& t = request.training;
  const double step_flop =
      t.step_tokens * (4 * r.parameters + 6 * t.adapter_parameters + 6 * attention * t.sequence_tokens);
  Times times;
  // A short prompt reads the weights all the same.
  times.prefill_s =
      std::max(prompt.flop / inputs.prompt_flop_per_s, prompt.bytes / inputs.token_bytes_per_s) +
      inputs.prompt_overhead_s * Batches(r);
  times.token_s = TokenWork(r).bytes / inputs.token_bytes_per_s + inputs.token_overhead_s;
  times.step_s = step_flop / inputs.step_flop_per_s +
                 t.adapter_parameters * t.optimiser_bytes_per_parameter / inputs.copy_bytes_per_s;
  constexpr double kPasses = 2;
  if (inputs.streamed_bytes > 0) times.stream_s = kPasses * inputs.streamed_bytes / inputs.upload_bytes_per_s;
  return times;
}

Times Mix(const Times& one, const Times& other, double share) {
  const auto mix = [share](double a, double b) { return share * a + (1 - share) * b; };
  return {mix(one.prefill_s, other.prefill_s), mix(one.token_s, other.token_s), one.step_s, one.stream_s};
}

double BringingSeconds(const InferenceRequest& request, double share, double bytes_per_s) {
  return share * Batches(request) * request.weight_bytes / bytes_per_s;
}

double TokensPerSecond(const ReferenceRequest& request, const Times& times, Use use) {
  const double prompt = request.inference.prompt_tokens;
  const double output = request.inference.output_tokens;
  switch (use) {
    case Use::kInference:
      return (prompt + output) / (times.prefill_s + output * times.token_s);
    case Use::kPrefill:
      return prompt / times.prefill_s;
    case Use::kDecode:
      return 1 / times.token_s;
    case Use::kTraining:
      return request.training.step_tokens / (times.step_s + times.stream_s);
  }
  return 0;
}

double NeededTrainingBytes(const ReferenceRequest& request) {
  constexpr double kLayerBytes = 34;
  constexpr double kHiddenBytes = 2;
  constexpr double kLogitBytes = 2 * 4;
  const auto& t = request.training;
  const double hidden = t.step_tokens * request.inference.width;
  return t.weight_bytes + t.adapter_parameters * t.adapter_bytes_per_parameter +
         hidden * (request.inference.layers * kHiddenBytes + kLayerBytes) +
         t.step_tokens * t.vocabulary * kLogitBytes;
}

double MissingTrainingBytes(const ReferenceRequest& request, std::optional<double> available) {
  return available ? std::max(0.0, NeededTrainingBytes(request) - *available) : 0;
}

std::optional<double> SmallerTrainingBytes(const ReferenceRequest& request, double available) {
  if (request.inference.weights != "q4") return std::nullopt;
  const double needed =
      NeededTrainingBytes(request) - request.training.weight_bytes + request.inference.weight_bytes;
  return needed <= available ? std::optional(needed) : std::nullopt;
}

double NeededBytes(const InferenceRequest& request) {
  return request.weight_bytes + ContextBytes(request) + request.buffer_bytes;
}

double ResidentShare(const InferenceRequest& request, double bytes) {
  // Weights and context are divided by layers; the buffers are needed whole.
  const double layers = std::floor(request.layers * (bytes - request.buffer_bytes) /
                                   (NeededBytes(request) - request.buffer_bytes));
  return std::clamp(layers / request.layers, 0.0, 1.0);
}

}  // namespace report::score
