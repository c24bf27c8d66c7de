// SPDX-License-Identifier: MIT
#include "backends/hip/hip_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "backends/core/card_state.h"
#include "backends/core/device_pointer.h"
#include "backends/core/sharing.h"
#include "kernels/hip/variants.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;

probe::Result<Limits> LimitsOf(const rt::Api& api, int device, const probe::RuntimeDevice& facts) {
  Limits limits;
  std::size_t free = 0;
  std::size_t total = 0;
  if (const auto code = api.hipMemGetInfo(&free, &total); code != kHipSuccess)
    return ErrorOf("hipMemGetInfo", code);
  limits.max_buffer_bytes = total;
  limits.memory_free_bytes = free;
  if (const auto l2 = rt::Attribute(api, device, rt::kHipL2Bytes); l2 && *l2 > 0) {
    limits.cache_bytes = static_cast<std::uint64_t>(*l2);
  }
  limits.shape.compute_units = facts.compute_units.value_or(1);
  limits.shape.max_work_group_size =
      static_cast<std::uint32_t>(rt::Attribute(api, device, rt::kHipMaxThreadsPerBlock).value_or(0));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(64);
  limits.features = kernels::hip::FeaturesOf(facts.architecture.value_or(""));
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{"hipDeviceGetAttribute", std::nullopt, "no limits",
                        "the driver claims no memory or blocks of no thread: this is no working device"};
  }
  return limits;
}

}  // namespace

probe::Result<std::unique_ptr<Session>> HipSession::Create(const rt::Api& api,
                                                           probe::Result<rt::Compiler> compiler, int device,
                                                           HipSurroundings surroundings) {
  if (const auto code = api.hipSetDevice(device); code != kHipSuccess) return ErrorOf("hipSetDevice", code);
  auto limits = LimitsOf(api, device, surroundings.facts);
  if (!limits) return limits.error();
  if (!surroundings.others.empty()) ShareWith(surroundings.others, true, *limits);
  std::unique_ptr<HipSession> session(
      new HipSession(api, std::move(compiler), *std::move(limits), std::move(surroundings)));
  for (rt::HipEvent* event : {&session->first_, &session->last_}) {
    if (const auto code = api.hipEventCreateWithFlags(event, rt::kHipEventDefault); code != kHipSuccess)
      return ErrorOf("hipEventCreateWithFlags", code);
  }
  return std::unique_ptr<Session>(std::move(session));
}

HipSession::HipSession(const rt::Api& api, probe::Result<rt::Compiler> compiler, Limits limits,
                       HipSurroundings surroundings)
    : api_(api),
      limits_(std::move(limits)),
      surroundings_(std::move(surroundings)),
      buffers_(limits_),
      modules_(api_, std::move(compiler), surroundings_.target) {}

probe::Result<HostBuffer> HipSession::AllocateHost(std::uint64_t bytes) {
  if (api_.hipHostMalloc == nullptr || api_.hipHostFree == nullptr) return Session::AllocateHost(bytes);
  void* memory = nullptr;
  if (const auto code = api_.hipHostMalloc(&memory, bytes, rt::kHipHostMallocDefault); code != kHipSuccess)
    return ErrorOf("hipHostMalloc", code);
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [free = api_.hipHostFree](void* pinned) { (void)free(pinned); }}};
}

DeviceState HipSession::State() const { return StateOfCard(surroundings_.facts, surroundings_.files); }

probe::Result<BufferId> HipSession::Allocate(const BufferRequest& request) {
  if (auto valid = buffers_.Check("hipMalloc", request.bytes); !valid) return valid.error();
  void* memory = nullptr;
  if (const auto code = api_.hipMalloc(&memory, request.bytes); code != kHipSuccess)
    return ErrorOf("hipMalloc", code);
  return buffers_.Add(std::bit_cast<std::uintptr_t>(memory), request.bytes);
}

void HipSession::Release(BufferId buffer) {
  if (const auto memory = buffers_.Remove(buffer)) (void)api_.hipFree(DevicePointer(*memory));
}

probe::Status HipSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                 std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.At("hipMemcpy to the device", buffer, offset_bytes, data.size());
  if (!to) return to.error();
  auto code = api_.hipMemcpy(DevicePointer(*to), data.data(), data.size(), rt::kHipHostToDevice);
  // Pageable memory may still be on its way from the runtime's own when the call returns.
  if (code == kHipSuccess) code = api_.hipDeviceSynchronize();
  if (code != kHipSuccess) return ErrorOf("hipMemcpy to the device", code);
  return probe::Ok();
}

probe::Status HipSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.At("hipMemcpy to the host", buffer, offset_bytes, data.size());
  if (!from) return from.error();
  const auto code = api_.hipMemcpy(data.data(), DevicePointer(*from), data.size(), rt::kHipDeviceToHost);
  if (code != kHipSuccess) return ErrorOf("hipMemcpy to the host", code);
  return probe::Ok();
}

probe::Result<KernelId> HipSession::Load(const kernels::Variant&, const kernels::Step& step) {
  if (const Vendor* vendor = VendorOf(step)) return LoadProduct(*vendor, step.entry);
  const auto module = modules_.Get(step.source);
  if (!module) return module.error();
  LoadedKernel loaded;
  loaded.entry = step.entry;
  const std::string entry(step.entry);
  if (const auto code = api_.hipModuleGetFunction(&loaded.function, *module, entry.c_str());
      code != kHipSuccess) {
    return ErrorOf("hipModuleGetFunction " + entry, code);
  }
  int threads = 0;
  const auto code = api_.hipFuncGetAttribute(&threads, rt::kHipFunctionMaxThreads, loaded.function);
  loaded.max_threads = code == kHipSuccess && threads > 0 ? static_cast<std::uint32_t>(threads)
                                                          : limits_.shape.max_work_group_size;
  kernels_.push_back(loaded);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<KernelId> HipSession::LoadProduct(const Vendor& vendor, std::string_view entry) {
  if (!libraries_.contains(vendor.name)) {
    auto library = OpenVendor(vendor, surroundings_.facts.architecture.value_or(""), api_,
                              surroundings_.files, surroundings_.environment);
    if (!library) return library.error();
    libraries_.emplace(vendor.name, *std::move(library));
  }
  kernels_.push_back({nullptr, entry, 1, &vendor});
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<Enqueue> HipSession::BindProduct(const Launch& launch, const LoadedKernel& kernel,
                                               std::span<const std::uint64_t> values) const {
  const auto& s = launch.shape.scalars;
  constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
  if (launch.buffers.size() != 3 || s.size() != 3 || std::max({s[0], s[1], s[2]}) > kMost) {
    return probe::Error{"launch", std::nullopt, "out of range", "a library's product takes three matrices"};
  }
  const Vendor& vendor = *kernel.vendor;
  return libraries_.at(vendor.name)({*TypeOf(vendor, kernel.entry), static_cast<int>(s[0]),
                                     static_cast<int>(s[1]), static_cast<int>(s[2]), DevicePointer(values[0]),
                                     DevicePointer(values[1]), DevicePointer(values[2])});
}

probe::Result<Enqueue> HipSession::Bind(const Launch& launch) const {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  const LoadedKernel& kernel = kernels_[index];
  const auto arguments = ArgumentsOf(launch, buffers_, kernel.entry, kernel.max_threads);
  if (!arguments) return arguments.error();
  if (kernel.vendor != nullptr) return BindProduct(launch, kernel, (*arguments)->values);
  return Enqueue([this, kernel, shape = launch.shape, arguments = *arguments]() -> probe::Status {
    const auto& [x, y, z] = shape.groups;
    const auto& local = shape.local;
    const auto code = api_.hipModuleLaunchKernel(kernel.function, x, y, z, local[0], local[1], local[2], 0,
                                                 nullptr, arguments->pointers.data(), nullptr);
    if (code != kHipSuccess) return ErrorOf(fmt::format("hipModuleLaunchKernel {}", kernel.entry), code);
    return probe::Ok();
  });
}

std::optional<double> HipSession::DeviceSeconds() const {
  float milliseconds = 0;
  if (api_.hipEventElapsedTime(&milliseconds, first_, last_) != kHipSuccess || !(milliseconds > 0)) {
    return std::nullopt;
  }
  return static_cast<double>(milliseconds) * 1e-3;
}

probe::Result<Timing> HipSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) return Timing{};
  std::vector<Enqueue> bound;
  for (const Launch& launch : launches) {
    auto enqueue = Bind(launch);
    if (!enqueue) return enqueue.error();
    bound.push_back(*std::move(enqueue));
  }
  return TimeOnStream(bound, repeats,
                      {[this] { return api_.hipEventRecord(first_, nullptr) == kHipSuccess; },
                       [this] { return api_.hipEventRecord(last_, nullptr) == kHipSuccess; },
                       [this]() -> probe::Status {
                         const auto code = api_.hipDeviceSynchronize();
                         if (code != kHipSuccess) return ErrorOf("hipDeviceSynchronize", code);
                         return probe::Ok();
                       },
                       [this] { return DeviceSeconds(); }});
}

}  // namespace backends::hip
