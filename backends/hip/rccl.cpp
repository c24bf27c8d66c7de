// SPDX-License-Identifier: MIT
#include "backends/hip/rccl.h"

#include <array>
#include <memory>

#include "probe/system/clock.h"
#include "probe/system/library.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;

constexpr std::array<std::string_view, 2> kSonames = {"librccl.so.1", "librccl.so"};
// ncclDataType_t, ncclRedOp_t.
constexpr int kUint32 = 3;
constexpr int kSum = 0;

struct Functions {
#define WHICHGPU_RCCL_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/hip/rccl_symbols.def"
#undef WHICHGPU_RCCL_SYMBOL
};

// ncclResult_t.
probe::Error ResultError(std::string_view call, int result) {
  constexpr std::array<std::string_view, 8> kNames = {
      "ncclSuccess",         "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
      "ncclInvalidArgument", "ncclInvalidUsage",       "ncclRemoteError", "ncclInProgress"};
  const auto index = static_cast<std::size_t>(result);
  return {
      std::string(call), result, std::string(index < kNames.size() ? kNames[index] : "unknown error"), {}};
}

class Rccl {
 public:
  Rccl(const rt::Api& api, const Functions& functions, std::uint64_t bytes)
      : api_(api), functions_(functions), bytes_(bytes) {}

  [[nodiscard]] probe::Status Join(const std::vector<RcclDevice>& devices);
  [[nodiscard]] probe::Result<double> Run(std::uint32_t repeats) const;

 private:
  struct Member {
    RcclDevice device;
    rt::HipStream stream = nullptr;
    void* communicator = nullptr;
  };
  [[nodiscard]] probe::Status Enqueue() const;
  [[nodiscard]] probe::Status Wait() const;

  const rt::Api& api_;
  const Functions functions_;
  std::uint64_t bytes_;
  std::vector<Member> members_;
};

probe::Status Rccl::Join(const std::vector<RcclDevice>& devices) {
  std::vector<int> ordinals;
  for (const RcclDevice& device : devices) {
    Member member{device, nullptr, nullptr};
    auto code = api_.hipSetDevice(device.ordinal);
    // One device's work must not wait for another's: each has a stream of its own.
    if (code == kHipSuccess) code = api_.hipStreamCreateWithFlags(&member.stream, rt::kHipStreamNonBlocking);
    if (code != kHipSuccess) return ErrorOf("hipStreamCreateWithFlags", code);
    members_.push_back(member);
    ordinals.push_back(device.ordinal);
  }
  std::vector<void*> communicators(devices.size());
  const int result =
      functions_.ncclCommInitAll(communicators.data(), static_cast<int>(ordinals.size()), ordinals.data());
  if (result != 0) return ResultError("ncclCommInitAll", result);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].communicator = communicators[i];
  return probe::Ok();
}

probe::Status Rccl::Enqueue() const {
  int result = functions_.ncclGroupStart();
  for (const Member& member : members_) {
    if (result != 0) break;
    result =
        functions_.ncclAllReduce(member.device.source, member.device.target, bytes_ / sizeof(std::uint32_t),
                                 kUint32, kSum, member.communicator, member.stream);
  }
  // Also after an error: a group that is left open takes every later call.
  const int ended = functions_.ncclGroupEnd();
  if (result == 0) result = ended;
  return result == 0 ? probe::Ok() : probe::Status(ResultError("ncclAllReduce", result));
}

probe::Status Rccl::Wait() const {
  for (const Member& member : members_) {
    auto code = api_.hipSetDevice(member.device.ordinal);
    if (code == kHipSuccess) code = api_.hipStreamSynchronize(member.stream);
    if (code != kHipSuccess) return ErrorOf("hipStreamSynchronize", code);
  }
  return probe::Ok();
}

probe::Result<double> Rccl::Run(std::uint32_t repeats) const {
  const auto start = probe::system::Now();
  for (std::uint32_t i = 0; i < repeats; ++i) {
    if (const auto status = Enqueue(); !status) return status.error();
  }
  if (const auto status = Wait(); !status) return status.error();
  return probe::system::SecondsSince(start);
}

}  // namespace

probe::Result<AllReduce> OpenRccl(const rt::Api& api, const std::vector<RcclDevice>& devices,
                                  std::uint64_t bytes, const probe::system::FileSystem& files,
                                  const probe::system::Environment& environment) {
  if (api.hipStreamCreateWithFlags == nullptr || api.hipStreamSynchronize == nullptr)
    return probe::Error{"dlsym hipStreamCreateWithFlags", std::nullopt, "missing_symbol",
                        "the runtime has no streams"};
  const auto library =
      probe::system::Library::Open(kSonames, rt::LibraryDirectories(files, environment), files, environment);
  if (!library) return library.error();
  Functions functions;
#define WHICHGPU_RCCL_SYMBOL(name, ...)                            \
  functions.name = library->Function<int (*)(__VA_ARGS__)>(#name); \
  if (functions.name == nullptr)                                   \
    return probe::Error{"dlsym " #name, std::nullopt, "missing_symbol", "this RCCL is too old"};
#include "backends/hip/rccl_symbols.def"
#undef WHICHGPU_RCCL_SYMBOL
  const auto rccl = std::make_shared<Rccl>(api, functions, bytes);
  if (const auto status = rccl->Join(devices); !status) return status.error();
  return AllReduce{"rccl:all_reduce", [rccl](std::uint32_t repeats) { return rccl->Run(repeats); }};
}

}  // namespace backends::hip
