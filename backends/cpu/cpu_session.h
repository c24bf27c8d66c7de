// SPDX-License-Identifier: MIT
// The host processor as a device: memory from the system, kernels from kernels/cpu, run by pinned workers,
// and products of the user's libraries, which have threads of their own. Has no clock of its own: only wall
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/core/backend.h"
#include "backends/cpu/cpu_workers.h"
#include "backends/cpu/vendor.h"

namespace backends::cpu {

class CpuSession final : public Session {
 public:
  // `files` and `environment` are where libraries are looked for; they outlive the session.
  CpuSession(const std::vector<int>& processors, Limits limits, const probe::system::FileSystem& files,
             const probe::system::Environment& environment);
  ~CpuSession() override;

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
  // The clock of the first worker's core, by additions that wait for each other: systems in a hypervisor
  // are told none. Takes about 20 us.
  [[nodiscard]] DeviceState State() const override;

 private:
  struct Mapping {
    std::byte* address = nullptr;  // nullptr once released
    std::uint64_t bytes = 0;       // of the buffer
    std::uint64_t capacity = 0;    // of the mapping
  };
  static void Unmap(const Mapping& mapping);
  [[nodiscard]] void* MapWithinLimit(std::uint64_t bytes) const;
  [[nodiscard]] std::optional<Mapping> TakeSpare(std::uint64_t bytes);
  // The bytes [offset, offset + size) of a buffer; an error if it has no such bytes.
  [[nodiscard]] probe::Result<std::byte*> Locate(BufferId buffer, std::uint64_t offset_bytes,
                                                 std::uint64_t size) const;

  struct Library {
    std::string_view name;
    Multiply multiply;
  };
  // Kernels of libraries are numbered behind our own.
  struct LibraryKernel {
    kernels::Dtype in;
    Multiply multiply;
  };
  struct Call;
  [[nodiscard]] probe::Result<KernelId> LoadLibrary(std::string_view name, kernels::Dtype in);
  [[nodiscard]] probe::Result<std::vector<Call>> Bind(std::span<const Launch> launches) const;
  // One after another, each with its own threads.
  [[nodiscard]] probe::Status RunInTurn(const std::vector<Call>& calls);

  Limits limits_;
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
  std::vector<Library> libraries_;
  std::vector<LibraryKernel> library_kernels_;
  Workers workers_;
  std::vector<Mapping> mappings_;
  std::vector<Mapping> spare_;  // released, for the next that fits
};

// Fails for a device that is not the processor. What the request refers to outlives the session.
[[nodiscard]] probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request);

}  // namespace backends::cpu
