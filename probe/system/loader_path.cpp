// SPDX-License-Identifier: MIT
#include "probe/system/loader_path.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace probe::system {
namespace {

constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kMaxCacheBytes = 16U << 20U;

struct CacheHeader {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t string_bytes;
  std::uint8_t flags;
  std::uint8_t padding[3];
  std::uint32_t extension_offset;
  std::uint32_t unused[3];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  std::int32_t flags;
  std::uint32_t key;    // offset of the soname from the header
  std::uint32_t value;  // offset of the path
  std::uint32_t os_version;
  std::uint64_t hwcap;
};
static_assert(sizeof(CacheEntry) == 24);

// The zero-terminated text at `offset`; empty when it is not all inside.
std::string_view TextAt(std::string_view cache, std::size_t offset) {
  if (offset >= cache.size()) return {};
  const auto text = cache.substr(offset);
  const auto end = text.find('\0');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::vector<std::string> SplitAbsolute(std::string_view list, std::string_view separators) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto entry = list.substr(0, list.find_first_of(separators));
    if (entry.starts_with('/')) out.emplace_back(entry);
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
  }
  return out;
}

}  // namespace

std::vector<std::string> AbsoluteEntries(std::string_view list) { return SplitAbsolute(list, ":"); }

std::vector<std::string> LoaderEntries(std::string_view list) { return SplitAbsolute(list, ":;"); }

std::vector<std::string> CachedPaths(std::string_view cache, std::string_view soname) {
  const auto start = cache.find(kCacheMagic);
  if (start == std::string_view::npos) return {};
  cache.remove_prefix(start);
  CacheHeader header{};
  if (cache.size() < sizeof header) return {};
  std::memcpy(&header, cache.data(), sizeof header);
  std::vector<std::string> out;
  std::size_t at = sizeof header;
  for (std::uint32_t i = 0; i < header.entries && cache.size() - at >= sizeof(CacheEntry); ++i) {
    CacheEntry entry{};
    std::memcpy(&entry, cache.data() + at, sizeof entry);
    at += sizeof entry;
    if (entry.hwcap != 0 || TextAt(cache, entry.key) != soname) continue;
    const auto path = TextAt(cache, entry.value);
    if (path.starts_with('/')) out.emplace_back(path);
  }
  return out;
}

LoaderSearch::LoaderSearch(const FileSystem& files, const Environment& environment)
    : told_(LoaderEntries(environment.Get(LoaderVariable()).value_or(""))) {
  if (auto cache = files.Read("/etc/ld.so.cache", kMaxCacheBytes)) cache_ = *std::move(cache);
}

std::vector<std::string> LoaderSearch::Candidates(std::string_view soname) const {
  std::vector<std::string> out;
  const auto in = [&](const std::string& directory) { out.push_back(directory + "/" + std::string(soname)); };
  for (const auto& directory : told_) in(directory);
  for (auto& path : CachedPaths(cache_, soname)) out.push_back(std::move(path));
  for (const auto& directory : LoaderDirectories()) {
    if (directory.starts_with('/')) in(directory);
  }
  return out;
}

std::vector<std::string> LoaderCandidates(std::string_view soname, const FileSystem& files,
                                          const Environment& environment) {
  return LoaderSearch(files, environment).Candidates(soname);
}

std::vector<std::string> PythonPrefixes(const FileSystem& files, const Environment& environment) {
  std::vector<std::string> out;
  const auto add = [&](std::string prefix) {
    if (prefix.starts_with('/') && std::find(out.begin(), out.end(), prefix) == out.end())
      out.push_back(std::move(prefix));
  };
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) add(environment.Get(variable).value_or(""));
  // An environment's python3 is a link to the one that it was made with.
  for (const std::string& directory : AbsoluteEntries(environment.Get("PATH").value_or(""))) {
    if (!directory.ends_with("/bin") || !files.Exists(directory + "/python3")) continue;
    add(directory.substr(0, directory.size() - 4));
    const std::string real = files.Resolve(directory + "/python3").value_or("");
    if (const auto bin = real.rfind("/bin/"); bin != std::string::npos) add(real.substr(0, bin));
    break;
  }
  if (const auto home = environment.Get("HOME"); home && home->size() > 1) add(*home + "/.local");
  for (const char* prefix : {"/opt/conda", "/usr/local", "/usr"}) add(prefix);
  return out;
}

}  // namespace probe::system
