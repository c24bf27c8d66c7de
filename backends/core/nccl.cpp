// SPDX-License-Identifier: MIT
#include "backends/core/nccl.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "probe/system/clock.h"

namespace backends {
namespace {

struct Functions {
#define WHICHGPU_NCCL_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/core/nccl_symbols.def"
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

class Nccl {
 public:
  Nccl(const Functions& functions, std::vector<NcclMember> members, std::uint64_t bytes)
      : functions_(functions), members_(std::move(members)), bytes_(bytes) {}

  [[nodiscard]] probe::Status Join();
  [[nodiscard]] probe::Result<double> Run(std::uint32_t repeats) const;

 private:
  [[nodiscard]] probe::Status Enqueue() const;
  [[nodiscard]] probe::Status Wait() const;

  const Functions functions_;
  const std::vector<NcclMember> members_;
  const std::uint64_t bytes_;
  std::vector<void*> streams_;
  std::vector<void*> communicators_;
};

probe::Status Nccl::Join() {
  std::vector<int> ordinals;
  for (const NcclMember& member : members_) {
    if (auto entered = member.enter(); !entered) return entered;
    const auto stream = member.create_stream();
    if (!stream) return stream.error();
    streams_.push_back(*stream);
    ordinals.push_back(member.ordinal);
  }
  communicators_.resize(members_.size());
  const int result =
      functions_.ncclCommInitAll(communicators_.data(), static_cast<int>(ordinals.size()), ordinals.data());
  return result == 0 ? probe::Ok() : probe::Status(NcclError("ncclCommInitAll", result));
}

probe::Status Nccl::Enqueue() const {
  int result = functions_.ncclGroupStart();
  for (std::size_t i = 0; i < members_.size() && result == 0; ++i) {
    result = functions_.ncclAllReduce(members_[i].source, members_[i].target, bytes_ / sizeof(std::uint32_t),
                                      kNcclUint32, kNcclSum, communicators_[i], streams_[i]);
  }
  // Also after an error: a group that is left open takes every later call.
  const int ended = functions_.ncclGroupEnd();
  if (result == 0) result = ended;
  return result == 0 ? probe::Ok() : probe::Status(NcclError("ncclAllReduce", result));
}

probe::Status Nccl::Wait() const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (auto entered = members_[i].enter(); !entered) return entered;
    if (auto waited = members_[i].wait(streams_[i]); !waited) return waited;
  }
  return probe::Ok();
}

probe::Result<double> Nccl::Run(std::uint32_t repeats) const {
  const auto start = probe::system::Now();
  for (std::uint32_t i = 0; i < repeats; ++i) {
    if (const auto status = Enqueue(); !status) return status.error();
  }
  if (const auto status = Wait(); !status) return status.error();
  return probe::system::SecondsSince(start);
}

}  // namespace

probe::Result<AllReduce> JoinByNccl(std::string implementation, const probe::system::Library& library,
                                    std::vector<NcclMember> members, std::uint64_t bytes) {
  Functions functions;
#define WHICHGPU_NCCL_SYMBOL(name, ...)                           \
  functions.name = library.Function<int (*)(__VA_ARGS__)>(#name); \
  if (functions.name == nullptr)                                  \
    return probe::Error{"dlsym " #name, std::nullopt, "missing_symbol", "this library is too old"};
#include "backends/core/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
  const auto nccl = std::make_shared<Nccl>(functions, std::move(members), bytes);
  if (const auto status = nccl->Join(); !status) return status.error();
  return AllReduce{std::move(implementation), [nccl](std::uint32_t repeats) { return nccl->Run(repeats); }};
}

}  // namespace backends
