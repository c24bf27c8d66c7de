// SPDX-License-Identifier: MIT
// The options of a call: an object of JSON becomes arguments of the program, or a sentence on what is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace api {

struct Request {
  std::string error;  // empty: the rest holds
  std::vector<std::string> arguments;
  std::string program;  // empty: to be found
  double deadline_s = 600;
};

// `command` is "report" or "recommend".
[[nodiscard]] Request ReadOptions(std::string_view json, std::string_view command);

}  // namespace api
