// SPDX-License-Identifier: MIT
// A plain OpenCL program: lists the devices, and with the argument `run` also uses the first one as a compute
// client does: upload, a kernel with profiling, download.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tests/fakes/common/client.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <chrono>
#include <vector>

namespace fakes {
namespace {

void* loader = nullptr;

#define CL(name) (reinterpret_cast<decltype(&(name))>(dlsym(loader, #name)))

std::vector<cl_device_id> DevicesOfAllPlatforms() {
  cl_uint count = 0;
  Check("clGetPlatformIDs", CL(clGetPlatformIDs)(0, nullptr, &count));
  std::vector<cl_platform_id> platforms(count);
  Check("clGetPlatformIDs", CL(clGetPlatformIDs)(count, platforms.data(), nullptr));
  std::vector<cl_device_id> all;
  for (const cl_platform_id platform : platforms) {
    cl_uint found = 0;
    Check("clGetDeviceIDs", CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &found));
    std::vector<cl_device_id> devices(found);
    Check("clGetDeviceIDs", CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, found, devices.data(), nullptr));
    all.insert(all.end(), devices.begin(), devices.end());
  }
  return all;
}

std::string Info(cl_device_id device, cl_device_info parameter) {
  std::size_t bytes = 0;
  Check("clGetDeviceInfo", CL(clGetDeviceInfo)(device, parameter, 0, nullptr, &bytes));
  std::string value(bytes, '\0');
  Check("clGetDeviceInfo", CL(clGetDeviceInfo)(device, parameter, bytes, value.data(), nullptr));
  return value;
}

template <class T>
T Number(cl_device_id device, cl_device_info parameter) {
  const std::string bytes = Info(device, parameter);
  T value{};
  if (bytes.size() == sizeof(T)) bytes.copy(reinterpret_cast<char*>(&value), sizeof(T));
  return value;
}

void Describe(cl_device_id device, const std::string& prefix) {
  const std::string name = Info(device, CL_DEVICE_NAME);
  const std::string extensions = Info(device, CL_DEVICE_EXTENSIONS);
  Print(prefix + "name", Hex(name.substr(0, name.size() - 1)));
  Print(prefix + "vendor_id", Number<cl_uint>(device, CL_DEVICE_VENDOR_ID));
  Print(prefix + "type", Number<cl_device_type>(device, CL_DEVICE_TYPE));
  Print(prefix + "uuid", Hex(Info(device, CL_DEVICE_UUID_KHR)));
  if (extensions.find("cl_khr_pci_bus_info") != std::string::npos) {
    const auto pci = Number<cl_device_pci_bus_info_khr>(device, CL_DEVICE_PCI_BUS_INFO_KHR);
    Print(prefix + "pci", std::to_string(pci.pci_domain) + ":" + std::to_string(pci.pci_bus) + ":" +
                              std::to_string(pci.pci_device) + "." + std::to_string(pci.pci_function));
  }
  Print(prefix + "subgroup", Number<std::size_t>(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
  Print(prefix + "memory", Number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  Print(prefix + "max_buffer", Number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
}

cl_kernel MakeKernel(cl_context context, cl_device_id device) {
  cl_int error = 0;
  const char* source = "kernel void twice(global uint* x, ulong n) { x[get_global_id(0)] *= 2; }";
  const cl_program program = CL(clCreateProgramWithSource)(context, 1, &source, nullptr, &error);
  Check("clCreateProgramWithSource", error);
  Check("clBuildProgram", CL(clBuildProgram)(program, 1, &device, "", nullptr, nullptr));
  const cl_kernel kernel = CL(clCreateKernel)(program, "twice", &error);
  Check("clCreateKernel", error);
  return kernel;
}

void PrintEventTime(cl_event event) {
  cl_ulong begin = 0;
  cl_ulong end = 0;
  Check("clGetEventProfilingInfo",
        CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, nullptr));
  Check("clGetEventProfilingInfo",
        CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr));
  Print("event_ns", end - begin);
}

void Run(cl_device_id device) {
  cl_int error = 0;
  const cl_context context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &error);
  Check("clCreateContext", error);
  const cl_command_queue queue = CL(clCreateCommandQueue)(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
  Check("clCreateCommandQueue", error);
  std::vector<std::uint32_t> words(kWords);
  for (std::size_t i = 0; i < kWords; ++i) words[i] = Pattern(i);
  constexpr std::size_t kBytesUsed = kWords * sizeof(std::uint32_t);
  const cl_mem buffer = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, kBytesUsed, nullptr, &error);
  Check("clCreateBuffer", error);
  const cl_kernel kernel = MakeKernel(context, device);
  const auto handle = reinterpret_cast<std::uintptr_t>(buffer);
  const cl_ulong scalar = kWords;
  Check("clSetKernelArg", CL(clSetKernelArg)(kernel, 0, sizeof(handle), &handle));
  Check("clSetKernelArg", CL(clSetKernelArg)(kernel, 1, sizeof(scalar), &scalar));
  Check("clEnqueueWriteBuffer",
        CL(clEnqueueWriteBuffer)(queue, buffer, CL_TRUE, 0, kBytesUsed, words.data(), 0, nullptr, nullptr));
  const auto start = std::chrono::steady_clock::now();
  cl_event event = nullptr;
  Check("clEnqueueNDRangeKernel",
        CL(clEnqueueNDRangeKernel)(queue, kernel, 1, nullptr, &kWords, nullptr, 0, nullptr, &event));
  Check("clFinish", CL(clFinish)(queue));
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  Check("clEnqueueReadBuffer",
        CL(clEnqueueReadBuffer)(queue, buffer, CL_TRUE, 0, kBytesUsed, words.data(), 0, nullptr, nullptr));
  PrintResults(words);
  Print("wall_ns", static_cast<std::uint64_t>(wall.count()));
  PrintEventTime(event);
}

int Main(bool run) {
  loader = OpenLoader("libOpenCL.so.1");
  const auto devices = DevicesOfAllPlatforms();
  Print("devices", devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) Describe(devices[i], std::to_string(i) + ".");
  if (run) Run(devices.at(0));
  return Done();
}

}  // namespace
}  // namespace fakes

int main(int argc, char** argv) { return fakes::Main(argc > 1 && std::string_view(argv[1]) == "run"); }
