// SPDX-License-Identifier: MIT
// Contexts, buffers, programs and kernels.
#include "tests/fakes/opencl/objects.h"

#include <algorithm>
#include <cstring>

namespace fakes::opencl {
namespace {

constexpr std::size_t kHandleBytes = sizeof(void*);

using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);

std::vector<cl_device_id> Handles(const Context& context) {
  std::vector<cl_device_id> handles;
  handles.reserve(context.devices.size());
  for (Device* device : context.devices) handles.push_back(To<cl_device_id>(device));
  return handles;
}

cl_context CL_API_CALL CreateContext(const cl_context_properties*, cl_uint count, const cl_device_id* devices,
                                     Notify, void*, cl_int* error) {
  auto context = std::make_unique<Context>();
  for (const cl_device_id device : std::span(devices, count)) {
    context->devices.push_back(From<Device>(device));
    if (const cl_int code = At(Point::kCreate, context->devices.back()->index); code != CL_SUCCESS) {
      return Return<cl_context>(code, nullptr, error);
    }
  }
  return Return(CL_SUCCESS, To<cl_context>(context.release()), error);
}

cl_context CL_API_CALL CreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                             Notify notify, void* data, cl_int* error) {
  cl_uint count = 0;
  std::vector<cl_device_id> devices(Devices().size());
  const auto space = static_cast<cl_uint>(devices.size());
  const cl_int code = Dispatch().clGetDeviceIDs(nullptr, type, space, devices.data(), &count);
  if (code != CL_SUCCESS) return Return<cl_context>(code, nullptr, error);
  return CreateContext(properties, count, devices.data(), notify, data, error);
}

cl_int CL_API_CALL GetContextInfo(cl_context handle, cl_context_info parameter, std::size_t space,
                                  void* value, std::size_t* needed) {
  const Context& context = *From<Context>(handle);
  const Answers answers = {
      {CL_CONTEXT_REFERENCE_COUNT, Bytes(context.references)},
      {CL_CONTEXT_NUM_DEVICES, Bytes(static_cast<cl_uint>(context.devices.size()))},
      {CL_CONTEXT_DEVICES, Bytes(Handles(context))},
      {CL_CONTEXT_PROPERTIES, ""},
  };
  return Reply(answers, parameter, space, value, needed);
}

bool Has(const Device& device, const char* attribute) { return device.facts.attributes.contains(attribute); }

// The first device of the context pays for the memory.
cl_int Charge(Buffer& buffer) {
  Device& device = *buffer.context->devices.front();
  const std::uint64_t bytes = buffer.bytes.size();
  const std::uint64_t limit = device.facts.allocation_limit_bytes.value_or(device.facts.memory_total_bytes);
  if (bytes > limit - std::min(limit, device.allocated_bytes)) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  device.allocated_bytes += bytes;
  buffer.charged = true;
  return CL_SUCCESS;
}

cl_mem CL_API_CALL CreateBuffer(cl_context context, cl_mem_flags flags, std::size_t bytes, void* host,
                                cl_int* error) {
  const Device& device = *From<Context>(context)->devices.front();
  if (const cl_int code = At(Point::kAllocate, device.index); code != CL_SUCCESS)
    return Return<cl_mem>(code, nullptr, error);
  if (bytes == 0 || bytes > device.facts.max_buffer_bytes)
    return Return<cl_mem>(CL_INVALID_BUFFER_SIZE, nullptr, error);
  auto buffer = std::make_unique<Buffer>();
  buffer->context = From<Context>(context);
  buffer->flags = flags;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    buffer->bytes = {static_cast<std::byte*>(host), bytes};
  } else {
    buffer->own = std::make_unique<HostMemory>(bytes);
    buffer->bytes = buffer->own->bytes();
    if (buffer->bytes.empty()) return Return<cl_mem>(CL_OUT_OF_HOST_MEMORY, nullptr, error);
  }
  if (const cl_int code = Has(device, "lazy_memory") ? CL_SUCCESS : Charge(*buffer); code != CL_SUCCESS)
    return Return<cl_mem>(code, nullptr, error);
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(buffer->bytes.data(), host, bytes);
  return Return(CL_SUCCESS, To<cl_mem>(buffer.release()), error);
}

cl_mem CL_API_CALL CreateBufferWithProperties(cl_context context, const cl_mem_properties*,
                                              cl_mem_flags flags, std::size_t bytes, void* host,
                                              cl_int* error) {
  return CreateBuffer(context, flags, bytes, host, error);
}

cl_mem CL_API_CALL CreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type, const void* info,
                                   cl_int* error) {
  const auto& region = *static_cast<const cl_buffer_region*>(info);
  auto part = std::make_unique<Buffer>();
  part->context = From<Buffer>(whole)->context;
  part->flags = flags;
  part->bytes = From<Buffer>(whole)->bytes.subspan(region.origin, region.size);
  return Return(CL_SUCCESS, To<cl_mem>(part.release()), error);
}

cl_int CL_API_CALL ReleaseMemObject(cl_mem handle) {
  const Buffer& buffer = *From<Buffer>(handle);
  ReachTeardown(buffer.context->devices.front()->index);
  if (buffer.references == 1 && buffer.charged)
    buffer.context->devices.front()->allocated_bytes -= buffer.bytes.size();
  return Release<Buffer>(handle);
}

cl_int CL_API_CALL GetMemObjectInfo(cl_mem handle, cl_mem_info parameter, std::size_t space, void* value,
                                    std::size_t* needed) {
  const Buffer& buffer = *From<Buffer>(handle);
  const Answers answers = {
      {CL_MEM_TYPE, Bytes(cl_mem_object_type{CL_MEM_OBJECT_BUFFER})},
      {CL_MEM_FLAGS, Bytes(buffer.flags)},
      {CL_MEM_SIZE, Bytes(buffer.bytes.size())},
      {CL_MEM_CONTEXT, Bytes(To<cl_context>(buffer.context))},
      {CL_MEM_REFERENCE_COUNT, Bytes(buffer.references)},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_int CL_API_CALL GetSupportedImageFormats(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint,
                                            cl_image_format*, cl_uint* count) {
  if (count != nullptr) *count = 0;
  return CL_SUCCESS;
}

cl_program CL_API_CALL CreateProgramWithSource(cl_context context, cl_uint count, const char** texts,
                                               const std::size_t* lengths, cl_int* error) {
  auto program = std::make_unique<Program>();
  program->context = From<Context>(context);
  for (cl_uint i = 0; i < count; ++i) {
    const bool sized = lengths != nullptr && lengths[i] > 0;
    program->source.append(sized ? std::string_view(texts[i], lengths[i]) : std::string_view(texts[i]));
  }
  return Return(CL_SUCCESS, To<cl_program>(program.release()), error);
}

cl_int CL_API_CALL BuildProgram(cl_program handle, cl_uint, const cl_device_id*, const char*,
                                void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  Program& program = *From<Program>(handle);
  const cl_int code = At(Point::kCompile, program.context->devices.front()->index);
  program.built = code == CL_SUCCESS;
  if (notify != nullptr) notify(handle, data);
  return code;
}

cl_int CL_API_CALL GetProgramInfo(cl_program handle, cl_program_info parameter, std::size_t space,
                                  void* value, std::size_t* needed) {
  const Program& program = *From<Program>(handle);
  const Answers answers = {
      {CL_PROGRAM_REFERENCE_COUNT, Bytes(program.references)},
      {CL_PROGRAM_CONTEXT, Bytes(To<cl_context>(program.context))},
      {CL_PROGRAM_NUM_DEVICES, Bytes(static_cast<cl_uint>(program.context->devices.size()))},
      {CL_PROGRAM_DEVICES, Bytes(Handles(*program.context))},
      {CL_PROGRAM_SOURCE, Text(program.source)},
      {CL_PROGRAM_BINARY_SIZES, Bytes(std::vector<std::size_t>(program.context->devices.size(), 0))},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_int CL_API_CALL GetProgramBuildInfo(cl_program handle, cl_device_id, cl_program_build_info parameter,
                                       std::size_t space, void* value, std::size_t* needed) {
  const bool built = From<Program>(handle)->built;
  const Answers answers = {
      {CL_PROGRAM_BUILD_STATUS,
       Bytes(built ? cl_build_status{CL_BUILD_SUCCESS} : cl_build_status{CL_BUILD_ERROR})},
      {CL_PROGRAM_BUILD_LOG, Text(built ? "" : "fake driver: this program does not build")},
      {CL_PROGRAM_BUILD_OPTIONS, Text("")},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_kernel CL_API_CALL CreateKernel(cl_program program, const char* name, cl_int* error) {
  if (!From<Program>(program)->built) return Return<cl_kernel>(CL_INVALID_PROGRAM_EXECUTABLE, nullptr, error);
  auto kernel = std::make_unique<Kernel>();
  kernel->program = From<Program>(program);
  kernel->name = name;
  return Return(CL_SUCCESS, To<cl_kernel>(kernel.release()), error);
}

cl_int CL_API_CALL SetKernelArg(cl_kernel handle, cl_uint index, std::size_t bytes, const void* value) {
  Kernel& kernel = *From<Kernel>(handle);
  kernel.arguments.insert(index);
  kernel.buffers.erase(index);
  if (value == nullptr || bytes != kHandleBytes) return CL_SUCCESS;
  auto* buffer = From<Buffer>(*static_cast<const cl_mem*>(value));
  if (Buffer::Living().contains(buffer)) kernel.buffers[index] = buffer;
  return CL_SUCCESS;
}

cl_int CL_API_CALL GetKernelInfo(cl_kernel handle, cl_kernel_info parameter, std::size_t space, void* value,
                                 std::size_t* needed) {
  const Kernel& kernel = *From<Kernel>(handle);
  const Answers answers = {
      {CL_KERNEL_FUNCTION_NAME, Text(kernel.name)},
      {CL_KERNEL_NUM_ARGS, Bytes(static_cast<cl_uint>(kernel.arguments.size()))},
      {CL_KERNEL_REFERENCE_COUNT, Bytes(kernel.references)},
      {CL_KERNEL_CONTEXT, Bytes(To<cl_context>(kernel.program->context))},
      {CL_KERNEL_PROGRAM, Bytes(To<cl_program>(kernel.program))},
  };
  return Reply(answers, parameter, space, value, needed);
}

cl_int CL_API_CALL GetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id, cl_kernel_work_group_info parameter,
                                          std::size_t space, void* value, std::size_t* needed) {
  const fakes::Device& facts = From<Kernel>(kernel)->program->context->devices.front()->facts;
  const Answers answers = {
      {CL_KERNEL_WORK_GROUP_SIZE, Bytes(std::size_t{facts.max_workgroup_size})},
      {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, Bytes(std::vector<std::size_t>(3, 0))},
      {CL_KERNEL_LOCAL_MEM_SIZE, Bytes(cl_ulong{0})},
      {CL_KERNEL_PRIVATE_MEM_SIZE, Bytes(cl_ulong{0})},
      {CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, Bytes(std::size_t{facts.subgroup_width})},
  };
  return Reply(answers, parameter, space, value, needed);
}

}  // namespace

FaultShows FaultShowsIn(const Device& device) {
  const auto found = device.facts.attributes.find("fault_shows");
  return found == device.facts.attributes.end() ? FaultShows::kAtEnqueue
                                                : static_cast<FaultShows>(found->second);
}

cl_int Touch(Buffer& buffer) {
  const bool lazy = Has(*buffer.context->devices.front(), "lazy_memory");
  return lazy && !buffer.charged ? Charge(buffer) : CL_SUCCESS;
}

void AddObjects(cl_icd_dispatch& table) {
  table.clCreateContext = CreateContext;
  table.clCreateContextFromType = CreateContextFromType;
  table.clRetainContext = Retain<Context>;
  table.clReleaseContext = Release<Context>;
  table.clGetContextInfo = GetContextInfo;
  table.clCreateBuffer = CreateBuffer;
  table.clCreateBufferWithProperties = CreateBufferWithProperties;
  table.clCreateSubBuffer = CreateSubBuffer;
  table.clRetainMemObject = Retain<Buffer>;
  table.clReleaseMemObject = ReleaseMemObject;
  table.clGetMemObjectInfo = GetMemObjectInfo;
  table.clGetSupportedImageFormats = GetSupportedImageFormats;
  table.clCreateProgramWithSource = CreateProgramWithSource;
  table.clRetainProgram = Retain<Program>;
  table.clReleaseProgram = Release<Program>;
  table.clBuildProgram = BuildProgram;
  table.clGetProgramInfo = GetProgramInfo;
  table.clGetProgramBuildInfo = GetProgramBuildInfo;
  table.clCreateKernel = CreateKernel;
  table.clRetainKernel = Retain<Kernel>;
  table.clReleaseKernel = Release<Kernel>;
  table.clSetKernelArg = SetKernelArg;
  table.clGetKernelInfo = GetKernelInfo;
  table.clGetKernelWorkGroupInfo = GetKernelWorkGroupInfo;
}

}  // namespace fakes::opencl
