// SPDX-License-Identifier: MIT
// Remembers across runs that a step was begun: a marker that outlives the run that wrote it says that nobody
// saw the step end. Where the machine was started since, it may have gone down in that step, and that is
// believed at once. On the same boot one tells that the run ended with the step's process: the step is tried
// again, and believed to be at fault after the second time. A run that is killed while the step goes on says
// little, for whoever did it may have had another reason; but a driver can kill this tool, too: the reaper of
// its child makes such a marker a weak one, of which it takes four in one boot. One file a step below the
// cache directory, which stays and is blank while there is no marker: overwriting a block is the cheapest
// thing that a disk can be forced to keep. Never an error, at worst a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/system/descriptor.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/process.h"

namespace probe::isolate {

// What a risky step is about. A changed file or another kernel makes it another step, which is tried again.
struct CrashKey {
  std::string runtime;
  std::vector<std::string> files;  // manifest, library: as far as they are known
  std::string device;              // device id, or empty for the runtime as a whole
};

// What is known of tries of a step that nobody saw end.
struct CrashMarker {
  std::string description;           // of the step, cleaned: "measuring pci:0000:01:00.0 through vulkan"
  std::vector<std::string> created;  // UTC, of each of them, the oldest first; never empty
  bool rebooted = false;  // the machine was started again after one of them, and may have gone down in it
  bool believed = false;  // leave the step out; otherwise try it, with nothing risky beside it
};

// What a marker must outlive to tell of its step: the process that is killed in it, or a machine that resets.
enum class Outlives { kProcess, kMachine };

class CrashMarkers {
 public:
  // Holds one marker; it is blanked when the guard goes, which is when any outcome of the step was seen.
  class Guard {
   public:
    Guard() = default;
    Guard(Guard&& other) noexcept = default;
    Guard& operator=(Guard&& other) noexcept;
    ~Guard();

    // The marker could not be written (a full or read-only disk): a crash of this step will not be
    // remembered.
    [[nodiscard]] bool failed() const { return failed_; }

   private:
    friend class CrashMarkers;
    explicit Guard(bool failed) : failed_(failed) {}
    Guard(system::Descriptor file, Outlives outlives) : file_(std::move(file)), outlives_(outlives) {}
    system::Descriptor file_;  // holds the lock
    Outlives outlives_ = Outlives::kProcess;
    bool failed_ = false;
  };

  // With `ignore_survivors` (--retry-crashed) none is reported. `files` must outlive this.
  [[nodiscard]] static CrashMarkers Open(const system::Environment& environment,
                                         const system::FileSystem& files, bool ignore_survivors = false);

  // The file of a step's marker, whatever it holds; empty where there are no markers. The key's files do not
  // matter to it.
  [[nodiscard]] std::string PathOf(const CrashKey& key) const;
  // Why there are no markers in this run; empty when there are.
  [[nodiscard]] const std::string& warning() const { return warning_; }

  // What dead runs left of this step. What a living run holds is no survivor. Where it is of this boot, the
  // file then says that the machine outlived it: so ends of runs leave the step out until the next boot only,
  // after which it is tried again.
  [[nodiscard]] std::optional<CrashMarker> Survivor(const CrashKey& key) const;

  // Writes the marker, which keeps what survived of earlier tries until the guard goes, and, where it must
  // outlive the machine, forces it to the disk, which takes from half a millisecond to many. Where that is
  // not possible, or another run holds this step's, the guard guards nothing.
  [[nodiscard]] Guard Arm(const CrashKey& key, std::string_view description, Outlives outlives) const;

 private:
  CrashMarkers(const system::FileSystem& files, std::string directory, std::string warning,
               bool ignore_survivors);
  // What the key's files are now.
  [[nodiscard]] std::string StateOf(const CrashKey& key) const;

  const system::FileSystem* files_;
  std::string directory_;  // empty: disabled
  std::string warning_;
  bool ignore_survivors_;
};

// Blanks every marker that a guard of this process holds: for one that ends at once because it was told to,
// which blames no step. May be called from a signal handler.
void BlankHeldMarkers();

// A run that somebody killed. Numbers of processes are used again, by containers in one boot above all.
struct KilledRun {
  system::ProcessId pid = 0;
  std::optional<std::uint64_t> start_ticks;
};

// What became of a process of the step when the run was killed.
enum class StepFate { kWentOn, kDied };

// For the reaper of a step's process, after its run was killed: where the step went on, that try is a weak
// one, unless another process of the same step died; what the marker tells of other runs stays. A run that
// began meanwhile may have taken the try over: it is found there as well, once that one holds it no more.
void JudgeMarker(const std::string& path, const KilledRun& run, StepFate fate);

}  // namespace probe::isolate
