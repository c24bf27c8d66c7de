// SPDX-License-Identifier: MIT
// What a driver does to the handling of signals, and through it.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

void BlockAll(const Misbehaviour&) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}
void HandleAll(sighandler_t handler) {
  for (int number = 1; number < NSIG; ++number) signal(number, handler);
}
void IgnoreAll(const Misbehaviour&) { HandleAll(SIG_IGN); }
void IgnoreChildren(const Misbehaviour&) { signal(SIGCHLD, SIG_IGN); }

void WaitForever(int) {
  for (int i = 0; i < 300; ++i) usleep(100'000);
  _exit(97);
}
// Whatever kills it otherwise makes it hang, its own crash first.
void HangInHandler(const Misbehaviour&) {
  HandleAll(WaitForever);
  raise(SIGSEGV);
}
// The fault is met again whenever the handler returns.
void Nothing(int) {}
void FaultForever(const Misbehaviour&) {
  HandleAll(Nothing);
  volatile char* nowhere = nullptr;
  // Through a variable, so that the compiler does not know.
  *nowhere = 1;
}
void WrongSignalStack(const Misbehaviour&) {
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(4096);
  stack.ss_size = 65536;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = WaitForever;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  raise(SIGSEGV);
}
void AlarmSoon(const Misbehaviour&) {
  const itimerval soon{{0, 0}, {0, 20'000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
}
void AlarmOften(const Misbehaviour&) {
  signal(SIGALRM, Nothing);
  const itimerval often{{0, 1'000}, {0, 1'000}};
  setitimer(ITIMER_REAL, &often, nullptr);
}
void ProfileTimer(const Misbehaviour&) {
  const itimerval soon{{0, 5'000}, {0, 5'000}};
  setitimer(ITIMER_PROF, &soon, nullptr);
}
void HangBlocked(const Misbehaviour& what) {
  BlockAll(what);
  HangOn(what);
}
void KillOwnGroup(const Misbehaviour&) { kill(-getpgrp(), SIGKILL); }

}  // namespace

std::span<const NamedAct> ActsOnSignals() {
  static constexpr NamedAct kActs[] = {
      {"block_signals", BlockAll},         {"ignore_signals", IgnoreAll},
      {"ignore_children", IgnoreChildren}, {"hang_in_handler", HangInHandler},
      {"fault_forever", FaultForever},     {"wrong_signal_stack", WrongSignalStack},
      {"alarm_soon", AlarmSoon},           {"alarm_often", AlarmOften},
      {"profile_timer", ProfileTimer},     {"hang_blocked", HangBlocked},
      {"kill_own_group", KillOwnGroup}};
  return kActs;
}

}  // namespace fakes
