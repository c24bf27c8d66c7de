// SPDX-License-Identifier: MIT
// What the report says of the machine as a whole: name, operating system, kernel, container.
#pragma once

#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "report/core/report.h"

namespace report {

[[nodiscard]] Host DescribeHost(const probe::system::FileSystem& files,
                                const probe::system::Environment& environment);

}  // namespace report
