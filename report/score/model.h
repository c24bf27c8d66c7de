// SPDX-License-Identifier: MIT
// The arithmetic of a prediction: measured rates and efficiencies in, seconds and tokens per second out.
// Knows the reference request, no device.
#pragma once

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::score {

// Rates are the measured ones; efficiencies say what share of them the work reaches.
struct Inputs {
  double product_flop_per_s = 0;
  double read_bytes_per_s = 0;
  double copy_bytes_per_s = 0;
  double prefill = 1;
  double decode = 1;
  double training = 1;
  double token_overhead_s = 0;
};

// What the reference requests take.
struct Times {
  double prefill_s = 0;  // the whole prompt
  double token_s = 0;    // one output token, at the mean context length
  double step_s = 0;     // one training step
};

// Prefill, n = prompt: n (2 P + 2 layers d n) / (e F) + o ceil(n / 512).
// A token: (W + KV context) / (e READ) + o; the context is the prompt and half the output.
// A LoRA step: T (4 P + 6 A + 6 layers d s) / (e F) + optimiser traffic / COPY: frozen layers need no weight
// gradients, so 2 P forward and 2 P backward (Hu et al. 2021, arXiv:2106.09685; Kaplan et al. 2020,
// 2001.08361).
[[nodiscard]] Times Predict(const ReferenceRequest& request, const Inputs& inputs);

// share of the layers on the one, the rest on the other, one after the other.
[[nodiscard]] Times Mix(const Times& one, const Times& other, double share);

// Both phases: (prompt + output) / (prefill + output tokens); prompt / prefill; 1 / token; T / step.
[[nodiscard]] double TokensPerSecond(const ReferenceRequest& request, const Times& times, Use use);

// Bytes that inference needs with everything resident, and the share of the layers that `bytes` hold.
[[nodiscard]] double NeededBytes(const InferenceRequest& request);
[[nodiscard]] double ResidentShare(const InferenceRequest& request, double bytes);

}  // namespace report::score
