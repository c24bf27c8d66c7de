// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "probe/core/text.h"
#include "probe/registry.h"
#include "probe/system/trust.h"
#include "report/run/live.h"

namespace report {
namespace {

using probe::Status;
using probe::system::Environment;
using probe::system::FileSystem;

enum class Holds { kPrograms, kLibraries, kFrameworks };

// A variable that lists folders. Each system's loader knows its own; another's do nothing here.
struct SearchList {
  const char* variable;
  std::string_view separators;  // ld.so(8): the loader takes semicolons too; dyld(1): it does not
  Holds holds;
  const char* fallback;  // where nothing is: an empty PATH means the current directory
};
constexpr std::array kSearchLists = {
    SearchList{"LD_LIBRARY_PATH", ":;", Holds::kLibraries, ""},
    SearchList{"DYLD_LIBRARY_PATH", ":", Holds::kLibraries, ""},
    SearchList{"DYLD_FRAMEWORK_PATH", ":", Holds::kFrameworks, ""},
    SearchList{"DYLD_FALLBACK_LIBRARY_PATH", ":", Holds::kLibraries, ""},
    SearchList{"DYLD_FALLBACK_FRAMEWORK_PATH", ":", Holds::kFrameworks, ""},
    SearchList{"DYLD_VERSIONED_LIBRARY_PATH", ":", Holds::kLibraries, ""},
    SearchList{"DYLD_VERSIONED_FRAMEWORK_PATH", ":", Holds::kFrameworks, ""},
    SearchList{"PATH", ":", Holds::kPrograms, "/usr/sbin:/usr/bin:/sbin:/bin"},
};

std::vector<std::string> Entries(std::string_view list, std::string_view separators) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = list.find_first_of(separators);
    out.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) return out;
    list.remove_prefix(end + 1);
  }
}

bool IsLibrary(std::string_view name) {
  return name.find(".so") != std::string_view::npos || name.ends_with(".dylib");
}

// That neither a folder nor a library in it can be somebody else's.
Status CheckFolder(const FileSystem& files, const std::string& folder, bool is_of_libraries) {
  if (auto status = probe::system::CheckTrusted(files, folder); !status || !is_of_libraries) return status;
  for (const std::string& name : files.List(folder)) {
    if (!IsLibrary(name)) continue;
    const std::string path = std::string(folder).append("/").append(name);
    if (auto status = probe::system::CheckTrusted(files, path); !status) return status;
  }
  return probe::Ok();
}

enum class Ruling { kKept, kDropped, kRefused };

// Whether an entry stays in the list, and the reason where that is worth telling. For root what does not
// exist goes too, for who knows who makes it, and so do what the loader would first expand ($LIB) and
// frameworks: which of a framework's versions is loaded the program says that wants it, in folders below.
Ruling RuleOn(const FileSystem& files, const SearchList& list, const std::string& entry,
              std::string& reason) {
  const bool is_loaded_from = list.holds != Holds::kPrograms;
  if (!entry.starts_with('/')) {
    reason = "it is not absolute";
    return entry.empty() || !is_loaded_from ? Ruling::kDropped : Ruling::kRefused;
  }
  if (geteuid() != 0) return Ruling::kKept;
  if (is_loaded_from && entry.find('$') != std::string::npos) {
    reason = "the loader would expand it";
    return Ruling::kRefused;
  }
  if (!files.Exists(entry)) return Ruling::kDropped;
  if (list.holds == Holds::kFrameworks) {
    reason = "root loads no frameworks from there, as all their versions would have to be checked";
    return Ruling::kRefused;
  }
  const auto trusted = CheckFolder(files, entry, is_loaded_from);
  if (trusted) return Ruling::kKept;
  reason = trusted.error().text;
  return Ruling::kRefused;
}

// The list as children get it; nothing where it may stay as it is.
std::optional<probe::EnvironmentVariable> Filter(const FileSystem& files, const Environment& environment,
                                                 const SearchList& list, std::vector<std::string>& warnings) {
  const auto value = environment.Get(list.variable);
  if (value.value_or("").empty() && *list.fallback == '\0') return std::nullopt;
  std::string kept;
  bool complete = true;
  for (const std::string& entry : Entries(value.value_or(""), list.separators)) {
    std::string reason;
    const auto ruling = RuleOn(files, list, entry, reason);
    if (ruling == Ruling::kKept) kept.append(kept.empty() ? "" : ":").append(entry);
    complete = complete && ruling == Ruling::kKept;
    if (ruling != Ruling::kRefused) continue;
    warnings.push_back(fmt::format("{}: {} is left out: {}", list.variable, probe::CleanText(entry), reason));
  }
  if (complete) return std::nullopt;
  return probe::EnvironmentVariable{list.variable, kept.empty() ? list.fallback : std::move(kept)};
}

// Somebody set it for this tool alone, and each folder counts only where it is there.
void CheckOwnLibraries(const FileSystem& files, const Environment& environment,
                       std::vector<std::string>& warnings) {
  constexpr const char* kVariable = "WHICHGPU_LIBRARY_PATH";
  for (const std::string& entry : Entries(environment.Get(kVariable).value_or(""), ":")) {
    if (entry.empty()) continue;
    const bool is_absolute = entry.starts_with('/');
    const auto status = is_absolute ? files.Stat(entry) : std::nullopt;
    if (status && status->is_directory) continue;
    warnings.push_back(fmt::format("{}: {} is left out: {}", kVariable, probe::CleanText(entry),
                                   is_absolute ? "there is no such folder" : "it is not absolute"));
  }
}

}  // namespace

probe::system::ChildVariables ChildEnvironment(const FileSystem& files, const Environment& environment,
                                               std::vector<std::string>& warnings) {
  probe::system::ChildVariables out;
  if (!files.live()) return out;  // below a sysroot nobody loads or runs anything
  for (const SearchList& list : kSearchLists) {
    if (auto filtered = Filter(files, environment, list, warnings)) out.fixed.push_back(*std::move(filtered));
  }
  CheckOwnLibraries(files, environment, warnings);
  const auto ground =
      probe::system::InspectCacheGround(probe::system::CacheDirectory(environment, files), environment);
  for (const probe::Module& module : probe::Modules())
    probe::system::AddDriverCaches(module.caches, ground, environment, out);
  return out;
}

}  // namespace report
