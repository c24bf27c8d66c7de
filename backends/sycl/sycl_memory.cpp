// SPDX-License-Identifier: MIT
// Memory of SyclSession: the device's own, which kernels are given as addresses (USM).
#include "backends/sycl/sycl_session.h"

namespace backends::sycl {

using rt::ErrorOf;
using rt::kUrSuccess;

probe::Result<BufferId> SyclSession::Allocate(const BufferRequest& request) {
  if (auto allowed = allocations_.Check("urUSMDeviceAlloc", request.bytes); !allowed) return allowed.error();
  void* memory = nullptr;
  const auto code =
      api_.urUSMDeviceAlloc(opened_.context, opened_.device, nullptr, nullptr, request.bytes, &memory);
  if (const auto made = rt::Made("urUSMDeviceAlloc", code, memory); !made) return Failed(made.error());
  allocations_.Take(request.bytes);
  buffers_.push_back({static_cast<std::byte*>(memory), request.bytes});
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

void SyclSession::Release(BufferId buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  if (index >= buffers_.size() || buffers_[index].memory == nullptr) return;
  api_.urUSMFree(opened_.context, buffers_[index].memory);
  allocations_.Return(buffers_[index].bytes);
  buffers_[index] = {};
}

probe::Result<HostBuffer> SyclSession::AllocateHost(std::uint64_t bytes) {
  void* memory = nullptr;
  const auto code = api_.urUSMHostAlloc(opened_.context, nullptr, nullptr, bytes, &memory);
  if (const auto made = rt::Made("urUSMHostAlloc", code, memory); !made) return Failed(made.error());
  return HostBuffer{{static_cast<std::byte*>(memory), bytes},
                    {memory, [this](void* own) { api_.urUSMFree(opened_.context, own); }}};
}

probe::Result<std::byte*> SyclSession::AddressOf(const char* call, BufferId buffer,
                                                 std::uint64_t offset_bytes, std::size_t size) const {
  const auto index = static_cast<std::size_t>(buffer);
  const bool known = index < buffers_.size() && buffers_[index].memory != nullptr;
  if (known && offset_bytes <= buffers_[index].bytes && size <= buffers_[index].bytes - offset_bytes)
    return buffers_[index].memory + offset_bytes;
  return probe::Error{call, std::nullopt, "out of range", known ? "beyond the buffer" : "no such buffer"};
}

probe::Status SyclSession::Copy(void* to, const void* from, std::size_t bytes) {
  constexpr bool kBlocking = true;
  const auto code = api_.urEnqueueUSMMemcpy(opened_.queue, kBlocking, to, from, bytes, 0, nullptr, nullptr);
  return code == kUrSuccess ? probe::Ok() : Failed(ErrorOf("urEnqueueUSMMemcpy", code));
}

probe::Status SyclSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto to = AddressOf("urEnqueueUSMMemcpy", buffer, offset_bytes, data.size());
  return to ? Copy(*to, data.data(), data.size()) : to.error();
}

probe::Status SyclSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (data.empty()) return probe::Ok();
  const auto from = AddressOf("urEnqueueUSMMemcpy", buffer, offset_bytes, data.size());
  return from ? Copy(data.data(), *from, data.size()) : from.error();
}

}  // namespace backends::sycl
