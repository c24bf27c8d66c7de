// SPDX-License-Identifier: MIT
// A machine that is not this one, in the caller's words: key=value,key=value, once for each device. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/core/warning.h"

namespace report::assume {

// What the rest of the program takes for what it found out itself.
struct Machine {
  Host host;
  std::vector<probe::ProbeReport> probes;  // of every runtime that is known: it answers, or is not installed
  std::vector<probe::PhysicalDevice> devices;
  std::vector<Warning> warnings;  // of what the tables do not know
};

// Of the device: vendor, name, kind (discrete, integrated), memory (24GiB), unified (yes, no: whether it is
// the processor's), count, driver (of the GPU), runtime (those that are installed, a:b, with versions as
// a@7.1; without it its maker's own), and its architecture by the key of a runtime's table. Of the machine,
// in any of the texts: ram (64GiB), os, arch, glibc (a version, or musl), wsl, container (yes, no).
// vendor=none: no GPU. A known card's name says the maker, and its memory. The error names the key or the
// combination that is impossible, and what would be right. `program`: the table that is asked about, for
// which a runtime may be taken to be there, too; what others lack is not warned of then.
[[nodiscard]] probe::Result<Machine> Imagine(const Tables& tables, const std::vector<std::string>& texts,
                                             const TargetTable* program = nullptr);

// The texts of --assume that a name of data/machines.csv stands for; letters' case does not matter. The error
// names those that are known, or the nearest, or the GPU that was written in the place of one.
[[nodiscard]] probe::Result<std::vector<std::string>> TextsOfMachine(std::string_view name);

[[nodiscard]] std::vector<std::string> MachineNames();

}  // namespace report::assume
