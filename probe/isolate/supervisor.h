// SPDX-License-Identifier: MIT
// The parent's side: starts this same binary as children, each with its own deadline, process group, scratch
// directory and result pipe; collects what they stream; kills everything they leave behind. Knows nothing of
// what they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/core/codec.h"
#include "probe/core/report.h"
#include "probe/isolate/interrupt.h"
#include "probe/system/environment.h"
#include "probe/system/scratch.h"

namespace probe::isolate {

struct ChildRequest {
  std::string task;  // name in the child's table
  Json request;
  std::vector<EnvironmentVariable> environment;  // set on top of the parent's
  // Set to the path of its scratch directory as well, where it has one; TMPDIR and XDG_CACHE_HOME always are.
  std::vector<std::string> scratch_variables;
  double deadline_s = 10.0;  // from the start of this child
  // The most that a record's "allow_s" may grant, whatever it says. None: as much as it asks for.
  std::function<double(const Json& record)> most_allowed_s;
  system::Medium scratch = system::Medium::kDisk;
  // Called while the child starts and before it is told what to do; until then the child has run nothing but
  // this program's own code. What it returns is kept until the child has ended. An error ends the child
  // unused, as kNotStarted. Where there is no function the child is told at once.
  std::function<Result<std::shared_ptr<void>>()> permit;
  std::string marker;  // CrashMarkers::PathOf what stands while this child works; empty: nothing does
};

enum class ChildEnd {
  kDone,    // said done and exited 0
  kExited,  // exited without saying done, or with another code
  kSignalled,
  kTimedOut,    // killed at its deadline
  kAbandoned,   // could not be killed in the grace period (stuck in the kernel)
  kMultiplied,  // the same, because what it left behind starts others as fast as they are killed
  kFlooded,     // broke the result stream or its bounds, or filled its scratch directory
  kNotStarted,
  kInterrupted,
  kOutOfMemory  // killed by the kernel for want of memory: for the caller to find out, never set here
};

struct ChildResult {
  ChildEnd end = ChildEnd::kNotStarted;
  ProcessExit exit;
  std::vector<Json> records;  // all that arrived, in order, without the final {"done": true}
  std::string stderr_tail;    // cleaned, at most 4 KiB
  std::string detail;         // why it was not started, what was flooded, or that it had no scratch directory
  double elapsed_s = 0;
  // From the last record with an "allow_s", else from the start, until it ended or was to be killed.
  double step_s = 0;
};

// Called in the parent for every record as it arrives; the index is that of the request.
using OnRecord = std::function<void(std::size_t child, const Json& record)>;

struct SupervisorOptions {
  double kill_grace_s = 0.5;  // how long to wait for a killed child before abandoning it
  std::uint64_t max_scratch_bytes = 64U << 20U;
  // Once its value is set, running children are killed and RunAll returns with kInterrupted ones.
  Interrupt interrupt;
};

class Supervisor {
 public:
  // Opens the binary (system::OpenOwnBinary) and makes this process a subreaper, where the system has them.
  [[nodiscard]] static Result<Supervisor> Create(SupervisorOptions options,
                                                 const system::Environment& environment);
  Supervisor(Supervisor&&) noexcept;
  Supervisor& operator=(Supervisor&&) noexcept;
  ~Supervisor();

  // Runs all in parallel and returns when the last has ended, been killed or been abandoned: never later than
  // the longest deadline plus one second. Where descriptors, processes or memory do not suffice for all at
  // once, the others follow as these end, each with its deadline. No descendant of theirs survives, setsid or
  // not. results[i] is requests[i]'s. A record with a number "allow_s" puts the child's deadline at that many
  // seconds from its arrival, but never later than the request's own nor beyond what its `most_allowed_s`
  // says; the next such record replaces it. So one step (a compilation, a launch) can be bounded more tightly
  // than the whole. `meanwhile` is called once, as soon as all children work: for something short that need
  // not wait for them.
  [[nodiscard]] std::vector<ChildResult> RunAll(std::span<const ChildRequest> requests,
                                                const OnRecord& on_record,
                                                const std::function<void()>& meanwhile = nullptr);

 private:
  struct State;
  explicit Supervisor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace probe::isolate
