// SPDX-License-Identifier: MIT
#include "probe/system/this_process.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "probe/system/descriptor.h"
#include "probe/system/environment.h"

namespace probe::system {
namespace {

struct Ids {
  uid_t real_user, user, saved_user;
  gid_t real_group, group, saved_group;
  [[nodiscard]] bool AreTheCallers() const {
    return user == real_user && saved_user == real_user && group == real_group && saved_group == real_group;
  }
};

Ids OwnIds() {
  Ids ids{};
  getresuid(&ids.real_user, &ids.user, &ids.saved_user);
  getresgid(&ids.real_group, &ids.group, &ids.saved_group);
  return ids;
}

// Those of the file, which come without another user; root's own are root's.
Status ReturnCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (syscall(SYS_capset, &header, none.data()) != 0) return ErrnoError("capset", errno);
  return Ok();
}

}  // namespace

char** ProcessEnvironment() { return environ; }

Environment Environment::OfProcess() { return FromBlock(environ, getauxval(AT_SECURE) != 0); }

Status ReturnLentPrivileges() {
  const Ids before = OwnIds();
  if (before.AreTheCallers() && getauxval(AT_SECURE) == 0) return Ok();
  // The group first: only a privileged user may change it.
  if (setresgid(before.real_group, before.real_group, before.real_group) != 0)
    return ErrnoError("setresgid", errno);
  if (setresuid(before.real_user, before.real_user, before.real_user) != 0)
    return ErrnoError("setresuid", errno);
  if (!OwnIds().AreTheCallers()) return Error{"setresuid", std::nullopt, "", "the user did not change"};
  if (before.real_user == 0) return Ok();
  // The same file, started again for a child, would be lent everything anew.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return ErrnoError("prctl", errno);
  return ReturnCapabilities();
}

void GiveUpMakingNodes() {
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  (void)prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return;
  auto& set = sets[CAP_TO_INDEX(CAP_MKNOD)];
  const auto keep = ~static_cast<__u32>(CAP_TO_MASK(CAP_MKNOD));
  set.effective &= keep;
  set.permitted &= keep;
  set.inheritable &= keep;
  (void)syscall(SYS_capset, &header, sets.data());
}

}  // namespace probe::system
