// SPDX-License-Identifier: MIT
// Memory of a device that is emulated, between two bands that no kernel may write: a tile in the wrong place
// is found out by its name, and spoils no memory of the test's own. Nothing of it holds where a kernel writes
// farther beside than a band is wide, nor in registers, which are the compiler's. Under AddressSanitizer
// there are no bands: it sees each access itself, those that read too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emulation {

// Of each band; 0 where there is none.
[[nodiscard]] std::size_t BandBytes();
constexpr std::uint8_t kBand = 0xff;  // NaN for who reads it

// How far before the end, or behind the beginning of these bytes, something else stands; 0: nowhere.
[[nodiscard]] std::size_t WrittenBefore(std::span<const std::uint8_t> band);
[[nodiscard]] std::size_t WrittenBehind(std::span<const std::uint8_t> band);

class Banded {
 public:
  // Aligned as cuMemAlloc and hipMalloc do. Of zeros.
  explicit Banded(std::uint64_t bytes);
  [[nodiscard]] std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(lines_)).subspan(BandBytes(), bytes_);
  }
  // "a store 4 bytes behind the end", of the farthest that was written; empty: none was.
  [[nodiscard]] std::string Overrun();
  void Free() { lines_ = {}, bytes_ = 0; }

 private:
  struct alignas(256) Line {
    std::uint8_t bytes[256];
  };
  std::vector<Line> lines_;
  std::size_t bytes_;
};

}  // namespace emulation
