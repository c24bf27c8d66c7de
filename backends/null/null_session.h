// SPDX-License-Identifier: MIT
// The whole of Session in its shortest form: memory is the host's and a kernel runs on the calling thread. A
// session with a device allocates, compiles and launches there (docs/adding-a-runtime.md).
#pragma once

#include <memory>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"

namespace backends::null {

class NullSession final : public Session {
 public:
  explicit NullSession(Limits limits) : limits_(std::move(limits)) {}

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;

 private:
  struct AlignedDelete {
    void operator()(std::byte* bytes) const;
  };
  using Memory = std::unique_ptr<std::byte, AlignedDelete>;
  [[nodiscard]] probe::Result<std::byte*> Locate(BufferId buffer, std::uint64_t offset_bytes,
                                                 std::uint64_t size) const;

  Limits limits_;
  BufferTable<Memory> buffers_{limits_};
};

// Opens exactly the device that was asked for: a real runtime compares UUID or PCI address, never the
// position.
[[nodiscard]] probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request);

}  // namespace backends::null
