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

// Where a scratch directory should lie when TMPDIR names no place. Memory is for content that stays small and
// is not executed (/dev/shm is often noexec), since making and removing a directory on a disk may take a
// millisecond and more.
enum class Medium { kDisk, kMemory };

class ScratchDirectory {
 public:
  // Below TMPDIR, else in memory /dev/shm, else /tmp, else /dev/shm; mode 0700. The error is that of the last
  // place tried.
  [[nodiscard]] static Result<ScratchDirectory> Create(const Environment& environment, Medium medium);
  // The same in two steps, for a directory that a child makes itself with mode 0700. Names returns paths that
  // nobody has yet, the best place first; Adopt takes over the one that was made.
  [[nodiscard]] static std::vector<std::string> Names(const Environment& environment, Medium medium);
  // The directory in which one will be made, as far as that can be told before.
  [[nodiscard]] static std::optional<std::string> UsualParent(const Environment& environment, Medium medium);
  [[nodiscard]] static ScratchDirectory Adopt(std::string path);
  // Removes the directory with all its content if it has a scratch directory's name; anything else stays.
  static void Remove(const std::string& path);

  ScratchDirectory(ScratchDirectory&& other) noexcept = default;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  // Removes it with all its content, as far as that is possible.
  ~ScratchDirectory();

  // Removes it now if it is empty, after which nothing can be put there any more.
  void RemoveIfEmpty();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return directory_.get(); }
  // Removes scratch directories that killed processes of this user have left behind: those whose lock nobody
  // holds and into which nothing was put for an hour.
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
