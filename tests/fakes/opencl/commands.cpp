// SPDX-License-Identifier: MIT
// Queues, commands and events. Everything is in order and has run when the enqueue returns; that it failed
// may be told later (FaultShows).
#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/fakes/common/launch.h"
#include "tests/fakes/opencl/objects.h"

namespace fakes::opencl {
namespace {

cl_command_queue CL_API_CALL CreateCommandQueue(cl_context context, cl_device_id device,
                                                cl_command_queue_properties properties, cl_int* error) {
  auto queue = std::make_unique<Queue>();
  queue->context = From<Context>(context);
  queue->device = From<Device>(device);
  queue->properties = properties;
  return Return(CL_SUCCESS, To<cl_command_queue>(queue.release()), error);
}

cl_command_queue CL_API_CALL CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                              const cl_queue_properties* list,
                                                              cl_int* error) {
  cl_command_queue_properties properties = 0;
  for (; list != nullptr && list[0] != 0; list += 2) {
    if (list[0] == CL_QUEUE_PROPERTIES) properties = list[1];
  }
  return CreateCommandQueue(context, device, properties, error);
}

cl_int CL_API_CALL GetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info parameter,
                                       std::size_t space, void* value, std::size_t* needed) {
  const Queue& queue = *From<Queue>(handle);
  const Answers answers = {
      {CL_QUEUE_CONTEXT, Bytes(To<cl_context>(queue.context))},
      {CL_QUEUE_DEVICE, Bytes(To<cl_device_id>(queue.device))},
      {CL_QUEUE_REFERENCE_COUNT, Bytes(queue.references)},
      {CL_QUEUE_PROPERTIES, Bytes(queue.properties)},
  };
  return Reply(answers, parameter, space, value, needed);
}

// What drivers say of a device that fell off the bus.
cl_int Alive(const Device& device) { return device.lost ? CL_OUT_OF_RESOURCES : CL_SUCCESS; }

// Runs one command and hands out its event.
cl_int Run(cl_command_queue handle, cl_command_type type, cl_event* event,
           const std::function<void()>& command) {
  Queue& queue = *From<Queue>(handle);
  if (const cl_int error = Alive(*queue.device); error != CL_SUCCESS) return error;
  const cl_ulong begin = EventTime(queue.device->facts, queue.device->start);
  command();
  if (event == nullptr) return CL_SUCCESS;
  auto done = std::make_unique<Event>();
  done->queue = &queue;
  done->command = type;
  if (queue.device->faulted && FaultShowsIn(*queue.device) == FaultShows::kInEvent)
    done->status = CL_OUT_OF_RESOURCES;
  done->begin_ns = begin;
  done->end_ns = EventTime(queue.device->facts, queue.device->start);
  *event = To<cl_event>(done.release());
  return CL_SUCCESS;
}

cl_int LookAtResults(cl_command_queue queue) {
  const Device& device = *From<Queue>(queue)->device;
  return device.launches == 0 ? CL_SUCCESS : At(Point::kReadBack, device.index);
}

cl_int CL_API_CALL EnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, std::size_t offset,
                                     std::size_t bytes, void* to, cl_uint, const cl_event*, cl_event* event) {
  if (const cl_int error = LookAtResults(queue); error != CL_SUCCESS) return error;
  if (const cl_int error = Touch(*From<Buffer>(buffer)); error != CL_SUCCESS) return error;
  const auto from = From<Buffer>(buffer)->bytes.subspan(offset, bytes);
  return Run(queue, CL_COMMAND_READ_BUFFER, event, [&] { std::memcpy(to, from.data(), bytes); });
}

cl_int CL_API_CALL EnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, std::size_t offset,
                                      std::size_t bytes, const void* from, cl_uint, const cl_event*,
                                      cl_event* event) {
  if (const cl_int error = Touch(*From<Buffer>(buffer)); error != CL_SUCCESS) return error;
  Device& device = *From<Queue>(queue)->device;
  const auto most = device.facts.attributes.find("lost_after_writes");
  device.lost = device.lost || (most != device.facts.attributes.end() && device.writes++ >= most->second);
  const auto to = From<Buffer>(buffer)->bytes.subspan(offset, bytes);
  return Run(queue, CL_COMMAND_WRITE_BUFFER, event, [&] { std::memcpy(to.data(), from, bytes); });
}

cl_int CL_API_CALL EnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                     std::size_t source_offset, std::size_t target_offset, std::size_t bytes,
                                     cl_uint, const cl_event*, cl_event* event) {
  const auto from = From<Buffer>(source)->bytes.subspan(source_offset, bytes);
  const auto to = From<Buffer>(target)->bytes.subspan(target_offset, bytes);
  return Run(queue, CL_COMMAND_COPY_BUFFER, event, [&] { std::memmove(to.data(), from.data(), bytes); });
}

cl_int CL_API_CALL EnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                     std::size_t pattern_bytes, std::size_t offset, std::size_t bytes,
                                     cl_uint, const cl_event*, cl_event* event) {
  const auto to = From<Buffer>(buffer)->bytes.subspan(offset, bytes);
  return Run(queue, CL_COMMAND_FILL_BUFFER, event, [&] {
    for (std::size_t at = 0; at + pattern_bytes <= bytes; at += pattern_bytes) {
      std::memcpy(to.data() + at, pattern, pattern_bytes);
    }
  });
}

void* CL_API_CALL EnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, cl_map_flags,
                                   std::size_t offset, std::size_t, cl_uint, const cl_event*, cl_event* event,
                                   cl_int* error) {
  cl_int code = LookAtResults(queue);
  if (code == CL_SUCCESS) code = Run(queue, CL_COMMAND_MAP_BUFFER, event, [] {});
  return Return<void*>(code, From<Buffer>(buffer)->bytes.data() + offset, error);
}

cl_int CL_API_CALL EnqueueUnmapMemObject(cl_command_queue queue, cl_mem, void*, cl_uint, const cl_event*,
                                         cl_event* event) {
  return Run(queue, CL_COMMAND_UNMAP_MEM_OBJECT, event, [] {});
}

cl_int CL_API_CALL EnqueueMigrateMemObjects(cl_command_queue queue, cl_uint, const cl_mem*,
                                            cl_mem_migration_flags, cl_uint, const cl_event*,
                                            cl_event* event) {
  return Run(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, event, [] {});
}

cl_int CL_API_CALL EnqueueWithoutWork(cl_command_queue queue, cl_uint, const cl_event*, cl_event* event) {
  return Run(queue, CL_COMMAND_MARKER, event, [] {});
}

std::vector<std::span<std::byte>> Outputs(const Kernel& kernel) {
  std::vector<std::span<std::byte>> outputs;
  for (const auto& [index, buffer] : kernel.buffers) {
    if ((buffer->flags & CL_MEM_READ_ONLY) == 0) outputs.push_back(buffer->bytes);
  }
  return outputs;
}

cl_int CL_API_CALL EnqueueNdRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint, const std::size_t*,
                                        const std::size_t*, const std::size_t*, cl_uint, const cl_event*,
                                        cl_event* event) {
  Device& device = *From<Queue>(queue)->device;
  if (const cl_int error = At(Point::kLaunch, device.index); error != CL_SUCCESS) return error;
  for (const auto& [index, buffer] : From<Kernel>(kernel)->buffers) {
    if (const cl_int error = Touch(*buffer); error != CL_SUCCESS) return error;
  }
  device.lost = device.lost || device.launches >= device.facts.lost_after_launches.value_or(UINT32_MAX);
  device.faulted = device.faulted || Faults(device.facts, From<Kernel>(kernel)->name);
  if (FaultShowsIn(device) == FaultShows::kAtEnqueue) device.lost = device.lost || device.faulted;
  ++device.launches;
  return Run(queue, CL_COMMAND_NDRANGE_KERNEL, event,
             [&] { Launch(device.facts, Outputs(*From<Kernel>(kernel))); });
}

cl_int CL_API_CALL FlushQueue(cl_command_queue queue) { return Alive(*From<Queue>(queue)->device); }

cl_int CL_API_CALL FinishQueue(cl_command_queue queue) {
  Device& device = *From<Queue>(queue)->device;
  const cl_int before = Alive(device);
  device.lost = device.lost || device.faulted;
  return FaultShowsIn(device) == FaultShows::kInEvent ? before : Alive(device);
}

cl_int CL_API_CALL WaitForEvents(cl_uint count, const cl_event* events) {
  for (const cl_event event : std::span(events, count)) {
    const Queue* queue = From<Event>(event)->queue;
    if (queue != nullptr && queue->device->lost) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetEventInfo(cl_event handle, cl_event_info parameter, std::size_t space, void* value,
                                std::size_t* needed) {
  const Event& event = *From<Event>(handle);
  const Answers answers = {
      {CL_EVENT_COMMAND_QUEUE, Bytes(To<cl_command_queue>(event.queue))},
      {CL_EVENT_COMMAND_TYPE, Bytes(event.command)},
      {CL_EVENT_COMMAND_EXECUTION_STATUS, Bytes(event.status)},
      {CL_EVENT_REFERENCE_COUNT, Bytes(event.references)},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_int CL_API_CALL GetEventProfilingInfo(cl_event handle, cl_profiling_info parameter, std::size_t space,
                                         void* value, std::size_t* needed) {
  const Event& event = *From<Event>(handle);
  const bool kept = event.queue != nullptr && (event.queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  if (!kept) return CL_PROFILING_INFO_NOT_AVAILABLE;
  const Answers answers = {
      {CL_PROFILING_COMMAND_QUEUED, Bytes(event.begin_ns)},
      {CL_PROFILING_COMMAND_SUBMIT, Bytes(event.begin_ns)},
      {CL_PROFILING_COMMAND_START, Bytes(event.begin_ns)},
      {CL_PROFILING_COMMAND_END, Bytes(event.end_ns)},
      {CL_PROFILING_COMMAND_COMPLETE, Bytes(event.end_ns)},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_int CL_API_CALL SetEventCallback(cl_event event, cl_int,
                                    void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* data) {
  notify(event, CL_COMPLETE, data);
  return CL_SUCCESS;
}

}  // namespace

void AddCommands(cl_icd_dispatch& table) {
  table.clCreateCommandQueue = CreateCommandQueue;
  table.clCreateCommandQueueWithProperties = CreateCommandQueueWithProperties;
  table.clRetainCommandQueue = Retain<Queue>;
  table.clReleaseCommandQueue = Release<Queue>;
  table.clGetCommandQueueInfo = GetCommandQueueInfo;
  table.clEnqueueReadBuffer = EnqueueReadBuffer;
  table.clEnqueueWriteBuffer = EnqueueWriteBuffer;
  table.clEnqueueCopyBuffer = EnqueueCopyBuffer;
  table.clEnqueueFillBuffer = EnqueueFillBuffer;
  table.clEnqueueMapBuffer = EnqueueMapBuffer;
  table.clEnqueueUnmapMemObject = EnqueueUnmapMemObject;
  table.clEnqueueMigrateMemObjects = EnqueueMigrateMemObjects;
  table.clEnqueueNDRangeKernel = EnqueueNdRangeKernel;
  table.clEnqueueMarkerWithWaitList = EnqueueWithoutWork;
  table.clEnqueueBarrierWithWaitList = EnqueueWithoutWork;
  table.clFlush = FlushQueue;
  table.clFinish = FinishQueue;
  table.clWaitForEvents = WaitForEvents;
  table.clGetEventInfo = GetEventInfo;
  table.clRetainEvent = Retain<Event>;
  table.clReleaseEvent = Release<Event>;
  table.clGetEventProfilingInfo = GetEventProfilingInfo;
  table.clSetEventCallback = SetEventCallback;
}

}  // namespace fakes::opencl
