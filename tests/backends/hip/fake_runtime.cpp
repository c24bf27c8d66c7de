// SPDX-License-Identifier: MIT
// As much of libamdhip64 as a library needs to depend on it.
extern "C" [[gnu::visibility("default")]] int hipRuntimeGetVersion(int* version) {
  *version = 50731061;
  return 0;
}
