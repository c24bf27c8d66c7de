// SPDX-License-Identifier: MIT
// For tests in C++ that load fake libraries: what runs there does so in a process of its own, since libraries
// stay loaded and read their variables once.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "probe/core/module.h"
#include "probe/core/report.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace tests {

using Variables = std::map<std::string, std::string, std::less<>>;
using ProcessBody =
    std::function<std::string(const probe::system::FileSystem&, const probe::system::Environment&)>;

// What `body` returned in a process with these variables; "" if the process died.
[[nodiscard]] std::string RunWith(const Variables& variables, const ProcessBody& body);
// A module's report there.
[[nodiscard]] probe::ProbeReport SurveyWith(const Variables& variables, const probe::Module& module);

}  // namespace tests
