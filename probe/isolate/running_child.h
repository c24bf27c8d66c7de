// SPDX-License-Identifier: MIT
// Follows one child of the supervisor from its start to its end: takes what it streams, kills it when it must
// be, and tells how it ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "probe/isolate/channel.h"
#include "probe/isolate/reaper.h"
#include "probe/isolate/supervisor.h"
#include "probe/system/clock.h"
#include "probe/system/descriptor.h"
#include "probe/system/process.h"
#include "probe/system/scratch.h"

namespace probe::isolate {

// What all children of one supervisor share.
struct ChildSetting {
  system::Descriptor binary;
  system::Descriptor null;  // /dev/null; not ok() where there is no /dev
  system::Descriptor root;  // working directory of last resort
  system::Environment environment;
  SupervisorOptions options;
};

class RunningChild {
 public:
  // Starts it; it waits to be told what to do.
  RunningChild(const ChildSetting& setting, const ChildRequest& request,
               std::function<void(const Json&)> on_record);

  // Asks for the permit and hands the request over, or ends the child. Call it once, soon.
  void Tell(const ChildRequest& request);

  // Adds the descriptors that have to be waited for; returns the time by which Serve has to be called anyhow.
  [[nodiscard]] system::SteadyTime Watch(std::vector<int>& out) const;
  // Reads what is there, kills it where it must be, and takes it away when it has ended. Never blocks.
  void Serve();
  // Kills it with all that it started. The first reason that was given stays.
  void Kill(ChildEnd reason, std::string detail = "");

  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] system::ProcessId pid() const { return pid_; }
  [[nodiscard]] const std::string& mark() const { return mark_; }
  [[nodiscard]] bool abandoned() const {
    return finished_ && (result_.end == ChildEnd::kAbandoned || result_.end == ChildEnd::kMultiplied);
  }
  // Whether it could not be started because the other children hold the descriptors, processes or memory.
  [[nodiscard]] bool lacks_room() const { return lacks_room_; }
  // Call once, when finished.
  [[nodiscard]] ChildResult TakeResult();

 private:
  void Start(const ChildRequest& request);
  void NotStarted(const Error& why);
  void ReadResults();
  void ReadStderr();
  void Accept(Json record);
  [[nodiscard]] bool TakeSeal(Json& record) const;
  void CheckLimits();
  [[nodiscard]] system::SteadyTime::duration BlindInterval() const;
  void Press();
  void RemoveScratch();
  void Finish(ChildEnd end, const ProcessExit& exit);

  const ChildSetting& setting_;
  std::function<void(const Json&)> on_record_;
  std::function<double(const Json&)> most_allowed_s_;
  system::ProcessId pid_ = -1;
  system::Descriptor pid_descriptor_;
  std::string mark_;  // of what descends from it; empty where the kernel tells
  std::string seal_;
  // The request goes through it. This side keeps both ends, so that a child that died meanwhile does not end
  // the writer by a signal, and until the child is told or has ended, since the end of the file lets it
  // begin.
  system::Pipe orders_;
  std::shared_ptr<void> permit_;
  system::Descriptor results_;
  system::Descriptor stderr_;
  std::optional<system::ScratchDirectory> scratch_;
  system::SteadyTime start_;
  system::SteadyTime step_start_;     // of what the deadline is for
  system::SteadyTime last_deadline_;  // the request's
  system::SteadyTime deadline_;       // the earlier of that and the child's own
  system::SteadyTime next_scratch_check_;
  std::optional<system::SteadyTime> killed_;
  std::optional<system::ProcessId> work_;  // below its reaper, when that was told to end it
  Looks pressed_;                          // what was alive below it at each Press
  ChildEnd reason_ = ChildEnd::kExited;    // why it was killed
  bool done_ = false;
  bool has_reaper_ = true;  // pid_ is its reaper's, otherwise that of the work itself
  bool finished_ = false;
  bool lacks_room_ = false;
  Deframer deframer_;
  std::string stderr_text_;
  ChildResult result_;
};

// The last max_bytes of a child's stderr, cleaned line by line, empty lines left out.
[[nodiscard]] std::string CleanTail(std::string_view text, std::size_t max_bytes);

}  // namespace probe::isolate
