// SPDX-License-Identifier: MIT
// A fake libnccl: the sum of the buffers that were passed, computed when the group ends, through the copies
// of the fake libcuda that is loaded beside it. Attributes of the driver: nccl_init (the error that joining
// returns), nccl_abort, nccl_hang and nccl_wrong (the last device is left out).
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "backends/stream/stream_peers.h"
#include "probe/cuda/cuda_declarations.h"
#include "tests/fakes/cuda/machine.h"
#include "tests/fakes/cuda/neighbour.h"

namespace fakes::cuda {
namespace {

namespace nv = probe::cuda;

constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kUnhandledCudaError = 1;

struct Communicator {
  int count = 0;
};
struct Call {
  std::uintptr_t source = 0, target = 0;
  std::size_t count = 0;
  int members = 0;
};
bool open = false;
std::vector<Call> calls;

bool Wants(const char* attribute) { return GetOfDriver(attribute, 0) != 0; }

int Reduce() {
  if (calls.empty() || calls.size() != static_cast<std::size_t>(calls[0].members)) return kInvalidUsage;
  std::vector<std::uint32_t> sums(calls[0].count), words(calls[0].count);
  const std::size_t bytes = sums.size() * sizeof(std::uint32_t);
  for (std::size_t i = 0; i < calls.size() - (Wants("nccl_wrong") ? 1 : 0); ++i) {
    if (calls[i].count != sums.size()) return kInvalidArgument;
    if (DriverFunction<int(void*, nv::CuPointer, std::size_t)>("cuMemcpyDtoH_v2")(
            words.data(), calls[i].source, bytes) != 0)
      return kUnhandledCudaError;
    for (std::size_t word = 0; word < sums.size(); ++word) sums[word] += words[word];
  }
  for (const Call& call : calls) {
    if (DriverFunction<int(nv::CuPointer, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
            call.target, sums.data(), bytes) != 0)
      return kUnhandledCudaError;
  }
  return 0;
}

}  // namespace
}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C

#define FAKE_NCCL extern "C" [[gnu::visibility("default")]] int

FAKE_NCCL ncclCommInitAll(void** communicators, int count, const int* devices) {
  if (Wants("nccl_abort")) std::abort();
  if (const auto error = GetOfDriver("nccl_init", 0); error != 0) return static_cast<int>(error);
  for (int i = 0; i < count; ++i) {
    if (devices[i] < 0 || static_cast<std::size_t>(devices[i]) >= Visible().size()) return kInvalidArgument;
    communicators[i] = new Communicator{count};
  }
  return 0;
}
FAKE_NCCL ncclGroupStart() {
  if (open) return kInvalidUsage;
  open = true;
  return 0;
}
FAKE_NCCL ncclAllReduce(const void* source, void* target, std::size_t count, int type, int operation,
                        void* communicator, void*) {
  if (!open || type != backends::stream::kNcclUint32 || operation != backends::stream::kNcclSum)
    return kInvalidUsage;
  calls.push_back({reinterpret_cast<std::uintptr_t>(source), reinterpret_cast<std::uintptr_t>(target), count,
                   static_cast<Communicator*>(communicator)->count});
  return 0;
}
FAKE_NCCL ncclGroupEnd() {
  if (!open) return kInvalidUsage;
  if (Wants("nccl_hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  const int result = Reduce();
  calls.clear();
  open = false;
  return result;
}
