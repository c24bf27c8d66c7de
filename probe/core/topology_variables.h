// SPDX-License-Identifier: MIT
// The variables that put another machine in the place of this one for hwloc and for the drivers that use it
// (PoCL).
#pragma once

#include <array>
#include <string_view>

namespace probe {

inline constexpr std::string_view kTopologyVariablePrefix = "HWLOC_";

// https://www.open-mpi.org/projects/hwloc/doc/v2.13.0/envvar.html
inline constexpr std::array<std::string_view, 5> kTopologyVariables = {
    "HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS"};

}  // namespace probe
