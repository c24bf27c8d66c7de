// SPDX-License-Identifier: MIT
// The course of every runtime's probe: announce a stage, then take its risk; report what was found and why
// not more.
#include <array>

#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/null/null_api.h"

namespace probe::null {

Module Describe();

namespace {

// Variables of the runtime that hide, reorder or replace devices.
constexpr std::array<std::string_view, 1> kVisibilityVariables = {"NULL_VISIBLE_DEVICES"};

void Probe(const ProbeContext& context) {
  for (const std::string_view name : kVisibilityVariables) {
    if (const auto value = context.environment.Get(name)) {
      context.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    }
  }
  context.sink(StageEntered{Stage::kLoad});
  const auto api = Open(context.files, context.environment);
  if (!api) {
    context.sink(
        Failure{api.error().Is(OwnError::kAbsent) ? Outcome::kAbsent : Outcome::kFailed, api.error()});
    return;
  }
  context.sink(StageEntered{Stage::kEnumerate});
  const auto devices = Devices(*api);
  if (!devices) {
    context.sink(Failure{Outcome::kFailed, devices.error()});
    return;
  }
  for (const RuntimeDevice& device : *devices) context.sink(device);
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "null";
  module.title = "Null";
  module.visibility_variables = kVisibilityVariables;
  module.probe = Probe;
  return module;
}

}  // namespace probe::null
