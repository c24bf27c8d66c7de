// SPDX-License-Identifier: MIT
#include "backends/cuda/nccl.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "probe/system/clock.h"
#include "probe/system/library.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

constexpr std::array<std::string_view, 1> kSonames = {"libnccl.so.2"};

struct Functions {
#define WHICHGPU_NCCL_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/cuda/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
};

// ncclResult_t.
probe::Error NcclError(std::string_view call, int result) {
  constexpr std::array<std::string_view, 8> kNames = {
      "ncclSuccess",         "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
      "ncclInvalidArgument", "ncclInvalidUsage",       "ncclRemoteError", "ncclInProgress"};
  const auto index = static_cast<std::size_t>(result);
  return {
      std::string(call), result, std::string(index < kNames.size() ? kNames[index] : "unknown error"), {}};
}

// Of the device, as the library takes it.
void* Address(rt::CuPointer pointer) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer));  // NOLINT(performance-no-int-to-ptr)
}

struct Member {
  NcclDevice device;
  rt::CuStream stream = nullptr;
  void* communicator = nullptr;
};

class Nccl {
 public:
  Nccl(const rt::Api& api, const Functions& functions, std::uint64_t bytes)
      : api_(api), functions_(functions), bytes_(bytes) {}

  [[nodiscard]] probe::Status Join(const std::vector<NcclDevice>& devices);
  [[nodiscard]] probe::Result<double> Run(std::uint32_t repeats);

 private:
  [[nodiscard]] probe::Status Enqueue();
  [[nodiscard]] probe::Status Wait();

  const rt::Api& api_;
  const Functions functions_;
  std::uint64_t bytes_;
  std::vector<Member> members_;
};

probe::Status Nccl::Join(const std::vector<NcclDevice>& devices) {
  std::vector<int> ordinals;
  for (const NcclDevice& device : devices) {
    Member member{device, nullptr, nullptr};
    auto code = api_.cuCtxSetCurrent(device.context);
    // One device's work must not wait for another's: each has a stream of its own.
    if (code == kCuSuccess) code = api_.cuStreamCreate(&member.stream, rt::kCuStreamNonBlocking);
    if (code != kCuSuccess) return ErrorOf("cuStreamCreate", code);
    members_.push_back(member);
    ordinals.push_back(device.ordinal);
  }
  std::vector<void*> communicators(devices.size());
  const int result =
      functions_.ncclCommInitAll(communicators.data(), static_cast<int>(ordinals.size()), ordinals.data());
  if (result != 0) return NcclError("ncclCommInitAll", result);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].communicator = communicators[i];
  return probe::Ok();
}

probe::Status Nccl::Enqueue() {
  int result = functions_.ncclGroupStart();
  for (const Member& member : members_) {
    if (result != 0) break;
    result = functions_.ncclAllReduce(Address(member.device.source), Address(member.device.target),
                                      bytes_ / sizeof(std::uint32_t), kNcclUint32, kNcclSum,
                                      member.communicator, member.stream);
  }
  // Also after an error: a group that is left open takes every later call.
  const int ended = functions_.ncclGroupEnd();
  if (result == 0) result = ended;
  return result == 0 ? probe::Ok() : probe::Status(NcclError("ncclAllReduce", result));
}

probe::Status Nccl::Wait() {
  for (const Member& member : members_) {
    auto code = api_.cuCtxSetCurrent(member.device.context);
    if (code == kCuSuccess) code = api_.cuStreamSynchronize(member.stream);
    if (code != kCuSuccess) return ErrorOf("cuStreamSynchronize", code);
  }
  return probe::Ok();
}

probe::Result<double> Nccl::Run(std::uint32_t repeats) {
  const auto start = probe::system::Now();
  for (std::uint32_t i = 0; i < repeats; ++i) {
    if (const auto status = Enqueue(); !status) return status.error();
  }
  if (const auto status = Wait(); !status) return status.error();
  return probe::system::SecondsSince(start);
}

}  // namespace

probe::Result<AllReduce> OpenNccl(const rt::Api& api, const std::vector<NcclDevice>& devices,
                                  std::uint64_t bytes, const probe::system::FileSystem& files,
                                  const probe::system::Environment& environment) {
  if (api.cuStreamCreate == nullptr || api.cuStreamSynchronize == nullptr)
    return probe::Error{"dlsym cuStreamCreate", std::nullopt, "missing_symbol",
                        "the driver is too old for NCCL"};
  const auto library =
      probe::system::Library::Open(kSonames, rt::LibraryDirectories(files, environment), files, environment);
  if (!library) return library.error();
  Functions functions;
#define WHICHGPU_NCCL_SYMBOL(name, ...)                            \
  functions.name = library->Function<int (*)(__VA_ARGS__)>(#name); \
  if (functions.name == nullptr)                                   \
    return probe::Error{"dlsym " #name, std::nullopt, "missing_symbol", "this NCCL is too old"};
#include "backends/cuda/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
  const auto nccl = std::make_shared<Nccl>(api, functions, bytes);
  if (const auto status = nccl->Join(devices); !status) return status.error();
  return AllReduce{"nccl:all_reduce", [nccl](std::uint32_t repeats) { return nccl->Run(repeats); }};
}

}  // namespace backends::cuda
