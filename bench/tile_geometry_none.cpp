// SPDX-License-Identifier: MIT
#include "bench/tile_geometry.h"

namespace bench {

void ShowTileGeometry() {}

}  // namespace bench
