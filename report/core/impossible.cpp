// SPDX-License-Identifier: MIT
#include "report/core/impossible.h"

#include <algorithm>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "report/core/architecture.h"

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

const UnservedArchitectures* UnservedOf(const RuntimeFacts& facts,
                                        const std::optional<std::string>& architecture) {
  if (!facts.target || !facts.target->unserved) return nullptr;
  const auto& unserved = *facts.target->unserved;
  const auto& all = unserved.architectures;
  const auto text = ArchitectureText(*facts.target, architecture, Reader::kPeople);
  return std::find(all.begin(), all.end(), text) == all.end() ? nullptr : &unserved;
}

}  // namespace report
