// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/core/sharing.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

// Compute capabilities from which kernels exist (Variant::requires_features), as 10 * major + minor.
constexpr std::array kCapabilities = {50, 70, 75, 80, 86, 89, 90, 100, 120};
// Dynamic shared memory that a kernel may ask for, in KiB.
constexpr std::array kSharedKib = {32, 48, 64, 96, 160, 192, 224};

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
      buffers_(limits_),
      modules_(api_) {}

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
  if (auto valid = buffers_.Check("cuMemAlloc", request.bytes); !valid) return valid.error();
  rt::CuPointer memory = 0;
  if (const auto code = api_.cuMemAlloc(&memory, request.bytes); code != kCuSuccess)
    return ErrorOf("cuMemAlloc", code);
  return buffers_.Add(memory, request.bytes);
}

void CudaSession::Release(BufferId buffer) {
  if (const auto memory = buffers_.Remove(buffer)) api_.cuMemFree(*memory);
}

probe::Status CudaSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.At("cuMemcpyHtoD", buffer, offset_bytes, data.size());
  if (!to) return to.error();
  auto code = api_.cuMemcpyHtoD(*to, data.data(), data.size());
  // Pageable memory may still be on its way from the driver's own when the call returns.
  if (code == kCuSuccess) code = api_.cuCtxSynchronize();
  if (code != kCuSuccess) return ErrorOf("cuMemcpyHtoD", code);
  return probe::Ok();
}

probe::Status CudaSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.At("cuMemcpyDtoH", buffer, offset_bytes, data.size());
  if (!from) return from.error();
  const auto code = api_.cuMemcpyDtoH(data.data(), *from, data.size());
  if (code != kCuSuccess) return ErrorOf("cuMemcpyDtoH", code);
  return probe::Ok();
}

probe::Result<KernelId> CudaSession::Load(const kernels::Variant&, const kernels::Step& step) {
  if (!step.library.empty()) return LoadLibrary(step.entry);
  const auto module = modules_.Get(step.source);
  if (!module) return module.error();
  LoadedKernel loaded;
  loaded.entry = step.entry;
  loaded.shared_bytes = step.shared_bytes;
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
    auto library =
        CublasLt::Open(api_, surroundings_.files, surroundings_.environment, buffers_.AllowedBytes() / 4);
    if (!library) return library.error();
    cublaslt_ = *std::move(library);
    buffers_.Take(cublaslt_->workspace_bytes());
  }
  kernels_.push_back({nullptr, entry, 1, 0});
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<Enqueue> CudaSession::Bind(const Launch& launch) {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  const LoadedKernel& kernel = kernels_[index];
  const auto arguments = ArgumentsOf(launch, buffers_, kernel.entry, kernel.max_threads);
  if (!arguments) return arguments.error();
  if (kernel.function == nullptr) return BindLibrary(launch, kernel.entry, (*arguments)->values);
  return Enqueue([this, kernel, shape = launch.shape, arguments = *arguments]() -> probe::Status {
    const auto& [x, y, z] = shape.groups;
    const auto& local = shape.local;
    const auto code = api_.cuLaunchKernel(kernel.function, x, y, z, local[0], local[1], local[2],
                                          kernel.shared_bytes, nullptr, arguments->pointers.data(), nullptr);
    if (code != kCuSuccess) return ErrorOf(fmt::format("cuLaunchKernel {}", kernel.entry), code);
    return probe::Ok();
  });
}

probe::Result<Enqueue> CudaSession::BindLibrary(const Launch& launch, std::string_view entry,
                                                std::span<const std::uint64_t> values) {
  if (!cublaslt_ || launch.buffers.size() != 3 || launch.shape.scalars.size() != 3) {
    return probe::Error{"launch", std::nullopt, "no library", "a product of cuBLASLt takes three matrices"};
  }
  const auto& s = launch.shape.scalars;
  return cublaslt_->Prepare(entry, {s[0], s[1], s[2], values[0], values[1], values[2]});
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
  std::vector<Enqueue> bound;
  for (const Launch& launch : launches) {
    auto enqueue = Bind(launch);
    if (!enqueue) return enqueue.error();
    bound.push_back(*std::move(enqueue));
  }
  return TimeOnStream(bound, repeats,
                      {[this] { return api_.cuEventRecord(first_, nullptr) == kCuSuccess; },
                       [this] { return api_.cuEventRecord(last_, nullptr) == kCuSuccess; },
                       [this]() -> probe::Status {
                         const auto code = api_.cuCtxSynchronize();
                         if (code != kCuSuccess) return ErrorOf("cuCtxSynchronize", code);
                         return probe::Ok();
                       },
                       [this] { return DeviceSeconds(); }});
}

}  // namespace backends::cuda
