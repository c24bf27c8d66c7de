// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/ptx_drivers.h"

#include "backends/core/sharing.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

constexpr std::array<std::string_view, 1> kNcclSonames = {"libnccl.so.2"};
constexpr std::size_t kLogBytes = 8192;

probe::Status StatusOf(std::string_view call, rt::CuResult code) {
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf(call, code));
}

// 13 of "libcublasLt.so.13".
int MajorOf(std::string_view soname) {
  return probe::ParseNumber<int>(soname.substr(soname.rfind('.') + 1)).value_or(0);
}

// A library of a newer CUDA than the driver's loads and then fails.
std::vector<std::string_view> SonamesFor(int driver_major) {
  std::vector<std::string_view> sonames(CublasLt().sonames.begin(), CublasLt().sonames.end());
  std::erase_if(sonames, [&](std::string_view soname) { return MajorOf(soname) > driver_major; });
  return sonames;
}

// Whether a device of that compute capability is one that the text is for: "a" is one chip, "f" a family.
bool IsFor(std::string_view ptx, int capability) {
  constexpr std::string_view kDirective = "\n.target sm_";
  const auto at = ptx.find(kDirective);
  if (at == std::string_view::npos) return true;
  ptx.remove_prefix(at + kDirective.size());
  std::string_view target = probe::TakeUpTo(ptx, '\n');
  const char of = target.empty() ? ' ' : target.back();
  if (of == 'a' || of == 'f') target.remove_suffix(1);
  const int oldest = probe::ParseNumber<int>(target).value_or(0);
  if (of == 'a') return capability == oldest;
  return capability >= oldest && (of != 'f' || capability / 10 == oldest / 10);
}

// Of a module that is newer than the driver: no fault of the driver's, whose other programs run. Of the
// oldest version it is one, and the error stays as it is.
probe::Error TooNew(std::string_view ptx, probe::Error error) {
  constexpr std::string_view kDirective = "\n.version ";
  const auto at = ptx.find(kDirective);
  if (at == std::string_view::npos) return error;
  ptx.remove_prefix(at + kDirective.size());
  const auto version = probe::TakeUpTo(ptx, '\n');
  for (const auto& [known, driver] : probe::ParseTable<2>(data::kPtxDrivers)) {
    if (known != version) continue;
    error.name = NameOf(probe::OwnError::kNoSuchKernel);
    error.text = fmt::format("needs a driver that knows PTX {} ({})", version, driver);
  }
  return error;
}

probe::Result<rt::CuModule> LoadModule(const rt::Api& api, std::string_view ptx) {
  std::string log(kLogBytes, '\0');
  std::array options = {rt::kCuJitErrorLog, rt::kCuJitErrorLogBytes};
  // The size travels as the pointer's value: so the interface has it.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(kLogBytes)};
  rt::CuModule module = nullptr;
  const rt::CuResult code = api.cuModuleLoadDataEx(&module, ptx.data(), 2, options.data(), values.data());
  if (code == kCuSuccess) return module;
  probe::Error error = ErrorOf("cuModuleLoadDataEx", code);
  if (code == rt::kCuErrorUnsupportedPtxVersion) return TooNew(ptx, std::move(error));
  const std::string words = probe::LogTail(log);
  if (!words.empty()) error.text += (error.text.empty() ? "" : ": ") + words;
  return error;
}

}  // namespace

std::string WhyCublasLtIsTooNew(std::string_view driver_cuda, const probe::system::FileSystem& files,
                                const probe::system::Environment& environment) {
  using probe::system::Library;
  std::string_view rest = driver_cuda;
  const auto major = probe::ParseNumber<int>(probe::TakeUpTo(rest, '.'));
  const auto directories = rt::LibraryDirectories(files, environment);
  if (!major || Library::Exists(SonamesFor(*major), directories, files, environment)) return "";
  const auto newer = Library::Find(CublasLt().sonames, directories, files, environment);
  if (!newer) return "";
  return fmt::format(
      "{} is of a newer CUDA than {}, which is the driver's: install that of CUDA {}, or a newer driver",
      newer->path.value_or(newer->soname), driver_cuda, *major);
}

CudaRuntime::CudaRuntime(const rt::Api& api, const std::vector<OpenedDevice>& devices,
                         const OpenRequest& request)
    : Runtime({.allocate = "cuMemAlloc",
               .upload = "cuMemcpyHtoD",
               .download = "cuMemcpyDtoH",
               .attribute = "cuDeviceGetAttribute"}),
      api_(api),
      files_(request.files),
      environment_(request.environment),
      monitor_(devices.front().monitor),
      facts_(devices.front().found) {
  for (const OpenedDevice& device : devices)
    devices_.push_back({device.id, static_cast<int>(device.found.ordinal)});
}

probe::Status CudaRuntime::Enter(std::size_t device) {
  rt::CuContext& context = devices_[device].context;
  if (context == nullptr) {
    rt::CuContext retained = nullptr;
    if (const auto code = api_.cuDevicePrimaryCtxRetain(&retained, devices_[device].id); code != kCuSuccess)
      return rt::ExplainNoContext(api_, devices_[device].id, code);
    context = retained;
  }
  return StatusOf("cuCtxSetCurrent", api_.cuCtxSetCurrent(context));
}

probe::Result<stream::Runtime::Memory> CudaRuntime::AskMemory() {
  std::size_t free = 0, total = 0;
  if (const auto code = api_.cuMemGetInfo(&free, &total); code != kCuSuccess)
    return ErrorOf("cuMemGetInfo", code);
  return Memory{free, total};
}

probe::Result<std::uint64_t> CudaRuntime::Allocate(std::uint64_t bytes) {
  rt::CuPointer memory = 0;
  if (const auto code = api_.cuMemAlloc(&memory, bytes); code != kCuSuccess)
    return ErrorOf("cuMemAlloc", code);
  return std::uint64_t{memory};
}

probe::Result<HostBuffer> CudaRuntime::AllocateHost(std::uint64_t bytes) {
  if (api_.cuMemHostAlloc == nullptr || api_.cuMemFreeHost == nullptr) return NoHostMemory();
  void* memory = nullptr;
  if (const auto code = api_.cuMemHostAlloc(&memory, bytes, 0); code != kCuSuccess)
    return ErrorOf("cuMemHostAlloc", code);
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [free = api_.cuMemFreeHost](void* pinned) { free(pinned); }}};
}

probe::Status CudaRuntime::Write(std::uint64_t to, std::span<const std::byte> data) {
  auto code = api_.cuMemcpyHtoD(to, data.data(), data.size());
  // Pageable memory may still be on its way from the driver's own when the call returns.
  if (code == kCuSuccess) code = api_.cuCtxSynchronize();
  return StatusOf(names().upload, code);
}

probe::Status CudaRuntime::Read(std::uint64_t from, std::span<std::byte> data) {
  return StatusOf(names().download, api_.cuMemcpyDtoH(data.data(), from, data.size()));
}

probe::Status CudaRuntime::Synchronize() { return StatusOf("cuCtxSynchronize", api_.cuCtxSynchronize()); }

DeviceState CudaRuntime::State() const {
  auto state = StateOfCard(facts_, files_);
  if (!monitor_) return state;
  auto clocks = monitor_->clocks();
  state.throttled_by = std::move(clocks.throttled_by);
  state.clock_share = clocks.share;
  state.limited_by = std::move(clocks.limited_by);
  state.temperature_c = clocks.temperature_c;
  state.power_w = clocks.power_w;
  return state;
}

probe::Result<void*> CudaRuntime::CreateEvent() {
  rt::CuEvent event = nullptr;
  if (const auto code = api_.cuEventCreate(&event, 0); code != kCuSuccess)
    return ErrorOf("cuEventCreate", code);
  return static_cast<void*>(event);
}

bool CudaRuntime::Record(void* event) {
  return api_.cuEventRecord(static_cast<rt::CuEvent>(event), nullptr) == kCuSuccess;
}

std::optional<double> CudaRuntime::SecondsBetween(void* first, void* last) {
  float milliseconds = 0;
  const auto code =
      api_.cuEventElapsedTime(&milliseconds, static_cast<rt::CuEvent>(first), static_cast<rt::CuEvent>(last));
  if (code != kCuSuccess || !(milliseconds > 0)) return std::nullopt;
  return static_cast<double>(milliseconds) * 1e-3;
}

const probe::Result<rt::CuModule>& CudaRuntime::ModuleOf(std::string_view ptx) {
  auto known = modules_.find(ptx.data());
  if (known == modules_.end()) known = modules_.emplace(ptx.data(), LoadModule(api_, ptx)).first;
  return known->second;
}

const probe::Result<rt::CuModule>& CudaRuntime::ModuleOf(const kernels::Step& step) {
  const auto& module = ModuleOf(step.source);
  if (module || step.older_source.empty() || module.error().code != rt::kCuErrorUnsupportedPtxVersion)
    return module;
  const auto& older = ModuleOf(step.older_source);
  if (older) return older;
  // Of two texts for this chip that are both too new, the older one's driver would do.
  const auto& chip = devices_.front().id;
  const int capability = 10 * rt::Attribute(api_, chip, rt::kCuCapabilityMajor).value_or(0) +
                         rt::Attribute(api_, chip, rt::kCuCapabilityMinor).value_or(0);
  const bool too_new = older.error().code == rt::kCuErrorUnsupportedPtxVersion;
  return too_new && IsFor(step.older_source, capability) ? older : module;
}

probe::Result<stream::Function> CudaRuntime::Load(const kernels::Step& step) {
  const auto& module = ModuleOf(step);
  if (!module) return module.error();
  const std::string entry(step.entry);
  rt::CuFunction function = nullptr;
  if (const auto code = api_.cuModuleGetFunction(&function, *module, entry.c_str()); code != kCuSuccess)
    return ErrorOf("cuModuleGetFunction " + entry, code);
  int threads = 0;
  const auto asked = api_.cuFuncGetAttribute(&threads, rt::kCuFunctionMaxThreads, function);
  if (asked != kCuSuccess) threads = 0;
  if (step.shared_bytes > 0 && api_.cuFuncSetAttribute != nullptr) {
    const auto set = api_.cuFuncSetAttribute(function, rt::kCuFunctionMaxDynamicSharedBytes,
                                             static_cast<int>(step.shared_bytes));
    if (set != kCuSuccess) return ErrorOf("cuFuncSetAttribute " + entry, set);
    // A wish: as many blocks beside each other as their registers allow.
    api_.cuFuncSetAttribute(function, rt::kCuFunctionSharedPercent, 100);
  }
  return stream::Function{function, step.entry, static_cast<std::uint32_t>(std::max(threads, 0)),
                          step.shared_bytes};
}

// Bytes, so that one map serves every type; boxes as wide as the swizzle's pattern.
probe::Result<stream::Argument> CudaRuntime::MapMatrix(std::uint64_t address, const kernels::MatrixMap& map) {
  constexpr std::array<std::uint32_t, 2> kStep = {1, 1};
  const std::array<std::uint64_t, 2> edges = {map.row_bytes, map.rows};
  const std::array<std::uint32_t, 2> box = {rt::kCuSwizzledBytes, map.box_rows};
  stream::Argument argument;
  const auto code = api_.cuTensorMapEncodeTiled(
      reinterpret_cast<rt::CuTensorMap*>(argument.words.data()), rt::kCuMapBytes, 2,
      stream::DevicePointer(address), edges.data(), edges.data(), box.data(), kStep.data(),
      rt::kCuMapNoInterleave, rt::kCuMapSwizzle128, rt::kCuMapPromote256, rt::kCuMapFillZero);
  if (code != kCuSuccess) return ErrorOf("cuTensorMapEncodeTiled", code);
  return argument;
}

probe::Status CudaRuntime::StartLaunch(const stream::Function& function, const kernels::LaunchShape& shape,
                                       void** arguments) {
  const auto& [x, y, z] = shape.groups;
  const auto& local = shape.local;
  const auto code =
      api_.cuLaunchKernel(static_cast<rt::CuFunction>(function.handle), x, y, z, local[0], local[1], local[2],
                          function.shared_bytes, nullptr, arguments, nullptr);
  if (code != kCuSuccess) return ErrorOf(fmt::format("cuLaunchKernel {}", function.entry), code);
  return probe::Ok();
}

probe::Result<stream::Products> CudaRuntime::OpenProducts(std::string_view,
                                                          std::uint64_t max_workspace_bytes) {
  int version = 0;
  if (const auto code = api_.cuDriverGetVersion(&version); code != kCuSuccess)
    return ErrorOf("cuDriverGetVersion", code);
  std::vector<std::string_view> sonames = SonamesFor(version / 1000);
  std::optional<probe::Error> failed;
  while (!sonames.empty()) {
    const auto library = probe::system::Library::Open(sonames, rt::LibraryDirectories(files_, environment_),
                                                      files_, environment_);
    if (!library) return failed.value_or(library.error());
    auto products = stream::OpenBlasLt(*library, CublasLt(), *this, max_workspace_bytes);
    if (products) return products;
    if (!failed) failed = products.error();
    std::erase_if(sonames, [&](std::string_view soname) { return soname == library->info().soname; });
  }
  return failed.value_or(probe::Own(probe::OwnError::kAbsent, "dlopen", "none is installed"));
}

probe::Status CudaRuntime::CheckPeerCopies() const {
  if (api_.cuMemcpyPeerAsync != nullptr) return probe::Ok();
  return probe::Error{"dlsym cuMemcpyPeerAsync", std::nullopt, "missing_symbol",
                      "the driver is too old to copy between devices"};
}

bool CudaRuntime::OpenWay(std::size_t from, std::size_t to) {
  if (api_.cuDeviceCanAccessPeer == nullptr || api_.cuCtxEnablePeerAccess == nullptr) return false;
  int can = 0;
  if (api_.cuDeviceCanAccessPeer(&can, devices_[from].id, devices_[to].id) != kCuSuccess || can == 0)
    return false;
  const auto code = api_.cuCtxEnablePeerAccess(devices_[to].context, 0);
  return code == kCuSuccess || code == rt::kCuErrorPeerAccessAlreadyEnabled;
}

probe::Status CudaRuntime::StartCopy(Place to, Place from, std::uint64_t bytes) {
  return StatusOf("cuMemcpyPeerAsync",
                  api_.cuMemcpyPeerAsync(to.address, devices_[to.device].context, from.address,
                                         devices_[from.device].context, bytes, nullptr));
}

probe::Result<stream::Runtime::Nccl> CudaRuntime::OpenNccl() {
  if (api_.cuStreamCreate == nullptr || api_.cuStreamSynchronize == nullptr)
    return probe::Error{"dlsym cuStreamCreate", std::nullopt, "missing_symbol",
                        "the driver is too old for NCCL"};
  auto library = probe::system::Library::Open(kNcclSonames, rt::LibraryDirectories(files_, environment_),
                                              files_, environment_);
  if (!library) return library.error();
  return Nccl{"nccl:all_reduce", *std::move(library)};
}

probe::Result<void*> CudaRuntime::CreateStream() {
  rt::CuStream created = nullptr;
  if (const auto code = api_.cuStreamCreate(&created, rt::kCuStreamNonBlocking); code != kCuSuccess)
    return ErrorOf("cuStreamCreate", code);
  return static_cast<void*>(created);
}

probe::Status CudaRuntime::Wait(void* stream) {
  return StatusOf("cuStreamSynchronize", api_.cuStreamSynchronize(static_cast<rt::CuStream>(stream)));
}

}  // namespace backends::cuda
