// SPDX-License-Identifier: MIT
// A plug-in such as hwloc would load from HWLOC_PLUGINS_PATH: leaves a trace when that happens.
#include <stdlib.h>

namespace {
[[gnu::constructor]] void Loaded() { setenv("WHICHGPU_TEST_PLUGIN_LOADED", "1", 1); }
}  // namespace
