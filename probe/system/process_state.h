// SPDX-License-Identifier: MIT
// The state of a process that all its drivers share and that one of them can spoil for the others: limits,
// user, directories, descriptors, variables. For children that load vendor code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/system/descriptor.h"
#include "probe/system/filesystem.h"

namespace probe::system {

class ProcessState {
 public:
  // The state as it is now. Taking it costs some microseconds; it holds one descriptor as long as it lives.
  [[nodiscard]] static ProcessState Take();

  // What has become worse since then, as a clause ("the limit on open files fell from 1024 to 3"): a limit
  // that fell, another user, another root or working directory, a new filter of system calls, a variable that
  // is gone or another, descriptors of others that were closed, hardly a descriptor or no memory to be had.
  // nullopt when nothing has.
  [[nodiscard]] std::optional<std::string> Worsened() const;

 private:
  struct Place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  struct User {
    std::uint32_t user = 0;
    std::uint32_t group = 0;
    bool operator==(const User&) const = default;
  };
  static Place PlaceOf(const std::optional<FileStatus>& status);
  static User EffectiveUser();
  // A number that another filter of system calls changes; 0 where the system tells of none.
  static int SystemCallFilter();
  // The root directory, by the least that the system opens it for; errno where it can not be.
  static Descriptor OpenRoot();
  // How many files more can be opened.
  static std::size_t CountOpenable();
  [[nodiscard]] std::optional<std::string> WorsenedLimit() const;
  [[nodiscard]] std::optional<std::string> WorsenedEnvironment() const;

  std::vector<std::uint64_t> limits_;  // in an order of the system's own
  User user_;
  int filter_ = 0;  // of system calls
  Place root_, directory_, sentinel_place_;
  std::size_t openable_ = 0;
  std::vector<std::string> environment_;
  Descriptor sentinel_;  // has a number such as drivers' own have
};

}  // namespace probe::system
