// SPDX-License-Identifier: MIT
// Memory of SyclSession: the device's own, which kernels are given as addresses (USM).
#include "backends/sycl/sycl_session.h"

namespace backends::sycl {

using rt::ErrorOf;
using rt::kUrSuccess;

probe::Result<BufferId> SyclSession::Allocate(const BufferRequest& request) {
  if (auto allowed = buffers_.Check("urUSMDeviceAlloc", request.bytes); !allowed) return allowed.error();
  void* memory = nullptr;
  const auto code =
      api_.urUSMDeviceAlloc(opened_.context, opened_.device, nullptr, nullptr, request.bytes, &memory);
  if (const auto made = rt::Made("urUSMDeviceAlloc", code, memory); !made) return Failed(made.error());
  return buffers_.Add(static_cast<std::byte*>(memory), request.bytes);
}

void SyclSession::Release(BufferId buffer) {
  if (const auto memory = buffers_.Remove(buffer)) api_.urUSMFree(opened_.context, *memory);
}

probe::Result<HostBuffer> SyclSession::AllocateHost(std::uint64_t bytes) {
  void* memory = nullptr;
  const auto code = api_.urUSMHostAlloc(opened_.context, nullptr, nullptr, bytes, &memory);
  if (const auto made = rt::Made("urUSMHostAlloc", code, memory); !made) return Failed(made.error());
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [this](void* own) { api_.urUSMFree(opened_.context, own); }}};
}

probe::Status SyclSession::Copy(void* to, const void* from, std::size_t bytes) {
  constexpr bool kBlocking = true;
  const auto code = api_.urEnqueueUSMMemcpy(opened_.queue, kBlocking, to, from, bytes, 0, nullptr, nullptr);
  return code == kUrSuccess ? probe::Ok() : Failed(ErrorOf("urEnqueueUSMMemcpy", code));
}

probe::Status SyclSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = buffers_.AddressOf("urEnqueueUSMMemcpy", buffer, offset_bytes, data.size());
  return to ? Copy(*to, data.data(), data.size()) : to.error();
}

probe::Status SyclSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = buffers_.AddressOf("urEnqueueUSMMemcpy", buffer, offset_bytes, data.size());
  return from ? Copy(data.data(), *from, data.size()) : from.error();
}

}  // namespace backends::sycl
