// SPDX-License-Identifier: MIT
// A fake libnvidia-ptxjitcompiler.so.1: it is enough that it can be loaded.
extern "C" [[gnu::visibility("default")]] int FakePtxCompiler();
int FakePtxCompiler() { return 1; }
