// SPDX-License-Identifier: MIT
#include "tests/fakes/common/device_memory.h"

#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "tests/fakes/common/host_memory.h"

namespace fakes {
namespace {

constexpr DeviceAddress kBase = 0x7000'0000'0000ULL;
constexpr DeviceAddress kStep = 0x100'0000'0000ULL;  // no allocation reaches into the next

struct Allocation {
  std::unique_ptr<HostMemory> memory;
  std::uint32_t device = 0;
};
std::map<DeviceAddress, Allocation> allocations;
std::map<std::uint32_t, std::size_t> reserved;  // by device
DeviceAddress next = kBase;
std::uint64_t touches = 0;

}  // namespace

DeviceAddress ReserveMemory(std::size_t bytes, std::uint32_t device) {
  ++touches;
  auto memory = std::make_unique<HostMemory>(bytes);
  if (memory->bytes().empty()) return 0;
  const DeviceAddress address = next;
  next += kStep;
  reserved[device] += bytes;
  allocations[address] = {std::move(memory), device};
  return address;
}

bool ReleaseMemory(DeviceAddress address) {
  ++touches;
  const auto found = allocations.find(address);
  if (found == allocations.end()) return false;
  reserved[found->second.device] -= found->second.memory->bytes().size();
  allocations.erase(found);
  return true;
}

std::span<std::byte> MemoryAt(DeviceAddress address) {
  ++touches;
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return {};
  --found;
  const auto bytes = found->second.memory->bytes();
  const std::size_t offset = address - found->first;
  return offset < bytes.size() ? bytes.subspan(offset) : std::span<std::byte>{};
}

std::uint64_t Touches() { return touches; }

std::optional<std::uint32_t> OwnerOf(DeviceAddress address) {
  if (MemoryAt(address).empty()) return std::nullopt;
  return std::prev(allocations.upper_bound(address))->second.device;
}

std::size_t ReservedBytes(std::uint32_t device) { return reserved[device]; }

}  // namespace fakes
