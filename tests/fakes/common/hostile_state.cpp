// SPDX-License-Identifier: MIT
// What a driver changes about the process and leaves that way: environment, arithmetic, limits, rights.
#include <fenv.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

void SetEnvironment(const Misbehaviour&) {
  for (const char* variable : {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "VK_DRIVER_FILES", "OCL_ICD_VENDORS",
                               "WHICHGPU_LIBRARY_PATH", "TMPDIR", "HOME", "XDG_CACHE_HOME", "LC_ALL"}) {
    setenv(variable, "/nonexistent\x1b[31m\xff", 1);
  }
}
void ClearEnvironment(const Misbehaviour&) { clearenv(); }
void SetLocale(const Misbehaviour&) {
  for (const char* name : {"tr_TR.UTF-8", "de_DE.UTF-8", "C"}) {
    if (setlocale(LC_ALL, name) != nullptr) return;
  }
}
void RoundUpwards(const Misbehaviour&) { fesetround(FE_UPWARD); }
void TrapArithmetic(const Misbehaviour&) { feenableexcept(FE_ALL_EXCEPT); }

// `code` is the resource, `bytes` the limit.
void Limit(const Misbehaviour& what) {
  const rlimit limit{what.bytes, what.bytes};
  (void)setrlimit(static_cast<__rlimit_resource>(what.code), &limit);
}
void BecomeNobody(const Misbehaviour&) {
  constexpr uid_t kNobody = 65534;
  if (setgid(kNobody) == 0) (void)!setuid(kNobody);
}
void LowestPriority(const Misbehaviour&) { (void)setpriority(PRIO_PROCESS, 0, 19); }
void OneProcessor(const Misbehaviour&) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}
void IdleScheduling(const Misbehaviour&) {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none);
}

void OutliveParent(const Misbehaviour& what) {
  prctl(PR_SET_PDEATHSIG, 0);
  HangOn(what);
}
void NotDumpable(const Misbehaviour&) { prctl(PR_SET_DUMPABLE, 0); }
void Rename(const Misbehaviour&) { prctl(PR_SET_NAME, ") R 1 1\n\xff"); }
void NoNewPrivileges(const Misbehaviour&) { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
// From here on only read, write and exit.
void StrictSeccomp(const Misbehaviour&) { prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); }
void OwnNamespaces(const Misbehaviour&) {
  (void)unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_FS | CLONE_FILES);
}
void NoClock(const Misbehaviour&) { prctl(PR_SET_TSC, PR_TSC_SIGSEGV); }

}  // namespace

std::span<const NamedAct> ActsOnState() {
  static constexpr NamedAct kActs[] = {{"set_environment", SetEnvironment},
                                       {"clear_environment", ClearEnvironment},
                                       {"set_locale", SetLocale},
                                       {"round_upwards", RoundUpwards},
                                       {"trap_arithmetic", TrapArithmetic},
                                       {"limit", Limit},
                                       {"become_nobody", BecomeNobody},
                                       {"lowest_priority", LowestPriority},
                                       {"one_processor", OneProcessor},
                                       {"idle_scheduling", IdleScheduling},
                                       {"outlive_parent", OutliveParent},
                                       {"not_dumpable", NotDumpable},
                                       {"rename", Rename},
                                       {"no_new_privileges", NoNewPrivileges},
                                       {"strict_seccomp", StrictSeccomp},
                                       {"own_namespaces", OwnNamespaces},
                                       {"no_clock", NoClock}};
  return kActs;
}

}  // namespace fakes
