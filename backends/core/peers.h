// SPDX-License-Identifier: MIT
// What is between the devices of one runtime: copies from each to each, and a sum over all of them. Knows no
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "backends/core/runner.h"
#include "probe/core/result.h"

namespace backends {

// A library's all-reduce: adds up the devices' sources, as 32-bit integers, into the target of each.
struct AllReduce {
  std::string implementation;
  std::function<probe::Result<double>(std::uint32_t repeats)> run;  // seconds on the wall clock, of all
};

// Several open devices, by their place in the request. Each has two arrays of `bytes`, a multiple of 4:
// others read its source and write its target. Dies with its process.
struct PeerGroup {
  enum class Array { kSource, kTarget };
  std::uint64_t bytes = 0;
  std::function<probe::Status(std::size_t device, Array array, std::span<const std::byte> data)> write;
  std::function<probe::Status(std::size_t device, std::span<std::byte> data)> read_target;
  // Whether they reach each other's memory; else a copy goes through the host.
  std::function<bool(std::size_t from, std::size_t to)> is_direct;
  std::function<probe::Result<double>(std::size_t from, std::size_t to, std::uint32_t repeats)> copy;
  // Loads the library, which may take the process down: called last. Error.name "absent": not installed.
  std::function<probe::Result<AllReduce>()> open_all_reduce;
};

// Reports `p2p` for every ordered pair, own:direct or own:staged, and where there is a library the bus
// bandwidth of its all-reduce: 2 (n - 1) / n of the bytes over the time, which a link's rate bounds whatever
// n is (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md). Every result is checked.
void MeasurePeers(const MeasureRequest& request, PeerGroup& group, const MeasureSink& sink,
                  const MonotonicClock& now);

}  // namespace backends
