// SPDX-License-Identifier: MIT
// The rights of this process: what a copy of this program with the set-uid bit, the set-gid bit or
// capabilities was lent, and what a child gives up.
#pragma once

#include "probe/core/result.h"

namespace probe::system {

// Goes back to the user, the groups and the rights of the caller, for good and for everything that is started
// later. Does nothing for a copy that was lent nothing. To be called before anything else; after an error
// nothing else may be done.
[[nodiscard]] Status ReturnLentPrivileges();

// Keeps this process and all that it starts from making device nodes, by root's right to and by programs with
// the set-uid bit. For good: for children alone.
void GiveUpMakingNodes();

}  // namespace probe::system
