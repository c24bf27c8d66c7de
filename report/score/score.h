// SPDX-License-Identifier: MIT
// Turns what was measured of every way to reach a device into tokens per second for each use, and says which
// of them may be recommended. Pure; decides no order.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/device_fit.h"
#include "report/core/memory.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::score {

inline constexpr std::array kUses = {Use::kInference, Use::kPrefill, Use::kDecode, Use::kTraining};

// The parts of an inference score, by name.
inline constexpr std::string_view kPromptPart = "prefill";
inline constexpr std::string_view kTokensPart = "decode";

// One score for every use and every (device, runtime, driver) that has a view, in that order.
//
// tokens_per_s is there where a product and a read were measured and verified, whether eligible or not. Not
// eligible are: what was not measured and verified (with what happened instead), software devices (they only
// reach the processor), and for training the runtimes that no framework trains on. A model that does not fit
// the device's memory is split with the processor; reasons[] says so. Where time ran out before a figure that
// scoring needs was measured, that of `estimates` stands in (basis estimated): for the processor, and where
// something else was verified.
[[nodiscard]] std::vector<Score> ScoreAll(const Tables& tables,
                                          std::span<const probe::PhysicalDevice> devices,
                                          std::span<const backends::Measurement> measurements,
                                          std::span<const backends::Measurement> estimates = {});

// Picks from the measurements of one way to reach a device the rates that score it.

struct Rate {
  Range per_s;       // with the measurement's own 95 % interval
  std::string name;  // "fp16 gemm 120 TFLOP/s"
};

struct Rates {
  std::optional<Rate> product;   // the fastest verified gemm of fp16, bf16 and fp32
  std::optional<Rate> own_fp16;  // of this tool's own kernels alone, which compute on each of equal GPUs
  // The fastest of those types, and fp32, by what each reaches at the prompt's shape (512 rows) or, where
  // that was not measured of it, at its own best.
  std::optional<Rate> prompt;
  std::optional<Rate> prompt_fp32;
  std::optional<Rate> read;
  std::optional<Rate> gemv;  // of the request's weights, and their type
  std::optional<kernels::Dtype> gemv_type;
  std::string gemv_failure;   // why there is none, where it ran and failed
  std::optional<Rate> tiles;  // the fastest product in 16 bits that the wanted implementation ran
  std::optional<Rate> copy;
  std::optional<Rate> upload;         // from the host's memory
  std::vector<std::string> failures;  // of kernels that have no verified figure at all, the gravest first
  bool is_wrong = false;              // one of those gave a wrong result
  // Where all that is missing could not be measured, by a working driver, for want of time or memory: that it
  // is estimated and why, a sentence each. Else empty.
  std::vector<std::string> late;
};

// What a score of this use rests on and can be measured again: its products and its memory's speed.
[[nodiscard]] std::vector<const backends::Measurement*> DecidingFigures(
    const Tables& tables, std::string_view runtime, std::span<const backends::Measurement* const> of_one_way,
    Use use);

// What the runtime's engines make of the request's weights; nullptr where nobody has held them against
// engines.
[[nodiscard]] const WeightFactors* FactorsOf(const RuntimeFactors& factors, const InferenceRequest& request);
[[nodiscard]] const WholeFactors* WholeFactorsOf(const RuntimeFactors& factors,
                                                 const InferenceRequest& request);
// Neutral, and honest about what is not known: for a runtime without a row in the tables.
[[nodiscard]] RuntimeFactors UnknownFactors();

// Of a verified one: its rate, with the interval that scoring gives it.
[[nodiscard]] Range RangeOf(const backends::Measurement& measurement);

// A measurement without an interval counts as known within 10 %: twice the bound of a fair one.
inline constexpr double kUnknownSpread = 0.10;

// What depends on the request and the runtime's facts.
struct Wanted {
  std::string_view weights;  // of gemv
  std::string_view tiles;    // the implementation; may be empty
};

[[nodiscard]] Rates PickRates(std::span<const backends::Measurement* const> measurements,
                              const Wanted& wanted);

// Product and read from `estimates` where `rates` has none.
void FillIn(std::span<const backends::Measurement* const> estimates, Rates& rates);

// What the facts tell of a way that nobody could look for is no less than other ways to the device measured
// of it: the products and the read in `of_device`, whichever runtime's.
void RaiseToMeasured(std::span<const backends::Measurement* const> of_device, Rates& rates);

// What a device lacks that has a product and a read alone: as much of its equal's figures, which has all, as
// it reaches of that one's product by the same kernels and of its memory's speed. Its product, too, where a
// library's is the equal's fastest.
void FillInFromEqual(const Rates& whole, Rates& rates);

// The arithmetic of a prediction: measured rates and efficiencies in, seconds and tokens per second out.
// Knows the reference request, no device.

// The product of independent figures; their 95 % ranges are added as the squares of logarithms are.
[[nodiscard]] Range Product(std::initializer_list<Range> figures);
[[nodiscard]] inline Range Exactly(double value) { return {value, value, value}; }

// The rates that the work reaches: of what was measured, the share that engines make of it.
struct Inputs {
  double prompt_flop_per_s = 0;
  double token_bytes_per_s = 0;
  double step_flop_per_s = 0;
  double copy_bytes_per_s = 0;
  double prompt_overhead_s = 0;  // of each batch of the prompt
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

// What a phase of the request computes and reads of memory, which prediction and roofline both rest on: the
// whole prompt; one output token, at the mean context length.
struct Work {
  double flop = 0;
  double bytes = 0;
};
[[nodiscard]] Work PromptWork(const InferenceRequest& request);
[[nodiscard]] Work TokenWork(const InferenceRequest& request);

// Prefill, n = prompt: max(n (2 P + 2 layers d n) / prompt rate, b W / token rate) + o b, b = ceil(n / 512).
// A token: (W + KV context) / token rate + o', as o for most; the context is the prompt and half the output.
// A LoRA step: T (4 P + 6 A + 6 layers d s) / step rate + optimiser traffic / COPY: frozen layers need no
// weight gradients, so 2 P forward and 2 P backward (Hu et al. 2021, arXiv:2106.09685; Kaplan et al. 2020,
// 2001.08361). What does not fit is brought from the host twice a step, for its forward and its backward
// pass, as FSDP and ZeRO do that offload to the host (Rajbhandari et al. 2021, arXiv:2104.07857); that it
// overlaps with arithmetic is not counted on.
[[nodiscard]] Times Predict(const ReferenceRequest& request, const Inputs& inputs);

// share of the layers on the one, the rest on the other, one after the other.
[[nodiscard]] Times Mix(const Times& one, const Times& other, double share);

// Bringing that share of the weights once for every batch of the prompt.
[[nodiscard]] double BringingSeconds(const InferenceRequest& request, double share, double bytes_per_s);

// Both phases: (prompt + output) / (prefill + output tokens); prompt / prefill; 1 / token; T / (step +
// stream).
[[nodiscard]] double TokensPerSecond(const ReferenceRequest& request, const Times& times, Use use);

// Bytes that a training step holds at its peak, with activations checkpointed once a layer: weights, what the
// adapters need, a hidden state a layer and token in bf16, one layer's activations (34 bytes an element of
// those: Korthikanti et al. 2022, arXiv:2205.05198), logits and their gradient in fp32.
[[nodiscard]] double NeededTrainingBytes(const ReferenceRequest& request);
// Of those, what so much memory does not hold; 0 where nobody says how much it is.
[[nodiscard]] double MissingTrainingBytes(const ReferenceRequest& request, std::optional<double> available);
// What a step needs with weights in 4 bits, as inference has them (QLoRA: Dettmers et al. 2023,
// arXiv:2305.14314). nullopt where so much memory does not hold that, or the request's weights are none in 4
// bits.
[[nodiscard]] std::optional<double> SmallerTrainingBytes(const ReferenceRequest& request, double available);

// Bytes that inference needs with everything resident, and the share of the layers that `bytes` hold.
[[nodiscard]] double NeededBytes(const InferenceRequest& request);
[[nodiscard]] double ResidentShare(const InferenceRequest& request, double bytes);

// Where the bytes are held that a use of one way to one device needs. Memory of which nobody says how much it
// is is supposed to be enough.
struct Placement {
  double share = 1;  // of the layers, on the device itself
  // Of what the work needs, in the processor's memory, whether that holds it or not; nullopt where none of it
  // can be there.
  std::optional<double> on_host_bytes = 0;
  double streamed_bytes = 0;  // of those, what is brought from there in every training step
  bool fits = true;           // the work can be done at all
};

// Of a request, whose layers that are not on the device the processor's memory has to hold.
[[nodiscard]] Placement PlaceRequest(const InferenceRequest& request, const WorkMemory& memory);
// Of a training step. The host keeps nothing but weights for it, and only for a device with a memory of its
// own that holds the rest.
[[nodiscard]] Placement PlaceStep(const ReferenceRequest& request, const WorkMemory& memory);

// One way to reach one device, with all that scores it.

// What bounds a phase: a rate, the share of it that engines reach, and the figures that it comes from.
struct Phase {
  Range per_s;
  Range share;
  std::string name;
};

struct Way {
  const probe::PhysicalDevice* device;
  const probe::View* view;
  bool software;
  Rates rates;
  RuntimeFactors factors;
  TrainingSupport training;
  const ClassFit* fit = nullptr;           // what was fitted on published rows
  const WeightFactors* weights = nullptr;  // what counts for the request's
  const WholeFactors* whole = nullptr;     // the same where products take them as they are
  WorkMemory memory{};
  Placement serving{};          // of a request
  Placement step{};             // of a training step
  bool estimated = false;       // in part: rates.late
  bool rates_unknown = false;   // as Score has it
  bool assumes_upload = false;  // likewise
  Phase reading{};              // of a way that was measured, as is the next
  Phase writing{};

  [[nodiscard]] bool measured() const { return rates.product && rates.read; }
  [[nodiscard]] const Placement& placement(Use use) const { return use == Use::kTraining ? step : serving; }
};

// Every way once, in the order of the devices and their views. A rate that it lacks is filled in: from facts
// where time ran out or nobody could look, from the native way on the same processor, from an equal GPU. Its
// phases are left to scoring. They point into what they are made of, but for measurements and estimates.
[[nodiscard]] std::vector<Way> WaysOf(const Tables& tables, std::span<const probe::PhysicalDevice> devices,
                                      std::span<const backends::Measurement> measurements,
                                      std::span<const backends::Measurement> estimates);

// The processor by its own runtime; nullptr where that was not measured.
[[nodiscard]] const Way* NativeOf(std::span<const Way> ways);

// nullptr where engines would not use tiles: there are none for these weights, or they are slower than the
// product in fp32.
[[nodiscard]] const TileFactors* TilesOf(const Way& way);
// Of a way that has factors of the weights: of the rate of their product with a vector.
[[nodiscard]] const Factor& WritingShare(const Way& way);

// At which rate what a step or a prompt leaves with the host is brought: a device's own, whichever runtime
// measured it, else that of its equals, else one that is assumed.
void StreamWhatDoesNotFit(std::span<Way> ways);

// Of a split model: its prompt is read by the device alone, which has the other layers brought to it.
[[nodiscard]] bool BringsLayers(const InferenceRequest& request, const Way& way);

// Sentences for people. The first two are of a device that does not hold the whole request.
[[nodiscard]] std::string MemoryReason(const InferenceRequest& request, const Way& way);
[[nodiscard]] std::string SplitReason(const InferenceRequest& request, const Way& way,
                                      bool has_processor);  // whose figures are known
// Of a device that does not hold a training step.
[[nodiscard]] std::string DoesNotFitReason(const ReferenceRequest& request, const Way& way);

}  // namespace report::score
