// SPDX-License-Identifier: MIT
// Takes what identifies a person or a machine out of a record: host and user names, home paths, serial
// numbers, containers' ids, addresses of network cards and, unless they are kept, UUIDs. The same original
// always gets the same pseudonym, so that a replay joins devices as the recording run did.
//
// A name that is also a word of this trade (a user called "gpu") is replaced where it is a home's name only:
// elsewhere it says nothing of the person, and replacing it would destroy what the record is for.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/codec.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace report {

// Whether a name is too ordinary to be looked for in free text: a word of the runtimes' tables, or short.
[[nodiscard]] bool IsOrdinaryWord(std::string_view name);

// Names that only files tell: of ordinary users in /etc/passwd and of those who own a folder in /home, of the
// machine in /etc/hostname.
struct FoundNames {
  std::vector<std::string> users;
  std::vector<std::string> hosts;
};
[[nodiscard]] FoundNames FindNames(const probe::system::FileSystem& files);

class Pseudonyms {
 public:
  // The names of this machine and user, and those that were found; keep_ids leaves UUIDs as they are.
  Pseudonyms(const probe::system::Environment& environment, const std::string& host_name, bool keep_ids,
             const FoundNames& found = {});

  // Of the machine's name itself, which is replaced however ordinary it is.
  [[nodiscard]] static std::string ReplaceHostName(const std::string& name);

  [[nodiscard]] std::string Replace(std::string text) const;
  // Every string in it that is free text, and the value of every fact whose key speaks of a serial number.
  void Replace(probe::Json& json) const;
  // Of a file that was read, by its path: nullopt where it can not be kept, for it is no text and holds
  // names. Of a list of mounts only the lines of control groups are kept, which is what is read of it.
  [[nodiscard]] std::optional<std::string> ReplaceFile(std::string_view path,
                                                       const std::string& content) const;

 private:
  void AddUser(const std::string& name, bool is_own);
  void AddHost(const std::string& name);
  [[nodiscard]] const std::string& UserFor(const std::string& name) const;
  void ReplaceHomes(std::string& text) const;

  std::string home_;                                   // "" where it is nobody's
  std::vector<std::string> users_, hosts_, domains_;   // what is looked for in free text
  mutable std::map<std::string, std::string> people_;  // user name -> pseudonym, as they are met
  bool keep_ids_;
};

// Identifiers that are known by their form: UUIDs, numbers of chips, ids of containers, addresses of network
// cards. Each function replaces all of a text by pseudonyms of the same form, equal ones by equal ones.

[[nodiscard]] bool IsWordCharacter(char c);
// Replaces `from` where it stands as a word of its own.
void ReplaceWord(std::string& text, std::string_view from, std::string_view to);

void ReplaceUuids(std::string& text);
// Numbers by which makers tell chips apart.
void ReplaceChipNumbers(std::string& text);
// Runs of 32 or more hexadecimal digits, as container runtimes, pods and machines are numbered by, UUIDs of
// pods, names of LXC's containers. A pseudonym is as long as its id.
void ReplaceContainers(std::string& text);
void ReplaceNetworkAddresses(std::string& text);

}  // namespace report
