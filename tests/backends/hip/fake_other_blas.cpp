// SPDX-License-Identifier: MIT
// A library of products that is linked with a HIP runtime of its own.
extern "C" int hipRuntimeGetVersion(int* version);
extern "C" [[gnu::visibility("default")]] int rocblas_create_handle(void**) {
  int version = 0;
  return hipRuntimeGetVersion(&version);
}
