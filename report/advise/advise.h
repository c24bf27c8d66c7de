// SPDX-License-Identifier: MIT
// Turns what findings say has to be done into commands for this machine: by its distribution and release, by
// the card, and by whether it is the machine itself. Where none is known the sentence stands alone. Pure.
#pragma once

#include "report/core/report.h"

namespace report::advise {

// Fills the commands of all fixes, report.advice and report.as_root.
void Advise(Report& report);

// Adds to what packages of Python's want beside them: an environment, where the system's Python takes them
// nowhere else.
void AddEnvironment(const Host& host, Artefact& artefact);

}  // namespace report::advise
