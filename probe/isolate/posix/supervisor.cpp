// SPDX-License-Identifier: MIT
#include "probe/isolate/supervisor.h"

#include <fcntl.h>

#include <algorithm>

#include "probe/isolate/reaper.h"
#include "probe/isolate/running_child.h"
#include "probe/system/process.h"

namespace probe::isolate {
namespace {

using Children = std::vector<std::unique_ptr<RunningChild>>;

// How late an interrupt may be noticed that wakes no poll.
constexpr auto kLongestPoll = std::chrono::milliseconds(50);

// Children that compute must not keep it from starting the others, nor from their deadlines.
constexpr std::uint64_t kSliceNanoseconds = 100'000;

bool IsInterrupted(const Interrupt& interrupt) {
  return interrupt.signal != nullptr && interrupt.signal->load(std::memory_order_relaxed) != 0;
}

void WaitForNews(const Children& children, const Interrupt& interrupt) {
  std::vector<int> descriptors;
  const bool interrupted = IsInterrupted(interrupt);
  if (interrupt.descriptor >= 0 && !interrupted) descriptors.push_back(interrupt.descriptor);
  const auto now = system::Now();
  auto wake = now + kLongestPoll;
  for (const auto& child : children) {
    if (!child->finished()) wake = std::min(wake, child->Watch(descriptors));
  }
  system::AwaitAny(descriptors, wake - now);
}

bool IsAnyRunning(const Children& children) {
  return std::any_of(children.begin(), children.end(), [](const auto& child) { return !child->finished(); });
}

void ServeAll(const Children& children, const Interrupt& interrupt) {
  WaitForNews(children, interrupt);
  for (const auto& child : children) {
    child->Serve();
    if (IsInterrupted(interrupt)) child->Kill(ChildEnd::kInterrupted);
  }
}

}  // namespace

struct Supervisor::State {
  ChildSetting setting;
  // Children before the first of ours, and what could not be killed.
  std::vector<system::ProcessId> not_ours;

  void EndWhatIsLeft(const Children& children);
};

// What could not be ended is left to itself from then on: it costs no later child the time to find that out.
void Supervisor::State::EndWhatIsLeft(const Children& children) {
  system::ProcessId first = 0;  // the lowest number of a child that was started
  std::vector<Family> families;
  for (const auto& child : children) {
    if (child->pid() > 0 && (first == 0 || child->pid() < first)) first = child->pid();
    if (child->abandoned()) {
      not_ours.push_back(child->pid());
    } else if (!child->mark().empty()) {
      families.push_back({0, child->mark()});
    }
  }
  if (first == 0) return;
  const std::chrono::duration<double> grace(setting.options.kill_grace_s / 2);
  const auto until = system::Now() + std::chrono::duration_cast<system::SteadyTime::duration>(grace);
  const auto left = EndStrays(families, not_ours, first, until);
  not_ours.insert(not_ours.end(), left.begin(), left.end());
}

Supervisor::Supervisor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;
Supervisor::~Supervisor() = default;

Result<Supervisor> Supervisor::Create(SupervisorOptions options, const system::Environment& environment) {
  auto binary = system::OpenOwnBinary();
  if (!binary) return binary.error();
  auto state = std::make_unique<State>();
  state->setting.binary = *std::move(binary);
  state->setting.null = system::Raise(system::Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)));
  state->setting.root = system::Raise(system::Descriptor(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  state->setting.environment = environment;
  state->setting.options = options;
  system::BecomeSubreaper();
  system::AskForSlice(kSliceNanoseconds);
  state->not_ours = system::OwnChildren(1);
  return Supervisor(std::move(state));
}

std::vector<ChildResult> Supervisor::RunAll(std::span<const ChildRequest> requests, const OnRecord& on_record,
                                            const std::function<void()>& meanwhile) {
  const ChildSetting& setting = state_->setting;
  const Interrupt& interrupt = setting.options.interrupt;
  Children children;
  while (children.size() < requests.size() && !IsInterrupted(interrupt)) {
    const std::size_t i = children.size();
    auto forward = [&on_record, i](const Json& record) {
      if (on_record) on_record(i, record);
    };
    auto child = std::make_unique<RunningChild>(setting, requests[i], std::move(forward));
    if (child->lacks_room() && IsAnyRunning(children)) {
      ServeAll(children, interrupt);
      continue;
    }
    // At once: a child that has been told keeps its processor busy, and a parent that shares it waits there
    // while others, not told yet, leave theirs idle. What the permit takes (writing to a disk) goes on while
    // the child starts.
    child->Tell(requests[i]);
    children.push_back(std::move(child));
  }
  if (meanwhile) meanwhile();
  while (IsAnyRunning(children)) ServeAll(children, interrupt);
  state_->EndWhatIsLeft(children);
  std::vector<ChildResult> results(requests.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i < children.size()) {
      results[i] = children[i]->TakeResult();
    } else {
      results[i].end = ChildEnd::kInterrupted;
    }
  }
  return results;
}

}  // namespace probe::isolate
