// SPDX-License-Identifier: MIT
// One Metal device, open: buffers, libraries compiled from source, and launches on one queue. Where the
// processor and the GPU share their memory so do the buffers, and are copied to by the processor; else they
// are the GPU's alone, and a shared one stands between. Knows no kernel by name and chooses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "probe/core/result.h"
#include "probe/metal/metal_api.h"

namespace backends::metal {

class MetalSession final : public Session {
 public:
  // `facts` is what was read of the device. `request` asked for it.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(const probe::metal::Api& api,
                                                                      probe::metal::Id device,
                                                                      const probe::RuntimeDevice& facts,
                                                                      const OpenRequest& request);
  ~MetalSession() override = default;

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
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }

 private:
  using Id = probe::metal::Id;
  using Owned = probe::metal::Owned;
  struct Buffer {
    Owned memory;
    std::uint64_t bytes = 0;
    std::byte* contents = nullptr;  // where the processor sees it
  };
  struct Kernel {
    Owned pipeline;
    std::string_view entry;
    std::uint64_t max_threads = 0;
    std::uint32_t group_memory_bytes = 0;
  };

  MetalSession(const probe::metal::Api& api, Id device, const probe::RuntimeDevice& facts, Limits limits);
  [[nodiscard]] probe::Result<Buffer> NewBuffer(std::uint64_t bytes, bool shared) const;
  // The shared buffer that stands between, of kStagingBytes at most.
  [[nodiscard]] probe::Result<Buffer*> Staging(std::size_t bytes);
  // Copies by the GPU, and waits.
  [[nodiscard]] probe::Status Copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                                   std::uint64_t to_offset, std::uint64_t bytes);
  // The pool's.
  [[nodiscard]] probe::Result<Id> StringOf(std::string_view text) const;
  [[nodiscard]] probe::Result<std::shared_ptr<Owned>> Compile(std::string_view source) const;
  // A library is compiled once; a failure is not tried again.
  [[nodiscard]] probe::Result<Id> LibraryOf(std::string_view source);
  [[nodiscard]] probe::Status Check(const Launch& launch) const;
  void Encode(Id encoder, const Launch& launch) const;
  // Commits so many launches from the `first` on, of which there are as many as stand in a row; nil where
  // there is no command buffer.
  [[nodiscard]] Id Submit(std::span<const Launch> launches, std::uint64_t first, std::uint64_t count) const;
  // Waits for the command buffers in their order: the first error among them.
  [[nodiscard]] probe::Status Wait(std::span<const Id> buffers);
  [[nodiscard]] std::optional<double> DeviceSeconds(std::span<const Id> buffers) const;

  const probe::metal::Api api_;
  Owned device_, queue_;
  bool unified_;
  probe::metal::UInteger language_;  // MTLLanguageVersion
  Limits limits_;
  std::map<const char*, probe::Result<std::shared_ptr<Owned>>> libraries_;  // by where the source lies
  BufferTable<Buffer> buffers_{limits_};
  std::vector<Kernel> kernels_;
  Buffer staging_;
  CulpritAccount account_;
};

}  // namespace backends::metal
