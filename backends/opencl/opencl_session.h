// SPDX-License-Identifier: MIT
// One OpenCL device, open: buffers, kernels and launches on one in-order queue. Knows no kernel by name and
// chooses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "probe/core/result.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

// Buffers of one context. Those of a device on the host processor lie in the same pages as the processor's
// own backend's, huge ones where the kernel gives them: without these PoCL reads a fifth slower, and the
// figures of one processor would not compare.
struct Buffer {
  cl_mem memory = nullptr;
  std::uint64_t bytes = 0;
  void* pages = nullptr;  // of the host's, that the buffer lies in
};

// The caller destroys it.
[[nodiscard]] probe::Result<Buffer> CreateBuffer(const probe::opencl::Api& api, cl_context context,
                                                 std::uint64_t bytes, bool on_host);
void Destroy(const probe::opencl::Api& api, Buffer& buffer);

// Builds OpenCL C for one device and keeps what was built. Runs nothing.
class ProgramCache {
 public:
  ProgramCache(const probe::opencl::Api& api, cl_context context, cl_device_id device)
      : api_(api), context_(context), device_(device) {}
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;
  ~ProgramCache();

  // One build for each pair of source and options; a failed one is not repeated. The error's text ends with
  // the last lines of the compiler's log, cleaned.
  [[nodiscard]] probe::Result<cl_program> Get(std::string_view source, std::string_view options);

 private:
  [[nodiscard]] probe::Result<cl_program> Build(const std::string& source, const std::string& options) const;
  [[nodiscard]] std::string LogOf(cl_program program) const;

  const probe::opencl::Api& api_;
  cl_context context_;
  cl_device_id device_;
  std::map<std::pair<std::string, std::string>, probe::Result<cl_program>> built_;
};

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
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }
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
  // Writes the word that Serves reads.
  void HoldWord();
  [[nodiscard]] probe::Status Bind(const Launch& launch);
  [[nodiscard]] probe::Status Enqueue(const Launch& launch, cl_event* event);
  [[nodiscard]] probe::Status EnqueueAll(std::span<const Launch> launches, std::uint32_t repeats,
                                         cl_event* first, cl_event* last);
  [[nodiscard]] probe::Status Outcome(cl_event event) const;
  // Whether the context still works.
  [[nodiscard]] bool Serves() const;
  // An error of a call that uses the context, which is looked at then.
  [[nodiscard]] probe::Error Failed(probe::Error error);
  [[nodiscard]] std::optional<double> DeviceSeconds(cl_event first, cl_event last) const;

  const probe::opencl::Api api_;
  cl_context context_;
  cl_device_id device_;
  cl_command_queue queue_;
  bool profiling_;
  const probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  Limits limits_;
  ProgramCache programs_;
  BufferTable<Buffer> buffers_{limits_};
  std::vector<LoadedKernel> kernels_;
  cl_mem held_ = nullptr;  // a word that the device has had since the session was opened
  CulpritAccount account_;
};

}  // namespace backends::opencl
