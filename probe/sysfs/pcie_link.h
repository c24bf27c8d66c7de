// SPDX-License-Identifier: MIT
// The PCI Express link that connects a card to the machine.
#pragma once

#include <optional>
#include <string>

#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

// Generation of a transfer rate as sysfs writes it, "16.0 GT/s PCIe" -> 4; nullopt for "Unknown" and anything
// else.
[[nodiscard]] std::optional<std::uint32_t> Generation(std::string_view rate);

struct CardLink {
  std::optional<PcieLink> link;
  bool internal = false;  // only a link inside the card is visible: it says nothing about the slot
};

// Cards with a switch of their own (Intel Arc, AMD since Navi) show a link inside the card at the graphics
// function; the slot's link is then that of the switch's upstream port, two bridges above.
[[nodiscard]] CardLink ReadCardLink(const system::FileSystem& files, const std::string& directory);

}  // namespace probe::sysfs
