// SPDX-License-Identifier: MIT
// Figures as people read them: few digits, the unit that keeps them short. ASCII only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/text.h"
#include "report/core/report.h"

namespace report {

using probe::SignificantText;

// A measurement's rate in its JSON unit: "250 GFLOP/s", "27.0 GB/s", "12 us" for unit "s".
[[nodiscard]] std::string RateText(double rate, std::string_view unit);
[[nodiscard]] std::string SecondsText(double seconds);
// "3 min ago", of two times as CalendarNow() writes them; "just now" of less than a minute; the earlier one
// itself where it is later, or one of them is no such time.
[[nodiscard]] std::string AgoText(std::string_view earlier, std::string_view now);
[[nodiscard]] std::string BytesText(std::uint64_t bytes);   // binary: "15.6 GiB"
[[nodiscard]] std::string BytesText(double bytes);          // the same of what was computed
[[nodiscard]] std::string TokensText(double tokens_per_s);  // "7.2"; without the unit
[[nodiscard]] std::string TokensRangeText(const Range& range, std::string_view dash);  // "6.5-8.0"
[[nodiscard]] std::string TokensText(const Range& range);  // "7.2 tokens/s [6.5-8.0]"
[[nodiscard]] std::string PercentText(double share);       // 0.88 -> "88 %"

// A device's name without marks of registration: "Intel Xeon Processor".
[[nodiscard]] std::string PlainName(std::string_view name);

// What a figure is of, in the words of data/glossary.json: "fp32 matrix product", "memory read".
[[nodiscard]] std::string FigureName(const backends::FigureKind& kind);
// The same, with the other GPU of a copy between two.
[[nodiscard]] std::string FigureName(const backends::Measurement& measurement);

// "12GiB", "1.5 TB", "8000MiB"; a number alone counts bytes. nullopt of anything else, of nothing and of more
// than any machine has (an exbibyte).
[[nodiscard]] std::optional<std::uint64_t> ParseSize(std::string_view text);

}  // namespace report
