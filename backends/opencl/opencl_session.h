// SPDX-License-Identifier: MIT
// One OpenCL device, open: buffers, kernels and launches on one in-order queue. Knows no kernel by name and
// chooses nothing.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/sharing.h"
#include "backends/opencl/opencl_memory.h"
#include "backends/opencl/opencl_program.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

// The driver whose compute units are threads of the host's.
inline constexpr std::string_view kPocl = "Portable Computing Language";

class OpenClSession final : public Session {
 public:
  // `device` belongs to `platform`; `facts` is what was read of it. `request` asked for it.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(const probe::opencl::Api& api,
                                                                      cl_platform_id platform,
                                                                      cl_device_id device,
                                                                      const probe::RuntimeDevice& facts,
                                                                      const OpenRequest& request);
  ~OpenClSession() override = default;

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
  // A mapped buffer that the driver allocated where the device reaches it.
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] DeviceState State() const override { return StateOfCard(record_, files_); }

 private:
  struct LoadedKernel {
    cl_kernel kernel = nullptr;
    std::string_view entry;
    std::size_t max_work_group_size = 0;
  };

  OpenClSession(const probe::opencl::Api& api, cl_context context, cl_device_id device,
                cl_command_queue queue, bool profiling, Limits limits, const OpenRequest& request);
  [[nodiscard]] const Buffer* Find(BufferId buffer) const;
  [[nodiscard]] probe::Status CheckTransfer(const char* call, BufferId buffer, std::uint64_t offset_bytes,
                                            std::size_t size) const;
  [[nodiscard]] probe::Status Bind(const Launch& launch);
  [[nodiscard]] probe::Status Enqueue(const Launch& launch, cl_event* event);
  [[nodiscard]] probe::Status EnqueueAll(std::span<const Launch> launches, std::uint32_t repeats,
                                         cl_event* first, cl_event* last);
  [[nodiscard]] probe::Status Outcome(cl_event event) const;
  [[nodiscard]] std::optional<double> DeviceSeconds(cl_event first, cl_event last) const;

  const probe::opencl::Api api_;
  cl_context context_;
  cl_device_id device_;
  cl_command_queue queue_;
  bool profiling_;
  const probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  Limits limits_;
  Allocations allocations_;
  ProgramCache programs_;
  std::vector<Buffer> buffers_;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace backends::opencl
