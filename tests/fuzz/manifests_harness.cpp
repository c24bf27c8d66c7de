// SPDX-License-Identifier: MIT
// Files and variables that register drivers and layers: what the loaders would be let see.
#include "probe/opencl/opencl_api.h"
#include "probe/opencl/opencl_drivers.h"
#include "probe/vulkan/vulkan_manifest.h"
#include "report/store/cache.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_tree.h"

namespace {

using fuzz::Require;

void RequireError(const std::optional<probe::Error>& error) {
  if (!error) return;
  Require(!probe::Describe(*error).empty(), "an error says something");
  fuzz::RequireLine(error->text);
}

void CheckVulkan(const fuzz::ScratchTree& tree) {
  for (const auto& driver : probe::vulkan::FindDrivers(tree.files(), tree.environment())) {
    Require((driver.outcome == probe::Outcome::kOk) != driver.error.has_value(),
            "what is not used has a reason", driver.path);
    RequireError(driver.error);
    Require(driver.outcome != probe::Outcome::kOk || driver.library.starts_with('/'),
            "what is used is an absolute path", driver.library);
  }
  const auto layers = probe::vulkan::FindImplicitLayers(tree.files(), tree.environment());
  for (const auto& layer : layers) {
    RequireError(layer.distrust);
    (void)probe::vulkan::RoleOf(layer, tree.environment());
  }
  (void)probe::vulkan::WithoutLayers(layers);
}

void CheckOpenCl(const fuzz::ScratchTree& tree) {
  const auto manifests = probe::opencl::FindManifests(tree.files(), tree.environment());
  for (const auto& manifest : manifests) {
    RequireError(manifest.refused);
    const auto found = probe::opencl::ManifestOf(manifest.library, manifests, tree.files());
    Require(!found || *found < manifests.size(), "a manifest is one of the list");
    RequireError(probe::opencl::WhyNoDevice(manifest.library, tree.files(), tree.environment()).error);
  }
  RequireError(probe::opencl::WhyNoDriver(tree.files(), tree.environment()).error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::ScratchTree tree;
  tree.Become(fuzz::AsText(data, size));
  CheckVulkan(tree);
  CheckOpenCl(tree);
  return 0;
}
