// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/emulation.h"

#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/operand.h"
#include "tests/kernels/cuda/banded.h"

// There under AddressSanitizer only.
extern "C" __attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* from,
                                                                    std::size_t size);

namespace emulation {

Dim3 thread, block, block_size, grid_size;

namespace {

constexpr std::size_t kStackBytes = 128U << 10U;
constexpr std::size_t kSharedAlignment = 1024;

struct PendingCopy {
  void* to;
  std::uint8_t bytes[16];
};

// By this thread, and not yet there for the async proxy.
struct Written {
  std::size_t at, bytes;
};

enum class State { kReady, kAtBarrier, kAtBarrierOfCluster, kInWarp, kWaiting, kDone };

// Entered as a context, and left and resumed by jumps: those need no system call.
struct Fiber {
  ucontext_t context{};
  std::jmp_buf resume{};
  bool entered = false;
  std::unique_ptr<std::uint8_t[]> stack;
  State state = State::kReady;
  Dim3 place, block;
  void* brought = nullptr;
  std::deque<std::vector<PendingCopy>> groups;  // committed, oldest first
  std::vector<PendingCopy> open;
  std::vector<Written> unfenced;
};

// The blocks of a cluster run beside each other, fibers of the first before those of the second.
struct Cluster {
  std::vector<Fiber> fibers;
  std::size_t current = 0;
  std::size_t waiting = 0;  // so many, the first in the order of their turns, are not ready
  std::jmp_buf scheduler{};
  const std::function<void()>* kernel = nullptr;
};
Cluster running;
// One block's after the other's, each between two bands, with room to align; the second is what the async
// proxy sees.
std::vector<std::uint8_t> shared_memory;
std::vector<std::uint8_t> async_memory;
std::string failure;
std::size_t shared_bytes_of_block = 0;
std::size_t shared_stride = 0;  // from block to block
std::size_t threads_of_block = 0;

Fiber& Current() { return running.fibers[running.current]; }

void Yield(State state) {
  Fiber& own = Current();
  own.state = state;
  if (setjmp(own.resume) == 0) std::longjmp(running.scheduler, 1);
}

// Returns when it waits.
void Resume(Fiber& fiber) {
  if (setjmp(running.scheduler) != 0) return;
  if (fiber.entered) std::longjmp(fiber.resume, 1);
  fiber.entered = true;
  setcontext(&fiber.context);
}

// One kernel after the other.
void Enter() {
  for (;;) {
    (*running.kernel)();
    Yield(State::kDone);
  }
}

void Prepare(Fiber& fiber) {
  if (!fiber.stack) fiber.stack = std::make_unique_for_overwrite<std::uint8_t[]>(kStackBytes);
  // Whoever had it before left its frames by a jump, and with them what AddressSanitizer had marked.
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(fiber.stack.get(), kStackBytes);
  fiber.entered = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, Enter, 0);
}

void Start(Fiber& fiber, unsigned index) {
  // One that has ended goes on to this kernel.
  if (!fiber.entered || fiber.state != State::kDone) Prepare(fiber);
  fiber.place = {index % block_size.x, index / block_size.x % block_size.y,
                 index / block_size.x / block_size.y};
  fiber.state = State::kReady;
  fiber.groups.clear();
  fiber.open.clear();
  fiber.unfenced.clear();
}

// Runs the first ready thread in that order until it waits; false when there is none, or no use.
bool RunOne(Order order) {
  if (Failed()) return false;
  const std::size_t count = running.fibers.size();
  for (std::size_t& i = running.waiting; i < count; ++i) {
    const std::size_t at = order == Order::kForward ? i : count - 1 - i;
    if (running.fibers[at].state != State::kReady) continue;
    running.current = at;
    thread = running.fibers[at].place;
    block = running.fibers[at].block;
    Resume(running.fibers[at]);
    return true;
  }
  return false;
}

// All of them that are not done wait at that barrier: they go on. False where that is not so.
bool ReleaseAmong(std::span<Fiber> fibers, State barrier) {
  const auto waits = [barrier](const Fiber& fiber) { return fiber.state == barrier; };
  if (!std::all_of(fibers.begin(), fibers.end(),
                   [&](const Fiber& fiber) { return waits(fiber) || fiber.state == State::kDone; })) {
    return false;
  }
  bool any = false;
  for (Fiber& fiber : fibers) {
    any = any || waits(fiber);
    if (waits(fiber)) fiber.state = State::kReady;
  }
  running.waiting = 0;
  return any;
}

std::span<Fiber> FibersOf(std::size_t rank) {
  return std::span(running.fibers).subspan(rank * threads_of_block, threads_of_block);
}
std::size_t Blocks() { return running.fibers.size() / threads_of_block; }

bool Release() {
  bool any = false;
  for (std::size_t i = 0; i < Blocks(); ++i) any = ReleaseAmong(FibersOf(i), State::kAtBarrier) || any;
  return ReleaseAmong(running.fibers, State::kAtBarrierOfCluster) || any;
}

bool GoOnInBackground(Order order) {
  return order == Order::kForward ? DeliverCopy(order) || FinishProducts(order)
                                  : FinishProducts(order) || DeliverCopy(order);
}

// The blocks from that one on.
void RunCluster(std::size_t first, Order order) {
  for (std::size_t i = 0; i < Blocks(); ++i) SpoilShared(i, 0, shared_bytes_of_block);
  ClearWarpgroups(running.fibers.size());
  ClearCluster(Blocks(), threads_of_block);
  ClearTensorMemory(Blocks(), threads_of_block);
  for (std::size_t i = 0; i < running.fibers.size(); ++i) {
    const auto at = static_cast<unsigned>(first + i / threads_of_block);
    running.fibers[i].block = {at % grid_size.x, at / grid_size.x % grid_size.y,
                               at / grid_size.x / grid_size.y};
    Start(running.fibers[i], static_cast<unsigned>(i % threads_of_block));
  }
  running.waiting = 0;
  while (RunOne(order) || (!Failed() && (Release() || GoOnInBackground(order)))) {
  }
  const bool ended = std::all_of(running.fibers.begin(), running.fibers.end(),
                                 [](const Fiber& fiber) { return fiber.state == State::kDone; });
  if (!ended) Fail("deadlock: threads wait for others that have ended");
  CheckWarpgroups();
  CheckCluster();
  CheckTensorMemory();
}

unsigned char* AllShared() {
  const auto address = reinterpret_cast<std::uintptr_t>(shared_memory.data());
  return shared_memory.data() + (kSharedAlignment - address % kSharedAlignment) % kSharedAlignment +
         BandBytes();
}

void CheckBands() {
  const std::size_t band = BandBytes();
  if (band == 0) return;
  for (std::size_t i = 0; i < Blocks(); ++i) {
    const std::uint8_t* memory = AllShared() + i * shared_stride;
    const auto behind = WrittenBehind({memory + shared_bytes_of_block, band});
    const auto before = i == 0 ? WrittenBefore({memory - band, band}) : 0;
    if (behind == 0 && before == 0) continue;
    return Fail(
        behind != 0
            ? fmt::format("a store {} bytes behind the end of a block's dynamic shared memory", behind)
            : fmt::format("a store {} bytes before a block's dynamic shared memory", before));
  }
}

// The same in the shared memory of all blocks.
std::optional<std::size_t> PlaceOf(const void* pointer, std::size_t bytes) {
  const auto place = PlaceInBlock(pointer, bytes);
  return place ? std::optional(CurrentBlock() * shared_stride + *place) : std::nullopt;
}

}  // namespace

std::string Launch(Dim3 grid, Dim3 threads, unsigned shared_bytes, Order order,
                   const std::function<void()>& kernel, unsigned cluster) {
  block_size = threads;
  grid_size = grid;
  failure.clear();
  threads_of_block = std::size_t{threads.x} * threads.y * threads.z;
  running.fibers.resize(cluster * threads_of_block);
  running.kernel = &kernel;
  shared_bytes_of_block = shared_bytes;
  shared_stride = (shared_bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment + BandBytes();
  shared_memory.assign(BandBytes() + cluster * shared_stride + kSharedAlignment, kBand);
  async_memory.resize(cluster * shared_stride);
  const unsigned blocks = grid.x * grid.y * grid.z;
  if (blocks % cluster != 0) Fail("a grid that is no multiple of the cluster");
  for (unsigned i = 0; i < blocks && !Failed(); i += cluster) {
    RunCluster(order == Order::kForward ? i : blocks - cluster - i, order);
  }
  CheckBands();
  return failure;
}

void Fail(const std::string& why) {
  if (failure.empty()) failure = why;
}
bool Failed() { return !failure.empty(); }
std::size_t CurrentThread() { return running.current; }

void Synchronise() {
  Yield(State::kAtBarrier);
  HasWaited();
}
void SynchroniseCluster() {
  Yield(State::kAtBarrierOfCluster);
  ClusterHasMet();
  HasWaited();
}
void WaitUntilWoken() { Yield(State::kWaiting); }
void WakeWaiting() {
  for (Fiber& fiber : running.fibers) {
    if (fiber.state == State::kWaiting) fiber.state = State::kReady;
  }
  running.waiting = 0;
}

std::size_t CurrentBlock() { return running.current / threads_of_block; }
bool HasEnded(std::size_t rank) {
  const auto fibers = FibersOf(rank);
  return std::all_of(fibers.begin(), fibers.end(),
                     [](const Fiber& fiber) { return fiber.state == State::kDone; });
}

unsigned char* Shared() { return AllShared() + CurrentBlock() * shared_stride; }

std::optional<std::size_t> PlaceInBlock(const void* pointer, std::size_t bytes) {
  const auto at = static_cast<std::size_t>(static_cast<const unsigned char*>(pointer) - Shared());
  if (at <= shared_bytes_of_block && bytes <= shared_bytes_of_block - at) return at;
  Fail("an access outside of the block's dynamic shared memory");
  return std::nullopt;
}

void WriteShared(std::size_t rank, std::size_t place, const void* from, std::size_t bytes) {
  std::memcpy(AllShared() + rank * shared_stride + place, from, bytes);
  std::memcpy(async_memory.data() + rank * shared_stride + place, from, bytes);
}
void SpoilShared(std::size_t rank, std::size_t place, std::size_t bytes) {
  std::memset(AllShared() + rank * shared_stride + place, kPoison, bytes);
  std::memset(async_memory.data() + rank * shared_stride + place, kPoison, bytes);
}

void Meet(void* brought, void (*together)(void* const (&all)[kWarp])) {
  MeetOf(kWarp, brought, [=](void* const* all) { together(*reinterpret_cast<void* const(*)[kWarp]>(all)); });
}

void MeetOf(unsigned width, void* brought, const std::function<void(void* const* all)>& together) {
  Fiber& own = Current();
  own.brought = brought;
  const std::size_t first = running.current / width * width;
  const auto others = [&](auto&& what) {
    for (std::size_t i = first; i < first + width; ++i) {
      if (i != running.current && !what(running.fibers[i])) return false;
    }
    return true;
  };
  if (!others([](const Fiber& fiber) { return fiber.state == State::kInWarp; })) return Yield(State::kInWarp);
  running.waiting = 0;
  std::vector<void*> all(width);
  for (std::size_t i = 0; i < width; ++i) all[i] = running.fibers[first + i].brought;
  together(all.data());
  (void)others([](Fiber& fiber) {
    fiber.state = State::kReady;
    return true;
  });
}

const std::uint8_t* AsAsyncProxySees(std::size_t rank, std::uint64_t address, std::size_t bytes) {
  const auto at = PlaceInBlock(Shared() + (address - kSharedBase), bytes);
  return at ? async_memory.data() + rank * shared_stride + *at : nullptr;
}

void Store(void* to, std::uint32_t word) {
  const auto at = PlaceOf(to, sizeof word);
  if (!at) return;
  std::memcpy(to, &word, sizeof word);
  std::memset(async_memory.data() + *at, kPoison, sizeof word);
  Current().unfenced.push_back({*at, sizeof word});
}

void FenceProxies() {
  for (const auto& [at, bytes] : Current().unfenced)
    std::memcpy(async_memory.data() + at, AllShared() + at, bytes);
  Current().unfenced.clear();
}

void Copy(void* to, const void* from) {
  PendingCopy copy{to, {}};
  std::memcpy(copy.bytes, from, sizeof copy.bytes);
  const auto at = PlaceOf(to, sizeof copy.bytes);
  if (!at) return;
  std::memset(to, kPoison, sizeof copy.bytes);
  std::memset(async_memory.data() + *at, kPoison, sizeof copy.bytes);
  Current().open.push_back(copy);
}

void Commit() { Current().groups.push_back(std::move(Current().open)), Current().open.clear(); }

// Copies are made by the generic proxy (PTX ISA, "Asynchronous copy").
void Wait(unsigned pending) {
  auto& groups = Current().groups;
  for (; groups.size() > pending; groups.pop_front()) {
    for (const PendingCopy& copy : groups.front()) {
      std::memcpy(copy.to, copy.bytes, sizeof copy.bytes);
      if (const auto at = PlaceOf(copy.to, sizeof copy.bytes)) {
        Current().unfenced.push_back({*at, sizeof copy.bytes});
      }
    }
  }
}

void LoadMatricesTogether(void* const (&all)[kWarp]) {
  const auto at = [&](unsigned lane) { return static_cast<Matrices*>(all[lane]); };
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    if (!PlaceInBlock(at(lane)->row, 16)) return;
  }
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      std::memcpy(at(lane)->out + matrix, at(matrix * 8 + lane / 4)->row + lane % 4 * 4, 4);
    }
  }
}

}  // namespace emulation
