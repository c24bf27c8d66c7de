// SPDX-License-Identifier: MIT
// Linux under Windows (WSL), where the host has the drivers of its GPUs, of whatever maker.
#pragma once

namespace probe::system {

inline constexpr const char* kWslGpuNode = "/dev/dxg";
inline constexpr const char* kWslKernelDriver = "dxgkrnl";  // of that node

}  // namespace probe::system
