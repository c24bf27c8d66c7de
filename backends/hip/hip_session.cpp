// SPDX-License-Identifier: MIT
#include "backends/hip/hip_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "backends/core/sharing.h"
#include "kernels/hip/variants.h"
#include "probe/system/amdgpu_metrics.h"
#include "probe/system/clock.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;

constexpr std::size_t kMaxMetricsBytes = 4096;  // one page, as the kernel writes it

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
      modules_(api_, std::move(compiler), surroundings_.target) {}

std::uint64_t HipSession::AllowedBytes() const {
  if (limits_.shared_with.empty()) return UINT64_MAX;
  const std::uint64_t most = limits_.memory_free_bytes.value_or(0);
  return most - std::min(most, allocated_bytes_);
}

probe::Result<HostBuffer> HipSession::AllocateHost(std::uint64_t bytes) {
  if (api_.hipHostMalloc == nullptr || api_.hipHostFree == nullptr) return Session::AllocateHost(bytes);
  void* memory = nullptr;
  if (const auto code = api_.hipHostMalloc(&memory, bytes, rt::kHipHostMallocDefault); code != kHipSuccess)
    return ErrorOf("hipHostMalloc", code);
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [free = api_.hipHostFree](void* pinned) { (void)free(pinned); }}};
}

DeviceState HipSession::State() const {
  const auto& pci = surroundings_.facts.identity.pci;
  if (!pci) return {};
  const auto metrics =
      surroundings_.files.Read("/sys/bus/pci/devices/" + ToString(*pci) + "/gpu_metrics", kMaxMetricsBytes);
  auto causes = metrics ? probe::system::ThrottleText(*metrics) : std::nullopt;
  return causes && *causes != "none" ? DeviceState{*std::move(causes), std::nullopt} : DeviceState{};
}

probe::Result<BufferId> HipSession::Allocate(const BufferRequest& request) {
  if (request.bytes == 0 || request.bytes > limits_.max_buffer_bytes) {
    return probe::Error{"hipMalloc", std::nullopt, "too large",
                        fmt::format("{} bytes; this device takes buffers of 1 to {}", request.bytes,
                                    limits_.max_buffer_bytes)};
  }
  if (request.bytes > AllowedBytes()) {
    return probe::Error{"hipMalloc", std::nullopt, "too much beside others",
                        "the device is shared: " + limits_.shared_with};
  }
  void* memory = nullptr;
  if (const auto code = api_.hipMalloc(&memory, request.bytes); code != kHipSuccess)
    return ErrorOf("hipMalloc", code);
  buffers_.push_back({static_cast<std::byte*>(memory), request.bytes});
  allocated_bytes_ += request.bytes;
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

const HipSession::Buffer* HipSession::Find(BufferId buffer) const {
  const auto index = static_cast<std::size_t>(buffer);
  return index < buffers_.size() && buffers_[index].bytes != 0 ? &buffers_[index] : nullptr;
}

void HipSession::Release(BufferId buffer) {
  if (Find(buffer) == nullptr) return;
  Buffer& known = buffers_[static_cast<std::size_t>(buffer)];
  (void)api_.hipFree(known.memory);
  allocated_bytes_ -= known.bytes;
  known = {};
}

probe::Status HipSession::CheckTransfer(const char* call, BufferId buffer, std::uint64_t offset_bytes,
                                        std::size_t size) const {
  const Buffer* known = Find(buffer);
  if (known != nullptr && offset_bytes <= known->bytes && size <= known->bytes - offset_bytes)
    return probe::Ok();
  return probe::Error{call, std::nullopt, "out of range",
                      known == nullptr ? "no such buffer" : "beyond the buffer"};
}

probe::Status HipSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                 std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  if (auto valid = CheckTransfer("hipMemcpy to the device", buffer, offset_bytes, data.size()); !valid)
    return valid;
  auto code =
      api_.hipMemcpy(Find(buffer)->memory + offset_bytes, data.data(), data.size(), rt::kHipHostToDevice);
  // Pageable memory may still be on its way from the runtime's own when the call returns.
  if (code == kHipSuccess) code = api_.hipDeviceSynchronize();
  if (code != kHipSuccess) return ErrorOf("hipMemcpy to the device", code);
  return probe::Ok();
}

probe::Status HipSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  if (auto valid = CheckTransfer("hipMemcpy to the host", buffer, offset_bytes, data.size()); !valid)
    return valid;
  const auto code =
      api_.hipMemcpy(data.data(), Find(buffer)->memory + offset_bytes, data.size(), rt::kHipDeviceToHost);
  if (code != kHipSuccess) return ErrorOf("hipMemcpy to the host", code);
  return probe::Ok();
}

probe::Result<KernelId> HipSession::Load(const kernels::Variant&, const kernels::Step& step) {
  if (const Vendor* vendor = VendorOf(step.entry)) return LoadProduct(*vendor, step.entry);
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
  kernels_.push_back({nullptr, entry, 1});
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Result<Enqueue> HipSession::BindProduct(const Launch& launch, const Bound& bound) const {
  const std::string_view entry = bound.kernel->entry;
  const auto& s = launch.shape.scalars;
  constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
  if (launch.buffers.size() != 3 || s.size() != 3 || std::max({s[0], s[1], s[2]}) > kMost) {
    return probe::Error{"launch", std::nullopt, "out of range", "a library's product takes three matrices"};
  }
  const Vendor& vendor = *VendorOf(entry);
  return libraries_.at(vendor.name)({*TypeOf(vendor, entry), static_cast<int>(s[0]), static_cast<int>(s[1]),
                                     static_cast<int>(s[2]), Find(launch.buffers[0].buffer)->memory,
                                     Find(launch.buffers[1].buffer)->memory,
                                     Find(launch.buffers[2].buffer)->memory});
}

probe::Result<HipSession::Bound> HipSession::Bind(const Launch& launch) const {
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
    bound.values.push_back(std::bit_cast<std::uintptr_t>(buffer->memory));
  }
  // The runtime reads as many bytes of each as the kernel declares; little endian on every host that it runs
  // on.
  for (const std::uint32_t scalar : launch.shape.scalars) bound.values.push_back(scalar);
  if (bound.kernel->function != nullptr) return bound;
  auto product = BindProduct(launch, bound);
  if (!product) return product.error();
  bound.library = *std::move(product);
  return bound;
}

probe::Status HipSession::Submit(Bound& bound) const {
  if (bound.library) return bound.library();
  const auto& [x, y, z] = bound.shape.groups;
  const auto& local = bound.shape.local;
  const auto code = api_.hipModuleLaunchKernel(bound.kernel->function, x, y, z, local[0], local[1], local[2],
                                               0, nullptr, bound.pointers.data(), nullptr);
  if (code != kHipSuccess) return ErrorOf(fmt::format("hipModuleLaunchKernel {}", bound.kernel->entry), code);
  return probe::Ok();
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
  bool events = api_.hipEventRecord(first_, nullptr) == kHipSuccess;
  probe::Status status = probe::Ok();
  for (std::uint32_t repeat = 0; repeat < repeats && status; ++repeat) {
    for (Bound& bound : bounds) {
      if (status = Submit(bound); !status) break;
    }
  }
  events = api_.hipEventRecord(last_, nullptr) == kHipSuccess && events;
  // Also after an error: nothing may still run when the caller goes on.
  const auto code = api_.hipDeviceSynchronize();
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (!status) return status.error();
  if (code != kHipSuccess) return ErrorOf("hipDeviceSynchronize", code);
  if (events) timing.device_s = DeviceSeconds();
  return timing;
}

}  // namespace backends::hip
