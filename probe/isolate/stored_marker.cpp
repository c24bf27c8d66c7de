// SPDX-License-Identifier: MIT
#include "probe/isolate/stored_marker.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "probe/core/codec.h"
#include "probe/system/own_file.h"

namespace probe::isolate {
namespace {

constexpr std::size_t kMaxEarlier = 5;
constexpr std::ptrdiff_t kTriesBelieved = 2;      // that are not weak, one at least of this boot
constexpr std::ptrdiff_t kWeakTriesBelieved = 4;  // of one boot, of either kind
// The first is kept beside those: it may be the one with the reboot, or of an earlier boot.
static_assert(kWeakTriesBelieved < static_cast<std::ptrdiff_t>(kMaxEarlier));

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
  tries.push_back(
      {marker.created, marker.pid, marker.start_ticks, !outlived, false, marker.weak, marker.died});
  if (!of_this_boot) {
    std::erase_if(tries, [](const StoredTry& one) { return one.weak; });
    for (StoredTry& one : tries) one.earlier_boot = true;
  }
  if (tries.size() > kMaxEarlier) tries.erase(tries.begin() + 1);
  return tries;
}

bool HasRebooted(const std::vector<StoredTry>& tries) {
  return std::any_of(tries.begin(), tries.end(), [](const StoredTry& one) { return one.rebooted; });
}

bool Suffice(const std::vector<StoredTry>& tries) {
  const auto count = [&](auto&& counts) { return std::count_if(tries.begin(), tries.end(), counts); };
  const auto strong = count([](const StoredTry& one) { return !one.weak; });
  const auto here = count([](const StoredTry& one) { return !one.earlier_boot; });
  const auto strong_here = count([](const StoredTry& one) { return !one.weak && !one.earlier_boot; });
  return (strong >= kTriesBelieved && strong_here > 0) || here >= kWeakTriesBelieved;
}

}  // namespace probe::isolate
