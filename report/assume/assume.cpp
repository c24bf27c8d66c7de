// SPDX-License-Identifier: MIT
#include "report/assume/assume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "report/assume/cards.h"
#include "report/assume/known_card.h"
#include "report/assume/memory.h"
#include "report/assume/possible.h"
#include "report/assume/words.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"
#include "report/core/devices.h"
#include "report/core/impossible.h"
#include "report/core/quantity.h"
#include "report/core/suggest.h"
#include "report/core/wording.h"

namespace report::assume {
namespace {

constexpr std::string_view kUsualSystem = "linux";

probe::Error Said(std::string text) {
  return probe::Error{"", std::nullopt, "", "--assume: " + std::move(text)};
}

// nullptr of a device whose architecture its maker's own runtime serves, and where nobody knows; also where
// the system has no such runtime, and so nothing that is taken in its place.
const RuntimeInstead* UnservedOf(const RuntimeFacts& facts, const Words& words, const Whole& whole) {
  return words.runtimes || words.is_elsewhere || words.of != &facts
             ? nullptr
             : report::UnservedOf(facts, words.architecture, SettingOf(whole));
}

// What its maker's driver brings beside the own runtime.
const RuntimeInstead* BroughtBeside(const RuntimeFacts& facts, const Words& words, const Whole& whole) {
  return words.runtimes || words.is_elsewhere || words.of != &facts
             ? nullptr
             : report::BroughtBeside(facts, words.architecture, SettingOf(whole));
}

// Its maker's own, with what its driver brings, or what programs use where that serves no such device, where
// the text does not say what is installed. Those for another maker's GPUs alone reach others of the machine.
Installed RuntimesOf(const Tables& tables, const Words& words, const Whole& whole, std::uint32_t vendor) {
  Installed own;
  if (words.runtimes) {
    std::copy_if(words.runtimes->begin(), words.runtimes->end(), std::back_inserter(own),
                 [&](const auto& one) {
                   const auto* facts = Find(tables, one.first);
                   return !facts || !facts->vendor || IsOfVendor(*facts, vendor);
                 });
    return own;
  }
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!IsMakersOwn(facts, vendor)) continue;
    const auto* unserved = UnservedOf(facts, words, whole);
    if (unserved && whole.wsl.value_or(false)) continue;  // whose card has no driver but its maker's
    const auto& name = unserved ? unserved->runtime : facts.name;
    if (!WhyNotHad(whole, name)) own.emplace_back(name, "");
    if (const auto* beside = unserved ? nullptr : BroughtBeside(facts, words, whole))
      own.emplace_back(beside->runtime, "");
  }
  return own;
}

probe::View ViewOf(const Tables& tables, const Words& words, const probe::PhysicalDevice& device,
                   const std::pair<std::string, std::string>& runtime, std::uint32_t ordinal) {
  probe::View view;
  view.matched_by = "pci";
  view.device.runtime = runtime.first;
  view.device.driver = kDescribed;
  view.device.ordinal = ordinal;
  view.device.identity = device.hardware->identity;
  view.device.name = device.name;
  view.device.kind = device.kind;
  view.device.driver_version = words.driver;
  if (!runtime.second.empty()) view.device.api_version = runtime.second;
  view.device.unified_memory = words.unified;
  // A runtime that stands on another has that one's architectures.
  const auto* facts = Find(tables, runtime.first);
  if (facts && facts->target && words.of && facts->target->key == words.of->target->key)
    view.device.architecture = words.architecture;
  // By the first of those that it may stand on, unless somebody says which.
  if (facts && facts->stands_on)
    view.device.facts.push_back({facts->stands_on->fact, facts->stands_on->runtimes.front()});
  return view;
}

// The one that the kernel has for the GPUs of a maker, none of which is on a bus, where it has but one; which
// GPU has it says what installs a runtime for it.
std::string KernelDriverOf(const Whole& whole, std::string_view maker) {
  std::vector<std::string_view> known;
  for (const auto& [driver, name, vendor, kind, role, nodes, computes_with, no_runtime] :
       probe::ParseTable<8>(data::kPlatformDrivers)) {
    if (vendor == maker && kind == "integrated") known.push_back(driver);
  }
  const bool is_it = known.size() == 1 && whole.os == kUsualSystem && !whole.wsl.value_or(false);
  return std::string(is_it ? known.front() : kDescribed);
}

// Of an "Iris Xe", whose rates are those of one processor's, "Intel Iris Xe (i7-1265U)", nobody has said the
// processor.
std::string NameOf(const Words& words) {
  const auto own = words.name->substr(0, words.name->find(" ("));
  return !words.alias.empty() && IsCardsName(words.alias, own) ? own : *words.name;
}

// `number` of the device among all, from 1; `listed`: how many each runtime has listed before it.
probe::PhysicalDevice DeviceOf(const Tables& tables, const Words& words, const Whole& whole,
                               std::uint32_t number, std::map<std::string, std::uint32_t>& listed) {
  probe::PhysicalDevice device;
  const auto vendor = *words.vendor;
  constexpr std::uint32_t kBuses = 256;
  const probe::PciAddress address{number / kBuses, number % kBuses, 0, 0};
  device.id = "pci:" + probe::ToString(address);
  device.vendor = std::string(probe::VendorName(vendor));
  device.name = words.name ? NameOf(words)
                           : fmt::format("{} {}", *device.vendor,
                                         words.architecture ? *words.architecture : std::string("GPU"));
  device.kind = words.kind.value_or(probe::DeviceKind::kDiscrete);
  device.hardware.emplace();
  device.hardware->source = kDescribed;
  device.hardware->name = device.name;
  device.hardware->vendor = device.vendor;
  device.hardware->kind = device.kind;
  device.hardware->identity.pci = address;
  device.hardware->identity.ids = words.ids ? *words.ids : probe::PciIds{vendor, 0, {}, {}, {}};
  device.hardware->kernel_driver = KernelDriverOf(whole, *device.vendor);
  device.hardware->architecture = words.architecture;
  // Where chips of several architectures are called so, the numbers are those of the one whose rates stand
  // for it, and tell nothing of its own.
  if (words.ids && !words.architecture) device.hardware->facts.push_back({"table_target", ""});
  for (const auto& runtime : RuntimesOf(tables, words, whole, vendor)) {
    if (runtime.first != kProcessorRuntime)
      device.views.push_back(ViewOf(tables, words, device, runtime, listed[runtime.first]++));
  }
  std::sort(device.views.begin(), device.views.end(),
            [](const auto& a, const auto& b) { return a.device.runtime < b.device.runtime; });
  FillMemory(words, device);
  return device;
}

constexpr std::uint32_t kCommonCores = 8;

// What all but the oldest processors in use have.
std::vector<std::string> CommonFeatures(const std::optional<std::string>& machine) {
  if (machine == "aarch64") return {"neon"};
  return {"sse4.2", "avx", "f16c", "fma", "avx2"};
}

probe::PhysicalDevice Processor(const Whole& whole) {
  probe::PhysicalDevice device;
  device.id = kProcessorId;
  device.name = "processor";
  device.kind = probe::DeviceKind::kCpu;
  device.hardware.emplace();
  device.hardware->source = kDescribed;
  device.hardware->name = device.name;
  device.hardware->kind = device.kind;
  auto& processor = device.hardware->processor.emplace();
  processor.features = CommonFeatures(whole.machine);
  processor.cores = kCommonCores;
  processor.threads = kCommonCores;
  processor.usable_threads = kCommonCores;
  probe::View view;
  view.matched_by = "only_candidate";
  view.device.runtime = kProcessorRuntime;
  view.device.driver = kDescribed;
  view.device.name = device.name;
  view.device.kind = device.kind;
  device.views.push_back(std::move(view));
  FillMemory(whole, device);
  return device;
}

Host HostOf(const Whole& whole, bool is_said) {
  Host host;
  if (is_said || whole.os != kUsualSystem) host.system = whole.os;
  host.libc = whole.libc;
  host.architecture = whole.machine.value_or("x86_64");
  if (whole.wsl.value_or(false)) host.virtualization = probe::kWsl2;
  if (whole.container.value_or(false)) host.container = kDescribed;
  return host;
}

// With what would have to be said, where that would not be refused.
std::string WhyNotThere(const RuntimeFacts& facts, const std::vector<Words>& described, const Whole& whole) {
  if (auto why = WhyNotHad(whole, facts.name)) return *std::move(why);
  const bool is_of_one =
      !facts.vendor || std::any_of(described.begin(), described.end(), [&](const Words& words) {
        return words.vendor && IsOfVendor(facts, *words.vendor);
      });
  if (is_of_one)
    return fmt::format("the description does not say that it is installed (runtime={})", facts.name);
  const auto vendor = probe::ParseNumber<std::uint32_t>(*facts.vendor, 16).value_or(0);
  return fmt::format("it is for GPUs of {} alone, and none is described", probe::VendorName(vendor));
}

// Every runtime answers or is not installed, and the bus was looked through. Where the texts do not say what
// is installed nothing is known of the others, and what can not be there is missed by nobody.
std::vector<probe::ProbeReport> ProbesOf(const Tables& tables, const std::vector<Words>& described,
                                         const Whole& whole,
                                         const std::vector<probe::PhysicalDevice>& devices) {
  const bool is_said = std::any_of(described.begin(), described.end(),
                                   [](const Words& words) { return words.runtimes.has_value(); });
  std::set<std::string> installed;
  for (const auto& device : devices) {
    for (const auto& view : device.views) installed.insert(view.device.runtime);
  }
  std::vector<probe::ProbeReport> probes;
  const auto add = [&](std::string_view module, probe::Outcome outcome) {
    probes.emplace_back();
    probes.back().module = module;
    probes.back().outcome = outcome;
  };
  add(kBusModule, probe::Outcome::kOk);
  for (const RuntimeFacts& facts : tables.runtimes) {
    const bool is_there = installed.contains(facts.name);
    add(facts.name, is_there ? probe::Outcome::kOk : probe::Outcome::kAbsent);
    if (is_there || (is_said && !WhyNotHad(whole, facts.name))) continue;
    probes.back().error =
        probe::Own(probe::OwnError::kNothingKnown, "--assume", WhyNotThere(facts, described, whole));
  }
  return probes;
}

// "M4 Max" of "M4 Max 128GB".
std::string WithoutSize(std::string_view name) {
  std::string plain;
  for (std::string_view rest = name; !rest.empty();) {
    auto word = probe::TakeUpTo(rest, ' ');
    const auto hyphen = word.find_last_of('-');
    if (MemoryInName(word)) word = hyphen == std::string_view::npos ? "" : word.substr(0, hyphen);
    if (word.empty()) continue;
    plain.append(plain.empty() ? "" : " ").append(word);
  }
  return plain;
}

// What the words say once the size is no part of the name; nullopt of what is no GPU of a chip that shares
// its memory.
std::optional<Words> AsChip(const Tables& tables, Words words) {
  words.name = WithoutSize(*words.name);
  if (words.name->empty() || RecogniseCard(tables, words) || RecogniseKind(words) ||
      words.kind != probe::DeviceKind::kIntegrated || !words.unified.value_or(true))
    return std::nullopt;
  return words;
}

// Of a chip's GPU a size in the name is the machine's memory, which it shares: that people buy. Whether it is
// one, and then filled in. The size tells whose it is where a card is called so, too: a Tesla M4 has 4 GB, an
// "M4 24GB" is Apple's, and of one with less than any such chip was sold with nobody knows.
bool RecogniseChip(const Tables& tables, Words& words) {
  const auto bytes = words.name ? MemoryInName(*words.name) : std::nullopt;
  if (!bytes) return false;
  auto chip = AsChip(tables, words);
  if (Words whole = words; !chip && !words.vendor && !RecogniseCard(tables, whole)) {
    Words of_maker = words;
    of_maker.vendor = whole.vendor;
    chip = AsChip(tables, std::move(of_maker));
    if (chip) chip->taken_for = *chip->name;
    if (chip && *bytes < LeastSharedBytes(*chip->vendor)) {
      words.name = *chip->name;
      return false;
    }
  }
  if (!chip) return false;
  // Of several chips of one size the machine has as much for each.
  if (!chip->ram_bytes && !words.memory_bytes && chip->chip_bytes != bytes) chip->ram_bytes = bytes;
  words = *std::move(chip);
  return true;
}

// The words of a text with what follows from them: the maker, and what is known of the card.
probe::Result<Words> Understood(const Tables& tables, const std::string& text) {
  auto words = ReadWords(tables, text);
  if (!words) return words;
  if (!words->vendor && words->of && words->of->vendor)
    words->vendor = probe::ParseNumber<std::uint32_t>(*words->of->vendor, 16);
  if (words->name && !MemoryInName(*words->name)) {
    if (auto plain = WithPlainSizes(*words->name); MemoryInName(plain)) words->name = std::move(plain);
  }
  if (!words->no_gpu) {
    if (!RecogniseChip(tables, *words)) {
      if (auto wrong = RecogniseCard(tables, *words)) return Said(*std::move(wrong));
    }
    if (auto wrong = RecogniseKind(*words)) return Said(*std::move(wrong));
    if (words->unified.value_or(false) && !words->kind) words->kind = probe::DeviceKind::kIntegrated;
  }
  return words;
}

// What no such device can be, by its own text and by the others.
std::optional<std::string> WrongOf(const Tables& tables, std::vector<Words>& described) {
  const auto first = [&]() -> std::optional<std::string> {
    for (const Words& words : described) {
      if (auto wrong = Contradiction(tables, words)) return wrong;
    }
    return std::nullopt;
  };
  if (auto wrong = first()) return wrong;
  if (auto wrong = ShareDrivers(described)) return wrong;
  return first();  // with the driver that another text says
}

// Whose rates stand for a device that is known; empty: its own.
std::string OthersRates(const Words& words, const DevicePeak& peak) {
  if (!words.name || !words.ids || IsOneOf(words.spelling, peak.name)) return "";
  const bool is_its_name = words.rates_of.find('/') == std::string::npos && IsRowOf(peak, words.rates_of);
  if (!words.rates_of.empty() && is_its_name) return words.rates_of;
  if (IsRowOf(peak, words.spelling)) return "";
  if (!AreSeveral(*words.ids) && words.rates_of.empty()) return "";
  auto first = std::string_view(peak.name);
  return std::string(probe::Trim(probe::TakeUpTo(first, '/')));
}

// The runtimes whose drivers are of any maker.
std::vector<std::string_view> OfAnyMaker(const Tables& tables) {
  std::vector<std::string_view> names;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!facts.vendor && facts.name != kProcessorRuntime) names.push_back(facts.name);
  }
  return names;
}

// "cc 3.7", "gfx900"
std::string ArchitectureOf(const Words& words) {
  const auto& target = *words.of->target;
  return (target.form == TargetForm::kWord ? "" : target.key + " ") +
         ArchitectureText(target, words.architecture, Reader::kPeople);
}

// How much memory the table says that the card has whose rates these are; nullopt where it has no one size.
std::optional<std::uint64_t> WholeMemory(const Words& words) {
  if (!words.ids) return std::nullopt;
  const auto& name = words.rates_of.empty() ? words.spelling : words.rates_of;
  return MemoryOfProduct({words.ids->vendor, words.ids->device, name, "", ""}, name);
}

// Of a card with less than half of its memory, as a part that a tool makes of it has, the rates are more.
std::string PartText(const Words& words, const probe::PhysicalDevice& device) {
  const auto whole = WholeMemory(words);
  if (!whole || device.kind != probe::DeviceKind::kDiscrete || !words.memory_bytes ||
      *words.memory_bytes >= *whole / 2)
    return "";
  return fmt::format("the rates are those of a whole {} with its {}: no table has those of a part with {}",
                     probe::CleanText(device.name, 64), BytesText(static_cast<double>(*whole)),
                     BytesText(static_cast<double>(*words.memory_bytes)));
}

// That a runtime is taken to be there for programs which have no code by the own one; empty where the program
// that is asked about has.
std::string BesideText(const Tables& tables, const Words& words, const Whole& whole,
                       const RuntimeInstead& beside) {
  auto titles = WithoutCode(*words.of, words.architecture, beside.runtime, SettingOf(whole), whole.program);
  if (titles.empty()) return "";
  const auto last = std::move(titles.back());
  titles.pop_back();
  return fmt::format(
      "{}{}{} {} no code for {} by {}: {}, which the graphics driver brings, is taken to be there, too",
      fmt::join(titles, ", "), titles.empty() ? "" : " and ", last, titles.empty() ? "has" : "have",
      ArchitectureOf(words), Title(tables, words.of->name), Title(tables, beside.runtime));
}

// What the tables do not know of a device, which an answer rests on. Of the only GPU, without a name, nobody
// expects rates: that they are estimated is said anyhow.
void Warn(const Tables& tables, const Words& words, const Whole& whole, const probe::PhysicalDevice& device,
          bool is_only, std::vector<Warning>& warnings) {
  const auto name = probe::CleanText(device.name, 64);
  // Of equal texts one tells.
  const auto say = [&](const std::string& text) {
    const bool is_said = std::any_of(warnings.begin(), warnings.end(),
                                     [&](const Warning& known) { return known.text == text; });
    if (!is_said) warnings.emplace_back(text);
  };
  if (!words.alias.empty())
    say(fmt::format("{} is taken for {}", probe::CleanText(words.alias, 64),
                    words.name->starts_with(device.vendor.value_or(""))
                        ? probe::CleanText(*words.name, 64)
                        : *device.vendor + "'s " + probe::CleanText(*words.name, 64)));
  if (!words.several.empty())
    say(fmt::format("chips with {} have a GPU that is called {}: {} says which is meant", words.several, name,
                    words.several.substr(0, words.several.find(' '))));
  if (!words.taken_for.empty())
    say(fmt::format("{} is taken for {}'s {}; {}", name, device.vendor.value_or(""), words.taken_for,
                    words.instead.empty() ? "for another maker's give vendor" : words.instead));
  const auto* unserved = words.of ? UnservedOf(*words.of, words, whole) : nullptr;
  if (device.views.empty() && !words.runtimes && unserved == nullptr)
    say(
        fmt::format("nobody says what reaches {}, of whose maker no runtime is there: say what is installed, "
                    "such as runtime={}",
                    name, fmt::join(OfAnyMaker(tables), ":")));
  if (words.is_newer)
    say(fmt::format("{} is newer than all that this version's tables know", ArchitectureOf(words)));
  if (unserved != nullptr)
    say(fmt::format("{} does not serve {}{}{}", Title(tables, words.of->name), ArchitectureOf(words),
                    unserved->os ? " on " + *whole.os : "",
                    device.views.empty() ? ", and nothing else is known to reach it there"
                                         : fmt::format(": {} is taken to be what is installed",
                                                       Title(tables, unserved->runtime))));
  const auto* beside = words.of && !unserved ? BroughtBeside(*words.of, words, whole) : nullptr;
  const auto lacking = beside ? BesideText(tables, words, whole, *beside) : "";
  if (!lacking.empty()) say(lacking);
  const auto* peak = FindPeak(EmbeddedPeaks(), device);
  const auto others = peak ? OthersRates(words, *peak) : "";
  const bool is_another = peak && IsOfAnother(*peak, device);
  if (is_another || (!peak && (!is_only || words.name)))
    say(UnknownRatesText(device));
  else if (!others.empty())
    say(fmt::format("the rates{} are those of {}, as no table has {} itself",
                    words.is_memory_of_rates && others == words.rates_of ? " and the memory" : "", others,
                    name));
  if (const auto part = PartText(words, device); peak && !part.empty()) say(part);
  if (words.is_memory_of_rates && (is_another || others != words.rates_of))
    say(fmt::format("{} is taken to have the {} of {}", name,
                    BytesText(static_cast<double>(*words.memory_bytes)), words.rates_of));
}

}  // namespace

probe::Result<Machine> Imagine(const Tables& tables, const std::vector<std::string>& texts,
                               const TargetTable* program) {
  Whole whole;
  whole.program = program;
  std::vector<Words> described;
  for (const std::string& text : texts) {
    auto words = Understood(tables, text);
    if (!words) return words.error();
    if (auto wrong = whole.Add(*words)) return Said(*std::move(wrong));
    described.push_back(*std::move(words));
  }
  if (auto wrong = WrongOf(tables, described)) return Said(*std::move(wrong));
  const auto has_none = [](const Words& words) { return words.no_gpu; };
  if (described.size() > 1 && std::any_of(described.begin(), described.end(), has_none))
    return Said("vendor: none is a machine without a GPU, and another text describes one");
  if (auto wrong = StrayRuntime(tables, described)) return Said(*std::move(wrong));
  const bool is_said = whole.os.has_value();
  if (auto wrong = Settle(tables, described, whole)) return Said(*std::move(wrong));
  for (Words& words : described) words.is_elsewhere = words.of && WhyNotHad(whole, words.of->name);
  Machine machine;
  if (auto wrong = ShareMemory(described, whole, machine.warnings)) return Said(*std::move(wrong));
  std::map<std::string, std::uint32_t> listed;
  for (const Words& words : described) {
    if (!words.vendor) continue;
    for (std::uint32_t i = 0; i < words.count.value_or(1); ++i) {
      const auto number = static_cast<std::uint32_t>(machine.devices.size()) + 1;
      machine.devices.push_back(DeviceOf(tables, words, whole, number, listed));
    }
    Warn(tables, words, whole, machine.devices.back(), described.size() == 1, machine.warnings);
  }
  machine.devices.insert(machine.devices.begin(), Processor(whole));
  machine.probes = ProbesOf(tables, described, whole, machine.devices);
  machine.host = HostOf(whole, is_said);
  return machine;
}

std::vector<std::string> MachineNames() {
  std::vector<std::string> names;
  for (const auto& [name, source, words] : probe::ParseTable<3>(data::kMachines)) names.emplace_back(name);
  return names;
}

probe::Result<std::vector<std::string>> TextsOfMachine(std::string_view name) {
  const auto wanted = probe::Lower(name);
  for (const auto& [known, source, words] : probe::ParseTable<3>(data::kMachines)) {
    if (known == wanted) return std::vector{std::string(words)};
  }
  const auto known = MachineNames();
  const auto card = Nearest(wanted, known) ? std::nullopt : AsWords(std::string(name));
  const auto hint =
      card ? fmt::format("; --assume \"{}\" describes one with that GPU", *card) : Hint(wanted, known);
  return probe::Error{"", std::nullopt, "",
                      fmt::format("--assume-machine: there is no machine '{}'{}",
                                  probe::CleanText(std::string(name), 64), hint)};
}

}  // namespace report::assume
