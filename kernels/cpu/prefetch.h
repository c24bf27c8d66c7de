// SPDX-License-Identifier: MIT
// Cache lines to be fetched ahead of their use, a few at each step of some arithmetic (Lines): all at once
// would occupy every line fill buffer and stop the loads of the arithmetic itself.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>

namespace kernels::cpu {

// Whether reading on and on is faster when software asks for lines ahead. On Intel's cores it is, because
// their prefetchers stop at page borders (Sapphire Rapids: reads 1.1 times as fast); AMD's do not stop, and
// every request takes the place of a load (Zen 3: reads .85, triads .9 times as fast). In detect_*.cpp.
[[nodiscard]] bool GainsFromPrefetch();

// The lines kAheadBytes after `bytes` that are read now, if kAhead.
inline constexpr std::size_t kAheadBytes = 4096;
template <bool kAhead>
HWY_INLINE void PrefetchAhead(const void* at, std::size_t bytes) {
  if constexpr (!kAhead) return;
  for (std::size_t i = 0; i < bytes; i += 64) hwy::Prefetch(static_cast<const char*>(at) + kAheadBytes + i);
}

class Lines {
 public:
  Lines() = default;
  // Of `rows` rows, each row_bytes after the one before, the first width_bytes. Nothing is read, so that rows
  // may reach past the end of what can be.
  Lines(const void* at, std::size_t row_bytes, std::size_t width_bytes, std::size_t rows)
      : at_(static_cast<const char*>(at)),
        row_bytes_(row_bytes),
        per_row_((width_bytes + kLine - 1) / kLine),
        left_(per_row_ * rows) {}

  [[nodiscard]] std::size_t left() const { return left_; }

  HWY_INLINE void Prefetch(std::size_t most) {
    for (std::size_t i = std::min(most, left_); i > 0; --i) {
      hwy::Prefetch(at_ + in_row_ * kLine);
      --left_;
      if (++in_row_ == per_row_) {
        in_row_ = 0;
        at_ += row_bytes_;
      }
    }
  }

 private:
  static constexpr std::size_t kLine = 64;
  const char* at_ = nullptr;
  std::size_t row_bytes_ = 0;
  std::size_t per_row_ = 0;
  std::size_t left_ = 0;
  std::size_t in_row_ = 0;
};

}  // namespace kernels::cpu
