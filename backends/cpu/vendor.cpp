// SPDX-License-Identifier: MIT
#include "backends/cpu/vendor.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "data/tables.h"

#include "backends/core/library_folders.h"
#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/quirks.h"
#include "probe/core/parse.h"

namespace backends::cpu {
namespace {

using kernels::Dtype;
using probe::system::Environment;

// Threaded builds that lie beside serial ones come first: Fedora's openblas-threads, openblas-openmp and
// their like of BLIS, AMD's libblis-mt.
constexpr std::string_view kOpenBlasFiles[] = {"libopenblasp.so.0", "libopenblaso.so.0", "libopenblas.so.0",
                                               "libopenblas.so"};
// 3: since MKL 2026.
constexpr std::string_view kMklFiles[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1",
                                          "libmkl_rt.so"};
constexpr std::string_view kBlisFiles[] = {"libblis-mt.so.5", "libblis-mt.so.4", "libblis-mt.so",
                                           "libblisp.so.4",   "libbliso.so.4",   "libblis.so.4",
                                           "libblis.so.3",    "libblis.so"};
constexpr std::string_view kOneDnnFiles[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"};
constexpr Dtype kBlasTypes[] = {Dtype::kFp32};
constexpr Dtype kOneDnnTypes[] = {Dtype::kFp32, Dtype::kBf16, Dtype::kInt8};

// Of OpenMP's runtimes. Idle threads of one library must not keep the cores from the next.
Settings WithOpenMp(unsigned threads) {
  return {{{"OMP_NUM_THREADS", std::to_string(threads)}, {"OMP_WAIT_POLICY", "passive"}}, ""};
}

// Core types of OpenBLAS by the instructions of their sgemm (its cpu_features in driver/others/dynamic.c).
struct CoreRow {
  std::string_view isa;        // of our own kernels, where this processor's best
  std::string_view core_type;  // the one that every version knows
  std::array<std::string_view, 4> equals;
};
constexpr std::array kCores = {
    CoreRow{"avx512", "SkylakeX", {"skylakex", "cooperlake", "sapphirerapids", ""}},
    CoreRow{"avx2", "Haswell", {"haswell", "zen", "excavator", ""}},
};

// A core type of older instructions, which a preset or a version that does not know this processor chooses,
// halves the rate.
Settings OpenBlasSettings(const Environment& environment, unsigned threads) {
  Settings settings = WithOpenMp(threads);
  settings.variables.push_back({"OPENBLAS_NUM_THREADS", std::to_string(threads)});
  settings.variables.push_back({"OPENBLAS_THREAD_TIMEOUT", "4"});  // idle threads sleep at once
  const std::string_view isa = kernels::cpu::Best("gemm_fp32")->isa;
  const auto* core =
      std::find_if(kCores.begin(), kCores.end(), [isa](const CoreRow& row) { return row.isa == isa; });
  if (core == kCores.end()) return settings;
  const std::string preset = environment.Get("OPENBLAS_CORETYPE").value_or("");
  const std::string lower = probe::Lower(preset);
  if (!preset.empty() && std::find(core->equals.begin(), core->equals.end(), lower) != core->equals.end())
    return settings;
  settings.variables.push_back({"OPENBLAS_CORETYPE", std::string(core->core_type)});
  settings.note = "measured with OPENBLAS_CORETYPE=" + std::string(core->core_type);
  if (!preset.empty()) {
    settings.note += ": the environment's " + preset.substr(0, 32) + " keeps OpenBLAS from " +
                     std::string(core->isa) + " and costs programs here that speed";
  }
  return settings;
}

Settings MklSettings(const Environment&, unsigned threads) {
  Settings settings = WithOpenMp(threads);
  settings.variables.push_back({"MKL_NUM_THREADS", std::to_string(threads)});
  settings.variables.push_back({"MKL_INTERFACE_LAYER", "LP64"});
  return settings;
}

Settings BlisSettings(const Environment&, unsigned threads) {
  Settings settings = WithOpenMp(threads);
  settings.variables.push_back({"BLIS_NUM_THREADS", std::to_string(threads)});
  return settings;
}

// Versions 2 configure tiles by CPUID leaf 0x1d and die of SIGILL where a hypervisor hides it.
Settings OneDnnSettings(const Environment& environment, unsigned threads) {
  Settings settings = WithOpenMp(threads);
  if (!kernels::cpu::HidesTileGeometry() || environment.Get("ONEDNN_MAX_CPU_ISA")) return settings;
  settings.variables.push_back({"ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16"});
  settings.note =
      "measured with ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16: this hypervisor hides the geometry of AMX tiles, "
      "without which oneDNN's AMX kernels do not run";
  return settings;
}

constexpr std::array kVendors = {
    Vendor{"openblas", kOpenBlasFiles, kBlasTypes, OpenBlasSettings, BindBlas},
    Vendor{"mkl", kMklFiles, kBlasTypes, MklSettings, BindBlas},
    Vendor{"blis", kBlisFiles, kBlasTypes, BlisSettings, BindBlas},
    Vendor{"onednn", kOneDnnFiles, kOneDnnTypes, OneDnnSettings, BindOneDnn},
};

std::vector<std::string> Directories(const Environment& environment) {
  return LibraryFolders(data::kLibraryFolders, environment);
}

}  // namespace

std::span<const Vendor> Vendors() { return kVendors; }

bool IsInstalled(const Vendor& vendor, const probe::system::FileSystem& files,
                 const Environment& environment) {
  return probe::system::Library::Exists(vendor.sonames, Directories(environment), files, environment);
}

probe::Result<LoadedVendor> LoadVendor(const Vendor& vendor, unsigned threads,
                                       const probe::system::FileSystem& files,
                                       const Environment& environment) {
  for (const auto& variable : vendor.settings(environment, threads).variables)
    setenv(variable.name.c_str(), variable.value.c_str(), 1);
  const auto library =
      probe::system::Library::Open(vendor.sonames, Directories(environment), files, environment);
  if (!library) return library.error();
  auto multiply = vendor.bind(*library);
  if (!multiply) return multiply.error();
  return LoadedVendor{*std::move(multiply), library->info()};
}

}  // namespace backends::cpu
