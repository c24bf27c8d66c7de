// SPDX-License-Identifier: MIT
// The machine as a whole: what it is called, what it runs, its memory, and how busy it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/report.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// Names and the kernel are the running machine's, or below a sysroot those that its files say.
[[nodiscard]] HostFacts DescribeHost(const FileSystem& files, const Environment& environment);

// The engine of the container that this is in, where it tells: "docker". Many tell nothing.
[[nodiscard]] std::optional<std::string> ContainerOf(const FileSystem& files, const Environment& environment);

// What the text of a file of os-release(5) says; nullopt where it says nothing.
[[nodiscard]] std::optional<OsRelease> ParseOsRelease(const std::string& text);

struct Memory {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;  // what can be had without swapping
};
// From /proc/meminfo, proc(5); nothing set where there is none.
[[nodiscard]] Memory ReadMemory(const FileSystem& files);

// Seconds that the processors of `usable` (empty: all) have been busy since the machine started, from
// /proc/stat (proc(5)); on the running machine of a system without that, of all. nullopt where nothing tells.
[[nodiscard]] std::optional<double> BusySeconds(const FileSystem& files, const std::vector<int>& usable);

// What is another after each start of the machine; nullopt where nothing tells.
[[nodiscard]] std::optional<std::string> BootId(const FileSystem& files);
// The kernel by its release and build.
[[nodiscard]] std::string KernelText(const FileSystem& files);

// For how much of the last ten seconds, in percent, some program waited for a processor; nullopt where the
// kernel does not tell. Kernel documentation: accounting/psi.rst.
[[nodiscard]] std::optional<double> CpuPressurePercent(const FileSystem& files);

}  // namespace probe::system
