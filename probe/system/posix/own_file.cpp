// SPDX-License-Identifier: MIT
#include "probe/system/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "probe/system/clock.h"
#include "probe/system/filesystem.h"

namespace probe::system {
namespace {

constexpr std::uint32_t kOthersMayTouch = 0077;
constexpr std::array kFlags = {O_RDONLY, O_RDWR, O_RDWR | O_CREAT};  // of each Access

Error Refused(std::string text) { return Own(OwnError::kRefused, "open", std::move(text)); }

bool WriteAll(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// What a holder writes of itself.
std::optional<ProcessId> ReadPid(const Descriptor& file) {
  const std::string text = ReadStart(file, 16);
  ProcessId pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || pid <= 0) return std::nullopt;
  return pid;
}

std::shared_ptr<void> Hold(Descriptor file) {
  // What can not be written (a full disk) leaves the holder unknown, and its waiters their patience.
  const bool named = ftruncate(file.get(), 0) == 0 && OverwriteStart(file.get(), std::to_string(getpid()));
  return {new Descriptor(std::move(file)), [named](Descriptor* held) {
            // While it is locked: whoever has it next must not be taken for this one.
            if (named && ftruncate(held->get(), 0) != 0) errno = 0;
            delete held;
          }};
}

}  // namespace

Result<Descriptor> OpenOwnFile(const std::string& path, Access access) {
  const int flags = kFlags.at(static_cast<std::size_t>(access)) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(open(path.c_str(), flags, 0600));
  const auto status = StatusOf(file);
  if (!status) return ErrnoError("open", errno, "can not be read");
  if (!status->is_regular) return Refused("is no file");
  if (status->owner_uid != geteuid()) return Refused("belongs to user " + std::to_string(status->owner_uid));
  if ((status->mode & kOthersMayTouch) != 0) return Refused("can be touched by others");
  return file;
}

Result<std::optional<OwnContent>> ReadOwnFile(const std::string& path, std::size_t max_bytes) {
  const auto file = OpenOwnFile(path, Access::kRead);
  if (!file && file.error().code == ENOENT) return std::optional<OwnContent>();
  if (!file) return file.error();
  const auto status = StatusOf(*file);
  if (!status) return Refused("can not be read");
  if (status->size_bytes > max_bytes) return Refused("is too large");
  OwnContent content;
  content.text = ReadStart(*file, status->size_bytes);
  if (content.text.size() < status->size_bytes) return Refused("can not be read");
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  content.age_s =
      std::chrono::duration<double>(now).count() - 1e-9 * static_cast<double>(status->modified_ns);
  return std::optional(std::move(content));
}

bool ReplaceOwnFile(const std::string& path, std::string_view text) {
  const std::string scratch = path + "." + std::to_string(getpid()) + ".tmp";
  RemoveFile(scratch);  // of a dead process with this number
  const Descriptor file(open(scratch.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok()) return false;
  if (WriteAll(file, text) && fsync(file.get()) == 0 && rename(scratch.c_str(), path.c_str()) == 0)
    return true;
  RemoveFile(scratch);
  return false;
}

void RemoveFile(const std::string& path) { unlink(path.c_str()); }

std::string ReadStart(const Descriptor& file, std::size_t max_bytes) {
  std::string text(max_bytes, '\0');
  std::size_t done = 0;
  while (done < max_bytes) {
    const ssize_t got = pread(file.get(), text.data() + done, max_bytes - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

bool OverwriteStart(int descriptor, std::string_view bytes) {
  return pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

LockState TryLock(const Descriptor& file) {
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return LockState::kTaken;
  return errno == EWOULDBLOCK ? LockState::kHeldByOther : LockState::kUnsupported;
}

TakenLock TakeLock(const std::string& path, double limit_s, const std::function<bool()>& stop) {
  auto file = OpenOwnFile(path, Access::kMake);
  if (!file) return {};
  const auto start = Now();
  for (;;) {
    const LockState state = TryLock(*file);
    if (state == LockState::kTaken) return {Hold(*std::move(file)), std::nullopt};
    if (state == LockState::kUnsupported) return {};
    const ProcessId pid = ReadPid(*file).value_or(0);
    const LockHolder holder{pid, pid != 0 && IsStopped(pid)};
    if (stop() || holder.stopped || SecondsSince(start) > limit_s) return {nullptr, holder};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace probe::system
