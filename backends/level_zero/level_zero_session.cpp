// SPDX-License-Identifier: MIT
#include "backends/level_zero/level_zero_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/core/device_facts.h"
#include "probe/core/text.h"
#include "probe/system/clock.h"

namespace backends::level_zero {
namespace {

using rt::ErrorOf;
using rt::kZeSuccess;

constexpr std::size_t kAlignment = 4096;

Limits LimitsOf(const probe::RuntimeDevice& facts) {
  Limits limits;
  const std::uint64_t total = facts.memory_total_bytes.value_or(0);
  limits.max_buffer_bytes = std::min(NumberFact(facts, "max_alloc_bytes"), total);
  // Where no driver tells free memory all of it bounds what is planned.
  limits.memory_free_bytes = facts.memory_free_bytes.value_or(total);
  if (const auto bytes = NumberFact(facts, "global_cache_bytes"); bytes != 0) limits.cache_bytes = bytes;
  limits.shape.compute_units = facts.compute_units.value_or(1);
  limits.shape.max_work_group_size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(NumberFact(facts, "max_work_group_size"), 1U << 20U));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(1);
  limits.features = FeaturesOf(facts);
  limits.features.insert(limits.features.begin(), "gpu");
  return limits;
}

}  // namespace

probe::Result<std::array<rt::ZeEvent, 2>> LevelZeroSession::CreateEvents(const rt::Api& api,
                                                                         rt::ZeContext context,
                                                                         rt::ZeDevice device) {
  rt::ZeEventPoolDescription pool_description;
  pool_description.flags = rt::kZeEventHostVisible | rt::kZeEventTimestamps;
  pool_description.count = 2;
  rt::ZeEventPool pool = nullptr;
  const auto code = api.zeEventPoolCreate(context, &pool_description, 1, &device, &pool);
  if (const auto made = rt::Made("zeEventPoolCreate", code, pool); !made) return made.error();
  std::array<rt::ZeEvent, 2> events{};
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    rt::ZeEventDescription description;
    description.index = i;
    const auto result = api.zeEventCreate(pool, &description, &events.at(i));
    if (const auto made = rt::Made("zeEventCreate", result, events.at(i)); !made) return made.error();
  }
  return events;
}

probe::Result<std::unique_ptr<Session>> LevelZeroSession::Create(const rt::Api& api, rt::ZeDriver driver,
                                                                 const rt::Found& found,
                                                                 const OpenRequest& request) {
  Limits limits = LimitsOf(found.device);
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{
        "zeDeviceGetComputeProperties", std::nullopt, "no limits",
        "the driver claims no memory or work-groups of no work-item: this is no working device"};
  }
  Opened opened;
  opened.driver = driver;
  opened.device = found.handle;
  const rt::ZeContextDescription description;
  const auto code = api.zeContextCreate(driver, &description, &opened.context);
  if (const auto made = rt::Made("zeContextCreate", code, opened.context); !made) return made.error();
  auto queue = Queue::Create(api, opened.context, opened.device);
  if (!queue) return queue.error();
  const auto events = CreateEvents(api, opened.context, opened.device);
  if (!events) return events.error();
  opened.events = *events;
  rt::ZeDeviceProperties properties;
  if (api.zeDeviceGetProperties(opened.device, &properties) == kZeSuccess) {
    const auto bits = properties.kernel_timestamp_bits;
    opened.timer.hz = static_cast<double>(properties.timer_hz);
    opened.timer.mask =
        bits == 0 || bits >= 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
  }
  return std::unique_ptr<Session>(
      new LevelZeroSession(api, opened, *std::move(queue), std::move(limits), request));
}

LevelZeroSession::LevelZeroSession(const rt::Api& api, const Opened& opened, Queue queue, Limits limits,
                                   const OpenRequest& request)
    : api_(api),
      opened_(opened),
      queue_(std::move(queue)),
      record_(request.device),
      files_(request.files),
      environment_(request.environment),
      limits_(std::move(limits)),
      sysman_(api_),
      tile_(record_.identity.uuid ? sysman_.TileOf(*record_.identity.uuid) : std::nullopt) {}

DeviceState LevelZeroSession::State() const {
  auto state = StateOfCard(record_, files_);
  if (!record_.identity.pci) return state;
  const rt::Clock clock = seen_ ? *seen_ : sysman_.ClockOf(*record_.identity.pci, tile_);
  if (!clock.throttled_by.empty()) state.throttled_by = clock.throttled_by;
  if (seen_) state.clock_share = clock.share;  // of a GPU that rests it says nothing
  return state;
}

bool LevelZeroSession::Watch() {
  watches_ = record_.identity.pci.has_value();
  seen_.reset();
  return watches_;
}

probe::Error LevelZeroSession::Failed(probe::Error error) {
  if (error.code && rt::EndsContext(static_cast<rt::ZeResult>(*error.code))) account_.ContextEnded();
  return error;
}

probe::Result<BufferId> LevelZeroSession::Allocate(const BufferRequest& request) {
  if (auto allowed = buffers_.Check("zeMemAllocDevice", request.bytes); !allowed) return allowed.error();
  const rt::ZeDeviceMemoryDescription description;
  void* memory = nullptr;
  const auto code = api_.zeMemAllocDevice(opened_.context, &description, request.bytes, kAlignment,
                                          opened_.device, &memory);
  if (const auto made = rt::Made("zeMemAllocDevice", code, memory); !made) return Failed(made.error());
  return buffers_.Add(static_cast<std::byte*>(memory), request.bytes);
}

void LevelZeroSession::Release(BufferId buffer) {
  if (const auto memory = buffers_.Remove(buffer)) api_.zeMemFree(opened_.context, *memory);
}

probe::Result<HostBuffer> LevelZeroSession::AllocateHost(std::uint64_t bytes) {
  const rt::ZeHostMemoryDescription description;
  void* memory = nullptr;
  const auto code = api_.zeMemAllocHost(opened_.context, &description, bytes, kAlignment, &memory);
  if (const auto made = rt::Made("zeMemAllocHost", code, memory); !made) return Failed(made.error());
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [this](void* own) { api_.zeMemFree(opened_.context, own); }}};
}

probe::Status LevelZeroSession::Copy(void* to, const void* from, std::size_t bytes) {
  auto status = queue_.Copy(to, from, bytes);
  const auto finished = queue_.Finish();
  if (status) status = finished;
  return status ? probe::Ok() : Failed(status.error());
}

probe::Status LevelZeroSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.AddressOf("zeCommandListAppendMemoryCopy", buffer, offset_bytes, data.size());
  return to ? Copy(*to, data.data(), data.size()) : to.error();
}

probe::Status LevelZeroSession::Download(BufferId buffer, std::uint64_t offset_bytes,
                                         std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.AddressOf("zeCommandListAppendMemoryCopy", buffer, offset_bytes, data.size());
  return from ? Copy(data.data(), *from, data.size()) : from.error();
}

std::string LevelZeroSession::LogOf(rt::ZeBuildLog log) const {
  constexpr std::size_t kMost = 1U << 20U;
  std::size_t bytes = 0;
  if (log == nullptr || api_.zeModuleBuildLogGetString(log, &bytes, nullptr) != kZeSuccess || bytes > kMost)
    return {};
  std::string text(bytes, '\0');
  if (bytes == 0 || api_.zeModuleBuildLogGetString(log, &bytes, text.data()) != kZeSuccess) return {};
  return probe::LogTail(text);
}

probe::Result<rt::ZeModule> LevelZeroSession::Build(std::span<const std::uint32_t> code) const {
  const auto bytes = std::as_bytes(code);
  rt::ZeModuleDescription description;
  description.bytes = bytes.size();
  description.module = reinterpret_cast<const std::uint8_t*>(bytes.data());
  description.options = "";
  rt::ZeModule module = nullptr;
  rt::ZeBuildLog log = nullptr;
  const auto result = api_.zeModuleCreate(opened_.context, opened_.device, &description, &module, &log);
  const std::string text = result == kZeSuccess ? std::string() : LogOf(log);
  if (log != nullptr) api_.zeModuleBuildLogDestroy(log);
  const auto made = rt::Made("zeModuleCreate", result, module);
  if (result == kZeSuccess) return made;
  probe::Error error = made.error();
  error.text = text;
  return error;
}

// A failed one is not repeated.
probe::Result<rt::ZeModule> LevelZeroSession::ModuleOf(std::span<const std::uint32_t> code) {
  const auto known = modules_.find(code.data());
  return known != modules_.end() ? known->second : modules_.emplace(code.data(), Build(code)).first->second;
}

probe::Result<KernelId> LevelZeroSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  if (!step.library.empty()) return LoadProduct(variant, step);
  const auto module = ModuleOf(step.code);
  if (!module) return Failed(module.error());
  LoadedKernel loaded{nullptr, std::string(step.entry)};
  rt::ZeKernelDescription description;
  description.name = loaded.entry.c_str();
  const auto code = api_.zeKernelCreate(*module, &description, &loaded.kernel);
  if (const auto made = rt::Made("zeKernelCreate " + loaded.entry, code, loaded.kernel); !made)
    return Failed(made.error());
  return Keep(variant, std::move(loaded));
}

KernelId LevelZeroSession::Keep(const kernels::Variant& variant, LoadedKernel loaded) {
  kernels_.push_back(std::move(loaded));
  account_.Loaded(variant);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Status LevelZeroSession::Prepare(const Launch& launch) const {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  const LoadedKernel& loaded = kernels_[index];
  const auto& local = launch.shape.local;
  if (const auto code = api_.zeKernelSetGroupSize(loaded.kernel, local[0], local[1], local[2]);
      code != kZeSuccess)
    return ErrorOf("zeKernelSetGroupSize " + loaded.entry, code);
  std::uint32_t argument = 0;
  const auto set = [&](std::size_t size, const void* value) -> probe::Status {
    const auto code = api_.zeKernelSetArgumentValue(loaded.kernel, argument++, size, value);
    if (code == kZeSuccess) return probe::Ok();
    return ErrorOf(fmt::format("zeKernelSetArgumentValue {} {}", loaded.entry, argument - 1), code);
  };
  for (const BoundBuffer& bound : launch.buffers) {
    const auto address = buffers_.AddressOf("launch", bound.buffer);
    if (!address) return address.error();
    std::byte* const pointer = *address;
    if (auto done = set(sizeof pointer, static_cast<const void*>(&pointer)); !done) return done;
  }
  for (const std::uint32_t scalar : launch.shape.scalars) {
    if (auto done = set(sizeof scalar, &scalar); !done) return done;
  }
  return probe::Ok();
}

probe::Status LevelZeroSession::LaunchAll(std::span<const Launch> launches, std::uint32_t repeats) {
  for (const rt::ZeEvent event : opened_.events) {
    if (const auto code = api_.zeEventHostReset(event); code != kZeSuccess)
      return ErrorOf("zeEventHostReset", code);
  }
  const std::uint64_t total = std::uint64_t{launches.size()} * repeats;
  for (std::uint64_t i = 0; i < total; ++i) {
    const Launch& launch = launches[i % launches.size()];
    if (auto prepared = Prepare(launch); !prepared) return prepared;
    const auto& groups = launch.shape.groups;
    const rt::ZeEvent event = i == 0 ? opened_.events[0] : i + 1 == total ? opened_.events[1] : nullptr;
    const auto& kernel = kernels_[static_cast<std::size_t>(launch.kernel)].kernel;
    if (auto sent = queue_.Launch(kernel, {groups[0], groups[1], groups[2]}, event); !sent) return sent;
  }
  return probe::Ok();
}

// Counters have few bits and begin anew.
std::optional<double> LevelZeroSession::DeviceSeconds(rt::ZeEvent first, rt::ZeEvent last) const {
  rt::ZeKernelTimestamps from, to;
  if (opened_.timer.hz <= 0 || api_.zeEventQueryKernelTimestamp(first, &from) != kZeSuccess ||
      api_.zeEventQueryKernelTimestamp(last, &to) != kZeSuccess)
    return std::nullopt;
  const std::uint64_t ticks = (to.global.end - from.global.start) & opened_.timer.mask;
  return static_cast<double>(ticks) / opened_.timer.hz;
}

probe::Result<Timing> LevelZeroSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  const bool watches = std::exchange(watches_, false);
  if (!watches) seen_.reset();
  if (launches.empty() || repeats == 0) return Timing{};
  account_.Launched(launches.back().kernel);
  const auto products = PrepareProducts(launches);
  if (!products) return Failed(products.error());
  const bool of_library = !products->empty();
  const auto start = probe::system::Now();
  auto status = of_library ? StartAll(*products, repeats) : LaunchAll(launches, repeats);
  if (status && watches) {
    status = queue_.Send();
    seen_ = sysman_.ClockOf(*record_.identity.pci, tile_);
  }
  const auto finished = of_library ? (*onednn_)->Finish() : queue_.Finish();
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (status) status = finished;
  if (!status) return Failed(status.error());
  const bool several = launches.size() > 1 || repeats > 1;
  if (!of_library) timing.device_s = DeviceSeconds(opened_.events[0], opened_.events[several ? 1 : 0]);
  account_.Finished();
  return timing;
}

}  // namespace backends::level_zero
