// SPDX-License-Identifier: MIT
// A real device that computes through its own driver and then goes wrong in one chosen way. Wraps the session
// of any backend, so that what finds the defect is the path that measuring takes.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/reference.h"

namespace tests {

// Of a result: one of its words altered, given the other sign or replaced by a NaN, what one work-group
// should have written not written, or what the first run left there; or of the runtime's events: no time at
// all, or a hundredth of it.
enum class Defect {
  kNone,
  kOneWrongWord,
  kOneWrongSign,
  kOneNan,
  kUnwrittenTile,
  kStaleBuffer,
  kNoEventTime,
  kFastEvents
};

class DefectiveSession final : public backends::Session {
 public:
  // Results of fewer than `least_bytes` are right.
  DefectiveSession(backends::Session& real, Defect defect, std::uint64_t least_bytes = 0)
      : real_(real), defect_(defect), least_bytes_(least_bytes) {}

  [[nodiscard]] const backends::Limits& limits() const override { return real_.limits(); }
  [[nodiscard]] probe::Result<backends::BufferId> Allocate(const backends::BufferRequest& request) override {
    auto buffer = real_.Allocate(request);
    if (buffer) sizes_[*buffer] = request.bytes;
    return buffer;
  }
  void Release(backends::BufferId buffer) override {
    first_.erase(buffer);
    real_.Release(buffer);
  }
  [[nodiscard]] probe::Status Upload(backends::BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override {
    return real_.Upload(buffer, offset_bytes, data);
  }
  [[nodiscard]] probe::Status Download(backends::BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override {
    return real_.Download(buffer, offset_bytes, data);
  }
  // Operands are written as they should be.
  [[nodiscard]] probe::Result<backends::KernelId> Load(const kernels::Variant& variant,
                                                       const kernels::Step& step) override {
    auto kernel = real_.Load(variant, step);
    if (kernel && variant.kernel != kernels::Kernel::kFill && &step == &variant.steps.back()) {
      // The result is bound last but for what the kernel keeps to itself.
      const bool workspace = step.bindings.back().role == kernels::Role::kWorkspace;
      results_[*kernel] = step.bindings.size() - (workspace ? 2 : 1);
    }
    return kernel;
  }

  [[nodiscard]] probe::Result<backends::Timing> Run(std::span<const backends::Launch> launches,
                                                    std::uint32_t repeats) override {
    std::vector<backends::Launch> changed(launches.begin(), launches.end());
    for (backends::Launch& launch : changed) {
      if (defect_ != Defect::kUnwrittenTile || !results_.contains(launch.kernel)) continue;
      if (sizes_[launch.buffers[results_[launch.kernel]].buffer] < least_bytes_) continue;
      auto& groups = launch.shape.groups;
      const auto several = std::find_if(groups.begin(), groups.end(), [](std::uint32_t n) { return n > 1; });
      if (several != groups.end()) {
        --*several;
      } else if (auto status = Keep(launch.buffers[results_[launch.kernel]].buffer); !status) {
        return status.error();
      }
    }
    auto timing = real_.Run(changed, repeats);
    if (!timing) return timing;
    for (const auto& [buffer, tile] : std::exchange(kept_, {})) {
      if (auto status = real_.Upload(buffer, 0, tile); !status) return status.error();
    }
    for (const backends::Launch& launch : launches) {
      const auto result = results_.find(launch.kernel);
      if (result == results_.end() || sizes_[launch.buffers[result->second].buffer] < least_bytes_) continue;
      if (auto status = Spoil(launch.buffers[result->second].buffer); !status) return status.error();
    }
    if (defect_ == Defect::kNoEventTime) timing->device_s = 0;
    if (defect_ == Defect::kFastEvents) timing->device_s = timing->device_s.value_or(timing->wall_s) / 100;
    return timing;
  }

 private:
  // Where there are no work-groups: what a few words of the result held before.
  [[nodiscard]] probe::Status Keep(backends::BufferId buffer) {
    return real_.Download(buffer, 0, kept_.try_emplace(buffer, 64, std::byte{}).first->second);
  }
  [[nodiscard]] probe::Status Spoil(backends::BufferId buffer) {
    if (defect_ == Defect::kStaleBuffer) return Restore(buffer);
    if (defect_ != Defect::kOneWrongWord && defect_ != Defect::kOneWrongSign && defect_ != Defect::kOneNan)
      return probe::Ok();
    // Far from either end; padding is behind the results.
    const std::uint64_t offset = sizes_[buffer] * 2 / 3 / sizeof(std::uint32_t) * sizeof(std::uint32_t);
    std::uint32_t word = 0;
    const auto bytes = std::as_writable_bytes(std::span(&word, 1));
    if (auto status = real_.Download(buffer, offset, bytes); !status) return status;
    word = defect_ == Defect::kOneNan ? 0x7fc00000U
                                      : word ^ (defect_ == Defect::kOneWrongSign ? kSign : kWrongBits);
    return real_.Upload(buffer, offset, bytes);
  }
  [[nodiscard]] probe::Status Restore(backends::BufferId buffer) {
    auto [stale, is_first] = first_.try_emplace(buffer, sizes_[buffer]);
    return is_first ? real_.Download(buffer, 0, stale->second) : real_.Upload(buffer, 0, stale->second);
  }

  // The second highest bit of the exponent of an fp32 and of the second of two fp16: a number becomes next to
  // nothing or far too large.
  static constexpr std::uint32_t kWrongBits = 1U << 29U;
  static constexpr std::uint32_t kSign = 1U << 31U;
  backends::Session& real_;
  Defect defect_;
  std::uint64_t least_bytes_;
  std::map<backends::BufferId, std::uint64_t> sizes_;
  std::map<backends::KernelId, std::size_t> results_;  // kernel -> place of its result
  std::map<backends::BufferId, std::vector<std::byte>> first_;
  std::map<backends::BufferId, std::vector<std::byte>> kept_;
};

}  // namespace tests
