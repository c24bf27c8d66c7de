// SPDX-License-Identifier: MIT
#include "bench/own.h"

#include <sys/mman.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "probe/system/processor.h"

namespace bench {

using backends::cpu::Workers;
using kernels::cpu::Implementation;

const probe::system::FileSystem& Files() {
  static const auto files = probe::system::FileSystem::Open("/");
  return *files;
}

Workers& TheWorkers() {
  static Workers workers(
      backends::cpu::PlaceWorkers(probe::system::UsableProcessors(), std::nullopt, Files()));
  return workers;
}

Memory::~Memory() {
  for (const auto& [address, bytes] : mapped_) munmap(address, bytes);
}

void* Memory::Map(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) std::abort();
  madvise(address, bytes, MADV_HUGEPAGE);
  mapped_.emplace_back(address, bytes);
  return address;
}

void Run(const Implementation& implementation, std::vector<void*> buffers,
         std::vector<std::uint32_t> scalars) {
  TheWorkers().Run(
      [&](const kernels::cpu::Worker& worker) { implementation.run({buffers, scalars}, worker); });
}

void* MapOperand(Memory& memory, std::string_view fill, std::size_t count, std::size_t bytes,
                 std::uint32_t seed) {
  void* at = memory.Map(count * bytes);
  Run(*kernels::cpu::Best(fill), {at}, {static_cast<std::uint32_t>(count), seed});
  return at;
}

Side Own(const Implementation& implementation, std::vector<void*> buffers, std::vector<std::uint32_t> scalars,
         double work) {
  return {"own:" + std::string(implementation.isa),
          [=, run = &implementation] { return Rate(work, [&] { Run(*run, buffers, scalars); }); }};
}

}  // namespace bench
