// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>

#include "backends/metal/metal_session.h"

namespace backends::metal {
namespace {

using probe::metal::Id;
using probe::metal::Selectors;
using probe::metal::UInteger;

constexpr std::size_t kStagingBytes = 32U << 20U;

}  // namespace

probe::Result<MetalSession::Buffer> MetalSession::NewBuffer(std::uint64_t bytes, bool shared) const {
  const UInteger options =
      shared ? probe::metal::kMtlResourceStorageModeShared : probe::metal::kMtlResourceStorageModePrivate;
  Buffer buffer;
  buffer.memory = Owned(api_, api_.Send<Id>(device_.get(), &Selectors::new_buffer, UInteger{bytes}, options));
  buffer.bytes = bytes;
  if (buffer.memory && shared)
    buffer.contents = static_cast<std::byte*>(api_.Send<void*>(buffer.memory.get(), &Selectors::contents));
  if (!buffer.memory || (shared && buffer.contents == nullptr)) {
    return probe::Error{"newBufferWithLength:options:", std::nullopt, "no buffer",
                        "Metal gives no memory for " + std::to_string(bytes) + " bytes"};
  }
  return buffer;
}

probe::Result<BufferId> MetalSession::Allocate(const BufferRequest& request) {
  if (auto allowed = buffers_.Check("newBufferWithLength:options:", request.bytes); !allowed)
    return allowed.error();
  const probe::metal::Pool pool(api_);
  auto buffer = NewBuffer(request.bytes, unified_);
  if (!buffer) return buffer.error();
  return buffers_.Add(*std::move(buffer), request.bytes);
}

void MetalSession::Release(BufferId buffer) { buffers_.Remove(buffer); }

probe::Result<MetalSession::Buffer*> MetalSession::Staging(std::size_t bytes) {
  if (staging_.bytes >= std::min(bytes, kStagingBytes)) return &staging_;
  auto larger = NewBuffer(std::min(bytes, kStagingBytes), true);
  if (!larger) return larger.error();
  staging_ = *std::move(larger);
  return &staging_;
}

probe::Status MetalSession::Copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                                 std::uint64_t to_offset, std::uint64_t bytes) {
  const Id commands = api_.Send<Id>(queue_.get(), &Selectors::command_buffer);
  const Id encoder = api_.Send<Id>(commands, &Selectors::blit_encoder);
  if (encoder == nullptr)
    return probe::Error{"blitCommandEncoder", std::nullopt, "no encoder", "the queue takes no commands"};
  api_.Send<void>(encoder, &Selectors::copy_buffer, from.memory.get(), UInteger{from_offset}, to.memory.get(),
                  UInteger{to_offset}, UInteger{bytes});
  api_.Send<void>(encoder, &Selectors::end_encoding);
  api_.Send<void>(commands, &Selectors::commit);
  return Wait({&commands, 1});
}

probe::Status MetalSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                   std::span<const std::byte> data) {
  const auto to = buffers_.Locate("transfer", buffer, offset_bytes, data.size());
  if (!to) return to.error();
  if (data.empty()) return probe::Ok();
  if (unified_) {
    std::copy(data.begin(), data.end(), (*to)->contents + offset_bytes);
    return probe::Ok();
  }
  const probe::metal::Pool pool(api_);
  const auto staging = Staging(data.size());
  if (!staging) return staging.error();
  for (std::size_t done = 0; done < data.size();) {
    const auto part = data.subspan(done, std::min<std::size_t>(data.size() - done, (*staging)->bytes));
    std::copy(part.begin(), part.end(), (*staging)->contents);
    if (auto copied = Copy(**staging, 0, **to, offset_bytes + done, part.size()); !copied) return copied;
    done += part.size();
  }
  return probe::Ok();
}

probe::Status MetalSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  const auto from = buffers_.Locate("transfer", buffer, offset_bytes, data.size());
  if (!from) return from.error();
  if (data.empty()) return probe::Ok();
  if (unified_) {
    std::copy_n((*from)->contents + offset_bytes, data.size(), data.begin());
    return probe::Ok();
  }
  const probe::metal::Pool pool(api_);
  const auto staging = Staging(data.size());
  if (!staging) return staging.error();
  for (std::size_t done = 0; done < data.size();) {
    const auto part = data.subspan(done, std::min<std::size_t>(data.size() - done, (*staging)->bytes));
    if (auto copied = Copy(**from, offset_bytes + done, **staging, 0, part.size()); !copied) return copied;
    std::copy_n((*staging)->contents, part.size(), part.begin());
    done += part.size();
  }
  return probe::Ok();
}

}  // namespace backends::metal
