// SPDX-License-Identifier: MIT
// Takes what identifies a person or a machine out of a record: host and user names, home paths, serial
// numbers and, unless they are kept, UUIDs. The same original always gets the same pseudonym, so that a
// replay joins devices as the recording run did.
#pragma once

#include <string>
#include <vector>

#include "probe/core/codec.h"
#include "probe/system/environment.h"

namespace report {

class Pseudonyms {
 public:
  // The names of this machine and user; keep_ids leaves UUIDs as they are.
  Pseudonyms(const probe::system::Environment& environment, const std::string& host_name, bool keep_ids);

  [[nodiscard]] std::string Replace(std::string text) const;
  // Every string in it, and the value of every fact whose key speaks of a serial number.
  void Replace(probe::Json& json) const;

 private:
  std::vector<std::pair<std::string, std::string>> words_;
  bool keep_ids_;
};

}  // namespace report
