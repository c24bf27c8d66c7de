// SPDX-License-Identifier: MIT
#include "tests/fakes/common/fake_machine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/core/codec.h"
#include "probe/core/fields.h"

namespace tests {

std::string RunWith(const Variables& variables, const ProcessBody& body) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    const auto files = probe::system::FileSystem::Open("/");
    const std::string text = body(*files, probe::system::Environment(variables));
    for (std::size_t at = 0; at < text.size();) {
      const auto written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(3);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

probe::ProbeReport SurveyWith(const Variables& variables, const probe::Module& module) {
  const std::string text = RunWith(variables, [&](const auto& files, const auto& environment) {
    probe::ProbeReport report;
    report.module = module.name;
    module.probe({files, environment, std::nullopt,
                  [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
    probe::Conclude(report);
    return probe::ToText(probe::Encode(report));
  });
  const auto json = probe::ParseJson(text);
  if (!json) {
    ADD_FAILURE() << "the probe died";
    return {};
  }
  auto report = probe::Decode<probe::ProbeReport>(*json);
  if (!report) ADD_FAILURE() << probe::Describe(report.error());
  return report ? *std::move(report) : probe::ProbeReport{};
}

}  // namespace tests
