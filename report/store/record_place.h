// SPDX-License-Identifier: MIT
// How a record that was written beside its place comes to lie there, whatever other runs do at the same time.
#pragma once

#include <filesystem>
#include <functional>

namespace report {

inline constexpr const char* kRecordFile = "record.json";
inline constexpr const char* kFilesFolder = "files";

// Whether a directory is what WriteRecord makes, and holds nothing else, as far as all of it can be read.
[[nodiscard]] bool IsRecord(const std::filesystem::path& directory);

// What changes names, each with the number of its error or 0: the system's, or a test's.
struct Renaming {
  std::function<int(const std::filesystem::path& from, const std::filesystem::path& to)> rename;
  std::function<int(const std::filesystem::path& one, const std::filesystem::path& other)> exchange;
};
[[nodiscard]] Renaming SystemsRenaming();

// Puts the record `scratch`, which lies beside it, in the place of `target`. Runs that began together with
// the same directory, where there was none, each put theirs there: the last one stays. What it replaces is
// deleted last; where anything fails all is as it was, and `scratch` is left. Returns 0 or the error's
// number.
[[nodiscard]] int PutInPlace(const std::filesystem::path& scratch, const std::filesystem::path& target,
                             const Renaming& names);

}  // namespace report
