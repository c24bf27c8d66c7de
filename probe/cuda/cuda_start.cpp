// SPDX-License-Identifier: MIT
// Which file is this machine's libcuda, and how it is started.
#include <algorithm>
#include <array>
#include <utility>

#include "probe/cuda/cuda_api.h"
#include "probe/system/wsl.h"

namespace probe::cuda {
namespace {

constexpr CuResult kDriverMismatch = 803, kCompatNotSupported = 804;

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
  return code == kCuErrorStubLibrary || code == kDriverMismatch || code == kCompatNotSupported;
}

// Whose file it is that failed, as far as that tells: what a stub says is of no machine, what a compat
// package says is not of this one.
enum class Standing { kStub, kOthers, kMachines };

Standing StandingOf(const StartedDriver& started, bool wsl) {
  if (started.code == kCuErrorStubLibrary) return Standing::kStub;
  const bool is_others =
      IsOfAnotherDriver(started.code) || (wsl && !IsWindowsDriver(started.library.path.value_or("")));
  return is_others ? Standing::kOthers : Standing::kMachines;
}

// A file that shows no device may be one more that is not this machine's driver: in WSL a Linux driver's, or
// one of a compat package.
bool MayNextDoBetter(const StartedDriver& started, bool wsl) {
  return started.code == kCuErrorNoDevice || StandingOf(started, wsl) != Standing::kMachines;
}

struct Search {
  std::span<const std::string_view> names;
  std::vector<std::string> directories;
  const system::FileSystem& files;
  const system::Environment& environment;
};

// The first file that loads, all its functions found and cuInit called.
Result<StartedDriver> StartFirst(const Search& search, std::span<const std::string> passed_over,
                                 const StartListener& listener) {
  if (listener.load) listener.load();
  const auto library =
      system::Library::Open(search.names, search.directories, search.files, search.environment, passed_over);
  if (!library) return NotInstalled(library.error());
  StartedDriver started;
  started.library = library->info();
  if (listener.loaded) listener.loaded(started.library);
  const auto api = ResolveApi(*library);
  if (!api) return api.error();
  started.api = *api;
  if (listener.init) listener.init(started.api);
  started.code = started.api.cuInit(0);
  return started;
}

std::vector<StartedDriver::PassedOver> AsPassedOver(const std::vector<StartedDriver>& refused) {
  std::vector<StartedDriver::PassedOver> out;
  out.reserve(refused.size());
  for (const auto& one : refused) out.push_back({one.library.path.value_or(""), one.code});
  return out;
}

// The first that may be this machine's driver, as programs find it; else the last of another driver's: it
// says what is to be done, which a stub does not.
StartedDriver MostTelling(std::vector<StartedDriver> refused, const Error& behind, bool wsl) {
  auto chosen = refused.begin();
  for (auto one = refused.begin(); one != refused.end(); ++one) {
    const auto standing = StandingOf(*one, wsl), best = StandingOf(*chosen, wsl);
    if (standing > best || (standing == best && standing != Standing::kMachines)) chosen = one;
  }
  StartedDriver told = std::move(*chosen);
  refused.erase(chosen);
  const bool is_machines = StandingOf(told, wsl) == Standing::kMachines;
  std::erase_if(refused, [&](const auto& one) { return StandingOf(one, wsl) == Standing::kMachines; });
  told.passed_over = AsPassedOver(refused);
  if (!is_machines && !behind.name.empty() && !behind.Is(OwnError::kAbsent)) told.behind = behind;
  return told;
}

}  // namespace

bool IsWindowsDriver(std::string_view path) { return path.starts_with("/usr/lib/wsl/"); }

bool IsForToolAlone(const std::string& path, const system::FileSystem& files,
                    const system::Environment& environment) {
  return system::Library::IsForToolAlone(path, kDriverNames, DriverDirectories(), files, environment);
}

Result<Library> FindDriver(const system::FileSystem& files, const system::Environment& environment) {
  return Find(files, environment, {});
}

Result<StartedDriver> StartDriver(const system::FileSystem& files, const system::Environment& environment,
                                  const StartListener& listener) {
  const Search search{kDriverNames, DriverDirectories(), files, environment};
  const bool wsl = files.Exists(system::kWslGpuNode);
  std::vector<StartedDriver> refused;
  for (std::vector<std::string> tried;;) {
    auto started = StartFirst(search, tried, listener);
    if (!started) return refused.empty() ? started : MostTelling(std::move(refused), started.error(), wsl);
    if (started->code == kCuSuccess) {
      started->passed_over = AsPassedOver(refused);
      return started;
    }
    const bool is_last = !MayNextDoBetter(*started, wsl);
    tried.push_back(started->library.path.value_or(""));
    refused.push_back(*std::move(started));
    if (is_last) return MostTelling(std::move(refused), {}, wsl);
    const auto next = Find(files, environment, tried);
    if (!next) return MostTelling(std::move(refused), next.error(), wsl);
    if (next->path == tried.back()) return MostTelling(std::move(refused), {}, wsl);
  }
}

Result<StartedDriver> StartDriverAt(const std::string& path, const system::FileSystem& files,
                                    const system::Environment& environment) {
  const std::array<std::string_view, 1> names = {path};
  if (!path.empty()) {
    auto started = StartFirst({names, {}, files, environment}, {}, {});
    if (started && !IsOfAnotherDriver(started->code)) return started;
  }
  return StartDriver(files, environment);
}

void LoadCompiler(const system::FileSystem& files, const system::Environment& environment,
                  const Library& driver) {
  const std::string path = driver.path.value_or("");
  const std::string file = path.substr(0, path.rfind('/') + 1) + "libnvidia-ptxjitcompiler.so.1";
  const std::array<std::string_view, 1> names = {file};
  (void)system::Library::Open(names, {}, files, environment);
}

}  // namespace probe::cuda
