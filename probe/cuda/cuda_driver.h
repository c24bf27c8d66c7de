// SPDX-License-Identifier: MIT
// The kernel driver as files show it, without libcuda: its version and kind, its device nodes, and why a call
// of libcuda failed, or why it shows no device, by layer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/note.h"
#include "probe/core/outcome.h"
#include "probe/core/result.h"
#include "probe/cuda/cuda_nvml.h"
#include "probe/nvidia/nvidia.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::cuda {

struct KernelDriver {
  std::optional<std::string> version;  // of the loaded module
  bool open_module = false;
  std::vector<DeviceNode> nodes;  // /dev/nvidia<N>, /dev/nvidiactl, /dev/nvidia-uvm; the last two if missing.
                                  // Of a Tegra its own.
  bool tegra = false;  // a system on a chip: nvgpu is its driver, /dev/nvmap and nvgpu's its nodes,
                       // also beside the module nvidia, which may drive the displays alone
  nvidia::Signs signs;
  bool in_container = false;  // that says so
};
[[nodiscard]] KernelDriver ReadKernelDriver(const system::FileSystem& files,
                                            const system::Environment& environment = {});

// The newest CUDA that runs at all on a driver (minor-version compatibility), such as "12.x"; nullopt for
// older ones than are known. Source: NVIDIA, "CUDA Compatibility", table "Minimum Required Driver Version".
[[nodiscard]] std::optional<std::string> NewestRunnable(std::string_view driver_version);

// The error of a stub to which WHICHGPU_LIBRARY_PATH alone leads, where it is all that is found.
inline constexpr std::string_view kStubHere = "stub_here";

struct Diagnosis {
  Outcome outcome = Outcome::kFailed;
  Error error;
};
// Whether files show that there is no card: no such device on the bus, or no sign of one where that is
// hidden, and no kernel driver that answers. Stale nodes, on which nothing answers, are no card.
[[nodiscard]] bool LacksCard(const KernelDriver& driver);
// Says so.
[[nodiscard]] Diagnosis NoCard(Error error, const KernelDriver& driver);

// Why CUDA shows nothing of that GPU, whatever else is well here; the text is what it did or is in: "fell off
// the bus". nullopt: it should be shown.
[[nodiscard]] std::optional<Error> WhyUnshown(const NvmlGpu& gpu);

// No libcuda.so.1 was found: where the kernel driver is loaded all the same, the error says so.
[[nodiscard]] Error NoLibrary(Error error, const KernelDriver& driver);

// What a failed cuInit (or one that shows no device) means on this machine: the error's text is a sentence of
// the cause, and its name a more exact one where files show the cause. `gpus`: those that the management
// library sees; `library`: the mapped libcuda; `management`: what that library failed with.
[[nodiscard]] Diagnosis Diagnose(Error error, const KernelDriver& driver, const std::vector<NvmlGpu>& gpus,
                                 const std::string& library, const system::Environment& environment,
                                 const std::optional<Error>& management = {});

// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER in words: what each entry is, which GPUs it hides. Compares what
// CUDA shows with what the machine has; decides nothing.

inline constexpr std::string_view kVisibleDevices = "CUDA_VISIBLE_DEVICES";
[[nodiscard]] std::span<const std::string_view> VisibilityVariables();

enum class VisibleEntry { kIndex, kUuid, kMig, kGarbage, kRepeated };
// The entries that CUDA reads: it stops at the first that is not one, or of another kind than the first,
// which is the last here then; one that is there twice makes it show nothing. As PyTorch describes it
// (torch/cuda/__init__.py, _parse_visible_devices).
struct Visible {
  std::string text;
  VisibleEntry kind = VisibleEntry::kGarbage;
};
[[nodiscard]] std::vector<Visible> ParseVisible(std::string_view value);

// Whether a value's first entry, the only one that has to be right, names one GPU or instance of these.
[[nodiscard]] bool NamesOneFirst(std::string_view value, const std::vector<NvmlGpu>& gpus);

// Whether a value names none of so many GPUs, of which the management library may know these, as it is where
// CUDA shows none and the library can not say what the value names beside GPUs in MIG mode. A name that may
// be of one, as a UUID where the library knows none, leaves that.
[[nodiscard]] bool LeavesNone(std::string_view value, const std::vector<NvmlGpu>& gpus, std::size_t count);
// Whether it begins with such a name, of which nobody here knows whose it is.
[[nodiscard]] bool MayNameNone(std::string_view value, const std::vector<NvmlGpu>& gpus);

// Those of the management library's GPUs that CUDA does not show and the variable does not name.
[[nodiscard]] std::vector<PciAddress> HiddenGpus(const system::Environment& environment,
                                                 const std::vector<RuntimeDevice>& shown,
                                                 const std::vector<NvmlGpu>& gpus);
// What is wrong with the variable's value: its first entry that CUDA, which shows so many devices, can not
// use, as far as those GPUs tell. Empty for nothing.
[[nodiscard]] std::string WhatIsWrong(const system::Environment& environment, std::size_t shown,
                                      const std::vector<NvmlGpu>& gpus);
// Of those sentences below that say of no GPU that it is hidden the one that is worth a note.
inline constexpr std::string_view kCountsApart = "counts_apart";
inline constexpr std::string_view kOneInstance = "one_instance";
[[nodiscard]] std::optional<Note> NoteOn(const system::Environment& environment,
                                         const std::vector<RuntimeDevice>& shown,
                                         const std::vector<NvmlGpu>& gpus);
// Sentences on what the variables do here: GPUs that are hidden, entries that name nothing, a numbering that
// differs from nvidia-smi's. Empty where there is nothing to say.
[[nodiscard]] std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                                      const std::vector<RuntimeDevice>& shown,
                                                      const std::vector<NvmlGpu>& gpus);

// Sentences on who else computes on the devices that CUDA shows, what is left of their memory, and devices
// that are closed to others by their compute mode.
[[nodiscard]] std::vector<std::string> ExplainUse(const std::vector<RuntimeDevice>& shown,
                                                  const std::vector<NvmlGpu>& gpus);

}  // namespace probe::cuda
