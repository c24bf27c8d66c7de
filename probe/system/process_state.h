// SPDX-License-Identifier: MIT
// What the drivers of one process share and any of them can spoil for the others. For children that load
// vendor code.
#pragma once

#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "probe/system/descriptor.h"

namespace probe::system {

class ProcessState {
 public:
  // As it is now. Takes some microseconds, and one descriptor as long as it lives.
  [[nodiscard]] static ProcessState Take();

  // What has become worse since then, as a clause ("the limit on open files fell from 1024 to 3"): a limit
  // that fell, another user, another root or working directory, a new filter of system calls, a variable that
  // is gone or another, descriptors of others that were closed, hardly a descriptor or no memory to be had.
  // nullopt when nothing has.
  [[nodiscard]] std::optional<std::string> Worsened() const;

 private:
  static constexpr std::size_t kLimits = RLIM_NLIMITS;
  struct Place {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  static Place PlaceOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }
  static Place PlaceAt(const char* path);
  [[nodiscard]] std::optional<std::string> WorsenedLimit() const;
  [[nodiscard]] std::optional<std::string> WorsenedEnvironment() const;

  std::array<rlim_t, kLimits> limits_{};
  std::array<uid_t, 2> users_{};  // user, group; effective
  int filter_ = 0;                // of system calls
  Place root_, directory_, sentinel_place_;
  std::size_t openable_ = 0;
  std::vector<std::string> environment_;
  Descriptor sentinel_;  // has a number such as drivers' own have
};

}  // namespace probe::system
