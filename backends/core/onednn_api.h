// SPDX-License-Identifier: MIT
// The little of oneDNN's C interface that a matrix product takes on any of its engines, versions 2 and 3,
// which differ in how tensors and operations are described. Sources: oneDNN's dnnl.h and dnnl_types.h;
// tests/abi compares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace backends::onednn {

using Status = int;  // dnnl_status_t
inline constexpr Status kSuccess = 0, kInvalidArguments = 2, kUnimplemented = 3;
inline constexpr int kCpu = 1;                                          // dnnl_engine_kind_t
inline constexpr unsigned kInOrderStream = 1;                           // dnnl_stream_flags_t
inline constexpr int kF16 = 1, kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5;  // dnnl_data_type_t
inline constexpr int kSource = 1, kDestination = 17, kWeights = 33;     // DNNL_ARG_*
inline constexpr int kMaxDimensions = 12;                               // DNNL_MAX_NDIMS

// Objects are the library's own.
using Handle = void*;

// Version 2 has the caller hold descriptions; larger than any of them.
struct alignas(16) Description {
  unsigned char bytes[4096];
};

struct Argument {
  int what;
  Handle memory;
};

// dnnl_version_t. A runtime is one of DNNL_RUNTIME_*, 0 where there is none.
struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

using VersionOf = const Version* (*)();
using EngineCreate = Status (*)(Handle* engine, int kind, std::size_t index);
using StreamCreate = Status (*)(Handle* stream, Handle engine, unsigned flags);
using StreamWait = Status (*)(Handle stream);
using MemoryCreate = Status (*)(Handle* memory, const void* description, Handle engine, void* data);
using MemorySetData = Status (*)(Handle memory, void* data);
using PrimitiveCreate = Status (*)(Handle* primitive, const void* primitive_description);
using PrimitiveExecute = Status (*)(const void* primitive, Handle stream, int count,
                                    const Argument* arguments);

// Version 2.
using DescribeByStrides2 = Status (*)(void* description, int dimensions, const std::int64_t* sizes, int type,
                                      const std::int64_t* strides);
using DescribeMatmul2 = Status (*)(void* operation, const void* source, const void* weights, const void* bias,
                                   const void* destination);
using PrimitiveDescribe2 = Status (*)(Handle* primitive_description, const void* operation,
                                      const void* attributes, Handle engine, const void* hint);
// Version 3.
using DescribeByStrides3 = Status (*)(Handle* description, int dimensions, const std::int64_t* sizes,
                                      int type, const std::int64_t* strides);
using MatmulDescribe3 = Status (*)(Handle* primitive_description, Handle engine, const void* source,
                                   const void* weights, const void* bias, const void* destination,
                                   const void* attributes);

}  // namespace backends::onednn
