// SPDX-License-Identifier: MIT
// What a started process gets of the host's descriptors: a promise of each platform's own.
#pragma once

#include <spawn.h>

namespace api {

// So that posix_spawn hands on no descriptor but those that `actions` place at 0, 1 and 2. Call it after they
// were placed; `flags` are those of the attributes. 0, or an errno.
int HandOnNoOthers(posix_spawn_file_actions_t& actions, short& flags);

}  // namespace api
