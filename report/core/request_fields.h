// SPDX-License-Identifier: MIT
// The field lists of a request, for probe/core/codec.h.
#pragma once

#include "probe/core/fields.h"
#include "report/core/request.h"

namespace report {

template <class V, probe::Is<InferenceRequest> S>
void Fields(V& v, S& s) {
  v("model", s.model);
  v("format", s.format);
  v("weights", s.weights);
  v("parameters", s.parameters);
  v("weight_bytes", s.weight_bytes);
  v("layers", s.layers);
  v("width", s.width);
  v("kv_bytes_per_token", s.kv_bytes_per_token);
  v("buffer_bytes", s.buffer_bytes);
  v("prompt_tokens", s.prompt_tokens);
  v("output_tokens", s.output_tokens);
}

template <class V, probe::Is<TrainingRequest> S>
void Fields(V& v, S& s) {
  v("method", s.method);
  v("weight_bytes", s.weight_bytes);
  v("sequence_tokens", s.sequence_tokens);
  v("step_tokens", s.step_tokens);
  v("adapter_parameters", s.adapter_parameters);
  v("adapter_bytes_per_parameter", s.adapter_bytes_per_parameter);
  v("optimiser_bytes_per_parameter", s.optimiser_bytes_per_parameter);
  v("vocabulary", s.vocabulary);
}

template <class V, probe::Is<ReferenceRequest> S>
void Fields(V& v, S& s) {
  v("inference", s.inference);
  v("training", s.training);
}

}  // namespace report
