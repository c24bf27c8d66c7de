// SPDX-License-Identifier: MIT
// What is known of the runtime's own interface, for this folder and for backends/null. One that loads no
// library is always installed and has no device (docs/adding-a-runtime.md).
#pragma once

#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::null {

// The runtime's functions: of a real one, pointers found in its library, one line each in
// <runtime>_symbols.def.
struct Api {};

// Loads the library (system::Library::Open) and resolves its symbols. OwnError::kAbsent: not installed.
[[nodiscard]] Result<Api> Open(const system::FileSystem& files, const system::Environment& environment);

// Everything that the runtime says of every device; texts cleaned (probe/core/text.h), unknowns left out. No
// device is an empty list, not an error.
[[nodiscard]] Result<std::vector<RuntimeDevice>> Devices(const Api& api);

}  // namespace probe::null
