// SPDX-License-Identifier: MIT
#include "report/core/impossible.h"

#include <algorithm>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "report/core/architecture.h"
#include "report/core/targets.h"

namespace report {

Setting SettingOf(const Host& host) {
  Setting setting;
  if (host.system) setting.os = *host.system;
  setting.machine = host.architecture;
  setting.wsl = host.virtualization == probe::kWsl2;
  return setting;
}

std::optional<Hindrance> WhyImpossible(std::string_view subject, const std::string& architecture,
                                       const Setting& setting) {
  for (const auto& [of, os, arch, from, key, why] : probe::ParseTable<6>(data::kImpossible)) {
    const bool is_os = os.empty() || os == setting.os || (os == "wsl" && setting.wsl);
    if (of != subject || !is_os || (!arch.empty() && arch != setting.machine)) continue;
    if (from.starts_with('=')
            ? architecture != from.substr(1)
            : !from.empty() && (architecture.empty() || CompareVersions(architecture, from) < 0))
      continue;
    return Hindrance{key, why};
  }
  return std::nullopt;
}

namespace {

// The first row for the architecture on that system, and the program that is asked about.
const RuntimeInstead* RowOf(const TargetFacts& target, const std::optional<std::vector<RuntimeInstead>>& rows,
                            const std::optional<std::string>& architecture, const Setting& setting) {
  if (!rows) return nullptr;
  const auto text = ArchitectureText(target, architecture, Reader::kPeople);
  const auto has = [](const std::vector<std::string>& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const auto row = std::find_if(rows->begin(), rows->end(), [&](const RuntimeInstead& one) {
    return has(one.architectures, text) && (!one.os || has(*one.os, setting.os)) &&
           (!one.programs || has(*one.programs, setting.program));
  });
  return row == rows->end() ? nullptr : &*row;
}

}  // namespace

const RuntimeInstead* UnservedOf(const RuntimeFacts& facts, const std::optional<std::string>& architecture,
                                 const Setting& setting) {
  return facts.target ? RowOf(*facts.target, facts.target->unserved, architecture, setting) : nullptr;
}

const RuntimeInstead* BroughtBeside(const RuntimeFacts& facts, const std::optional<std::string>& architecture,
                                    const Setting& setting) {
  return facts.target && !setting.wsl ? RowOf(*facts.target, facts.target->also, architecture, setting)
                                      : nullptr;
}

namespace {

bool IsFor(const Build& build, const Setting& setting) {
  if (!build.needs) return true;
  const auto allows = [](const std::optional<std::vector<std::string>>& all, std::string_view one) {
    return !all || one.empty() || std::find(all->begin(), all->end(), one) != all->end();
  };
  return allows(build.needs->os, setting.os) && allows(build.needs->machine, setting.machine) &&
         build.needs->wsl.value_or(setting.wsl) == setting.wsl;
}

}  // namespace

std::vector<std::string> WithoutCode(const RuntimeFacts& facts,
                                     const std::optional<std::string>& architecture, std::string_view beside,
                                     const Setting& setting, const TargetTable* asked) {
  std::vector<std::string> titles;
  if (!facts.target) return titles;
  const auto text = ArchitectureText(*facts.target, architecture, Reader::kPeople);
  const auto look_at = [&](const TargetTable& table) {
    bool has_code = false;
    bool is_brought = false;
    for (const Build& build : table.builds) {
      if (!IsFor(build, setting)) continue;
      is_brought = is_brought || build.backend == beside;
      if (!ComputesBy(build, facts)) continue;
      const auto built = build.needs ? build.needs->architectures : std::nullopt;
      has_code = has_code || !built || HasCodeFor(*facts.target, *built, text);
    }
    if (!has_code && is_brought) titles.push_back(table.title);
  };
  if (asked != nullptr) {
    look_at(*asked);
    return titles;
  }
  for (const std::string& name : TargetNames()) {
    if (const auto table = EmbeddedTarget(name)) look_at(*table);
  }
  return titles;
}

}  // namespace report
