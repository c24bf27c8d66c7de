// SPDX-License-Identifier: MIT
// CUDA's calls as backends/stream makes them: on the primary contexts of the devices that were opened, each
// with its default stream.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/stream/blas_lt.h"
#include "backends/stream/runtime.h"
#include "probe/cuda/cuda_api.h"

namespace backends::cuda {

// NVIDIA's cuBLASLt (11, 12, 13), in cublaslt.cpp.
[[nodiscard]] const stream::BlasLt& CublasLt();

// Why a driver of that CUDA ("12.4") can use none that is installed: all are of a newer one. Empty where one
// may be used, where there is none and where the driver's is not known.
[[nodiscard]] std::string WhyCublasLtIsTooNew(std::string_view driver_cuda,
                                              const probe::system::FileSystem& files,
                                              const probe::system::Environment& environment);

struct OpenedDevice {
  probe::cuda::CuDevice id = 0;
  probe::RuntimeDevice found;  // ordinal: CUDA's number in this process
  probe::cuda::GpuLoad load;   // of others, before this process used the device
  std::optional<probe::cuda::Monitor> monitor;
};

class CudaRuntime final : public stream::Runtime {
 public:
  // Makes no call: a device's context is retained when it is entered first. Libraries are sought in the
  // request's files by its environment once they are asked for: both outlive the runtime.
  CudaRuntime(const probe::cuda::Api& api, const std::vector<OpenedDevice>& devices,
              const OpenRequest& request);

  probe::Status Enter(std::size_t device) override;
  probe::Result<Memory> AskMemory() override;
  probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) override;
  void Free(std::uint64_t address) override { api_.cuMemFree(address); }
  probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  probe::Status Write(std::uint64_t to, std::span<const std::byte> data) override;
  probe::Status Read(std::uint64_t from, std::span<std::byte> data) override;
  probe::Status Synchronize() override;
  bool EndsContext(std::int64_t code) const override { return probe::cuda::EndsContext(code); }
  DeviceState State() const override;

  probe::Result<void*> CreateEvent() override;
  bool Record(void* event) override;
  std::optional<double> SecondsBetween(void* first, void* last) override;

  probe::Result<stream::Function> Load(const kernels::Step& step) override;
  probe::Result<stream::Argument> MapMatrix(std::uint64_t address, const kernels::MatrixMap& map) override;
  probe::Status StartLaunch(const stream::Function& function, const kernels::LaunchShape& shape,
                            void** arguments) override;
  probe::Result<stream::Products> OpenProducts(std::string_view library,
                                               std::uint64_t max_workspace_bytes) override;

  probe::Status CheckPeerCopies() const override;
  bool OpenWay(std::size_t from, std::size_t to) override;
  probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) override;
  int OrdinalOf(std::size_t device) const override { return devices_[device].ordinal; }
  probe::Result<Nccl> OpenNccl() override;
  probe::Result<void*> CreateStream() override;
  probe::Status Wait(void* stream) override;

 private:
  struct Device {
    probe::cuda::CuDevice id;
    int ordinal;
    probe::cuda::CuContext context = nullptr;  // until it is entered
  };
  // One load a text; a failed one is not repeated. The error's text ends with the last lines of the driver's
  // compiler. `ptx` outlives this and ends in a zero beyond its size.
  [[nodiscard]] const probe::Result<probe::cuda::CuModule>& ModuleOf(std::string_view ptx);
  // Of the step's texts the one whose version of PTX the driver knows.
  [[nodiscard]] const probe::Result<probe::cuda::CuModule>& ModuleOf(const kernels::Step& step);

  const probe::cuda::Api api_;
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
  const std::optional<probe::cuda::Monitor> monitor_;  // of the first device
  const probe::RuntimeDevice facts_;                   // likewise
  std::vector<Device> devices_;
  std::map<const char*, probe::Result<probe::cuda::CuModule>> modules_;
};

}  // namespace backends::cuda
