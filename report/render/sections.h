// SPDX-License-Identifier: MIT
// The parts of the terminal report. Each writes whole lines, begins with a blank one where it is not the
// first, and writes nothing where it has nothing to say. The report must be clean (report/core/clean.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/render/page.h"

namespace report::render {

// `most_reasons` of each answer are told, and `most_warnings` of all of them.
void Answer(const Report& report, std::size_t most_reasons, std::size_t most_warnings, Page& page);
void Devices(const Report& report, Page& page, bool figures);
void Ranking(const Tables& tables, const Report& report, Page& page);
void NotUsed(const Tables& tables, const Report& report, Page& page);
// `before_next`: AdviceLines() follow, which say what some of the fixes are.
void Problems(const Report& report, bool before_next, Page& page);
void AdviceLines(const Tables& tables, const Report& report, Page& page);
void Foot(const Report& report, Page& page);

// What is known of a device, beside its name: id, kind, memory, link, kernel driver. `all`: also what is
// unknown.
[[nodiscard]] std::vector<std::string> DeviceFacts(const Report& report, const probe::PhysicalDevice& device,
                                                   bool all);

// Of a GPU that had a part of the plan because an equal one before it had more: which part, and whose equal
// it is. Empty for all others.
[[nodiscard]] std::string AbridgedText(const Report& report, const probe::PhysicalDevice& device);

// "Heading  what it shows"
void Heading(Page& page, std::string_view title, std::string_view caption);

}  // namespace report::render
