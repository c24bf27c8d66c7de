// SPDX-License-Identifier: MIT
// Weights times a vector, as writing a token does it, against ggml. Both sides take as many threads as there
// are processors; for one thread the program is started on one (taskset). ggml's memory is what an engine
// gets; GLIBC_TUNABLES=glibc.malloc.hugetlb=1 gives it huge pages, which ours are.
#pragma once

#include "bench/rows.h"

namespace bench {

// row.peer: ggml's type and how it keeps weights of it (ggml.h), with a space between.
[[nodiscard]] ContestOrReason PrepareGemv(const Row& row);

}  // namespace bench
