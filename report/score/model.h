// SPDX-License-Identifier: MIT
// The arithmetic of a prediction: measured rates and efficiencies in, seconds and tokens per second out.
// Knows the reference request, no device.
#pragma once

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::score {

// The rates that the work reaches: of what was measured, the share that engines make of it.
struct Inputs {
  double prompt_flop_per_s = 0;
  double token_bytes_per_s = 0;
  double step_flop_per_s = 0;
  double copy_bytes_per_s = 0;
  double token_overhead_s = 0;
  // Of a training step's weights, those that stay with the host, and what brings them; not read where there
  // are none.
  double streamed_bytes = 0;
  double upload_bytes_per_s = 0;
};

// What the reference requests take.
struct Times {
  double prefill_s = 0;  // the whole prompt
  double token_s = 0;    // one output token, at the mean context length
  double step_s = 0;     // one training step
  double stream_s = 0;   // before that, bringing what is not resident
};

// Prefill, n = prompt: max(n (2 P + 2 layers d n) / prompt rate, b W / token rate) + o b, b = ceil(n / 512).
// A token: (W + KV context) / token rate + o; the context is the prompt and half the output.
// A LoRA step: T (4 P + 6 A + 6 layers d s) / step rate + optimiser traffic / COPY: frozen layers need no
// weight gradients, so 2 P forward and 2 P backward (Hu et al. 2021, arXiv:2106.09685; Kaplan et al. 2020,
// 2001.08361). What does not fit is brought from the host twice a step, for its forward and its backward
// pass, as FSDP and ZeRO do that offload to the host (Rajbhandari et al. 2021, arXiv:2104.07857); that it
// overlaps with arithmetic is not counted on.
[[nodiscard]] Times Predict(const ReferenceRequest& request, const Inputs& inputs);

// share of the layers on the one, the rest on the other, one after the other.
[[nodiscard]] Times Mix(const Times& one, const Times& other, double share);

// Both phases: (prompt + output) / (prefill + output tokens); prompt / prefill; 1 / token; T / (step +
// stream).
[[nodiscard]] double TokensPerSecond(const ReferenceRequest& request, const Times& times, Use use);

// Bytes that a training step holds at its peak, with activations checkpointed once a layer: weights, what the
// adapters need, a hidden state a layer and token in bf16, one layer's activations (34 bytes an element of
// those: Korthikanti et al. 2022, arXiv:2205.05198), logits and their gradient in fp32.
[[nodiscard]] double NeededTrainingBytes(const ReferenceRequest& request);
// The same with weights in 4 bits, as inference has them (QLoRA: Dettmers et al. 2023, arXiv:2305.14314).
[[nodiscard]] double NeededQuantisedTrainingBytes(const ReferenceRequest& request);

// Bytes that inference needs with everything resident, and the share of the layers that `bytes` hold.
[[nodiscard]] double NeededBytes(const InferenceRequest& request);
[[nodiscard]] double ResidentShare(const InferenceRequest& request, double bytes);

}  // namespace report::score
