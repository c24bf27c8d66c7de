// SPDX-License-Identifier: MIT
#include "report/advise/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/advise/packages.h"
#include "report/advise/tables.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"

namespace report::advise {
namespace {

bool IsOfPackages(Action action) {
  switch (action) {
    case Action::kInstall:
    case Action::kReinstall:
    case Action::kRemove:
      return true;
    case Action::kJoinGroups:
    case Action::kStartService:
      return false;
  }
  return false;
}

// That the kernel is not this system's to mend, as a reader begins a sentence with it; empty where it is.
std::string_view WhereKernelIs(const Host& host) {
  if (host.container) return "on the host, not in this container: ";
  return host.virtualization == probe::kWsl2 ? "in Windows, not in this Linux: " : "";
}

class Adviser {
 public:
  explicit Adviser(const Report& report)
      : report_(report), system_(FindSystem(EmbeddedSystems(), report.host.os_release)) {
    std::set<std::tuple<std::optional<std::uint32_t>, std::string, std::string>> kinds;
    for (const auto& device : report.devices) {
      devices_.emplace(device.id, &device);
      const auto& hardware = device.hardware;
      const auto* family = hardware ? probe::FindFact(hardware->facts, "architecture_family") : nullptr;
      const auto driver = hardware ? hardware->kernel_driver.value_or("") : "";
      const bool is_new =
          IsGpu(device) && kinds.emplace(VendorOf(device), family ? *family : "", driver).second;
      if (is_new) gpus_.push_back(&device);
    }
  }

  [[nodiscard]] std::string AsRoot() const {
    return system_.facts != nullptr ? system_.facts->as_root.value_or("sudo") : "sudo";
  }

  void Complete(const Finding& finding, Fix& fix) const {
    const bool mends_kernel = fix.on_host || IsOfKernel(fix);
    if (fix.remedy) Carry(*fix.remedy, CardsOf(finding), mends_kernel, fix);
    const auto elsewhere = WhereKernelIs(report_.host);
    if (!mends_kernel || elsewhere.empty()) return;
    fix.text.insert(0, elsewhere);
    fix.command.reset();
  }

 private:
  [[nodiscard]] static bool IsOfKernel(const Fix& fix) {
    if (!fix.remedy || !IsOfPackages(fix.remedy->action)) return false;
    return std::any_of(fix.remedy->what.begin(), fix.remedy->what.end(), [](const std::string& name) {
      const auto* role = FindRole(EmbeddedPackages(), name);
      return role != nullptr && role->kernel;
    });
  }

  [[nodiscard]] std::vector<const probe::PhysicalDevice*> CardsOf(const Finding& finding) const {
    if (!finding.device_id) return gpus_;
    std::vector<const probe::PhysicalDevice*> cards;
    for (const auto& id : finding.device_ids.value_or(std::vector{*finding.device_id})) {
      if (const auto found = devices_.find(id); found != devices_.end()) cards.push_back(found->second);
    }
    return cards;
  }

  void Carry(const Remedy& remedy, const std::vector<const probe::PhysicalDevice*>& cards, bool mends_kernel,
             Fix& fix) const {
    if (IsOfPackages(remedy.action)) return CarryPackages(remedy, cards, mends_kernel, fix);
    // Who belongs to a group, and what services run, is settled on the machine itself.
    if (report_.host.container) return;
    auto what = remedy.what;
    const bool is_usual = remedy.action == Action::kJoinGroups && !remedy.is_seen;
    if (is_usual && system_.facts != nullptr && system_.facts->groups) {
      const auto& known = *system_.facts->groups;
      std::erase_if(what, [&](const std::string& group) {
        return std::find(known.begin(), known.end(), group) == known.end();
      });
    }
    fix.command = CommandFor(system_, remedy.action, what);
  }

  void CarryPackages(const Remedy& remedy, const std::vector<const probe::PhysicalDevice*>& cards,
                     bool mends_kernel, Fix& fix) const {
    for (const std::string& name : remedy.what) {
      const auto* role = FindRole(EmbeddedPackages(), name);
      fix.needs_reboot = fix.needs_reboot || (role != nullptr && role->reboot);
    }
    // What the host's distribution is does not show in a container.
    if (mends_kernel && !WhereKernelIs(report_.host).empty()) return;
    if (system_.image_based) return Note(EmbeddedSystems().image_based.note, fix);
    const Choice choice = Choose(EmbeddedPackages(), system_, remedy.what, cards);
    for (const std::string& note : choice.notes) Note(note, fix);
    if (!choice.found) return;
    if (choice.command && remedy.action == Action::kInstall) {
      fix.command = choice.command;
    } else if (!choice.command) {
      fix.command = CommandFor(system_, remedy.action, choice.packages);
    }
  }

  static void Note(const std::string& note, Fix& fix) { fix.text.append("; ").append(note); }

  const Report& report_;
  System system_;
  std::unordered_map<std::string_view, const probe::PhysicalDevice*> devices_;
  std::vector<const probe::PhysicalDevice*> gpus_;  // one of each kind that packages tell apart
};

}  // namespace

void Advise(Report& report) {
  const Adviser adviser(report);
  report.as_root = adviser.AsRoot();
  report.advice.clear();
  std::set<std::string> told;  // several findings of one cause may word one command each in its own way
  for (Finding& finding : report.findings) {
    for (Fix& fix : finding.fix) {
      adviser.Complete(finding, fix);
      if (!told.insert(fix.command.value_or(fix.text)).second) continue;
      report.advice.push_back({fix.text, fix.command, fix.needs_root, fix.needs_reboot, finding.id});
    }
  }
}

namespace {

// With the command of this distribution for what has the library, or a sentence on why there is none. Empty
// where the tables know neither the distribution nor the library: what the build's own row says stands.
std::string HowToGet(const System& system, const Prerequisite& wanted, std::string_view backend) {
  if (system.facts == nullptr || !wanted.library) return "";
  std::vector<std::string> roles;
  for (const Role& role : EmbeddedPackages().roles) {
    if (role.library == wanted.library && role.backend.value_or(std::string(backend)) == backend)
      roles.push_back(role.name);
  }
  if (roles.empty()) return "";
  if (system.image_based) return fmt::format("{}; {}", wanted.text, EmbeddedSystems().image_based.note);
  const Choice choice = Choose(EmbeddedPackages(), system, roles, {});
  auto text = wanted.text;
  if (const auto command = CommandFor(system, Action::kInstall, choice.packages); choice.found && command)
    text += fmt::format(": {} {}", system.facts->as_root.value_or("sudo"), *command);
  for (const std::string& note : choice.notes) text += "; " + note;
  return text;
}

// "apt-get" of "sudo apt-get install this".
std::string_view InstallerOf(std::string_view command) {
  constexpr std::string_view kAsRoot = "sudo ";
  if (command.starts_with(kAsRoot)) command.remove_prefix(kAsRoot.size());
  return command.substr(0, command.find(' '));
}

bool Installs(const System& system, std::string_view installer) {
  const auto own = CommandFor(system, Action::kInstall, {"package"});
  return own && InstallerOf(*own) == installer;
}

// What the row's own command installs with is one distribution's, and this machine's is another or not known.
// Empty where that command stands.
std::string WhereItCanBeHad(const System& system, const Prerequisite& wanted) {
  if (!wanted.command) return "";
  const auto installer = InstallerOf(*wanted.command);
  const auto& all = EmbeddedSystems().systems;
  const bool is_of_some = std::any_of(
      all.begin(), all.end(), [&](const SystemFacts& one) { return Installs({&one, {}, false}, installer); });
  if (!is_of_some) return "";
  if (system.facts == nullptr)
    return fmt::format("{}, where there is {}: {}", wanted.text, installer, *wanted.command);
  return Installs(system, installer) ? "" : wanted.text;
}

void SayHowToGet(const System& system, const TargetTable& target, Artefact& artefact) {
  for (const Build& build : target.builds) {
    // What is there is not missing, whatever the row says.
    if (build.id != artefact.id || !build.missing || artefact.missing.empty()) continue;
    for (std::size_t i = 0; i < std::min(build.missing->size(), artefact.missing.size()); ++i) {
      auto text = HowToGet(system, (*build.missing)[i], build.backend);
      if (text.empty()) text = WhereItCanBeHad(system, (*build.missing)[i]);
      if (!text.empty()) artefact.missing[i] = std::move(text);
    }
  }
}

}  // namespace

void AddEnvironment(const Host& host, const TargetTable& target, Artefact& artefact) {
  const auto system = FindSystem(EmbeddedSystems(), host.os_release);
  SayHowToGet(system, target, artefact);
  const bool goes_to_python = !artefact.requirements.empty() || artefact.runs_pip;
  if (!goes_to_python || system.facts == nullptr || !system.facts->venv_from) return;
  if (system.release && CompareVersions(*system.release, *system.facts->venv_from) < 0) return;
  const auto& ids = system.facts->ids;
  const bool is_itself =
      host.os_release && std::find(ids.begin(), ids.end(), host.os_release->id) != ids.end();
  // What has no release is the newest of all; of what is made from it nobody knows from when.
  const auto whose = system.release || is_itself ? NameOf(system) + "'s own Python takes"
                                                 : "Python as " + NameOf(system) + " has it may take";
  artefact.missing.emplace_back("an environment (python3 -m venv env)");
  const auto more = artefact.note.value_or("");
  const bool is_sentence = !more.empty() && more.front() >= 'A' && more.front() <= 'Z';
  artefact.note =
      fmt::format("{} packages in a virtual environment alone, entered by . env/bin/activate{}{}", whose,
                  more.empty()  ? ""
                  : is_sentence ? ". "
                                : "; ",
                  more);
}

}  // namespace report::advise
