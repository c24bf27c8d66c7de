// SPDX-License-Identifier: MIT
// What files and variables are read with, one parser an input: the first byte chooses it.
#include <array>
#include <string>
#include <vector>

#include "probe/amd/amd.h"
#include "probe/core/ids.h"
#include "probe/cpu/cpuinfo.h"
#include "probe/system/loader_path.h"
#include "probe/system/processor.h"
#include "probe/vulkan/vulkan_manifest.h"
#include "report/cli/elf_requirements.h"
#include "report/core/suggest.h"
#include "report/store/cache.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Input;
using fuzz::Require;

void LoaderCache(Input& input) {
  const auto soname = input.Piece();
  for (const auto& path : probe::system::CachedPaths(input.rest(), soname)) {
    Require(path.starts_with('/'), "the loader's cache names absolute paths", path);
  }
}

void SymbolVersions(Input& input) {
  std::vector<std::string_view> names;
  while (!input.empty()) names.push_back(input.Piece());
  const auto newest = report::NewestGlibc(names);
  if (newest) fuzz::RequireLine(*newest);
}

void PathList(Input& input) {
  for (const auto& entry : probe::system::AbsoluteEntries(input.rest())) {
    Require(entry.starts_with('/') && entry.find(':') == std::string::npos, "entries are absolute", entry);
  }
}

void Filter(Input& input) {
  const auto name = input.Piece();
  const bool matches = probe::vulkan::MatchesFilter(name, input.rest());
  Require(!matches || !input.rest().empty(), "no pattern matches nothing");
}

void NumberList(Input& input) {
  constexpr std::size_t kMost = 65536;
  const auto numbers = probe::system::ParseNumberList(input.rest());
  Require(!numbers || numbers->size() <= kMost, "a list of numbers is bounded");
}

void Metrics(Input& input) {
  if (const auto text = probe::amd::ThrottleText(input.rest())) fuzz::RequireLine(*text);
}

void Ids(Input& input) {
  if (const auto address = probe::ParsePciAddress(input.rest())) {
    Require(probe::ParsePciAddress(probe::ToString(*address)) == address, "an address reads as printed");
  }
  if (const auto uuid = probe::ParseUuid(input.rest())) {
    Require(probe::ParseUuid(probe::ToString(*uuid)) == uuid, "a UUID reads as printed");
  }
}

void CpuInfo(Input& input) {
  const auto info = probe::cpu::ParseCpuInfo(input.rest());
  if (info.threads) Require(*info.threads <= input.rest().size(), "each thread has a line");
}

void Target(Input& input) {
  if (const auto target = probe::amd::GfxTarget(input.Number())) fuzz::RequireLine(*target);
}

void Libraries(Input& input) {
  for (const auto& name : report::LibrariesNamedIn(std::string(input.rest())))
    Require(!name.empty(), "a library has a name");
}

void Suggestion(Input& input) {
  static const std::array<std::string, 4> known = {"vulkan", "opencl", "cuda", "--no-calibrate"};
  if (const auto nearest = report::Nearest(input.rest(), known)) fuzz::RequireLine(*nearest);
}

constexpr std::array kParsers = {LoaderCache, SymbolVersions, PathList, Filter,    NumberList, Metrics,
                                 Ids,         CpuInfo,        Target,   Libraries, Suggestion};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Letters, so that a seed can be written by hand.
  const std::size_t choice = (data[0] + kParsers.size() * 256 - 'a') % kParsers.size();
  Input input(data + 1, size - 1);
  kParsers[choice](input);
  return 0;
}
