// SPDX-License-Identifier: MIT
#include "probe/core/outcome.h"

#include <array>
#include <cstddef>

namespace probe {
namespace {

constexpr std::array kRows = {
    OutcomeRow{Outcome::kOk, "ok", "at least one driver answered with a device", "{} works"},
    OutcomeRow{Outcome::kAbsent, "absent", "the runtime's library or every driver of it is not installed",
               "{} is not installed"},
    OutcomeRow{Outcome::kNoDevice, "no_device", "installed and answering, but it has no device",
               "{} is installed but has no device"},
    OutcomeRow{Outcome::kDenied, "denied", "a device node or file exists and may not be opened",
               "{} may not open its device: permission denied"},
    OutcomeRow{Outcome::kHidden, "hidden", "an environment variable hides every device",
               "{} is hidden by an environment variable"},
    OutcomeRow{Outcome::kFailed, "failed", "a call returned an error", "{} reported an error"},
    OutcomeRow{Outcome::kCrashed, "crashed", "the process that loaded it died",
               "{} crashed while it was asked"},
    OutcomeRow{Outcome::kTimedOut, "timed_out", "no answer before the deadline", "{} did not answer in time"},
    OutcomeRow{Outcome::kBadReply, "bad_reply", "the answer was cut short, oversized or malformed",
               "{} gave an answer that makes no sense"},
};

}  // namespace

std::span<const OutcomeRow> Outcomes() { return kRows; }

const OutcomeRow& Row(Outcome outcome) { return kRows[static_cast<std::size_t>(outcome)]; }

}  // namespace probe
