// SPDX-License-Identifier: MIT
// The software between a program and each device, layer by layer: what works, what does not and why, what
// mends it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/html/sections.h"
#include "report/render/not_used.h"
#include "report/render/sections.h"
#include "report/render/steps.h"

namespace report::html {
namespace {

enum class State { kGood, kBad, kNone };

// The sign of each, the kind of its cell, and its word where it stands alone.
struct StateRow {
  State state;
  std::string_view sign;
  std::string_view kind;
  std::string_view word;
  double order;
};
constexpr std::array kStates = {StateRow{State::kGood, "\u2713", "good", "works", 0},
                                StateRow{State::kNone, "\u2013", "dim", "none", 1},
                                StateRow{State::kBad, "\u2717", "bad", "fails", 2}};

const StateRow& RowOf(State state) {
  return *std::find_if(kStates.begin(), kStates.end(), [&](const auto& row) { return row.state == state; });
}

// What there is of one layer of a device: a line each, with its sign.
class Layer {
 public:
  void Add(State state, std::string_view text) {
    const auto& row = RowOf(state);
    list_.Add(Element("li", {{"class", std::string(row.kind)}}, fmt::format("{} {}", row.sign, text)));
  }
  [[nodiscard]] Element Done() && { return std::move(list_); }

 private:
  Element list_{"ul", {{"class", "states"}}};
};

Element KernelDriver(const probe::PhysicalDevice& device) {
  Layer layer;
  if (device.hardware && device.hardware->kernel_driver) {
    layer.Add(State::kGood, *device.hardware->kernel_driver);
  } else if (device.hardware && IsGpu(device)) {
    layer.Add(State::kNone, "no driver of the kernel has taken it");
  }
  return std::move(layer).Done();
}

Element Nodes(const probe::PhysicalDevice& device) {
  Layer layer;
  for (const auto& node : device.hardware ? device.hardware->nodes : std::vector<probe::DeviceNode>()) {
    if (node.exists && node.openable) {
      layer.Add(State::kGood, node.path);
    } else if (!node.exists) {
      layer.Add(State::kBad, node.path + " is not there");
    } else {
      layer.Add(State::kBad,
                probe::IsDenied(node) ? node.path + " may not be opened" : probe::DeadText(node));
    }
  }
  return std::move(layer).Done();
}

Element Runtimes(const Report& report, const probe::PhysicalDevice& device) {
  Layer layer;
  if (device.views.empty()) layer.Add(State::kBad, "no runtime reaches it");
  for (const probe::View& view : device.views) {
    layer.Add(
        IsSupposed(view) ? State::kNone : State::kGood,
        fmt::format("{}: {}", RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver),
                    DriverText(view)));
  }
  return std::move(layer).Done();
}

Element Kernels(const Report& report, const probe::PhysicalDevice& device) {
  Layer layer;
  for (const probe::View& view : device.views) {
    const auto way = RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver);
    std::size_t right = 0;
    std::size_t wrong = 0;
    for (const auto* m :
         MeasurementsOf(report.measurements, device.id, view.device.runtime, view.device.driver)) {
      right += IsVerified(*m) ? 1U : 0U;
      wrong += IsTrouble(*m) ? 1U : 0U;
    }
    const auto failed = wrong > 0 ? fmt::format(", {} failed", wrong) : "";
    layer.Add(
        right > 0   ? State::kGood
        : wrong > 0 ? State::kBad
                    : State::kNone,
        right + wrong == 0 ? way + ": none was run" : fmt::format("{}: {} checked{}", way, right, failed));
  }
  return std::move(layer).Done();
}

void AddDevices(const Report& report, Element& section) {
  if (report.devices.empty()) return;
  Table table("From the hardware to checked kernels",
              {"Device", "Seen by", "Kernel driver", "Device nodes", "Runtimes", "Kernels"});
  for (const auto& device : report.devices) {
    table.Row();
    table.Head(DeviceName(report.devices, device.id));
    table.Cell(device.hardware ? device.hardware->source : "a runtime alone");
    table.Put(KernelDriver(device));
    table.Put(Nodes(device));
    table.Put(Runtimes(report, device));
    table.Put(Kernels(report, device));
  }
  section.Add(Element("h3", {}, "Devices"));
  section.Add(std::move(table).Done());
}

std::size_t DevicesBy(const Report& report, const std::string& module) {
  std::size_t count = 0;
  for (const auto& device : report.devices) {
    count += static_cast<std::size_t>(
        std::count_if(device.views.begin(), device.views.end(),
                      [&](const probe::View& view) { return view.device.runtime == module; }));
  }
  return count;
}

State StateOf(const probe::ProbeReport& probe) {
  using probe::Outcome;
  switch (probe.outcome) {
    case Outcome::kOk:
      return State::kGood;
    case Outcome::kAbsent:
    case Outcome::kNoDevice:
      return State::kNone;
    case Outcome::kDenied:
    case Outcome::kHidden:
    case Outcome::kFailed:
    case Outcome::kCrashed:
    case Outcome::kTimedOut:
    case Outcome::kBadReply:
      return State::kBad;
  }
  return State::kBad;
}

std::string ProbeText(const Tables& tables, const Report& report, const probe::ProbeReport& probe) {
  if (probe.outcome != probe::Outcome::kOk) return OutcomeText(tables, probe);
  if (!Find(tables, probe.module)) return "answers";
  const auto devices = DevicesBy(report, probe.module);
  return fmt::format("answers, with {} device{}", devices, devices == 1 ? "" : "s");
}

// The library that it was loaded by, and its drivers with what became of them.
std::string FilesOf(const Tables& tables, const probe::ProbeReport& probe) {
  std::vector<std::string> files;
  if (probe.library)
    files.push_back(fmt::format("{}{}{}", probe.library->path.value_or(probe.library->soname),
                                probe.library->version ? " " : "", probe.library->version.value_or("")));
  for (const auto& driver : probe.drivers) {
    const auto name = driver.outcome == probe::Outcome::kOk ? DriverName(driver)
                                                            : OutcomeText(tables, probe.module, driver);
    files.push_back(fmt::format("{}{}{}", name, driver.library ? ": " : "", driver.library.value_or("")));
  }
  for (const auto& variable : probe.environment)
    files.push_back(fmt::format("{}={}", variable.name, variable.value));
  files.insert(files.end(), probe.warnings.begin(), probe.warnings.end());
  return fmt::format("{}", fmt::join(files, "; "));
}

void AddProbes(const Tables& tables, const Report& report, Element& section) {
  if (report.probes.empty()) return;
  Table table("What was asked", {"Module", "State", "What came of it", "Libraries and drivers", "#Time"});
  for (const auto& probe : report.probes) {
    table.Row();
    table.Head(Title(tables, probe.module));
    const auto& state = RowOf(StateOf(probe));
    table.Cell(fmt::format("{} {}", state.sign, state.word), state.order, std::string(state.kind));
    table.Cell(ProbeText(tables, report, probe), std::nullopt, "notes");
    table.Cell(FilesOf(tables, probe), std::nullopt, "files");
    table.Cell(probe.elapsed_s ? SecondsText(*probe.elapsed_s) : "", probe.elapsed_s.value_or(-1));
  }
  section.Add(Element("h3", {}, "Runtimes and sources"));
  section.Add(std::move(table).Done());
}

// "kernel driver" of kernel_driver.
std::string LayerText(std::string layer) {
  std::replace(layer.begin(), layer.end(), '_', ' ');
  return layer;
}

void AddFinding(const Report& report, const Finding& finding, Element& list) {
  Element item("li", {{"class", finding.severity == Severity::kNote ? "note" : "bad"}});
  item.Add(Element("p")
               .Add(Element("span", {{"class", "layer"}}, LayerText(finding.layer)))
               .Text(" ")
               .Add(Element("b", {}, finding.summary)));
  if (!finding.meaning.empty()) item.Add(Element("p", {}, finding.meaning));
  for (const Fix& fix : finding.fix) {
    Element text("p", {}, fix.text);
    if (fix.needs_reboot) text.Text(" (needs a restart)");
    item.Add(std::move(text));
    if (const auto command = render::CommandLine(report, fix); !command.empty()) item.Add(Command(command));
  }
  for (const Evidence& evidence : finding.evidence)
    item.Add(Paragraph("dim", fmt::format("{}: {}", evidence.source, evidence.value)));
  list.Add(std::move(item));
}

}  // namespace

Element StackPart(const Tables& tables, const Report& report) {
  Element section = Section("stack", "The stack, layer by layer");
  if (!report.findings.empty()) {
    section.Add(Element("h3", {}, "What is wrong, and what to know"));
    Element list("ul", {{"class", "steps"}});
    for (const Finding& finding : report.findings) AddFinding(report, finding, list);
    section.Add(std::move(list));
  }
  AddDevices(report, section);
  AddProbes(tables, report, section);
  const auto lines = render::NotUsedLines(report, true);
  if (lines.empty()) return section;
  section.Add(Element("h3", {}, "Not used"));
  Element list("dl");
  for (const auto& line : lines) {
    list.Add(Element("dt", {}, line.label));
    list.Add(Element("dd", {}, line.reason));
  }
  return std::move(section).With(std::move(list));
}

}  // namespace report::html
