// SPDX-License-Identifier: MIT
#include "report/core/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "probe/core/parse.h"

namespace report {
namespace {

bool IsWithin(std::string_view release, std::string_view entry) {
  const auto dash = entry.find('-');
  const auto first = entry.substr(0, dash);
  const auto last = dash == std::string_view::npos ? first : entry.substr(dash + 1);
  // "20" has all of 20.x in it, and "12.55-12.57" 12.57.3.
  const auto starts = [&](std::string_view with) {
    return release.starts_with(with) && (release.size() == with.size() || release[with.size()] == '.');
  };
  return starts(first) || starts(last) ||
         (CompareVersions(release, first) > 0 && CompareVersions(release, last) < 0);
}

}  // namespace

std::string ArchitectureText(const TargetFacts& target, const std::optional<std::string>& architecture,
                             Reader reader) {
  constexpr std::size_t kLongest = 32;
  const std::string_view word = architecture ? *architecture : std::string_view();
  if (!word.starts_with(target.prefix) || word.size() > kLongest) return "";
  const auto number = word.substr(target.prefix.size());
  const auto has_only = [&](std::string_view letters) {
    return !number.empty() && number.find_first_not_of(letters) == std::string_view::npos;
  };
  switch (target.form) {
    case TargetForm::kVersion:
      if (!probe::IsDigits(number) || number.size() < 2) return "";
      if (reader == Reader::kCMake) return std::string(number);
      return fmt::format("{}.{}", number.substr(0, number.size() - 1), number.back());
    case TargetForm::kWord:
      return has_only("0123456789abcdefghijklmnopqrstuvwxyz-") ? std::string(word) : "";
    case TargetForm::kRelease:
      return has_only("0123456789.") ? std::string(number) : "";
  }
  return "";
}

std::strong_ordering CompareVersions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto x = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(a, '.')).value_or(0);
    const auto y = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(b, '.')).value_or(0);
    if (x != y) return x <=> y;
  }
  return std::strong_ordering::equal;
}

bool HasCodeFor(const TargetFacts& target, const std::vector<std::string>& built, std::string_view device) {
  const auto is_alone = [&](std::string_view one) {
    return target.alone && std::find(target.alone->begin(), target.alone->end(), one) != target.alone->end();
  };
  return std::any_of(built.begin(), built.end(), [&](const std::string& entry) {
    if (entry == device) return true;
    // "9.0a" has instructions of 9.0 alone.
    if (entry.ends_with('a')) return entry.substr(0, entry.size() - 1) == device;
    switch (target.form) {
      case TargetForm::kVersion:
        return !is_alone(device) && !is_alone(entry) &&
               entry.substr(0, entry.find('.')) == device.substr(0, device.find('.')) &&
               CompareVersions(entry, device) < 0;
      case TargetForm::kRelease:
        return IsWithin(device, entry);
      case TargetForm::kWord:
        return false;
    }
    return false;
  });
}

bool IsNewerThanAll(const TargetFacts& target, const std::vector<std::string>& built,
                    std::string_view device) {
  return target.form != TargetForm::kWord &&
         std::all_of(built.begin(), built.end(), [&](const std::string& entry) {
           return CompareVersions(device, entry.substr(entry.find('-') + 1)) > 0;
         });
}

namespace {

bool IsKnown(const TargetFacts& target, std::string_view device) {
  if (!target.known) return true;
  if (target.form == TargetForm::kRelease) return HasCodeFor(target, *target.known, device);
  return std::find(target.known->begin(), target.known->end(), device) != target.known->end();
}

// "gfx11" of "gfx1151": the last two signs tell apart what came after the other.
std::string_view GenerationOf(std::string_view word) {
  constexpr std::size_t kWithin = 2;
  return word.substr(0, word.size() - std::min(kWithin, word.size()));
}

bool StandsBehindAll(const TargetFacts& target, const std::vector<std::string>& built,
                     std::string_view device) {
  if (!target.known) return false;
  const auto place = [&](std::string_view word) {
    return std::find(target.known->begin(), target.known->end(), word) - target.known->begin();
  };
  const auto is_of_it = [&](const std::string& one) { return GenerationOf(one) == GenerationOf(device); };
  const bool has_it = std::any_of(built.begin(), built.end(), is_of_it);
  return std::all_of(built.begin(), built.end(), [&](const std::string& one) {
    return (has_it && !is_of_it(one)) || place(one) < place(device);
  });
}

}  // namespace

bool MayBeTooNew(const TargetFacts& target, const std::vector<std::string>& built, std::string_view device) {
  if (!IsKnown(target, device)) return true;
  return target.form == TargetForm::kWord ? StandsBehindAll(target, built, device)
                                          : IsNewerThanAll(target, built, device);
}

// 5.2 is supported as long as 5.0, but 7.5 longer than 7.0.
const ArchitectureDrivers* DriversOf(const TargetFacts& target, std::string_view device) {
  if (!target.drivers) return nullptr;
  const ArchitectureDrivers* nearest = nullptr;
  for (const ArchitectureDrivers& row : *target.drivers) {
    if (!HasCodeFor(target, {row.architecture}, device)) continue;
    if (!nearest || CompareVersions(row.architecture, nearest->architecture) > 0) nearest = &row;
  }
  return nearest;
}

}  // namespace report
