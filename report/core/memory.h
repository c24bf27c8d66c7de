// SPDX-License-Identifier: MIT
// The memory that work by one way to a device has, of a machine that was looked at and of one that is
// described alike. Nothing else weighs a device's memory against the processor's.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "probe/core/device.h"

namespace report {

// Whose a device's memory is: its own; the processor's, which it shares; the processor's, which it is.
enum class MemoryKind { kOwn, kShared, kHosts };

// Bytes. What nobody says is absent, and is supposed to be enough.
struct WorkMemory {
  std::optional<double> own_bytes;   // that the way may use of its device
  std::optional<double> host_bytes;  // that may be used of the processor's memory
  MemoryKind kind = MemoryKind::kOwn;
  double apart_bytes = 0;  // of what it shares, what is set apart for it and is not in host_bytes

  // Whether the processor's memory holds so much, as far as anybody says.
  [[nodiscard]] bool HostHolds(double bytes) const { return !host_bytes || bytes <= *host_bytes; }
  // Whether somebody says how much there is of what has to hold the work, so much of it with the processor.
  [[nodiscard]] bool IsTold(double on_host) const { return own_bytes && (on_host <= 0 || host_bytes); }
  // Of work that needs so much in all, and of which the device holds a share and all of the buffers: what
  // the processor's memory has to hold. What a device that shares it holds of a split is there, too.
  [[nodiscard]] double OnHost(double needed, double buffers, double share) const;
  // All that such work has where the memory is one; of a device with its own that alone.
  [[nodiscard]] std::optional<double> OnePlace() const;
};

[[nodiscard]] WorkMemory WorkMemoryOf(const probe::PhysicalDevice& device, const probe::View& view,
                                      std::optional<double> host_bytes);

// What may be used of the processor's memory; nullopt where nobody says.
[[nodiscard]] std::optional<double> HostBytes(std::span<const probe::PhysicalDevice> devices);

// Whether it computes in the processor's memory, of which a part may be set apart for it.
[[nodiscard]] bool SharesHostMemory(const probe::PhysicalDevice& device);

// What the caller writes who describes the machine and does not say how much memory the device has:
// "memory=24GiB". "" of a machine that was looked at.
[[nodiscard]] std::string_view HowToSayMemory(const probe::PhysicalDevice& device);

}  // namespace report
