// SPDX-License-Identifier: MIT
// What `whichgpu query` is asked for.
#pragma once

#include <string>
#include <vector>

namespace report {

// What a field rests on: facts that hold for a boot, what may change at any moment, or figures.
enum class QueryNeed { kFacts, kNow, kFigures };

// What the fields of a request rest on beside facts.
struct QueryNeeds {
  bool now = false;
  bool figures = false;
};

enum class QueryFormat { kPlain, kCsv, kTsv, kMarkdown, kJson };

struct QueryRequest {
  std::vector<std::string> fields;
  std::vector<std::string> backends;  // lines of these alone, each way of them; empty: a device's best way
  bool gpus = false;                  // lines of GPUs alone
  bool usable = false;                // lines of ways alone that may be taken
  bool best = false;                  // the first line alone
  bool all = false;                   // every way, not a device's best alone
  bool list = false;                  // the fields that there are
  QueryFormat format = QueryFormat::kPlain;
};

}  // namespace report
