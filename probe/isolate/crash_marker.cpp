// SPDX-License-Identifier: MIT
#include "probe/isolate/crash_marker.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "probe/core/hash.h"
#include "probe/core/text.h"
#include "probe/isolate/stored_marker.h"
#include "probe/system/cache_dir.h"
#include "probe/system/clock.h"
#include "probe/system/host.h"
#include "probe/system/own_file.h"
#include "probe/system/process.h"
#include "probe/system/processor.h"

namespace probe::isolate {
namespace {

using system::Descriptor;

constexpr std::string_view kFileStart = "crash-";
constexpr int kMostLockTries = 100;
constexpr auto kLockPause = std::chrono::milliseconds(2);

constexpr auto kBlank = [] {
  std::array<char, kMarkerBytes> blank{};
  blank.fill(' ');
  return blank;
}();

// The descriptors of the markers held, plus one; 0 where there is none. More than a run ever holds at once.
std::array<std::atomic<int>, 64> held{};
static_assert(std::atomic<int>::is_always_lock_free,
              "only lock-free atomics may be used in a signal handler");

void ExchangeHeld(int from, int to) {
  for (auto& slot : held) {
    int expected = from;
    if (slot.compare_exchange_strong(expected, to)) return;
  }
}

bool IsOfThisBoot(const StoredMarker& marker, const system::FileSystem& files) {
  const auto today = system::BootId(files);
  return !today || !marker.boot_id || marker.boot_id == today;
}

bool WriterLives(const StoredMarker& marker, const system::FileSystem& files) {
  return marker.start_ticks && marker.boot_id == system::BootId(files) &&
         system::StartTicks(marker.pid) == marker.start_ticks;
}

// Puts down in a try what became of the step in it; false for another run's.
template <class Try>
bool Judge(Try& one, const KilledRun& run, StepFate fate) {
  if (one.pid != run.pid || one.start_ticks != run.start_ticks) return false;
  one.died = one.died || fate == StepFate::kDied;
  one.weak = !one.died;
  return true;
}

}  // namespace

CrashMarkers::Guard& CrashMarkers::Guard::operator=(Guard&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(outlives_, other.outlives_);
  std::swap(failed_, other.failed_);
  return *this;
}

// While the lock is held, so that nobody can take it for a dead run's. Not waited for: a machine that goes
// down before this is on the disk is rare, and then the worst is that a step is left out once too often.
CrashMarkers::Guard::~Guard() {
  if (!file_.ok()) return;
  const bool written = BlankMarker(file_);
  ExchangeHeld(file_.get() + 1, 0);
  if (!written || outlives_ == Outlives::kProcess) return;
  system::BeginForcingToDisk(file_);
}

CrashMarkers::CrashMarkers(const system::FileSystem& files, std::string directory, std::string warning,
                           bool ignore_survivors)
    : files_(&files),
      directory_(std::move(directory)),
      warning_(std::move(warning)),
      ignore_survivors_(ignore_survivors) {}

CrashMarkers CrashMarkers::Open(const system::Environment& environment, const system::FileSystem& files,
                                bool ignore_survivors) {
  const auto cache = system::CacheDirectory(environment, files);
  if (!cache) {
    // Of another machine's tree nothing runs that could crash this one.
    auto warning =
        files.live() ? "a crash of the machine would not be remembered: " + Describe(cache.error()) : "";
    return {files, "", std::move(warning), ignore_survivors};
  }
  return {files, *cache, "", ignore_survivors};
}

std::string CrashMarkers::PathOf(const CrashKey& key) const {
  if (directory_.empty()) return "";
  return directory_ + "/" + std::string(kFileStart) + HashName(key.runtime + '\0' + key.device) + ".json";
}

std::string CrashMarkers::StateOf(const CrashKey& key) const {
  std::string text = system::ReadKernelNames().release + '\0';
  for (const auto& path : key.files) {
    text += path + '\0';
    if (const auto status = files_->Stat(path)) {
      for (const auto number : {status->device, status->inode, status->size_bytes,
                                static_cast<std::uint64_t>(status->modified_ns)}) {
        text += std::to_string(number) + ' ';
      }
    }
  }
  return HashName(text);
}

std::optional<CrashMarker> CrashMarkers::Survivor(const CrashKey& key) const {
  if (directory_.empty() || ignore_survivors_) return std::nullopt;
  const auto file = system::OpenOwnFile(PathOf(key), system::Access::kChange);
  // Not locked to see that it is blank: another run may be about to arm it.
  if (!file || !ReadMarker(*file)) return std::nullopt;
  const auto lock = system::TryLock(*file);
  if (lock == system::LockState::kHeldByOther) return std::nullopt;
  // Blanked meanwhile, cut short by the very crash, or written by somebody else: it proves nothing.
  auto marker = ReadMarker(*file);
  if (!marker || marker->files != StateOf(key)) return std::nullopt;
  if (lock == system::LockState::kUnsupported && WriterLives(*marker, *files_)) return std::nullopt;
  const bool of_this_boot = IsOfThisBoot(*marker, *files_);
  const auto tries = TriesOf(*marker, of_this_boot);
  if (tries.empty()) return std::nullopt;
  if (of_this_boot && !std::exchange(marker->machine_survived, true))
    static_cast<void>(WriteMarker(*file, *marker));
  CrashMarker survivor;
  survivor.description = marker->description;
  for (const StoredTry& one : tries) survivor.created.push_back(one.created);
  survivor.rebooted = HasRebooted(tries);
  survivor.believed = survivor.rebooted || Suffice(tries);
  return survivor;
}

CrashMarkers::Guard CrashMarkers::Arm(const CrashKey& key, std::string_view description,
                                      Outlives outlives) const {
  if (directory_.empty()) return {};
  const auto path = PathOf(key);
  auto opened = system::OpenOwnFile(path, system::Access::kChange);
  const bool is_new = !opened.ok();
  if (is_new) opened = system::OpenOwnFile(path, system::Access::kMake);
  if (!opened) return Guard(true);
  Descriptor file = *std::move(opened);
  const auto lock = system::TryLock(file);
  if (lock == system::LockState::kHeldByOther) return {};
  const auto survivor = is_new ? std::nullopt : ReadMarker(file);
  if (lock == system::LockState::kUnsupported && survivor && WriterLives(*survivor, *files_)) return {};
  const auto status = system::StatusOf(file);
  // Somebody cleaned up between the two calls above: what is locked has no name any more.
  if (!status || status->links == 0) return {};
  StoredMarker marker;
  marker.files = StateOf(key);
  marker.description = CleanText(description, kMaxDescriptionBytes);
  marker.created = system::CalendarNow();
  marker.pid = system::OwnProcessId();
  marker.start_ticks = system::StartTicks(marker.pid);
  marker.boot_id = system::BootId(*files_);
  if (survivor && survivor->files == marker.files)
    marker.earlier = TriesOf(*survivor, IsOfThisBoot(*survivor, *files_));
  ExchangeHeld(0, file.get() + 1);
  Guard guard(std::move(file), outlives);
  const bool written = WriteMarker(guard.file_, marker);
  if (written &&
      (outlives == Outlives::kProcess || system::ForceToDisk(guard.file_, is_new ? directory_ : "")))
    return guard;
  if (is_new) system::RemoveFile(path);
  return Guard(true);
}

void BlankHeldMarkers() {
  for (const auto& slot : held) {
    const int descriptor = slot.load() - 1;
    // What can not be written now stays a try that nobody saw end, which is believed the second time only.
    if (descriptor >= 0) system::OverwriteStart(descriptor, {kBlank.data(), kBlank.size()});
  }
}

void JudgeMarker(const std::string& path, const KilledRun& run, StepFate fate) {
  const auto files = system::FileSystem::Open("/");
  const auto file = system::OpenOwnFile(path, system::Access::kChange);
  if (!files || !file) return;
  // Another process of the same step may be at it.
  for (int i = 0; system::TryLock(*file) == system::LockState::kHeldByOther; ++i) {
    if (i == kMostLockTries) return;
    std::this_thread::sleep_for(kLockPause);
  }
  auto marker = ReadMarker(*file);
  if (!marker || marker->boot_id != system::BootId(*files)) return;
  bool found = Judge(*marker, run, fate);
  for (StoredTry& one : marker->earlier) found = (!one.earlier_boot && Judge(one, run, fate)) || found;
  if (found && WriteMarker(*file, *marker)) system::BeginForcingToDisk(*file);
}

}  // namespace probe::isolate
