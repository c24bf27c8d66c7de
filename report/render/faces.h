// SPDX-License-Identifier: MIT
// The faces of a report and of a comparison: pages for people, words and assignments for scripts, one JSON
// object for machines (data/schema/). Pure: a replayed report has the same faces.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probe/core/json.h"
#include "report/core/comparison.h"
#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/render/terminal.h"

namespace report::render {

// `whichgpu`, on one screen: the answer, a line a way, what does not work, what to do. At 80 columns and more
// of at most 15 lines, with several GPUs 20; what has no room there is counted and stands in Text.
[[nodiscard]] std::string Screen(const Tables& tables, const Report& report, const TerminalOptions& options);

// `whichgpu --details`: everything. The first three lines hold backend, device, rate and the reason at 80
// columns and more, the first four at 60, here and in Screen.
[[nodiscard]] std::string Text(const Tables& tables, const Report& report, const TerminalOptions& options);

// `whichgpu list`: devices, the ways to reach them, runtimes that gave nothing. No figures.
[[nodiscard]] std::string ListText(const Tables& tables, const Report& report,
                                   const TerminalOptions& options);

// The backend alone, of the closed set of runtime names: lower-case letters, digits and underscores, for use
// in a shell without quoting. "unknown" for anything else, which no runtime of the build is called.
[[nodiscard]] std::string Token(const Recommendation& recommendation);

// Thirteen assignments, in this order, to be given to `eval` or sourced:
//   WHICHGPU_STATUS          measured, cached, estimated, assumed, or none: there is no answer
//   WHICHGPU_BACKEND         as Token
//   WHICHGPU_DEVICE          the device's id
//   WHICHGPU_VISIBLE         NAME=VALUE of the variable that shows this device alone
//   WHICHGPU_DRIVER          NAME=VALUE of the variable that makes the runtime take this driver
//   WHICHGPU_NAME            what the device is called
//   WHICHGPU_VENDOR          its maker, a word of data/vendors.csv in lower case
//   WHICHGPU_ARCH            its architecture, as builds for the backend are told it: 8.9, gfx1100
//   WHICHGPU_DRIVER_VERSION, WHICHGPU_API_VERSION  as the driver says them
//   WHICHGPU_MEMORY_MIB, WHICHGPU_FREE_MIB         all its memory, and what of it this process may use
//   WHICHGPU_FITS            whether the memory there holds the work: yes, no
// Empty is what nobody needs or knows, and all but the status without an answer. Values consist of letters,
// digits and _ . : , # = - / alone; whatever else a driver may say becomes "_". Shell quotes them all the
// same; Env does not, so that it is also an environment file.
[[nodiscard]] std::string Shell(const Report& report);
[[nodiscard]] std::string Env(const Report& report);

// Of a program's build in one word: the name by which the program selects it, the file of a release, the
// image of a container, else the row's id ("cu130"). "" without one.
[[nodiscard]] std::string ArtefactWord(const Recommendation& answer);

// What plain prints where a program is named, without its newline: the command that gets the build, else the
// options that select it, else ArtefactWord.
[[nodiscard]] std::string TargetLine(const Recommendation& answer);

// A file of requirements for pip, with their index. "" where the answer is no Python package.
[[nodiscard]] std::string Pip(const Report& report);
// An instruction of a Dockerfile: FROM the image, else RUN the command. "" where there is neither.
[[nodiscard]] std::string Dockerfile(const Report& report);

// The same as set() commands of CMake, whose lists have semicolons between their words, and one more:
//   WHICHGPU_ARCHITECTURES   of all GPUs that the backend reaches, as CMake is told them: 89, gfx1100
[[nodiscard]] std::string CMake(const Report& report);

// "no answer for --among hip: ROCm is not installed"
[[nodiscard]] std::string NoAnswerText(const NoAnswer& none);

// Whether the first answer is what --require asks for: a runtime, or "gpu"; one that nothing showed to work
// is neither. And of one that is not why: "required gpu, got cpu: there is no GPU in this machine". That the
// answer is better than the processor is no reason of that.
[[nodiscard]] bool Meets(const Report& report, const std::string& requirement);
[[nodiscard]] std::string UnmetText(const Tables& tables, const Report& report,
                                    const std::string& requirement);

// The first recommendation for a person: what, why, what limits it, what to do, and what else there is, each
// behind its label; or why there is none.
[[nodiscard]] std::string Why(const Tables& tables, const Report& report, const TerminalOptions& options);

enum class MachineCode : int { kUsableGpu = 0, kNoGpu = 10, kUnusableGpu = 11, kGpuNotAsked = 12 };

// For --exit-code. Usable: a kernel of a GPU was verified there, and it may be recommended. Needs scores.
[[nodiscard]] MachineCode ExitCodeOf(const Report& report);

// Commands that have an object here: report, list, recommend.
[[nodiscard]] std::span<const std::string_view> JsonCommands();

// The keys that the contract gives `command`, every string cleaned. Runtimes' and hardware's own devices
// appear under devices[] alone, not once more under probes[]. `command` must be one of JsonCommands().
[[nodiscard]] probe::Json JsonObject(const Report& report, std::string_view command);

// The object as indented text with one final newline.
[[nodiscard]] std::string Json(const Report& report, std::string_view command);

// The verdict first, then what changed; what stayed the same is counted, and listed with `verbose`.
[[nodiscard]] std::string ComparisonText(const Comparison& comparison, const TerminalOptions& options);

// As JsonObject.
[[nodiscard]] probe::Json ComparisonObject(const Comparison& comparison);
[[nodiscard]] std::string ComparisonJson(const Comparison& comparison);

}  // namespace report::render
