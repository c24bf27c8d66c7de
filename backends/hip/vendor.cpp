// SPDX-License-Identifier: MIT
#include "backends/hip/vendor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace backends::hip {
namespace {

namespace rt = probe::hip;

kernels::Variant MakeVariant(const Vendor& vendor, const VendorType& type) {
  kernels::Variant variant = kernels::Own(std::string(vendor.name), kernels::Kernel::kGemm, type.in, type.acc,
                                          {.entry = type.entry, .library = vendor.name});
  if (!type.feature.empty()) variant.requires_features = {std::string(type.feature)};
  variant.multiple_m = variant.multiple_n = variant.multiple_k = 16;  // what the fast kernels ask for
  variant.b_transposed = true;
  return variant;
}

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

const Vendor* VendorOf(const kernels::Step& step) {
  const auto vendors = Vendors();
  const auto found = std::find_if(vendors.begin(), vendors.end(),
                                  [&](const Vendor& vendor) { return vendor.name == step.library; });
  return found == vendors.end() ? nullptr : &*found;
}

const VendorType* TypeOf(const Vendor& vendor, std::string_view entry) {
  const auto found = std::find_if(vendor.types.begin(), vendor.types.end(),
                                  [&](const VendorType& type) { return type.entry == entry; });
  return found == vendor.types.end() ? nullptr : &*found;
}

std::vector<kernels::Variant> VendorVariants(const OpenRequest& request) {
  std::vector<kernels::Variant> all;
  for (const Vendor& vendor : Vendors()) {
    if (!probe::system::Library::Exists(vendor.sonames,
                                        rt::LibraryDirectories(request.files, request.environment),
                                        request.files, request.environment)) {
      continue;
    }
    for (const VendorType& type : vendor.types) all.push_back(MakeVariant(vendor, type));
  }
  return all;
}

probe::Result<Prepare> OpenVendor(const Vendor& vendor, std::string_view architecture, const rt::Api& api,
                                  const probe::system::FileSystem& files,
                                  const probe::system::Environment& environment) {
  const auto library = probe::system::Library::Open(
      vendor.sonames, rt::LibraryDirectories(files, environment), files, environment);
  if (!library) return library.error();
  const std::string folder = FolderOf(vendor, library->info(), environment);
  const auto covered = CoveredTargets(files, folder);
  // Where no name speaks of a target nothing is known.
  if (!covered.empty() && std::find(covered.begin(), covered.end(), architecture) == covered.end()) {
    return probe::Error{
        std::string(vendor.name), std::nullopt, "no kernels",
        fmt::format("{} has kernels for {}, none for {}", folder, fmt::join(covered, ", "), architecture)};
  }
  return vendor.bind(*library, api);
}

std::vector<std::string> CoveredTargets(const probe::system::FileSystem& files, std::string_view folder) {
  std::set<std::string> targets;
  for (const auto& name : files.List(folder)) {
    if (auto target = TargetIn(name); !target.empty()) targets.insert(std::move(target));
  }
  return {targets.begin(), targets.end()};
}

Scales ScalesOf(const VendorType& type) {
  return {kernels::Row(type.acc).integer ? 1U : std::bit_cast<std::uint32_t>(1.0F)};
}

}  // namespace backends::hip
