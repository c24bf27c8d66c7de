// SPDX-License-Identifier: MIT
// What --help prints. CLI11's own text differs from version to version: 2.6 breaks its lines anew.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace report {

// Of the program or a command of it; `name` is how it is called, "whichgpu list". Ends in a newline.
[[nodiscard]] std::string HelpText(const CLI::App& app, const std::string& name);

}  // namespace report
