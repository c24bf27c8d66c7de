// SPDX-License-Identifier: MIT
// Programs that people install, and the builds of each that there are: data/targets/<name>.json, each row a
// fact with its source. What fits here is decided in report/targets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"

namespace report {

// The conditions of a build; all that are there must hold. Versions are dotted numbers, compared number by
// number.
struct BuildNeeds {
  std::optional<std::vector<std::string>> os;       // linux, windows, macos
  std::optional<std::vector<std::string>> machine;  // x86_64, aarch64
  std::optional<bool> wsl;                          // Linux in Windows, or any other
  std::optional<std::string> glibc;                 // the least; another libc does not do
  // Of the GPU's driver: the least that runs it, the least that its makers test, and the first that no longer
  // does.
  std::optional<std::string> driver;
  std::optional<std::string> driver_tested;
  std::optional<std::string> driver_below;
  std::optional<std::string> api;  // of the runtime's interface, as the driver or the library says it
  std::optional<std::string> api_below;
  // Of the GPU, PCI's numbers: "8086"; of a build for the processor, of a GPU that must show beside it.
  std::optional<std::vector<std::string>> vendors;
  std::optional<std::vector<std::string>> kernel_drivers;  // one of which the GPU is bound to
  std::optional<std::vector<std::string>> driver_names;    // how the runtime's name of its driver begins
  // What it has machine code for, as people write the architectures of its backend, and what newer devices
  // can compile.
  std::optional<std::vector<std::string>> architectures;
  // In the place of architectures a list of data/code_lists.csv by its name, which then fills them in.
  std::optional<std::string> architectures_of;
  std::optional<std::string> intermediate;
  std::optional<std::string> architectures_below;    // the first that it fails on, whoever compiles for it
  std::optional<std::vector<std::string>> features;  // of the processor
};

// What it wants beside it and does not bring; no condition.
struct Prerequisite {
  std::optional<std::string> library;
  std::string text;
  std::optional<std::string> command;
};

// One artefact that can be installed. What is absent it does not have.
struct Build {
  std::string id;
  std::string backend;                 // a runtime's name
  std::optional<std::string> through;  // the runtime by which it computes: on top of that, or beside
  std::optional<std::vector<std::string>> uses;  // kRunsModels, kTrainsModels; absent: the program's
  std::optional<bool> brings_runtime;            // the kernel's driver is enough
  std::optional<BuildNeeds> needs;
  std::optional<std::string> package;  // of a Python package index, with bounds (PEP 440)
  std::optional<std::string> version;
  std::optional<std::vector<std::string>> packages;
  std::optional<std::string> index;
  std::optional<bool> extra_index;  // the index is asked beside the usual one
  std::optional<std::string> find_links;
  std::optional<std::string> asset;     // the file of a release
  std::optional<std::string> provider;  // the name by which the program selects it
  std::optional<std::string> image;     // of a container, and the flags of its start
  std::optional<std::vector<std::string>> options;
  std::optional<std::vector<std::string>> cmake;
  std::optional<std::string> command;
  std::optional<bool> runs_pip;  // the command does, in whatever Python there is
  std::optional<bool> on_host;   // it installs what belongs to the machine, and no image can run it
  std::optional<std::string> note;
  std::optional<std::vector<Prerequisite>> missing;
  std::optional<std::string> source;
  std::optional<std::string> date;
};

// Whether it computes by that runtime: its own, or one on top of that. One beside its own (`through`) has
// rows of its own.
struct RuntimeFacts;
[[nodiscard]] bool ComputesBy(const Build& build, const RuntimeFacts& facts);

// A variable that shows this program one device alone, by its number among those that the backend lists.
struct ProgramVisibility {
  std::string backend;
  std::string variable;
  std::string source;
};

// The uses that tables tell apart: engines that only run models have no use for training.
inline constexpr std::string_view kRunsModels = "inference";
inline constexpr std::string_view kTrainsModels = "training";

// Of the tables that this version reads; one with another meaning has a higher number. Since 2 a build may
// name a list of architectures (architectures_of) and a runtime on top of its backend or beside it (through).
inline constexpr std::uint32_t kTargetFormat = 2;

struct TargetTable {
  std::string name;                     // the file's
  std::optional<std::uint32_t> format;  // absent: the first
  std::string title;
  std::optional<std::vector<std::string>> names;  // what else people call it
  std::string source;
  std::string date;
  std::optional<std::vector<std::string>> uses;
  std::optional<std::string> absent;                      // of what it has no build for
  std::optional<std::vector<ProgramVisibility>> visible;  // where it has variables of its own
  std::vector<Build> builds;                              // of one backend the better first
};

// Architectures that builds of several programs have machine code for: all bring the same one.
struct CodeList {
  std::string name;
  std::string runtime;
  std::vector<std::string> architectures;
  std::string date;
  std::string source;
};
[[nodiscard]] const std::vector<CodeList>& CodeLists();
[[nodiscard]] const CodeList* FindCodeList(std::string_view name);  // nullptr: there is none

// Whether a driver does that the makers of a build never tried: minimum, or only what they test.
enum class Policy { kMinimum, kTested };

// One file's content. Errors name the key and what would be right.
[[nodiscard]] probe::Result<TargetTable> DecodeTarget(std::string_view name, std::string_view json);

// The names of the tables of this build, in order.
[[nodiscard]] std::vector<std::string> TargetNames();

// Of that name, or of one that people use for it (letters' case does not matter); the error lists the names.
[[nodiscard]] probe::Result<TargetTable> EmbeddedTarget(std::string_view name);

}  // namespace report
