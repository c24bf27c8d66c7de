// SPDX-License-Identifier: MIT
// The model that a person wants predicted in the place of the reference's.
#pragma once

#include <string>

#include "probe/core/result.h"
#include "report/core/tables.h"

namespace report {

// A file with keys of data/reference_request.json, {"inference": {"layers": 28}}; what it leaves out is as
// there. The error is one line that names the file and the key: no such key, no number above 0, no type of
// weights.
[[nodiscard]] probe::Result<ReferenceRequest> ReadRequest(const std::string& path);

}  // namespace report
