// SPDX-License-Identifier: MIT
// What a reaper does whatever the system, and what its arguments are.
#include "probe/isolate/reaper.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "probe/isolate/channel.h"
#include "probe/isolate/child.h"
#include "probe/system/scratch.h"

namespace probe::isolate {
namespace {

// After the work has ended by itself; what still lives then is stuck in the kernel and left to the tool.
constexpr auto kStrayGrace = std::chrono::milliseconds(250);

constexpr std::array<std::string_view, 3> kPartNames = {"", "work", "alone"};  // in the order of Part

// Work that went on, or was done, did not end the tool; nor did work that ended because nobody heard it.
StepFate FateOf(const std::optional<ProcessExit>& work) {
  const bool went_on = !work || work->code == 0 || work->code == kExitLostChannel || work->signal == SIGPIPE;
  return went_on ? StepFate::kWentOn : StepFate::kDied;
}

// Whether the tool was killed: then its marker says so. Before anything that may take long, for the next run
// may begin already, and leave the step out. Yet all that lives is told to end before, for the disk of the
// marker may hang.
bool TellOfKilledTool(const OwnTool& tool, const std::optional<ProcessExit>& work) {
  if (tool.marker.empty() || getppid() == tool.run.pid) return false;
  KillDescendants({getpid(), tool.mark});
  JudgeMarker(tool.marker, tool.run, FateOf(work));
  return true;
}

}  // namespace

void ForbidCoreDumps() {
  const rlimit one{1, 1};
  if (setrlimit(RLIMIT_CORE, &one) == 0) return;
  const rlimit zero{0, 0};
  setrlimit(RLIMIT_CORE, &zero);
}

std::vector<std::string> ArgumentsFor(const OwnTool& tool) {
  return {"whichgpu",
          std::string(kChildArgument),
          std::to_string(tool.run.pid),
          tool.run.start_ticks ? std::to_string(*tool.run.start_ticks) : "",
          tool.marker,
          tool.mark,
          std::string(kPartNames.at(static_cast<std::size_t>(tool.part)))};
}

OwnTool ToolOf(std::span<char* const> arguments) {
  OwnTool tool;
  if (arguments.size() < 7) return tool;
  tool.run = {ParseNumber<system::ProcessId>(arguments[2]).value_or(0),
              ParseNumber<std::uint64_t>(arguments[3])};
  tool.marker = arguments[4];
  tool.mark = arguments[5];
  const auto part = std::find(kPartNames.begin(), kPartNames.end(), std::string_view(arguments[6]));
  if (part != kPartNames.end()) tool.part = static_cast<Part>(part - kPartNames.begin());
  return tool;
}

void BeReaperOf(system::ProcessId work, const std::string& directory, const OwnTool& tool) {
  system::NameThisProcess("whichgpu-reaper");
  system::CloseDescriptorsFrom(0);
  const auto exit = AwaitEnd(work, tool);
  kill(-work, SIGKILL);  // before it is reaped: until then nobody else can have this number
  const bool was_told = TellOfKilledTool(tool, exit);
  const auto until = exit ? system::Now() + kStrayGrace : system::SteadyTime::max();
  const Family own = {getpid(), tool.mark};
  EndStrays({&own, 1}, {}, work, until);
  system::ScratchDirectory::Remove(directory);
  if (!was_told) TellOfKilledTool(tool, exit);  // it may have been killed by what the work left
  ProcessExit killed;
  killed.signal = SIGKILL;
  EndAs(exit.value_or(killed));
}

void Looks::Add(std::vector<system::ProcessId> alive, bool work_is_dead) {
  const bool any_new = std::any_of(alive.begin(), alive.end(), [&](system::ProcessId pid) {
    return std::find(earlier_.begin(), earlier_.end(), pid) == earlier_.end();
  });
  in_a_row_ = count_ > 0 && any_new ? in_a_row_ + 1 : 0;
  work_is_dead_ = work_is_dead;
  earlier_ = std::move(alive);
  ++count_;
}

}  // namespace probe::isolate
