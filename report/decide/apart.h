// SPDX-License-Identifier: MIT
// Drivers that share a name are told apart, so that what one of them did is never said of the other.
#pragma once

#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/device.h"

namespace report {

// Of the views of one device that one runtime has by drivers of one name, registered by different files, all
// but the first get a number behind the driver's name, " (2)", and so do the measurements of theirs: one of
// them may claim a neighbour's card, compute wrongly and die. A GPU that this happens to has a conflict that
// says so. For the answer only: probes and records keep what the drivers said.
void TellDriversApart(std::vector<probe::PhysicalDevice>& devices,
                      std::vector<backends::Measurement>& measurements);

}  // namespace report
