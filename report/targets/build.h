// SPDX-License-Identifier: MIT
// One build of a program: whether it runs by one way here (fits.cpp), and its row in words that can be used
// as they are (artefact.cpp); and what builds there are for each GPU here. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/core/targets.h"

namespace report::targets {

// What a build's conditions are held against, beside the device; what nobody tells is absent.
struct Machine {
  std::string os = "linux";
  std::optional<std::string> architecture;  // x86_64, aarch64
  bool is_wsl = false;
  std::optional<std::string> glibc;  // its version
  bool has_other_libc = false;
  const std::vector<std::string>* features = nullptr;  // of the processor
  std::vector<std::uint32_t> gpu_vendors{};            // PCI's numbers, of the GPUs that are seen
};
[[nodiscard]] Machine MachineOf(const Report& report);

// How far a build came before a condition failed; the further, the nearer it is to be the right one.
enum class Step { kMachine, kArchitecture, kDriver, kAll };
struct Verdict {
  Step reached = Step::kAll;
  bool is_here = true;       // it is for this system and this kind of processor
  bool is_meant = true;      // and has code for the device: what fails can be mended
  bool is_outgrown = false;  // is for an older driver, or one that is numbered otherwise
  // "needs driver 525.60.13 or newer, and here is 470.82.01"; "" where it fits. What nothing can mend before
  // what could be newer.
  std::string misfit{};
  std::string driver{};                // the least that would do, where it is the driver that is too old
  std::string api{};                   // and where it is the runtime
  std::vector<std::string> unknown{};  // conditions that nobody can tell of here, which are taken to hold
};
// One runtime's way to a device, which outlives it, and what the machine tells of that device beside it.
struct Way {
  const probe::View& view;
  std::optional<std::uint32_t> vendor{};          // PCI's number
  std::optional<std::string> kernel_driver{};     // nullopt of a described machine, too
  const probe::PhysicalDevice* device = nullptr;  // what else it may be where the view does not tell it
};
[[nodiscard]] Way WayOf(const probe::PhysicalDevice& device, const probe::View& view);

[[nodiscard]] Verdict Judge(const Tables& tables, const Build& build, const Machine& machine, const Way& way,
                            Policy policy);

[[nodiscard]] inline const TargetTable& TargetOf(const Report& report) { return *report.terms.target; }

// A way of which nothing is known but the runtime; and whether a device has any by that.
[[nodiscard]] probe::View OfRuntime(std::string_view runtime);
[[nodiscard]] bool HasViewBy(const probe::PhysicalDevice& device, std::string_view runtime);

// Warns, where the answer is a processor, of each GPU that the terms leave and that is not used (unused.cpp).
// Of those of which the same is to be said one sentence tells.
void WarnOfUnused(const Tables& tables, const Report& report, Recommendation& answer);
// Whether it runs by this way: by the runtime of its row, or by the one on top of that through which it
// computes, where that does not stand on another.
[[nodiscard]] bool Serves(const Tables& tables, const Build& build, const probe::View& view);
// That the caller has no use for the runtime through which it computes. "" of any other.
[[nodiscard]] std::string WhyExcluded(const Terms& terms, const Build& build);

// Whether the program, and this build of it, has this use.
[[nodiscard]] bool IsFor(const TargetTable& target, const Build& build, Use use);

// The places {architectures}, {arch} and {visible} in the row's texts become the answer's; a text with a
// place that nothing is known for is left out, and a list with such a text as a whole.
[[nodiscard]] Artefact ArtefactOf(const TargetTable& target, const Build& build,
                                  const Recommendation& answer);

// Its architectures: as a view by the runtime tells it, else as the kernel or the maker's name of the chip
// does, else those of all cards that are called so, of which there may be several. Empty where any may be.
[[nodiscard]] std::set<std::string> ArchitecturesBy(const RuntimeFacts& facts,
                                                    const probe::PhysicalDevice& device);
inline constexpr std::string_view kForSomeSoCalled =
    "is for some of the GPUs that are called so, and which of them this is is not known";

// What a person runs to get it: the row's own command, or pip's with its requirements and index. nullopt
// where neither is known.
[[nodiscard]] std::optional<std::string> CommandOf(const Build& build, const Artefact& artefact,
                                                   const Recommendation& answer);

// Of each GPU that the terms leave: by which runtimes the caller's program has code for it, and where by none
// the programs that the runtimes' tables name for the use and that have (gpu_builds.cpp).
[[nodiscard]] std::vector<GpuBuilds> BuildsOfGpus(const Tables& tables, const Report& report, Use use);

// "; what has code for it: llama.cpp by Vulkan (vulkan-x64)". "" where nothing is known to.
[[nodiscard]] std::string ServedText(const Tables& tables, const GpuBuilds& gpu);

// Whether the row's texts name the architecture of the answer's device, so that what they bring has code for
// no other.
[[nodiscard]] bool IsForOneArchitecture(const Build& build);

// The first place in the row's texts that nothing is known for: "{arch}". "" without.
[[nodiscard]] std::string UnfilledPlace(const Build& build, const Recommendation& answer);

}  // namespace report::targets
