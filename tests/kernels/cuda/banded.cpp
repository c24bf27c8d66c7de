// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/banded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

// There under AddressSanitizer only.
extern "C" __attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* from,
                                                                    std::size_t size);

namespace emulation {

std::size_t BandBytes() {
  constexpr std::size_t kBytes = std::size_t{256} << 10U;
  return __asan_unpoison_memory_region != nullptr ? 0 : kBytes;
}

namespace {

bool IsClean(std::span<const std::uint8_t> band) {
  return band.empty() ||
         (band[0] == kBand && std::memcmp(band.data(), band.data() + 1, band.size() - 1) == 0);
}
bool IsWritten(std::uint8_t byte) { return byte != kBand; }

}  // namespace

std::size_t WrittenBefore(std::span<const std::uint8_t> band) {
  if (IsClean(band)) return 0;
  return static_cast<std::size_t>(band.end() - std::find_if(band.begin(), band.end(), IsWritten));
}

std::size_t WrittenBehind(std::span<const std::uint8_t> band) {
  if (IsClean(band)) return 0;
  return static_cast<std::size_t>(band.rend() - std::find_if(band.rbegin(), band.rend(), IsWritten));
}

Banded::Banded(std::uint64_t bytes)
    : lines_((bytes + sizeof(Line) - 1) / sizeof(Line) + 2 * BandBytes() / sizeof(Line)), bytes_(bytes) {
  const auto all = std::as_writable_bytes(std::span(lines_));
  std::memset(all.data(), kBand, BandBytes());
  std::memset(all.data() + BandBytes() + bytes, kBand, all.size() - BandBytes() - bytes);
}

std::string Banded::Overrun() {
  const auto* all = reinterpret_cast<const std::uint8_t*>(lines_.data());
  const std::size_t size = lines_.size() * sizeof(Line);
  if (lines_.empty()) return "";
  if (const auto far = WrittenBehind({all + BandBytes() + bytes_, size - BandBytes() - bytes_}); far != 0)
    return fmt::format("a store {} bytes behind the end", far);
  if (const auto far = WrittenBefore({all, BandBytes()}); far != 0)
    return fmt::format("a store {} bytes before the beginning", far);
  return "";
}

}  // namespace emulation
