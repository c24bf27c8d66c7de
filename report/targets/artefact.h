// SPDX-License-Identifier: MIT
// A build's row in words that can be used as they are. Pure.
#pragma once

#include <optional>
#include <string>

#include "report/core/report.h"
#include "report/core/targets.h"

namespace report::targets {

// The places {architectures}, {arch} and {visible} in the row's texts become the answer's; a text with a
// place that nothing is known for is left out, and a list with such a text as a whole.
[[nodiscard]] Artefact ArtefactOf(const TargetTable& target, const Build& build,
                                  const Recommendation& answer);

// What a person runs to get it: the row's own command, or pip's with its requirements and index. nullopt
// where neither is known.
[[nodiscard]] std::optional<std::string> CommandOf(const Build& build, const Artefact& artefact,
                                                   const Recommendation& answer);

// The first place in the row's texts that nothing is known for: "{arch}". "" without.
[[nodiscard]] std::string UnfilledPlace(const Build& build, const Recommendation& answer);

}  // namespace report::targets
