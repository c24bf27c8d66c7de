// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/vendor_names.h"
#include "report/core/devices.h"
#include "report/core/glossary.h"
#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

using probe::DeviceKind;

constexpr std::array<std::pair<DeviceKind, std::string_view>, 8> kKinds = {{
    {DeviceKind::kDiscrete, "graphics card"},
    {DeviceKind::kIntegrated, "integrated graphics"},
    {DeviceKind::kCpu, "processor"},
    {DeviceKind::kSoftware, "software device"},
    {DeviceKind::kAccelerator, "accelerator"},
    {DeviceKind::kVirtual, "virtual display"},
    {DeviceKind::kManagement, "server management graphics"},
    {DeviceKind::kUnknown, "device of unknown kind"},
}};

std::string_view KindText(DeviceKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.first == kind; })
      ->second;
}

// The widest vector and matrix instructions, as people name them.
struct Feature {
  std::string_view prefix;
  std::string_view text;
};
constexpr std::array kFeatures = {Feature{"avx512", "AVX-512"}, Feature{"amx", "AMX"}, Feature{"sve", "SVE"},
                                  Feature{"neon", "NEON"}, Feature{"avx2", "AVX2"}};

std::string FeatureText(const probe::Processor& processor) {
  std::vector<std::string_view> found;
  for (const auto& feature : kFeatures) {
    const bool has = std::any_of(processor.features.begin(), processor.features.end(),
                                 [&](const std::string& name) { return name.starts_with(feature.prefix); });
    const bool implied = feature.text == "AVX2" && !found.empty();  // by AVX-512
    if (has && !implied) found.push_back(feature.text);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

std::string CountText(std::uint32_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string ProcessorText(const probe::Processor& p) {
  std::vector<std::string> parts;
  if (p.cores) parts.push_back(CountText(*p.cores, "core"));
  if (p.threads) parts.push_back(CountText(*p.threads, "thread"));
  if (p.usable_threads && p.usable_threads != p.threads)
    parts.push_back(fmt::format("{} usable", *p.usable_threads));
  if (p.quota_cores) parts.push_back(fmt::format("limited to {} cores", SignificantText(*p.quota_cores, 2)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Of a GPU that the kernel lends the host's memory the part that is set apart for it, by that name: what a
// program has of both is up to the runtime.
std::string MemoryText(const probe::PhysicalDevice& device) {
  const auto& memory = device.memory;
  const std::string_view own = HasCarveOut(device) ? " of its own" : "";
  if (memory.total_bytes && memory.free_bytes) {
    return fmt::format("{} of {}{} free", BytesText(*memory.free_bytes), BytesText(*memory.total_bytes), own);
  }
  if (memory.total_bytes) return fmt::format("{}{}", BytesText(*memory.total_bytes), own);
  return memory.free_bytes ? BytesText(*memory.free_bytes) + " free" : "";
}

// Before it was at work only the most that it can is known, beside what it idles at.
std::string LinkText(const std::optional<probe::PcieLink>& idle,
                     const std::optional<probe::PcieLink>& at_work) {
  const auto& link = at_work ? at_work : idle;
  if (!link || !link->generation || !link->lanes) return "";
  const auto text = fmt::format("PCIe {}.0 x{}", *link->generation, *link->lanes);
  const auto most = std::max(link->max_generation, link->generation),
             lanes = std::max(link->max_lanes, link->lanes);
  if (most == link->generation && lanes == link->lanes) return text;
  return fmt::format("{} {}, up to {}.0 x{}", text, at_work ? "at work" : "now", *most, *lanes);
}

std::string AtWorkText(const AtWork& at_work) {
  std::vector<std::string> parts;
  if (at_work.temperature_c) parts.push_back(fmt::format("{:.0f} C", *at_work.temperature_c));
  if (at_work.power_w) parts.push_back(fmt::format("{:.0f} W", *at_work.power_w));
  return parts.empty() ? "" : fmt::format("up to {} at work", fmt::join(parts, " and "));
}

std::string_view FactOf(const probe::HardwareDevice& hardware, std::string_view key) {
  const std::string* value = probe::FindFact(hardware.facts, key);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

std::string DriverText(const probe::HardwareDevice& hardware) {
  if (!hardware.kernel_driver) return "";
  const bool draws_only = !FactOf(hardware, "compute_driver").empty();
  return fmt::format("kernel driver {}{}", *hardware.kernel_driver, draws_only ? ": no compute driver" : "");
}

bool HasView(const probe::PhysicalDevice& device, const std::string& architecture) {
  return std::any_of(device.views.begin(), device.views.end(),
                     [&](const probe::View& view) { return view.device.architecture == architecture; });
}

// What nobody here says of a graphics device is said to be unknown, where a table could seem to know it.
std::vector<std::string> Unknowns(const probe::PhysicalDevice& device) {
  std::vector<std::string> out;
  const auto& ids = device.hardware->identity.ids;
  if (device.kind != DeviceKind::kDiscrete && device.kind != DeviceKind::kIntegrated) return out;
  const bool target = device.hardware->architecture ||
                      std::any_of(device.views.begin(), device.views.end(), [](const probe::View& view) {
                        return view.device.architecture.has_value();
                      });
  const probe::VendorNames* vendor = ids ? probe::FindVendorNames(ids->vendor) : nullptr;
  if (!target && vendor != nullptr && !vendor->target_title.empty())
    out.push_back(fmt::format("{} unknown", vendor->target_title));
  if (!device.memory.total_bytes) out.emplace_back("memory unknown");
  return out;
}

// What was measured of a device, each once, in the order of their names; copies to others are one.
std::set<std::string> MeasuredNames(const Report& report, const std::string& device_id) {
  std::set<std::string> names;
  for (const auto& m : report.measurements) {
    if (m.device_id == device_id && IsVerified(m))
      names.insert(m.peer_id ? std::string(TitleOf(m.kernel)) : FigureName(m));
  }
  return names;
}

}  // namespace

std::vector<std::string> DeviceFacts(const Report& report, const probe::PhysicalDevice& device, bool all) {
  std::vector<std::string> facts;
  const auto add = [&](std::string text) {
    if (!text.empty()) facts.push_back(std::move(text));
  };
  add(device.id);
  const auto why = WhyNotMeasurable(device);
  const auto purpose = why ? PurposeText(*why) : std::string_view();
  add(std::string(purpose.empty() ? KindText(device.kind) : purpose));
  if (device.hardware && device.hardware->processor) {
    add(ProcessorText(*device.hardware->processor));
    add(FeatureText(*device.hardware->processor));
  }
  const bool own = device.hardware && device.hardware->architecture && !device.hardware->processor;
  if (own && !HasView(device, *device.hardware->architecture)) add(*device.hardware->architecture);
  add(MemoryText(device));
  if (device.hardware) {
    const auto partitions = FactOf(*device.hardware, "compute_partitions");
    if (!partitions.empty()) add(fmt::format("{} partitions", partitions));
    const auto at_work = AtWorkOf(report.measurements, device.id);
    add(LinkText(device.hardware->pcie, at_work.pcie));
    add(AtWorkText(at_work));
    if (device.hardware->removable.value_or(false)) add("removable");
    // A graphics card's is host memory that it can reach: of interest where everything is.
    const auto gtt = all ? device.hardware->gtt_bytes : device.memory.gtt_bytes;
    if (gtt) add(BytesText(*gtt) + " GTT");
    add(DriverText(*device.hardware));
    if (all) {
      for (auto& unknown : Unknowns(device)) add(std::move(unknown));
    }
  }
  if (device.parent_id) add("part of " + *device.parent_id);
  return facts;
}

std::string AbridgedText(const Report& report, const probe::PhysicalDevice& device) {
  const auto here = MeasuredNames(report, device.id);
  if (here.empty()) return "";
  const probe::PhysicalDevice* whole = nullptr;
  std::size_t most = here.size();
  for (const auto& other : report.devices) {
    if (&other == &device || !AreEqualGpus(other, device)) continue;
    const auto there = MeasuredNames(report, other.id).size();
    if (there > most) whole = &other;
    most = std::max(most, there);
  }
  if (whole == nullptr) return "";
  return fmt::format("equal to {}, which has the whole plan: here {} alone {} measured", whole->id,
                     fmt::join(here, " and "), here.size() == 1 ? "was" : "were");
}

}  // namespace report::render
