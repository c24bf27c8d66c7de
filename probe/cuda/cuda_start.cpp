// SPDX-License-Identifier: MIT
// Which file is this machine's libcuda, and how it is started.
#include <array>

#include "probe/cuda/cuda_api.h"

namespace probe::cuda {
namespace {

constexpr CuResult kStubLibrary = 34, kDriverMismatch = 803, kCompatNotSupported = 804;

Error NotInstalled(Error error) {
  if (error.Is(OwnError::kAbsent)) error.text = "NVIDIA's driver is not installed: there is no libcuda.so.1";
  return error;
}

Result<Library> Find(const system::FileSystem& files, const system::Environment& environment,
                     std::span<const std::string> passed_over) {
  auto library = system::Library::Find(kDriverNames, DriverDirectories(), files, environment, passed_over);
  if (library.ok()) return library;
  return NotInstalled(library.error());
}

Result<Api> ResolveApi(const system::Library& library) {
  Api api;
  std::string_view missing;
#define WHICHGPU_CUDA_SYMBOL(name, symbol, required)               \
  api.name = library.Function<decltype(&functions::name)>(symbol); \
  if ((required) && missing.empty() && api.name == nullptr) missing = symbol;
#include "probe/cuda/cuda_symbols.def"
#undef WHICHGPU_CUDA_SYMBOL
  if (missing.empty()) return api;
  return Error{"dlsym " + std::string(missing), std::nullopt, "missing_symbol",
               library.info().path.value_or(library.info().soname) +
                   " lacks a function that every driver since CUDA 7 has: it is too old, or no driver"};
}

bool IsOfAnotherDriver(CuResult code) {
  return code == kStubLibrary || code == kDriverMismatch || code == kCompatNotSupported;
}

}  // namespace

Result<Library> FindDriver(const system::FileSystem& files, const system::Environment& environment) {
  return Find(files, environment, {});
}

Result<StartedDriver> StartDriver(const system::FileSystem& files, const system::Environment& environment,
                                  const StartListener& listener) {
  StartedDriver started;
  for (std::vector<std::string> passed_over;;) {
    if (listener.load) listener.load();
    const auto library =
        system::Library::Open(kDriverNames, DriverDirectories(), files, environment, passed_over);
    if (!library) return NotInstalled(library.error());
    started.library = library->info();
    if (listener.loaded) listener.loaded(started.library);
    const auto api = ResolveApi(*library);
    if (!api) return api.error();
    started.api = *api;
    if (listener.init) listener.init(started.api);
    started.code = started.api.cuInit(0);
    if (!IsOfAnotherDriver(started.code)) return started;
    passed_over.push_back(started.library.path.value_or(""));
    const auto next = Find(files, environment, passed_over);
    if (!next || next->path == started.library.path) return started;
    started.passed_over.push_back({passed_over.back(), started.code});
  }
}

void LoadCompiler(const system::FileSystem& files, const system::Environment& environment,
                  const Library& driver) {
  const std::string path = driver.path.value_or("");
  const std::string file = path.substr(0, path.rfind('/') + 1) + "libnvidia-ptxjitcompiler.so.1";
  const std::array<std::string_view, 1> names = {file};
  (void)system::Library::Open(names, {}, files, environment);
}

}  // namespace probe::cuda
