// SPDX-License-Identifier: MIT
#include <utility>

#include "probe/core/device_cap.h"
#include "probe/core/module.h"
#include "probe/metal/metal_api.h"

namespace probe::metal {

Module Describe();

namespace {

bool LoadsNothing(const ProbeContext& context) {
  return !system::Library::Exists({&kMetalName, 1}, {}, context.files, context.environment);
}

// That it is not there is told by a name of its own, by which the runtime's table says what that means.
void Fail(const ProbeContext& context, Error error) {
  const bool absent = error.Is(OwnError::kAbsent);
  if (absent) error.name = "other_system";
  context.sink(Failure{absent ? Outcome::kAbsent : Outcome::kFailed, std::move(error)});
}

void Probe(const ProbeContext& context) {
  context.sink(StageEntered{Stage::kLoad});
  const auto libraries = OpenLibraries(context.files, context.environment);
  if (!libraries) return Fail(context, libraries.error());
  context.sink(libraries->metal.info());
  context.sink(StageEntered{Stage::kSymbols});
  const auto api = ResolveApi(*libraries);
  if (!api) return Fail(context, api.error());
  context.sink(StageEntered{Stage::kInit});
  const Pool pool(*api);
  const auto devices = Devices(*api);
  WarnAtCap(context.sink, "Metal", devices.size(), kMaxDevices);
  context.sink(StageEntered{Stage::kEnumerate});
  for (std::uint32_t i = 0; i < devices.size(); ++i) context.sink(ReadDevice(*api, devices[i].get(), i));
}

}  // namespace

Module Describe() {
  Module module;
  module.name = "metal";
  module.title = "Metal";
  module.libraries = {&kMetalName, 1};
  module.loads_nothing = LoadsNothing;
  module.probe = Probe;
  return module;
}

}  // namespace probe::metal
