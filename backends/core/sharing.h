// SPDX-License-Identifier: MIT
// What the machine says of a device beside its runtime: who else uses it and what that allows
// (docs/contract.md, section 3), and what holds it back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backends/core/backend.h"

namespace backends {

// What the others of a device were seen to do; nobody may tell.
enum class OthersWork { kNone, kUnknown, kSeen };
// The percentage of the free memory that is used of a device which others use. Of one on which they hold
// memory and do nothing (an engine that waits for a question) it is more: a quarter of 8 GiB holds every
// plan, and what they may ask for when they wake is still there.
inline constexpr unsigned kBusyMemoryPercent = 5;
inline constexpr unsigned kIdleMemoryPercent = 25;

// How much of the time a device was used when it was found, before this process used it, in percent, by the
// fact that tells it (probe::kUtilizationFact); 0 where nobody does.
[[nodiscard]] unsigned PercentWhenFound(const probe::RuntimeDevice& device);
// The same for people: "93 % busy"; empty where the device is not busy.
[[nodiscard]] std::string LoadOfOthers(const probe::RuntimeDevice& device);

// What the kernel driver of a card says of it while it is used, for runtimes that say nothing: by the
// device's PCI address; empty where it has none or its driver tells nothing. Reads a dozen small files.
[[nodiscard]] DeviceState StateOfCard(const probe::RuntimeDevice& device,
                                      const probe::system::FileSystem& files);

// Narrows the limits to what this process may take beside `others` ("3 other processes on it"); from then on
// memory_free_bytes bounds the sum of what a session allocates. Work of theirs that was seen shows in the
// times.
void ShareWith(std::string others, OthersWork work, Limits& limits);

// "430 MiB are free, of which 107 MiB (25 %) are used at most beside others (1 other process on it), and 128
// MiB are needed": why that much of a shared device is not asked for. Of what would fit by itself it says
// that other figures hold the rest.
[[nodiscard]] std::string WhyLeftToOthers(const Limits& limits, std::uint64_t needed_bytes);

// The same where nobody is seen to use the device: "4 KiB of 24576 MiB are free, and 128 KiB are needed; who
// holds the rest can not be seen".
[[nodiscard]] std::string WhyFull(std::uint64_t free_bytes, std::uint64_t all_bytes,
                                  std::uint64_t needed_bytes);

// What a session has allocated, and what it may.
class Allocations {
 public:
  // `limits` outlives this.
  explicit Allocations(const Limits& limits) : limits_(limits) {}

  // Whether a buffer of so many bytes may be asked for: within the limits, and beside the others of a shared
  // device, of which too much is OwnError::kLeftToOthers. `call` heads the error where it is the limits'.
  [[nodiscard]] probe::Status Check(std::string_view call, std::uint64_t bytes) const;
  void Take(std::uint64_t bytes) { bytes_ += bytes; }
  void Return(std::uint64_t bytes) { bytes_ -= bytes; }
  // What may still be allocated on a shared device; no bound where the device is ours alone.
  [[nodiscard]] std::uint64_t AllowedBytes() const;

 private:
  const Limits& limits_;
  std::uint64_t bytes_ = 0;
};

}  // namespace backends
