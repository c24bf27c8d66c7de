// SPDX-License-Identifier: MIT
// What the machine's table of cards says of one that a person names. Pure.
#pragma once

#include <cstdint>

#include "report/assume/words.h"
#include "report/core/tables.h"

namespace report::assume {

// Fills in the numbers, the kind and the architecture that the words do not say, of the maker's card of that
// name: the one that is called so, else those in whose names it stands as whole words, as far as they agree.
void RecogniseCard(const Tables& tables, std::uint32_t vendor, Words& words);

}  // namespace report::assume
