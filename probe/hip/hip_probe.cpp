// SPDX-License-Identifier: MIT
#include "probe/core/module.h"
#include "probe/core/text.h"
#include "probe/hip/hip_api.h"

namespace probe::hip {

Module Describe();

namespace {

constexpr std::array<std::string_view, 5> kVariables = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                                        "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                                        "HSA_OVERRIDE_GFX_VERSION"};

std::optional<Api> OpenApi(const ProbeContext& context) {
  const auto library = OpenRuntime(context.files, context.environment);
  if (!library) {
    context.sink(
        Failure{library.error().name == "absent" ? Outcome::kAbsent : Outcome::kFailed, library.error()});
    return std::nullopt;
  }
  context.sink(library->info());
  context.sink(StageEntered{Stage::kSymbols});
  const auto api = ResolveApi(*library);
  if (api) return *api;
  context.sink(Failure{Outcome::kFailed, api.error()});
  return std::nullopt;
}

void Probe(const ProbeContext& context) {
  for (const auto name : kVariables) {
    if (const auto value = context.environment.Get(name)) {
      context.sink(EnvironmentVariable{std::string(name), CleanText(*value)});
    }
  }
  context.sink(StageEntered{Stage::kLoad});
  const auto api = OpenApi(context);
  if (!api) return;
  context.sink(StageEntered{Stage::kInit});
  const auto init = api->hipInit(0);
  context.sink(StageEntered{Stage::kEnumerate});
  const auto count = DeviceCount(*api);
  if (!count || *count == 0) {
    Error error = count ? ErrorOf("hipGetDeviceCount", kHipErrorNoDevice) : count.error();
    const bool none = error.code == kHipErrorNoDevice;
    if (!none && init != kHipSuccess) error = ErrorOf("hipInit", init);
    context.sink(Failure{none ? Outcome::kNoDevice : Outcome::kFailed, std::move(error)});
    return;
  }
  for (int device = 0; device < *count; ++device) context.sink(ReadDevice(*api, device));
}

}  // namespace

Module Describe() {
  Module module;
  module.libraries = kRuntimeNames;
  module.name = "hip";
  module.title = "ROCm";
  module.visibility_variables = kVariables;
  module.probe = Probe;
  return module;
}

}  // namespace probe::hip
