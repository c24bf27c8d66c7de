// SPDX-License-Identifier: MIT
// Joins what the modules saw into physical devices. A pure function of the reports: no index, no order of
// arrival and no clock decides anything.
#pragma once

#include <span>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/report.h"

namespace probe::unify {

// Matches by (PCI address, partition), the device number of a DRM node, UUID, partition parent, the only
// candidate of that vendor and kind (or, for a GPU that is part of a chip, the only one at all), then
// normalised name and memory; records which. Software devices become views of cpu:0, which always exists.
// Order: GPUs and accelerators by id, then the processor.
//
// Ids: `pci:<address>[#partition]`; `uuid:<uuid>` without an address; `cpu:0`; `platform:<name>` for hardware
// that is on no PCI bus, `usb:<position>` on USB; and, for what a runtime reports without any identity,
// `<runtime>:<driver>:<ordinal>` with the driver's name in lower case letters, digits and dashes. A view that
// no hardware or other driver backs is matched by "none".
//
// Two cards that a runtime does not tell apart are never paired by position: the view then is a device of its
// own, with a conflict on `identity` that names the candidates.
//
// environment_hidden is the view's fact `hidden_by` where the report's environment holds that variable: only
// the module knows which of its devices a variable hides.
//
// memory: total and free are of one source, for two may count different parts: of a card what the kernel
// knows of its own memory or, where that is not what is free, the driver that counts the same; else the
// driver that counts most, of drivers that count the same the one that says that least is free. usable_bytes
// is what one program may count on now: free, or for a GPU that shares the host's memory an estimate, its
// free carve-out and as much of GTT as the host has free; for the processor, free within its control group's
// limit.
[[nodiscard]] std::vector<PhysicalDevice> Unify(std::span<const ProbeReport> reports);

}  // namespace probe::unify
