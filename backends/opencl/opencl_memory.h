// SPDX-License-Identifier: MIT
// Buffers of one context. Those of a device on the host processor lie in the same pages as the processor's
// own backend's, huge ones where the kernel gives them: without these PoCL reads a fifth slower, and the
// figures of one processor would not compare.
#pragma once

#include <cstdint>

#include "probe/core/result.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

struct Buffer {
  cl_mem memory = nullptr;
  std::uint64_t bytes = 0;
  void* pages = nullptr;  // of the host's, that the buffer lies in
};

// The caller destroys it.
[[nodiscard]] probe::Result<Buffer> CreateBuffer(const probe::opencl::Api& api, cl_context context,
                                                 std::uint64_t bytes, bool on_host);
void Destroy(const probe::opencl::Api& api, Buffer& buffer);

}  // namespace backends::opencl
