// SPDX-License-Identifier: MIT
// The variables that hide AMD's GPUs or make one pass for another, and what they do on this machine, as
// sentences. Changes nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/amd/amd.h"
#include "probe/core/device.h"
#include "probe/hip/hip_target.h"
#include "probe/system/environment.h"

namespace probe::hip {

inline constexpr std::string_view kOverride = "HSA_OVERRIDE_GFX_VERSION";

// NAME="value"
[[nodiscard]] std::string Quoted(std::string_view name, std::string_view value);
// Of a card that is divided the address alone would mean all of it.
[[nodiscard]] std::string NameOf(const amd::KfdNode& node, const std::vector<amd::KfdNode>& nodes);

// In the order in which they work: ROCR_VISIBLE_DEVICES first; HIP_VISIBLE_DEVICES, or without it
// CUDA_VISIBLE_DEVICES, counts among what that leaves; HSA_OVERRIDE_GFX_VERSION; then those that change how
// fast a device is. HIP does not read GPU_DEVICE_ORDINAL, whatever AMD's "GPU isolation techniques" says:
// only AMD's OpenCL does (ROCm/clr, rocclr/device/rocm/rocdevice.cpp).
[[nodiscard]] std::span<const std::string_view> VisibilityVariables();
// Where the lists leave none of these nodes: "NAME=\"value\" leaves none of 2 GPUs", of those that have to go
// before any shows.
[[nodiscard]] std::string NoneText(const system::Environment& environment,
                                   const std::vector<amd::KfdNode>& nodes);
// What is wrong with a list's value: the first entry that ends it, where these are the kernel's nodes. Empty
// for nothing, and for a variable that is not read.
[[nodiscard]] std::string WhatIsWrong(const system::Environment& environment, std::string_view variable,
                                      std::vector<amd::KfdNode> nodes);

// The kernel's nodes that those lists leave, in HIP's order.
[[nodiscard]] std::vector<amd::KfdNode> VisibleNodes(const system::Environment& environment,
                                                     std::vector<amd::KfdNode> nodes);
// Cards of the kernel's of which no part is shown and those lists leave none, each once for every variable
// that has to go before it shows.
struct HiddenCard {
  PciAddress address;
  std::string_view variable;
  bool operator==(const HiddenCard&) const = default;
};
[[nodiscard]] std::vector<HiddenCard> HiddenCards(const system::Environment& environment,
                                                  const std::vector<RuntimeDevice>& shown,
                                                  const std::vector<amd::KfdNode>& nodes);
// A card of which some parts are shown and those lists leave others out, in words.
struct CardInPart {
  PciAddress address;
  std::string text;
};
[[nodiscard]] std::vector<CardInPart> CardsInPart(const system::Environment& environment,
                                                  const std::vector<RuntimeDevice>& shown,
                                                  const std::vector<amd::KfdNode>& nodes);
// Whether those lists leave none of the kernel's nodes, each read as its runtime reads it.
[[nodiscard]] bool HidesAll(const system::Environment& environment, const std::vector<amd::KfdNode>& nodes);
// What HIP_VISIBLE_DEVICES has to be for the device that HIP numbers so in this environment, all other
// variables left as they are: its number among all, where HIP counts what a list leaves. Empty where the list
// does not tell.
[[nodiscard]] std::string VisibleAs(const system::Environment& environment, std::uint32_t ordinal);

// The target of an HSA_OVERRIDE_GFX_VERSION: 10.3.0 is gfx1030. nullopt where it is none.
[[nodiscard]] std::optional<Target> OverrideTarget(std::string_view version);
// HSA_OVERRIDE_GFX_VERSION_<node>, which goes before the variable for all.
[[nodiscard]] std::vector<std::string> OverrideVariables(const std::vector<amd::KfdNode>& nodes);

// The one of them that makes ROCm take the node's GPU for another; empty for none.
[[nodiscard]] std::string OverrideOf(const system::Environment& environment, const amd::KfdNode& node);

// What an override means for the GPUs that the kernel lists (none: for any).
[[nodiscard]] std::vector<std::string> ExplainOverride(const system::Environment& environment,
                                                       const std::vector<amd::KfdNode>& nodes);
// What the other variables do: which GPUs they hide, entries that end the list early.
[[nodiscard]] std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                                      const std::vector<RuntimeDevice>& shown,
                                                      const std::vector<amd::KfdNode>& nodes);

}  // namespace probe::hip
