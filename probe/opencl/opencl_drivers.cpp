// SPDX-License-Identifier: MIT
#include "probe/opencl/opencl_drivers.h"

#include <CL/cl_icd.h>

#include <algorithm>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/topology_variables.h"
#include "probe/system/this_process.h"

namespace probe::opencl {
namespace {

// PoCL asks hwloc for the processor.
DriverTable TableWithTopology() {
  DriverTable table("opencl");
  table.variables.insert(table.variables.end(), kTopologyVariables.begin(), kTopologyVariables.end());
  return table;
}

// It reaches hardware through no node.
bool IsSoftware(const DriverRow& row) { return row.nodes.empty(); }

// Whether all of the system's drivers are known to compute on the processor.
bool AreSoftware(const std::vector<std::string>& manifests, const system::FileSystem& files) {
  return std::all_of(manifests.begin(), manifests.end(), [&](const std::string& path) {
    const auto manifest = ReadManifest(files, system::Environment{}, path);
    const auto name = FileName(manifest.library);
    const auto& rows = Drivers().drivers;
    return std::any_of(rows.begin(), rows.end(),
                       [&](const DriverRow& row) { return row.Has(name) && IsSoftware(row); });
  });
}

// The first node of the row that exists and may not be opened; nullopt as soon as one may.
std::optional<Error> Denied(const DriverRow& row, const system::FileSystem& files) {
  std::optional<Error> denied;
  const auto slash = row.opens.rfind('/');
  if (slash == std::string_view::npos) return denied;
  const std::string folder(row.opens.substr(0, slash));
  for (const auto& name : files.List(folder)) {
    if (!name.starts_with(row.opens.substr(slash + 1))) continue;
    const std::string path = std::string(folder).append("/").append(name);
    const auto opened = files.TryOpen(path);
    if (opened) return std::nullopt;
    if (!denied && (opened.error().name == "EACCES" || opened.error().name == "EPERM")) {
      denied = Error{"open " + path, opened.error().code, opened.error().name,
                     "the device node may not be opened: join the group that owns it (render or video)"};
    }
  }
  return denied;
}

}  // namespace

const DriverTable& Drivers() {
  static const DriverTable table = TableWithTopology();
  return table;
}

std::optional<std::string> LibraryOf(cl_platform_id platform) {
  const auto* table = *reinterpret_cast<const cl_icd_dispatch* const*>(platform);
  if (auto file = system::FileOfAddress(table)) return file;
  return table == nullptr ? std::nullopt
                          : system::FileOfAddress(reinterpret_cast<const void*>(table->clGetPlatformInfo));
}

std::optional<std::size_t> ManifestOf(const std::string& library, const std::vector<Manifest>& manifests,
                                      const system::FileSystem& files) {
  const std::string real = files.Resolve(library).value_or(library);
  std::optional<std::size_t> match;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const auto& manifest = manifests[i];
    if (manifest.refused) continue;
    const bool plain = manifest.library.find('/') == std::string::npos;
    const bool same = plain ? manifest.library == FileName(library) || manifest.library == FileName(real)
                            : files.Resolve(manifest.library).value_or(manifest.library) == real;
    if (!same) continue;
    if (match) return std::nullopt;
    match = i;
  }
  return match;
}

Silence WhyNoDevice(std::string_view library, const system::FileSystem& files,
                    const system::Environment& environment) {
  Silence out{Outcome::kNoDevice, ErrorOf("clGetDeviceIDs", CL_DEVICE_NOT_FOUND)};
  out.error.text = "the driver works and has no device";
  const auto name = FileName(library);
  for (const DriverRow& row : Drivers().drivers) {
    if (!row.Has(name)) continue;
    // Before the variable, which may name what the node then keeps from the driver.
    if (auto denied = Denied(row, files)) return {Outcome::kDenied, *std::move(denied)};
    if (auto hiding = HidingOf(row, files, environment)) {
      out.outcome = Outcome::kHidden;
      out.error.text =
          std::string(hiding->variable) + "=" + CleanText(hiding->value) + " hides its devices: unset it";
      if (IsSoftware(row)) out.error.name = kHidesSoftware;
      out.variable = hiding->variable;
      out.hidden = std::move(hiding->cards);
      return out;
    }
    out.error.text += row.advice;
  }
  return out;
}

std::optional<Error> HidingVariable(const system::FileSystem& files, const system::Environment& environment) {
  for (const auto* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const auto value = environment.Get(variable);
    if (!value || value->empty()) continue;
    const auto manifests = ManifestPaths(files, system::Environment{});
    if (manifests.empty()) return std::nullopt;
    return Error{std::string("read ") + variable, std::nullopt,
                 AreSoftware(manifests, files) ? std::string(kHidesSoftware) : "hidden",
                 std::string(variable) + "=" + CleanText(*value) +
                     " leads past the drivers in /etc/OpenCL/vendors: unset it"};
  }
  return std::nullopt;
}

Silence WhyNoDriver(const system::FileSystem& files, const system::Environment& environment) {
  Silence out{Outcome::kAbsent, ErrorOf("clGetPlatformIDs", CL_PLATFORM_NOT_FOUND_KHR)};
  out.error.text = Drivers().no_driver;
  if (const auto hiding = HidingVariable(files, environment)) {
    out.outcome = Outcome::kHidden;
    out.error.text = hiding->text;
    if (hiding->name == kHidesSoftware) out.error.name = hiding->name;
  }
  return out;
}

}  // namespace probe::opencl
