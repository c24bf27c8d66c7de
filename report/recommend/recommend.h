// SPDX-License-Identifier: MIT
// Chooses one backend for one use from the scores, and says what it was chosen over. Pure; knows no runtime
// by name and prefers none: the order of the predictions; among equals maturity, then memory. Of what the
// caller has no use for (report.terms) nothing is chosen, and the rest is chosen from as if it were all.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::recommend {

// Two figures within this share of the faster one are equal, where both are known as closely as
// kTieHalfWidth of their value.
inline constexpr double kTieShare = 0.05;
inline constexpr double kTieHalfWidth = 0.101;  // a tenth, and the rounding of it

// The relation of two figures with their intervals: equal; not to be told apart, since the intervals overlap;
// or the one faster. kUnknown is never a tie: how wide an interval is says nothing for a way.
enum class Difference { kNone, kUnknown, kSome };
[[nodiscard]] Difference Compare(const Range& a, const Range& b);

// Whether report.terms leave the caller no use for the way of the score.
[[nodiscard]] bool IsOmitted(const Report& report, const Score& score);
// Whether what the way stands on reaches the device itself, and is one for the caller: it is no answer beside
// that, however fast it is.
[[nodiscard]] bool StandsOnAnother(const Report& report, const Score& score);

// Whether `other`, which ties with neither, can not be told apart from the fastest or from the answer.
[[nodiscard]] bool IsUndecided(const Score& fastest, const Score& chosen, const Score& other);

// Of an answer that leaves something undecided the two scores in question: what may be faster, and what it
// can not be told apart from, the fastest or the answer; the faster of them first. nullopt where all is
// decided, or where one of them was not measured.
[[nodiscard]] std::optional<std::pair<const Score*, const Score*>> OpenPair(const Report& report,
                                                                            const Recommendation& answer);

// Reads report.devices, probes, scores, measurements and interrupted. Orders the eligible scores by
// tokens_per_s and compares their ranking_tokens_per_s. Of what is equal to the fastest the most mature is
// the answer, then what has more memory, then the faster, and of equal cards the first; nothing that is
// undecided may stand above it. What can not be told apart from the fastest or the answer is undecided:
// confidence is low. Another device whose value lies within the answer's whole range makes it medium. Without
// any eligible score the answer is the processor, basis estimated and confidence low. nullopt only where an
// interrupt cut the measuring short, or where report.terms leave nothing.
[[nodiscard]] std::optional<Recommendation> Recommend(const Tables& tables, const Report& report, Use use);

// Why report.terms leave nothing to recommend: the nearest cause is what is wrong with a way that they leave,
// then what became of a runtime that they name, then what leaves out the fastest. nullopt where the terms are
// not why there is no answer. Reads what Recommend does.
[[nodiscard]] std::optional<NoAnswer> WhyNone(const Tables& tables, const Report& report, Use use);

}  // namespace report::recommend
