// SPDX-License-Identifier: MIT
#include "probe/system/level_zero.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/library.h"
#include "probe/system/loader_path.h"
#include "probe/system/this_process.h"
#include "probe/system/trust.h"

namespace probe::system::level_zero {
namespace {

constexpr std::string_view kAlternatives = "ZE_ENABLE_ALT_DRIVERS";
constexpr std::string_view kNullDriver = "ZE_ENABLE_NULL_DRIVER";
constexpr std::string_view kSysmanInside = "ZES_ENABLE_SYSMAN";
constexpr std::array<std::string_view, 2> kDriverNames = {"libze_intel_gpu.so.1",
                                                          "libze_intel_gpu_legacy1.so.1"};

// The file of a library that ZE_ENABLE_ALT_DRIVERS names, by a path or as the dynamic loader finds it;
// nullopt where there is nothing that could be loaded.
std::optional<std::string> FileOf(std::string_view library, const system::FileSystem& files,
                                  const system::Environment& environment) {
  std::string path(library);
  if (path.find('/') != std::string::npos) {
    const bool is_there = !path.starts_with('/') || files.Exists(path);
    return is_there ? std::optional(path) : std::nullopt;
  }
  const auto candidates = system::LoaderCandidates(path, files, environment);
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const std::string& file) { return files.Exists(file); });
  return found == candidates.end() ? std::nullopt : std::optional(*found);
}

// Why it is not to be loaded.
std::optional<std::string> Flaw(const std::string& file, const system::FileSystem& files) {
  if (!file.starts_with('/')) return CleanText(file) + ": a relative path depends on the current directory";
  const auto trusted = system::CheckTrusted(files, file);
  return trusted ? std::nullopt : std::optional(Describe(trusted.error()));
}

// A library of ZE_ENABLE_ALT_DRIVERS with its file and what is wrong with that.
struct Alternative {
  std::string_view library;
  std::optional<std::string> file, flaw;
};
std::vector<Alternative> AlternativesIn(std::string_view list, const system::FileSystem& files,
                                        const system::Environment& environment) {
  std::vector<Alternative> all;
  while (!list.empty()) {
    const auto library = TakeUpTo(list, ',');
    if (library.empty()) continue;
    Alternative one{library, FileOf(library, files, environment), {}};
    if (one.file) one.flaw = Flaw(*one.file, files);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<std::string> RestrictLoader(const system::FileSystem& files,
                                        const system::Environment& environment) {
  std::vector<std::string> kept_out;
  // With it the system management is started by zeInit, and zesInit is refused (intel/compute-runtime,
  // level_zero/sysman/source/driver: sysmanInitFromCore).
  if (environment.Get(kSysmanInside)) system::SetProcessVariable(std::string(kSysmanInside), std::nullopt);
  // It calls every function a success and gives no device that exists (level-zero, source/drivers/null).
  if (environment.Get(kNullDriver).value_or("0") != "0") {
    system::SetProcessVariable(std::string(kNullDriver), std::nullopt);
    kept_out.push_back(std::string(kNullDriver) +
                       " is ignored: the loader's null driver computes nothing, and programs may fail on it");
  }
  const auto alternatives = environment.Get(kAlternatives);
  if (!alternatives) return kept_out;
  std::string left;
  for (const Alternative& one : AlternativesIn(*alternatives, files, environment)) {
    if (one.flaw) {
      kept_out.push_back("a driver that " + std::string(kAlternatives) + " names is ignored: " + *one.flaw);
    } else {
      left.append(left.empty() ? "" : ",").append(one.library);
    }
  }
  if (!kept_out.empty())
    system::SetProcessVariable(std::string(kAlternatives), left.empty() ? std::nullopt : std::optional(left));
  return kept_out;
}

bool HasDriverFile(const system::FileSystem& files, const system::Environment& environment) {
  const auto list = environment.Get(kAlternatives).value_or("");
  auto alternatives = AlternativesIn(list, files, environment);
  std::erase_if(alternatives, [](const Alternative& one) { return one.flaw.has_value(); });
  // Where one is left the loader looks for no others (level-zero, source/loader/driver_discovery).
  if (alternatives.empty()) return system::Library::Exists(kDriverNames, {}, files, environment);
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [](const Alternative& one) { return one.file.has_value(); });
}

}  // namespace probe::system::level_zero
