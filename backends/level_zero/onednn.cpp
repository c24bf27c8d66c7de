// SPDX-License-Identifier: MIT
#include "backends/level_zero/onednn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/tables.h"

#include "backends/core/library_folders.h"

namespace backends::level_zero {
namespace {

using kernels::Dtype;
using stream::ProductType;

constexpr std::array<std::string_view, 2> kSonames = {"libdnnl.so.3", "libdnnl.so"};

// Sums are fp32, or int32: what the library does without attributes (dnnl_accumulation_mode_strict).
constexpr std::array kTypes = {
    ProductType{"onednn:fp32/fp32", Dtype::kFp32, Dtype::kFp32, "", {onednn::kF32, onednn::kF32, 0, 0}},
    ProductType{"onednn:fp16/fp32", Dtype::kFp16, Dtype::kFp32, "", {onednn::kF16, onednn::kF32, 0, 0}},
    ProductType{"onednn:bf16/fp32", Dtype::kBf16, Dtype::kFp32, "", {onednn::kBf16, onednn::kF32, 0, 0}},
    ProductType{"onednn:int8/int32", Dtype::kInt8, Dtype::kInt32, "", {onednn::kS8, onednn::kS32, 0, 0}},
};

// That the library has no such product for this device is no fault of either.
probe::Error Failed(std::string_view call, onednn::Status status) {
  // dnnl_status_t.
  constexpr std::array<std::string_view, 7> kNames = {
      "dnnl_success",           "dnnl_out_of_memory", "dnnl_invalid_arguments", "dnnl_unimplemented",
      "dnnl_last_impl_reached", "dnnl_runtime_error", "dnnl_not_required"};
  const auto index = static_cast<std::size_t>(status);
  probe::Error error{
      std::string(call), status, std::string(index < kNames.size() ? kNames[index] : "unknown error"), {}};
  if (status != onednn::kUnimplemented) return error;
  error.name = NameOf(probe::OwnError::kNoSuchKernel);
  error.text = "oneDNN has no such product for this device";
  return error;
}
probe::Status Check(std::string_view call, onednn::Status status) {
  return status == onednn::kSuccess ? probe::Ok() : probe::Status(Failed(call, status));
}

// It looks for the device among those of the first driver (xpu/ze/utils.cpp, get_device_index, of 3.12).
probe::Error EngineFailed(onednn::Status status) {
  constexpr std::string_view kCall = "dnnl_ze_interop_engine_create";
  probe::Error error = Failed(kCall, status);
  if (status != onednn::kInvalidArguments) return error;
  error.name = NameOf(probe::OwnError::kNoSuchKernel);
  error.text = "oneDNN does not know this device: it serves those of the first driver";
  return error;
}

// The library that programs here would load. One that does not load, for what it needs is elsewhere, is of no
// use, and breaks nothing here.
probe::Result<probe::system::Library> Load(const OpenRequest& request) {
  const auto folders = LibraryFolders(data::kLibraryFolders, request.environment);
  auto library = probe::system::Library::Open(kSonames, folders, request.files, request.environment);
  if (library || library.error().name != "unloadable") return library;
  probe::Error error = library.error();
  error.name = NameOf(probe::OwnError::kNoSuchKernel);
  return error;
}

// Nothing else of it is called before: of a build for other devices its functions are not there.
probe::Status CheckBuild(const probe::system::Library& library) {
  const std::string path = library.info().path.value_or(library.info().soname);
  const auto version_of = library.Function<onednn::VersionOf>("dnnl_version");
  const onednn::Version* version = version_of == nullptr ? nullptr : version_of();
  if (version == nullptr)
    return probe::Error{"dnnl_version", std::nullopt, "missing_symbol", path + " is not oneDNN"};
  if (version->gpu_runtime == kOneDnnRuntime) return probe::Ok();
  return probe::Own(probe::OwnError::kNoSuchKernel, "dnnl_version",
                    fmt::format("{}, oneDNN {}.{}.{}, {}: one that is built with ONEDNN_GPU_RUNTIME=ZE has "
                                "products for this device",
                                path, version->major, version->minor, version->patch,
                                version->gpu_runtime == 0 ? "is built for processors alone"
                                                          : "reaches GPUs by another runtime"));
}

}  // namespace

std::vector<kernels::Variant> OneDnnVariants(const OpenRequest& request) {
  const auto folders = LibraryFolders(data::kLibraryFolders, request.environment);
  if (!probe::system::Library::Exists(kSonames, folders, request.files, request.environment)) return {};
  return stream::ProductVariants("onednn", kTypes);
}

const ProductType* OneDnnType(std::string_view entry) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const ProductType& type) { return type.entry == entry; });
  return found == kTypes.end() ? nullptr : &*found;
}

probe::Result<OneDnn::Functions> OneDnn::Resolve(const probe::system::Library& library) {
  Functions f;
  std::string_view missing;
  const auto take = [&]<class F>(const char* name, F& function) {
    function = library.Function<F>(name);
    if (function == nullptr && missing.empty()) missing = name;
  };
  take("dnnl_stream_create", f.stream_create);
  take("dnnl_stream_wait", f.stream_wait);
  take("dnnl_memory_set_data_handle", f.memory_set_data);
  take("dnnl_primitive_create", f.primitive_create);
  take("dnnl_primitive_execute", f.primitive_execute);
  take("dnnl_memory_desc_create_with_strides", f.describe);
  take("dnnl_matmul_primitive_desc_create", f.describe_matmul);
  take("dnnl_ze_interop_engine_create", f.engine_create);
  take("dnnl_ze_interop_memory_create", f.memory_create);
  if (missing.empty()) return f;
  return probe::Error{
      fmt::format("dlsym {}", missing), std::nullopt, "missing_symbol",
      library.info().path.value_or(library.info().soname) + " is another oneDNN than it says"};
}

probe::Result<OneDnn> OneDnn::Open(rt::ZeDriver driver, rt::ZeDevice device, rt::ZeContext context,
                                   const OpenRequest& request) {
  const auto library = Load(request);
  if (!library) return library.error();
  if (const auto built = CheckBuild(*library); !built) return built.error();
  const auto functions = Resolve(*library);
  if (!functions) return functions.error();
  OneDnn opened(*functions);
  const auto engine = opened.call_.engine_create(&opened.engine_, driver, device, context);
  if (engine != onednn::kSuccess) return EngineFailed(engine);
  const auto stream = opened.call_.stream_create(&opened.stream_, opened.engine_, onednn::kInOrderStream);
  if (stream != onednn::kSuccess) return Failed("dnnl_stream_create", stream);
  return opened;
}

probe::Result<onednn::Handle> OneDnn::Describe(const Layout& layout) const {
  const std::int64_t sizes[onednn::kMaxDimensions] = {layout.rows, layout.columns};
  const std::int64_t strides[onednn::kMaxDimensions] = {layout.next_row, layout.next_column};
  onednn::Handle description = nullptr;
  const auto status = call_.describe(&description, 2, sizes, layout.type, strides);
  if (status == onednn::kSuccess) return description;
  return Failed("dnnl_memory_desc_create_with_strides", status);
}

probe::Result<onednn::Handle> OneDnn::MakeMemory(onednn::Handle description, const void* address) const {
  onednn::Handle memory = nullptr;
  void* own = const_cast<void*>(address);
  const auto status = call_.memory_create(&memory, description, engine_, 1, &own);
  if (status == onednn::kSuccess) return memory;
  return Failed("dnnl_ze_interop_memory_create", status);
}

// The weights are k x n to the library, whose columns lie one after the other.
probe::Result<OneDnn::Matmul> OneDnn::Make(const stream::Product& product) const {
  const auto& [type, m, n, k, a, b, c, rough] = product;
  const std::array layouts = {Layout{m, k, k, 1, type.numbers.operand},
                              Layout{k, n, 1, k, type.numbers.operand},
                              Layout{m, n, n, 1, type.numbers.result}};
  std::array<onednn::Handle, 3> described{}, memories{};
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto description = Describe(layouts[i]);
    if (!description) return description.error();
    described[i] = *description;
  }
  onednn::Handle how = nullptr, primitive = nullptr;
  if (const auto status =
          call_.describe_matmul(&how, engine_, described[0], described[1], nullptr, described[2], nullptr);
      status != onednn::kSuccess)
    return Failed("dnnl_matmul_primitive_desc_create", status);
  if (const auto status = call_.primitive_create(&primitive, how); status != onednn::kSuccess)
    return Failed("dnnl_primitive_create", status);
  const std::array<const void*, 3> addresses = {a, b, c};
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const auto memory = MakeMemory(described[i], addresses[i]);
    if (!memory) return memory.error();
    memories[i] = *memory;
  }
  return Matmul{primitive, memories[0], memories[1], memories[2]};
}

probe::Status OneDnn::Prepare(const stream::Product& product) {
  const Key key(&product.type, product.m, product.n, product.k);
  if (made_.contains(key)) return probe::Ok();
  const auto matmul = Make(product);
  if (!matmul) return matmul.error();
  made_.emplace(key, *matmul);
  return probe::Ok();
}

probe::Status OneDnn::Start(const stream::Product& product) {
  const Matmul& matmul = made_.at(Key(&product.type, product.m, product.n, product.k));
  const std::array<std::pair<onednn::Handle, const void*>, 3> data = {
      {{matmul.a, product.a}, {matmul.b, product.b}, {matmul.c, product.c}}};
  for (const auto& [memory, address] : data) {
    const auto status = call_.memory_set_data(memory, const_cast<void*>(address));
    if (status != onednn::kSuccess) return Failed("dnnl_memory_set_data_handle", status);
  }
  const std::array<onednn::Argument, 3> arguments = {
      {{onednn::kSource, matmul.a}, {onednn::kWeights, matmul.b}, {onednn::kDestination, matmul.c}}};
  return Check("dnnl_primitive_execute",
               call_.primitive_execute(matmul.primitive, stream_, 3, arguments.data()));
}

probe::Status OneDnn::Finish() const { return Check("dnnl_stream_wait", call_.stream_wait(stream_)); }

}  // namespace backends::level_zero
