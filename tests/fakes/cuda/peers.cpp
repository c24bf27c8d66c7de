// SPDX-License-Identifier: MIT
// Streams and copies between devices of the fake libcuda. Attributes of a device: peer_corrupts (a copy to it
// loses a word), peer_refused (cuCtxEnablePeerAccess fails although cuDeviceCanAccessPeer promises),
// peer_hangs.
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/cuda/state.h"

using namespace fakes::cuda;  // NOLINT: the entry points below are C

namespace {

const Slot& Of(nv::CuContext context) { return *reinterpret_cast<const Slot*>(context); }

}  // namespace

FAKE_CUDA cuCtxEnablePeerAccess(nv::CuContext peer, unsigned int flags) {
  if (CurrentSlot() == nullptr || peer == nullptr) return kInvalidContext;
  if (flags != 0) return kInvalidValue;
  return Get(*Of(peer).gpu, "peer_refused", 0) != 0 ? kPeerAccessUnsupported : kSuccess;
}
FAKE_CUDA cuMemcpyPeerAsync(nv::CuPointer to, nv::CuContext to_context, nv::CuPointer from,
                            nv::CuContext from_context, std::size_t bytes, nv::CuStream) {
  if (CurrentSlot() == nullptr) return kInvalidContext;
  if (Broken() != kSuccess) return Broken();
  if (fakes::OwnerOf(to) != Of(to_context).index || fakes::OwnerOf(from) != Of(from_context).index)
    return kInvalidValue;
  const auto target = fakes::MemoryAt(to), source = fakes::MemoryAt(from);
  if (target.size() < bytes || source.size() < bytes) return kInvalidValue;
  if (Get(*Of(to_context).gpu, "peer_hangs", 0) != 0) std::this_thread::sleep_for(std::chrono::hours(1));
  std::memcpy(target.data(), source.data(), bytes);
  if (Get(*Of(to_context).gpu, "peer_corrupts", 0) != 0) std::memset(target.data() + bytes / 2, 0, 4);
  return kSuccess;
}
FAKE_CUDA cuStreamCreate(nv::CuStream* stream, unsigned int) {
  if (CurrentSlot() == nullptr) return kInvalidContext;
  *stream = reinterpret_cast<nv::CuStream>(const_cast<Slot*>(CurrentSlot()));
  return kSuccess;
}
// A stream belongs to the context that was current when it was made.
FAKE_CUDA cuStreamSynchronize(nv::CuStream stream) {
  return reinterpret_cast<const Slot*>(stream) != CurrentSlot() ? kInvalidContext : Broken();
}
