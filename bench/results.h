// SPDX-License-Identifier: MIT
// The file of one machine and day: rows are added to what is there already.
#pragma once

#include <string>
#include <string_view>

#include "bench/rows.h"

namespace bench {

class Results {
 public:
  // <directory>/<processor>-<date>.json.
  explicit Results(const std::string& directory);
  void Add(const Row& row, const Contest& contest, const Comparison& comparison, int pairs);
  void Skip(const Row& row, std::string_view reason);
  // Makes the directory where it is missing. Why files cannot be made there; empty where they can.
  [[nodiscard]] std::string MakeDirectory() const;
  // All rows or none. False where the file cannot be written.
  [[nodiscard]] bool Write() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct State;
  std::string path_;
  std::shared_ptr<State> state_;
};

}  // namespace bench
