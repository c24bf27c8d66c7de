// SPDX-License-Identifier: MIT
// One device of ROCm, open: buffers, kernels and launches on its default stream. Knows no kernel by name and
// chooses nothing.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/backend.h"
#include "backends/hip/hip_module.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

class HipSession final : public Session {
 public:
  // `facts` is what was read of the device, `target` its architecture as the compiler takes it. A missing
  // compiler fails the kernels, not the session.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(
      const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, int device,
      const probe::RuntimeDevice& facts, const std::string& target);
  ~HipSession() override = default;

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
  struct Buffer {
    std::byte* memory = nullptr;
    std::uint64_t bytes = 0;
  };
  struct LoadedKernel {
    probe::hip::HipFunction function = nullptr;
    std::string_view entry;
    std::uint32_t max_threads = 0;
  };
  // A launch with its arguments where the runtime can find them: it takes pointers to them.
  struct Bound {
    const LoadedKernel* kernel = nullptr;
    kernels::LaunchShape shape;
    std::vector<std::uint64_t> values;
    std::vector<void*> pointers;
  };

  HipSession(const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler,
             const std::string& target, Limits limits);
  [[nodiscard]] const Buffer* Find(BufferId buffer) const;
  [[nodiscard]] probe::Status CheckTransfer(const char* call, BufferId buffer, std::uint64_t offset_bytes,
                                            std::size_t size) const;
  [[nodiscard]] probe::Result<Bound> Bind(const Launch& launch) const;
  [[nodiscard]] probe::Status Enqueue(Bound& bound) const;
  [[nodiscard]] std::optional<double> DeviceSeconds() const;

  const probe::hip::Api api_;
  probe::hip::HipEvent first_ = nullptr;
  probe::hip::HipEvent last_ = nullptr;
  Limits limits_;
  ModuleCache modules_;
  std::vector<Buffer> buffers_;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace backends::hip
