// SPDX-License-Identifier: MIT
// The host processor as a device: memory from the system, kernels from kernels/cpu, run by pinned workers,
// and products of the user's libraries, which have threads of their own. Has no clock of its own: only wall
// time.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/cpu/vendor.h"
#include "kernels/cpu/cpu_kernel.h"
#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace backends::cpu {

// The logical processors for the workers: those of the affinity mask, one of every core (a core's second
// hardware thread adds no arithmetic), no more than the cgroup's quota lets run at once; one at least.
[[nodiscard]] std::vector<int> PlaceWorkers(const std::vector<int>& allowed,
                                            std::optional<double> quota_cores,
                                            const probe::system::FileSystem& files);

// The threads that run the processor's kernels: as many as the machine grants us, each on a core of its own,
// asleep between runs.
class Workers {
 public:
  // Worker i runs on processors[i]; the calling thread is worker 0 while it is in Run. Where the system
  // refuses threads there are fewer.
  explicit Workers(const std::vector<int>& processors);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] unsigned count() const { return count_; }
  // Calls work(worker) on every worker at once and returns when all have returned.
  void Run(const std::function<void(const kernels::cpu::Worker&)>& work);
  // Calls it on worker 0's processor, while the others sleep.
  void RunAlone(const std::function<void()>& work) const;

 private:
  struct Thread {
    Workers* owner = nullptr;
    unsigned index = 0;
    int processor = 0;
    pthread_t handle{};
  };
  static void* Enter(void* thread);
  void Serve(const Thread& self);
  [[nodiscard]] kernels::cpu::Worker Self(unsigned index) { return {index, count_, team_.get()}; }

  unsigned count_ = 1;
  int home_ = -1;  // worker 0's processor; -1: anywhere
  std::vector<std::unique_ptr<Thread>> threads_;
  std::unique_ptr<kernels::cpu::Team> team_;
  const std::function<void(const kernels::cpu::Worker&)>* work_ = nullptr;
  std::atomic<std::uint32_t> round_{0};  // a new one starts every run and the end
  bool ending_ = false;
};

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
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;  // as many as its buffer has, or more
  };
  void Unmap(const Mapping& mapping);
  [[nodiscard]] void* MapWithinLimit(std::uint64_t bytes);
  [[nodiscard]] std::optional<Mapping> TakeSpare(std::uint64_t bytes);

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
  BufferTable<Mapping> buffers_{limits_};
  std::uint64_t mapped_bytes_ = 0;  // of buffers and what is spare
  std::vector<Mapping> spare_;      // released, for the next that fits
};

// Fails for a device that is not the processor. What the request refers to outlives the session.
[[nodiscard]] probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request);

}  // namespace backends::cpu
