// SPDX-License-Identifier: MIT
// A small file tree in memory whose content an input writes, and the variables that it sets. One a process:
// what two inputs in a row have in common is left as it is, for files are what takes time.
//
// An input is text, a line for each entry and the content below it:
//   = /sys/class/drm/card0/dev     a file; its content is every line up to the next entry
//   > /sys/class/drm/card0 ../x    a link
//   $ NAME=value                   a variable
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace fuzz {

class ScratchTree {
 public:
  ScratchTree();
  ScratchTree(const ScratchTree&) = delete;
  ScratchTree& operator=(const ScratchTree&) = delete;
  ~ScratchTree();  // removes it

  // Makes the tree that of `input`; entries that no file can have are left out.
  void Become(std::string_view input);

  [[nodiscard]] const probe::system::FileSystem& files() const { return *files_; }
  [[nodiscard]] const probe::system::Environment& environment() const { return environment_; }
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  struct Entry {
    bool link = false;
    std::string content;
    bool operator==(const Entry&) const = default;
  };
  using Entries = std::map<std::string, Entry>;  // by path below the root

  [[nodiscard]] Entries Read(std::string_view input);
  // False where it can not be: a name is too long, or a file lies on the way.
  [[nodiscard]] bool Make(const std::string& path, const Entry& entry) const;
  // The entry, and the folders above it that are left empty.
  void Remove(const std::string& path) const;

  std::string root_;
  int root_fd_ = -1;
  std::optional<probe::system::FileSystem> files_;
  probe::system::Environment environment_;
  Entries entries_;
};

}  // namespace fuzz
