// SPDX-License-Identifier: MIT
// Some hypervisors show AMX and hide CPUID leaf 0x1d, the geometry of its tiles; oneDNN then does without AMX
// or dies of SIGILL. To compare with its best all the same:
#pragma once

namespace bench {

// Answers CPUID for this thread, and those that it starts, with the architecture's one geometry where it is
// hidden. Nothing elsewhere.
void ShowTileGeometry();

}  // namespace bench
