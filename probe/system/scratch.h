// SPDX-License-Identifier: MIT
// A private directory for what a driver writes into its current directory or TMPDIR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/result.h"
#include "probe/system/descriptor.h"
#include "probe/system/environment.h"

namespace probe::system {

// Where it should lie when TMPDIR names no place. To make and remove a directory on a disk may take a
// millisecond and more; memory is for what stays small and is not executed (/dev/shm is often noexec).
enum class Medium { kDisk, kMemory };

class ScratchDirectory {
 public:
  // Below TMPDIR, else in memory /dev/shm, else /tmp, else /dev/shm; mode 0700. The error is that of the last
  // place tried.
  [[nodiscard]] static Result<ScratchDirectory> Create(const Environment& environment, Medium medium);
  // The same in two steps, for a directory that a child makes itself: names that nobody has, the best place
  // first; and the directory of such a name, made with mode 0700.
  [[nodiscard]] static std::vector<std::string> Names(const Environment& environment, Medium medium);
  // Where one comes to lie, as far as that can be told before it is made.
  [[nodiscard]] static std::optional<std::string> UsualParent(const Environment& environment, Medium medium);
  [[nodiscard]] static ScratchDirectory Adopt(std::string path);
  // Removes what has such a name with all its content; anything else stays.
  static void Remove(const std::string& path);

  ScratchDirectory(ScratchDirectory&& other) noexcept = default;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  // Removes it with all its content, as far as that is possible.
  ~ScratchDirectory();

  // Removes it now where nothing is in it: nothing can be put there any more. Else it stays as it is.
  void RemoveIfEmpty();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return directory_.get(); }
  // Removes those that killed processes of this user have left in any of these places: nobody holds their
  // lock, and for an hour nothing has been put there.
  static void RemoveAbandoned(const Environment& environment);
  // True when its files take more than max_bytes on the disk, are more than 10000, or a part of it can not be
  // looked at (no permission, directories deeper than 64). Links are not followed.
  [[nodiscard]] bool Exceeds(std::uint64_t max_bytes) const;

 private:
  ScratchDirectory(std::string path, Descriptor directory)
      : path_(std::move(path)), directory_(std::move(directory)) {}
  std::string path_;
  Descriptor directory_;
};

}  // namespace probe::system
