// SPDX-License-Identifier: MIT
#include "probe/system/this_process.h"

#include <crt_externs.h>
#include <errno.h>
#include <unistd.h>

#include "probe/system/descriptor.h"
#include "probe/system/environment.h"

namespace probe::system {

char** ProcessEnvironment() { return *_NSGetEnviron(); }

Environment Environment::OfProcess() { return FromBlock(ProcessEnvironment(), issetugid() != 0); }

// The user and the group that are saved follow, setreuid(2): each becomes the effective one that is set. A
// child, which starts the same file, is lent them anew and gives them back in the same way.
Status ReturnLentPrivileges() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (geteuid() == user && getegid() == group && issetugid() == 0) return Ok();
  // The group first: only a privileged user may change it.
  if (setregid(group, group) != 0) return ErrnoError("setregid", errno);
  if (setreuid(user, user) != 0) return ErrnoError("setreuid", errno);
  if (geteuid() != user || getegid() != group)
    return Error{"setreuid", std::nullopt, "", "the user did not change"};
  return Ok();
}

// The kernel alone makes nodes below /dev, and no process can give up the right to others.
void GiveUpMakingNodes() {}

}  // namespace probe::system
