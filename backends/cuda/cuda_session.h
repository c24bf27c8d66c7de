// SPDX-License-Identifier: MIT
// One CUDA device, open: buffers, kernels and launches on the default stream of its primary context. Knows no
// kernel by name and chooses nothing.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/stream_session.h"
#include "backends/cuda/cublaslt.h"
#include "backends/cuda/cuda_module.h"
#include "probe/cuda/cuda_api.h"

namespace backends::cuda {

// What surrounds a device. Libraries are sought in `files` by `environment` once a kernel of theirs is
// loaded: both outlive the session.
struct CudaSurroundings {
  const probe::system::FileSystem& files;
  const probe::system::Environment& environment;
  std::optional<probe::cuda::Monitor> monitor;
  probe::cuda::GpuLoad load;  // of others, before this process used the device
};

class CudaSession final : public Session {
 public:
  // `facts` is what was read of the device.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(const probe::cuda::Api& api,
                                                                      probe::cuda::CuDevice device,
                                                                      const probe::RuntimeDevice& facts,
                                                                      CudaSurroundings surroundings);
  ~CudaSession() override = default;

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
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] DeviceState State() const override;

 private:
  struct LoadedKernel {
    probe::cuda::CuFunction function = nullptr;
    std::string_view entry;
    std::uint32_t max_threads = 0;
    std::uint32_t shared_bytes = 0;
  };
  CudaSession(const probe::cuda::Api& api, probe::cuda::CuEvent first, probe::cuda::CuEvent last,
              Limits limits, CudaSurroundings surroundings);
  [[nodiscard]] probe::Result<KernelId> LoadLibrary(std::string_view entry);
  [[nodiscard]] probe::Result<Enqueue> Bind(const Launch& launch);
  [[nodiscard]] probe::Result<Enqueue> BindLibrary(const Launch& launch, std::string_view entry,
                                                   std::span<const std::uint64_t> values);
  [[nodiscard]] std::optional<double> DeviceSeconds() const;

  const probe::cuda::Api api_;
  probe::cuda::CuEvent first_;
  probe::cuda::CuEvent last_;
  Limits limits_;
  CudaSurroundings surroundings_;
  DeviceBuffers buffers_;
  ModuleCache modules_;
  std::unique_ptr<CublasLt> cublaslt_;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace backends::cuda
