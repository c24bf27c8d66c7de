// SPDX-License-Identifier: MIT
#include "probe/system/descriptor.h"

#include <unistd.h>

#include <cstring>

#include "probe/system/limits.h"

namespace probe::system {

void Descriptor::Reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Error ErrnoError(std::string call, int number, std::string text) {
  const auto name = ErrnoName(number);
  if (text.empty()) text = LimitBehind(number);
  // Of a number that has a name the text is a constant of the C library's, which other threads may read, too.
  if (text.empty())
    text = name.empty() ? "unknown error" : std::strerror(number);  // NOLINT(concurrency-mt-unsafe)
  return {std::move(call), number, std::string(name), std::move(text)};
}

}  // namespace probe::system
