// SPDX-License-Identifier: MIT
// Products by AMD's libraries (rocBLAS, hipBLASLt): which are installed, whether they bring kernels for a
// target, and how they are called. Loaded, never linked; own declarations. They may crash: who calls them is
// a child process that has reported everything else before.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/stream_session.h"
#include "kernels/spec.h"
#include "probe/core/result.h"
#include "probe/hip/hip_api.h"
#include "probe/system/library.h"

namespace backends::hip {

// One type of product. The numbers are the library's own for operands, result and computing.
struct VendorType {
  std::string_view entry;  // "rocblas:fp16/fp32"
  kernels::Dtype in, acc;
  std::string_view feature;  // that the device must have; empty: none
  int operand, result, compute, scale;
};

// C[m x n] = A[m x k] * B with B stored n x k, all row-major, on the device.
struct VendorProduct {
  const VendorType& type;
  int m, n, k;
  const void* a;
  const void* b;
  void* c;
};
using Prepare = std::function<probe::Result<Enqueue>(const VendorProduct&)>;

struct Vendor {
  std::string_view name;
  std::span<const std::string_view> sonames;
  std::string_view kernels;      // the folder with them, beside the library
  const char* kernels_variable;  // names another folder
  std::span<const VendorType> types;
  // Library code runs from here on, with the device already set. `api` outlives what is returned.
  probe::Result<Prepare> (*bind)(const probe::system::Library& library, const probe::hip::Api& api);
};
[[nodiscard]] std::span<const Vendor> Vendors();
// The one whose library a step calls; nullptr where it calls none.
[[nodiscard]] const Vendor* VendorOf(const kernels::Step& step);
[[nodiscard]] const VendorType* TypeOf(const Vendor& vendor, std::string_view entry);

// Scalars m, n, k; of every vendor whose library is there, by its file.
[[nodiscard]] std::vector<kernels::Variant> VendorVariants(const OpenRequest& request);

// Error.name "absent": not installed; "no kernels": its files are for other targets than `architecture`
// ("gfx1036"), which it would abort on.
[[nodiscard]] probe::Result<Prepare> OpenVendor(const Vendor& vendor, std::string_view architecture,
                                                const probe::hip::Api& api,
                                                const probe::system::FileSystem& files,
                                                const probe::system::Environment& environment);

// The targets that the kernels' file and folder names in a folder speak of, each once, sorted.
[[nodiscard]] std::vector<std::string> CoveredTargets(const probe::system::FileSystem& files,
                                                      std::string_view folder);

// 1 and 0 in the type that a product is scaled in.
struct Scales {
  std::uint32_t one, zero = 0;
};
[[nodiscard]] Scales ScalesOf(const VendorType& type);

// The libraries' own, in rocblas.cpp and hipblaslt.cpp.
[[nodiscard]] Vendor Rocblas();
[[nodiscard]] Vendor HipblasLt();

}  // namespace backends::hip
