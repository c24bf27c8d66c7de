// SPDX-License-Identifier: MIT
// The model that a person wants predicted in the place of the reference's.
#pragma once

#include <string>

#include "probe/core/result.h"
#include "report/core/tables.h"

namespace report {

// A file with keys of data/reference_request.json, {"inference": {"layers": 28}}; what it leaves out is as
// there, but for training's weights and adapters, which grow with the parameters. A new model names its
// parameters and bytes, a new format its type of weights and bytes. The error is one line that names the file
// and the key: no such key, no whole number from 1 to 1e15 (of layers, width and tokens to 1e7), no type of
// weights, or what is missing.
[[nodiscard]] probe::Result<ReferenceRequest> ReadRequest(const std::string& path);

}  // namespace report
