// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/emulation.h"

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/operand.h"

namespace emulation {

Dim3 thread, block, block_size, grid_size;

namespace {

constexpr std::size_t kStackBytes = 128U << 10U;
constexpr std::uint8_t kPoison = 0xff;  // NaN in every type

struct PendingCopy {
  void* to;
  std::uint8_t bytes[16];
};

enum class State { kReady, kAtBarrier, kInWarp, kDone };

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<std::uint8_t[]> stack;
  State state = State::kReady;
  Dim3 place;
  void* brought = nullptr;
  std::deque<std::vector<PendingCopy>> groups;  // committed, oldest first
  std::vector<PendingCopy> open;
};

struct Block {
  std::vector<Fiber> fibers;
  std::size_t current = 0;
  ucontext_t scheduler{};
  const std::function<void()>* kernel = nullptr;
};
Block running;
std::vector<std::uint8_t> shared_memory;

Fiber& Current() { return running.fibers[running.current]; }

void Yield(State state) {
  Fiber& own = Current();
  own.state = state;
  swapcontext(&own.context, &running.scheduler);
}

void Enter() {
  (*running.kernel)();
  Yield(State::kDone);
}

void Start(Fiber& fiber, unsigned index) {
  if (!fiber.stack) fiber.stack = std::make_unique<std::uint8_t[]>(kStackBytes);
  fiber.place = {index % block_size.x, index / block_size.x % block_size.y,
                 index / block_size.x / block_size.y};
  fiber.state = State::kReady;
  fiber.groups.clear();
  fiber.open.clear();
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, Enter, 0);
}

// Runs the first ready thread in that order until it waits; false when there is none.
bool RunOne(Order order) {
  const std::size_t count = running.fibers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = order == Order::kForward ? i : count - 1 - i;
    if (running.fibers[at].state != State::kReady) continue;
    running.current = at;
    thread = running.fibers[at].place;
    swapcontext(&running.scheduler, &running.fibers[at].context);
    return true;
  }
  return false;
}

// All that are not done wait at the barrier: they go on. False where that is not so.
bool Release() {
  const auto waits = [](const Fiber& fiber) { return fiber.state == State::kAtBarrier; };
  if (!std::all_of(running.fibers.begin(), running.fibers.end(),
                   [&](const Fiber& fiber) { return waits(fiber) || fiber.state == State::kDone; })) {
    return false;
  }
  bool any = false;
  for (Fiber& fiber : running.fibers) {
    any = any || waits(fiber);
    if (waits(fiber)) fiber.state = State::kReady;
  }
  return any;
}

bool RunBlock(Order order) {
  std::fill(shared_memory.begin(), shared_memory.end(), kPoison);
  for (unsigned i = 0; i < running.fibers.size(); ++i) Start(running.fibers[i], i);
  while (RunOne(order) || Release()) {
  }
  return std::all_of(running.fibers.begin(), running.fibers.end(),
                     [](const Fiber& fiber) { return fiber.state == State::kDone; });
}

}  // namespace

bool Launch(Dim3 grid, Dim3 threads, unsigned shared_bytes, Order order,
            const std::function<void()>& kernel) {
  block_size = threads;
  grid_size = grid;
  running.fibers.resize(std::size_t{threads.x} * threads.y * threads.z);
  running.kernel = &kernel;
  shared_memory.resize(shared_bytes + 1024);
  const unsigned blocks = grid.x * grid.y * grid.z;
  for (unsigned i = 0; i < blocks; ++i) {
    const unsigned at = order == Order::kForward ? i : blocks - 1 - i;
    block = {at % grid.x, at / grid.x % grid.y, at / grid.x / grid.y};
    if (!RunBlock(order)) return false;
  }
  return true;
}

void Synchronise() { Yield(State::kAtBarrier); }

unsigned char* Shared() {
  const auto address = reinterpret_cast<std::uintptr_t>(shared_memory.data());
  return shared_memory.data() + (1024 - address % 1024) % 1024;
}

void Meet(void* brought, void (*together)(void* const (&all)[kWarp])) {
  Fiber& own = Current();
  own.brought = brought;
  const std::size_t first = running.current / kWarp * kWarp;
  const auto others = [&](auto&& what) {
    for (std::size_t i = first; i < first + kWarp; ++i) {
      if (i != running.current && !what(running.fibers[i])) return false;
    }
    return true;
  };
  if (!others([](const Fiber& fiber) { return fiber.state == State::kInWarp; })) return Yield(State::kInWarp);
  void* all[kWarp];
  for (std::size_t i = 0; i < kWarp; ++i) all[i] = running.fibers[first + i].brought;
  together(all);
  (void)others([](Fiber& fiber) {
    fiber.state = State::kReady;
    return true;
  });
}

void Copy(void* to, const void* from) {
  PendingCopy copy{to, {}};
  std::memcpy(copy.bytes, from, sizeof copy.bytes);
  Current().open.push_back(copy);
}

void Commit() { Current().groups.push_back(std::move(Current().open)), Current().open.clear(); }

void Wait(unsigned pending) {
  auto& groups = Current().groups;
  for (; groups.size() > pending; groups.pop_front()) {
    for (const PendingCopy& copy : groups.front()) std::memcpy(copy.to, copy.bytes, sizeof copy.bytes);
  }
}

void LoadMatricesTogether(void* const (&all)[kWarp]) {
  const auto at = [&](unsigned lane) { return static_cast<Matrices*>(all[lane]); };
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      std::memcpy(at(lane)->out + matrix, at(matrix * 8 + lane / 4)->row + lane % 4 * 4, 4);
    }
  }
}

void MultiplyHalfTogether(void* const (&all)[kWarp]) {
  float sums[kWarp][4];
  Fragments wide[kWarp];
  void* pointers[kWarp];
  const auto d = [&](unsigned lane) { return static_cast<unsigned*>(static_cast<Fragments*>(all[lane])->d); };
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < 4; ++i) sums[lane][i] = HalfWord(d(lane)[i / 2] >> (i % 2 * 16) & 0xffffU);
    wide[lane] = *static_cast<Fragments*>(all[lane]);
    wide[lane].d = sums[lane];
    pointers[lane] = &wide[lane];
  }
  MultiplyTogether<16, float, HalfWord>(pointers);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    for (unsigned i = 0; i < 2; ++i) {
      d(lane)[i] = tests::ToHalf(sums[lane][2 * i]) | std::uint32_t{tests::ToHalf(sums[lane][2 * i + 1])}
                                                          << 16U;
    }
  }
}

}  // namespace emulation
