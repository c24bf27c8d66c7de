// SPDX-License-Identifier: MIT
// Draws rooflines: in a page, and as a file of their own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html/markup.h"
#include "report/html/roofline.h"

namespace report::html {

// At most so many ways have lines of their own, and colours.
inline constexpr std::size_t kColours = 6;
// The class of the n-th way's colour.
[[nodiscard]] std::string ColourClass(std::size_t way);

// What the lines and marks of a chart are, for its caption.
[[nodiscard]] std::string ChartCaption(const std::string& request);

// `number` tells it from others of the page; its style is that of the page (data/html/chart.css).
[[nodiscard]] Element Chart(const Roofline& line, std::size_t number);

// All of them, one below the other, with its style. `request` is what the marks are of.
[[nodiscard]] Element ChartFile(const std::vector<Roofline>& lines, const std::string& request);

}  // namespace report::html
