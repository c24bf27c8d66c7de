// SPDX-License-Identifier: MIT
// Cache lines to be fetched ahead of their use, a few at each step of some arithmetic: all at once would
// occupy every line fill buffer and stop the loads of the arithmetic itself.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>

namespace kernels::cpu {

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
