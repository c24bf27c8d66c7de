// SPDX-License-Identifier: MIT
// Files that only this user can have made, in a directory where others may put things: what an earlier run
// has kept, and the locks by which runs that go on at the same time agree.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "probe/system/descriptor.h"
#include "probe/system/process.h"

namespace probe::system {

enum class Access {
  kRead,
  kChange,  // to read and write
  kMake     // the same, and where there is no such file an empty one is made with mode 0600
};

// Opens a regular file of this user that nobody else may touch, and follows no link to it. An error's code is
// ENOENT where there is no such file; its text says of any other what is wrong with it ("is no file").
[[nodiscard]] Result<Descriptor> OpenOwnFile(const std::string& path, Access access);

struct OwnContent {
  std::string text;
  double age_s = 0;  // since it was written, by the calendar
};
// The content of such a file; nullopt where there is none. The error's text is OpenOwnFile's, or says that it
// has more than max_bytes.
[[nodiscard]] Result<std::optional<OwnContent>> ReadOwnFile(const std::string& path, std::size_t max_bytes);

// Puts the text in the place of whatever has this path, whole or not at all.
[[nodiscard]] bool ReplaceOwnFile(const std::string& path, std::string_view text);

// Exchanges what two paths name, in one step. The error's code is ENOENT where one of them names nothing,
// EINVAL or ENOSYS where the file system or the kernel can not. (Each platform's own, beside its
// filesystem.cpp.)
[[nodiscard]] Status Exchange(const std::string& one, const std::string& other);

// Removes a file or a link; a directory stays.
void RemoveFile(const std::string& path);

// At most max_bytes from the beginning of an open file; empty where it can not be read.
[[nodiscard]] std::string ReadStart(const Descriptor& file, std::size_t max_bytes);
// Overwrites the beginning of an open file; false where not all of it was written. A signal handler may call
// it.
bool OverwriteStart(int descriptor, std::string_view bytes);
// Forces the content of an open file to the disk, and with the directory's path its name as well. (Each
// platform's own, beside its filesystem.cpp.)
[[nodiscard]] bool ForceToDisk(const Descriptor& file, const std::string& directory = "");
// Begins to, without waiting for it.
void BeginForcingToDisk(const Descriptor& file);

enum class LockState { kTaken, kHeldByOther, kUnsupported };
// Locks an open file, against every other process, until the last copy of its descriptor is closed.
[[nodiscard]] LockState TryLock(const Descriptor& file);

// Who has a lock that was not to be had.
struct LockHolder {
  ProcessId pid = 0;  // 0: not known
  bool stopped = false;
};
struct TakenLock {
  std::shared_ptr<void> held;        // until it goes or the process ends; nullptr: not to be had
  std::optional<LockHolder> holder;  // where another has it
};
// The lock of a file that only this user can have made; the file names its holder. Waits no longer than
// `limit_s`, nor once `stop` says so or the holder is stopped.
[[nodiscard]] TakenLock TakeLock(const std::string& path, double limit_s, const std::function<bool()>& stop);

}  // namespace probe::system
