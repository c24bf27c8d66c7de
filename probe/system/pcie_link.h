// SPDX-License-Identifier: MIT
// The link of a PCI card, as Linux shows it below /sys: that of this moment. Many cards lower it while they
// idle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// Generation of a transfer rate as sysfs writes it, "16.0 GT/s PCIe" -> 4; nullopt for "Unknown" and anything
// else.
[[nodiscard]] std::optional<std::uint32_t> Generation(std::string_view rate);

struct CardLink {
  std::optional<PcieLink> link;
  bool internal = false;  // only a link inside the card is visible: it says nothing about the slot
};

// Cards with a switch of their own (Intel Arc, AMD since Navi) show a link inside the card at the graphics
// function; the slot's link is then that of the switch's upstream port, two bridges above. `may_be_inner`:
// the maker is one of those (Vendor::shows_inner_link).
[[nodiscard]] CardLink ReadCardLink(const FileSystem& files, const std::string& directory, bool may_be_inner);

}  // namespace probe::system
