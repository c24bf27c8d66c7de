// SPDX-License-Identifier: MIT
// A session that runs the kernels' sources by emulation.h, so that they go the same way as on a device: the
// same launch shapes, operands and checks. What a kernel stores beside its buffers ends the run with an error
// that names the buffer.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"
#include "tests/kernels/cuda/banded.h"
#include "tests/kernels/cuda/emulation.h"

namespace tests {

// Buffers' addresses, or those of their maps, in the order of the bindings, then scalars.
using EmulatedKernel =
    std::function<void(std::span<void* const> buffers, std::span<const std::uint32_t> scalars)>;

// Wraps an entry point as one.
template <class... P>
[[nodiscard]] EmulatedKernel Wrap(void (*entry)(P...));

// The entry points of kernels/cuda by name; empty for a name that is none.
[[nodiscard]] EmulatedKernel FindEntry(std::string_view name);

class EmulatedSession final : public backends::Session {
 public:
  // `replaced`, if not empty, stands for the entry of that name.
  explicit EmulatedSession(emulation::Order order, std::string_view name = {}, EmulatedKernel replaced = {});
  // Another device: what it allows, its entry points by name, and the shared memory of every block.
  using Find = std::function<EmulatedKernel(std::string_view name)>;
  EmulatedSession(emulation::Order order, backends::Limits limits, Find find, unsigned shared_bytes);

  [[nodiscard]] const backends::Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<backends::BufferId> Allocate(const backends::BufferRequest& request) override;
  void Release(backends::BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(backends::BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(backends::BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<backends::KernelId> Load(const kernels::Variant& variant,
                                                       const kernels::Step& step) override;
  [[nodiscard]] probe::Result<backends::Timing> Run(std::span<const backends::Launch> launches,
                                                    std::uint32_t repeats) override;

 private:
  struct Loaded {
    EmulatedKernel kernel;
    unsigned shared_bytes = 0;
    unsigned cluster = 1;
  };
  emulation::Order order_;
  std::string_view name_;
  EmulatedKernel replaced_;
  backends::Limits limits_;
  Find find_ = FindEntry;
  unsigned shared_bytes_ = 0;
  std::vector<emulation::Banded> buffers_;
  std::vector<Loaded> loaded_;
};

template <class... P>
EmulatedKernel Wrap(void (*entry)(P...)) {
  return [entry](std::span<void* const> buffers, std::span<const std::uint32_t> scalars) {
    std::size_t at = 0;
    const auto next = [&]<class T>(T*) -> T {
      const std::size_t i = at++;
      if constexpr (std::is_pointer_v<T>) {
        return static_cast<T>(buffers[i]);
      } else if constexpr (std::is_same_v<T, emulation::TensorMap>) {
        return *static_cast<T*>(buffers[i]);
      } else {
        T value{};
        std::memcpy(&value, &scalars[i - buffers.size()], sizeof value);
        return value;
      }
    };
    // Braces keep the order.
    const std::tuple<P...> arguments{next(static_cast<P*>(nullptr))...};
    std::apply(entry, arguments);
  };
}

}  // namespace tests
