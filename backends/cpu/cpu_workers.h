// SPDX-License-Identifier: MIT
// The threads that run the processor's kernels: as many as the machine grants us, each on a core of its own,
// asleep between runs.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"
#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace backends::cpu {

// The logical processors for the workers: those of the affinity mask, one of every core (a core's second
// hardware thread adds no arithmetic), no more than the cgroup's quota lets run at once; one at least.
[[nodiscard]] std::vector<int> PlaceWorkers(const std::vector<int>& allowed,
                                            std::optional<double> quota_cores,
                                            const probe::system::FileSystem& files);

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

}  // namespace backends::cpu
