// SPDX-License-Identifier: MIT
// The field lists of the tables, for probe/core/codec.h.
#pragma once

#include <array>

#include "probe/core/fields.h"
#include "report/core/request.h"
#include "report/core/tables.h"

namespace probe {

WHICHGPU_NAMES(report::FactorBasis, {kFitted, "fitted"}, {kAssumed, "assumed"})
WHICHGPU_NAMES(report::Action, {kInstall, "install"}, {kReinstall, "reinstall"}, {kRemove, "remove"},
               {kJoinGroups, "join_groups"}, {kStartService, "start_service"})
WHICHGPU_NAMES(report::NamedBy, {kUuid, "uuid"}, {kOrdinal, "ordinal"}, {kIds, "ids"})
WHICHGPU_NAMES(report::Spares, {kOwnRuntime, "own_runtime"}, {kOwnCode, "own_code"})
WHICHGPU_NAMES(report::TargetForm, {kVersion, "version"}, {kWord, "word"}, {kRelease, "release"})

}  // namespace probe

namespace report {

WHICHGPU_FIELDS(Visibility, variable, value, prefix, partition_prefix, alone)
WHICHGPU_FIELDS(ArchitectureDrivers, architecture, api, first, below, source)
WHICHGPU_FIELDS(RuntimeInstead, architectures, os, programs, runtime, source)
WHICHGPU_FIELDS(TargetFacts, prefix, form, key, alone, drivers, known, known_source, unserved, also)
WHICHGPU_FIELDS(Factor, value, low, high, basis, source, date)
WHICHGPU_FIELDS(TileFactors, implementation, prefill, decode)
WHICHGPU_FIELDS(WeightFactors, weights, decode, prefill, tiles)
WHICHGPU_FIELDS(WholeFactors, weights, prefill)
WHICHGPU_FIELDS(BroughtLayers, tokens, source, date)
WHICHGPU_FIELDS(RuntimeFactors, decode, prefill, training, weights, whole, brought)
WHICHGPU_FIELDS(Maturity, inference, training, source, date)
WHICHGPU_FIELDS(TrainingSupport, supported, reason)
WHICHGPU_FIELDS(InstallHint, text, packages, drivers, file)
WHICHGPU_FIELDS(GuideClaim, relative_to, low, high, source, date)
WHICHGPU_FIELDS(Advice, inference, training, without_gpu)
WHICHGPU_FIELDS(Remedy, action, what)
WHICHGPU_FIELDS(FixFacts, text, command, remedy, on_host, needs_root, needs_reboot)
WHICHGPU_FIELDS(ChipOverride, variable, driver, source)
WHICHGPU_FIELDS(ErrorPlace, libraries, beside, container, variable, without)
WHICHGPU_FIELDS(ErrorFacts, name, layer, meaning, fix, of_kernel, spares, call, also, where)

WHICHGPU_FIELDS(StandsOn, fact, runtimes, source)
WHICHGPU_FIELDS(WslDriver, linux_version, windows_version, source)

// The name is the file's.
WHICHGPU_FIELDS(RuntimeFacts, title, names, vendor, maturity, factors, training, advice, install, guides,
                errors, visibility, target, driver_variable, wsl_drivers, system_drivers_below, chip_override,
                pretending, helpers, stands_on)

WHICHGPU_FIELDS(Fit, decode, token_overhead_s, prefill, matrix_power, scalar_share, training)

}  // namespace report
