// SPDX-License-Identifier: MIT
// oneDNN's matrix product on an open device: a library of the user's that is loaded and never linked. It may
// crash: who calls it is a child process that has reported everything else before.
//
// It is the only library of Intel's that can be asked here: oneMKL multiplies on GPUs for a sycl::queue of
// C++ alone, and has no entry in C that takes handles of Level Zero.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/onednn_api.h"
#include "backends/stream/products.h"
#include "probe/level_zero/level_zero_api.h"

namespace backends::level_zero {

namespace rt = probe::level_zero;

// What oneDNN has for Level Zero alone, since 3.12 (its release notes): DNNL_RUNTIME_ZE of dnnl_config.h and
// the signatures of dnnl_ze.h, as of 3.13.2; tests/abi compares.
inline constexpr unsigned kOneDnnRuntime = 1024;
using OneDnnEngineCreate = onednn::Status (*)(onednn::Handle* engine, rt::ZeDriver driver,
                                              rt::ZeDevice device, rt::ZeContext context);
using OneDnnMemoryCreate = onednn::Status (*)(onednn::Handle* memory, const void* description,
                                              onednn::Handle engine, int count, void** addresses);

// By the library's file, of every type that it is asked for; none where it is not installed.
[[nodiscard]] std::vector<kernels::Variant> OneDnnVariants(const OpenRequest& request);
// The type of a variant's step; nullptr where there is none of that name.
[[nodiscard]] const stream::ProductType* OneDnnType(std::string_view entry);

// The library with a stream of its own on the device. Its kernels are timed by the host's clock: it keeps its
// events to itself. Single-threaded; its objects live until the process ends, as the library does.
class OneDnn {
 public:
  // OwnError::kNoSuchKernel: a library that is built for other devices, as those that packages bring, or does
  // not know this one.
  [[nodiscard]] static probe::Result<OneDnn> Open(rt::ZeDriver driver, rt::ZeDevice device,
                                                  rt::ZeContext context, const OpenRequest& request);

  // Compiles what this type and size take, once; its operands are memory of the device's context.
  [[nodiscard]] probe::Status Prepare(const stream::Product& product);
  // Has the device compute one that was prepared, after all that was started before.
  [[nodiscard]] probe::Status Start(const stream::Product& product);
  // Waits for all of them.
  [[nodiscard]] probe::Status Finish() const;

 private:
  struct Functions {
    onednn::StreamCreate stream_create = nullptr;
    onednn::StreamWait stream_wait = nullptr;
    onednn::MemorySetData memory_set_data = nullptr;
    onednn::PrimitiveCreate primitive_create = nullptr;
    onednn::PrimitiveExecute primitive_execute = nullptr;
    onednn::DescribeByStrides3 describe = nullptr;
    onednn::MatmulDescribe3 describe_matmul = nullptr;
    OneDnnEngineCreate engine_create = nullptr;
    OneDnnMemoryCreate memory_create = nullptr;
  };
  struct Matmul {
    onednn::Handle primitive = nullptr, a = nullptr, b = nullptr, c = nullptr;
  };
  using Key = std::tuple<const stream::ProductType*, int, int, int>;

  explicit OneDnn(const Functions& functions) : call_(functions) {}
  [[nodiscard]] static probe::Result<Functions> Resolve(const probe::system::Library& library);
  [[nodiscard]] probe::Result<Matmul> Make(const stream::Product& product) const;
  // A memory object of rows x columns whose next column, or row, lies that many elements further.
  struct Layout {
    int rows, columns, next_row, next_column, type;
  };
  [[nodiscard]] probe::Result<onednn::Handle> Describe(const Layout& layout) const;
  [[nodiscard]] probe::Result<onednn::Handle> MakeMemory(onednn::Handle description,
                                                         const void* address) const;

  Functions call_;
  onednn::Handle engine_ = nullptr, stream_ = nullptr;
  std::map<Key, Matmul> made_;
};

}  // namespace backends::level_zero
