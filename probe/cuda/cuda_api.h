// SPDX-License-Identifier: MIT
// The door to CUDA for this folder and for backends/cuda: the functions of libcuda, their errors, and what a
// device says of itself. Computes nothing; what the management library knows is in cuda_nvml.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/cuda/cuda_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace probe::cuda {

// The functions of cuda_symbols.def; a missing optional one is nullptr.
struct Api {
#define WHICHGPU_CUDA_SYMBOL(name, symbol, required) \
  decltype(&functions::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): declares it
#include "probe/cuda/cuda_symbols.def"
#undef WHICHGPU_CUDA_SYMBOL
};

inline constexpr std::array<std::string_view, 1> kDriverNames = {"libcuda.so.1"};
// Where the driver's libraries lie beside the loader's own path: containers, WSL2, Jetson, NixOS.
[[nodiscard]] std::vector<std::string> DriverDirectories();
// Where math libraries (cuBLASLt, NCCL) lie: toolkits, Python environments (`nvidia/*/lib`), conda, Ollama.
[[nodiscard]] std::vector<std::string> LibraryDirectories(const system::FileSystem& files,
                                                          const system::Environment& environment);

// Of the Windows host under this Linux (WSL), which has its libraries in a folder of their own.
[[nodiscard]] bool IsWindowsDriver(std::string_view path);

// Whether a file of that name is brought by WHICHGPU_LIBRARY_PATH alone, of which other programs know
// nothing.
[[nodiscard]] bool IsForToolAlone(const std::string& path, const system::FileSystem& files,
                                  const system::Environment& environment);

// libcuda.so.1, which the kernel driver's packages install, not loaded. Errors as system::Library::Find.
[[nodiscard]] Result<Library> FindDriver(const system::FileSystem& files,
                                         const system::Environment& environment);

// A libcuda that was loaded, and what its cuInit said.
struct StartedDriver {
  struct PassedOver {
    std::string path;
    CuResult code;
  };
  Library library;
  Api api;
  CuResult code = kCuSuccess;
  // Other files that say by their cuInit that they are not this machine's driver: the toolkit's stub, one of
  // a cuda-compat package, one of another release, in WSL one of a Linux driver. They stay loaded: a compat
  // library that is closed after its cuInit has crashed programs (JuliaGPU/CUDA.jl, issue 1848).
  std::vector<PassedOver> passed_over;
  // Where no file is the driver: why the one behind the refused ones could not be asked.
  std::optional<Error> behind;
};
// What is told of each file on the way.
struct StartListener {
  std::function<void()> load;
  std::function<void(const Library&)> loaded;
  std::function<void(const Api&)> init;  // before cuInit
};
// The first libcuda.so.1 that is this machine's driver and shows a device. Where none does, the first that
// may be its driver; else the last whose code tells more than that it is a stub; else the last stub. Errors,
// where no file could be asked, as system::Library::Open, and one that names the first required symbol that
// the library lacks.
[[nodiscard]] Result<StartedDriver> StartDriver(const system::FileSystem& files,
                                                const system::Environment& environment,
                                                const StartListener& listener = {});
// The fact of a device that names the file of the driver that shows it, where others were passed over.
inline constexpr std::string_view kLibraryFact = "libcuda";
// That file, before any other is loaded: the vendor's libraries ask the loader for libcuda.so.1 by name,
// which answers with the first of that name in the process, be it a stub. StartDriver where `path` is empty
// or is not this machine's driver any more.
[[nodiscard]] Result<StartedDriver> StartDriverAt(const std::string& path, const system::FileSystem& files,
                                                  const system::Environment& environment);
// Loads the driver's compiler for PTX from its own folder. The driver asks the loader for it by name, which
// fails where the loader does not look into that folder, unless it is there already. Without it, it is the
// driver that says so.
void LoadCompiler(const system::FileSystem& files, const system::Environment& environment,
                  const Library& driver);

// An Error for the code that `call` returned, with NVIDIA's name of it.
[[nodiscard]] Error ErrorOf(std::string_view call, CuResult code);
// Whether a process that met this code can make no more use of the device.
[[nodiscard]] bool EndsContext(std::int64_t code);

// The devices that CUDA shows this process, after cuInit; at most kMaxDevices.
inline constexpr int kMaxDevices = 128;
[[nodiscard]] Result<std::vector<CuDevice>> Devices(const Api& api);

[[nodiscard]] std::optional<int> Attribute(const Api& api, CuDevice device, CuAttribute attribute);

// Everything that libcuda says of one device without a context: free memory is left out. A MIG instance has
// its parent's address and a partition, "MIG-" and its own UUID until NVML names it.
[[nodiscard]] RuntimeDevice ReadDevice(const Api& api, CuDevice device, std::uint32_t ordinal);

// A context was refused. By the device's compute mode (nvidia-smi -c) this says which of the reasons that the
// code has is the one; the error's name is then a more exact one.
[[nodiscard]] Error ExplainNoContext(const Api& api, CuDevice device, CuResult code);

// The UUID in "GPU-<uuid>" or "MIG-<uuid>".
[[nodiscard]] std::optional<Uuid> UuidIn(std::string_view text);

// What others do on a GPU; absent what the management library does not tell.
struct GpuLoad {
  std::optional<unsigned int> utilization_percent;  // of the last second
  std::optional<unsigned int> processes;            // that compute
};
// "3 other processes on it, 97 % busy"; "" where the GPU is idle.
[[nodiscard]] std::string DescribeLoad(const GpuLoad& load);
// Whether the management library says that nobody works on it, whoever holds memory there.
[[nodiscard]] bool IsIdle(const GpuLoad& load);

struct GpuClocks {
  std::string throttled_by;     // "power cap, hardware thermal"; "" where nothing holds them back
  std::string limited_by;       // "its power limit of 700 W", where that is what the card is made for
  std::optional<double> share;  // of the highest clock of the multiprocessors
  std::optional<double> temperature_c;
  std::optional<double> power_w;
};

// The management library's eye on one device, to be opened before it is used and asked while it is; an answer
// takes microseconds.
class Monitor {
 public:
  // nullopt where the library is missing, fails or does not know the device.
  [[nodiscard]] static std::optional<Monitor> Open(const system::FileSystem& files,
                                                   const system::Environment& environment,
                                                   const Identity& identity);
  [[nodiscard]] GpuLoad load() const;
  [[nodiscard]] GpuClocks clocks() const;

 private:
  struct Handles;
  explicit Monitor(std::shared_ptr<const Handles> handles) : handles_(std::move(handles)) {}
  std::shared_ptr<const Handles> handles_;
};

// "12.4" of 12040.
[[nodiscard]] std::string VersionText(int version);

}  // namespace probe::cuda
