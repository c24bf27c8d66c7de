// SPDX-License-Identifier: MIT
// What a fake driver claims to be and how it misbehaves, as a JSON file says it. Shared by the fakes of every
// runtime; reads and checks, does nothing. The keys of the file are the names of the fields below.
//
// A fake looks for `<its own file>.scenario.json`, so that two copies of it in one process can differ, then
// for the file that WHICHGPU_FAKE_SCENARIO names; without either it is one well-behaved discrete GPU. A
// scenario that cannot be read, or has a key that nobody reads, ends the process with kBadScenarioExit and a
// line on stderr.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/common/hostile.h"

namespace fakes {

inline constexpr const char* kScenarioVariable = "WHICHGPU_FAKE_SCENARIO";
inline constexpr const char* kScenarioSuffix = ".scenario.json";
inline constexpr int kBadScenarioExit = 96;

// Where in a driver's life something happens. `load` is the library's constructor, where an error code cannot
// be returned: `error` there shows at the first call. `read_back` is the first look at results after a
// launch. `teardown` is the first memory, program or device that is given back, or the library's destructor.
enum class Point {
  kLoad,
  kInit,
  kEnumerate,
  kProperties,
  kCreate,
  kAllocate,
  kCompile,
  kLaunch,
  kReadBack,
  kTeardown
};

enum class Act {
  kHang,           // "hang": sleep, ignoring SIGTERM, SIGINT and SIGHUP
  kSpin,           // "spin": the same, busy
  kAbort,          // "abort"
  kSegfault,       // "segfault": write where nobody may
  kExit0,          // "exit0": exit(0) without a word
  kFloodStdout,    // "flood_stdout": `bytes` to stdout and to stderr, then go on
  kCloseFds,       // "close_fds": close every descriptor from 3 on, then go on
  kFloodFds,       // "flood_fds": `bytes` of garbage into every writable descriptor from 3 on, then go on
  kForkLinger,     // "fork_linger": leave a process behind (`detach`, `seconds`, `pid_file`), then go on
  kThrowCxx,       // "throw_cxx": a C++ exception out of a C interface
  kStackOverflow,  // "stack_overflow"
  kError,          // "error": return `code`, from the `after`th time on
  kFillScratch,    // "fill_scratch": a growing file in the working directory, up to `bytes`, then hang
  // What spoils the process for its other drivers, then go on:
  kLowerFiles,        // "lower_rlimit_nofile": not one more descriptor
  kLowerMemory,       // "lower_rlimit_as": not one more page
  kDropUser,          // "setuid": become nobody, where that is allowed
  kChroot,            // "chroot": into the working directory, where that is allowed
  kCloseLowFds,       // "close_low_fds": close descriptors 3 to 63
  kClearEnvironment,  // "clear_environment"
  kHostile            // any other name: that act of hostile.h
};

enum class Detach {
  kNone,    // "none": same session and process group
  kSetsid,  // "setsid": a session of its own
  kDaemon   // "daemon": a session of its own and a parent that has ended
};

struct Misbehaviour {
  Point at = Point::kLoad;
  Act act = Act::kHang;                 // key "do"
  HostileAct hostile = nullptr;         // of Act::kHostile
  std::uint32_t after = 0;              // times that the point is passed unharmed
  std::optional<std::uint32_t> device;  // only for this one, by its place in `devices`
  std::int32_t code = -1;
  std::uint64_t bytes = 0;  // 0: 32 MiB for a flood, 512 MiB for a file
  double seconds = 60;  // life of a lingering process; bounded so that a failed test leaves nothing for long
  Detach detach = Detach::kNone;
  std::string mark;      // hostile.h: where each process that gets here says so
  std::string pid_file;  // the lingering process writes its id here before the driver goes on
};

enum class DeviceType { kOther, kIntegrated, kDiscrete, kVirtual, kCpu };

// What a launch does to the buffers that it was given.
enum class Results { kNone, kGarbage, kNan, kZero };  // "none", "garbage", "nan", "zero"

struct PciBus {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;
};

using Uuid = std::array<std::uint8_t, 16>;

struct Device {
  std::string name = "Fake GPU";  // or an array of byte values: then not necessarily UTF-8
  std::uint32_t name_bytes = 0;   // when above the length of `name`: repeat it up to this length
  std::string vendor = "Fake Vendor";
  std::uint32_t vendor_id = 0x1234;
  std::uint32_t device_id = 0x5678;
  Uuid uuid = {0xfa, 0x4e, 1};  // in the file: 32 hexadecimal digits, dashes allowed
  Uuid driver_uuid = {0xfa, 0x4e, 2};
  std::optional<PciBus> pci;  // in the file: "0000:c1:00.0"
  DeviceType type = DeviceType::kDiscrete;
  std::uint64_t memory_total_bytes = std::uint64_t{8} << 30U;
  std::optional<std::uint64_t> memory_free_bytes;
  std::uint64_t max_buffer_bytes = std::uint64_t{1} << 30U;
  bool no_heaps = false;  // Vulkan: no memory type and no heap at all
  bool unified_memory = false;
  bool fp16 = false;
  bool fp64 = false;
  std::uint32_t compute_units = 16;
  std::uint32_t clock_mhz = 1500;
  std::uint32_t subgroup_width = 32;
  std::uint32_t max_workgroup_size = 1024;
  std::uint32_t shared_memory_bytes = 32768;
  std::uint32_t timestamp_bits = 64;
  Results results = Results::kNone;
  double slow_kernel_s = 0;
  // CUDA: what a product takes more, in its own times; in unsteady processes anything up to it.
  double unsteady_share = 0;
  std::string unsteady_folder;           // where each process that computes one leaves a file
  std::uint32_t unsteady_processes = 1;  // the first ones; all without a folder
  double event_time_scale = 1;           // 0: every event takes 0 ns; 0.01: a hundred times too fast
  std::optional<std::uint32_t> lost_after_launches;
  // CUDA, HIP and OpenCL: of the entries that begin so every launch kills the context, ends the process or
  // never comes back.
  std::string faulting_kernels, crashing_kernels, hanging_kernels;
  std::optional<std::uint64_t> allocation_limit_bytes;
  std::map<std::string, std::int64_t> attributes;  // what one runtime alone knows, by its fake's names
  std::vector<Device> partitions;                  // the instances that it is divided into
};

struct Scenario {
  std::string driver_name = "Fake Driver";
  std::string driver_version = "1.2.3";
  std::optional<std::array<std::uint32_t, 2>> api_version;  // [major, minor]; default: the fake's own
  std::vector<Device> devices = {Device{}};
  std::vector<Misbehaviour> misbehave;
  std::map<std::string, std::int64_t> attributes;  // of the driver, by its fake's names
};

// This library's scenario, read at the first call.
[[nodiscard]] const Scenario& Current();

// Reads one file. The error is a sentence that names the key at fault.
[[nodiscard]] std::optional<std::string> ReadScenario(const std::string& path, Scenario& scenario);

}  // namespace fakes
