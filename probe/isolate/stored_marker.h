// SPDX-License-Identifier: MIT
// What a marker's file holds, and what the tries in it say of their step. Knows nothing of who writes it
// when.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "probe/system/descriptor.h"

namespace probe::isolate {

// Of every marker, padded, so that overwriting changes nothing but what the file holds.
inline constexpr std::size_t kMarkerBytes = 2048;
inline constexpr std::size_t kMaxDescriptionBytes = 512;  // escaped as JSON twice that; the rest is short

// An earlier try that nobody saw end.
struct StoredTry {
  std::string created;
  std::int32_t pid = 0;  // of the run, and when that was started
  std::optional<std::uint64_t> start_ticks;
  bool rebooted = false;      // the machine was started again after it, and may have gone down in it
  bool earlier_boot = false;  // than that of the marker, or of the one that reads it
  bool weak = false;  // the run was killed while the step went on: whoever did it may have had another reason
  bool died = false;  // a process of the step did, too: then it is not weak
};

template <class Visitor, class S>
  requires std::same_as<std::remove_const_t<S>, StoredTry>
void Fields(Visitor& visit, S& earlier) {
  visit("created", earlier.created);
  visit("pid", earlier.pid);
  visit("start_ticks", earlier.start_ticks);
  visit("rebooted", earlier.rebooted);
  visit("earlier_boot", earlier.earlier_boot);
  visit("weak", earlier.weak);
  visit("died", earlier.died);
}

// What the file holds, padded. The process is named for file systems without locks.
struct StoredMarker {
  std::uint32_t format = 6;
  std::string files;  // the state of the key's files
  std::string description;
  std::string created;
  std::int32_t pid = 0;
  std::optional<std::uint64_t> start_ticks;
  std::optional<std::string> boot_id;
  bool machine_survived = false;   // a later run of the same boot saw this marker
  bool weak = false;               // the run died while the step went on
  bool died = false;               // a process of the step did, too: then it is not weak
  std::vector<StoredTry> earlier;  // the oldest first
};

template <class Visitor, class S>
  requires std::same_as<std::remove_const_t<S>, StoredMarker>
void Fields(Visitor& visit, S& marker) {
  visit("format", marker.format);
  visit("files", marker.files);
  visit("description", marker.description);
  visit("created", marker.created);
  visit("pid", marker.pid);
  visit("start_ticks", marker.start_ticks);
  visit("boot_id", marker.boot_id);
  visit("machine_survived", marker.machine_survived);
  visit("weak", marker.weak);
  visit("died", marker.died);
  visit("earlier", marker.earlier);
}

// nullopt where the file is blank, or holds what this version does not write.
[[nodiscard]] std::optional<StoredMarker> ReadMarker(const system::Descriptor& file);
[[nodiscard]] bool WriteMarker(const system::Descriptor& file, const StoredMarker& marker);
[[nodiscard]] bool BlankMarker(const system::Descriptor& file);

// All tries of a marker that a dead run left, its own the last; weak ones of this boot only. Of a try that a
// reboot may have ended, a marker of an earlier boot tells where no run of that boot saw it any more.
[[nodiscard]] std::vector<StoredTry> TriesOf(const StoredMarker& marker, bool of_this_boot);

// Whether the machine may have gone down in one of them.
[[nodiscard]] bool HasRebooted(const std::vector<StoredTry>& tries);

// Whether so many ends of runs are the step's fault: two that are not weak, of which all but one may be of
// earlier boots, or four of this boot, of either kind.
[[nodiscard]] bool Suffice(const std::vector<StoredTry>& tries);

}  // namespace probe::isolate
