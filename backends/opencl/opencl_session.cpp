// SPDX-License-Identifier: MIT
#include "backends/opencl/opencl_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/core/device_facts.h"
#include "backends/core/host.h"
#include "kernels/cpu/prefetch.h"
#include "probe/system/clock.h"

namespace backends::opencl {
namespace {

using probe::opencl::DeviceValue;
using probe::opencl::ErrorOf;

// Of enqueued launches, so that a queue that only collects starts working early.
constexpr std::uint32_t kFlushEvery = 64;

// What kernels may ask for (Variant::requires_features), from what the device says of itself.
std::vector<std::string> FeaturesOf(const probe::opencl::Api& api, cl_device_id device,
                                    const probe::RuntimeDevice& facts) {
  auto features = backends::FeaturesOf(facts);
  const auto type = DeviceValue<cl_device_type>(api, device, CL_DEVICE_TYPE).value_or(0);
  const bool on_processor = facts.kind == probe::DeviceKind::kSoftware || (type & CL_DEVICE_TYPE_CPU) != 0;
  features.emplace_back(on_processor ? "cpu" : "gpu");
  if (on_processor && kernels::cpu::GainsFromPrefetch()) features.emplace_back("prefetch");
  AddLanes(DeviceValue<cl_uint>(api, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).value_or(1), features);
  return features;
}

Limits LimitsOf(const probe::opencl::Api& api, cl_device_id device, const probe::RuntimeDevice& facts) {
  Limits limits;
  const std::uint64_t total = facts.memory_total_bytes.value_or(0);
  limits.max_buffer_bytes = std::min<std::uint64_t>(
      DeviceValue<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(0), total);
  // Most drivers tell no free memory; then all of it bounds what is planned.
  limits.memory_free_bytes = facts.memory_free_bytes.value_or(total);
  limits.cache_bytes = DeviceValue<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  if (limits.cache_bytes == 0) limits.cache_bytes.reset();
  limits.shape.compute_units = facts.compute_units.value_or(1);
  if (facts.driver == kPocl) limits.threads = limits.shape.compute_units;
  const auto group = DeviceValue<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(0);
  limits.shape.max_work_group_size = static_cast<std::uint32_t>(std::min<std::size_t>(group, 1U << 20U));
  limits.shape.subgroup_width = facts.subgroup_width.value_or(1);
  limits.features = FeaturesOf(api, device, facts);
  return limits;
}

std::size_t Product(const std::array<std::uint32_t, 3>& sizes) {
  return std::size_t{sizes[0]} * sizes[1] * sizes[2];
}

}  // namespace

probe::Result<std::unique_ptr<Session>> OpenClSession::Create(const probe::opencl::Api& api,
                                                              cl_platform_id platform, cl_device_id device,
                                                              const probe::RuntimeDevice& facts,
                                                              const OpenRequest& request) {
  Limits limits = LimitsOf(api, device, facts);
  limits.quota_cores = BindingQuota(request, limits.threads);
  if (limits.max_buffer_bytes == 0 || limits.shape.max_work_group_size == 0) {
    return probe::Error{
        "clGetDeviceInfo", std::nullopt, "no limits",
        "the driver claims no memory or work-groups of no work-item: this is no working device"};
  }
  if (auto others = LoadOfOthers(request.device); !others.empty())
    ShareWith(std::move(others), OthersWork::kSeen, limits);
  const std::array<cl_context_properties, 3> properties = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int code = CL_SUCCESS;
  const cl_context context = api.clCreateContext(properties.data(), 1, &device, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) return ErrorOf("clCreateContext", code);
  bool profiling = true;
  cl_command_queue queue = api.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  if (code == CL_INVALID_VALUE || code == CL_INVALID_QUEUE_PROPERTIES) {
    profiling = false;
    queue = api.clCreateCommandQueue(context, device, 0, &code);
  }
  if (code != CL_SUCCESS) return ErrorOf("clCreateCommandQueue", code);
  return std::unique_ptr<Session>(
      new OpenClSession(api, context, device, queue, profiling, std::move(limits), request));
}

OpenClSession::OpenClSession(const probe::opencl::Api& api, cl_context context, cl_device_id device,
                             cl_command_queue queue, bool profiling, Limits limits,
                             const OpenRequest& request)
    : api_(api),
      context_(context),
      device_(device),
      queue_(queue),
      profiling_(profiling),
      record_(request.device),
      files_(request.files),
      limits_(std::move(limits)),
      programs_(api_, context_, device_) {
  HoldWord();
}

probe::Result<BufferId> OpenClSession::Allocate(const BufferRequest& request) {
  if (auto allowed = buffers_.Check("clCreateBuffer", request.bytes); !allowed) return allowed.error();
  const auto& features = limits_.features;
  const bool on_host = std::find(features.begin(), features.end(), "cpu") != features.end();
  const auto buffer = CreateBuffer(api_, context_, request.bytes, on_host);
  if (!buffer) return Failed(buffer.error());
  return buffers_.Add(*buffer, request.bytes);
}

probe::Result<HostBuffer> OpenClSession::AllocateHost(std::uint64_t bytes) {
  if (api_.clEnqueueMapBuffer == nullptr || api_.clEnqueueUnmapMemObject == nullptr)
    return Session::AllocateHost(bytes);
  cl_int code = CL_SUCCESS;
  const cl_mem memory =
      api_.clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &code);
  if (code != CL_SUCCESS) return ErrorOf("clCreateBuffer", code);
  void* const address = api_.clEnqueueMapBuffer(queue_, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
                                                0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS || address == nullptr) {
    api_.clReleaseMemObject(memory);
    return ErrorOf("clEnqueueMapBuffer", code);
  }
  return HostBuffer{{static_cast<std::byte*>(address), bytes},
                    {address, [this, memory](void* mapped) {
                       api_.clEnqueueUnmapMemObject(queue_, memory, mapped, 0, nullptr, nullptr);
                       api_.clReleaseMemObject(memory);
                     }}};
}

void OpenClSession::Release(BufferId buffer) {
  if (auto removed = buffers_.Remove(buffer)) Destroy(api_, *removed);
}

probe::Status OpenClSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                    std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.Locate("clEnqueueWriteBuffer", buffer, offset_bytes, data.size());
  if (!to) return to.error();
  const cl_int code = api_.clEnqueueWriteBuffer(queue_, (*to)->memory, CL_TRUE, offset_bytes, data.size(),
                                                data.data(), 0, nullptr, nullptr);
  if (code != CL_SUCCESS) return Failed(ErrorOf("clEnqueueWriteBuffer", code));
  return probe::Ok();
}

probe::Status OpenClSession::Download(BufferId buffer, std::uint64_t offset_bytes,
                                      std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.Locate("clEnqueueReadBuffer", buffer, offset_bytes, data.size());
  if (!from) return from.error();
  const cl_int code = api_.clEnqueueReadBuffer(queue_, (*from)->memory, CL_TRUE, offset_bytes, data.size(),
                                               data.data(), 0, nullptr, nullptr);
  if (code != CL_SUCCESS) return Failed(ErrorOf("clEnqueueReadBuffer", code));
  return probe::Ok();
}

probe::Result<KernelId> OpenClSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  const auto program = programs_.Get(step.source, step.options);
  if (!program) return program.error();
  cl_int code = CL_SUCCESS;
  const std::string entry(step.entry);
  const cl_kernel kernel = api_.clCreateKernel(*program, entry.c_str(), &code);
  if (code != CL_SUCCESS) return ErrorOf("clCreateKernel " + entry, code);
  std::size_t group = 0;
  code = api_.clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group,
                                       nullptr);
  if (code != CL_SUCCESS) group = limits_.shape.max_work_group_size;
  kernels_.push_back({kernel, step.entry, group});
  account_.Loaded(variant);
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

probe::Status OpenClSession::Bind(const Launch& launch) {
  const auto index = static_cast<std::size_t>(launch.kernel);
  if (index >= kernels_.size()) return probe::Error{"launch", std::nullopt, "out of range", "no such kernel"};
  const LoadedKernel& loaded = kernels_[index];
  cl_uint argument = 0;
  const auto set = [&](std::size_t size, const void* value) -> probe::Status {
    const cl_int code = api_.clSetKernelArg(loaded.kernel, argument++, size, value);
    if (code != CL_SUCCESS)
      return ErrorOf(fmt::format("clSetKernelArg {} {}", loaded.entry, argument - 1), code);
    return probe::Ok();
  };
  for (const BoundBuffer& bound : launch.buffers) {
    const auto buffer = buffers_.Locate("launch", bound.buffer);
    if (!buffer) return buffer.error();
    if (auto done = set(sizeof(cl_mem), static_cast<const void*>(&(*buffer)->memory)); !done) return done;
  }
  for (const std::uint32_t scalar : launch.shape.scalars) {
    if (auto done = set(sizeof(scalar), &scalar); !done) return done;
  }
  return probe::Ok();
}

probe::Status OpenClSession::Enqueue(const Launch& launch, cl_event* event) {
  const LoadedKernel& loaded = kernels_[static_cast<std::size_t>(launch.kernel)];
  const auto& shape = launch.shape;
  if (Product(shape.local) > loaded.max_work_group_size) {
    return probe::Error{fmt::format("launch {}", loaded.entry), std::nullopt, "work-group too large",
                        fmt::format("{} work-items; the kernel takes at most {} on this device",
                                    Product(shape.local), loaded.max_work_group_size)};
  }
  std::array<std::size_t, 3> global{};
  std::array<std::size_t, 3> local{};
  for (std::size_t i = 0; i < 3; ++i) {
    local[i] = shape.local[i];
    global[i] = local[i] * shape.groups[i];
  }
  const cl_int code = api_.clEnqueueNDRangeKernel(queue_, loaded.kernel, 3, nullptr, global.data(),
                                                  local.data(), 0, nullptr, event);
  if (code != CL_SUCCESS) return ErrorOf(fmt::format("clEnqueueNDRangeKernel {}", loaded.entry), code);
  return probe::Ok();
}

probe::Status OpenClSession::EnqueueAll(std::span<const Launch> launches, std::uint32_t repeats,
                                        cl_event* first, cl_event* last) {
  const std::uint64_t total = std::uint64_t{launches.size()} * repeats;
  for (std::uint64_t i = 0; i < total; ++i) {
    const Launch& launch = launches[i % launches.size()];
    if (auto bound = Bind(launch); !bound) return bound;
    cl_event* event = i == 0 ? first : i + 1 == total ? last : nullptr;
    if (auto queued = Enqueue(launch, event); !queued) return queued;
    if (i % kFlushEvery == kFlushEvery - 1) api_.clFlush(queue_);
  }
  return probe::Ok();
}

// A launch that failed on the device says so only in its event.
probe::Status OpenClSession::Outcome(cl_event event) const {
  cl_int status = CL_COMPLETE;
  const cl_int code =
      api_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
  if (code != CL_SUCCESS) return ErrorOf("clGetEventInfo", code);
  if (status < 0) return ErrorOf("kernel", status);
  return probe::Ok();
}

std::optional<double> OpenClSession::DeviceSeconds(cl_event first, cl_event last) const {
  cl_ulong start = 0;
  cl_ulong end = 0;
  if (!profiling_ ||
      api_.clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof(start), &start, nullptr) !=
          CL_SUCCESS ||
      api_.clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr) !=
          CL_SUCCESS) {
    return std::nullopt;
  }
  return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

probe::Result<Timing> OpenClSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (launches.empty() || repeats == 0) return Timing{};
  cl_event first = nullptr;
  cl_event last = nullptr;
  account_.Launched(launches.back().kernel);
  const auto start = probe::system::Now();
  auto status = EnqueueAll(launches, repeats, &first, &last);
  // Also after an error: nothing may still run when the caller goes on.
  const cl_int code = api_.clFinish(queue_);
  Timing timing;
  timing.wall_s = probe::system::SecondsSince(start);
  if (status && code != CL_SUCCESS) status = ErrorOf("clFinish", code);
  for (const cl_event event : {first, last}) {
    if (status && event != nullptr) status = Outcome(event);
  }
  if (status) timing.device_s = DeviceSeconds(first, last != nullptr ? last : first);
  for (const cl_event event : {first, last}) {
    if (event != nullptr) api_.clReleaseEvent(event);
  }
  if (!status) return Failed(status.error());
  account_.Finished();
  return timing;
}

}  // namespace backends::opencl
