// SPDX-License-Identifier: MIT
// oneDNN's matrix product on plain row-major matrices, so that its reordering is timed as everybody's is.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>

#include "backends/core/backend.h"
#include "backends/core/onednn_api.h"
#include "backends/cpu/vendor.h"

namespace backends::cpu {
namespace {

using namespace onednn;
using kernels::Dtype;

probe::Error Failed(std::string_view call, Status status) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "success",       "out of memory", "invalid arguments", "unimplemented",
      "iterator ends", "runtime error", "not required"};
  const auto index = static_cast<std::size_t>(status);
  if (status == kUnimplemented)
    return {std::string(call), status, std::string(NameOf(probe::OwnError::kNoSuchKernel)),
            "oneDNN has no such product for this processor"};
  return {std::string(call), status, std::string(index < kNames.size() ? kNames[index] : ""), ""};
}

struct TypeRow {
  Dtype dtype;
  int operand, result;
};
constexpr std::array kTypes = {TypeRow{Dtype::kFp32, kF32, kF32}, TypeRow{Dtype::kBf16, kBf16, kF32},
                               TypeRow{Dtype::kInt8, kS8, kS32}};

struct Functions {
  EngineCreate engine_create;
  StreamCreate stream_create;
  StreamWait stream_wait;
  MemoryCreate memory_create;
  MemorySetData memory_set_data;
  PrimitiveCreate primitive_create;
  PrimitiveExecute primitive_execute;
  DescribeByStrides2 describe2;
  DescribeMatmul2 describe_matmul2;
  PrimitiveDescribe2 primitive_describe2;
  DescribeByStrides3 describe3;
  MatmulDescribe3 matmul_describe3;

  explicit Functions(const probe::system::Library& library)
      : engine_create(library.Function<EngineCreate>("dnnl_engine_create")),
        stream_create(library.Function<StreamCreate>("dnnl_stream_create")),
        stream_wait(library.Function<StreamWait>("dnnl_stream_wait")),
        memory_create(library.Function<MemoryCreate>("dnnl_memory_create")),
        memory_set_data(library.Function<MemorySetData>("dnnl_memory_set_data_handle")),
        primitive_create(library.Function<PrimitiveCreate>("dnnl_primitive_create")),
        primitive_execute(library.Function<PrimitiveExecute>("dnnl_primitive_execute")),
        describe2(library.Function<DescribeByStrides2>("dnnl_memory_desc_init_by_strides")),
        describe_matmul2(library.Function<DescribeMatmul2>("dnnl_matmul_desc_init")),
        primitive_describe2(library.Function<PrimitiveDescribe2>("dnnl_primitive_desc_create")),
        describe3(library.Function<DescribeByStrides3>("dnnl_memory_desc_create_with_strides")),
        matmul_describe3(library.Function<MatmulDescribe3>("dnnl_matmul_primitive_desc_create")) {}

  [[nodiscard]] bool complete() const {
    const bool common = engine_create && stream_create && stream_wait && memory_create && memory_set_data &&
                        primitive_create && primitive_execute;
    return common && (is_version_3() || (describe2 && describe_matmul2 && primitive_describe2));
  }
  [[nodiscard]] bool is_version_3() const { return describe3 && matmul_describe3; }
};

// One shape's primitive. Objects live until the process ends, as the library does.
struct Matmul {
  Handle primitive = nullptr, source = nullptr, weights = nullptr, destination = nullptr;
};

class OneDnn {
 public:
  explicit OneDnn(const Functions& functions) : call_(functions) {}

  [[nodiscard]] probe::Status Start() {
    if (const Status status = call_.engine_create(&engine_, kCpu, 0); status != kSuccess)
      return Failed("dnnl_engine_create", status);
    if (const Status status = call_.stream_create(&stream_, engine_, kInOrderStream); status != kSuccess)
      return Failed("dnnl_stream_create", status);
    return probe::Ok();
  }

  [[nodiscard]] probe::Status Run(const Product& product) {
    const auto key = std::make_tuple(product.in, product.m, product.n, product.k);
    auto found = made_.find(key);
    if (found == made_.end()) {
      auto matmul = Make(product);
      if (!matmul) return matmul.error();
      found = made_.emplace(key, *matmul).first;
    }
    const Matmul& matmul = found->second;
    const std::array<std::pair<Handle, void*>, 3> data = {{{matmul.source, const_cast<void*>(product.a)},
                                                           {matmul.weights, const_cast<void*>(product.b)},
                                                           {matmul.destination, product.c}}};
    for (const auto& [memory, address] : data) {
      if (const Status status = call_.memory_set_data(memory, address); status != kSuccess)
        return Failed("dnnl_memory_set_data_handle", status);
    }
    const std::array<Argument, 3> arguments = {
        {{kSource, matmul.source}, {kWeights, matmul.weights}, {kDestination, matmul.destination}}};
    if (const Status status = call_.primitive_execute(matmul.primitive, stream_, 3, arguments.data());
        status != kSuccess)
      return Failed("dnnl_primitive_execute", status);
    if (const Status status = call_.stream_wait(stream_); status != kSuccess)
      return Failed("dnnl_stream_wait", status);
    return probe::Ok();
  }

 private:
  // A row-major matrix; `storage` holds its description in version 2.
  [[nodiscard]] probe::Result<const void*> Describe(std::uint32_t rows, std::uint32_t columns, int type,
                                                    Description& storage) const {
    const std::int64_t sizes[kMaxDimensions] = {rows, columns}, strides[kMaxDimensions] = {columns, 1};
    Handle made = &storage;
    const Status status = call_.is_version_3() ? call_.describe3(&made, 2, sizes, type, strides)
                                               : call_.describe2(&storage, 2, sizes, type, strides);
    if (status != kSuccess) return Failed("dnnl_memory_desc", status);
    return static_cast<const void*>(made);
  }

  [[nodiscard]] probe::Result<Handle> Primitive(const void* a, const void* b, const void* c) const {
    Handle description = nullptr, primitive = nullptr;
    Status status = kSuccess;
    if (call_.is_version_3()) {
      status = call_.matmul_describe3(&description, engine_, a, b, nullptr, c, nullptr);
    } else {
      Description operation{};
      status = call_.describe_matmul2(&operation, a, b, nullptr, c);
      if (status == kSuccess)
        status = call_.primitive_describe2(&description, &operation, nullptr, engine_, nullptr);
    }
    if (status != kSuccess) return Failed("dnnl_matmul_primitive_desc", status);
    status = call_.primitive_create(&primitive, description);
    if (status != kSuccess) return Failed("dnnl_primitive_create", status);
    return primitive;
  }

  [[nodiscard]] probe::Result<Matmul> Make(const Product& product) const {
    const auto* types = std::find_if(kTypes.begin(), kTypes.end(),
                                     [&](const TypeRow& row) { return row.dtype == product.in; });
    if (types == kTypes.end())
      return probe::Error{"matmul", std::nullopt, "unsupported", "no product of that type"};
    Description storage[3] = {};
    const auto a = Describe(product.m, product.k, types->operand, storage[0]);
    const auto b = Describe(product.k, product.n, types->operand, storage[1]);
    const auto c = Describe(product.m, product.n, types->result, storage[2]);
    for (const auto* description : {&a, &b, &c}) {
      if (!*description) return description->error();
    }
    const auto primitive = Primitive(*a, *b, *c);
    if (!primitive) return primitive.error();
    Matmul matmul{*primitive, nullptr, nullptr, nullptr};
    const std::array<std::pair<Handle*, const void*>, 3> memories = {
        {{&matmul.source, *a}, {&matmul.weights, *b}, {&matmul.destination, *c}}};
    for (const auto& [memory, description] : memories) {
      if (const Status status = call_.memory_create(memory, description, engine_, nullptr);
          status != kSuccess)
        return Failed("dnnl_memory_create", status);
    }
    return matmul;
  }

  Functions call_;
  Handle engine_ = nullptr, stream_ = nullptr;
  std::map<std::tuple<Dtype, std::uint32_t, std::uint32_t, std::uint32_t>, Matmul> made_;
};

}  // namespace

probe::Result<Multiply> BindOneDnn(const probe::system::Library& library) {
  const Functions functions(library);
  if (!functions.complete()) {
    return probe::Error{"dlsym dnnl_*", std::nullopt, "missing symbol",
                        library.info().path.value_or("the library") + " has not oneDNN's matrix product"};
  }
  const auto onednn = std::make_shared<OneDnn>(functions);
  if (auto status = onednn->Start(); !status) return status.error();
  return Multiply([onednn](const Product& product) { return onednn->Run(product); });
}

}  // namespace backends::cpu
