// SPDX-License-Identifier: MIT
// A file descriptor with an owner, and errno as an Error.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "probe/core/result.h"

namespace probe::system {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  void Reset();
  // Gives the number away, to be closed by somebody else.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// The Error of a failed system call: its name, errno with the name of that ("ENOENT"), and `text`. Where the
// text is empty it names the limit of this process that explains the failure, or else describes errno.
[[nodiscard]] Error ErrnoError(std::string call, int number, std::string text = "");

// The name of an errno, "ENOENT", which glibc itself knows only from 2.32 on; nothing for a number that is
// none.
[[nodiscard]] std::string_view ErrnoName(int number);

}  // namespace probe::system
