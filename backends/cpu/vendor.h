// SPDX-License-Identifier: MIT
// Matrix products of the user's own libraries (OpenBLAS, MKL, BLIS, oneDNN): which are installed, and what
// their environment must hold to run well. They are loaded while measuring, never linked, and may crash: who
// calls them is a child process that has reported everything else before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"

namespace backends::cpu {

// c[m x n] = a[m x k] * b[k x n], row-major without padding; c in fp32, of int8 in int32.
struct Product {
  kernels::Dtype in;
  std::uint32_t m, n, k;
  const void* a;
  const void* b;
  void* c;
};
using Multiply = std::function<probe::Status(const Product&)>;

// What this process's environment must hold when a library is loaded. `note` is said with its figures: what
// the user's own processes do not get.
struct Settings {
  struct Variable {
    std::string name, value;
  };
  std::vector<Variable> variables;
  std::string note;
};

struct Vendor {
  std::string_view name;  // of the implementation
  std::span<const std::string_view> sonames;
  std::span<const kernels::Dtype> types;
  Settings (*settings)(const probe::system::Environment& environment, unsigned threads);
  probe::Result<Multiply> (*bind)(const probe::system::Library& library);
};
[[nodiscard]] std::span<const Vendor> Vendors();

[[nodiscard]] bool IsInstalled(const Vendor& vendor, const probe::system::FileSystem& files,
                               const probe::system::Environment& environment);

struct LoadedVendor {
  Multiply multiply;
  probe::Library library;  // the file
};
// Changes this process's environment and loads the library, for as many threads.
[[nodiscard]] probe::Result<LoadedVendor> LoadVendor(const Vendor& vendor, unsigned threads,
                                                     const probe::system::FileSystem& files,
                                                     const probe::system::Environment& environment);

// The functions of each kind of library.
[[nodiscard]] probe::Result<Multiply> BindBlas(const probe::system::Library& library);
[[nodiscard]] probe::Result<Multiply> BindOneDnn(const probe::system::Library& library);

}  // namespace backends::cpu
