// SPDX-License-Identifier: MIT
// What the parts of the fake libcuda share: codes, the current context's memory, modules and launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/cuda/cuda_declarations.h"
#include "tests/fakes/common/scenario.h"
#include "tests/fakes/cuda/machine.h"

#define FAKE_CUDA extern "C" [[gnu::visibility("default")]] int

namespace fakes::cuda {

namespace nv = probe::cuda;

// enum CUresult.
inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotInitialised = 3;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidContext = 201;
inline constexpr int kInvalidPtx = 218;
inline constexpr int kPeerAccessUnsupported = 217;
inline constexpr int kNoCompiler = 221;
inline constexpr int kUnsupportedPtxVersion = 222;
inline constexpr int kNotFound = 500;
inline constexpr int kNotReady = 600;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchOutOfResources = 701;
inline constexpr int kLaunchFailed = 719;
inline constexpr int kInvalidClusterSize = 912;

// The code that a call at this point returns: an error that the scenario wants, or that cuInit was forgotten.
[[nodiscard]] int Ready(Point point, std::optional<std::uint32_t> device);
[[nodiscard]] const Slot* SlotOf(nv::CuDevice device);

// The device whose context is current; nullptr without one.
[[nodiscard]] const Slot* CurrentSlot();
// Set once a launch found the device lost or faulted; every later call returns it, as a broken context does.
[[nodiscard]] int& Broken();

// What the 128 bytes of a tensor map hold here.
struct TensorMap {
  std::uint64_t magic, address, rows, row_bytes;
  std::uint32_t box_rows;
};
inline constexpr std::uint64_t kTensorMapMagic = 0x70616d726f736e74;
inline constexpr std::uint32_t kTensorMapBytes = 128;

// One entry point of a loaded module, as its PTX declares it.
struct Entry {
  std::string name;
  std::vector<std::uint32_t> parameter_bytes;
  std::uint32_t required_threads = 0;  // .maxntid, 0 where there is none
  std::uint32_t max_dynamic_shared_bytes = 48U << 10U;
  int shared_percent = -1;    // asked for
  std::uint32_t cluster = 1;  // .reqnctapercluster
  bool faults = false;        // begins with the store to no memory that bench/gpu/faulty_cuda.cpp plants
};
struct Module {
  std::vector<std::unique_ptr<Entry>> entries;
};
// A code and the module. Reads PTX as far as needed to tell what it declares and that it is whole.
[[nodiscard]] int ParseModule(const std::string& text, const Slot& slot, Module& module, std::string& log);

}  // namespace fakes::cuda
