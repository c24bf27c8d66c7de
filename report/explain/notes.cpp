// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "probe/core/note.h"
#include "probe/core/parse.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

const probe::ProbeReport* ProbeOf(const Report& report, const std::string& module) {
  const auto probe = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& one) { return one.module == module; });
  return probe == report.probes.end() ? nullptr : &*probe;
}

// A finding of one of its variables tells what that does.
bool IsTold(const Report& report, const std::string& module, const std::string& text,
            const std::vector<Finding>& findings) {
  const auto* probe = ProbeOf(report, module);
  const auto variables = probe ? VariablesIn(*probe, text) : std::vector<probe::EnvironmentVariable>();
  return std::any_of(variables.begin(), variables.end(), [&](const auto& variable) {
    const auto id = VariableId(module, variable.name);
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.id == id; });
  });
}

}  // namespace

bool IsNoted(const Report& report, std::string_view module, std::string_view text) {
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
      const auto* noted = probe::FindFact(view.device.facts, probe::kNoteTextFact);
      return view.device.runtime == module && noted != nullptr && *noted == text;
    });
  });
}

void AddNotes(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  const std::size_t first = out.size();
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto* name = probe::FindFact(view.device.facts, probe::kNoteFact);
      const auto* text = probe::FindFact(view.device.facts, probe::kNoteTextFact);
      const auto& runtime = view.device.runtime;
      if (name == nullptr || text == nullptr || IsTold(report, runtime, *text, out)) continue;
      const auto told = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                     [&](const Finding& one) { return one.summary == *text; });
      if (told != out.end()) {
        auto& ids = told->device_ids ? *told->device_ids : told->device_ids.emplace({*told->device_id});
        probe::AddOnce(device.id, ids);
        continue;
      }
      Finding finding;
      finding.id = fmt::format("note.{}.{}.{}", runtime, probe::Slug(*name), probe::Slug(device.id));
      finding.layer = "programming_interface";
      finding.severity = Severity::kNote;
      finding.device_id = device.id;
      finding.runtime = runtime;
      finding.summary = *text;
      AdviseOnError(Find(tables, runtime), probe::Error{"", std::nullopt, *name, *text}, finding);
      out.push_back(std::move(finding));
    }
  }
}

}  // namespace report::explain
