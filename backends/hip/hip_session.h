// SPDX-License-Identifier: MIT
// One device of ROCm, open: buffers, kernels and launches on its default stream. Knows no kernel by name and
// chooses nothing.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/core/stream_session.h"
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
  struct LoadedKernel {
    probe::hip::HipFunction function = nullptr;
    std::string_view entry;
    std::uint32_t max_threads = 0;
    const Vendor* vendor = nullptr;  // whose product it is
  };
  HipSession(const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, Limits limits,
             HipSurroundings surroundings);
  [[nodiscard]] probe::Result<KernelId> LoadProduct(const Vendor& vendor, std::string_view entry);
  [[nodiscard]] probe::Result<Enqueue> Bind(const Launch& launch) const;
  [[nodiscard]] probe::Result<Enqueue> BindProduct(const Launch& launch, const LoadedKernel& kernel,
                                                   std::span<const std::uint64_t> values) const;
  [[nodiscard]] std::optional<double> DeviceSeconds() const;

  const probe::hip::Api api_;
  probe::hip::HipEvent first_ = nullptr;
  probe::hip::HipEvent last_ = nullptr;
  Limits limits_;
  HipSurroundings surroundings_;
  DeviceBuffers buffers_;
  ModuleCache modules_;
  std::map<std::string_view, Prepare> libraries_;  // by vendor
  std::vector<LoadedKernel> kernels_;
};

}  // namespace backends::hip
