// SPDX-License-Identifier: MIT
// Which of the installed drivers of OpenCL a process that loads libOpenCL may see, for every runtime that
// stands on it: none that somebody else may have written (trust.h). Loads nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system::opencl {

// One installed driver: a file <name>.icd whose first line names a library. Where OCL_ICD_VENDORS or
// OCL_ICD_FILENAMES names a library itself, `path` is that library.
struct Manifest {
  std::string path;
  std::string library;
  std::optional<Error> refused;  // why the loader must not see it
  bool is_there = true;          // false: refused because nothing lies at `path`
};

// Those that the loader would take, by name: of OCL_ICD_VENDORS, OPENCL_VENDOR_PATH, else
// /etc/OpenCL/vendors, and the libraries of OCL_ICD_FILENAMES that none of these is.
[[nodiscard]] std::vector<std::string> ManifestPaths(const system::FileSystem& files,
                                                     const system::Environment& environment);
[[nodiscard]] std::vector<Manifest> FindManifests(const system::FileSystem& files,
                                                  const system::Environment& environment);
[[nodiscard]] Manifest ReadManifest(const system::FileSystem& files, const system::Environment& environment,
                                    std::string_view path);
// Whether a library, as a manifest or a variable names it, may reach the loader; nullopt when it may.
[[nodiscard]] std::optional<Error> CheckLibrary(const system::FileSystem& files,
                                                const system::Environment& environment,
                                                const std::string& library);

// Sets this process's variables so that the loader, opened afterwards, sees the drivers of `manifests` that
// are not refused and no others; `only` says that they are a selection even if none is refused, and switches
// layers off. Returns what else was switched off because it is not trusted. An error means: do not open the
// loader.
[[nodiscard]] Result<std::vector<std::string>> RestrictLoader(const std::vector<Manifest>& manifests,
                                                              bool only, const system::FileSystem& files,
                                                              const system::Environment& environment);

// The same of no driver at all.
[[nodiscard]] Result<std::vector<std::string>> ShowNone();

// Variables for the same, where it is a whole process that sees one driver.
[[nodiscard]] std::vector<EnvironmentVariable> RestrictTo(std::string_view manifest);

}  // namespace probe::system::opencl
