// SPDX-License-Identifier: MIT
// One device of ROCm, open: buffers, kernels and launches on its default stream. Knows no kernel by name and
// chooses nothing.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/core/backend.h"
#include "backends/hip/hip_module.h"
#include "backends/hip/vendor.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

// What is known of a device, and where libraries are sought once a product of theirs is loaded; files and
// environment outlive the session.
struct HipSurroundings {
  probe::RuntimeDevice facts;
  std::string target;  // the architecture as the compiler takes it
  std::string others;  // who used it before this process, for people; empty where nobody did
  const probe::system::FileSystem& files;
  const probe::system::Environment& environment;
};

class HipSession final : public Session {
 public:
  // A missing compiler fails the kernels, not the session.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(
      const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, int device,
      HipSurroundings surroundings);
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
  [[nodiscard]] DeviceState State() const override;
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;

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
    Enqueue library;  // instead of a kernel
  };

  HipSession(const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, Limits limits,
             HipSurroundings surroundings);
  [[nodiscard]] probe::Result<KernelId> LoadProduct(const Vendor& vendor, std::string_view entry);
  // Of what a shared device leaves us; everything of one that is ours.
  [[nodiscard]] std::uint64_t AllowedBytes() const;
  [[nodiscard]] const Buffer* Find(BufferId buffer) const;
  [[nodiscard]] probe::Status CheckTransfer(const char* call, BufferId buffer, std::uint64_t offset_bytes,
                                            std::size_t size) const;
  [[nodiscard]] probe::Result<Bound> Bind(const Launch& launch) const;
  [[nodiscard]] probe::Result<Enqueue> BindProduct(const Launch& launch, const Bound& bound) const;
  [[nodiscard]] probe::Status Submit(Bound& bound) const;
  [[nodiscard]] std::optional<double> DeviceSeconds() const;

  const probe::hip::Api api_;
  probe::hip::HipEvent first_ = nullptr;
  probe::hip::HipEvent last_ = nullptr;
  Limits limits_;
  HipSurroundings surroundings_;
  std::uint64_t allocated_bytes_ = 0;
  ModuleCache modules_;
  std::map<std::string_view, Prepare> libraries_;  // by vendor
  std::vector<Buffer> buffers_;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace backends::hip
