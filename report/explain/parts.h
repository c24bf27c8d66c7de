// SPDX-License-Identifier: MIT
// The parts of explaining beside the list of findings: what an outcome means and what to do about it, what
// stands around a driver or a card rather than in it, and whether mending a GPU is worth it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/devices.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::explain {

// What an outcome of a runtime or of one driver means, and what to do. `layer` as in the schema.
struct OutcomeAdvice {
  probe::Outcome outcome;
  std::string_view layer;
  Severity severity;
  std::string_view meaning;
  std::string_view fix;  // "" where the tables or the evidence name it
  std::string_view command;
  bool needs_root;
};
struct StatusAdvice {
  backends::MeasurementStatus status;
  std::string_view meaning;
  std::string_view fix;  // {}: the runtime, for people
};
// nullptr: there is nothing to do about it.
[[nodiscard]] const OutcomeAdvice* AdviceFor(probe::Outcome outcome);
[[nodiscard]] const OutcomeAdvice* AdviceFor(const probe::ProbeReport& probe);
[[nodiscard]] const OutcomeAdvice* AdviceFor(const probe::DriverReport& driver);
[[nodiscard]] const StatusAdvice* AdviceFor(const backends::Measurement& measurement);
// Before a kernel ran at all.
[[nodiscard]] bool EndedWhileCompiling(const backends::Measurement& measurement);

// There was not enough memory to ask.
[[nodiscard]] bool IsOutOfMemoryError(const std::optional<probe::Error>& error);

// The device's name, with its id behind where another's is the same.
[[nodiscard]] std::string NameIn(const Report& report, const probe::PhysicalDevice& device);
// Nothing for an empty value.
void AddEvidence(Finding& finding, std::string source, std::string value);
// What installs the runtime on this system for any card that it reaches; of a system other than Linux by
// data/install_elsewhere.csv.
void AddInstallHints(const RuntimeFacts& facts, const Host& host, Finding& finding);
[[nodiscard]] bool CanBeInstalled(const RuntimeFacts& facts, const Host& host);
// What installs the driver of any GPU there; nullopt on Linux, which tells more of its GPUs.
[[nodiscard]] std::optional<std::string> DriverElsewhere(const Host& host);
// The same for this very GPU, told by its kernel driver; false where the table has nothing for it. Where
// `host` has what a hint installs, the fix is to ask on the machine itself.
bool AddHintsFor(const probe::PhysicalDevice& device, const RuntimeFacts& facts, const Host& host,
                 Finding& finding);

void Advise(const OutcomeAdvice& advice, Finding& finding);
// Whether a row that holds in some places alone does for this driver of this report.
[[nodiscard]] bool Fits(const ErrorPlace& place, const Report& report, const probe::DriverReport& driver);
// Where the runtime's table (nullptr: there is none) knows the error, its words replace those. Whether it
// does. Of a driver's, in this report, rows count that are of such drivers alone.
bool AdviseOnError(const RuntimeFacts* facts, const std::optional<probe::Error>& error, Finding& finding);
bool AdviseOnError(const RuntimeFacts* facts, const Report& report, const probe::DriverReport& driver,
                   Finding& finding);
bool AdviseOnReason(const RuntimeFacts* facts, const backends::Measurement& measurement, Finding& finding);

// One for every way with figures that failed: of the way itself, or of one library or kernel on a way that
// others show to compute.
void AddMeasurements(const Tables& tables, const Report& report, std::vector<Finding>& out);

// What stands around a driver or a card rather than in it, and may be why it fails or disappoints: limits on
// this process, folders that are not mounted, variables, and how an integrated GPU shares the host's memory.

// Whether a driver that is well may have failed so. A refusal is this tool's own, and want of memory has its
// own advice.
[[nodiscard]] bool MayComeOfCircumstances(probe::Outcome outcome, const std::optional<probe::Error>& error);
[[nodiscard]] bool MayComeOfCircumstances(const backends::Measurement& measurement);
// Puts those of this report first in what the finding means and in its fixes; where a table knows the error,
// what that says comes after them.
void BlameCircumstances(const Report& report, bool is_known, Finding& finding);

// Where a finding advises to join groups for nodes that this user may not open: those that own the nodes, if
// that is told, in the place of those that distributions give such nodes; and of nodes that no group may
// open, that.
void NameGroups(const Tables& tables, const Report& report, std::vector<Finding>& findings);

// A variable that hides GPUs shows in several places: in the GPUs, in the runtimes that read it, in their
// warnings. It is one thing to mend, of which one finding tells: of the GPU that nothing else reaches, else
// of the first runtime.

// The names of variables of which there is such a finding, with the makers whose GPUs it is about, as
// tables of runtimes name them ("": nobody's alone), and whether these are all among them.
using ToldVariables = std::map<std::string, std::set<std::string>>;
[[nodiscard]] bool AreTold(const ToldVariables& told,
                           const std::vector<probe::EnvironmentVariable>& variables);
// The GPUs that nothing reaches and variables hide: whatever is missing beside that, first nothing may hide
// them. Those that the same variables hide for the same reason have one finding.
class HiddenGpus {
 public:
  // Makes of what is told of any such GPU its finding, or adds the GPU to the one that is in `out`, of which
  // nothing may be taken meanwhile.
  void Tell(const Report& report, const probe::PhysicalDevice& device,
            const std::vector<probe::EnvironmentVariable>& variables, Finding finding,
            std::vector<Finding>& out);
  [[nodiscard]] const ToldVariables& told() const { return told_; }

 private:
  struct Group {
    std::vector<const probe::PhysicalDevice*> devices;
    std::size_t place = 0;
  };
  std::map<std::string, Group> groups_;  // by the settings and what is wrong with them
  ToldVariables told_;
};
// Of a runtime that shows no device and whose error names variables, which may be why: what would tell.
void SuspectVariables(const probe::ProbeReport& probe, Finding& finding);
// Of a runtime that they hide every device from.
void BlameVariables(const RuntimeFacts* facts, const Report& report, const probe::ProbeReport& probe,
                    Finding& finding);

// Which runtimes tell of variables of which no GPU's finding does.
class HidingRuntimes {
 public:
  HidingRuntimes(const Tables& tables, const Report& report, const ToldVariables& by_devices);
  [[nodiscard]] bool IsToldElsewhere(const probe::ProbeReport& probe) const;
  [[nodiscard]] bool IsToldElsewhere(const probe::ProbeReport& probe,
                                     const probe::DriverReport& driver) const;
  [[nodiscard]] const ToldVariables& told() const { return told_; }

 private:
  ToldVariables told_;
  std::set<std::string> telling_;  // modules
};

// Whether what became of a runtime became of one of its drivers, whose finding tells it.
[[nodiscard]] bool IsOfDriver(const probe::ProbeReport& probe);

// One for every variable that is set and that a probe warns of, unless it is told or a note.
[[nodiscard]] std::string VariableId(std::string_view module, std::string_view variable);
void AddVariables(const Report& report, const ToldVariables& told, std::vector<Finding>& out);
// Of a GPU that no runtime reaches: that its maker's runtime tells of one of which it knows no place why it
// does not reach that (probe::UnplacedHardware). False where it tells of none.
bool BlameUnplaced(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                   Finding& finding);
// One for a GPU of which a runtime's driver tells so and that is none of this machine's devices.
void AddUnplaced(const Tables& tables, const Report& report, std::vector<Finding>& out);
// What modules note of devices (probe/core/note.h), unless a variable's finding tells it: one for all of
// which it is noted.
[[nodiscard]] bool IsNoted(const Report& report, std::string_view module, std::string_view text);
void AddNotes(const Tables& tables, const Report& report, std::vector<Finding>& out);
// Of a device that nothing measures here: in whose words it is told, and what to install for it.
void TellRuntimeOf(const probe::PhysicalDevice& device, const probe::NotMeasurable& why, Finding& finding);
// A note for an accelerator of that kind.
void AddNotMeasurable(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out);
// Of a processor: that the machine runs on its battery or is told to save power.
void AddPower(const probe::PhysicalDevice& device, std::vector<Finding>& out);
// A figure that others leave no memory for: it was not tried, or failed for that on a card that they fill.
[[nodiscard]] bool IsLeftToOthers(const probe::PhysicalDevice& device,
                                  const backends::Measurement& measurement);
// One for a device of which there are such, by whichever runtimes.
void AddLeftToOthers(const Tables& tables, const Report& report, const MeasurementIndex& measurements,
                     const probe::PhysicalDevice& device, std::vector<Finding>& out);
// A note for each card whose link was, while it was measured, less than it can.
void AddNarrowLinks(const Report& report, std::vector<Finding>& out);
// A note for a runtime that took long to get ready of GPUs that nothing keeps so between programs.
void AddSlowStarts(const Tables& tables, const Report& report, std::vector<Finding>& out);
// A note for an integrated GPU whose own part of the memory is smaller than what the kernel lends it.
void AddLentMemory(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out);

// Whether a GPU is worth mending: an old display card beside a working one is not what a reader came for.

// Whether the answer could be another if all that stands between this GPU and its use were mended: where no
// answer was asked for or none is a GPU, it may; beside a GPU that was chosen by what is known of both, the
// data sheets before measurements before the size of the memory. One of which nothing is known may not: the
// answer works without it.
[[nodiscard]] bool MayChangeAnswer(const Report& report, const probe::PhysicalDevice& gpu);

// Marks the findings that are about GPUs which may not, and makes notes of them. What a driver only claims to
// be a GPU stays: that is a fault in itself.
void SetAsideWhatChangesNothing(const Tables& tables, const Report& report, std::vector<Finding>& findings);

// Of a runtime that is not installed and that the answer's build brings nothing is to be done.
void SpareWhatIsBrought(const Report& report, std::vector<Finding>& findings);

}  // namespace report::explain
