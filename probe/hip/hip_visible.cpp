// SPDX-License-Identifier: MIT
#include "probe/hip/hip_visible.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/hip/hip_driver.h"
#include "probe/system/spoilers.h"

namespace probe::hip {
namespace {

using amd::KfdNode;

constexpr std::string_view kRocr = "ROCR_VISIBLE_DEVICES";
constexpr std::string_view kHip = "HIP_VISIBLE_DEVICES";
constexpr std::string_view kCuda = "CUDA_VISIBLE_DEVICES";
// Besides those that say what is there, those that change how fast it is, with what they do.
using system::Spoiler;
constexpr std::array kSpoilers = {
    Spoiler{"AMD_SERIALIZE_KERNEL", "lets every launch wait for the one before it"},
    Spoiler{"HIP_LAUNCH_BLOCKING", "lets every launch wait until it is done"},
    Spoiler{"AMD_LOG_LEVEL", "writes down every call, which takes longer than the call"},
    Spoiler{"HSA_CU_MASK", "takes compute units away"},
    Spoiler{"ROC_GLOBAL_CU_MASK", "takes compute units away"},
    Spoiler{"HSA_ENABLE_SDMA", "lets compute units copy, instead of the engines for it, where it is 0",
            system::Spoils::kZero},
};
constexpr std::array<std::string_view, 13> kVariables = {kRocr,
                                                         kHip,
                                                         kCuda,
                                                         kOverride,
                                                         kSpoilers[0].name,
                                                         kSpoilers[1].name,
                                                         kSpoilers[2].name,
                                                         kSpoilers[3].name,
                                                         kSpoilers[4].name,
                                                         kSpoilers[5].name,
                                                         "GPU_ENABLE_WGP_MODE",
                                                         "GPU_MAX_HW_QUEUES",
                                                         "HSA_XNACK"};
constexpr std::string_view kUuidPrefix = "GPU-";
constexpr std::size_t kMaxEntries = 256;

// A list that is read. ROCr hides everything by an empty value; HIP takes CUDA's variable where its own is
// unset or empty, and hides nothing by an empty one.
struct List {
  std::string_view name;
  std::string value;
};
std::optional<List> RocrList(const system::Environment& environment) {
  auto value = environment.Get(kRocr);
  return value ? std::optional(List{kRocr, *std::move(value)}) : std::nullopt;
}
std::optional<List> HipList(const system::Environment& environment) {
  for (const auto name : {kHip, kCuda}) {
    if (auto value = environment.Get(name); value && !value->empty()) return List{name, *std::move(value)};
  }
  return std::nullopt;
}

// The number that an entry is, as its reader takes it. ROCr trims and takes all that strtol takes in base 0
// (ROCR-Runtime, amd_filter_device.cpp); of HIP the text has to be the number's own, without a blank or a
// zero before it (ROCm/clr, rocclr/device/rocm/rocdevice.cpp, Device::init).
std::optional<std::size_t> NumberOf(std::string_view entry, bool rocr) {
  if (!rocr) {
    if (!IsDigits(entry) || (entry.size() > 1 && entry.front() == '0')) return std::nullopt;
    return ParseNumber<std::size_t>(entry);
  }
  entry = Trim(entry);
  const bool hexadecimal = entry.starts_with("0x") || entry.starts_with("0X");
  if (hexadecimal) entry.remove_prefix(2);
  const bool octal = !hexadecimal && entry.size() > 1 && entry.front() == '0';
  return ParseNumber<std::size_t>(entry, hexadecimal ? 16 : octal ? 8 : 10);
}

std::vector<std::string_view> Entries(const List& list) {
  std::vector<std::string_view> out;
  // A comma at the end has an empty entry behind it, which is none.
  for (std::string_view rest = list.value; !rest.empty() && out.size() < kMaxEntries;)
    out.push_back(TakeUpTo(rest, ','));
  return out;
}

// The nodes whose UUID an entry may mean (the same sources): for ROCr those that it begins, by 5 to 20
// characters in either case; for HIP, from 6.2 on, those whose UUID, in small letters, has the entry in it as
// it stands.
std::vector<std::size_t> MatchedByUuid(std::string_view entry, bool rocr, const std::vector<KfdNode>& nodes) {
  const std::string text = rocr ? Lower(Trim(entry)) : std::string(entry);
  if (rocr ? !text.starts_with("g") || text.size() < 5 || text.size() > 20
           : text.find(kUuidPrefix) == std::string::npos)
    return {};
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].unique_id) continue;
    const std::string uuid = fmt::format("{}{:016x}", kUuidPrefix, *nodes[i].unique_id);
    if (rocr ? Lower(uuid).starts_with(text) : uuid.find(text) != std::string::npos) found.push_back(i);
  }
  return found;
}

// The one that it takes: HIP the first of them, ROCr one that is matched alone.
std::optional<std::size_t> NamedByUuid(std::string_view entry, bool rocr, const std::vector<KfdNode>& nodes) {
  const auto matched = MatchedByUuid(entry, rocr, nodes);
  const bool is_taken = rocr ? matched.size() == 1 : !matched.empty();
  return is_taken ? std::optional(matched.front()) : std::nullopt;
}

// The nodes that a list leaves, in its order. It ends at the first entry that is none of them; ROCr's also at
// one that repeats another.
std::vector<KfdNode> LeftBy(const List& list, const std::vector<KfdNode>& nodes) {
  const bool rocr = list.name == kRocr;
  std::vector<KfdNode> out;
  std::vector<std::size_t> taken;
  for (const auto entry : Entries(list)) {
    const auto named = NamedByUuid(entry, rocr, nodes);
    const auto place = named ? *named : NumberOf(entry, rocr).value_or(nodes.size());
    const bool repeated = std::find(taken.begin(), taken.end(), place) != taken.end();
    if (place >= nodes.size() || (repeated && rocr)) break;
    if (!repeated) out.push_back(nodes[place]);
    taken.push_back(place);
  }
  return out;
}

// Whether an entry names none of these nodes, among which its list counts; of what is not known it may.
bool NamesNone(std::string_view entry, bool rocr, const std::vector<KfdNode>& nodes) {
  if (const auto number = NumberOf(entry, rocr)) return !nodes.empty() && *number >= nodes.size();
  const bool all_known =
      std::all_of(nodes.begin(), nodes.end(), [](const KfdNode& node) { return node.unique_id.has_value(); });
  return !nodes.empty() && all_known && !NamedByUuid(entry, rocr, nodes);
}

// "is the beginning of 2 GPUs' UUIDs: gfx90a (0000:03:00.0), gfx90a (0000:43:00.0)"
std::string SeveralText(const std::vector<std::size_t>& matched, const std::vector<KfdNode>& nodes) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(matched.size(), kMost); ++i)
    names.push_back(NameOf(nodes[matched[i]], nodes));
  if (matched.size() > kMost) names.push_back(fmt::format("{} more", matched.size() - kMost));
  return fmt::format("is the beginning of {} GPUs' UUIDs: {}", matched.size(), fmt::join(names, ", "));
}

// The first entry that ends a list; `nodes`: those among which it counts.
std::string FaultIn(const List& list, const std::vector<KfdNode>& nodes) {
  const bool rocr = list.name == kRocr;
  const auto say = [](std::string_view entry, std::string_view what) {
    return fmt::format("\"{}\" {}: ROCm ignores it and all after it", CleanText(entry, 64), what);
  };
  for (const auto entry : Entries(list)) {
    const auto trimmed = Trim(entry);
    if (trimmed == "-1") return {};
    const bool uuid = rocr ? Lower(trimmed).starts_with(Lower(kUuidPrefix)) : entry.starts_with(kUuidPrefix);
    if (!uuid && !NumberOf(entry, rocr)) {
      const bool nearly = IsDigits(trimmed) || trimmed.starts_with(kUuidPrefix);
      return say(entry, nearly ? "has a blank or a zero too many" : "is neither a number nor GPU-...");
    }
    const auto matched = MatchedByUuid(entry, rocr, nodes);
    if (rocr && matched.size() > 1) return say(entry, SeveralText(matched, nodes));
    if (NamesNone(entry, rocr, nodes)) return say(entry, "names no GPU here");
  }
  return {};
}

// Takes out of `nodes` those that the devices are: by slot and partition, then by slot alone, for HIP may
// leave out the partition; so many devices of a slot stand for so many nodes. Returns the devices that are
// none.
std::vector<const RuntimeDevice*> TakeOut(std::vector<const RuntimeDevice*> shown,
                                          std::vector<const KfdNode*>& nodes) {
  for (const bool by_partition : {true, false}) {
    std::erase_if(shown, [&](const RuntimeDevice* device) {
      const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const KfdNode* one) {
        return device->identity.pci && SlotOf(*device->identity.pci) == SlotOf(one->address) &&
               (!by_partition || (device->identity.partition && PartitionOf(*device) == one->partition));
      });
      if (node == nodes.end()) return false;
      nodes.erase(node);
      return true;
    });
  }
  return shown;
}

// "1 of 2 GPUs: gfx1036 (0000:0c:00.0)"; empty for none.
std::string ListText(const std::vector<const KfdNode*>& some, const std::vector<KfdNode>& all) {
  std::vector<std::string> names;
  names.reserve(some.size());
  for (const KfdNode* node : some) names.push_back(NameOf(*node, all));
  if (names.empty()) return {};
  return fmt::format("{} of {} GPUs: {}", names.size(), all.size(), fmt::join(names, ", "));
}

// Each by its place among them, by which it is found again.
std::vector<KfdNode> Numbered(std::vector<KfdNode> nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].number = static_cast<std::uint32_t>(i);
  return nodes;
}

// Which of the nodes are not shown: those that the lists leave out, and those that HIP does not show all the
// same.
struct Unshown {
  std::vector<const KfdNode*> hidden;
  std::vector<const KfdNode*> left;
};

// The devices are first held against what is left: the partitions of one card have their slot in common.
Unshown UnshownOf(const system::Environment& environment, const std::vector<RuntimeDevice>& shown,
                  const std::vector<KfdNode>& nodes) {
  Unshown out;
  for (const KfdNode& node : VisibleNodes(environment, Numbered(nodes)))
    out.left.push_back(&nodes[node.number]);
  for (const KfdNode& node : nodes) {
    if (std::find(out.left.begin(), out.left.end(), &node) == out.left.end()) out.hidden.push_back(&node);
  }
  std::vector<const RuntimeDevice*> devices;
  devices.reserve(shown.size());
  for (const RuntimeDevice& device : shown) devices.push_back(&device);
  const auto others = TakeOut(TakeOut(std::move(devices), out.left), out.hidden);
  // One that does not tell its address may be any of those that are left.
  const auto tells = [](const RuntimeDevice* device) { return device->identity.pci.has_value(); };
  if (!std::all_of(others.begin(), others.end(), tells)) out.left.clear();
  return out;
}

bool HasCard(const std::vector<KfdNode>& nodes, const KfdNode& card) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const KfdNode& node) { return SlotOf(node.address) == SlotOf(card.address); });
}

bool HasNode(const std::vector<KfdNode>& numbered, const KfdNode& node) {
  return std::any_of(numbered.begin(), numbered.end(),
                     [&](const KfdNode& one) { return one.number == node.number; });
}

// The variables without which something would show: each whose list alone leaves it out, or all where only
// together they do. CUDA's, too, where HIP would read it next.
template <class Shows>
std::vector<std::string_view> WhatHides(const system::Environment& environment, const Shows& shows,
                                        const std::vector<KfdNode>& nodes) {
  std::vector<std::string_view> all;
  std::vector<std::string_view> alone;
  auto left = nodes;
  for (const auto& list : {RocrList(environment), HipList(environment)}) {
    if (!list) continue;
    all.push_back(list->name);
    left = LeftBy(*list, left);
    if (!shows(LeftBy(*list, nodes))) alone.push_back(list->name);
  }
  if (shows(left)) return {};
  auto& out = alone.empty() ? all : alone;
  if (const auto next = environment.Get(kCuda);
      out.back() == kHip && next && !next->empty() && !shows(LeftBy({kCuda, *next}, nodes)))
    out.push_back(kCuda);
  return out;
}

// In the order in which they work.
void Sort(std::vector<std::string_view>& variables) {
  const auto place = [](std::string_view name) {
    return std::find(kVariables.begin(), kVariables.end(), name) - kVariables.begin();
  };
  std::sort(variables.begin(), variables.end(), [&](auto a, auto b) { return place(a) < place(b); });
}

// Of nodes that the lists leave out, each for itself, for the parts of a card have their slot in common.
std::vector<std::string_view> WhatHidesAny(const system::Environment& environment,
                                           const std::vector<const KfdNode*>& hidden,
                                           const std::vector<KfdNode>& nodes) {
  std::vector<std::string_view> out;
  const auto numbered = Numbered(nodes);
  for (const KfdNode* node : hidden) {
    const KfdNode& one = numbered[static_cast<std::size_t>(node - nodes.data())];
    const auto shows = [&](const std::vector<KfdNode>& left) { return HasNode(left, one); };
    for (const auto name : WhatHides(environment, shows, numbered)) AddOnce(name, out);
  }
  Sort(out);
  return out;
}

std::string SettingsText(const system::Environment& environment,
                         const std::vector<std::string_view>& variables) {
  std::vector<std::string> set;
  for (const auto name : variables) set.push_back(Quoted(name, environment.Get(name).value_or("")));
  return fmt::format("{}", fmt::join(set, " and "));
}

// Of those of these nodes that the list takes from what `left` has of all: beside what it hides what is wrong
// with its value. Leaves what the list leaves.
std::string HiddenText(const List& list, const std::vector<const KfdNode*>& hidden,
                       const std::vector<KfdNode>& nodes, std::vector<KfdNode>& left) {
  const auto before = std::exchange(left, LeftBy(list, left));
  std::vector<const KfdNode*> taken;
  for (const KfdNode* node : hidden) {
    KfdNode one;
    one.number = static_cast<std::uint32_t>(node - nodes.data());
    if (HasNode(before, one) && !HasNode(left, one)) taken.push_back(node);
  }
  if (taken.empty()) return {};
  const auto fault = FaultIn(list, before);
  return fmt::format("{} hides {}{}{}", Quoted(list.name, list.value), ListText(taken, nodes),
                     fault.empty() ? "" : "; ", fault);
}

}  // namespace

std::span<const std::string_view> VisibilityVariables() { return kVariables; }

std::string Quoted(std::string_view name, std::string_view value) {
  return fmt::format("{}=\"{}\"", name, CleanText(value, 128));
}

std::string NameOf(const KfdNode& node, const std::vector<KfdNode>& nodes) {
  const bool is_part = std::any_of(nodes.begin(), nodes.end(), [&](const KfdNode& other) {
    return SlotOf(other.address) == SlotOf(node.address) && other.partition != node.partition;
  });
  return fmt::format(
      "{} ({}{})", node.target.value_or("a GPU"), ToString(node.address),
      is_part || node.partition != 0 ? fmt::format(", partition {}", node.partition) : std::string());
}

std::string NoneText(const system::Environment& environment, const std::vector<KfdNode>& nodes) {
  std::vector<const KfdNode*> all;
  for (const KfdNode& node : nodes) all.push_back(&node);
  const auto hiding = WhatHidesAny(environment, all, nodes);
  return fmt::format("{} {} none of {} GPU{}", SettingsText(environment, hiding),
                     hiding.size() == 1 ? "leaves" : "leave", nodes.size(), nodes.size() == 1 ? "" : "s");
}

std::string WhatIsWrong(const system::Environment& environment, std::string_view variable,
                        std::vector<KfdNode> nodes) {
  for (const auto& list : {RocrList(environment), HipList(environment)}) {
    if (list && list->name == variable) return FaultIn(*list, nodes);
    if (list) nodes = LeftBy(*list, nodes);
  }
  return {};
}

std::vector<KfdNode> VisibleNodes(const system::Environment& environment, std::vector<KfdNode> nodes) {
  for (const auto& list : {RocrList(environment), HipList(environment)}) {
    if (list) nodes = LeftBy(*list, nodes);
  }
  return nodes;
}

std::vector<HiddenCard> HiddenCards(const system::Environment& environment,
                                    const std::vector<RuntimeDevice>& shown,
                                    const std::vector<KfdNode>& nodes) {
  const auto is_at = [](const std::optional<PciAddress>& one, const PciAddress& other) {
    return one && SlotOf(*one) == SlotOf(other);
  };
  std::vector<HiddenCard> out;
  const auto numbered = Numbered(nodes);
  const auto rocr = RocrList(environment);
  const auto left_by_rocr = rocr ? LeftBy(*rocr, numbered) : numbered;
  for (const KfdNode& node : numbered) {
    const bool is_shown = std::any_of(shown.begin(), shown.end(), [&](const RuntimeDevice& device) {
      return is_at(device.identity.pci, node.address);
    });
    const bool is_told = std::any_of(
        out.begin(), out.end(), [&](const HiddenCard& card) { return is_at(card.address, node.address); });
    if (is_shown || is_told) continue;
    // Of a card in parts those count that ROCr leaves: what drops these hides the card, though its list by
    // itself would have left another part.
    const bool in_part = HasCard(left_by_rocr, node);
    const auto shows = [&](const std::vector<KfdNode>& left) {
      return std::any_of(left.begin(), left.end(), [&](const KfdNode& one) {
        return SlotOf(one.address) == SlotOf(node.address) && (!in_part || HasNode(left_by_rocr, one));
      });
    };
    for (const auto variable : WhatHides(environment, shows, numbered))
      out.push_back({node.address, variable});
  }
  return out;
}

std::vector<CardInPart> CardsInPart(const system::Environment& environment,
                                    const std::vector<RuntimeDevice>& shown,
                                    const std::vector<KfdNode>& nodes) {
  std::vector<CardInPart> out;
  const auto unshown = UnshownOf(environment, shown, nodes);
  for (const KfdNode* node : unshown.hidden) {
    const auto is_its = [&](const std::optional<PciAddress>& one) {
      return one && SlotOf(*one) == SlotOf(node->address);
    };
    const bool is_shown = std::any_of(
        shown.begin(), shown.end(), [&](const RuntimeDevice& device) { return is_its(device.identity.pci); });
    const bool is_told =
        std::any_of(out.begin(), out.end(), [&](const CardInPart& card) { return is_its(card.address); });
    if (!is_shown || is_told) continue;
    std::vector<const KfdNode*> hidden;
    std::copy_if(unshown.hidden.begin(), unshown.hidden.end(), std::back_inserter(hidden),
                 [&](const KfdNode* one) { return is_its(one->address); });
    const auto parts =
        std::count_if(nodes.begin(), nodes.end(), [&](const KfdNode& one) { return is_its(one.address); });
    const auto variables = WhatHidesAny(environment, hidden, nodes);
    out.push_back({node->address, fmt::format("{} {} {} of the {} partitions of {} ({})",
                                              SettingsText(environment, variables),
                                              variables.size() == 1 ? "hides" : "hide", hidden.size(), parts,
                                              node->target.value_or("a GPU"), ToString(node->address))});
  }
  return out;
}

bool HidesAll(const system::Environment& environment, const std::vector<KfdNode>& nodes) {
  return !nodes.empty() && VisibleNodes(environment, nodes).empty();
}

std::string VisibleAs(const system::Environment& environment, std::uint32_t ordinal) {
  const auto list = HipList(environment);
  if (!list) return std::to_string(ordinal);
  std::vector<std::string_view> entries;
  for (const auto entry : Entries(*list)) {
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  }
  return ordinal < entries.size() ? std::string(entries[ordinal]) : std::string();
}

std::vector<std::string> ExplainVisible(const system::Environment& environment,
                                        const std::vector<RuntimeDevice>& shown,
                                        const std::vector<KfdNode>& nodes) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  const auto rocr = RocrList(environment);
  const auto hip = HipList(environment);
  const auto unshown = UnshownOf(environment, shown, nodes);
  // A sentence for each: what one hides and what the other takes of the rest are two things to mend.
  std::string hidden;
  auto counted = Numbered(nodes);
  for (const auto& list : {rocr, hip}) {
    if (list) add(HiddenText(*list, unshown.hidden, nodes, counted));
    hidden = fmt::format("{}", fmt::join(out, "; "));
  }
  if (const auto left = ListText(unshown.left, nodes); !left.empty())
    add(fmt::format("ROCm does not show {}; the kernel's compute driver has them", left));
  // What hides GPUs is one thing to mend, whatever else is to be said of it.
  for (const auto& list : {rocr, hip}) {
    const auto fault = list ? WhatIsWrong(environment, list->name, nodes) : std::string();
    const bool is_told = hidden.find(fault) != std::string::npos;
    if (!fault.empty() && !is_told) add(fmt::format("{}: {}", list->name, fault));
  }
  for (auto& text : system::ExplainSpoilers(kSpoilers, environment)) add(std::move(text));
  const auto names = [&](const List& list) { return hidden.find(list.name) != std::string::npos; };
  if (rocr && hip && !names(*rocr) && !names(*hip))
    add(fmt::format("{} counts among the GPUs that {} leaves, from 0", hip->name, kRocr));
  return out;
}

}  // namespace probe::hip
