// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "backends/core/sharing.h"
#include "probe/system/clock.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

// Compute capabilities from which kernels exist (Variant::requires_features), as 10 * major + minor.
constexpr std::array kCapabilities = {50, 70, 75, 80, 86, 89, 90, 100, 120};
// Dynamic shared memory that a kernel may ask for, in KiB.
constexpr std::array kSharedKib = {32, 48, 64, 96, 160, 192, 224};
constexpr std::string_view kSharedOption = "shared=";

std::vector<std::string> FeaturesOf(const rt::Api& api, rt::CuDevice device) {
  const int capability = 10 * rt::Attribute(api, device, rt::kCuCapabilityMajor).value_or(0) +
                         rt::Attribute(api, device, rt::kCuCapabilityMinor).value_or(0);
  const int shared = std::max(rt::Attribute(api, device, rt::kCuSharedMemoryPerBlockOptin).value_or(0),
                              rt::Attribute(api, device, rt::kCuSharedMemoryPerBlock).value_or(0));
  std::vector<std::string> features;
  for (const int known : kCapabilities) {
    if (capability >= known) features.push_back(fmt::format("sm_{}", known));
  }
  // Its matrix instructions are of this chip alone: neither older nor newer ones have them.
  if (capability == 90) features.emplace_back("sm_90a");
  // Newer ones have larger.
  if (capability == 70 || capability == 72) features.emplace_back("volta_mma");
  if (capability == 75) features.emplace_back("turing_mma");
  // Chips between take fp8 apart into fp16 (kernels/cuda/modules.txt).
  if (capability == 89 || capability >= 120) features.emplace_back("fp8_mma");
  // Of this family alone: others scale blocks by instructions of another kind.
  if (capability / 10 == 12) features.emplace_back("scaled_mma");
  for (const int kib : kSharedKib) {
    if (shared >= kib * 1024) features.push_back(fmt::format("shared:{}", kib));
  }
  return features;
}

probe::Result<Limits> LimitsOf(const rt::Api& api, rt::CuDevice device, const probe::RuntimeDevice& facts) {
  Limits limits;
  std::size_t free = 0;
  std::size_t total = 0;
  if (const auto code = api.cuMemGetInfo(&free, &total); code != kCuSuccess)
    return ErrorOf("cuMemGetInfo", code);
  limits.max_buffer_bytes = total;
  limits.memory_free_bytes = free;
  if (const auto l2 = rt::Attribute(api, device, rt::kCuL2Bytes); l2 && *l2 > 0) {
    limits.cache_bytes = static_cast<std::uint64_t>(*l2);
  }
  limits.shape.compute_units = facts.compute_units.value_or(1);
  limits.shape.max_work_group_size =
      static_cast<std::uint32_t>(rt::Attribute(api, device, rt::kCuMaxThreadsPerBlock).value_or(0));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(32);
  limits.features = FeaturesOf(api, device);
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{"cuDeviceGetAttribute", std::nullopt, "no limits",
                        "the driver claims no memory or blocks of no thread: this is no working device"};
  }
  return limits;
}

// The bytes in "shared=<bytes>"; 0 without.
std::uint32_t SharedBytes(std::string_view options) {
  std::uint32_t bytes = 0;
  if (options.starts_with(kSharedOption)) {
    const auto text = options.substr(kSharedOption.size());
    std::from_chars(text.data(), text.data() + text.size(), bytes);
  }
  return bytes;
}

}  // namespace

probe::Result<std::unique_ptr<Session>> CudaSession::Create(const rt::Api& api, rt::CuDevice device,
                                                            const probe::RuntimeDevice& facts,
                                                            CudaSurroundings surroundings) {
  rt::CuContext context = nullptr;
  if (const auto code = api.cuDevicePrimaryCtxRetain(&context, device); code != kCuSuccess) {
    return ErrorOf("cuDevicePrimaryCtxRetain", code);
  }
  if (const auto code = api.cuCtxSetCurrent(context); code != kCuSuccess)
    return ErrorOf("cuCtxSetCurrent", code);
  auto limits = LimitsOf(api, device, facts);
  if (!limits) return limits.error();
  if (auto others = rt::DescribeLoad(surroundings.load); !others.empty()) {
    const bool busy = !rt::DescribeLoad({surroundings.load.utilization_percent, std::nullopt}).empty();
    ShareWith(std::move(others), busy, *limits);
  }
  std::array<rt::CuEvent, 2> events{};
  for (rt::CuEvent& event : events) {
    if (const auto code = api.cuEventCreate(&event, 0); code != kCuSuccess)
      return ErrorOf("cuEventCreate", code);
  }
  return std::unique_ptr<Session>(
      new CudaSession(api, events[0], events[1], *std::move(limits), std::move(surroundings)));
}

CudaSession::CudaSession(const rt::Api& api, rt::CuEvent first, rt::CuEvent last, Limits limits,
                         CudaSurroundings surroundings)
    : api_(api),
      first_(first),
      last_(last),
      limits_(std::move(limits)),
      surroundings_(std::move(surroundings)),
      modules_(api_) {}

std::uint64_t CudaSession::AllowedBytes() const {
  if (limits_.shared_with.empty()) return UINT64_MAX;
  const std::uint64_t most = limits_.memory_free_bytes.value_or(0);
  return most - std::min(most, allocated_bytes_);
}

probe::Result<HostBuffer> CudaSession::AllocateHost(std::uint64_t bytes) {
  if (api_.cuMemHostAlloc == nullptr || api_.cuMemFreeHost == nullptr) return Session::AllocateHost(bytes);
  void* memory = nullptr;
  if (const auto code = api_.cuMemHostAlloc(&memory, bytes, 0); code != kCuSuccess)
    return ErrorOf("cuMemHostAlloc", code);
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [free = api_.cuMemFreeHost](void* pinned) { free(pinned); }}};
}

DeviceState CudaSession::State() const {
  if (!surroundings_.monitor) return {};
  auto clocks = surroundings_.monitor->clocks();
  return {std::move(clocks.throttled_by), clocks.share};
}

probe::Result<BufferId> CudaSession::Allocate(const BufferRequest& request) {
  if (request.bytes == 0 || request.bytes > limits_.max_buffer_bytes) {
    return probe::Error{"cuMemAlloc", std::nullopt, "too large",
                        fmt::format("{} bytes; this device takes buffers of 1 to {}", request.bytes,
                                    limits_.max_buffer_bytes)};
  }
  if (request.bytes > AllowedBytes()) {
    return probe::Error{"cuMemAlloc", std::nullopt, "too much beside others",
                        "the device is shared: " + limits_.shared_with};
  }
  rt::CuPointer memory = 0;
  if (const auto code = api_.cuMemAlloc(&memory, request.bytes); code != kCuSuccess)
    return ErrorOf("cuMemAlloc", code);
  buffers_.push_back({memory, request.bytes});
  allocated_bytes_ += request.bytes;
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

const CudaSession::Buffer* CudaSession::Find(BufferId buffer) const {
  const auto index = static_cast<std::size_t>(buffer);
  return index < buffers_.size() && buffers_[index].bytes != 0 ? &buffers_[index] : nullptr;
}

void CudaSession::Release(BufferId buffer) {
  if (Find(buffer) == nullptr) return;
  Buffer& known = buffers_[static_cast<std::size_t>(buffer)];
  api_.cuMemFree(known.memory);
  allocated_bytes_ -= known.bytes;
  known = {};
}

probe::Status CudaSession::CheckTransfer(const char* call, BufferId buffer, std::uint64_t offset_bytes,
                                         std::size_t size) const {
  const Buffer* known = Find(buffer);
  if (known != nullptr && offset_bytes <= known->bytes && size <= known->bytes - offset_bytes)
    return probe::Ok();
  return probe::Error{call, std::nullopt, "out of range",
                      known == nullptr ? "no such buffer" : "beyond the buffer"};
}

probe::Status CudaSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  if (auto valid = CheckTransfer("cuMemcpyHtoD", buffer, offset_bytes, data.size()); !valid) return valid;
  auto code = api_.cuMemcpyHtoD(Find(buffer)->memory + offset_bytes, data.data(), data.size());
  // Pageable memory may still be on its way from the driver's own when the call returns.
  if (code == kCuSuccess) code = api_.cuCtxSynchronize();
  if (code != kCuSuccess) return ErrorOf("cuMemcpyHtoD", code);
  return probe::Ok();
}

probe::Status CudaSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  if (auto valid = CheckTransfer("cuMemcpyDtoH", buffer, offset_bytes, data.size()); !valid) return valid;
  const auto code = api_.cuMemcpyDtoH(data.data(), Find(buffer)->memory + offset_bytes, data.size());
  if (code != kCuSuccess) return ErrorOf("cuMemcpyDtoH", code);
  return probe::Ok();
}

probe::Result<KernelId> CudaSession::Load(const kernels::Variant&, const kernels::Step& step) {
  if (CublasLt::IsEntry(step.entry)) return LoadLibrary(step.entry);
  const auto module = modules_.Get(step.source);
  if (!module) return module.error();
  LoadedKernel loaded;
  loaded.entry = step.entry;
  loaded.shared_bytes = SharedBytes(step.options);
  const std::string entry(step.entry);
  if (const auto code = api_.cuModuleGetFunction(&loaded.function, *module, entry.c_str());
      code != kCuSuccess) {
    return ErrorOf("cuModuleGetFunction " + entry, code);
  }
  int threads = 0;
  const auto code = api_.cuFuncGetAttribute(&threads, rt::kCuFunctionMaxThreads, loaded.function);
  loaded.max_threads = code == kCuSuccess && threads > 0 ? static_cast<std::uint32_t>(threads)
                                                         : limits_.shape.max_work_group_size;
  if (loaded.shared_bytes > 0 && api_.cuFuncSetAttribute != nullptr) {
    const auto set = api_.cuFuncSetAttribute(loaded.function, rt::kCuFunctionMaxDynamicSharedBytes,
                                             static_cast<int>(loaded.shared_bytes));
    if (set != kCuSuccess) return ErrorOf("cuFuncSetAttribute " + entry, set);
  }
  kernels_.push_back(loaded);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<KernelId> CudaSession::LoadLibrary(std::string_view entry) {
  if (!cublaslt_) {
    auto library = CublasLt::Open(api_, surroundings_.files, surroundings_.environment, AllowedBytes() / 4);
    if (!library) return library.error();
    cublaslt_ = *std::move(library);
    allocated_bytes_ += cublaslt_->workspace_bytes();
  }
  kernels_.push_back({nullptr, entry, 1, 0});
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<CudaSession::Bound> CudaSession::Bind(const Launch& launch) {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  Bound bound{&kernels_[index], launch.shape, {}, {}, {}};
  const auto& local = launch.shape.local;
  const std::uint64_t threads = std::uint64_t{local[0]} * local[1] * local[2];
  if (threads > bound.kernel->max_threads) {
    return probe::Error{fmt::format("launch {}", bound.kernel->entry), std::nullopt, "block too large",
                        fmt::format("{} threads; the kernel takes at most {} on this device", threads,
                                    bound.kernel->max_threads)};
  }
  for (const BoundBuffer& argument : launch.buffers) {
    const Buffer* buffer = Find(argument.buffer);
    if (buffer == nullptr) return probe::Error{"launch", std::nullopt, "out of range", "no such buffer"};
    bound.values.push_back(buffer->memory);
  }
  // The driver reads as many bytes of each as the kernel declares; little endian on every host that it runs
  // on.
  for (const std::uint32_t scalar : launch.shape.scalars) bound.values.push_back(scalar);
  if (!CublasLt::IsEntry(bound.kernel->entry)) return bound;
  if (!cublaslt_ || launch.buffers.size() != 3 || launch.shape.scalars.size() != 3) {
    return probe::Error{"launch", std::nullopt, "no library", "a product of cuBLASLt takes three matrices"};
  }
  const auto& s = launch.shape.scalars;
  auto prepared = cublaslt_->Prepare(bound.kernel->entry,
                                     {s[0], s[1], s[2], bound.values[0], bound.values[1], bound.values[2]});
  if (!prepared) return prepared.error();
  bound.library = *std::move(prepared);
  return bound;
}

probe::Status CudaSession::Enqueue(Bound& bound) const {
  if (bound.library) return bound.library();
  const auto& [x, y, z] = bound.shape.groups;
  const auto& local = bound.shape.local;
  const auto code = api_.cuLaunchKernel(bound.kernel->function, x, y, z, local[0], local[1], local[2],
                                        bound.kernel->shared_bytes, nullptr, bound.pointers.data(), nullptr);
  if (code != kCuSuccess) return ErrorOf(fmt::format("cuLaunchKernel {}", bound.kernel->entry), code);
  return probe::Ok();
}

std::optional<double> CudaSession::DeviceSeconds() const {
  float milliseconds = 0;
  if (api_.cuEventElapsedTime(&milliseconds, first_, last_) != kCuSuccess || !(milliseconds > 0)) {
    return std::nullopt;
  }
  return static_cast<double>(milliseconds) * 1e-3;
}

probe::Result<Timing> CudaSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) return Timing{};
  std::vector<Bound> bounds;
  for (const Launch& launch : launches) {
    auto bound = Bind(launch);
    if (!bound) return bound.error();
    bounds.push_back(*std::move(bound));
  }
  for (Bound& bound : bounds) {
    for (std::uint64_t& value : bound.values) bound.pointers.push_back(&value);
  }
  const auto start = probe::system::Now();
  bool events = api_.cuEventRecord(first_, nullptr) == kCuSuccess;
  probe::Status status = probe::Ok();
  for (std::uint32_t repeat = 0; repeat < repeats && status; ++repeat) {
    for (Bound& bound : bounds) {
      if (status = Enqueue(bound); !status) break;
    }
  }
  events = api_.cuEventRecord(last_, nullptr) == kCuSuccess && events;
  // Also after an error: nothing may still run when the caller goes on.
  const auto code = api_.cuCtxSynchronize();
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (!status) return status.error();
  if (code != kCuSuccess) return ErrorOf("cuCtxSynchronize", code);
  if (events) timing.device_s = DeviceSeconds();
  return timing;
}

}  // namespace backends::cuda
