// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_driver.h"
#include "probe/system/spoilers.h"

namespace probe::cuda {
namespace {

using system::Spoiler;

// Besides those that say what is there, those that change how fast it is, with what they do. CUDA C++
// Programming Guide (environment variables), cuBLAS (NVIDIA_TF32_OVERRIDE), CUPTI (CUDA_INJECTION64_PATH),
// Multi-Process Service.
constexpr std::array kSpoilers = {
    Spoiler{"CUDA_LAUNCH_BLOCKING", "lets every launch wait until it is done"},
    Spoiler{"NVIDIA_TF32_OVERRIDE", "keeps NVIDIA's libraries from tf32", system::Spoils::kZero},
    Spoiler{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "takes multiprocessors away where MPS runs",
            system::Spoils::kPercent},
    Spoiler{"CUDA_INJECTION64_PATH", "loads a profiler's library, which looks at every launch"},
};
constexpr std::array<std::string_view, 9> kVariables = {
    kVisibleDevices,        "CUDA_DEVICE_ORDER",  "NVIDIA_VISIBLE_DEVICES",
    "CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_PTX_JIT", kSpoilers[0].name,
    kSpoilers[1].name,      kSpoilers[2].name,    kSpoilers[3].name};
constexpr std::size_t kMaxEntries = 256;

// As strtoul reads it: a sign and digits, whatever follows; nothing for what is negative.
std::optional<std::size_t> NumberAtFront(std::string_view entry) {
  if (entry.starts_with('+')) entry.remove_prefix(1);
  return ParseNumber<std::size_t>(entry.substr(0, entry.find_first_not_of("0123456789")));
}

VisibleEntry KindOf(std::string_view entry) {
  if (NumberAtFront(entry)) return VisibleEntry::kIndex;
  if (entry.starts_with("MIG-")) return VisibleEntry::kMig;
  return entry.starts_with("GPU-") ? VisibleEntry::kUuid : VisibleEntry::kGarbage;
}

// How many numbers CUDA has at least and at most. A GPU in MIG mode without an instance has none; of those
// with instances CUDA shows one of these instead of whole GPUs, or whole GPUs alone (NVIDIA, MIG User Guide,
// "CUDA Device Enumeration"). Whether one that is lost has a number nobody says.
struct Numbers {
  std::size_t least = 0;
  std::size_t most = 0;
};
Numbers NumbersOf(const std::vector<NvmlGpu>& gpus) {
  std::size_t whole = 0, divided = 0, lost = 0;
  for (const NvmlGpu& gpu : gpus) {
    if (gpu.fault) {
      ++lost;
    } else if (!gpu.instances.empty()) {
      ++divided;
    } else if (!gpu.mig) {
      ++whole;
    }
  }
  return {divided > 0 ? 1 : whole, whole + divided + lost};
}

// As it was called before R470: MIG-GPU-<uuid>/1/0.
bool IsOldName(const Visible& entry) { return entry.text.starts_with("MIG-GPU-"); }

// How many GPUs or instances of the machine an entry names; nothing where nobody knows those.
std::optional<std::size_t> CountNamed(const Visible& entry, const std::vector<NvmlGpu>& gpus) {
  if (gpus.empty()) return std::nullopt;
  if (entry.kind == VisibleEntry::kIndex) {
    const auto [least, most] = NumbersOf(gpus);
    const auto number = *NumberAtFront(entry.text);
    if (number >= least && number < most) return std::nullopt;
    return number < least ? 1U : 0U;
  }
  // Where the management library names no instances of a divided GPU, nobody here knows which there are.
  const bool hides_instances = std::any_of(gpus.begin(), gpus.end(), [](const NvmlGpu& gpu) {
    return gpu.by_files || (gpu.mig && gpu.instances.empty());
  });
  if (entry.kind == VisibleEntry::kMig && hides_instances) return std::nullopt;
  std::size_t count = 0;
  for (const NvmlGpu& gpu : gpus) {
    count += gpu.uuid.starts_with(entry.text) ? 1U : 0U;
    for (const NvmlInstance& instance : gpu.instances)
      count += instance.uuid.starts_with(entry.text) ? 1U : 0U;
  }
  const bool is_unknown = count == 0 && std::any_of(gpus.begin(), gpus.end(),
                                                    [](const NvmlGpu& gpu) { return gpu.uuid.empty(); });
  return IsOldName(entry) || is_unknown ? std::nullopt : std::optional(count);
}

// Whether the GPUs are known and all the same only CUDA can say whether the entry names one: it shows nothing
// where it does not.
bool IsForCudaToSay(const Visible& entry, const std::vector<NvmlGpu>& gpus) {
  if (gpus.empty() || gpus.front().by_files || CountNamed(entry, gpus)) return false;
  return entry.kind == VisibleEntry::kIndex || IsOldName(entry);
}

// The entries of a value that may name a GPU here, up to the first that names none or several.
std::vector<Visible> Named(std::string_view value, const std::vector<NvmlGpu>& gpus) {
  std::vector<Visible> out;
  for (Visible& entry : ParseVisible(value)) {
    if (entry.kind == VisibleEntry::kRepeated) return {};
    if (entry.kind == VisibleEntry::kGarbage || CountNamed(entry, gpus).value_or(1) != 1) break;
    out.push_back(std::move(entry));
  }
  return out;
}

// CUDA shows a process one instance, whatever the variable names behind it (NVIDIA, MIG User Guide).
bool ShowsOneInstance(const std::vector<Visible>& entries, std::size_t shown) {
  return shown == 1 && entries.size() > 1 && entries.front().kind == VisibleEntry::kMig;
}

bool IsNamedBy(const Visible& entry, const NvmlGpu& gpu) {
  if (entry.kind == VisibleEntry::kIndex) return NumberAtFront(entry.text) == gpu.index;
  return gpu.uuid.starts_with(entry.text) ||
         std::any_of(gpu.instances.begin(), gpu.instances.end(),
                     [&](const NvmlInstance& instance) { return instance.uuid.starts_with(entry.text); });
}

// Those that CUDA does not show and the variable does not name. What the driver does not show of those that
// it names has another cause; where nobody knows which they are, the variable is blamed for none. By what
// only CUDA can say the variable names no more than CUDA shows.
std::vector<const NvmlGpu*> Hidden(const system::Environment& environment,
                                   const std::vector<RuntimeDevice>& shown,
                                   const std::vector<NvmlGpu>& gpus) {
  std::vector<const NvmlGpu*> hidden;
  const auto value = environment.Get(kVisibleDevices);
  if (!value) return hidden;
  auto named = Named(*value, gpus);
  if (ShowsOneInstance(named, shown.size())) named.resize(1);
  const auto surely_named = static_cast<std::size_t>(std::count_if(
      named.begin(), named.end(), [&](const Visible& entry) { return !IsForCudaToSay(entry, gpus); }));
  const auto [least, most] = NumbersOf(gpus);
  // Of GPUs without a number nvidia-smi counts those, too.
  const bool by_address =
      environment.Get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" && least == most && most == gpus.size();
  const bool tells_which = std::all_of(named.begin(), named.end(), [&](const Visible& entry) {
    return entry.kind == VisibleEntry::kIndex ? by_address : CountNamed(entry, gpus).has_value();
  });
  for (const NvmlGpu& gpu : gpus) {
    if (WhyUnshown(gpu)) continue;  // CUDA has nothing of it, whatever the variable says
    const bool seen = std::any_of(shown.begin(), shown.end(),
                                  [&](const RuntimeDevice& device) { return GpuOf(device, gpus) == &gpu; });
    const bool is_named = tells_which
                              ? std::any_of(named.begin(), named.end(),
                                            [&](const Visible& entry) { return IsNamedBy(entry, gpu); })
                              : surely_named > shown.size();
    if (!seen && !is_named) hidden.push_back(&gpu);
  }
  return hidden;
}

std::string HiddenText(const system::Environment& environment, const std::vector<RuntimeDevice>& shown,
                       const std::vector<NvmlGpu>& gpus) {
  std::vector<std::string> hidden;
  for (const auto* gpu : Hidden(environment, shown, gpus)) hidden.push_back(NameOf(*gpu));
  if (hidden.empty()) return {};
  return fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides {} of {} GPUs: {}",
                     CleanText(environment.Get(kVisibleDevices).value_or("")), hidden.size(), gpus.size(),
                     fmt::join(hidden, ", "));
}

// Its first entry that CUDA, which shows so many devices, can not use.
std::string FaultIn(std::string_view value, std::size_t shown, const std::vector<NvmlGpu>& gpus) {
  const auto entries = ParseVisible(value);
  for (const Visible& entry : entries) {
    if (entry.text == "-1" || Trim(value, " \t").empty()) return {};
    const auto say = [&](std::string_view what) {
      return fmt::format("\"{}\" {}", CleanText(entry.text), what);
    };
    if (entry.kind == VisibleEntry::kGarbage)
      return say(
          "is neither a number nor GPU-... nor MIG-..., or not of one kind with those before it: "
          "CUDA ignores it and all after it");
    if (entry.kind == VisibleEntry::kRepeated) return say("is there twice: CUDA then shows no GPU at all");
    const auto named = CountNamed(entry, gpus);
    if (named && *named != 1)
      return say(*named == 0 ? "names no GPU here: CUDA ignores it and all after it"
                             : "names several GPUs: CUDA ignores it and all after it");
    const bool is_more = entry.kind == VisibleEntry::kMig && &entry != &entries.front();
    if (is_more && ShowsOneInstance(entries, shown))
      return say("is one instance more than CUDA shows a process");
  }
  return {};
}

// CUDA counts the fastest first, nvidia-smi by address. One that CUDA does not show at all moves the others
// up, which is no order of CUDA's.
std::string OrderText(const system::Environment& environment, const std::vector<RuntimeDevice>& shown,
                      const std::vector<NvmlGpu>& gpus) {
  if (environment.Get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" || environment.Get("CUDA_VISIBLE_DEVICES"))
    return {};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  // nvidia-smi's and CUDA's
  for (const RuntimeDevice& device : shown) {
    const NvmlGpu* gpu = device.identity.partition ? nullptr : GpuOf(device, gpus);
    if (gpu != nullptr) numbers.emplace_back(gpu->index, device.ordinal);
  }
  auto by_address = numbers;
  std::sort(by_address.begin(), by_address.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == by_address[i]) continue;
    return fmt::format(
        "CUDA counts the fastest GPU first, nvidia-smi by address: CUDA's {} is nvidia-smi's {}; "
        "CUDA_DEVICE_ORDER=PCI_BUS_ID makes them agree, UUIDs always do",
        numbers[i].second, numbers[i].first);
  }
  return {};
}

}  // namespace

std::span<const std::string_view> VisibilityVariables() { return kVariables; }

std::vector<Visible> ParseVisible(std::string_view value) {
  std::vector<Visible> out;
  while (!value.empty() && out.size() < kMaxEntries) {
    const auto entry = Trim(TakeUpTo(value, ','), " \t");
    Visible next{std::string(entry), KindOf(entry)};
    const auto is_same = [&](const Visible& before) {
      return next.kind == VisibleEntry::kIndex ? NumberAtFront(before.text) == NumberAtFront(next.text)
                                               : before.text == next.text;
    };
    if (!out.empty() && next.kind != out.front().kind) next.kind = VisibleEntry::kGarbage;
    if (next.kind != VisibleEntry::kGarbage && std::any_of(out.begin(), out.end(), is_same))
      next.kind = VisibleEntry::kRepeated;
    out.push_back(std::move(next));
    if (out.back().kind == VisibleEntry::kGarbage || out.back().kind == VisibleEntry::kRepeated) break;
  }
  return out;
}

bool NamesOneFirst(std::string_view value, const std::vector<NvmlGpu>& gpus) {
  const auto entries = ParseVisible(value);
  if (entries.empty() || entries.front().kind == VisibleEntry::kGarbage) return false;
  return CountNamed(entries.front(), gpus) == 1U;
}

bool LeavesNone(std::string_view value, const std::vector<NvmlGpu>& gpus, std::size_t count) {
  const auto named = Named(value, gpus);
  if (named.empty() || IsForCudaToSay(named.front(), gpus)) return true;
  const auto number =
      named.front().kind == VisibleEntry::kIndex ? NumberAtFront(named.front().text) : std::nullopt;
  return number.value_or(0) >= count;
}

bool MayNameNone(std::string_view value, const std::vector<NvmlGpu>& gpus) {
  const auto named = Named(value, gpus);
  return !named.empty() && named.front().kind != VisibleEntry::kIndex && !CountNamed(named.front(), gpus);
}

std::vector<PciAddress> HiddenGpus(const system::Environment& environment,
                                   const std::vector<RuntimeDevice>& shown,
                                   const std::vector<NvmlGpu>& gpus) {
  std::vector<PciAddress> out;
  for (const auto* gpu : Hidden(environment, shown, gpus)) {
    if (gpu->pci) out.push_back(*gpu->pci);
  }
  return out;
}

std::string WhatIsWrong(const system::Environment& environment, std::size_t shown,
                        const std::vector<NvmlGpu>& gpus) {
  const auto value = environment.Get(kVisibleDevices);
  return value ? FaultIn(*value, shown, gpus) : std::string();
}

std::optional<Note> NoteOn(const system::Environment& environment, const std::vector<RuntimeDevice>& shown,
                           const std::vector<NvmlGpu>& gpus) {
  if (auto order = OrderText(environment, shown, gpus); !order.empty())
    return Note{std::string(kCountsApart), std::move(order)};
  const bool is_cut =
      ShowsOneInstance(Named(environment.Get(kVisibleDevices).value_or(""), gpus), shown.size());
  if (!is_cut || !Hidden(environment, shown, gpus).empty()) return std::nullopt;
  return Note{std::string(kOneInstance),
              fmt::format("{}: {}", kVisibleDevices, WhatIsWrong(environment, shown.size(), gpus))};
}

std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                        const std::vector<RuntimeDevice>& shown,
                                        const std::vector<NvmlGpu>& gpus) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  // What is wrong with the value and what it hides are one thing to mend.
  auto hidden = HiddenText(environment, shown, gpus);
  if (const auto fault = WhatIsWrong(environment, shown.size(), gpus); !fault.empty())
    hidden = hidden.empty() ? fmt::format("{}: {}", kVisibleDevices, fault) : hidden + "; " + fault;
  add(std::move(hidden));
  for (auto& text : system::ExplainSpoilers(kSpoilers, environment)) add(std::move(text));
  add(OrderText(environment, shown, gpus));
  return out;
}

}  // namespace probe::cuda
