// SPDX-License-Identifier: MIT
// The fake libcuda that is in this process already, for the fake libraries that compute through it.
#pragma once

#include <dlfcn.h>

namespace fakes::cuda {

// As the real ones have it: by name, so the first of that name that was loaded.
inline void* Neighbour() {
  static void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver;
}
template <class F>
F* DriverFunction(const char* name) {
  return reinterpret_cast<F*>(dlsym(Neighbour(), name));
}

}  // namespace fakes::cuda
