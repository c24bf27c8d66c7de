// SPDX-License-Identifier: MIT
// Where the dynamic loader itself would look for a library, so that the file can be checked before it is
// loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// Absolute directories of a colon-separated list; empty and relative entries, which mean the current
// directory or depend on it, are left out.
[[nodiscard]] std::vector<std::string> AbsoluteEntries(std::string_view list);

// The variable whose folders the loader searches first: LD_LIBRARY_PATH on Linux.
[[nodiscard]] std::string_view LoaderVariable();

// The same of LD_LIBRARY_PATH, in which the loader takes semicolons for colons, ld.so(8).
[[nodiscard]] std::vector<std::string> LoaderEntries(std::string_view list);

// Files that /etc/ld.so.cache names for a soname, in its order, variants for special processors left out.
// Content: struct cache_file_new of glibc's sysdeps/generic/dl-cache.h. Damaged content yields what could be
// read.
[[nodiscard]] std::vector<std::string> CachedPaths(std::string_view cache, std::string_view soname);

// The directories that the loader searches without being told: LD_LIBRARY_PATH as it read that at the start,
// then those compiled into it.
[[nodiscard]] std::vector<std::string> LoaderDirectories();

// Where the loader looks, read once for many libraries.
class LoaderSearch {
 public:
  LoaderSearch(const FileSystem& files, const Environment& environment);
  // Paths to try for a soname in the loader's order, ld.so(8): its variable's folders, the cache, the default
  // directories. They need not exist.
  [[nodiscard]] std::vector<std::string> Candidates(std::string_view soname) const;

 private:
  std::vector<std::string> told_;  // LoaderVariable()'s directories
  std::string cache_;              // content of /etc/ld.so.cache
};
// The same for one.
[[nodiscard]] std::vector<std::string> LoaderCandidates(std::string_view soname, const FileSystem& files,
                                                        const Environment& environment);

// Below which Pythons keep their packages, whoever is first when somebody types python3 before the system's:
// what conda and pip install for the whole prefix lies in `<prefix>/lib`.
[[nodiscard]] std::vector<std::string> PythonPrefixes(const FileSystem& files,
                                                      const Environment& environment);

}  // namespace probe::system
