// SPDX-License-Identifier: MIT
#include "probe/isolate/stored_marker.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "probe/core/codec.h"
#include "probe/system/own_file.h"

namespace probe::isolate {
namespace {

constexpr std::size_t kMaxEarlier = 4;
constexpr std::ptrdiff_t kTriesBelieved = 2;      // that are not weak
constexpr std::ptrdiff_t kWeakTriesBelieved = 4;  // of one boot, of either kind
static_assert(kWeakTriesBelieved <= static_cast<std::ptrdiff_t>(kMaxEarlier));

bool Write(const system::Descriptor& file, std::string text) {
  text.resize(kMarkerBytes, ' ');
  return system::OverwriteStart(file.get(), text);
}

}  // namespace

std::optional<StoredMarker> ReadMarker(const system::Descriptor& file) {
  const auto json = ParseJson(system::ReadStart(file, kMarkerBytes), kMarkerBytes);
  if (!json) return std::nullopt;
  auto marker = Decode<StoredMarker>(*json);
  if (!marker || marker->format != StoredMarker().format) return std::nullopt;
  return *std::move(marker);
}

bool WriteMarker(const system::Descriptor& file, const StoredMarker& marker) {
  return Write(file, ToText(Encode(marker)));
}

bool BlankMarker(const system::Descriptor& file) { return Write(file, ""); }

std::vector<StoredTry> TriesOf(const StoredMarker& marker, bool of_this_boot) {
  auto tries = marker.earlier;
  const bool outlived = of_this_boot || marker.machine_survived || marker.weak;
  tries.push_back({marker.created, !outlived, marker.weak});
  if (!of_this_boot) std::erase_if(tries, [](const StoredTry& one) { return one.weak; });
  if (tries.size() > kMaxEarlier) tries.erase(tries.begin() + 1);  // the first may be the one with the reboot
  return tries;
}

bool HasRebooted(const std::vector<StoredTry>& tries) {
  return std::any_of(tries.begin(), tries.end(), [](const StoredTry& one) { return one.rebooted; });
}

bool SufficeInOneBoot(const std::vector<StoredTry>& tries) {
  const auto weak = std::count_if(tries.begin(), tries.end(), [](const StoredTry& one) { return one.weak; });
  const auto all = static_cast<std::ptrdiff_t>(tries.size());
  return all - weak >= kTriesBelieved || all >= kWeakTriesBelieved;
}

}  // namespace probe::isolate
