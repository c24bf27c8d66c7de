// SPDX-License-Identifier: MIT
#include "report/run/teams.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace report {
namespace {

using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

double SecondsBetween(probe::system::SteadyTime from, probe::system::SteadyTime to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

bool MayLoad(const probe::Module& module, const probe::ProbeContext& context) {
  return module.loads_vendor_code && (module.loads_nothing == nullptr || !module.loads_nothing(context));
}

std::vector<Team> MakeTeams(std::span<const probe::Module* const> modules,
                            const probe::ProbeContext& context) {
  std::vector<Team> teams;
  std::vector<Team> sources;
  Team readers;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (!MayLoad(*modules[i], context)) {
      readers.push_back(i);
    } else {
      (modules[i]->kind == probe::ModuleKind::kRuntime ? teams : sources).push_back({i});
    }
  }
  std::sort(teams.begin(), teams.end(), [&](const Team& a, const Team& b) {
    const double first = modules[a.front()]->usual_s, second = modules[b.front()]->usual_s;
    return first != second ? first > second : a.front() < b.front();
  });
  teams.insert(teams.end(), sources.begin(), sources.end());
  if (!readers.empty()) teams.push_back(std::move(readers));
  return teams;
}

Team Share(const Team& team, ChildResult whole, std::span<const probe::system::SteadyTime> begun,
           std::vector<ChildResult>& results) {
  const std::size_t turns = std::min(begun.size(), team.size());
  if (turns == 0) {  // it died before the first turn: nobody's fault in particular
    for (const std::size_t module : team) results[module] = whole;
    return {};
  }
  std::size_t seen = 0;
  for (auto& record : whole.records) {
    if (record.contains(kModuleKey)) {
      ++seen;
    } else {
      results[team[std::clamp(seen, std::size_t{1}, turns) - 1]].records.push_back(std::move(record));
    }
  }
  for (std::size_t turn = 0; turn + 1 < turns; ++turn) {
    results[team[turn]].end = ChildEnd::kDone;
    results[team[turn]].elapsed_s = SecondsBetween(begun[turn], begun[turn + 1]);
  }
  ChildResult& last = results[team[turns - 1]];
  whole.elapsed_s = std::max(0.0, whole.elapsed_s - SecondsBetween(begun.front(), begun[turns - 1]));
  whole.records = std::move(last.records);
  const ChildEnd end = whole.end;
  last = std::move(whole);
  Team left(team.begin() + static_cast<std::ptrdiff_t>(turns), team.end());
  if (end != ChildEnd::kInterrupted) return left;
  for (const std::size_t module : left) results[module].end = ChildEnd::kInterrupted;
  return {};
}

}  // namespace report
