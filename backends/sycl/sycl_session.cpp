// SPDX-License-Identifier: MIT
#include "backends/sycl/sycl_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/core/device_facts.h"
#include "backends/core/host.h"
#include "backends/core/shape.h"
#include "probe/core/text.h"
#include "probe/system/clock.h"

namespace backends::sycl {
namespace {

using rt::ErrorOf;
using rt::kUrSuccess;

// Of enqueued launches, so that a queue that only collects starts working early.
constexpr std::uint32_t kFlushEvery = 64;

// What kernels may ask for (Variant::requires_features). Of a processor's no kernel asks for lines ahead:
// there is no such module of SPIR-V.
std::vector<std::string> FeaturesOf(const probe::RuntimeDevice& facts) {
  auto features = backends::FeaturesOf(facts);
  features.insert(features.begin(), OnHost(facts) ? "cpu" : "gpu");
  AddLanes(NumberFact(facts, "native_vector_width_float"), features);
  return features;
}

Limits LimitsOf(const probe::RuntimeDevice& facts) {
  Limits limits;
  const std::uint64_t total = facts.memory_total_bytes.value_or(0);
  limits.max_buffer_bytes = std::min(NumberFact(facts, "max_alloc_bytes"), total);
  // Where no driver tells free memory all of it bounds what is planned.
  limits.memory_free_bytes = facts.memory_free_bytes.value_or(total);
  if (const auto bytes = NumberFact(facts, "global_cache_bytes"); bytes != 0) limits.cache_bytes = bytes;
  limits.shape.compute_units = facts.compute_units.value_or(1);
  if (OnHost(facts)) limits.threads = limits.shape.compute_units;
  limits.shape.max_work_group_size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(NumberFact(facts, "max_work_group_size"), 1U << 20U));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(1);
  limits.features = FeaturesOf(facts);
  return limits;
}

}  // namespace

probe::Result<std::unique_ptr<Session>> SyclSession::Create(const rt::Api& api, const rt::Found& found,
                                                            const OpenRequest& request) {
  Limits limits = LimitsOf(WithinHost(found.device, request.processor));
  limits.quota_cores = BindingQuota(request, limits.threads);
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{
        "urDeviceGetInfo", std::nullopt, "no limits",
        "the driver claims no memory or work-groups of no work-item: this is no working device"};
  }
  Opened opened;
  opened.device = found.handle;
  auto code = api.urContextCreate(1, &opened.device, nullptr, &opened.context);
  if (const auto made = rt::Made("urContextCreate", code, opened.context); !made) return made.error();
  const rt::UrQueueProperties properties;
  code = api.urQueueCreate(opened.context, opened.device, &properties, &opened.queue);
  if (const auto made = rt::Made("urQueueCreate", code, opened.queue); !made) return made.error();
  return std::unique_ptr<Session>(new SyclSession(api, opened, std::move(limits), request));
}

SyclSession::SyclSession(const rt::Api& api, const Opened& opened, Limits limits, const OpenRequest& request)
    : api_(api),
      opened_(opened),
      record_(request.device),
      files_(request.files),
      limits_(std::move(limits)) {}

probe::Error SyclSession::Failed(probe::Error error) {
  if (error.code && rt::EndsContext(static_cast<rt::UrResult>(*error.code))) account_.ContextEnded();
  return error;
}

std::string SyclSession::LogOf(rt::UrProgram program) const {
  constexpr std::size_t kMost = 1U << 20U;
  std::size_t bytes = 0;
  if (api_.urProgramGetBuildInfo(program, opened_.device, rt::kUrBuildLog, 0, nullptr, &bytes) !=
          kUrSuccess ||
      bytes > kMost)
    return {};
  std::string text(bytes, '\0');
  if (bytes == 0 || api_.urProgramGetBuildInfo(program, opened_.device, rt::kUrBuildLog, bytes, text.data(),
                                               nullptr) != kUrSuccess)
    return {};
  return probe::LogTail(text);
}

probe::Result<rt::UrProgram> SyclSession::Build(std::span<const std::uint32_t> code) const {
  rt::UrProgram program = nullptr;
  const auto created =
      api_.urProgramCreateWithIL(opened_.context, code.data(), code.size_bytes(), nullptr, &program);
  auto made = rt::Made("urProgramCreateWithIL", created, program);
  if (!made) return made;
  const auto built = api_.urProgramBuild(opened_.context, program, "");
  if (built == kUrSuccess) return program;
  probe::Error error = ErrorOf("urProgramBuild", built);
  error.text = LogOf(program);
  return error;
}

// A failed one is not repeated.
probe::Result<rt::UrProgram> SyclSession::ProgramOf(std::span<const std::uint32_t> code) {
  const auto known = programs_.find(code.data());
  return known != programs_.end() ? known->second : programs_.emplace(code.data(), Build(code)).first->second;
}

probe::Result<KernelId> SyclSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  const auto program = ProgramOf(step.code);
  if (!program) return Failed(program.error());
  LoadedKernel loaded{nullptr, std::string(step.entry)};
  const auto code = api_.urKernelCreate(*program, loaded.entry.c_str(), &loaded.kernel);
  if (const auto made = rt::Made("urKernelCreate " + loaded.entry, code, loaded.kernel); !made)
    return Failed(made.error());
  kernels_.push_back(std::move(loaded));
  account_.Loaded(variant);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Status SyclSession::Bind(const Launch& launch) {
  if (static_cast<std::size_t>(launch.kernel) >= kernels_.size())
    return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  arguments_.clear();
  const auto add = [&](rt::UrArgumentType type, std::size_t size) -> rt::UrArgument& {
    rt::UrArgument& argument = arguments_.emplace_back();
    argument.type = type;
    argument.index = static_cast<std::uint32_t>(arguments_.size() - 1);
    argument.size = size;
    return argument;
  };
  for (const BoundBuffer& bound : launch.buffers) {
    const auto address = buffers_.AddressOf("launch", bound.buffer);
    if (!address) return address.error();
    add(rt::kUrPointerArgument, sizeof(void*)).value.pointer = *address;
  }
  for (const std::uint32_t& scalar : launch.shape.scalars)
    add(rt::kUrValueArgument, sizeof scalar).value.value = &scalar;
  const LoadedKernel& loaded = kernels_[static_cast<std::size_t>(launch.kernel)];
  return api_.launching == rt::Launching::kWithArguments ? probe::Ok() : SetArguments(loaded);
}

probe::Status SyclSession::SetArguments(const LoadedKernel& loaded) const {
  for (const rt::UrArgument& argument : arguments_) {
    const bool is_pointer = argument.type == rt::kUrPointerArgument;
    const auto code = is_pointer ? api_.urKernelSetArgPointer(loaded.kernel, argument.index, nullptr,
                                                              argument.value.pointer)
                                 : api_.urKernelSetArgValue(loaded.kernel, argument.index, argument.size,
                                                            nullptr, argument.value.value);
    if (code == kUrSuccess) continue;
    return ErrorOf(fmt::format("{} {} {}", is_pointer ? "urKernelSetArgPointer" : "urKernelSetArgValue",
                               loaded.entry, argument.index),
                   code);
  }
  return probe::Ok();
}

probe::Status SyclSession::Enqueue(const Launch& launch, rt::UrEvent* event) const {
  constexpr std::uint32_t kDimensions = 3;
  const LoadedKernel& loaded = kernels_[static_cast<std::size_t>(launch.kernel)];
  std::array<std::size_t, kDimensions> global{}, local{};
  for (std::size_t i = 0; i < kDimensions; ++i) {
    local.at(i) = launch.shape.local.at(i);
    global.at(i) = local.at(i) * launch.shape.groups.at(i);
  }
  rt::UrResult code = kUrSuccess;
  switch (api_.launching) {
    case rt::Launching::kPlain:
      code = api_.urEnqueueKernelLaunch(opened_.queue, loaded.kernel, kDimensions, nullptr, global.data(),
                                        local.data(), 0, nullptr, event);
      break;
    case rt::Launching::kWithProperties:
      code = api_.launch_with_properties(opened_.queue, loaded.kernel, kDimensions, nullptr, global.data(),
                                         local.data(), 0, nullptr, 0, nullptr, event);
      break;
    case rt::Launching::kWithArguments:
      code = api_.urEnqueueKernelLaunchWithArgsExp(
          opened_.queue, loaded.kernel, kDimensions, nullptr, global.data(), local.data(),
          static_cast<std::uint32_t>(arguments_.size()), arguments_.data(), nullptr, 0, nullptr, event);
      break;
  }
  return code == kUrSuccess ? probe::Ok() : ErrorOf("urEnqueueKernelLaunch " + loaded.entry, code);
}

probe::Status SyclSession::EnqueueAll(std::span<const Launch> launches, std::uint32_t repeats,
                                      Events& events) {
  const std::uint64_t total = std::uint64_t{launches.size()} * repeats;
  for (std::uint64_t i = 0; i < total; ++i) {
    const Launch& launch = launches[i % launches.size()];
    if (auto bound = Bind(launch); !bound) return bound;
    rt::UrEvent* event = i == 0 ? &events.first : i + 1 == total ? &events.last : nullptr;
    if (auto queued = Enqueue(launch, event); !queued) return queued;
    if (i % kFlushEvery == kFlushEvery - 1) (void)api_.urQueueFlush(opened_.queue);
  }
  return probe::Ok();
}

std::optional<double> SyclSession::DeviceSeconds(const Events& events) const {
  const rt::UrEvent last = events.last != nullptr ? events.last : events.first;
  std::uint64_t start = 0, end = 0;
  if (events.first == nullptr ||
      api_.urEventGetProfilingInfo(events.first, rt::kUrCommandStart, sizeof start, &start, nullptr) !=
          kUrSuccess ||
      api_.urEventGetProfilingInfo(last, rt::kUrCommandEnd, sizeof end, &end, nullptr) != kUrSuccess)
    return std::nullopt;
  return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

probe::Result<Timing> SyclSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) return Timing{};
  Events events;
  account_.Launched(launches.back().kernel);
  const auto start = probe::system::Now();
  auto status = EnqueueAll(launches, repeats, events);
  // Also after an error: nothing may still run when the caller goes on.
  const auto code = api_.urQueueFinish(opened_.queue);
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (status && code != kUrSuccess) status = ErrorOf("urQueueFinish", code);
  if (status) timing.device_s = DeviceSeconds(events);
  for (const rt::UrEvent event : {events.first, events.last}) {
    if (event != nullptr) api_.urEventRelease(event);
  }
  if (!status) return Failed(status.error());
  account_.Finished();
  return timing;
}

}  // namespace backends::sycl
