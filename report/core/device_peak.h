// SPDX-License-Identifier: MIT
// Which row of data sheets' figures is a device's. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/core/tables.h"

namespace report {

// Of the rows with these numbers that of the first of the names which is one's product; else the first, the
// largest's. nullptr where the table does not have the numbers.
[[nodiscard]] const DevicePeak* RowOf(const Peaks& peaks, const probe::PciIds& ids,
                                      std::span<const std::string> names);
// By its PCI ids, and of the products of one id by the name of its revision, its own or its drivers'. Of what
// is part of a chip by its maker and name. nullptr where the table does not have it.
[[nodiscard]] const DevicePeak* FindPeak(const Peaks& peaks, const probe::PhysicalDevice& device);

// What may stand for a GPU without a row: the largest product with its number, where that is another one;
// else the cards of its kind and architecture, as makers call that or as runtimes do, and of these the
// nearest to it, those of its chip, where they can be told; for a part of a chip where there is none those of
// its generation. None for one that has a row.
[[nodiscard]] std::vector<const DevicePeak*> StandInsFor(const Peaks& peaks,
                                                         const probe::PhysicalDevice& device);
// The one of these that reads its memory slowest, of the nearest among those that are called most like it;
// nullptr where there is none.
[[nodiscard]] const DevicePeak* StandInFor(const Peaks& peaks, const probe::PhysicalDevice& device);
// Whether the nearest can be told: of a card that the table of PCI's numbers names.
[[nodiscard]] bool HasNearest(const probe::PhysicalDevice& device);
// The numbers of a row of a card; nullopt of a part of a chip.
[[nodiscard]] std::optional<probe::PciIds> IdsOf(const DevicePeak& row);

// Whether that is the name of one of the row's products ("Radeon RX 6900 XT / Radeon RX 6800 XT"), or a list
// of such. Memory and what stands in brackets need not be said, and blanks count as little as in SpelledAs.
[[nodiscard]] bool IsRowOf(const DevicePeak& row, std::string_view name);

// Whether PCI's numbers stand for several products, told apart by revision or by nothing
// (data/pci_names.csv).
[[nodiscard]] bool AreSeveral(const probe::PciIds& ids);

// Whether the device is a product which the row does not name, by its revision, else by what it and its
// drivers are called where its number is several products': one may be as fast as the row says, and not
// faster.
[[nodiscard]] bool IsOfAnother(const DevicePeak& row, const probe::PhysicalDevice& device);

}  // namespace report
