// SPDX-License-Identifier: MIT
// Processes and threads that a driver starts, and what it does to its relatives. None lives longer than the
// scenario's `seconds`, and there are never more than kMostProcesses of them.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

constexpr int kMostProcesses = 40;

[[noreturn]] void Linger(const Misbehaviour& what) {
  Mark(what);
  HangOn(what);
}

void ForkLinger(const Misbehaviour& what) {
  if (fork() == 0) Linger(what);
}
void ForkSession(const Misbehaviour& what) {
  if (fork() != 0) return;
  setsid();
  Linger(what);
}
void ForkDaemon(const Misbehaviour& what) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    Linger(what);
  }
  waitpid(child, nullptr, 0);
}
void ForkDaemonAndAbort(const Misbehaviour& what) {
  ForkDaemon(what);
  std::abort();
}
void ForkSessionAndHang(const Misbehaviour& what) {
  ForkSession(what);
  HangOn(what);
}

// As seen from outside: no name, no parent, no environment of the tool's.
void ForkDisguised(const Misbehaviour& what) {
  if (fork() != 0) return;
  setsid();
  Mark(what);
  char* nothing = nullptr;
  const char* const arguments[] = {"kworker/0:1", "30", nullptr};
  execve("/bin/sleep", const_cast<char* const*>(arguments), &nothing);
  _exit(1);
}

void ForkOtherUser(const Misbehaviour& what) {
  if (fork() != 0) return;
  setsid();
  Mark(what);
  constexpr uid_t kNobody = 65534;
  if (setgid(kNobody) == 0) (void)!setuid(kNobody);
  HangOn(what);
}

void ForkBomb(const Misbehaviour& what) {
  for (int i = 0; i < kMostProcesses; ++i) {
    if (fork() == 0) Linger(what);
  }
}

// Each process starts the next and ends: whoever follows the numbers is always late.
void ForkRelay(const Misbehaviour& what) {
  if (fork() != 0) return;
  setsid();
  for (int i = 0; i < 300; ++i) {
    if (fork() != 0) _exit(0);
    usleep(500);
  }
  Linger(what);
}

void ForkZombies(const Misbehaviour&) {
  for (int i = 0; i < kMostProcesses; ++i) {
    if (fork() == 0) _exit(0);
  }
}

void ForkStopped(const Misbehaviour& what) {
  if (fork() != 0) return;
  Mark(what);
  raise(SIGSTOP);
  HangOn(what);
}

void ForkKillsParent(const Misbehaviour& what) {
  const pid_t own = getpid();
  if (fork() == 0) {
    kill(own, SIGKILL);
    Linger(what);
  }
  usleep(500'000);
}

// In process namespaces of its own, the lingering process is number 1 and ignores most signals from inside.
void ForkNamespace(const Misbehaviour& what) {
  if (fork() != 0) return;
  Mark(what);
  if (unshare(CLONE_NEWPID) == 0 && fork() != 0) HangOn(what);
  HangOn(what);
}

// clone(2) with the parent's parent as parent: a child that the tool never started. `code` is the signal that
// tells of its end; with 0 a plain wait does not see it.
void CloneSibling(const Misbehaviour& what) {
  const auto flags = static_cast<unsigned long>(CLONE_PARENT) | static_cast<unsigned long>(what.code);
  if (syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr) == 0) Linger(what);
}

void VforkHang(const Misbehaviour& what) {
  // By hand: a compiler may rightly refuse what follows vfork here.
  if (syscall(SYS_clone, static_cast<unsigned long>(CLONE_VFORK | SIGCHLD), nullptr, nullptr, nullptr,
              nullptr) == 0) {
    Linger(what);
  }
}

void Threads(const Misbehaviour&) {
  for (int i = 0; i < 200; ++i) std::thread([] { sleep(30); }).detach();
}
void BusyThread(const Misbehaviour& what) {
  std::thread([&what] {
    for (volatile double spent = 0; spent < what.seconds * 1e7;) spent = spent + 1;
  }).detach();
}
void Deadlock(const Misbehaviour&) {
  static std::mutex mutex;
  mutex.lock();
  std::thread([] { mutex.lock(); }).join();
}

// `code` is the signal.
void SignalParent(const Misbehaviour& what) {
  kill(getppid(), what.code);
  usleep(100'000);
}
void SignalGroup(const Misbehaviour& what) { kill(0, what.code); }

void BecomeTraced(const Misbehaviour&) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
}
void LeaveGroup(const Misbehaviour&) { setpgid(0, getpgid(getppid())); }
void LeaveSession(const Misbehaviour&) { setsid(); }
void AdoptOrphans(const Misbehaviour& what) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  ForkDaemon(what);
}

}  // namespace

std::span<const NamedAct> ActsOnProcesses() {
  static constexpr NamedAct kActs[] = {{"fork", ForkLinger},
                                       {"fork_session", ForkSession},
                                       {"fork_daemon", ForkDaemon},
                                       {"fork_daemon_and_abort", ForkDaemonAndAbort},
                                       {"fork_session_and_hang", ForkSessionAndHang},
                                       {"fork_disguised", ForkDisguised},
                                       {"fork_other_user", ForkOtherUser},
                                       {"fork_bomb", ForkBomb},
                                       {"fork_relay", ForkRelay},
                                       {"fork_zombies", ForkZombies},
                                       {"fork_stopped", ForkStopped},
                                       {"fork_kills_parent", ForkKillsParent},
                                       {"fork_namespace", ForkNamespace},
                                       {"clone_sibling", CloneSibling},
                                       {"vfork_hang", VforkHang},
                                       {"threads", Threads},
                                       {"busy_thread", BusyThread},
                                       {"deadlock", Deadlock},
                                       {"signal_parent", SignalParent},
                                       {"signal_group", SignalGroup},
                                       {"become_traced", BecomeTraced},
                                       {"leave_group", LeaveGroup},
                                       {"leave_session", LeaveSession},
                                       {"adopt_orphans", AdoptOrphans}};
  return kActs;
}

}  // namespace fakes
