// SPDX-License-Identifier: MIT
// Runs a program for a test and keeps what it did: its end, its output, and what it wrote to descriptor 3.
// Not the tool's supervisor: the tests must not depend on what they are there to test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fakes {

struct ChildRun {
  std::vector<std::string> arguments;              // the program's path first
  std::map<std::string, std::string> environment;  // on top of this process's own
  std::string directory;                           // to run in
  double deadline_s = 20;
};

// A stream's size and its first bytes.
struct Captured {
  std::uint64_t bytes = 0;
  std::string head;
};

struct ChildEnd {
  std::optional<int> code;
  std::optional<int> signal;
  bool timed_out = false;
  bool survived_sigterm = false;  // still there 0.1 s after the SIGTERM that follows the deadline
  int pid = 0;
  Captured out;
  Captured err;
  Captured result;  // descriptor 3
};

// Ends when the program itself has ended, whoever still holds its pipes; after the deadline it gets SIGTERM,
// then SIGKILL.
[[nodiscard]] ChildEnd RunChild(const ChildRun& run);

}  // namespace fakes
