// SPDX-License-Identifier: MIT
#include <cpuid.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "bench/tile_geometry.h"

namespace bench {
namespace {

constexpr int kArchCpuid = 0x1012;  // ARCH_SET_CPUID of arch_prctl(2): 0 makes the instruction fault
constexpr unsigned kTileLeaf = 0x1d, kMultiplyLeaf = 0x1e;
constexpr unsigned kAmxTile = 1U << 24U;  // leaf 7, EDX

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

// Intel SDM volume 2A, CPUID: palette 1 is 8 registers of 16 rows of 64 bytes; TMUL takes 16 rows of 64
// bytes.
Registers Answer(unsigned leaf, unsigned subleaf) {
  if (leaf == kTileLeaf)
    return subleaf == 0 ? Registers{1, 0, 0, 0} : Registers{0x04002000, 0x00080040, 0x10, 0};
  if (leaf == kMultiplyLeaf) return {0, 0x4010, 0, 0};
  Registers real;
  __cpuid_count(leaf, subleaf, real.a, real.b, real.c, real.d);
  if (leaf == 0 && real.a < kMultiplyLeaf) real.a = kMultiplyLeaf;
  return real;
}

// A fault at CPUID (0f a2) is answered and stepped over; any other ends the program as it would have.
void OnFault(int, siginfo_t*, void* raw) {
  auto& registers = static_cast<ucontext_t*>(raw)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (code[0] != 0x0f || code[1] != 0xa2) {
    signal(SIGSEGV, SIG_DFL);
    return;
  }
  syscall(SYS_arch_prctl, kArchCpuid, 1);
  const Registers answer =
      Answer(static_cast<unsigned>(registers[REG_RAX]), static_cast<unsigned>(registers[REG_RCX]));
  syscall(SYS_arch_prctl, kArchCpuid, 0);
  registers[REG_RAX] = answer.a;
  registers[REG_RBX] = answer.b;
  registers[REG_RCX] = answer.c;
  registers[REG_RDX] = answer.d;
  registers[REG_RIP] += 2;
}

}  // namespace

void ShowTileGeometry() {
  static const bool once = [] {
    Registers real;
    __cpuid_count(7, 0, real.a, real.b, real.c, real.d);
    if ((real.d & kAmxTile) == 0) return false;
    __cpuid_count(kTileLeaf, 0, real.a, real.b, real.c, real.d);
    if (real.a != 0) return false;
    struct sigaction action = {};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    return syscall(SYS_arch_prctl, kArchCpuid, 0) == 0;
  }();
  (void)once;
}

}  // namespace bench
