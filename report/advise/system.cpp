// SPDX-License-Identifier: MIT
#include "report/advise/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace report::advise {
namespace {

bool Has(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

const SystemFacts* Find(const Systems& systems, const std::string& id) {
  const auto found = std::find_if(systems.systems.begin(), systems.systems.end(),
                                  [&](const SystemFacts& facts) { return Has(facts.ids, id); });
  return found == systems.systems.end() ? nullptr : &*found;
}

// "9.4" is release "9" of a system whose releases have one part.
std::optional<std::string> OwnRelease(const SystemFacts& facts, const probe::OsRelease& os) {
  if (!os.version_id || facts.release_parts == 0) return std::nullopt;
  std::size_t end = 0;
  for (std::uint32_t part = 0; part < facts.release_parts && end != std::string::npos; ++part)
    end = os.version_id->find('.', part == 0 ? 0 : end + 1);
  return os.version_id->substr(0, end);
}

std::optional<std::string> ParentRelease(const SystemFacts& facts, const probe::OsRelease& os) {
  for (const auto& codename : {os.parent_codename, os.codename}) {
    for (const ReleaseName& release : facts.releases) {
      if (codename == release.codename) return release.version;
    }
  }
  return std::nullopt;
}

bool IsImageBased(const ImageBased& known, const probe::OsRelease& os) {
  return Has(known.ids, os.id) || (os.variant_id && Has(known.variants, *os.variant_id)) ||
         std::any_of(os.id_like.begin(), os.id_like.end(),
                     [&](const auto& id) { return Has(known.ids, id); });
}

std::string Filled(std::string command, std::string_view what) {
  constexpr std::string_view kPlace = "{}";
  const auto at = command.find(kPlace);
  return at == std::string::npos ? command : command.replace(at, kPlace.size(), what);
}

}  // namespace

System FindSystem(const Systems& systems, const std::optional<probe::OsRelease>& os) {
  System out;
  if (!os) return out;
  out.image_based = IsImageBased(systems.image_based, *os);
  out.facts = Find(systems, os->id);
  if (out.facts != nullptr) {
    out.release = OwnRelease(*out.facts, *os);
    return out;
  }
  for (const std::string& parent : os->id_like) {
    out.facts = Find(systems, parent);
    if (out.facts == nullptr) continue;
    out.release = ParentRelease(*out.facts, *os);
    break;
  }
  return out;
}

std::string NameOf(const System& system) {
  if (system.facts == nullptr) return "this system";
  return system.release ? system.facts->title + " " + *system.release : system.facts->title;
}

std::optional<std::string> CommandFor(const System& system, Action action,
                                      const std::vector<std::string>& what) {
  if (system.facts == nullptr || what.empty()) return std::nullopt;
  const auto& verbs = system.facts->verbs;
  const auto verb =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& known) { return known.name == action; });
  if (verb == verbs.end()) return std::nullopt;
  switch (verb->list) {
    case List::kWords:
      return Filled(verb->command, fmt::format("{}", fmt::join(what, " ")));
    case List::kCommas:
      return Filled(verb->command, fmt::format("{}", fmt::join(what, ",")));
    case List::kEach:
      break;
  }
  std::vector<std::string> commands;
  commands.reserve(what.size());
  for (const std::string& one : what) commands.push_back(Filled(verb->command, one));
  return fmt::format("{}", fmt::join(commands, " && "));
}

}  // namespace report::advise
