// SPDX-License-Identifier: MIT
#include "backends/hip/vendor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "probe/hip/hip_api.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;

// "gfx90a" of "TensileLibrary_Type_HH_gfx90a.dat"; empty where the name speaks of none.
std::string TargetIn(std::string_view name) {
  const auto at = name.find("gfx");
  if (at == std::string_view::npos) return {};
  const auto end = name.find_first_not_of("0123456789abcdef", at + 3);
  return std::string(name.substr(at, std::min(end, name.size()) - at));
}

std::string FolderOf(const Vendor& vendor, const probe::Library& library,
                     const probe::system::Environment& environment) {
  if (auto named = environment.Get(vendor.kernels_variable); named && named->starts_with('/')) return *named;
  const std::string path = library.path.value_or("");
  return path.substr(0, path.rfind('/') + 1) + std::string(vendor.kernels);
}

}  // namespace

std::span<const Vendor> Vendors() {
  static const std::array vendors = {Rocblas(), HipblasLt()};
  return vendors;
}

std::vector<kernels::Variant> VendorVariants(const OpenRequest& request) {
  std::vector<kernels::Variant> all;
  for (const Vendor& vendor : Vendors()) {
    if (!probe::system::Library::Exists(vendor.sonames,
                                        rt::LibraryDirectories(request.files, request.environment),
                                        request.files, request.environment)) {
      continue;
    }
    auto own = stream::ProductVariants(vendor.name, vendor.types);
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

probe::Result<probe::system::Library> FindVendor(const Vendor& vendor, std::string_view architecture,
                                                 const probe::system::FileSystem& files,
                                                 const probe::system::Environment& environment) {
  auto library = probe::system::Library::Open(vendor.sonames, rt::LibraryDirectories(files, environment),
                                              files, environment);
  if (!library) return library.error();
  const std::string folder = FolderOf(vendor, library->info(), environment);
  const auto covered = CoveredTargets(files, folder);
  // Where no name speaks of a target nothing is known.
  if (!covered.empty() && std::find(covered.begin(), covered.end(), architecture) == covered.end()) {
    return probe::Error{
        std::string(vendor.name), std::nullopt, "no kernels",
        fmt::format("{} has kernels for {}, none for {}", folder, fmt::join(covered, ", "), architecture)};
  }
  return library;
}

std::vector<std::string> CoveredTargets(const probe::system::FileSystem& files, std::string_view folder) {
  std::set<std::string> targets;
  for (const auto& name : files.List(folder)) {
    if (auto target = TargetIn(name); !target.empty()) targets.insert(std::move(target));
  }
  return {targets.begin(), targets.end()};
}

}  // namespace backends::hip
