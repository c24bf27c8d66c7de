// SPDX-License-Identifier: MIT
#include "report/store/cache.h"

#include <algorithm>
#include <filesystem>

#include "probe/core/codec.h"
#include "probe/core/hash.h"
#include "probe/system/cache_dir.h"
#include "probe/system/own_file.h"

namespace report {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kCacheFormat = 1;
constexpr std::size_t kMaxEntryBytes = 16U << 20U;
constexpr std::size_t kMaxEntries = 16;
// Figures of a busy machine serve the calls of one installation, no more.
constexpr double kDisturbedLastSeconds = 600;
constexpr const char* kPrefix = "measurements-";

// Names a file, no more: the whole key is compared.
std::string NameFor(const std::string& key) { return kPrefix + probe::HashName(key) + ".json"; }

// Whether most of what was measured is uncertain: on a machine that was busy with other things.
bool WasDisturbed(const Record& record) {
  std::ptrdiff_t measured = 0;
  std::ptrdiff_t noisy = 0;
  for (const backends::Measurement& measurement : record.measurements) {
    if (measurement.status != backends::MeasurementStatus::kOk) continue;
    ++measured;
    if (measurement.quality == backends::Quality::kNoisy) ++noisy;
  }
  return 2 * noisy > measured;
}

// Of what a cache holds, and of what writers that died left: all but the newest and `written`, which others
// may equal in a clock that ticks too seldom.
void Evict(const std::string& directory, const std::string& written) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (at->path() != written && at->path().filename().string().starts_with(kPrefix))
      found.emplace_back(fs::last_write_time(at->path(), ignored), at->path());
  }
  std::sort(found.rbegin(), found.rend());
  for (std::size_t i = kMaxEntries - 1; i < found.size(); ++i) probe::system::RemoveFile(found[i].second);
}

}  // namespace

MeasurementCache::MeasurementCache(const probe::system::Environment& environment,
                                   const probe::system::FileSystem& files) {
  auto directory = probe::system::CacheDirectory(environment, files);
  if (directory) directory_ = *std::move(directory);
}

CacheLookup MeasurementCache::Find(const std::string& key, Effort least) const {
  if (directory_.empty()) return {};
  const auto refuse = [](const std::string& why) {
    return CacheLookup{std::nullopt, "the kept measurements were not used, the file " + why};
  };
  const auto found = probe::system::ReadOwnFile(directory_ + "/" + NameFor(key), kMaxEntryBytes);
  if (!found) return refuse(found.error().text);
  if (!*found) return {};
  const auto& content = **found;
  const auto json = probe::ParseJson(content.text, kMaxEntryBytes);
  if (!json || !json->is_object()) return refuse("is damaged");
  if (json->value("format", probe::Json()) != kCacheFormat) return refuse("is of another version");
  if (json->value("key", probe::Json()) != key) return refuse("is of another machine, boot or user");
  const auto effort = json->value("effort", probe::Json());
  if (!effort.is_number_unsigned() || !json->contains("record")) return refuse("is damaged");
  if (effort.get<std::uint64_t>() < static_cast<std::uint64_t>(least)) return {};
  auto record = DecodeRecord((*json)["record"]);
  if (!record) return refuse("is damaged: " + record.error().text);
  if (!record->calibrated || record->interrupted || record->measurements.empty())
    return refuse("is damaged: it holds no whole run's figures");
  // A file from the future is of a clock that was wrong: nobody knows how old it is.
  const bool is_fresh = content.age_s >= -1 && content.age_s <= kDisturbedLastSeconds;
  if (WasDisturbed(*record) && !is_fresh) return {};
  const bool candidates_only = json->value("candidates_only", probe::Json()) == true;
  const bool is_whole = !candidates_only && !record->settled_without;
  return {*std::move(record), "", is_whole};
}

std::string MeasurementCache::Keep(const std::string& key, Effort effort, const Record& record,
                                   bool candidates_only) const {
  if (directory_.empty()) return "";
  // What left ways unmeasured keeps its like out alone.
  const bool is_whole = !candidates_only && !record.settled_without;
  const auto is_kept = [&](Effort least) {
    const auto kept = Find(key, least);
    return kept.record && !WasDisturbed(*kept.record) && (!is_whole || kept.is_whole);
  };
  const auto is_kept_whole = [&] {
    const auto kept = Find(key, effort);
    return kept.record && kept.is_whole && !WasDisturbed(*kept.record);
  };
  const std::string path = directory_ + "/" + NameFor(key);
  Record lean = record;
  for (auto& measurement : lean.measurements) measurement.batch_times_s.clear();
  probe::Json entry = probe::Json::object();
  entry["format"] = kCacheFormat;
  entry["key"] = key;
  entry["effort"] = static_cast<std::uint32_t>(effort);
  if (candidates_only) entry["candidates_only"] = true;
  entry["record"] = EncodeRecord(lean);
  const auto text = probe::ToText(entry, -1);
  std::string failed = "the measurements could not be kept for the next time";
  constexpr double kPatienceSeconds = 2;
  const auto lock =
      probe::system::TakeLock(directory_ + "/measurements.lock", kPatienceSeconds, [] { return false; });
  if (!lock.held) return failed;
  // Looked for now that no other run can keep its own.
  if (effort < Effort::kThorough && is_kept(static_cast<Effort>(static_cast<int>(effort) + 1))) return "";
  if (WasDisturbed(record) && is_kept(effort)) return "";
  if (!is_whole && is_kept_whole()) return "";
  if (!probe::system::ReplaceOwnFile(path, text)) return failed;
  Evict(directory_, path);
  return "";
}

}  // namespace report
