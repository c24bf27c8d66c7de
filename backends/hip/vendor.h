// SPDX-License-Identifier: MIT
// AMD's libraries of products (rocBLAS, hipBLASLt): which are installed, and whether they bring kernels for a
// target.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/stream/blas_lt.h"
#include "backends/stream/products.h"

namespace backends::hip {

struct Vendor {
  std::string_view name;
  std::span<const std::string_view> sonames;
  std::string_view folder;       // beside the library; in its "library", or in one below that of any name
  const char* kernels_variable;  // names another folder
  int least_rocm;                // whose release its interface has been the same since
  std::span<const stream::ProductType> types;
  // Wants a current device; as stream::Runtime::OpenProducts.
  probe::Result<stream::Products> (*open)(const probe::system::Library& library, stream::Runtime& runtime,
                                          std::uint64_t max_workspace_bytes);
};
[[nodiscard]] std::span<const Vendor> Vendors();

// Of every vendor whose library is there, by its file.
[[nodiscard]] std::vector<kernels::Variant> VendorVariants(const OpenRequest& request);

// Loads the library that belongs to `runtime` (probe::hip::FilesBeside) and has kernels for `architecture`
// ("gfx1036"). OwnError::kAbsent: not installed; "no kernels": what is installed has none, and would abort.
[[nodiscard]] probe::Result<probe::system::Library> FindVendor(const Vendor& vendor,
                                                               const probe::Library& runtime,
                                                               std::string_view architecture,
                                                               const probe::system::FileSystem& files,
                                                               const probe::system::Environment& environment);

// The targets that a folder has libraries of kernels for, by the names of its files and folders, each once,
// sorted: "gfx90a", "gfx11-generic". A kernel alone (".co") may be one that helps the others.
[[nodiscard]] std::vector<std::string> CoveredTargets(const probe::system::FileSystem& files,
                                                      std::string_view folder);

// In rocblas.cpp and hipblaslt.cpp.
[[nodiscard]] Vendor Rocblas();
[[nodiscard]] Vendor HipblasLt();
[[nodiscard]] const stream::BlasLt& HipblasLtInterface();

}  // namespace backends::hip
