// SPDX-License-Identifier: MIT
// "Device" memory of a fake: pages that cost nothing until they are touched, so that huge buffers can be
// faked.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <span>

namespace fakes {

class HostMemory {
 public:
  // Empty afterwards if the system refuses.
  explicit HostMemory(std::size_t bytes) {
    void* data =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data != MAP_FAILED) bytes_ = {static_cast<std::byte*>(data), bytes};
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace fakes
