// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "probe/core/note.h"
#include "probe/core/number_facts.h"
#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "probe/metal/metal_api.h"
#include "probe/metal/metal_declarations.h"

namespace probe::metal {
namespace {

constexpr int kMaxAppleFamily = 32;  // more than there will be for long

std::string_view LocationName(UInteger location) {
  switch (location) {
    case kMtlDeviceLocationBuiltIn:
      return "built in";
    case kMtlDeviceLocationSlot:
      return "slot";
    case kMtlDeviceLocationExternal:
      return "external";
    default:
      return {};
  }
}

struct NumberRow {
  std::string_view key;
  Sel Selectors::* selector;
};
constexpr std::array kNumbers = {
    NumberRow{"recommended_max_working_set_bytes", &Selectors::working_set_bytes},
    NumberRow{"max_buffer_bytes", &Selectors::max_buffer_bytes},
    NumberRow{"max_threadgroup_memory_bytes", &Selectors::max_group_memory_bytes},
};
constexpr std::array kFlags = {
    NumberRow{"low_power", &Selectors::is_low_power},
    NumberRow{"headless", &Selectors::is_headless},
    NumberRow{"removable", &Selectors::is_removable},
};

void AddFacts(const Api& api, Id device, RuntimeDevice& out) {
  const auto add = [&](std::string_view key, std::string value) {
    out.facts.push_back({std::string(key), std::move(value)});
  };
  if (const auto id = api.Ask<std::uint64_t>(device, &Selectors::registry_id))
    add(kRegistryFact, fmt::format("{:#x}", *id));
  if (const auto location = api.Ask<UInteger>(device, &Selectors::location)) {
    if (const auto name = LocationName(*location); !name.empty()) add("location", std::string(name));
    const auto number = api.Ask<UInteger>(device, &Selectors::location_number);
    if (number && *location == kMtlDeviceLocationSlot) add("location_number", fmt::to_string(*number));
  }
  for (const NumberRow& row : kNumbers) {
    if (const auto value = api.Ask<UInteger>(device, row.selector); value && *value != 0)
      add(row.key, fmt::to_string(*value));
  }
  for (const NumberRow& row : kFlags) {
    if (const auto value = api.Ask<Boolean>(device, row.selector)) add(row.key, *value != 0 ? "1" : "0");
  }
  if (const auto architecture = api.Ask<Id>(device, &Selectors::architecture);
      architecture && *architecture != nullptr) {
    if (auto name = api.Text(api.Send(*architecture, &Selectors::name)); !name.empty())
      add("architecture_name", std::move(name));
  }
  if (IsOf(api, device, kMtlGpuFamilyMetal3)) add("metal3", "1");
  // Whose language and library have tensors.
  if (IsOf(api, device, kMtlGpuFamilyMetal4)) add("metal4", "1");
}

// Every chip of Apple's for Macs has one, from the M1 on (Apple, technical specifications of its Macs).
void NameNeuralEngine(RuntimeDevice& out) {
  if (!out.name.starts_with("Apple M")) return;
  AddNote(
      {"neural_engine",
       "the chip has a Neural Engine beside the GPU: it is reached through Core ML or MPSGraph, which decide "
       "what runs there; not measured"},
      out);
}

// The names of a Mac's cards begin with their maker's: "AMD Radeon Pro 5500M".
std::optional<std::string> MakerIn(std::string_view name) {
  const std::string first = Lower(TakeUpTo(name, ' '));
  for (const VendorNames& maker : KnownVendors()) {
    if (!first.empty() && Lists(maker.maker_words, first)) return std::string(maker.name);
  }
  return std::nullopt;
}

DeviceKind KindOf(const Api& api, Id device, const RuntimeDevice& facts) {
  if (facts.unified_memory == true) return DeviceKind::kIntegrated;
  const auto low_power = api.Ask<Boolean>(device, &Selectors::is_low_power);
  if (!facts.unified_memory || !low_power) return DeviceKind::kUnknown;
  return *low_power != 0 ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
}

}  // namespace

bool IsOf(const Api& api, Id device, Integer family) {
  return api.Ask<Boolean>(device, &Selectors::supports_family, family).value_or(0) != 0;
}

int AppleFamily(const Api& api, Id device) {
  for (int family = kMaxAppleFamily; family > 0; --family) {
    if (IsOf(api, device, kMtlGpuFamilyApple1 + family - 1)) return family;
  }
  return 0;
}

RuntimeDevice ReadDevice(const Api& api, Id device, std::uint32_t ordinal) {
  RuntimeDevice out;
  out.runtime = "metal";
  out.driver = "Metal";
  out.ordinal = ordinal;
  out.name = api.Text(api.Ask<Id>(device, &Selectors::name).value_or(nullptr));
  out.vendor = MakerIn(out.name);
  const int apple = AppleFamily(api, device);
  if (apple > 0) {
    // Numbers of PCI: the maker has one, its GPUs, which are no cards, have none.
    constexpr std::uint32_t kApple = 0x106b;
    out.vendor = "Apple";
    out.identity.ids = PciIds{kApple, 0, {}, {}, {}};
    out.architecture = fmt::format("apple{}", apple);
  } else if (IsOf(api, device, kMtlGpuFamilyMac2)) {
    out.architecture = "mac2";
  }
  if (const auto unified = api.Ask<Boolean>(device, &Selectors::has_unified_memory))
    out.unified_memory = *unified != 0;
  // Of a memory that is the processor's too it is what the system lets the GPU have.
  if (const auto bytes = api.Ask<UInteger>(device, &Selectors::working_set_bytes); bytes.value_or(0) != 0)
    out.memory_total_bytes = bytes;
  out.compute_units = CoresOf(api, device);
  out.kind = KindOf(api, device, out);
  out.dtypes = {"fp32", "fp16"};
  // SIMD-group matrices came with the seventh family (Apple, "Metal feature set tables"); lanes are 32 on all
  // of Apple's.
  constexpr int kMatrices = 7;
  if (apple > 0) out.subgroup_width = 32;
  if (apple >= kMatrices) out.matrix_units = {"fp32/fp32", "fp16/fp32"};
  // bfloat came with version 3.1 of the language, in macOS 14, and with it MTLDevice's architecture.
  if (apple >= kMatrices && api.Responds(device, &Selectors::architecture)) {
    out.dtypes.emplace_back("bf16");
    out.matrix_units.emplace_back("bf16/fp32");
  }
  AddFacts(api, device, out);
  NameNeuralEngine(out);
  return out;
}

}  // namespace probe::metal
