// SPDX-License-Identifier: MIT
#include "tests/fakes/common/device_memory.h"

#include <map>
#include <memory>

#include "tests/fakes/common/host_memory.h"

namespace fakes {
namespace {

constexpr DeviceAddress kBase = 0x7000'0000'0000ULL;
constexpr DeviceAddress kStep = 0x100'0000'0000ULL;  // no allocation reaches into the next

std::map<DeviceAddress, std::unique_ptr<HostMemory>> allocations;
std::size_t reserved = 0;
DeviceAddress next = kBase;

}  // namespace

DeviceAddress ReserveMemory(std::size_t bytes) {
  auto memory = std::make_unique<HostMemory>(bytes);
  if (memory->bytes().empty()) return 0;
  const DeviceAddress address = next;
  next += kStep;
  reserved += bytes;
  allocations[address] = std::move(memory);
  return address;
}

bool ReleaseMemory(DeviceAddress address) {
  const auto found = allocations.find(address);
  if (found == allocations.end()) return false;
  reserved -= found->second->bytes().size();
  allocations.erase(found);
  return true;
}

std::span<std::byte> MemoryAt(DeviceAddress address) {
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return {};
  --found;
  const auto bytes = found->second->bytes();
  const std::size_t offset = address - found->first;
  return offset < bytes.size() ? bytes.subspan(offset) : std::span<std::byte>{};
}

std::size_t ReservedBytes() { return reserved; }

}  // namespace fakes
