// SPDX-License-Identifier: MIT
#include "probe/system/library.h"

#include <algorithm>
#include <optional>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/loader_path.h"
#include "probe/system/trust.h"

namespace probe::system {
namespace {

constexpr std::string_view kOwnPath = "WHICHGPU_LIBRARY_PATH";
constexpr std::size_t kMaxSonameBytes = 255;
constexpr std::size_t kMaxReasons = 8;

// Why each file that exists was not taken.
struct Rejections {
  std::vector<std::string> refused;
  std::vector<std::string> unloadable;
};

std::string Join(const Rejections& rejections) {
  std::string out;
  std::size_t count = 0;
  for (const auto* list : {&rejections.refused, &rejections.unloadable}) {
    for (const auto& reason : *list) {
      if (count++ < kMaxReasons) out.append(out.empty() ? "" : "; ").append(reason);
    }
  }
  return out;
}

bool IsSoname(std::string_view name) {
  return !name.empty() && name.size() <= kMaxSonameBytes && name.find('/') == std::string_view::npos;
}

// Whether a path is that of a library of macOS, most of which are no files but parts of dyld's cache: the
// path is the name of one. Another path means the file there and no other.
bool IsOfSystem(std::string_view path) { return path.starts_with("/System/") || path.ends_with(".dylib"); }

// What a soname is called in a folder of the user's; empty where it means one file.
std::string_view NameOf(std::string_view soname) {
  const auto name = soname.starts_with('/') && IsOfSystem(soname) ? FileName(soname) : soname;
  return IsSoname(name) ? name : std::string_view();
}

// Visits where a file of these names may lie, each place once: first what the user says, for every soname.
// Ends where `visit` returns true.
template <class Visit>
bool AnyCandidate(std::span<const std::string_view> sonames, std::span<const std::string> directories,
                  const FileSystem& files, const Environment& environment, const Visit& visit) {
  std::vector<std::string> visited;
  const auto at = [&](std::string_view soname, std::string path) {
    if (!path.starts_with('/') || std::find(visited.begin(), visited.end(), path) != visited.end())
      return false;
    return visit(soname, visited.emplace_back(std::move(path)));
  };
  for (const auto& directory : AbsoluteEntries(environment.Get(kOwnPath).value_or(""))) {
    for (const auto soname : sonames) {
      const std::string_view name = NameOf(soname);
      if (!name.empty() && at(soname, directory + "/" + std::string(name))) return true;
    }
  }
  for (const auto soname : sonames) {
    if (soname.starts_with('/') && at(soname, std::string(soname))) return true;
    if (!IsSoname(soname)) continue;
    for (auto& path : LoaderCandidates(soname, files, environment)) {
      if (at(soname, std::move(path))) return true;
    }
    for (const auto& directory : directories) {
      if (at(soname, directory + "/" + std::string(soname))) return true;
    }
  }
  return false;
}

// "1.3.239" of ".../libvulkan.so.1.3.239".
std::optional<std::string> VersionOf(std::string_view path) {
  constexpr std::string_view kSuffix = ".so.";
  const auto at = path.rfind(kSuffix);
  if (at == std::string_view::npos) return std::nullopt;
  const auto version = path.substr(at + kSuffix.size());
  if (version.empty() || version.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  return std::string(version);
}

probe::Library Describe(std::string_view soname, const std::string& path, const FileSystem& files) {
  probe::Library out;
  out.soname = CleanText(soname);
  const std::string real = files.Resolve(path).value_or(path);
  out.path = CleanText(real);
  out.version = VersionOf(real);
  return out;
}

// Whether there is a file and it may be loaded; a reason where there is one and it may not.
bool MayLoadFile(const std::string& path, const FileSystem& files, std::span<const std::string> passed_over,
                 Rejections& rejections) {
  const auto status = files.Stat(path);
  if (!status || status->is_directory) return false;
  const std::string real = CleanText(files.Resolve(path).value_or(path));
  if (std::find(passed_over.begin(), passed_over.end(), real) != passed_over.end()) return false;
  if (!status->is_regular) {  // the loader would wait for whoever writes into a pipe
    rejections.unloadable.push_back(CleanText(path) + ": is no regular file");
    return false;
  }
  const auto trusted = CheckTrusted(files, path);
  if (trusted) return true;
  // What is wrong may be with the file itself, or with a folder above it.
  const auto& flaw = trusted.error().text;
  rejections.refused.push_back(CleanText(flaw.starts_with(path) ? flaw : path + ": " + flaw));
  return false;
}

Error NotLoaded(std::string_view soname, const Rejections& rejections) {
  const std::string call = "dlopen " + CleanText(soname);
  if (!rejections.refused.empty()) return Own(OwnError::kRefused, call, Join(rejections));
  if (!rejections.unloadable.empty()) return {call, std::nullopt, "unloadable", Join(rejections)};
  return Own(OwnError::kAbsent, call, "no such library is installed");
}

// What `take` makes of the first candidate that it takes.
template <class T, class Take>
Result<T> FirstTaken(std::span<const std::string_view> sonames, std::span<const std::string> directories,
                     const FileSystem& files, const Environment& environment, const Take& take) {
  const std::string_view first = sonames.empty() ? std::string_view() : sonames.front();
  if (!files.live())
    return Own(OwnError::kRefused, "dlopen " + CleanText(first), "a sysroot loads no library");
  Rejections rejections;
  std::optional<T> taken;
  const auto visit = [&](std::string_view soname, const std::string& path) {
    taken = take(soname, path, rejections);
    return taken.has_value();
  };
  if (AnyCandidate(sonames, directories, files, environment, visit)) return *std::move(taken);
  return NotLoaded(first, rejections);
}

}  // namespace

Result<Library> Library::Open(std::span<const std::string_view> sonames,
                              std::span<const std::string> directories, const FileSystem& files,
                              const Environment& environment, std::span<const std::string> passed_over) {
  const auto load = [&](std::string_view soname, const std::string& path,
                        Rejections& rejections) -> std::optional<Library> {
    if (!IsInLoader(path) && !MayLoadFile(path, files, passed_over, rejections)) return std::nullopt;
    std::string reason;
    void* handle = Load(path, reason);
    if (handle == nullptr) {
      rejections.unloadable.push_back(std::move(reason));
      return std::nullopt;
    }
    return Library(handle, Describe(soname, MappedPath(handle, path), files));
  };
  return FirstTaken<Library>(sonames, directories, files, environment, load);
}

Result<probe::Library> Library::Find(std::span<const std::string_view> sonames,
                                     std::span<const std::string> directories, const FileSystem& files,
                                     const Environment& environment,
                                     std::span<const std::string> passed_over) {
  const auto find = [&](std::string_view soname, const std::string& path,
                        Rejections& rejections) -> std::optional<probe::Library> {
    if (!IsInLoader(path) && !MayLoadFile(path, files, passed_over, rejections)) return std::nullopt;
    return Describe(soname, path, files);
  };
  return FirstTaken<probe::Library>(sonames, directories, files, environment, find);
}

bool Library::Exists(std::span<const std::string_view> sonames, std::span<const std::string> directories,
                     const FileSystem& files, const Environment& environment) {
  return AnyCandidate(sonames, directories, files, environment,
                      [&files](std::string_view, const std::string& path) {
                        const auto status = files.Stat(path);
                        return (status && !status->is_directory) || (files.live() && IsInLoader(path));
                      });
}

bool Library::IsForToolAlone(std::string_view path, std::span<const std::string_view> sonames,
                             std::span<const std::string> directories, const FileSystem& files,
                             const Environment& environment) {
  if (!IsNamedByUser(sonames, files, environment)) return false;
  auto others = environment;
  others.Unset(kOwnPath);
  return !AnyCandidate(sonames, directories, files, others, [&](std::string_view, const std::string& found) {
    return CleanText(files.Resolve(found).value_or(found)) == path;
  });
}

bool Library::IsNamedByUser(std::span<const std::string_view> sonames, const FileSystem& files,
                            const Environment& environment) {
  for (const auto& directory : AbsoluteEntries(environment.Get(kOwnPath).value_or(""))) {
    for (const auto soname : sonames) {
      const std::string_view name = NameOf(soname);
      if (!name.empty() && files.Exists(directory + "/" + std::string(name))) return true;
    }
  }
  return false;
}

}  // namespace probe::system
