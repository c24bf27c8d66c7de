// SPDX-License-Identifier: MIT
// macOS closes what no action names (posix_spawnattr_setflags(3)).
#include "api/inheritance.h"

namespace api {

int HandOnNoOthers(posix_spawn_file_actions_t&, short& flags) {
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return 0;
}

}  // namespace api
