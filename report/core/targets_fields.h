// SPDX-License-Identifier: MIT
// The field lists of the tables of programs, for probe/core/codec.h.
#pragma once

#include "probe/core/codec.h"
#include "report/core/targets.h"

namespace report {

WHICHGPU_FIELDS(BuildNeeds, os, machine, wsl, glibc, driver, driver_tested, driver_below, api, api_below,
                vendors, kernel_drivers, driver_names, architectures, architectures_of, intermediate,
                architectures_below, features)
WHICHGPU_FIELDS(Prerequisite, library, text, command)
WHICHGPU_FIELDS(Build, id, backend, through, uses, brings_runtime, needs, package, version, packages, index,
                extra_index, find_links, asset, provider, image, options, cmake, command, runs_pip, on_host,
                note, missing, source, date)
WHICHGPU_FIELDS(ProgramVisibility, backend, variable, source)
// The name is the file's.
WHICHGPU_FIELDS(TargetTable, format, title, names, source, date, uses, absent, visible, builds)

}  // namespace report
