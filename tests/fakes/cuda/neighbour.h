// SPDX-License-Identifier: MIT
// The fake libcuda that is in this process already, for the fake libraries that compute through it.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace fakes::cuda {

inline void* Neighbour() {
  static void* driver = [] {
    const char* folder = std::getenv("WHICHGPU_LIBRARY_PATH");
    return folder == nullptr
               ? nullptr
               : dlopen((std::string(folder) + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_NOLOAD);
  }();
  return driver;
}
template <class F>
F* DriverFunction(const char* name) {
  return reinterpret_cast<F*>(dlsym(Neighbour(), name));
}

}  // namespace fakes::cuda
