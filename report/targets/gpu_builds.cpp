// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "probe/core/vendor_names.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"
#include "report/core/devices.h"
#include "report/core/impossible.h"
#include "report/targets/build.h"
#include "report/targets/supposed.h"
#include "report/targets/targets.h"

namespace report::targets {
namespace {

// Whether that row's GPU may be called so. Drivers call every part of a chip that has no product's name by
// one name of its maker's, whatever its row calls it.
bool MayBeCalledSo(const probe::PciRow& row, std::string_view name) {
  if (MayBe(name, row.name)) return true;
  const auto* maker = probe::FindVendorNames(row.vendor);
  return maker && row.kind == "integrated" && !row.target.empty() &&
         probe::Lists(maker->generic_names, name, '|');
}

}  // namespace

std::set<std::string> ArchitecturesBy(const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  for (const auto& view : device.views) {
    if (view.device.runtime == facts.name && view.device.architecture) return {*view.device.architecture};
  }
  if (auto own = ArchitectureOf(facts, device); !own.empty()) return {std::move(own)};
  std::set<std::string> all;
  if (!facts.target) return all;
  for (const probe::PciRow& row : probe::PciRows()) {
    if (row.vendor != VendorOf(device) || !MayBeCalledSo(row, device.name)) continue;
    auto architecture = ArchitectureOfChip(facts, row.target);
    if (architecture.empty()) return {};
    all.insert(std::move(architecture));
  }
  return all;
}

namespace {

bool MayReach(const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  return facts.name != kProcessorRuntime && vendor && (!facts.vendor || IsOfVendor(facts, *vendor));
}

const std::vector<std::string>& ProgramsOf(const RuntimeFacts& facts, Use use) {
  return use == Use::kTraining ? facts.advice.training : facts.advice.inference;
}

// The row's own source, or that of the list of architectures that it names.
void AddSource(const TargetTable& target, const Build& build, CodeForGpu& code) {
  code.source = build.source.value_or(target.source);
  code.date = build.date.value_or(target.date);
  const auto* list =
      build.needs && build.needs->architectures_of ? FindCodeList(*build.needs->architectures_of) : nullptr;
  if (list == nullptr) return;
  code.source = list->source;
  code.date = list->date;
}

struct Asked {
  const Tables& tables;
  const Host& host;
  Machine machine;
  Use use;
  const Terms* terms = nullptr;  // what these exclude counts for none
};

// Of the builds of the program by the runtime, for an architecture ("": not known); nullopt without any.
// Neither what is installed counts nor which driver is loaded: a system and a processor that they are not for
// do.
std::optional<CodeForGpu> CodeFor(const Asked& asked, const TargetTable& target, const RuntimeFacts& facts,
                                  const probe::PhysicalDevice& device, const std::string& architecture) {
  auto view = OfRuntime(facts.name);
  if (!architecture.empty()) view.device.architecture = architecture;
  const Way way{view, VendorOf(device), std::nullopt};
  const Build* nearest = nullptr;
  const Build* excluded = nullptr;
  Verdict of_nearest;
  for (const Build& build : target.builds) {
    if (!Serves(asked.tables, build, view) || !IsFor(target, build, asked.use)) continue;
    auto verdict = Judge(asked.tables, build, asked.machine, way, Policy::kMinimum);
    if (asked.terms != nullptr && !WhyExcluded(*asked.terms, build).empty()) {
      if (excluded == nullptr && verdict.is_here) excluded = &build;
      continue;
    }
    const auto key = [](const Verdict& one) { return std::tuple{one.is_meant, one.is_here, one.reached}; };
    if (nearest != nullptr && key(verdict) <= key(of_nearest)) continue;
    nearest = &build;
    of_nearest = std::move(verdict);
  }
  if (nearest == nullptr && excluded != nullptr) {
    CodeForGpu none{.backend = facts.name, .build = excluded->id};
    none.has_code = false;
    none.reason = WhyExcluded(*asked.terms, *excluded);
    return none;
  }
  if (nearest == nullptr) return std::nullopt;
  CodeForGpu code{.backend = facts.name, .build = nearest->id};
  AddSource(target, *nearest, code);
  const auto text =
      facts.target ? ArchitectureText(*facts.target, view.device.architecture, Reader::kPeople) : "";
  if (!text.empty()) code.architecture = text;
  if (of_nearest.is_meant) {
    code.has_code = true;
    return code;
  }
  const bool is_told = !text.empty() || !nearest->needs || !nearest->needs->architectures;
  if (is_told || !of_nearest.is_here) code.has_code = false;
  code.reason = of_nearest.misfit;
  return code;
}

// The same of the GPU, whichever of the cards that are called so it is.
std::optional<CodeForGpu> CodeBy(const Asked& asked, const TargetTable& target, const RuntimeFacts& facts,
                                 const probe::PhysicalDevice& device) {
  auto architectures = ArchitecturesBy(facts, device);
  if (architectures.empty()) architectures.insert("");
  auto first = CodeFor(asked, target, facts, device, *architectures.begin());
  if (!first || architectures.size() == 1) return first;
  first->architecture.reset();
  for (const std::string& one : architectures) {
    const auto code = CodeFor(asked, target, facts, device, one);
    if (!code || code->has_code == first->has_code) continue;
    first->has_code.reset();
    first->reason = kForSomeSoCalled;
    break;
  }
  return first;
}

bool HasCode(const CodeForGpu& code) { return code.has_code.value_or(false); }

// The tables of this build, each read once: many machines are judged in one run of the tests.
const std::map<std::string, TargetTable>& Programs() {
  static const auto programs = [] {
    std::map<std::string, TargetTable> all;
    for (const std::string& name : TargetNames()) {
      if (auto table = EmbeddedTarget(name)) all.emplace(name, *std::move(table));
    }
    return all;
  }();
  return programs;
}

// All with the use, those that the runtime's table names first. A table that names no use is for the caller's
// own code, and has nothing that is published.
std::vector<const TargetTable*> ProgramsWith(const RuntimeFacts& facts, Use use) {
  std::vector<const TargetTable*> programs;
  for (const std::string& name : ProgramsOf(facts, use)) programs.push_back(&Programs().at(name));
  for (const auto& [name, program] : Programs()) {
    if (program.uses) probe::AddOnce(&program, programs);
  }
  return programs;
}

// The architectures that rows of the program by the runtime name, of those for this system and processor.
void AddBuilt(const Asked& asked, const TargetTable& program, const RuntimeFacts& facts,
              std::vector<std::string>& built) {
  const auto view = OfRuntime(facts.name);
  for (const Build& build : program.builds) {
    if (!ComputesBy(build, facts) || !IsFor(program, build, asked.use) || !build.needs ||
        !build.needs->architectures)
      continue;
    if (!Judge(asked.tables, build, asked.machine, {.view = view}, Policy::kMinimum).is_here) continue;
    built.insert(built.end(), build.needs->architectures->begin(), build.needs->architectures->end());
  }
}

bool IsShownBy(const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
    return view.device.runtime == facts.name && !IsSupposed(view);
  });
}

// Whether the runtime has a driver for the GPU on such a machine, be it installed or not. In WSL a GPU has
// none but its maker's.
bool MayHaveDriver(const Asked& asked, const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  if (IsShownBy(facts, device)) return true;
  const auto draws_only = [](const probe::Fact& fact) {
    return fact.key == "compute_driver" && fact.value.starts_with("none");
  };
  if (device.hardware &&
      std::any_of(device.hardware->facts.begin(), device.hardware->facts.end(), draws_only))
    return false;
  const auto architectures = ArchitecturesBy(facts, device);
  return (facts.vendor || !asked.machine.is_wsl) && !WhyImpossible(facts.name, "", SettingOf(asked.host)) &&
         std::none_of(architectures.begin(), architectures.end(), [&](const std::string& one) {
           return UnservedOf(facts, one, SettingOf(asked.host)) != nullptr;
         });
}

// Each program once: by a runtime that shows the GPU, else by the one that most programs serve.
std::vector<OtherProgram> ServedBy(const Asked& asked, const Report& report,
                                   const probe::PhysicalDevice& device) {
  // What computed wrongly or crashed here serves nobody.
  const auto is_ruled_out = [&](const RuntimeFacts& facts) {
    const auto is_by = [&](const auto& view) { return view.device.runtime == facts.name; };
    const auto out = [&](const auto& view) { return !is_by(view) || IsRuledOut(report, device, view); };
    return std::any_of(device.views.begin(), device.views.end(), is_by) &&
           std::all_of(device.views.begin(), device.views.end(), out);
  };
  std::vector<const RuntimeFacts*> runtimes;
  for (const RuntimeFacts& facts : asked.tables.runtimes) {
    if (!is_ruled_out(facts) && !facts.stands_on && MayReach(facts, device) &&
        MayHaveDriver(asked, facts, device))
      runtimes.push_back(&facts);
  }
  const auto rank = [&](const RuntimeFacts* facts) {
    return std::tuple{IsShownBy(*facts, device), facts->maturity.inference};
  };
  std::stable_sort(runtimes.begin(), runtimes.end(),
                   [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  std::vector<OtherProgram> served;
  for (const RuntimeFacts* facts : runtimes) {
    for (const std::string& name : ProgramsOf(*facts, asked.use)) {
      const bool is_named = std::any_of(served.begin(), served.end(),
                                        [&](const OtherProgram& one) { return one.target == name; });
      if (is_named || name == TargetOf(report).name) continue;
      const auto& program = Programs().at(name);
      const auto code = CodeBy(asked, program, *facts, device);
      if (code && HasCode(*code)) served.push_back({name, program.title, facts->name, code->build});
    }
  }
  return served;
}

}  // namespace

std::vector<GpuBuilds> BuildsOfGpus(const Tables& tables, const Report& report, Use use) {
  const Asked asked{tables, report.host, MachineOf(report), use};
  std::vector<GpuBuilds> all;
  for (const auto& device : report.devices) {
    if (!IsGpu(device) || device.parent_id || report.terms.excluded_ids.contains(device.id)) continue;
    GpuBuilds& gpu = all.emplace_back();
    gpu.device_id = device.id;
    for (const RuntimeFacts& facts : tables.runtimes) {
      // Builds by one that stands on another are told of that one.
      if (facts.stands_on || !MayReach(facts, device)) continue;
      auto code = CodeBy(asked, TargetOf(report), facts, device);
      // What a runtime for all makers has for others' GPUs is no news.
      if (code && (facts.vendor || (HasCode(*code) && MayHaveDriver(asked, facts, device))))
        gpu.builds.push_back(*std::move(code));
    }
    const bool is_none = std::all_of(gpu.builds.begin(), gpu.builds.end(),
                                     [](const auto& code) { return code.has_code == false; });
    if (is_none) gpu.served_by = ServedBy(asked, report, device);
  }
  return all;
}

std::string ServedText(const Tables& tables, const GpuBuilds& gpu) {
  std::vector<std::string> programs;
  for (const OtherProgram& one : gpu.served_by.value_or(std::vector<OtherProgram>()))
    programs.push_back(fmt::format("{} by {} ({})", one.title, Title(tables, one.backend), one.build));
  return programs.empty() ? "" : fmt::format("; what has code for it: {}", fmt::join(programs, ", "));
}

WithoutCode WhyNothingRuns(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                           std::string_view runtime, Use use, const Terms* terms) {
  const auto* facts = Find(tables, runtime);
  if (!facts || !facts->vendor || !facts->target || !MayReach(*facts, device)) return {};
  const Asked asked{tables, report.host, MachineOf(report), use, terms};
  std::string why;
  std::vector<std::string> built;
  for (const TargetTable* program : ProgramsWith(*facts, use)) {
    const auto code = CodeBy(asked, *program, *facts, device);
    if (!code) continue;
    if (code->has_code.value_or(true)) return {};
    if (why.empty()) why = fmt::format("{}'s {} {}", program->title, code->build, code->reason.value_or(""));
    AddBuilt(asked, *program, *facts, built);
  }
  if (why.empty()) return {};
  const auto architectures = ArchitecturesBy(*facts, device);
  const bool is_too_new =
      !built.empty() &&
      std::any_of(architectures.begin(), architectures.end(), [&](const std::string& architecture) {
        const auto text = ArchitectureText(*facts->target, architecture, Reader::kPeople);
        return !text.empty() && MayBeTooNew(*facts->target, built, text);
      });
  if (is_too_new) return {fmt::format("by {} {}", facts->title, why), true};
  return {fmt::format("no program that is known here {} on it by {}: {}",
                      use == Use::kTraining ? "trains" : "runs models", facts->title, why),
          false};
}

std::string ServedByOthers(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                           std::string_view runtime, Use use) {
  const auto* facts = Find(tables, runtime);
  if (!facts || !facts->vendor || !facts->target) return "";
  const Asked asked{tables, report.host, MachineOf(report), use};
  const auto named = ProgramsOf(*facts, use).size();
  std::vector<std::string> why;
  for (const TargetTable* program : ProgramsWith(*facts, use)) {
    const auto code = CodeBy(asked, *program, *facts, device);
    const bool may = code && code->has_code.value_or(true);
    if (why.size() < named) {
      if (may || !code) return "";
      why.push_back(fmt::format("{}'s {} {}", program->title, code->build, code->reason.value_or("")));
    } else if (may) {
      return fmt::format("{}; what has: {} ({})", fmt::join(why, "; "), program->title, code->build);
    }
  }
  return "";
}

void JudgeExclusions(const Tables& tables, Report& report) {
  if (report.terms.exclude.empty()) return;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto& runtime = view.device.runtime;
      std::array<Unfit, 2> unfit;
      for (const Use use : {Use::kInference, Use::kTraining}) {
        if (!WhyNothingRuns(tables, report, device, runtime, use).why.empty()) continue;
        unfit.at(use == Use::kTraining ? 1 : 0) = {
            WhyNothingRuns(tables, report, device, runtime, use, &report.terms).why, false, "--exclude"};
      }
      report.terms.unfit[{device.id, runtime, view.device.driver}] = unfit;
    }
  }
}

std::optional<Apart> TellsApart(const TargetTable& target, const RuntimeFacts& facts,
                                const probe::PhysicalDevice& device) {
  Apart apart;
  if (facts.target) {
    for (const auto& one : ArchitecturesBy(facts, device))
      apart.architectures.push_back(ArchitectureText(*facts.target, one, Reader::kPeople));
  }
  std::sort(apart.architectures.begin(), apart.architectures.end(),
            [](const auto& a, const auto& b) { return CompareVersions(a, b) < 0; });
  if (apart.architectures.empty()) return apart;
  const auto runs_on = [&](const Build& build, const std::string& text) {
    const auto& intermediate = build.needs->intermediate;
    return HasCodeFor(*facts.target, *build.needs->architectures, text) ||
           (intermediate && CompareVersions(*intermediate, text) <= 0);
  };
  for (const Build& build : target.builds) {
    if (!ComputesBy(build, facts) || !build.needs || !build.needs->architectures) continue;
    const auto run = std::count_if(apart.architectures.begin(), apart.architectures.end(),
                                   [&](const std::string& one) { return runs_on(build, one); });
    apart.build = build.id;
    if (run != 0 && static_cast<std::size_t>(run) != apart.architectures.size()) return apart;
  }
  return std::nullopt;
}

}  // namespace report::targets
