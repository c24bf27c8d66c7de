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

using probe::system::Environment;
using probe::system::FileSystem;
using probe::system::Library;

// "gfx90a" of "TensileLibrary_lazy_gfx90a.dat" and of the folder "gfx90a"; of any kernel where `all` is set.
// Empty of another name.
std::string TargetIn(std::string_view name, bool all) {
  const auto at = name.find("gfx");
  const bool library = name.starts_with("TensileLibrary_lazy_gfx") || name.starts_with("TensileLibrary_gfx");
  if (at == std::string_view::npos || (at != 0 && !library && !all)) return {};
  name.remove_prefix(at);
  const auto end = name.find_first_not_of("0123456789abcdef-generic", 3);
  return std::string(name.substr(0, all ? name.find_first_not_of("0123456789abcdef", 3) : end));
}

// "gfx11-generic" covers every target that begins with gfx11, "gfx9-4-generic" those with gfx94; but
// gfx9-generic not the matrix cores' and gfx12-generic not gfx125x (llvm.org, AMDGPUUsage, "Generic
// processors").
bool IsCovered(std::string covered, std::string_view architecture) {
  constexpr std::string_view kGeneric = "-generic";
  if (!covered.ends_with(kGeneric)) return covered == architecture;
  covered.resize(covered.size() - kGeneric.size());
  std::erase(covered, '-');
  const auto is = [&](std::string_view start) { return architecture.starts_with(start); };
  if (covered == "gfx9" && (is("gfx908") || is("gfx90a") || is("gfx94") || is("gfx95"))) return false;
  if (covered == "gfx12" && !is("gfx120")) return false;
  return is(covered);
}

std::vector<std::string> FoldersOf(const Vendor& vendor, const std::string& library, const FileSystem& files,
                                   const Environment& environment) {
  if (auto named = environment.Get(vendor.kernels_variable); named && named->starts_with('/'))
    return {*named};
  const std::string own = library.substr(0, library.rfind('/') + 1) + std::string(vendor.folder);
  std::vector<std::string> out = {own + "/library"};
  for (const std::string& version : files.List(own)) {
    if (version != "library") out.push_back(fmt::format("{}/{}/library", own, version));
  }
  return out;
}

// Whether the library of that path has kernels for the target; else what it has.
probe::Status CheckKernels(const Vendor& vendor, const std::string& library, std::string_view architecture,
                           const FileSystem& files, const Environment& environment) {
  const auto folders = FoldersOf(vendor, library, files, environment);
  std::vector<std::string> covered;
  for (const std::string& folder : folders) {
    auto own = CoveredTargets(files, folder);
    std::move(own.begin(), own.end(), std::back_inserter(covered));
  }
  for (const std::string& target : covered) {
    if (IsCovered(target, architecture)) return probe::Ok();
  }
  return probe::Error{
      std::string(vendor.name), std::nullopt, "no kernels",
      fmt::format("{} has kernels for {}, none for {}", folders.front(),
                  covered.empty() ? "no target" : fmt::format("{}", fmt::join(covered, ", ")), architecture)};
}

// What is installed may belong to other prefixes alone.
probe::Error WhyAbsent(const Vendor& vendor, const probe::Library& runtime, probe::Error error,
                       const FileSystem& files, const Environment& environment) {
  if (!error.Is(probe::OwnError::kAbsent)) return error;
  const auto other =
      Library::Find(vendor.sonames, rt::LibraryDirectories(files, environment), files, environment);
  if (!other) return error;
  return {std::move(error.call), std::nullopt, "another ROCm",
          fmt::format("{} lies beside another HIP runtime than {}, which is the one in use",
                      other->path.value_or(other->soname), runtime.path.value_or(runtime.soname))};
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

probe::Result<Library> FindVendor(const Vendor& vendor, const probe::Library& runtime,
                                  std::string_view architecture, const FileSystem& files,
                                  const Environment& environment) {
  std::vector<std::string> usable;
  probe::Status reason = probe::Ok();
  if (!Library::IsNamedByUser(vendor.sonames, files, environment)) {
    for (const auto& path : rt::FilesBeside(runtime, vendor.sonames, files, environment)) {
      auto checked =
          CheckKernels(vendor, files.Resolve(path).value_or(path), architecture, files, environment);
      if (checked) {
        usable.push_back(path);
      } else if (reason) {
        reason = std::move(checked);
      }
    }
  }
  // Not one from elsewhere either: the nearest is what programs would load.
  if (usable.empty() && !reason) return reason.error();
  auto library = rt::OpenBeside(usable, vendor.sonames, files, environment);
  if (!library) return WhyAbsent(vendor, runtime, library.error(), files, environment);
  const auto checked =
      CheckKernels(vendor, library->info().path.value_or(""), architecture, files, environment);
  if (!checked) return checked.error();
  return library;
}

std::vector<std::string> CoveredTargets(const FileSystem& files, std::string_view folder) {
  const auto names = files.List(folder);
  // Of releases before each target had a library of its own.
  const bool all = std::find(names.begin(), names.end(), "TensileLibrary.dat") != names.end();
  std::set<std::string> targets;
  for (const auto& name : names) {
    if (auto target = TargetIn(name, all); !target.empty()) targets.insert(std::move(target));
  }
  return {targets.begin(), targets.end()};
}

}  // namespace backends::hip
