// SPDX-License-Identifier: MIT
// Everything that decides whether measurements of an earlier run still hold, as one text: two runs with equal
// keys would see the same devices through the same drivers. Loads no runtime and opens no device but to see
// whether it may be opened.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/run_request.h"

namespace report {

// Of a run that asks these modules. One "name=value" a line: boot, tool, options, user and groups, processors
// and limits, display and accelerator PCI functions with their kernel drivers' versions, device nodes,
// variables, and stat() of every manifest and library that would be loaded.
[[nodiscard]] std::string CacheKey(const RunRequest& request, std::span<const probe::Module* const> modules,
                                   const std::string& tool_version, const probe::system::FileSystem& files,
                                   const probe::system::Environment& environment);

// Words of a driver's manifest that name a library: "/usr/lib/libvulkan_radeon.so".
[[nodiscard]] std::vector<std::string> LibrariesNamedIn(const std::string& manifest_text);

}  // namespace report
