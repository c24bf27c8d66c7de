// SPDX-License-Identifier: MIT
// Turns what findings say has to be done into commands for this machine: by its distribution and release, by
// the card, and by whether it is the machine itself. Where none is known the sentence stands alone. Pure.
#pragma once

#include "report/core/report.h"
#include "report/core/targets.h"

namespace report::advise {

// Fills the commands of all fixes, report.advice and report.as_root.
void Advise(Report& report);

// Says of what the artefact wants beside it, a build of the program, how this machine's distribution has it;
// and adds, for packages of Python's, an environment where the system's Python takes them nowhere else.
void AddEnvironment(const Host& host, const TargetTable& target, Artefact& artefact);

}  // namespace report::advise
