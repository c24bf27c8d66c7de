// SPDX-License-Identifier: MIT
// A fake libdnnl: products computed from the descriptions and addresses that were passed, in the memory of
// the fake loader that is in this process already, and not before somebody waits. Attributes of the driver:
// onednn_runtime (what dnnl_version says of GPUs, DNNL_RUNTIME_ZE; of any other nothing else may be called),
// onednn_engine (the status that making one returns), onednn_lacks (the type, of dnnl_data_type_t, that has
// no product), onednn_wait (the status that waiting returns), onednn_abort, onednn_hang, onednn_wrong (1: a
// product takes its weights for their transpose).
#include "backends/level_zero/onednn.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/fakes/level_zero/state.h"

namespace fakes::level_zero {
namespace {

using namespace backends::onednn;  // NOLINT: its constants

constexpr Status kRuntimeError = 5;

struct Layout {
  std::int64_t rows = 0, columns = 0, next_row = 0, next_column = 0;
  int type = 0;
  [[nodiscard]] bool is_row_major() const { return next_row == columns && next_column == 1; }
  [[nodiscard]] bool is_transposed() const { return next_row == 1 && next_column == rows; }
};
struct Primitive {
  Layout a, b, c;
};
struct Memory {
  Layout layout;
  void* address = nullptr;
};
struct Stream {
  std::vector<std::function<Status()>> started;
};

bool Wants(const char* attribute) { return GetOfDriver(attribute, 0) != 0; }

unsigned Runtime() {
  return static_cast<unsigned>(GetOfDriver("onednn_runtime", backends::level_zero::kOneDnnRuntime));
}
// Of the real one's other builds functions are missing.
void ExpectOurBuild() {
  if (Runtime() != backends::level_zero::kOneDnnRuntime) std::abort();
}

Status Multiply(const Layout& a, const Layout& b, const std::array<void*, 3>& at) {
  using Call =
      std::uint32_t(int, bool, const std::array<std::uint64_t, 3>&, const std::array<std::int64_t, 3>&);
  static void* loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto multiply = reinterpret_cast<Call*>(dlsym(loader, "zeFakeMultiply"));
  const auto result =
      multiply(a.type, b.is_transposed() != Wants("onednn_wrong"),
               {AddressOf(at[0]), AddressOf(at[1]), AddressOf(at[2])}, {a.rows, b.columns, a.columns});
  return result == rt::kZeSuccess ? kSuccess : kRuntimeError;
}

}  // namespace
}  // namespace fakes::level_zero

using namespace fakes::level_zero;  // NOLINT: the entry points below are C

#define FAKE_DNNL extern "C" [[gnu::visibility("default")]] Status

extern "C" [[gnu::visibility("default")]] const Version* dnnl_version() {
  static const Version version{3, 13, 2, "", 0, Runtime()};
  return &version;
}
FAKE_DNNL dnnl_ze_interop_engine_create(Handle* engine, rt::ZeDriver driver, rt::ZeDevice device,
                                        rt::ZeContext context) {
  ExpectOurBuild();
  static int self = 0;
  // The fake's contexts are their driver's handle.
  const bool is_of_one = driver != nullptr && device != nullptr && AddressOf(context) == AddressOf(driver);
  *engine = &self;
  return is_of_one ? static_cast<Status>(GetOfDriver("onednn_engine", kSuccess)) : kInvalidArguments;
}
FAKE_DNNL dnnl_stream_create(Handle* stream, Handle engine, unsigned flags) {
  *stream = new Stream;
  return engine != nullptr && flags == kInOrderStream ? kSuccess : kInvalidArguments;
}
FAKE_DNNL dnnl_stream_wait(Handle stream) {
  auto started = std::exchange(static_cast<Stream*>(stream)->started, {});
  for (const auto& product : started) {
    if (const Status status = product(); status != kSuccess) return status;
  }
  return static_cast<Status>(GetOfDriver("onednn_wait", kSuccess));
}
FAKE_DNNL dnnl_memory_desc_create_with_strides(Handle* description, int dimensions, const std::int64_t* sizes,
                                               int type, const std::int64_t* strides) {
  if (dimensions != 2) return kInvalidArguments;
  *description = new Layout{sizes[0], sizes[1], strides[0], strides[1], type};
  return kSuccess;
}
FAKE_DNNL dnnl_matmul_primitive_desc_create(Handle* description, Handle, const void* source,
                                            const void* weights, const void* bias, const void* destination,
                                            const void* attributes) {
  const auto &a = *static_cast<const Layout*>(source), &b = *static_cast<const Layout*>(weights),
             &c = *static_cast<const Layout*>(destination);
  if (bias != nullptr || attributes != nullptr) return kUnimplemented;
  if (a.columns != b.rows || a.rows != c.rows || b.columns != c.columns) return kInvalidArguments;
  const bool is_laid_out = a.is_row_major() && (b.is_row_major() || b.is_transposed()) && c.is_row_major();
  const bool has_types = b.type == a.type && c.type == (a.type == kS8 ? kS32 : kF32);
  if (!is_laid_out || !has_types || a.type == GetOfDriver("onednn_lacks", 0)) return kUnimplemented;
  *description = new Primitive{a, b, c};
  return kSuccess;
}
FAKE_DNNL dnnl_primitive_create(Handle* primitive, const void* description) {
  *primitive = new Primitive(*static_cast<const Primitive*>(description));
  return kSuccess;
}
FAKE_DNNL dnnl_ze_interop_memory_create(Handle* memory, const void* description, Handle engine, int count,
                                        void** addresses) {
  if (engine == nullptr || count != 1) return kInvalidArguments;
  *memory = new Memory{*static_cast<const Layout*>(description), addresses[0]};
  return kSuccess;
}
FAKE_DNNL dnnl_memory_set_data_handle(Handle memory, void* address) {
  static_cast<Memory*>(memory)->address = address;
  return kSuccess;
}
FAKE_DNNL dnnl_primitive_execute(const void* primitive, Handle stream, int count, const Argument* arguments) {
  const auto& product = *static_cast<const Primitive*>(primitive);
  if (Wants("onednn_abort")) std::abort();
  if (Wants("onednn_hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  std::array<void*, 3> at{};
  for (int i = 0; i < count; ++i) {
    const int what = arguments[i].what;
    at.at(what == kSource    ? 0
          : what == kWeights ? 1
                             : 2) = static_cast<Memory*>(arguments[i].memory)->address;
  }
  static_cast<Stream*>(stream)->started.push_back([=] { return Multiply(product.a, product.b, at); });
  return kSuccess;
}
