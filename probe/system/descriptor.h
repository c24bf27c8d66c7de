// SPDX-License-Identifier: MIT
// Owns one file descriptor; and errno as an Error.
#pragma once

#include <string>
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

// Error of a failed call: `call`, the number, its name ("ENOENT") and `text`, or where that is empty the
// limit of this process that is behind it, or errno's sentence.
[[nodiscard]] Error ErrnoError(std::string call, int number, std::string text = "");

}  // namespace probe::system
