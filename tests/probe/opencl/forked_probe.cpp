// SPDX-License-Identifier: MIT
#include "tests/probe/opencl/forked_probe.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "probe/core/codec.h"
#include "probe/core/fields.h"
#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::opencl {
Module Describe();
}

namespace tests {
namespace {

[[noreturn]] void ChildMain(int out, const std::map<std::string, std::string, std::less<>>& variables,
                            const std::optional<std::string>& manifest) {
  clearenv();
  setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const auto files = probe::system::FileSystem::Open("/");
  if (!files) _exit(2);
  const probe::system::Environment environment(variables);
  probe::ProbeReport report;
  report.module = "opencl";
  probe::opencl::Describe().probe(
      {*files, environment, manifest, [&](const probe::ProbeEvent& event) { Apply(event, report); }});
  Conclude(report);
  const std::string text = probe::ToText(probe::Encode(report));
  for (std::size_t at = 0; at < text.size();) {
    const auto written = write(out, text.data() + at, text.size() - at);
    if (written <= 0) _exit(3);
    at += static_cast<std::size_t>(written);
  }
  _exit(0);
}

}  // namespace

probe::ProbeReport RunOpenClProbe(const std::map<std::string, std::string, std::less<>>& variables,
                                  const std::optional<std::string>& manifest) {
  // Where the probe leaves what only the loader reads: a scratch directory, as the supervisor gives it.
  std::string scratch = std::filesystem::temp_directory_path() / "forked-probe-XXXXXX";
  int ends[2] = {-1, -1};
  if (mkdtemp(scratch.data()) == nullptr || pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(scratch.c_str()) != 0) _exit(4);
    ChildMain(ends[1], variables, manifest);
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
  std::filesystem::remove_all(scratch);
  probe::ProbeReport report;
  if (const auto json = probe::ParseJson(text)) {
    if (auto decoded = probe::Decode<probe::ProbeReport>(*json)) report = *std::move(decoded);
  }
  report.exit.emplace();
  if (WIFEXITED(status)) report.exit->code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) report.exit->signal = WTERMSIG(status);
  return report;
}

}  // namespace tests
