// SPDX-License-Identifier: MIT
// The order in which both pages for people show the ways that were scored, and what each is called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/request.h"

namespace report::render {

// What is predicted for a use: "Llama 3 8B Q4_K_M, 512 tokens in, 128 out".
[[nodiscard]] std::string RequestText(const ReferenceRequest& reference, Use use);

// Whether it is the answer's way. nullptr: there is no answer.
[[nodiscard]] bool IsChosen(const Recommendation* answer, const Score& score);

// The eligible scores of a use, the fastest first but for the answer's, which stands before what it ties
// with. The report must outlive them.
[[nodiscard]] std::vector<const Score*> Ranked(const Report& report, const Recommendation* answer, Use use);

// "1=" of what ties with the answer, "1?" of what may be as fast, else the place: "2.".
[[nodiscard]] std::string Place(const Report& report, const Recommendation* answer, const Score& score,
                                std::size_t rank);

// What the marks of its places say, where it has any.
[[nodiscard]] std::vector<std::string> MarkNotes(const Recommendation& answer);

// How fast it writes, or trains: "139 tokens/s"; what is known within a range alone is that range, with
// `dash` in it. "" without a prediction.
[[nodiscard]] std::string SpeedText(const Report& report, const Score& score, std::string_view dash);

// The runtime, with its driver where it has several.
[[nodiscard]] std::string WayOf(const Report& report, const Score& score);

}  // namespace report::render
