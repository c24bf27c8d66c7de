// SPDX-License-Identifier: MIT
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "backends/core/host.h"
#include "backends/cpu/cpu_session.h"

namespace backends::cpu {
namespace {

constexpr int kMaxProcessors = 16384;
constexpr std::size_t kStackBytes = 1U << 20U;

struct CpuSet {
  CpuSet() : set(CPU_ALLOC(kMaxProcessors)), bytes(CPU_ALLOC_SIZE(kMaxProcessors)) { CPU_ZERO_S(bytes, set); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  ~CpuSet() { CPU_FREE(set); }
  cpu_set_t* set;
  std::size_t bytes;
};

// Refusal is no error: then the scheduler places the thread.
void PinSelf(int processor) {
  const CpuSet mask;
  CPU_SET_S(static_cast<std::size_t>(processor), mask.bytes, mask.set);
  sched_setaffinity(0, mask.bytes, mask.set);
}

// Keeps the calling thread on one processor while it lives.
class Pinned {
 public:
  explicit Pinned(int processor) {
    saved_ = processor >= 0 && sched_getaffinity(0, mask_.bytes, mask_.set) == 0;
    if (saved_) PinSelf(processor);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() {
    if (saved_) sched_setaffinity(0, mask_.bytes, mask_.set);
  }

 private:
  CpuSet mask_;
  bool saved_ = false;
};

// The lowest-numbered hardware thread of a processor's core; the processor itself where it is not told.
int CoreOf(int processor, const probe::system::FileSystem& files) {
  const auto siblings = files.ReadLine("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                                       "/topology/thread_siblings_list");
  int first = processor;
  if (siblings) std::from_chars(siblings->data(), siblings->data() + siblings->size(), first);
  return first;
}

}  // namespace

std::vector<int> PlaceWorkers(const std::vector<int>& allowed, std::optional<double> quota_cores,
                              const probe::system::FileSystem& files) {
  std::vector<int> chosen;
  std::set<int> cores;
  for (const int processor : allowed) {
    if (cores.insert(CoreOf(processor, files)).second) chosen.push_back(processor);
  }
  if (chosen.empty()) chosen.push_back(-1);
  chosen.resize(ThreadsAtOnce(chosen.size(), quota_cores));
  return chosen;
}

Workers::Workers(const std::vector<int>& processors) : home_(processors.front()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (std::size_t i = 1; i < processors.size(); ++i) {
    auto thread = std::make_unique<Thread>();
    thread->owner = this;
    thread->index = count_;
    thread->processor = processors[i];
    if (pthread_create(&thread->handle, &attributes, Enter, thread.get()) != 0) break;
    threads_.push_back(std::move(thread));
    ++count_;
  }
  pthread_attr_destroy(&attributes);
  team_ = std::make_unique<kernels::cpu::Team>(count_);
}

Workers::~Workers() {
  ending_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (const auto& thread : threads_) pthread_join(thread->handle, nullptr);
}

void* Workers::Enter(void* thread) {
  const Thread& self = *static_cast<Thread*>(thread);
  if (self.processor >= 0) PinSelf(self.processor);
  self.owner->Serve(self);
  return nullptr;
}

void Workers::Serve(const Thread& self) {
  for (std::uint32_t seen = 0;;) {
    round_.wait(seen);
    ++seen;
    if (ending_) return;
    (*work_)(Self(self.index));
    team_->barrier.Wait();
  }
}

void Workers::RunAlone(const std::function<void()>& work) const {
  const Pinned pinned(home_);
  work();
}

void Workers::Run(const std::function<void(const kernels::cpu::Worker&)>& work) {
  const Pinned pinned(home_);
  work_ = &work;
  round_.fetch_add(1);
  round_.notify_all();
  work(Self(0));
  team_->barrier.Wait();
}

}  // namespace backends::cpu
