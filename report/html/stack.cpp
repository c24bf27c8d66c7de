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

void AddState(State state, Table& table) {
  switch (state) {
    case State::kGood:
      return table.Cell("\u2713 works", 0, "good");
    case State::kBad:
      return table.Cell("\u2717 fails", 2, "bad");
    case State::kNone:
      return table.Cell("\u2013 none", 1, "dim");
  }
}

class Layers {
 public:
  Layers(const Report& report, Table& table) : report_(report), table_(table) {}

  void Add(const probe::PhysicalDevice& device) {
    device_ = DeviceName(report_.devices, device.id);
    if (device.hardware) AddHardware(device, *device.hardware);
    if (device.views.empty()) Add("runtime", State::kNone, "no runtime reaches it");
    for (const probe::View& view : device.views) AddView(device, view);
  }

 private:
  void Add(std::string_view layer, State state, std::string_view text) {
    table_.Row();
    table_.Head(device_);
    table_.Cell(layer);
    AddState(state, table_);
    table_.Cell(text);
  }

  void AddHardware(const probe::PhysicalDevice& device, const probe::HardwareDevice& hardware) {
    Add("hardware", State::kGood, "seen by " + hardware.source);
    if (!IsGpu(device)) return;
    if (hardware.kernel_driver) {
      Add("kernel driver", State::kGood, *hardware.kernel_driver);
    } else {
      Add("kernel driver", State::kNone, "no driver of the kernel has taken it");
    }
    for (const probe::DeviceNode& node : hardware.nodes) {
      if (!node.exists) {
        Add("device node", State::kBad, node.path + " is not there");
      } else if (node.openable) {
        Add("device node", State::kGood, node.path);
      } else {
        Add("device node", State::kBad,
            probe::IsDenied(node) ? node.path + " may not be opened" : probe::DeadText(node));
      }
    }
  }

  void AddView(const probe::PhysicalDevice& device, const probe::View& view) {
    const auto way = RuntimeName(report_.devices, device.id, view.device.runtime, view.device.driver);
    const auto version = view.device.driver_version.value_or("");
    Add("runtime", State::kGood,
        fmt::format("{} by {}{}{}", way, view.device.driver, version.empty() ? "" : " ", version));
    std::size_t right = 0;
    std::size_t wrong = 0;
    for (const auto* m :
         MeasurementsOf(report_.measurements, device.id, view.device.runtime, view.device.driver)) {
      right += IsVerified(*m) ? 1U : 0U;
      wrong += IsTrouble(*m) ? 1U : 0U;
    }
    if (right + wrong == 0) return Add("kernels", State::kNone, way + ": none was run");
    auto text = fmt::format("{}: {} checked", way, right);
    if (wrong > 0) text += fmt::format(", {} failed", wrong);
    Add("kernels", right > 0 ? State::kGood : State::kBad, text);
  }

  const Report& report_;
  Table& table_;
  std::string device_;
};

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
    AddState(StateOf(probe), table);
    table.Cell(ProbeText(tables, report, probe));
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
    section.Add(Element("h3", {}, "What stands in the way"));
    Element list("ul", {{"class", "steps"}});
    for (const Finding& finding : report.findings) AddFinding(report, finding, list);
    section.Add(std::move(list));
  }
  if (!report.devices.empty()) {
    Table table("From the hardware to checked kernels", {"Device", "Layer", "State", "What"});
    Layers layers(report, table);
    for (const auto& device : report.devices) layers.Add(device);
    section.Add(Element("h3", {}, "Devices"));
    section.Add(std::move(table).Done());
  }
  AddProbes(tables, report, section);
  const auto lines = render::NotUsedLines(report, false);
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
