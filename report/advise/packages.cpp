// SPDX-License-Identifier: MIT
#include "report/advise/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "probe/core/add_once.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"

namespace report::advise {
namespace {

using probe::PhysicalDevice;

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

std::optional<std::string> FamilyOf(const PhysicalDevice& card) {
  const auto* family = card.hardware ? probe::FindFact(card.hardware->facts, "architecture_family") : nullptr;
  return family ? std::optional(*family) : std::nullopt;
}

std::optional<std::string> KernelDriver(const PhysicalDevice& card) {
  return card.hardware ? card.hardware->kernel_driver : std::nullopt;
}

bool Concerns(const Need& need, const PhysicalDevice& card) {
  const auto family = FamilyOf(card);
  const auto driver = KernelDriver(card);
  return (need.families && family && Has(*need.families, *family)) ||
         (need.drivers && driver && Has(*need.drivers, *driver));
}

// Of what has no known version nothing is known.
bool Meets(const PackageRow& row, const Need& need) {
  if (row.chooses.value_or(false)) return true;
  if (need.open && row.open.value_or(false) != *need.open) return false;
  if (!need.from && !need.to) return true;
  if (!row.version) return false;
  return (!need.from || CompareVersions(*need.from, *row.version) <= 0) &&
         (!need.to || CompareVersions(*row.version, *need.to) <= 0);
}

bool IsFor(const PackageRow& row, const PhysicalDevice* card) {
  if (!row.vendors && !row.drivers) return true;
  if (card == nullptr) return false;
  const auto vendor = VendorOf(*card);
  const auto driver = KernelDriver(*card);
  return (row.vendors && vendor && Has(*row.vendors, fmt::format("{:04x}", *vendor))) ||
         (row.drivers && driver && Has(*row.drivers, *driver));
}

bool IsOf(const PackageRow& row, const System& system, std::string_view role) {
  return row.role == role && Has(row.systems, system.facts->name) &&
         (!row.releases || (system.release && Has(*row.releases, *system.release)));
}

std::string Text(const Need& need) {
  std::string text;
  if (need.from) text = *need.from + " or later";
  if (need.to) text += (text.empty() ? "" : ", and ") + *need.to + " or older";
  if (need.open && *need.open) text += ", with the open kernel modules";
  return text;
}

class Chooser {
 public:
  Chooser(const Packages& packages, const System& system, const std::vector<const PhysicalDevice*>& cards)
      : packages_(packages), system_(system), cards_(cards) {}

  // Adds what fills the role, or says why nothing does.
  void Add(const Role& role) {
    if (cards_.empty()) return AddFor(role, nullptr);
    for (const auto* card : cards_) AddFor(role, card);
  }
  [[nodiscard]] Choice Take() && { return std::move(choice_); }

 private:
  // One set of packages serves all cards, so that each has to meet what every card needs.
  [[nodiscard]] std::vector<const Need*> NeedsOf(const Role& role) const {
    std::vector<const Need*> needs;
    for (const Need& need : packages_.needs) {
      const bool concerns =
          std::any_of(cards_.begin(), cards_.end(), [&](const auto* card) { return Concerns(need, *card); });
      if (need.role == role.name && concerns) needs.push_back(&need);
    }
    return needs;
  }

  void AddFor(const Role& role, const PhysicalDevice* card) {
    const auto needs = NeedsOf(role);
    const PackageRow* unfit = nullptr;
    for (const PackageRow& row : packages_.rows) {
      if (!IsOf(row, system_, role.name) || !IsFor(row, card)) continue;
      if (row.lacks) return Fail(row.final.value_or(false) ? *row.lacks : Lacking(role));
      const bool fits =
          std::all_of(needs.begin(), needs.end(), [&](const Need* need) { return Meets(row, *need); });
      if (fits) return Take(row);
      if (unfit == nullptr) unfit = &row;
    }
    Fail(unfit != nullptr ? Unfit(role, *unfit, needs) : Lacking(role));
  }

  void Take(const PackageRow& row) {
    if (!choice_.found) return;  // of another card: nothing is installed for one alone
    for (const std::string& package : row.packages) probe::AddOnce(package, choice_.packages);
    if (row.command) choice_.command = row.command;
    if (row.note) probe::AddOnce(*row.note, choice_.notes);
  }

  void Fail(const std::string& why) {
    if (choice_.found) choice_ = {};
    probe::AddOnce(why, choice_.notes);
  }

  [[nodiscard]] std::string Lacking(const Role& role) const {
    return fmt::format("no package of {} fits {}: {}", role.title, NameOf(system_), role.elsewhere);
  }

  [[nodiscard]] std::string Unfit(const Role& role, const PackageRow& row,
                                  const std::vector<const Need*>& needs) const {
    std::vector<std::string> texts;
    for (const Need* need : needs) probe::AddOnce(Text(*need), texts);
    std::erase(texts, "");
    return fmt::format("{} has {} {}, and {} {}: {}", NameOf(system_), role.title,
                       row.version.value_or("in a version that is not known"),
                       cards_.size() == 1 ? "this card needs" : "these cards need",
                       fmt::join(texts, ", and "), role.elsewhere);
  }

  const Packages& packages_;
  const System& system_;
  const std::vector<const PhysicalDevice*>& cards_;
  Choice choice_{{}, std::nullopt, {}, true};
};

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

const Role* FindRole(const Packages& packages, const std::string& name) {
  const auto found = std::find_if(packages.roles.begin(), packages.roles.end(),
                                  [&](const Role& role) { return role.name == name; });
  return found == packages.roles.end() ? nullptr : &*found;
}

Choice Choose(const Packages& packages, const System& system, const std::vector<std::string>& roles,
              const std::vector<const PhysicalDevice*>& cards) {
  if (system.facts == nullptr) return {};
  Chooser chooser(packages, system, cards);
  for (const std::string& name : roles) {
    if (const auto* role = FindRole(packages, name)) chooser.Add(*role);
  }
  return std::move(chooser).Take();
}

}  // namespace report::advise
