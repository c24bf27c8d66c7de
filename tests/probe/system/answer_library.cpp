// SPDX-License-Identifier: MIT
// The library that the loading tests load.
extern "C" __attribute__((visibility("default"))) int WhichgpuTestAnswer() { return 42; }
