// SPDX-License-Identifier: MIT
// Runs an implementation as a session would, on buffers whose ends are watched. Judges no result.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu::testing {

// `count` elements at a 64-byte border, with watched bytes after them.
template <typename T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count), bytes_(count * sizeof(T) + kGuardBytes + kAlignment) {
    void* at = bytes_.data();
    std::size_t space = bytes_.size();
    data_ = static_cast<T*>(std::align(kAlignment, count * sizeof(T) + kGuardBytes, at, space));
    std::memset(data_, kFiller, count * sizeof(T) + kGuardBytes);
  }
  [[nodiscard]] std::span<T> span() { return {data_, count_}; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] bool intact() const {
    const auto* guard = reinterpret_cast<const unsigned char*>(data_ + count_);
    for (std::size_t i = 0; i < kGuardBytes; ++i) {
      if (guard[i] != kFiller) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kGuardBytes = 256;
  static constexpr unsigned char kFiller = 0xff;  // NaN as fp32, fp16 and bf16
  std::size_t count_;
  std::vector<std::byte> bytes_;
  T* data_;
};

// Calls `work` on `count` threads and joins them.
void OnWorkers(unsigned count, const std::function<void(const Worker&)>& work);

void Launch(const Implementation& implementation, std::initializer_list<void*> buffers,
            std::initializer_list<std::uint32_t> scalars, unsigned workers);

// All implementations of one entry, the ones that this machine cannot run included.
[[nodiscard]] std::vector<Implementation> Of(std::string_view entry);

// For INSTANTIATE_TEST_SUITE_P: "gemm_fp32_avx512".
[[nodiscard]] std::string Name(const ::testing::TestParamInfo<Implementation>& row);

}  // namespace kernels::cpu::testing

#define WHICHGPU_SKIP_UNSUPPORTED(implementation) \
  if (!(implementation).supported()) GTEST_SKIP() << "this processor has no " << (implementation).isa
