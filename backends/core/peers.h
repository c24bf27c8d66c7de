// SPDX-License-Identifier: MIT
// What is between the devices of one runtime: copies from each to each, and a sum over all of them. Knows no
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "backends/core/budget.h"
#include "backends/core/measurement.h"
#include "probe/core/result.h"

namespace backends {

// Several devices, by their place in the request. Once opened, each has two arrays of bytes(), a multiple of
// 4: others read its source and write its target. Dies with its process.
class PeerGroup {
 public:
  enum class Array { kSource, kTarget };
  enum class Opening { kContext, kArrays, kWays };  // to all others

  PeerGroup() = default;
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;
  virtual ~PeerGroup() = default;

  // One device after the other, each step of all before the next step.
  [[nodiscard]] virtual probe::Status Open(std::size_t device, Opening step) = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual probe::Status Write(std::size_t device, Array array,
                                            std::span<const std::byte> data) = 0;
  [[nodiscard]] virtual probe::Status ReadTarget(std::size_t device, std::span<std::byte> data) = 0;
  // Whether one reaches the other's memory; else a copy goes through the host.
  [[nodiscard]] virtual bool IsDirect(std::size_t from, std::size_t to) const = 0;
  // What makes direct copies, where more than one thing can, and one may be slower than the way between the
  // devices: a part of the figure's name. Empty where there is nothing to tell apart.
  [[nodiscard]] virtual std::string_view Copier() const { return {}; }
  // From a source to a target. Here and below: how many seconds all repetitions took on the wall clock.
  [[nodiscard]] virtual probe::Result<double> Copy(std::size_t from, std::size_t to,
                                                   std::uint32_t repeats) = 0;
  // Loads a library that adds up the devices' sources, as 32-bit integers, into the target of each, and
  // returns what its figure is called. It may take the process down: called last. OwnError::kAbsent: not
  // installed.
  [[nodiscard]] virtual probe::Result<std::string> OpenAllReduce() = 0;
  // By that library, once it is open.
  [[nodiscard]] virtual probe::Result<double> AllReduce(std::uint32_t repeats) = 0;
  // Whether a device's context has ended: no later call may be expected to succeed.
  [[nodiscard]] virtual bool IsLost() const { return false; }
};

// Opens that many devices, all there are. `on_turn` is called before each step of a device: where opening
// fails, the last one is at fault.
[[nodiscard]] probe::Status OpenAll(PeerGroup& group, std::size_t count,
                                    const std::function<void(std::size_t device)>& on_turn = {});

// Reports `p2p` for every ordered pair, own:direct (with _<copier>) or own:staged, and where there is a
// library the bus bandwidth of its all-reduce: 2 (n - 1) / n of the bytes over the time, which a link's rate
// bounds whatever n is (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md). Every result is checked. Opens the
// group first; of a device that can not be opened it reports that alone. Once a context has ended nothing
// else is begun. `on_turn` is told, before each stage, whose figure is at stake: its device_id, and its
// peer_id of a copy.
void MeasurePeers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink,
                  const MonotonicClock& now,
                  const std::function<void(const MeasureRequest& of)>& on_turn = {});

}  // namespace backends
