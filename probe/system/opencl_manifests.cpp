// SPDX-License-Identifier: MIT
#include "probe/system/opencl_manifests.h"

#include <algorithm>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/loader_path.h"
#include "probe/system/trust.h"

namespace probe::system::opencl {
namespace {

constexpr std::string_view kDefaultDirectory = "/etc/OpenCL/vendors";
constexpr std::string_view kFilenames = "OCL_ICD_FILENAMES";
constexpr std::string_view kSuffix = ".icd";
constexpr std::string_view kMissing = "missing";
constexpr std::string_view kNoRegularFile = "is no regular file";
constexpr std::size_t kMaxManifestBytes = 4096;
constexpr std::size_t kMaxManifests = 256;

Error Refusal(std::string_view path, std::string_view name, std::string text) {
  return {"check " + CleanText(path), std::nullopt, std::string(name), std::move(text)};
}

bool IsMissing(const std::optional<Error>& refused) { return refused && refused->name == kMissing; }

// A file that is there: of a pipe the loader would wait for whoever writes into it.
std::optional<Error> CheckFile(const system::FileSystem& files, const std::string& path) {
  const auto status = files.Stat(path);
  if (status && !status->is_regular) return Refusal(path, "unloadable", std::string(kNoRegularFile));
  const auto trusted = system::CheckTrusted(files, path);
  return trusted ? std::nullopt
                 : std::optional(Refusal(path, NameOf(OwnError::kRefused), trusted.error().text));
}

// The loader's own search decides which file a plain name means; that file has to be trusted.
std::optional<Error> CheckPlainName(const system::FileSystem& files, const system::Environment& environment,
                                    const std::string& library) {
  for (const auto& path : system::LoaderCandidates(library, files, environment)) {
    if (files.Exists(path)) return CheckFile(files, path);
  }
  return std::nullopt;  // missing: harmless, and the loader says so
}

// The first line, as the loaders take it: nothing trimmed but the newline.
Result<std::string> LibraryLine(const system::FileSystem& files, std::string_view path) {
  const auto status = files.Stat(path);
  if (!status) return Refusal(path, kMissing, "the manifest does not exist or can not be read");
  if (!status->is_regular) return Refusal(path, "malformed", std::string(kNoRegularFile));
  const auto content = files.Read(path, kMaxManifestBytes);
  if (!content) return content.error();
  const std::string line = content->substr(0, content->find('\n'));
  if (line.empty()) return Refusal(path, "malformed", "its first line names no library");
  if (line.size() == kMaxManifestBytes || CleanText(line, kMaxManifestBytes) != line) {
    return Refusal(path, "malformed", "its first line is not the name of a library");
  }
  return line;
}

Manifest ReadIcdFile(const system::FileSystem& files, const system::Environment& environment,
                     std::string_view path) {
  Manifest manifest{std::string(path), {}, {}};
  if (!path.starts_with('/')) {
    manifest.refused =
        Refusal(path, NameOf(OwnError::kRefused), "a relative path depends on the current directory");
    return manifest;
  }
  auto line = LibraryLine(files, path);
  if (!line) {
    manifest.refused = line.error();
    manifest.is_there = !IsMissing(manifest.refused);
    return manifest;
  }
  manifest.library = *std::move(line);
  if (const auto trusted = system::CheckTrusted(files, path); !trusted) {
    manifest.refused = Refusal(path, NameOf(OwnError::kRefused), trusted.error().text);
  } else {
    manifest.refused = CheckLibrary(files, environment, manifest.library);
  }
  return manifest;
}

// A variable that is set and not empty; the loaders take an empty one for unset.
std::string Get(const system::Environment& environment, std::string_view name) {
  return environment.Get(name).value_or("");
}

std::vector<std::string> InDirectory(const system::FileSystem& files, const std::string& directory) {
  const std::string prefix = directory.ends_with('/') ? directory : directory + "/";
  if (!directory.starts_with('/')) return {prefix};  // refused, as every relative path is
  std::vector<std::string> out;
  for (const auto& name : files.List(directory)) {
    if (name.ends_with(kSuffix) && out.size() < kMaxManifests) out.push_back(prefix + name);
  }
  return out;
}

// The file that a manifest's or a variable's word means to the loader; the word where nothing lies there.
std::string FileOf(const std::string& library, const system::FileSystem& files,
                   const system::Environment& environment) {
  if (library.find('/') != std::string::npos) return files.Resolve(library).value_or(library);
  for (const auto& path : system::LoaderCandidates(library, files, environment)) {
    if (files.Exists(path)) return files.Resolve(path).value_or(path);
  }
  return library;
}

// ocl-icd, libOpenCL(7): OCL_ICD_VENDORS is a directory, else a file if it ends in .icd (first sought in the
// vendors' directory if it has no slash), else a library. Khronos's loader knows the directory alone.
std::vector<std::string> VendorPaths(const system::FileSystem& files,
                                     const system::Environment& environment) {
  std::string directory = Get(environment, "OPENCL_VENDOR_PATH");
  if (directory.empty()) directory = kDefaultDirectory;
  const std::string chosen = Get(environment, "OCL_ICD_VENDORS");
  if (chosen.empty()) return InDirectory(files, directory);
  if (const auto status = files.Stat(chosen); chosen.starts_with('/') && status && status->is_directory) {
    return InDirectory(files, chosen);
  }
  if (chosen.ends_with(kSuffix) && chosen.find('/') == std::string::npos) {
    const std::string inside = directory + "/" + chosen;
    if (files.Exists(inside)) return {inside};
  }
  return {chosen};
}

}  // namespace

std::optional<Error> CheckLibrary(const system::FileSystem& files, const system::Environment& environment,
                                  const std::string& library) {
  if (library.find('/') == std::string::npos) return CheckPlainName(files, environment, library);
  if (!library.starts_with('/')) {
    return Refusal(library, NameOf(OwnError::kRefused), "a relative path depends on the current directory");
  }
  if (!files.Exists(library)) return Refusal(library, kMissing, "the library does not exist");
  return CheckFile(files, library);
}

Manifest ReadManifest(const system::FileSystem& files, const system::Environment& environment,
                      std::string_view path) {
  if (path.ends_with(kSuffix)) return ReadIcdFile(files, environment, path);
  const std::string library(path);
  auto refused = CheckLibrary(files, environment, library);
  const bool is_there = !IsMissing(refused);
  return {library, library, std::move(refused), is_there};
}

std::vector<std::string> ManifestPaths(const system::FileSystem& files,
                                       const system::Environment& environment) {
  auto paths = VendorPaths(files, environment);
  std::vector<std::string> known;
  for (const auto& path : paths)
    known.push_back(FileOf(ReadManifest(files, environment, path).library, files, environment));
  const std::string named = Get(environment, kFilenames);
  for (std::string_view rest = named; !rest.empty() && paths.size() < kMaxManifests;) {
    const std::string library(TakeUpTo(rest, ':'));
    auto file = FileOf(library, files, environment);
    if (library.empty() || std::find(known.begin(), known.end(), file) != known.end()) continue;
    paths.push_back(library);
    known.push_back(std::move(file));
  }
  return paths;
}

std::vector<Manifest> FindManifests(const system::FileSystem& files, const system::Environment& environment) {
  std::vector<Manifest> out;
  for (const auto& path : ManifestPaths(files, environment))
    out.push_back(ReadManifest(files, environment, path));
  return out;
}

}  // namespace probe::system::opencl
