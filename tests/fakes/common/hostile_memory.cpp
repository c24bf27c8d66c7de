// SPDX-License-Identifier: MIT
// What a driver does to the memory of the process. What takes much of it is bounded by a limit of the
// process's own first.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

constexpr rlim_t kMostAddressSpace = rlim_t{2} << 30U;
constexpr std::uintptr_t kPage = 4096;

// Out of the compiler's sight, which would warn of what is done here on purpose.
template <class T>
T Hidden(T value) {
  volatile T copy = value;
  return copy;
}

// What must not be done is the point.
// NOLINTBEGIN(performance-no-int-to-ptr,bugprone-unused-return-value)
void WriteNearNull(const Misbehaviour&) { *Hidden(reinterpret_cast<volatile char*>(0x40)) = 1; }
void CallNull(const Misbehaviour&) { Hidden(reinterpret_cast<void (*)()>(0))(); }
void FreeGarbage(const Misbehaviour&) { std::free(Hidden(reinterpret_cast<void*>(0x12345670))); }
void FreeTwice(const Misbehaviour&) {
  const std::uintptr_t block = Hidden(reinterpret_cast<std::uintptr_t>(std::malloc(2000)));
  for (int i = 0; i < 2; ++i) Hidden (&std::free)(Hidden(reinterpret_cast<void*>(block)));
}
void CorruptHeap(const Misbehaviour&) {
  auto* block = static_cast<unsigned char*>(Hidden(std::malloc(40)));
  std::memset(Hidden(block), 0xa5, Hidden(std::size_t{20'000}));
}
void SmashStack(const Misbehaviour&) {
  volatile char here[16] = {};
  std::memset(Hidden(const_cast<char*>(&here[0])), 0x41, Hidden(std::size_t{3'000}));
}
void LeakAddressSpace(const Misbehaviour&) {
  constexpr std::size_t kPart = std::size_t{64} << 30U;
  for (int i = 0; i < 64; ++i) {
    mmap(nullptr, kPart, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
}
// Until nothing is left of the limit; a driver that goes on then is not the first to fail.
void TakeAllMemory(const Misbehaviour&) {
  const rlimit limit{kMostAddressSpace, kMostAddressSpace};
  setrlimit(RLIMIT_AS, &limit);
  for (std::size_t part = std::size_t{64} << 20U; part >= 4096;) {
    if (Hidden(std::malloc(part)) == nullptr) part /= 2;
  }
}
void ForbidOwnCode(const Misbehaviour&) {
  const auto here = reinterpret_cast<std::uintptr_t>(&ForbidOwnCode) & ~(kPage - 1);
  mprotect(reinterpret_cast<void*>(here), kPage, PROT_NONE);
}
void RemoveLibraryC(const Misbehaviour&) {
  Dl_info info{};
  void* in_it = dlsym(RTLD_NEXT, "malloc");
  if (in_it == nullptr || dladdr(in_it, &info) == 0) std::abort();
  munmap(info.dli_fbase, std::size_t{1} << 20U);
}
void ReplaceEnvironment(const Misbehaviour&) { environ = Hidden(reinterpret_cast<char**>(0x8)); }
void UnmapStack(const Misbehaviour&) {
  char here = 0;
  const auto page = reinterpret_cast<std::uintptr_t>(&here) & ~(kPage - 1);
  munmap(reinterpret_cast<void*>(page), kPage);
}
// NOLINTEND(performance-no-int-to-ptr,bugprone-unused-return-value)
void LockMemory(const Misbehaviour&) { mlockall(MCL_CURRENT); }

}  // namespace

std::span<const NamedAct> ActsOnMemory() {
  static constexpr NamedAct kActs[] = {{"write_near_null", WriteNearNull},
                                       {"call_null", CallNull},
                                       {"free_garbage", FreeGarbage},
                                       {"free_twice", FreeTwice},
                                       {"corrupt_heap", CorruptHeap},
                                       {"smash_stack", SmashStack},
                                       {"leak_address_space", LeakAddressSpace},
                                       {"take_all_memory", TakeAllMemory},
                                       {"forbid_own_code", ForbidOwnCode},
                                       {"remove_library_c", RemoveLibraryC},
                                       {"replace_environment", ReplaceEnvironment},
                                       {"unmap_stack", UnmapStack},
                                       {"lock_memory", LockMemory}};
  return kActs;
}

}  // namespace fakes
