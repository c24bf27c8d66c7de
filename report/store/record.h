// SPDX-License-Identifier: MIT
// A recorded run on disk: everything after detection and measuring follows from it. Written whole or not at
// all, read with suspicion.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/core/json.h"
#include "probe/core/result.h"
#include "report/core/record.h"
#include "report/store/pseudonym.h"

namespace report {

// One file that was read, to be kept beside the record.
struct FileRead {
  std::string path;
  std::string content;
};

// A record out of its JSON; the error says what no run of this tool can have written.
[[nodiscard]] probe::Json EncodeRecord(const Record& record);
[[nodiscard]] probe::Result<Record> DecodeRecord(const probe::Json& json);

// Whether WriteRecord could create `directory`: its parent exists and may be written, and it does not exist
// itself or is empty. The error says which.
[[nodiscard]] probe::Status CheckRecordDirectory(const std::string& directory);

// Writes record.json and the files that were read (below files/) into a new directory beside it, then renames
// it. A record that another run has put there meanwhile is replaced; anything else stays, and is an error.
[[nodiscard]] probe::Status WriteRecord(const std::string& directory, const Record& record,
                                        std::span<const FileRead> files, const Pseudonyms& pseudonyms);

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

// The error names the file and the place in it: unreadable, malformed, of another format, or inconsistent.
[[nodiscard]] probe::Result<Record> ReadRecord(const std::string& directory);

// The same report with every name replaced, for the run that records.
[[nodiscard]] probe::Result<std::vector<probe::ProbeReport>> Anonymous(
    const std::vector<probe::ProbeReport>& probes, const Pseudonyms& pseudonyms);

}  // namespace report
