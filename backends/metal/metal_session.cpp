// SPDX-License-Identifier: MIT
#include "backends/metal/metal_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/metal/variants.h"
#include "probe/system/clock.h"

namespace backends::metal {
namespace {

using probe::metal::ErrorOf;
using probe::metal::Id;
using probe::metal::MtlSize;
using probe::metal::Selectors;
using probe::metal::UInteger;

// Of launches that are handed over at once, so that a GPU starts early. How long it is kept is bounded by
// whoever measures (backends/core/timing.h, kMaxBatchSeconds).
constexpr std::uint64_t kLaunchesABuffer = 64;

// Where nobody tells how many cores a GPU has: enough work for the largest that there is, the M3 Ultra's
// (Apple, Mac Studio of 2025, technical specifications). A smaller one takes the groups in turns.
constexpr std::uint32_t kAssumedUnits = 80;

// What every GPU with Metal takes, where one does not tell (Apple, "Metal feature set tables"): of a
// threadgroup's threads and of a buffer's bytes.
constexpr std::uint32_t kLeastMaxGroup = 256;
constexpr std::uint64_t kLeastMaxBufferBytes = 256U << 20U;

bool Has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Sources are compiled as this version, not as that of the SDK with which somebody linked the program.
UInteger LanguageOf(const probe::RuntimeDevice& facts) {
  return Has(facts.dtypes, "bf16") ? probe::metal::kMtlLanguageVersion3_1
                                   : probe::metal::kMtlLanguageVersion2_3;
}

std::vector<std::string> FeaturesOf(const probe::RuntimeDevice& facts) {
  std::vector<std::string> features;
  if (!Has(facts.matrix_units, "fp32/fp32")) return features;
  features.emplace_back(kernels::metal::kSimdgroups);
  features.emplace_back(kernels::metal::kMatrix);
  if (LanguageOf(facts) >= probe::metal::kMtlLanguageVersion3_1)
    features.emplace_back(kernels::metal::kBfloat);
  return features;
}

// What is missing bounds nothing, and is not 0. Of a device that claims 0 of both it is.
std::uint64_t MaxBufferBytes(const probe::metal::Api& api, Id device) {
  const auto longest = api.Ask<UInteger>(device, &Selectors::max_buffer_bytes),
             working_set = api.Ask<UInteger>(device, &Selectors::working_set_bytes);
  if (longest == UInteger{0} && working_set == UInteger{0}) return 0;
  std::uint64_t most = UINT64_MAX;
  for (const auto& bound : {longest, working_set}) {
    if (bound.value_or(0) != 0) most = std::min<std::uint64_t>(most, *bound);
  }
  return most == UINT64_MAX ? kLeastMaxBufferBytes : most;
}

Limits LimitsOf(const probe::metal::Api& api, Id device, const probe::RuntimeDevice& facts) {
  Limits limits;
  // How much is free nobody tells: the working set is what the system recommends at most.
  limits.max_buffer_bytes = MaxBufferBytes(api, device);
  limits.shape.compute_units = facts.compute_units.value_or(kAssumedUnits);
  const auto group = api.AskSize(device, &Selectors::max_group_size).width;
  limits.shape.max_work_group_size = group != 0 ? static_cast<std::uint32_t>(group) : kLeastMaxGroup;
  limits.shape.subgroup_width = facts.subgroup_width.value_or(1);
  limits.features = FeaturesOf(facts);
  return limits;
}

}  // namespace

probe::Result<std::unique_ptr<Session>> MetalSession::Create(const probe::metal::Api& api, Id device,
                                                             const probe::RuntimeDevice& facts,
                                                             const OpenRequest& request) {
  Limits limits = LimitsOf(api, device, facts);
  if (limits.max_buffer_bytes == 0) {
    return probe::Error{"maxBufferLength", std::nullopt, "no limits",
                        "the device claims no memory: it is no working one"};
  }
  if (auto others = LoadOfOthers(request.device); !others.empty())
    ShareWith(std::move(others), OthersWork::kSeen, limits);
  const probe::metal::Pool pool(api);
  std::unique_ptr<MetalSession> session(new MetalSession(api, device, facts, std::move(limits)));
  if (!session->queue_) {
    return probe::Error{"newCommandQueue", std::nullopt, "no queue", "Metal gives no queue of the device"};
  }
  return std::unique_ptr<Session>(std::move(session));
}

MetalSession::MetalSession(const probe::metal::Api& api, Id device, const probe::RuntimeDevice& facts,
                           Limits limits)
    : api_(api),
      device_(api_, api_.objc_retain(device)),
      queue_(api_, api_.Send<Id>(device, &Selectors::new_queue)),
      unified_(facts.unified_memory.value_or(false)),
      language_(LanguageOf(facts)),
      limits_(std::move(limits)) {}

probe::Result<Id> MetalSession::StringOf(std::string_view text) const {
  const Id string = api_.String(std::string(text).c_str());
  if (string != nullptr) return string;
  return probe::Error{"stringWithUTF8String:", std::nullopt, "no string", "Foundation makes none of a text"};
}

// Results are compared with what rounding allows, and none is an infinity: the compiler may be as quick as it
// is by default, whatever version's default that is.
probe::Result<std::shared_ptr<MetalSession::Owned>> MetalSession::Compile(std::string_view source) const {
  const auto text = StringOf(source);
  if (!text) return text.error();
  const auto type = reinterpret_cast<Id>(api_.objc_getClass("MTLCompileOptions"));
  const Owned options(api_, type == nullptr ? nullptr : api_.Send<Id>(type, &Selectors::new_object));
  if (!options)
    return probe::Error{"MTLCompileOptions", std::nullopt, "no options", "Metal has none for its compiler"};
  api_.Send<void>(options.get(), &Selectors::set_language, language_);
  api_.Send<void>(options.get(), &Selectors::set_fast_math, probe::metal::Boolean{1});
  Id error = nullptr;
  auto library = std::make_shared<Owned>(
      api_, api_.Send<Id>(device_.get(), &Selectors::new_library, *text, options.get(), &error));
  if (!*library) return ErrorOf(api_, "newLibraryWithSource:options:error:", error);
  return library;
}

probe::Result<Id> MetalSession::LibraryOf(std::string_view source) {
  auto known = libraries_.find(source.data());
  if (known == libraries_.end()) known = libraries_.emplace(source.data(), Compile(source)).first;
  if (!known->second) return known->second.error();
  return (*known->second)->get();
}

probe::Result<KernelId> MetalSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  const probe::metal::Pool pool(api_);
  const auto library = LibraryOf(step.source);
  if (!library) return library.error();
  const std::string entry(step.entry);
  const auto name = StringOf(entry);
  if (!name) return name.error();
  const Owned function(api_, api_.Send<Id>(*library, &Selectors::new_function, *name));
  if (!function) {
    return probe::Error{"newFunctionWithName:", std::nullopt, "MTLLibraryErrorFunctionNotFound",
                        "the library has no " + entry};
  }
  Id error = nullptr;
  Owned pipeline(api_, api_.Send<Id>(device_.get(), &Selectors::new_pipeline, function.get(), &error));
  if (!pipeline) return ErrorOf(api_, "newComputePipelineStateWithFunction:error: " + entry, error);
  const auto threads = api_.Send<UInteger>(pipeline.get(), &Selectors::max_group_threads);
  kernels_.push_back({std::move(pipeline), step.entry, threads, step.shared_bytes});
  account_.Loaded(variant);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Status MetalSession::Check(const Launch& launch) const {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  for (const BoundBuffer& bound : launch.buffers) {
    if (const auto known = buffers_.Locate("launch", bound.buffer); !known) return known.error();
  }
  const auto& local = launch.shape.local;
  const std::uint64_t threads = std::uint64_t{local[0]} * local[1] * local[2];
  if (threads <= kernels_[index].max_threads) return probe::Ok();
  return probe::Error{fmt::format("launch {}", kernels_[index].entry), std::nullopt, "group too large",
                      fmt::format("{} threads; the kernel takes at most {} on this device", threads,
                                  kernels_[index].max_threads)};
}

void MetalSession::Encode(Id encoder, const Launch& launch) const {
  const Kernel& kernel = kernels_[static_cast<std::size_t>(launch.kernel)];
  api_.Send<void>(encoder, &Selectors::set_pipeline, kernel.pipeline.get());
  UInteger place = 0;
  for (const BoundBuffer& bound : launch.buffers) {
    api_.Send<void>(encoder, &Selectors::set_buffer, buffers_.Find(bound.buffer)->memory.get(), UInteger{0},
                    place++);
  }
  for (const std::uint32_t& scalar : launch.shape.scalars) {
    api_.Send<void>(encoder, &Selectors::set_bytes, static_cast<const void*>(&scalar),
                    UInteger{sizeof scalar}, place++);
  }
  if (kernel.group_memory_bytes != 0)
    api_.Send<void>(encoder, &Selectors::set_group_memory, UInteger{kernel.group_memory_bytes}, UInteger{0});
  const auto size = [](const std::array<std::uint32_t, 3>& all) { return MtlSize{all[0], all[1], all[2]}; };
  api_.Send<void>(encoder, &Selectors::dispatch, size(launch.shape.groups), size(launch.shape.local));
}

Id MetalSession::Submit(std::span<const Launch> launches, std::uint64_t first, std::uint64_t count) const {
  const Id commands = api_.Send<Id>(queue_.get(), &Selectors::command_buffer);
  // One after the other, each seeing what those before it wrote.
  const Id encoder = api_.Send<Id>(commands, &Selectors::compute_encoder);
  if (encoder == nullptr) return nullptr;
  for (std::uint64_t i = first; i < first + count; ++i) Encode(encoder, launches[i % launches.size()]);
  api_.Send<void>(encoder, &Selectors::end_encoding);
  api_.Send<void>(commands, &Selectors::commit);
  return commands;
}

probe::Status MetalSession::Wait(std::span<const Id> buffers) {
  probe::Status status = probe::Ok();
  for (const Id buffer : buffers) {
    api_.Send<void>(buffer, &Selectors::wait);
    if (!status ||
        api_.Send<UInteger>(buffer, &Selectors::status) == probe::metal::kMtlCommandBufferStatusCompleted)
      continue;
    status = ErrorOf(api_, "MTLCommandBuffer", api_.Send<Id>(buffer, &Selectors::error));
    if (probe::metal::EndsQueue(status.error())) account_.ContextEnded();
  }
  return status;
}

std::optional<double> MetalSession::DeviceSeconds(std::span<const Id> buffers) const {
  const double start = api_.Send<double>(buffers.front(), &Selectors::gpu_start_s);
  const double end = api_.Send<double>(buffers.back(), &Selectors::gpu_end_s);
  return start > 0 && end >= start ? std::optional(end - start) : std::nullopt;
}

probe::Result<Timing> MetalSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) return Timing{};
  for (const Launch& launch : launches) {
    if (auto valid = Check(launch); !valid) return valid.error();
  }
  const probe::metal::Pool pool(api_);
  account_.Launched(launches.back().kernel);
  std::vector<Id> buffers;
  const std::uint64_t total = std::uint64_t{launches.size()} * repeats;
  bool refused = false;
  const auto start = probe::system::Now();
  for (std::uint64_t done = 0; done < total && !refused; done += kLaunchesABuffer) {
    const Id commands = Submit(launches, done, std::min(total - done, kLaunchesABuffer));
    refused = commands == nullptr;
    if (!refused) buffers.push_back(commands);
  }
  // Also after an error: nothing may still run when the caller goes on.
  const auto status = Wait(buffers);
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (!status) return status.error();
  if (refused) {
    return probe::Error{"computeCommandEncoder", std::nullopt, "no encoder", "the queue takes no commands"};
  }
  timing.device_s = DeviceSeconds(buffers);
  account_.Finished();
  return timing;
}

}  // namespace backends::metal
