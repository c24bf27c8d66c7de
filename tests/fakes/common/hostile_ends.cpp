// SPDX-License-Identifier: MIT
// Ways in which a driver ends the process, or replaces the program in it.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <thread>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

// `code` is the signal.
void Raise(const Misbehaviour& what) { raise(what.code); }

void BusError(const Misbehaviour&) {
  const int fd = memfd_create("fake_bus_error", MFD_CLOEXEC);
  void* beyond_end = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  *static_cast<volatile char*>(beyond_end) = 1;
}

void IllegalInstruction(const Misbehaviour&) { __builtin_trap(); }

// `code` is the exit code of these.
void Exit(const Misbehaviour& what) { std::exit(what.code); }
void ExitAtOnce(const Misbehaviour& what) { _exit(what.code); }
void QuickExit(const Misbehaviour& what) { std::quick_exit(what.code); }

void EndThread(const Misbehaviour&) { pthread_exit(nullptr); }

void ThrowNumber(const Misbehaviour&) { throw 42; }

void Thrower() { throw 42; }
void (*volatile thrower)() = &Thrower;
void PassNoException() noexcept { thrower(); }
void ThrowThroughNoexcept(const Misbehaviour&) { PassNoException(); }

void Terminate(const Misbehaviour&) { std::terminate(); }

void JumpToNowhere(const Misbehaviour&) {
  static jmp_buf nowhere;
  if (std::getenv("WHICHGPU_FAKE_NEVER_SET") != nullptr && setjmp(nowhere) != 0) return;
  longjmp(nowhere, 1);
}

template <class Body>
void InThread(const Body& body) {
  std::thread thread(body);
  thread.join();
}
void AbortInThread(const Misbehaviour&) {
  InThread([] { std::abort(); });
}
void ExitInThread(const Misbehaviour& what) {
  InThread([&what] { std::exit(what.code); });
}
void ThrowInThread(const Misbehaviour&) {
  InThread([] { throw 42; });
}

// The process goes on and dies at a place of its own.
void AbortSoonInThread(const Misbehaviour&) {
  std::thread([] {
    usleep(3'000);
    std::abort();
  }).detach();
}

void HangAtExit(const Misbehaviour& what) {
  static const Misbehaviour* wanted = &what;
  (void)std::atexit([] { HangOn(*wanted); });
  std::exit(0);
}

void Execute(const char* program, const char* argument, bool with_environment) {
  const std::array<const char*, 3> arguments = {program, argument, nullptr};
  char* nothing = nullptr;
  execve(program, const_cast<char* const*>(arguments.data()), with_environment ? environ : &nothing);
}
void ExecuteTrue(const Misbehaviour&) { Execute("/bin/true", nullptr, true); }
void ExecuteSleep(const Misbehaviour&) { Execute("/bin/sleep", "30", true); }
void ExecuteSleepUnmarked(const Misbehaviour&) { Execute("/bin/sleep", "30", false); }
// Floods what is left open across it: the standard streams.
void ExecuteYes(const Misbehaviour&) { Execute("/usr/bin/yes", "fake", true); }
void ExecuteOwnBinary(const Misbehaviour&) { Execute("/proc/self/exe", "--version", true); }

}  // namespace

std::span<const NamedAct> ActsThatEnd() {
  static constexpr NamedAct kActs[] = {{"raise", Raise},
                                       {"bus_error", BusError},
                                       {"illegal_instruction", IllegalInstruction},
                                       {"exit", Exit},
                                       {"exit_at_once", ExitAtOnce},
                                       {"quick_exit", QuickExit},
                                       {"end_thread", EndThread},
                                       {"throw_number", ThrowNumber},
                                       {"throw_through_noexcept", ThrowThroughNoexcept},
                                       {"terminate", Terminate},
                                       {"jump_to_nowhere", JumpToNowhere},
                                       {"abort_in_thread", AbortInThread},
                                       {"exit_in_thread", ExitInThread},
                                       {"throw_in_thread", ThrowInThread},
                                       {"abort_soon_in_thread", AbortSoonInThread},
                                       {"hang_at_exit", HangAtExit},
                                       {"exec_true", ExecuteTrue},
                                       {"exec_sleep", ExecuteSleep},
                                       {"exec_sleep_without_environment", ExecuteSleepUnmarked},
                                       {"exec_yes", ExecuteYes},
                                       {"exec_own_binary", ExecuteOwnBinary}};
  return kActs;
}

}  // namespace fakes
