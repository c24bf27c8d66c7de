// SPDX-License-Identifier: MIT
// The work that scores predict: data/reference_request.json, or the user's --request.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "probe/core/codec.h"

namespace report {

// Types of weights that a request may have, as measurements of products with a vector name them.
inline constexpr std::array<std::string_view, 5> kWeightTypes = {"q4", "q8", "fp16", "bf16", "fp32"};

// What inference scores answer for. Bytes and parameters are those of one published model.
struct InferenceRequest {
  std::string model;
  std::string format;
  std::string weights;    // the nearest of kWeightTypes
  double parameters = 0;  // that take part in products: without the embedding look-up
  double weight_bytes = 0;
  double layers = 0;
  double width = 0;  // d: of the hidden state
  double kv_bytes_per_token = 0;
  double buffer_bytes = 0;
  double prompt_tokens = 0;
  double output_tokens = 0;
};

struct TrainingRequest {
  std::string method;
  double weight_bytes = 0;
  double sequence_tokens = 0;
  double step_tokens = 0;
  double adapter_parameters = 0;
  double adapter_bytes_per_parameter =
      0;  // held: weight and gradient in bf16, AdamW's copy and moments in fp32
  double optimiser_bytes_per_parameter = 0;  // read and written in one step
  double vocabulary = 0;
};

struct ReferenceRequest {
  InferenceRequest inference;
  TrainingRequest training;
};

WHICHGPU_FIELDS(InferenceRequest, model, format, weights, parameters, weight_bytes, layers, width,
                kv_bytes_per_token, buffer_bytes, prompt_tokens, output_tokens)
WHICHGPU_FIELDS(TrainingRequest, method, weight_bytes, sequence_tokens, step_tokens, adapter_parameters,
                adapter_bytes_per_parameter, optimiser_bytes_per_parameter, vocabulary)
WHICHGPU_FIELDS(ReferenceRequest, inference, training)

}  // namespace report
