// SPDX-License-Identifier: MIT
// How an outcome is said, once, for every place that says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report {

struct StatusRow {
  backends::MeasurementStatus status;
  std::string_view phrase;  // what happened to the kernel: "gave a wrong result"
  int weight;               // which of several reasons is told: the heaviest
};
[[nodiscard]] const StatusRow& Row(backends::MeasurementStatus status);

// It has no figure because arrays that main memory would have to hold are in the caches.
[[nodiscard]] bool IsInTheCaches(const backends::Measurement& measurement);
// Ends the sentence of how a context ended, and behind it all that was to be measured.
inline constexpr std::string_view kAndWithIt = ", and with it whatever was to come";
// The device was lost while it was measured and no kernel of those that were to be measured did it: it stands
// for all that was to come, and for no figure.
[[nodiscard]] bool IsLoss(const backends::Measurement& measurement);
// "gave a wrong result"
[[nodiscard]] std::string_view PhraseOf(const backends::Measurement& measurement);
// "its fp32 matrix product gave a wrong result (relative error 0.7)"; with `by` "its fp32 matrix product by
// own:simt gave ...". Of a loss "the device was lost while it was measured (...)".
[[nodiscard]] std::string FailureText(const backends::Measurement& measurement, std::string_view by = "");
// Its implementation where several may do this kernel's work, else "".
[[nodiscard]] std::string_view ImplementationOf(const backends::Measurement& measurement);

[[nodiscard]] bool IsLeftOut(const probe::ProbeReport& probe);
// Whether its reason names this error of its runtime's: "CL_OUT_OF_RESOURCES (-5)", or of what the tool loads
// to compile its own kernels: "dlopen libhiprtc.so.6: unloadable: ...".
[[nodiscard]] bool NamesError(const backends::Measurement& measurement, std::string_view error);
// The variables of the probe's environment that the warning of this probe names, in its order.
[[nodiscard]] std::vector<probe::EnvironmentVariable> VariablesIn(const probe::ProbeReport& probe,
                                                                  std::string_view warning);
// "the memory limit of 64 MiB ended it", and whether that is why there is no figure.
[[nodiscard]] std::string OutOfMemoryText(std::optional<std::uint64_t> limit_bytes);
[[nodiscard]] bool IsOutOfMemory(const backends::Measurement& measurement);

// That a SIGKILL which was not this tool's ended a process, and of a measurement whether one did. No fault of
// a program's own raises it: the kernel, a job's limit or somebody sends it, or a driver on purpose.
inline constexpr std::string_view kKilledError = "killed";  // as the name of a probe's error
[[nodiscard]] bool IsKill(const probe::ProcessExit& exit);
[[nodiscard]] std::string KilledText();
[[nodiscard]] bool WasKilled(const backends::Measurement& measurement);

// Whether a runtime that is there has no device only because nothing told of it: no word to anybody's loss.
[[nodiscard]] bool IsUntold(const probe::ProbeReport& probe);

// "Vulkan crashed while it was asked (signal 11, at enumerate)". `detail` alone: what stands in the brackets.
[[nodiscard]] std::string OutcomeText(const Tables& tables, const probe::ProbeReport& probe);
[[nodiscard]] std::string OutcomeText(const Tables& tables, std::string_view runtime,
                                      const probe::DriverReport& driver);

// Of a GPU whose rates nobody knows.
[[nodiscard]] std::string UnknownRatesText(const probe::PhysicalDevice& device);

// The sentences, with "; " between them.
[[nodiscard]] std::string Joined(const std::vector<Reason>& reasons);

// How a program is kept to the answer's device: " with A=1 B=2", or why nothing does; "" where that is not
// known.
[[nodiscard]] std::string KeptBy(const Tables& tables, const Recommendation& answer);

// What is to be done: "Llama 3 8B Q4_K_M", "training".
[[nodiscard]] std::string WorkText(const Report& report, Use use);
// That nobody says how much of that memory there is which has to hold the work of each score, all of them of
// one device or of none but the processor's memory, and how to say it.
[[nodiscard]] std::string UntoldMemoryText(const Report& report, const std::vector<const Score*>& scores);
// Of an answer that is for less than the work that was asked about: "nothing here fits training: ...".
[[nodiscard]] std::string NothingFitsText(const Report& report, const Recommendation& answer);

// Of a runtime that no probe of the report is of: "CUDA was not asked: --only, --skip or --sysroot left it
// out, or whatever looked here can not", or that this version can not.
[[nodiscard]] std::string NotAskedText(const Tables& tables, std::string_view runtime);

// The driver's name, else the base name of its manifest, else "a driver".
[[nodiscard]] std::string DriverName(const probe::DriverReport& driver);

}  // namespace report
