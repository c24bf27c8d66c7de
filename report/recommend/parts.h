// SPDX-License-Identifier: MIT
// The parts of a recommendation beside the choice itself: the sentences that say why one way was taken and
// not another, every option that was not taken, and the variables that select what was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::recommend {

using Scores = std::vector<const Score*>;

// How much software is ready for a runtime, by the tables; what breaks a tie.
[[nodiscard]] std::uint32_t MaturityOf(const Tables& tables, const Score& score);
// Bytes that the way may use of its device; 0 where nobody says. What breaks a tie of equal maturity.
[[nodiscard]] double MemoryOf(const Report& report, const Score& score);

// Reasons; one without a text where there is nothing to say.

// Why `chosen`, which is one of `tied`, is ahead of the others.
[[nodiscard]] Reason TieReason(const Tables& tables, const Report& report, const Score& chosen,
                               const Scores& tied);
// Against the fastest of what does not tie. Of the rates that order: assumed software factors are not in it.
[[nodiscard]] Reason LeadReason(const Report& report, const Scores& ordered, const Scores& tied,
                                const Score& chosen);
// What the software devices of the chosen processor are worth.
[[nodiscard]] Reason SoftwareReason(const Report& report, const probe::PhysicalDevice& device,
                                    const Score& chosen);
// What a person asks first when the answer is the processor. `rejected`, of this use, says what became of the
// GPUs.
[[nodiscard]] Reason NoGpuReason(const Report& report, Use use, const std::vector<Rejected>& rejected);
// Beside that: of the accelerators that are here and that nothing measures, what the program can use.
[[nodiscard]] Reason NotMeasurableReason(const Report& report);
// Of each kind of device that nothing measures and that the program which the answer is for can use: how.
[[nodiscard]] std::vector<std::string> UsableOthers(const Report& report);
// Why a way that was measured on other hardware is no option for this use, where that is all there is to say.
[[nodiscard]] Reason OnlyOptionReason(const Report& report, const Score& chosen);
// What became of the processor's own figures.
[[nodiscard]] Reason UnmeasuredReason(const Report& report, const Recommendation& answer);
// Where the processor's own runtime was left out: which ones were not.
[[nodiscard]] Reason AskedReason(const Tables& tables, const Report& report, const Recommendation& answer);

// Of a described machine's GPU that is left out because the caller's runtimes for it are not said to be
// there.
void WarnOfUntold(const Tables& tables, const Report& report, Recommendation& answer);

// That of equal GPUs the figures are of one.
[[nodiscard]] Reason OneOfSeveralReason(const Report& report, const Score& chosen);

// Of a way whose work nothing here holds: what decides that.
[[nodiscard]] NothingFits NothingFitsOf(const Score& chosen);
// Of memory that nobody says and that is supposed to hold the work.
void WarnOfMemory(const Report& report, const Score& chosen, Recommendation& answer);

// `chosen` is the score that was taken (nullptr: none was); those in `tied` are equal to it, the fastest
// first, and not rejected.
[[nodiscard]] std::vector<Rejected> RejectedOptions(const Tables& tables, const Report& report, Use use,
                                                    const Score* chosen,
                                                    const std::vector<const Score*>& tied);

// "cuda on NVIDIA GeForce RTX 4090"
[[nodiscard]] std::string WayText(const Report& report, const Score& score);
// "it measures 86 % of the speed of cuda on GPU 1". What a percentage would call the whole is told as equal.
[[nodiscard]] std::string ComparedText(const Report& report, const Score& score, const Score& than,
                                       double share);

// What a percentage without decimals calls the whole.
inline constexpr double kWhole = 0.995;

// Why a way is none of those that the caller has a use for, and the option that says so; no option of one
// whose runtime stands on another that the caller has a use for on the same device. What stands on a runtime
// that the caller excludes is excluded with it.
struct Omission {
  std::string_view option;
  std::string reason;
  bool can_be_mended = true;  // false where the caller's program has no build for such a way
};
// nullopt of a way that report.terms leave.
[[nodiscard]] std::optional<Omission> OmissionOf(const Report& report, const Score& score);

// Whether it is of a runtime and of a device that the terms leave, whatever is known of it.
[[nodiscard]] bool IsNamed(const Report& report, const Score& score);
// Whether an interrupt ended the run before everything that it meant to measure was.
[[nodiscard]] bool IsCutShort(const Report& report);

// Of a way that the terms leave out and that would have been faster than what was chosen: how much of its
// speed is left.
[[nodiscard]] Reason FasterReason(const Report& report, const Score& chosen);
// Of an answer whose memory does not hold the work: that it does not, and what does.
[[nodiscard]] std::string NotHeldText(const Report& report, const Score& chosen);
// Where nothing that the terms leave was measured: what else was, and which option leaves that out.
[[nodiscard]] Reason OmittedReason(const Report& report, Use use);

// What selects the answer's device: the program's own variable where the device's number for it is certain,
// else those of the runtime's table. Then what selects its driver, where several drivers of the runtime reach
// the device, or where the number is one among that driver's. Left out: what nobody knows an identifier
// for, and a path that a shell or the variable's reader would take for something else.
[[nodiscard]] std::vector<Selection> EnvironmentOf(const Tables& tables, const Report& report,
                                                   const Recommendation& answer);
// Where programs also see a GPU by the answer's runtime that failed here. Reads answer.environment.
void WarnOfFailedBeside(const Tables& tables, const Report& report, Recommendation& answer);

// Fills in how builds are told the architecture of the answer's device, and those of every GPU here that its
// backend reaches and the terms do not exclude. What the runtime's table has no form for is left out.
void AddArchitectures(const Tables& tables, const Report& report, Recommendation& answer);

}  // namespace report::recommend
