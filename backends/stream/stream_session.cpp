// SPDX-License-Identifier: MIT
#include "backends/stream/stream_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace backends::stream {
namespace {

probe::Result<Limits> LimitsOf(Runtime& runtime, const probe::RuntimeDevice& facts, DeviceTraits traits) {
  const auto memory = runtime.AskMemory();
  if (!memory) return memory.error();
  Limits limits;
  limits.max_buffer_bytes = memory->total_bytes;
  limits.memory_free_bytes = memory->free_bytes;
  if (traits.l2_bytes.value_or(0) > 0) limits.cache_bytes = static_cast<std::uint64_t>(*traits.l2_bytes);
  limits.shape.compute_units = facts.compute_units.value_or(1);
  limits.shape.max_work_group_size = static_cast<std::uint32_t>(std::max(traits.max_threads, 0));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(traits.subgroup_width);
  limits.features = std::move(traits.features);
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{std::string(runtime.names().attribute), std::nullopt, "no limits",
                        "the driver claims no memory or blocks of no thread: this is no working device"};
  }
  if (!traits.others.empty()) ShareWith(std::move(traits.others), traits.work, limits);
  return limits;
}

// The arguments of a launch, buffers before scalars, and pointers to them. The driver reads as many bytes of
// each as the kernel declares.
struct Arguments {
  explicit Arguments(std::vector<Argument> all) : values(std::move(all)) {
    for (Argument& value : values) pointers.push_back(&value);
  }
  std::vector<Argument> values;
  std::vector<void*> pointers;
};

}  // namespace

probe::Result<Argument> Runtime::MapMatrix(std::uint64_t, const kernels::MatrixMap&) {
  return probe::Error{"launch", std::nullopt, "no matrix maps", "the runtime has none"};
}

probe::Result<std::unique_ptr<Session>> StreamSession::Create(std::unique_ptr<Runtime> runtime,
                                                              const probe::RuntimeDevice& facts,
                                                              DeviceTraits traits) {
  if (const auto entered = runtime->Enter(0); !entered) return entered.error();
  auto limits = LimitsOf(*runtime, facts, std::move(traits));
  if (!limits) return limits.error();
  const auto timer = Timer::Create(*runtime);
  if (!timer) return timer.error();
  return std::unique_ptr<Session>(new StreamSession(std::move(runtime), *timer, *std::move(limits)));
}

probe::Result<BufferId> StreamSession::Allocate(const BufferRequest& request) {
  if (auto valid = buffers_.Check(runtime_->names().allocate, request.bytes); !valid) return valid.error();
  const auto address = Watched(runtime_->Allocate(request.bytes));
  if (!address) return address.error();
  return buffers_.Add(*address, request.bytes);
}

void StreamSession::Release(BufferId buffer) {
  if (const auto address = buffers_.Remove(buffer)) runtime_->Free(*address);
}

probe::Status StreamSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                    std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.AddressOf(runtime_->names().upload, buffer, offset_bytes, data.size());
  return to ? Watched(runtime_->Write(*to, data)) : to.error();
}

probe::Status StreamSession::Download(BufferId buffer, std::uint64_t offset_bytes,
                                      std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.AddressOf(runtime_->names().download, buffer, offset_bytes, data.size());
  return from ? Watched(runtime_->Read(*from, data)) : from.error();
}

probe::Result<KernelId> StreamSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  if (step.library.empty()) {
    const auto function = runtime_->Load(step);
    if (!function) return function.error();
    kernels_.push_back({.function = *function, .fills = variant.kernel == kernels::Kernel::kFill});
    if (function->max_threads == 0) kernels_.back().function.max_threads = limits_.shape.max_work_group_size;
  } else {
    const auto product = LoadProduct(step);
    if (!product) return product.error();
    kernels_.push_back(*product);
  }
  account_.Loaded(variant);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<Products> StreamSession::OpenLibrary(std::string_view name) {
  auto opened = runtime_->OpenProducts(name, buffers_.AllowedBytes() / 4);
  if (!opened) return opened;
  buffers_.Take(opened->workspace_bytes);
  if (!limits_.shared_with.empty() && !opened->unbounded.empty())
    return probe::Own(
        probe::OwnError::kLeftToOthers, std::string(name),
        "others use the device, and it takes as much of its memory as it likes: " + opened->unbounded);
  return opened;
}

probe::Result<StreamSession::Loaded> StreamSession::LoadProduct(const kernels::Step& step) {
  auto library = libraries_.find(step.library);
  if (library == libraries_.end())
    library = libraries_.emplace(step.library, OpenLibrary(step.library)).first;
  if (!library->second) return library->second.error();
  for (const ProductType& type : library->second->types) {
    if (type.entry != step.entry) continue;
    return Loaded{
        .function = {.entry = step.entry, .max_threads = 1}, .library = &*library->second, .type = &type};
  }
  return probe::Error{std::string(step.library), std::nullopt, "no such product", std::string(step.entry)};
}

probe::Result<Enqueue> StreamSession::Bind(const Launch& launch) {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  const Loaded& loaded = kernels_[index];
  const auto& local = launch.shape.local;
  const std::uint64_t threads = std::uint64_t{local[0]} * local[1] * local[2];
  if (threads > loaded.function.max_threads) {
    return probe::Error{fmt::format("launch {}", loaded.function.entry), std::nullopt, "block too large",
                        fmt::format("{} threads; the kernel takes at most {} on this device", threads,
                                    loaded.function.max_threads)};
  }
  std::vector<std::uint64_t> addresses;
  std::vector<Argument> values;
  for (const BoundBuffer& bound : launch.buffers) {
    const auto address = buffers_.AddressOf("launch", bound.buffer);
    if (!address) return address.error();
    addresses.push_back(*address);
    auto argument = bound.map.box_rows != 0 ? runtime_->MapMatrix(*address, bound.map) : Argument{{*address}};
    if (!argument) return argument.error();
    values.push_back(*argument);
  }
  if (loaded.library != nullptr) return BindProduct(loaded, launch, addresses);
  for (const std::uint32_t scalar : launch.shape.scalars) values.push_back({{scalar}});
  return Enqueue([runtime = runtime_.get(), function = loaded.function, shape = launch.shape,
                  arguments = std::make_shared<Arguments>(std::move(values))] {
    return runtime->StartLaunch(function, shape, arguments->pointers.data());
  });
}

probe::Result<Enqueue> StreamSession::BindProduct(const Loaded& loaded, const Launch& launch,
                                                  std::span<const std::uint64_t> addresses) {
  const auto& edges = launch.shape.scalars;
  constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
  if (addresses.size() != 3 || edges.size() != 3 || *std::max_element(edges.begin(), edges.end()) > kMost)
    return probe::Error{"launch", std::nullopt, "out of range", "a library's product takes three matrices"};
  return loaded.library->prepare({.type = *loaded.type,
                                  .m = static_cast<int>(edges[0]),
                                  .n = static_cast<int>(edges[1]),
                                  .k = static_cast<int>(edges[2]),
                                  .a = DevicePointer(addresses[0]),
                                  .b = DevicePointer(addresses[1]),
                                  .c = DevicePointer(addresses[2]),
                                  .rough = launch.rough});
}

probe::Result<Timing> StreamSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  const bool watches = std::exchange(watches_, false);
  if (!watches) seen_.reset();
  if (launches.empty() || repeats == 0) return Timing{};
  std::vector<Enqueue> bound;
  bool clocked = false;
  for (const Launch& launch : launches) {
    account_.Launched(launch.kernel);
    const auto index = static_cast<std::size_t>(launch.kernel);
    clocked = clocked || index >= kernels_.size() || !kernels_[index].fills;
    auto enqueue = Watched(Bind(launch));  // a library may work on the device already
    if (!enqueue) return enqueue.error();
    bound.push_back(*std::move(enqueue));
  }
  std::function<void()> look;
  if (watches) look = [this] { seen_ = runtime_->State(); };
  auto timing = Watched(timer_.Time(bound, repeats, clocked, look));
  if (timing) account_.Finished();
  return timing;
}

bool StreamSession::Watch() {
  watches_ = true;
  seen_.reset();
  return true;
}

}  // namespace backends::stream
