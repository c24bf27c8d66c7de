// SPDX-License-Identifier: MIT
// glibc 2.34 and later.
#include "api/inheritance.h"

#include <unistd.h>

namespace api {

int HandOnNoOthers(posix_spawn_file_actions_t& actions, short&) {
  return posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
}

}  // namespace api
