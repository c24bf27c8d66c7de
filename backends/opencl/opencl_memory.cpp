// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "backends/opencl/opencl_session.h"
#include "probe/system/processor.h"

namespace backends::opencl {
namespace {

// One huge page: smaller buffers gain nothing from it.
constexpr std::uint64_t kHugePageBytes = 2U << 20U;

// nullptr where there are none: the driver then finds memory itself, or says that there is none.
void* MapPages(std::uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  probe::system::PreferLargePages(pages, bytes);
  return pages;
}

}  // namespace

probe::Result<Buffer> CreateBuffer(const probe::opencl::Api& api, cl_context context, std::uint64_t bytes,
                                   bool on_host) {
  Buffer buffer{nullptr, bytes, on_host && bytes >= kHugePageBytes ? MapPages(bytes) : nullptr};
  const cl_mem_flags place = buffer.pages == nullptr ? 0 : CL_MEM_USE_HOST_PTR;
  cl_int code = CL_SUCCESS;
  buffer.memory = api.clCreateBuffer(context, CL_MEM_READ_WRITE | place, bytes, buffer.pages, &code);
  if (code == CL_SUCCESS) return buffer;
  buffer.memory = nullptr;
  Destroy(api, buffer);
  return probe::opencl::ErrorOf("clCreateBuffer", code);
}

void Destroy(const probe::opencl::Api& api, Buffer& buffer) {
  if (buffer.memory != nullptr) api.clReleaseMemObject(buffer.memory);
  if (buffer.pages != nullptr) munmap(buffer.pages, buffer.bytes);
  buffer = {};
}

// Drivers find memory for a buffer when it is first used: later, that may fail for want of it.
void OpenClSession::HoldWord() {
  constexpr cl_uint kWord = 0;
  cl_int code = CL_SUCCESS;
  held_ = api_.clCreateBuffer(context_, CL_MEM_READ_WRITE, sizeof kWord, nullptr, &code);
  if (code == CL_SUCCESS && api_.clEnqueueWriteBuffer(queue_, held_, CL_TRUE, 0, sizeof kWord, &kWord, 0,
                                                      nullptr, nullptr) == CL_SUCCESS) {
    return;
  }
  if (code == CL_SUCCESS) api_.clReleaseMemObject(held_);
  held_ = nullptr;
}

// Codes do not tell: NVIDIA's driver gives CL_OUT_OF_RESOURCES for a kernel that faulted, after which nothing
// works, and for one of too many registers.
bool OpenClSession::Serves() const {
  cl_uint word = 0;
  return held_ == nullptr || api_.clEnqueueReadBuffer(queue_, held_, CL_TRUE, 0, sizeof word, &word, 0,
                                                      nullptr, nullptr) == CL_SUCCESS;
}

probe::Error OpenClSession::Failed(probe::Error error) {
  if (error.code && !Serves()) account_.ContextEnded();
  return error;
}

}  // namespace backends::opencl
