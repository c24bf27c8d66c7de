// SPDX-License-Identifier: MIT
#include "probe/system/descriptor.h"

#include <string.h>
#include <unistd.h>

#include "probe/system/limits.h"

namespace probe::system {

void Descriptor::Reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Error ErrnoError(std::string call, int number, std::string text) {
  const char* name = strerrorname_np(number);
  if (text.empty()) text = LimitBehind(number);
  if (text.empty()) text = strerrordesc_np(number) != nullptr ? strerrordesc_np(number) : "unknown error";
  return {std::move(call), number, name != nullptr ? name : "", std::move(text)};
}

}  // namespace probe::system
