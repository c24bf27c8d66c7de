// SPDX-License-Identifier: MIT
#include "probe/system/process_state.h"

#include <fcntl.h>
#include <sys/prctl.h>

namespace probe::system {

int ProcessState::SystemCallFilter() { return prctl(PR_GET_SECCOMP); }

Descriptor ProcessState::OpenRoot() { return Descriptor(open("/", O_PATH | O_CLOEXEC)); }

}  // namespace probe::system
