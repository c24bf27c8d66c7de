// SPDX-License-Identifier: MIT
#include "report/store/record.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "probe/core/hidden.h"
#include "report/core/report_fields.h"
#include "report/store/input.h"
#include "report/store/plausible.h"

namespace report {

WHICHGPU_FIELDS(WayKey, device_id, runtime, driver)
WHICHGPU_FIELDS(Record, format, tool_version, created, interrupted, calibrated, left_out, host, warnings,
                probes, measurements, settled_without)

namespace {

namespace fs = std::filesystem;
using probe::Status;

std::string ErrnoText() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): one thread

Status WriteFile(const fs::path& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) return FileError(path.string(), "can not be written: " + ErrnoText());
  return probe::Ok();
}

// Where a file that was read goes below `root`; nothing for a path that would leave it.
std::optional<fs::path> PlaceFor(const fs::path& root, const std::string& path) {
  const fs::path relative = fs::path(path).lexically_normal().relative_path();
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return root / relative;
}

Status WriteFiles(const fs::path& root, std::span<const FileRead> files, const Pseudonyms& pseudonyms) {
  for (const FileRead& file : files) {
    const auto place = PlaceFor(root, pseudonyms.Replace(file.path));
    const auto content = pseudonyms.ReplaceFile(file.path, file.content);
    if (!place || !content) continue;
    std::error_code error;
    fs::create_directories(place->parent_path(), error);
    if (fs::is_directory(*place, error)) continue;
    if (auto status = WriteFile(*place, *content); !status) return status;
  }
  return probe::Ok();
}

// What decoding alone does not catch: things that no run of this tool can have written.
std::optional<std::string> Inconsistency(const Record& record) {
  if (record.format != kRecordFormat) {
    return fmt::format("format {} is not {}, the one that this version reads", record.format, kRecordFormat);
  }
  if (auto odd = OddTime("created", record.created)) return odd;
  std::set<std::string> modules;
  std::set<std::string> views;
  for (std::size_t i = 0; i < record.probes.size(); ++i) {
    const probe::ProbeReport& probe = record.probes[i];
    if (auto odd = OddProbe(fmt::format("probes[{}]", i), probe)) return odd;
    if (!modules.insert(probe.module).second) return fmt::format("probes: two are called '{}'", probe.module);
    for (const probe::RuntimeDevice& device : probe.devices)
      views.insert(device.runtime + "\n" + device.driver);
  }
  for (std::size_t i = 0; i < record.measurements.size(); ++i) {
    const backends::Measurement& m = record.measurements[i];
    const auto where = fmt::format("measurements[{}]", i);
    if (auto odd = OddMeasurement(where, m)) return odd;
    if (!views.contains(m.runtime + "\n" + m.driver)) {
      return fmt::format("{}: no probe saw driver '{}' of runtime '{}'", where, m.driver, m.runtime);
    }
  }
  return std::nullopt;
}

// Absolute, without a slash at its end.
fs::path PathOfRecord(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::absolute(directory, error).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// A new directory next to the target, so that it can be renamed: in containers all processes may have one
// number. Empty, with errno set, where none can be made.
fs::path MakeScratchFor(const fs::path& target) {
  std::string path = (target.parent_path() / ".whichgpu-record-XXXXXX").string();
  return mkdtemp(path.data()) ? fs::path(path) : fs::path();
}

}  // namespace

namespace {

// What versions up to 0.2.0 wrote of odd machines and drivers, as this one tells it: of several drivers the
// first one's end beside another's devices, an end of a process that had said it was done, and more cores
// than threads are online.
void TakeOver(probe::ProbeReport& probe) {
  using probe::Outcome;
  if (HasFound(probe) && probe.outcome == Outcome::kNoDevice) {
    const auto ended = std::find_if(probe.drivers.begin(), probe.drivers.end(), [](const auto& driver) {
      return driver.outcome == Outcome::kCrashed || driver.outcome == Outcome::kTimedOut ||
             driver.outcome == Outcome::kFailed || driver.outcome == Outcome::kBadReply;
    });
    if (ended != probe.drivers.end()) probe.outcome = ended->outcome;
  }
  const bool died = probe.outcome == Outcome::kCrashed || probe.outcome == Outcome::kTimedOut;
  if (died && probe.stage == probe::Stage::kDone) probe.stage = probe::Stage::kStart;
  for (probe::HardwareDevice& hardware : probe.hardware) {
    auto& processor = hardware.processor;
    if (processor && processor->threads && processor->cores)
      processor->cores = std::min(*processor->cores, std::max(*processor->threads, 1U));
  }
}

}  // namespace

probe::Json EncodeRecord(const Record& record) { return probe::Encode(record); }

probe::Result<Record> DecodeRecord(const probe::Json& json) {
  auto record = probe::Decode<Record>(json);
  if (!record) return probe::Error{"", std::nullopt, "", record.error().name + ": " + record.error().text};
  for (probe::ProbeReport& probe : record->probes) TakeOver(probe);
  if (auto problem = Inconsistency(*record)) return probe::Error{"", std::nullopt, "", *std::move(problem)};
  return record;
}

Status CheckRecordDirectory(const std::string& directory) {
  const fs::path path = PathOfRecord(directory);
  std::error_code error;
  if (directory.empty()) return FileError("--record", "needs the name of a new directory");
  const auto status = fs::symlink_status(path, error);
  if (error && status.type() != fs::file_type::not_found) return FileError(directory, error.message());
  if (fs::exists(status) && !(fs::is_directory(status) && fs::is_empty(path, error))) {
    return FileError(directory, "exists already; name a new directory");
  }
  const fs::path parent = path.parent_path();
  if (!path.is_absolute())
    return FileError("--record", fmt::format("{} is not absolute, and the current directory is gone",
                                             probe::CleanText(directory, 300)));
  if (!fs::is_directory(parent, error)) return FileError(parent.string(), "is not a directory");
  // Tried rather than asked: root may write anywhere, and yet not to /proc or to a full disk.
  const fs::path trial = MakeScratchFor(path);
  if (trial.empty()) return FileError(parent.string(), "may not be written: " + ErrnoText());
  rmdir(trial.c_str());
  return probe::Ok();
}

Status WriteRecord(const std::string& directory, const Record& record, std::span<const FileRead> files,
                   const Pseudonyms& pseudonyms) {
  const fs::path target = PathOfRecord(directory);
  const fs::path scratch = MakeScratchFor(target);
  std::error_code error;
  if (scratch.empty()) return FileError(target.parent_path().string(), "may not be written: " + ErrnoText());
  Status status = WriteFile(scratch / kRecordFile, probe::ToText(probe::Encode(record), 1) + "\n");
  if (status) status = WriteFiles(scratch / kFilesFolder, files, pseudonyms);
  if (!status) {
    fs::remove_all(scratch, error);
    return status;
  }
  errno = PutInPlace(scratch, target, SystemsRenaming());
  if (errno == 0) return probe::Ok();
  status = FileError(target.string(), "can not be created: " + ErrnoText());
  if (IsRecord(scratch)) fs::remove_all(scratch, error);  // and nobody else's
  return status;
}

probe::Result<Record> ReadRecord(const std::string& directory) {
  std::error_code ignored;
  if (directory.empty()) return FileError("--replay", "needs the name of a directory made by --record");
  if (!fs::is_directory(directory, ignored))
    return FileError(directory, "is not a directory made by --record");
  const std::string path = (fs::path(directory) / kRecordFile).string();
  const auto json = ReadJsonFile(path, "");
  if (!json) return json.error();
  auto record = DecodeRecord(*json);
  if (!record) return FileError(path, record.error().text);
  return record;
}

probe::Result<std::vector<probe::ProbeReport>> Anonymous(const std::vector<probe::ProbeReport>& probes,
                                                         const Pseudonyms& pseudonyms) {
  probe::Json json = probe::Encode(probes);
  pseudonyms.Replace(json);
  return probe::Decode<std::vector<probe::ProbeReport>>(json);
}

}  // namespace report
