// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "backends/core/host.h"
#include "backends/cpu/cpu_session.h"
#include "probe/system/processor.h"

namespace backends::cpu {
namespace {

constexpr std::uint64_t kMostCores = 1024;
constexpr std::size_t kStackBytes = 1U << 20U;

// The lowest-numbered hardware thread of a processor's core; the processor itself where it is not told.
int CoreOf(int processor, const probe::system::FileSystem& files) {
  const auto siblings = files.ReadLine("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                                       "/topology/thread_siblings_list");
  int first = processor;
  if (siblings) std::from_chars(siblings->data(), siblings->data() + siblings->size(), first);
  return first;
}

// Where threads can not be placed: as many as there are cores of the fastest kind, "hw.perflevel0" where
// there are several kinds (Apple, "Tuning your code's performance for Apple silicon"). Slower ones would be
// waited for.
std::size_t FastCores() {
  for (const char* name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"}) {
    const auto cores = probe::system::ControlNumber(name);
    if (cores && *cores > 0 && *cores <= kMostCores) return static_cast<std::size_t>(*cores);
  }
  return 1;
}

}  // namespace

std::vector<int> PlaceWorkers(const std::vector<int>& allowed, std::optional<double> quota_cores,
                              const probe::system::FileSystem& files) {
  std::vector<int> chosen;
  std::set<int> cores;
  for (const int processor : allowed) {
    if (cores.insert(CoreOf(processor, files)).second) chosen.push_back(processor);
  }
  if (chosen.empty()) chosen.assign(FastCores(), -1);
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
  if (self.processor >= 0) probe::system::Pin(self.processor);
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
  const probe::system::Pinned pinned(home_);
  work();
}

void Workers::Run(const std::function<void(const kernels::cpu::Worker&)>& work) {
  const probe::system::Pinned pinned(home_);
  work_ = &work;
  round_.fetch_add(1);
  round_.notify_all();
  work(Self(0));
  team_->barrier.Wait();
}

}  // namespace backends::cpu
