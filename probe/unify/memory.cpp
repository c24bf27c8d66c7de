// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>

#include "probe/core/parse.h"
#include "probe/unify/finish.h"
#include "probe/unify/likeness.h"

namespace probe::unify {
namespace {

using Bytes = std::optional<std::uint64_t>;

// What one source says of the memory that it counts; sources may count different parts of it.
struct Claim {
  std::uint64_t total = 0;
  Bytes free;
};

// 0 is how a driver without a device says that it does not know. More free than there is is no answer.
std::optional<Claim> ClaimOf(Bytes total, Bytes free) {
  if (!total || *total == 0) return std::nullopt;
  return Claim{*total, free && *free <= *total ? free : std::nullopt};
}

std::optional<Claim> HardwareClaim(const Draft& draft) {
  if (!draft.hardware || draft.identity.partition) return std::nullopt;
  const HardwareDevice& hardware = *draft.hardware;
  return ClaimOf(hardware.vram_bytes ? hardware.vram_bytes : hardware.memory_total_bytes,
                 hardware.memory_free_bytes);
}

// The largest memory that a driver counts, for a smaller one is a part of it. Of drivers that count the same
// (some hold a little back) one that says what is free, and of those the one that says least.
std::optional<Claim> LargestView(const Draft& draft, Bytes like) {
  std::vector<Claim> claims;
  for (const View& view : draft.views) {
    const auto claim = ClaimOf(view.device.memory_total_bytes, view.device.memory_free_bytes);
    if (claim && (!like || SameSize(claim->total, *like))) claims.push_back(*claim);
  }
  if (claims.empty()) return std::nullopt;
  std::uint64_t largest = 0;
  for (const Claim& claim : claims) largest = std::max(largest, claim.total);
  std::erase_if(claims, [&](const Claim& claim) { return !SameSize(claim.total, largest); });
  const auto key = [](const Claim& claim) {
    return std::tuple(!claim.free, claim.free.value_or(0), ~claim.total);
  };
  return *std::min_element(claims.begin(), claims.end(),
                           [&](const Claim& a, const Claim& b) { return key(a) < key(b); });
}

Bytes NumberFact(const HardwareDevice& hardware, std::string_view key) {
  const std::string* text = FindFact(hardware.facts, key);
  return text != nullptr ? ParseNumber<std::uint64_t>(*text) : std::nullopt;
}

// What of the host's memory the driver lets the GPU reach beyond the carve-out.
Bytes ReachableGtt(const HardwareDevice& hardware, Bytes host_free) {
  if (!hardware.gtt_bytes) return std::nullopt;
  const std::uint64_t used = NumberFact(hardware, "gtt_used_bytes").value_or(0);
  const std::uint64_t left = *hardware.gtt_bytes - std::min(*hardware.gtt_bytes, used);
  return std::min(left, host_free.value_or(left));
}

}  // namespace

DeviceMemory MemoryOf(const Draft& draft, DeviceKind kind, std::optional<std::uint64_t> host_free_bytes) {
  auto claim = HardwareClaim(draft);
  const bool from_hardware = claim.has_value();
  if (!claim) {
    claim = LargestView(draft, std::nullopt);
  } else if (const auto view = LargestView(draft, claim->total); !claim->free && view && view->free) {
    claim = view;  // the same memory, and what is free of it
  }
  DeviceMemory out;
  if (claim) {
    out.total_bytes = claim->total;
    out.free_bytes = claim->free;
    out.usable_bytes = claim->free.value_or(claim->total);
  }
  if (kind != DeviceKind::kIntegrated) return out;
  if (draft.hardware && !draft.identity.partition) out.gtt_bytes = draft.hardware->gtt_bytes;
  if (const Bytes gtt = draft.hardware ? ReachableGtt(*draft.hardware, host_free_bytes) : std::nullopt) {
    out.usable_bytes = out.usable_bytes.value_or(0) + *gtt;
  } else if (!from_hardware && out.usable_bytes && host_free_bytes) {
    out.usable_bytes = std::min(*out.usable_bytes, *host_free_bytes);
  }
  return out;
}

}  // namespace probe::unify
