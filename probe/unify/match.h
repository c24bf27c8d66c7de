// SPDX-License-Identifier: MIT
// Which hardware a runtime's device is. Works on drafts: physical devices in the making.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"

namespace probe::unify {

// The host processor, sockets together.
inline constexpr std::string_view kHostId = "cpu:0";

struct Draft {
  std::string id;
  Identity identity;  // of the hardware, and what its views add to it
  std::optional<HardwareDevice> hardware;
  std::vector<View> views;
  std::optional<std::string> parent_id;
  std::vector<Conflict> conflicts;
};

// `pci:...`, with the partition; `uuid:...`; nullopt without either.
[[nodiscard]] std::optional<std::string> IdOf(const Identity& identity);

// Attaches every device to a draft, making new ones for what no draft is. `devices` must be sorted; the
// result then depends on nothing but the set of devices and drafts. Devices of the processor are not meant to
// be among them.
void Match(std::vector<RuntimeDevice> devices, std::vector<Draft>& drafts);

}  // namespace probe::unify
