// SPDX-License-Identifier: MIT
#include "backends/hip/hip_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "backends/core/sharing.h"
#include "backends/hip/vendor.h"
#include "probe/core/parse.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;
using stream::DevicePointer;

constexpr rt::HipResult kPeerAccessAlreadyEnabled = 704;
constexpr std::array<std::string_view, 2> kRcclSonames = {"librccl.so.1", "librccl.so"};

probe::Status StatusOf(std::string_view call, rt::HipResult code) {
  return code == kHipSuccess ? probe::Ok() : probe::Status(ErrorOf(call, code));
}

}  // namespace

HipRuntime::HipRuntime(const rt::Api& api, std::vector<int> devices, const probe::system::FileSystem& files,
                       const probe::system::Environment& environment)
    : Runtime({.allocate = "hipMalloc",
               .upload = "hipMemcpy to the device",
               .download = "hipMemcpy to the host",
               .attribute = "hipDeviceGetAttribute"}),
      api_(api),
      devices_(std::move(devices)),
      files_(files),
      environment_(environment) {}

void HipRuntime::PrepareKernels(const probe::RuntimeDevice& facts, probe::Result<rt::Compiler> compiler,
                                std::string target) {
  facts_ = facts;
  const std::string* dies = probe::FindFact(facts.facts, "xcc_count");
  const auto count = dies != nullptr ? probe::ParseNumber<std::uint32_t>(*dies) : std::nullopt;
  modules_.emplace(api_, std::move(compiler), std::move(target), std::max(count.value_or(1), 1U));
}

probe::Status HipRuntime::Enter(std::size_t device) {
  current_ = devices_[device];
  // Where a device was read, some of what it was asked failed.
  if (api_.hipGetLastError != nullptr) (void)api_.hipGetLastError();
  return StatusOf("hipSetDevice", Told(api_.hipSetDevice(current_)));
}

probe::Result<stream::Runtime::Memory> HipRuntime::AskMemory() {
  std::size_t free = 0, total = 0;
  const auto code = Told(api_.hipMemGetInfo(&free, &total));
  if (code == kHipSuccess) return Memory{free, total};
  // Kernels up to 5.17 do not tell the runtime what is free (KFD's ioctl 1.9), and it fails for want of that.
  rt::HipDevice handle = 0;
  if (code != rt::kHipErrorInvalidValue || Told(api_.hipDeviceGet(&handle, current_)) != kHipSuccess ||
      Told(api_.hipDeviceTotalMem(&total, handle)) != kHipSuccess) {
    return ErrorOf("hipMemGetInfo", code);
  }
  std::array<char, 32> address{};
  const auto named =
      Told(api_.hipDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()) - 1, current_));
  const auto pci = named == kHipSuccess ? probe::ParsePciAddress(address.data()) : std::nullopt;
  const auto used = pci ? files_.ReadNumber("/sys/bus/pci/devices/" + ToString(*pci) + "/mem_info_vram_used")
                        : std::nullopt;
  return Memory{total - std::min<std::uint64_t>(used.value_or(0), total), total};
}

probe::Result<std::uint64_t> HipRuntime::Allocate(std::uint64_t bytes) {
  void* memory = nullptr;
  if (const auto code = Told(api_.hipMalloc(&memory, bytes)); code != kHipSuccess)
    return ErrorOf("hipMalloc", code);
  return std::bit_cast<std::uint64_t>(memory);
}

probe::Result<HostBuffer> HipRuntime::AllocateHost(std::uint64_t bytes) {
  if (api_.hipHostMalloc == nullptr || api_.hipHostFree == nullptr) return NoHostMemory();
  void* memory = nullptr;
  if (const auto code = Told(api_.hipHostMalloc(&memory, bytes, rt::kHipHostMallocDefault));
      code != kHipSuccess)
    return ErrorOf("hipHostMalloc", code);
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [api = api_](void* pinned) { (void)rt::Told(api, api.hipHostFree(pinned)); }}};
}

probe::Status HipRuntime::Write(std::uint64_t to, std::span<const std::byte> data) {
  auto code = Told(api_.hipMemcpy(DevicePointer(to), data.data(), data.size(), rt::kHipHostToDevice));
  // Pageable memory may still be on its way from the runtime's own when the call returns.
  if (code == kHipSuccess) code = Told(api_.hipDeviceSynchronize());
  return StatusOf(names().upload, code);
}

probe::Status HipRuntime::Read(std::uint64_t from, std::span<std::byte> data) {
  return StatusOf(names().download,
                  Told(api_.hipMemcpy(data.data(), DevicePointer(from), data.size(), rt::kHipDeviceToHost)));
}

probe::Status HipRuntime::Synchronize() {
  return StatusOf("hipDeviceSynchronize", Told(api_.hipDeviceSynchronize()));
}

DeviceState HipRuntime::State() const { return StateOfCard(facts_, files_); }

probe::Result<void*> HipRuntime::CreateEvent() {
  rt::HipEvent event = nullptr;
  if (const auto code = Told(api_.hipEventCreateWithFlags(&event, rt::kHipEventDefault)); code != kHipSuccess)
    return ErrorOf("hipEventCreateWithFlags", code);
  return static_cast<void*>(event);
}

bool HipRuntime::Record(void* event) {
  return Told(api_.hipEventRecord(static_cast<rt::HipEvent>(event), nullptr)) == kHipSuccess;
}

std::optional<double> HipRuntime::SecondsBetween(void* first, void* last) {
  float milliseconds = 0;
  const auto code = Told(api_.hipEventElapsedTime(&milliseconds, static_cast<rt::HipEvent>(first),
                                                  static_cast<rt::HipEvent>(last)));
  if (code != kHipSuccess || !(milliseconds > 0)) return std::nullopt;
  return static_cast<double>(milliseconds) * 1e-3;
}

probe::Result<stream::Function> HipRuntime::Load(const kernels::Step& step) {
  if (!modules_)
    return probe::Error{"load", std::nullopt, "no target", "the device was opened for copies alone"};
  const auto module = modules_->Get(step.source);
  if (!module) return module.error();
  const std::string entry(step.entry);
  rt::HipFunction function = nullptr;
  if (const auto code = Told(api_.hipModuleGetFunction(&function, *module, entry.c_str()));
      code != kHipSuccess)
    return ErrorOf("hipModuleGetFunction " + entry, code);
  int threads = 0;
  const auto asked = Told(api_.hipFuncGetAttribute(&threads, rt::kHipFunctionMaxThreads, function));
  if (asked != kHipSuccess) threads = 0;
  return stream::Function{function, step.entry, static_cast<std::uint32_t>(std::max(threads, 0)),
                          step.shared_bytes};
}

probe::Status HipRuntime::StartLaunch(const stream::Function& function, const kernels::LaunchShape& shape,
                                      void** arguments) {
  const auto& [x, y, z] = shape.groups;
  const auto& local = shape.local;
  const auto code = Told(api_.hipModuleLaunchKernel(static_cast<rt::HipFunction>(function.handle), x, y, z,
                                                    local[0], local[1], local[2], function.shared_bytes,
                                                    nullptr, arguments, nullptr));
  if (code != kHipSuccess) return ErrorOf(fmt::format("hipModuleLaunchKernel {}", function.entry), code);
  return probe::Ok();
}

probe::Result<stream::Products> HipRuntime::OpenProducts(std::string_view library,
                                                         std::uint64_t max_workspace_bytes) {
  const auto vendors = Vendors();
  const auto vendor = std::find_if(vendors.begin(), vendors.end(),
                                   [&](const Vendor& known) { return known.name == library; });
  if (vendor == vendors.end())
    return probe::Error{"load", std::nullopt, "no such library", std::string(library)};
  constexpr int kPerMajor = 10000000;
  int version = 0;
  if (Told(api_.hipRuntimeGetVersion(&version)) == kHipSuccess && version / kPerMajor < vendor->least_rocm) {
    return probe::Error{std::string(library), std::nullopt, "too old",
                        fmt::format("it is called as ROCm {} and later have it", vendor->least_rocm)};
  }
  const auto found =
      FindVendor(*vendor, api_.library, facts_.architecture.value_or(""), files_, environment_);
  if (!found) return found.error();
  return vendor->open(*found, *this, max_workspace_bytes);
}

probe::Status HipRuntime::CheckPeerCopies() const {
  if (api_.hipMemcpyPeer != nullptr) return probe::Ok();
  return probe::Error{"dlsym hipMemcpyPeer", std::nullopt, "missing_symbol",
                      "the runtime does not copy between devices"};
}

bool HipRuntime::OpenWay(std::size_t from, std::size_t to) {
  if (api_.hipDeviceCanAccessPeer == nullptr || api_.hipDeviceEnablePeerAccess == nullptr) return false;
  int can = 0;
  if (Told(api_.hipDeviceCanAccessPeer(&can, devices_[from], devices_[to])) != kHipSuccess || can == 0)
    return false;
  const auto code = Told(api_.hipDeviceEnablePeerAccess(devices_[to], 0));
  return code == kHipSuccess || code == kPeerAccessAlreadyEnabled;
}

// One of the card's engines for copies, which may carry less than the links between the cards, or a kernel.
// Sources: rocm.docs.amd.com, ROCR-Runtime, "Environment variables"; ROCm/clr, rocclr/utils/flags.hpp.
std::string_view HipRuntime::CopierOf(std::uint64_t bytes) const {
  for (const char* engines : {"HSA_ENABLE_SDMA", "HSA_ENABLE_PEER_SDMA"}) {
    if (environment_.Get(engines) == "0") return "kernel";
  }
  constexpr std::uint64_t kUsualKib = 1024;
  const auto least_kib =
      probe::ParseNumber<std::uint64_t>(environment_.Get("ROC_P2P_SDMA_SIZE").value_or(""));
  return bytes / 1024 < least_kib.value_or(kUsualKib) ? "kernel" : "sdma";
}

probe::Status HipRuntime::StartCopy(Place to, Place from, std::uint64_t bytes) {
  return StatusOf("hipMemcpyPeer",
                  Told(api_.hipMemcpyPeer(DevicePointer(to.address), devices_[to.device],
                                          DevicePointer(from.address), devices_[from.device], bytes)));
}

probe::Result<stream::Runtime::Nccl> HipRuntime::OpenNccl() {
  if (api_.hipStreamCreateWithFlags == nullptr || api_.hipStreamSynchronize == nullptr)
    return probe::Error{"dlsym hipStreamCreateWithFlags", std::nullopt, "missing_symbol",
                        "the runtime has no streams"};
  auto library = rt::OpenBeside(rt::FilesBeside(api_.library, kRcclSonames, files_, environment_),
                                kRcclSonames, files_, environment_);
  if (!library) return library.error();
  return Nccl{"rccl:all_reduce", *std::move(library)};
}

probe::Result<void*> HipRuntime::CreateStream() {
  rt::HipStream created = nullptr;
  if (const auto code = Told(api_.hipStreamCreateWithFlags(&created, rt::kHipStreamNonBlocking));
      code != kHipSuccess)
    return ErrorOf("hipStreamCreateWithFlags", code);
  return static_cast<void*>(created);
}

probe::Status HipRuntime::Wait(void* stream) {
  return StatusOf("hipStreamSynchronize",
                  Told(api_.hipStreamSynchronize(static_cast<rt::HipStream>(stream))));
}

std::optional<std::int64_t> LastCacheBytes(const probe::RuntimeDevice& device, std::optional<int> l2_bytes) {
  const std::string* third = probe::FindFact(device.facts, "l3_bytes");
  const auto l3 = third != nullptr ? probe::ParseNumber<std::int64_t>(*third) : std::nullopt;
  constexpr std::int64_t kUntoldBytes = std::int64_t{64} << 20U;  // Strix Halo's has 32 MiB
  const std::int64_t least = device.kind == probe::DeviceKind::kIntegrated ? kUntoldBytes : 0;
  if (!l3 && !l2_bytes && least == 0) return std::nullopt;
  return std::max({l3.value_or(0), std::int64_t{l2_bytes.value_or(0)}, least});
}

}  // namespace backends::hip
