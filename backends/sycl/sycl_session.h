// SPDX-License-Identifier: MIT
// One device of the Unified Runtime, open: its memory, programs, kernels and launches on one queue. Knows no
// kernel by name and chooses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "probe/core/result.h"
#include "probe/sycl/sycl_api.h"

namespace backends::sycl {

namespace rt = probe::sycl;

class SyclSession final : public Session {
 public:
  // `request` asked for `found`.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(const rt::Api& api,
                                                                      const rt::Found& found,
                                                                      const OpenRequest& request);
  ~SyclSession() override = default;

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
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }
  [[nodiscard]] DeviceState State() const override { return StateOfCard(record_, files_); }

 private:
  struct LoadedKernel {
    rt::UrKernel kernel = nullptr;
    std::string entry;
  };
  struct Opened {
    rt::UrContext context = nullptr;
    rt::UrDevice device = nullptr;
    rt::UrQueue queue = nullptr;
  };
  // Of one run: of its first launch and, of several, of its last.
  struct Events {
    rt::UrEvent first = nullptr, last = nullptr;
  };

  SyclSession(const rt::Api& api, const Opened& opened, Limits limits, const OpenRequest& request);
  [[nodiscard]] probe::Status Copy(void* to, const void* from, std::size_t bytes);
  [[nodiscard]] probe::Result<rt::UrProgram> ProgramOf(std::span<const std::uint32_t> code);
  [[nodiscard]] probe::Result<rt::UrProgram> Build(std::span<const std::uint32_t> code) const;
  [[nodiscard]] std::string LogOf(rt::UrProgram program) const;
  // The arguments of a launch, which lie in it and in arguments_' own storage.
  [[nodiscard]] probe::Status Bind(const Launch& launch);
  [[nodiscard]] probe::Status SetArguments(const LoadedKernel& loaded) const;
  [[nodiscard]] probe::Status Enqueue(const Launch& launch, rt::UrEvent* event) const;
  [[nodiscard]] probe::Status EnqueueAll(std::span<const Launch> launches, std::uint32_t repeats,
                                         Events& events);
  // Between the beginning of the first event's kernel and the end of the last one's.
  [[nodiscard]] std::optional<double> DeviceSeconds(const Events& events) const;
  // An error of a call that uses the device.
  [[nodiscard]] probe::Error Failed(probe::Error error);

  rt::Api api_;
  Opened opened_;
  probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  Limits limits_;
  CulpritAccount account_;
  BufferTable<std::byte*> buffers_{limits_};  // by their addresses on the device
  std::vector<LoadedKernel> kernels_;
  std::vector<rt::UrArgument> arguments_;                                  // of the launch at hand
  std::map<const std::uint32_t*, probe::Result<rt::UrProgram>> programs_;  // by their code
};

}  // namespace backends::sycl
