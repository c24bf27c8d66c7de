// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "probe/core/names.h"
#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/core/known_error.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using backends::MeasurementStatus;
using kernels::Kernel;
using Figures = std::vector<const backends::Measurement*>;
using ByImplementation = std::map<std::string, Figures>;

constexpr std::string_view kMeasureAgain = "measure again on an idle machine; if it lasts, ";
constexpr std::string_view kReportIt =
    "report it to the makers of this tool, with what whichgpu --json prints";

const backends::Measurement* Worst(const Figures& measured) {
  const backends::Measurement* worst = nullptr;
  for (const auto* m : measured) {
    if (!worst || Row(m->status).weight > Row(worst->status).weight) worst = m;
  }
  return worst;
}

struct Way {
  const Tables& tables;
  const Report& report;
  const probe::PhysicalDevice& device;
  const probe::View& view;

  [[nodiscard]] const RuntimeFacts* Facts() const { return Find(tables, view.device.runtime); }
  [[nodiscard]] std::string TitleOn() const {
    return fmt::format("{} on {}", Title(tables, view.device.runtime), NameIn(report, device));
  }
};

// Of one device by its number, "NAME_1", or of all; nullptr where no runtime that was asked tells of either,
// or it is empty.
const probe::EnvironmentVariable* FindSet(const Report& report, std::string_view name) {
  const probe::EnvironmentVariable* of_all = nullptr;
  for (const auto& probe : report.probes) {
    for (const auto& variable : probe.environment) {
      std::string_view rest = variable.name;
      if (variable.value.empty() || !rest.starts_with(name)) continue;
      rest.remove_prefix(name.size());
      if (rest.starts_with('_') && probe::IsDigits(rest.substr(1))) return &variable;
      if (rest.empty()) of_all = &variable;
    }
  }
  return of_all;
}

// Whether a runtime was asked that would have told of the variable: one whose drivers all read it.
bool WouldBeTold(const Way& way, std::string_view name) {
  return std::any_of(way.report.probes.begin(), way.report.probes.end(), [&](const auto& probe) {
    const auto* facts = Find(way.tables, probe.module);
    return facts && facts->chip_override && facts->chip_override->variable == name &&
           !facts->chip_override->driver;
  });
}

// As code for another chip may end; empty for what it does not explain.
std::string_view HowItEnds(const RuntimeFacts* facts, const backends::Measurement& worst) {
  const auto* known = KnownReason(facts, worst);
  if (worst.status == MeasurementStatus::kTimedOut) return "hang";
  if (worst.status == MeasurementStatus::kWrongResult) return "compute wrong";
  const bool died = known != nullptr && known->of_kernel.value_or(false);
  return worst.status == MeasurementStatus::kFailed && died ? "fail" : "";
}

// A variable that makes the driver take its chip for another, of which a kernel hangs or dies that is right:
// it goes before all other fixes. Whether it is known to work with this chip its own finding says. Of a hang
// it is suspected, too, where nobody can tell whether it is set.
void BlameOverride(const Way& way, const backends::Measurement& worst, Finding& finding) {
  const auto* facts = way.Facts();
  const bool launched = !EndedWhileCompiling(worst) && worst.stage != probe::NameOf(probe::Stage::kInit);
  const bool hung = worst.status == MeasurementStatus::kTimedOut;
  const auto how = HowItEnds(facts, worst);
  if (how.empty() || !launched || facts == nullptr || !facts->chip_override) return;
  const auto& [name, driver, source] = *facts->chip_override;
  if (driver && *driver != way.view.device.driver) return;
  const auto* set = FindSet(way.report, name);
  if (set == nullptr && (!hung || WouldBeTold(way, name))) return;
  Fix fix{fmt::format("unset {}, if it is set: code for another chip may {}", name, how), std::nullopt, false,
          false};
  if (set != nullptr) {
    fix.text = fmt::format("unset {}, unless it is known to work with this GPU: code for another chip may {}",
                           set->name, how);
    fix.command = "unset " + set->name;
    finding.meaning = fmt::format(
        "{} is set: unless it is known to work with this GPU, a kernel may {} of it that is right", set->name,
        how);
    AddEvidence(finding, "environment", set->name + "=" + set->value);
  }
  finding.fix.insert(finding.fix.begin(), std::move(fix));
}

// Variables that are set and by which a driver claims hardware that computes nonsense and that this machine's
// bus does not have: without them it is not there.
void BlamePretence(const Way& way, const backends::Measurement& worst, Finding& finding) {
  const auto* facts = way.Facts();
  if (way.device.hardware || worst.status != MeasurementStatus::kWrongResult || facts == nullptr ||
      !facts->pretending)
    return;
  std::vector<std::string> names;
  for (const auto& probe : way.report.probes) {
    if (probe.module != way.view.device.runtime) continue;
    for (const auto& variable : probe.environment) {
      const auto& all = *facts->pretending;
      if (std::find(all.begin(), all.end(), variable.name) == all.end()) continue;
      names.push_back(variable.name);
      AddEvidence(finding, "environment", variable.name + "=" + variable.value);
    }
  }
  if (names.empty()) return;
  finding.fix.insert(finding.fix.begin(),
                     {fmt::format("unset {}, by which the driver claims hardware", fmt::join(names, " and ")),
                      fmt::format("unset {}", fmt::join(names, " ")), false, false});
}

// Of the gravest status, with every figure of it as evidence; nullopt where all is well.
std::optional<Finding> OfFigures(const Way& way, const Figures& measured) {
  const auto& of = way.view.device;
  const auto* worst = Worst(measured);
  const auto* advice = worst ? AdviceFor(*worst) : nullptr;
  if (!advice) return std::nullopt;
  Finding finding;
  const auto status = probe::NameOf(worst->status);
  finding.id = fmt::format("measure.{}.{}.{}", of.runtime, probe::Slug(of.driver), status);
  finding.layer = "programming_interface";
  // What a software device cannot do costs nobody a device.
  finding.severity = IsSoftware(way.device, way.view) ? Severity::kNote : Severity::kDegraded;
  finding.device_id = way.device.id;
  finding.runtime = of.runtime;
  finding.summary = fmt::format("{}: {}", way.TitleOn(), FailureText(*worst, ImplementationOf(*worst)));
  for (const auto* m : measured) {
    if (m->status == worst->status) AddEvidence(finding, m->implementation, FailureText(*m));
  }
  finding.meaning = advice->meaning;
  finding.fix.push_back(
      {fmt::format(fmt::runtime(advice->fix), Title(way.tables, of.runtime)), std::nullopt, false, false});
  return finding;
}

// The same of one implementation alone, on a way that computes: a note. `prefix` begins its id.
std::optional<Finding> OfPart(const Way& way, std::string_view prefix, const std::string& name,
                              const Figures& figures) {
  auto finding = OfFigures(way, figures);
  if (!finding) return std::nullopt;
  const auto& of = way.view.device;
  finding->id = fmt::format("{}.{}.{}.{}.{}", prefix, of.runtime, probe::Slug(of.driver), probe::Slug(name),
                            probe::Slug(way.device.id));
  finding->severity = Severity::kNote;
  finding->summary = fmt::format("{} by {}: {}", name, way.TitleOn(), FailureText(*Worst(figures)));
  return finding;
}

// Whether another device computes by the same driver of the runtime: what this machine lacks, and what limits
// the process, is no reason then.
bool RunsBeside(const Way& way) {
  return std::any_of(way.report.devices.begin(), way.report.devices.end(), [&](const auto& other) {
    const auto* view = FindView(other, way.view.device.runtime, way.view.device.driver);
    return view != nullptr && other.id != way.device.id && HasRun(way.report, other, *view);
  });
}

void AddLibrary(const Way& way, const std::string& library, const Figures& figures,
                std::vector<Finding>& out) {
  auto finding = OfPart(way, "library", library, figures);
  if (!finding) return;
  const backends::Measurement& worst = *Worst(figures);
  // For want of memory no other version of it would do better.
  if (worst.lacked_memory.value_or(false)) {
    finding->meaning =
        "the runtime computes, as this tool's own kernels show; the library found too little memory";
    finding->fix = {
        {"leave the device and the process more memory, and measure again", std::nullopt, false, false}};
  } else if (!IsOutOfMemory(worst)) {
    const bool hung = worst.status == MeasurementStatus::kTimedOut;
    finding->layer = "math_library";
    finding->meaning =
        "the runtime computes, as this tool's own kernels show; what uses this library may fail";
    finding->fix = {{fmt::format("{}install {} in the version that the driver is made for",
                                 hung ? kMeasureAgain : "", library),
                     std::nullopt, true, false}};
  }
  BlameOverride(way, worst, *finding);
  out.push_back(*std::move(finding));
}

void AddKernel(const Way& way, const std::string& kernel, const Figures& figures, std::vector<Finding>& out) {
  auto finding = OfPart(way, "kernel", kernel, figures);
  if (!finding) return;
  finding->meaning =
      "another kernel does this right on this device: the fault is this one's, which is this tool's own, or "
      "is in what the driver's compiler makes of it, and nothing to keep other programs from the device for";
  const bool hung = Worst(figures)->status == MeasurementStatus::kTimedOut;
  finding->fix = {
      {fmt::format("{}{}", hung ? kMeasureAgain : "please ", kReportIt), std::nullopt, false, false}};
  if (MayComeOfCircumstances(*Worst(figures)) && !RunsBeside(way))
    BlameCircumstances(way.report, false, *finding);
  BlameOverride(way, *Worst(figures), *finding);
  out.push_back(*std::move(finding));
}

// The answer may be this way by what else of it is right: then what is advised against is that work alone.
// Of much that fails the way itself is advised against all the same.
void KeepToWhatFailed(const Way& way, const Figures& measured, Finding& finding) {
  constexpr std::size_t kMost = 3;
  const backends::Measurement& worst = *Worst(measured);
  const auto& of = way.view.device;
  const bool is_in_use =
      std::any_of(way.report.scores.begin(), way.report.scores.end(), [&](const Score& score) {
        return score.eligible && score.device_id == way.device.id && score.runtime == of.runtime &&
               score.driver == of.driver;
      });
  std::vector<std::string> names;
  for (const auto* m : measured) {
    if (m->status == MeasurementStatus::kWrongResult || m->status == MeasurementStatus::kCrashed)
      probe::AddOnce(FigureName(*m), names);
  }
  if (!is_in_use || names.size() > kMost) return;
  const auto all = fmt::format("{}", fmt::join(names, " and "));
  std::string text;
  if (worst.status == MeasurementStatus::kWrongResult)
    text = fmt::format("do not compute by this device's {}; update the driver", all);
  if (worst.status == MeasurementStatus::kCrashed)
    text = fmt::format("update the driver; until then keep programs from this device's {}", all);
  if (!text.empty()) finding.fix = {{std::move(text), std::nullopt, false, false}};
}

// It failed in a way that a kernel of this tool's own may fail by itself.
bool MayBeOfKernel(const backends::Measurement& failed) {
  const bool may_be =
      failed.status == MeasurementStatus::kWrongResult || failed.status == MeasurementStatus::kCrashed ||
      failed.status == MeasurementStatus::kTimedOut || failed.status == MeasurementStatus::kFailed;
  return may_be && IsOwn(failed) && HasImplementations(failed.kernel) && !IsOutOfMemory(failed);
}

bool Ran(const backends::Measurement& m) {
  return HasImplementations(m.kernel) &&
         (m.status == MeasurementStatus::kOk || m.status == MeasurementStatus::kImplausible);
}

// That no kernel runs is not said where some did.
void SayWhatFailed(const Figures& measured, const Figures& all, Finding& finding) {
  constexpr std::size_t kMost = 3;
  const backends::Measurement& worst = *Worst(measured);
  const bool any_ran = std::any_of(all.begin(), all.end(), [](const auto* m) { return Ran(*m); });
  if (worst.status != MeasurementStatus::kFailed || IsOutOfMemory(worst) || IsLoss(worst) || !any_ran) return;
  std::vector<std::string> names;
  for (const auto* m : measured) {
    const auto by = ImplementationOf(*m);
    if (m->status == MeasurementStatus::kFailed && !IsLoss(*m))
      probe::AddOnce(fmt::format("its {}{}{}", FigureName(*m), by.empty() ? "" : " by ", by), names);
  }
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("{} more", more));
  finding.meaning = fmt::format("other kernels run on it; what failed is {}", fmt::join(names, " and "));
}

// What is wrong alone are this tool's own kernels, and a vendor's library computes the same: that clears no
// driver, which compiles the former and not the latter, but it may be either.
void ShareTheBlame(const Figures& measured, const Figures& all, Finding& finding) {
  const auto status = Worst(measured)->status;
  const backends::Measurement* right = nullptr;
  for (const auto* failed : measured) {
    if (failed->status != status) continue;
    if (!MayBeOfKernel(*failed)) return;
    const auto library = std::find_if(all.begin(), all.end(), [&](const auto* other) {
      return !IsOwn(*other) && IsVerified(*other) && KindOf(*other) == KindOf(*failed);
    });
    if (library == all.end()) return;
    right = *library;
  }
  finding.confidence = Confidence::kMedium;
  finding.meaning = fmt::format(
      "{} does the same for the same types right on this device: the fault is this tool's own kernel, or is "
      "in what the driver's compiler makes of it",
      right->implementation);
  finding.fix.push_back({fmt::format("if it lasts, {}", kReportIt), std::nullopt, false, false});
}

// What is of no use because it computes wrong, where an equal one does the same right by the same driver, is
// what is broken.
void SuspectTheDevice(const Way& way, const backends::Measurement& worst, Finding& finding) {
  const auto& report = way.report;
  const auto is_right = [&](const backends::Measurement& m) {
    if (!IsVerified(m) || KindOf(m) != KindOf(worst) || m.device_id == way.device.id ||
        m.runtime != worst.runtime || m.driver != worst.driver)
      return false;
    const auto* other = FindDevice(report.devices, m.device_id);
    return other != nullptr && AreEqualGpus(*other, way.device);
  };
  if (worst.status != MeasurementStatus::kWrongResult ||
      UsabilityOf(report, way.device, way.view) == Usability::kYes ||
      std::none_of(report.measurements.begin(), report.measurements.end(), is_right))
    return;
  finding.meaning =
      "an equal GPU is right by the same driver: suspect this one, its memory, power or cooling";
  finding.fix = {
      {"do not compute on this device; look for its errors in the kernel's log, and try it in another "
       "slot or machine",
       std::nullopt, false, false}};
}

void AddWay(const Way& way, const Figures& measured, const Figures& all, std::vector<Finding>& out) {
  auto finding = OfFigures(way, measured);
  if (!finding) return;
  const auto* worst = Worst(measured);
  KeepToWhatFailed(way, measured, *finding);
  const bool known = AdviseOnReason(way.Facts(), *worst, *finding);
  if (!known) {
    SayWhatFailed(measured, all, *finding);
    ShareTheBlame(measured, all, *finding);
    SuspectTheDevice(way, *worst, *finding);
  }
  if (MayComeOfCircumstances(*worst) && !RunsBeside(way)) BlameCircumstances(way.report, known, *finding);
  BlameOverride(way, *worst, *finding);
  BlamePretence(way, *worst, *finding);
  out.push_back(*std::move(finding));
}

// Whether kernels of three kinds of work ended with that error: no mistake of one is behind it.
bool DiesByAnything(const Way& way, const ErrorFacts& error, const Figures& measured) {
  constexpr std::size_t kMany = 3;
  std::set<Kernel> kinds;
  for (const auto* m : measured) {
    if (MayBeOfKernel(*m) && KnownReason(way.Facts(), *m) == &error) kinds.insert(m->kernel);
  }
  return kinds.size() >= kMany;
}

// This tool's own kernel failed where another of its own does the same work for the same types and is right.
// Without such a one the work is not to be had by this way, whatever else is right; and a library that is
// right alone shows nothing of what the driver compiles.
bool IsFaultOfKernel(const Way& way, const backends::Measurement& failed, const Figures& measured) {
  if (!MayBeOfKernel(failed)) return false;
  const auto* known = KnownReason(way.Facts(), failed);
  if (known != nullptr && (!known->of_kernel.value_or(false) || DiesByAnything(way, *known, measured)))
    return false;
  return std::any_of(measured.begin(), measured.end(), [&](const auto* other) {
    return IsOwn(*other) && IsVerified(*other) && other->implementation != failed.implementation &&
           KindOf(*other) == KindOf(failed);
  });
}

template <class IsPart>
ByImplementation TakeOut(Figures& measured, IsPart is_part) {
  ByImplementation parts;
  Figures rest;
  for (const auto* m : measured) (is_part(*m) ? parts[m->implementation] : rest).push_back(m);
  measured = std::move(rest);
  return parts;
}

bool Computes(const backends::Measurement& m) {
  const bool is_work = m.kernel == Kernel::kGemm || m.kernel == Kernel::kGemv || m.kernel == Kernel::kRead;
  return is_work && IsOwn(m) && IsVerified(m);
}

void AddMeasurementsOf(const Way& way, Figures measured, std::vector<Finding>& out) {
  std::erase_if(measured, [&](const auto* m) {
    return m->kernel == Kernel::kPeer || IsLeftToOthers(way.device, *m);  // told of the device's memory
  });
  const Figures all = measured;
  const bool computes = std::any_of(all.begin(), all.end(), [](const auto* m) { return Computes(*m); });
  const auto libraries = TakeOut(measured, [&](const backends::Measurement& m) {
    const bool of_none = m.implementation.empty();  // of all that was to come
    return computes && m.kernel == Kernel::kGemm && !of_none && !IsOwn(m);
  });
  const auto own =
      TakeOut(measured, [&](const backends::Measurement& m) { return IsFaultOfKernel(way, m, all); });
  AddWay(way, measured, all, out);
  for (const auto& [library, figures] : libraries) AddLibrary(way, library, figures, out);
  for (const auto& [kernel, figures] : own) AddKernel(way, kernel, figures, out);
}

// What is between devices speaks against none of them: each one's own figures tell of it. One finding of all
// that one runtime joins.
struct Joined {
  std::string runtime, driver;
  Figures failed;
};
std::vector<Joined> WhatFailedBetween(const Report& report) {
  std::vector<Joined> all;
  for (const auto& m : report.measurements) {
    if (m.kernel != Kernel::kPeer || !IsTrouble(m)) continue;
    auto of = std::find_if(all.begin(), all.end(), [&](const Joined& known) {
      return known.runtime == m.runtime && known.driver == m.driver;
    });
    if (of == all.end()) of = all.insert(all.end(), {m.runtime, m.driver, {}});
    of->failed.push_back(&m);
  }
  return all;
}

// "pci:0000:01:00.0 and pci:0000:02:00.0: its p2p failed (...)"; of all of them "its all-reduce failed
// (...)".
std::string BetweenText(const backends::Measurement& m) {
  if (IsAllReduce(m)) return FailureText(m);
  return fmt::format("{}{}: {}", m.device_id, m.peer_id ? " and " + *m.peer_id : "", FailureText(m));
}

// By the error, where its table or this tool knows that, else by what was being done.
void AdviseOnBetween(const Tables& tables, const backends::Measurement& worst, Finding& finding) {
  if (AdviseOnReason(Find(tables, worst.runtime), worst, finding)) return;
  const auto fix_by = [&](std::string text) {
    finding.fix = {{std::move(text), std::nullopt, false, false}};
  };
  if (IsOutOfMemory(worst)) {
    const auto* advice = AdviceFor(worst);
    finding.meaning = advice->meaning;
    return fix_by(std::string(advice->fix));
  }
  if (worst.stage == probe::NameOf(probe::Stage::kInit)) {
    finding.meaning =
        "a GPU did not open in a process that opens all of them, so nothing between them was tried; each "
        "one's own figures tell whether it works alone";
    return fix_by("let each program use one GPU until it works; the evidence names the GPU and what failed");
  }
  finding.meaning =
      "what is between GPUs fails, which speaks against none of them alone: each one's own figures tell of "
      "that; a program that uses several at once may hang or compute wrong";
  std::string how = "the evidence names what failed";
  if (!worst.implementation.empty() && !IsOwn(worst))
    how = "install the library that joins them in the version that the driver is made for";
  if (worst.implementation.starts_with("own:direct"))
    how =
        "where GPUs copy to each other directly, the firmware's access control (ACS) and IOMMU may be in "
        "their way";
  fix_by("let each program use one GPU until it works; " + how);
}

void AddBetween(const Tables& tables, const Report& report, const Joined& joined, std::vector<Finding>& out) {
  const backends::Measurement& worst = *Worst(joined.failed);
  Finding finding;
  finding.id =
      fmt::format("peers.{}.{}.{}", joined.runtime, probe::Slug(joined.driver), probe::NameOf(worst.status));
  finding.layer = "programming_interface";
  finding.severity = Severity::kDegraded;
  finding.runtime = joined.runtime;
  finding.summary = fmt::format("{} between GPUs: {}", Title(tables, joined.runtime), BetweenText(worst));
  for (const auto* m : joined.failed) AddEvidence(finding, m->implementation, BetweenText(*m));
  AdviseOnBetween(tables, worst, finding);
  if (MayComeOfCircumstances(worst)) BlameCircumstances(report, true, finding);
  out.push_back(std::move(finding));
}

}  // namespace

void AddMeasurements(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  const MeasurementIndex index(report.measurements);
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto& of = view.device;
      AddMeasurementsOf({tables, report, device, view}, index.Of(device.id, of.runtime, of.driver), out);
    }
  }
  for (const auto& joined : WhatFailedBetween(report)) AddBetween(tables, report, joined, out);
}

}  // namespace report::explain
