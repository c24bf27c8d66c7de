// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstdlib>

#include "probe/core/codec.h"
#include "probe/core/text.h"
#include "probe/system/trust.h"
#include "probe/vulkan/vulkan_manifest.h"

namespace probe::vulkan {
namespace {

// https://docs.mesa3d.org/envvars.html; NVIDIA driver README, "PRIME Render Offload".
struct OrderingLayer {
  std::string_view name;
  std::array<std::string_view, 3> variables;
};
constexpr std::array kOrderingLayers = {
    OrderingLayer{"VK_LAYER_MESA_device_select",
                  {"MESA_VK_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE", "DRI_PRIME"}},
    OrderingLayer{"VK_LAYER_NV_optimus", {"__NV_PRIME_RENDER_OFFLOAD", "__VK_LAYER_NV_optimus"}},
};

constexpr std::size_t kMaxLayerManifestBytes = 256U << 10U;

// The only variable of {"NAME": "value"}.
std::optional<EnvironmentVariable> SwitchOf(const Json& layer, const char* key) {
  const auto found = layer.find(key);
  if (found == layer.end() || !found->is_object() || found->empty()) return std::nullopt;
  const auto variable = found->begin();
  const std::string& name = variable.key();
  const bool plain = !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos;
  if (!plain || !variable.value().is_string()) return std::nullopt;
  return EnvironmentVariable{name, variable.value().get<std::string>()};
}

bool IsActive(const Json& layer, const system::Environment& environment) {
  if (const auto disable = SwitchOf(layer, "disable_environment"); disable && environment.Get(disable->name))
    return false;
  const auto enable = SwitchOf(layer, "enable_environment");
  return !enable || environment.Get(enable->name) == enable->value;
}

std::optional<Error> Distrust(const Json& layer, const std::string& manifest, const system::FileSystem& files,
                              const system::Environment& environment) {
  const auto named = layer.find("library_path");
  if (named == layer.end() || !named->is_string()) return std::nullopt;
  const auto library = ResolveLibrary(manifest, named->get<std::string>(), files, environment);
  if (!library) return std::nullopt;
  const auto trusted = system::CheckTrusted(files, *library);
  return trusted ? std::nullopt : std::optional(trusted.error());
}

void AddLayer(const Json& layer, const std::string& manifest, const system::FileSystem& files,
              const system::Environment& environment, std::vector<ImplicitLayer>& layers) {
  if (!layer.is_object() || !IsActive(layer, environment)) return;
  ImplicitLayer out;
  out.manifest = manifest;
  const auto name = layer.find("name");
  out.name = CleanText(name != layer.end() && name->is_string() ? name->get<std::string>() : manifest);
  out.disable = SwitchOf(layer, "disable_environment");
  out.distrust = Distrust(layer, manifest, files, environment);
  layers.push_back(std::move(out));
}

void AddManifest(const std::string& path, const system::FileSystem& files,
                 const system::Environment& environment, std::vector<ImplicitLayer>& layers) {
  if (const auto trusted = system::CheckTrusted(files, path); !trusted) {
    layers.push_back({CleanText(path), path, std::nullopt, trusted.error()});
    return;
  }
  const auto content = files.Read(path, kMaxLayerManifestBytes + 1);
  const auto json = content ? ParseJson(*content, kMaxLayerManifestBytes) : Result<Json>(content.error());
  if (!json || !json->is_object()) return;  // the loader can make nothing of it either
  if (const auto one = json->find("layer"); one != json->end())
    AddLayer(*one, path, files, environment, layers);
  if (const auto many = json->find("layers"); many != json->end() && many->is_array()) {
    for (const Json& layer : *many) AddLayer(layer, path, files, environment, layers);
  }
}

}  // namespace

std::vector<ImplicitLayer> FindImplicitLayers(const system::FileSystem& files,
                                              const system::Environment& environment) {
  std::vector<std::string> paths = ManifestFiles("implicit_layer.d", files, environment);
  for (const char* variable : {"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH"}) {
    for (std::string& path : ListedFiles(environment.Get(variable).value_or(""), files))
      paths.push_back(std::move(path));
  }
  std::vector<ImplicitLayer> layers;
  for (const std::string& path : paths) AddManifest(path, files, environment, layers);
  return layers;
}

LayerRole RoleOf(const ImplicitLayer& layer, const system::Environment& environment) {
  const auto known = std::find_if(kOrderingLayers.begin(), kOrderingLayers.end(),
                                  [&](const OrderingLayer& row) { return row.name == layer.name; });
  if (known == kOrderingLayers.end()) return LayerRole::kForeign;
  const bool asked = std::any_of(known->variables.begin(), known->variables.end(), [&](const auto name) {
    return !name.empty() && environment.Get(name).has_value();
  });
  return asked ? LayerRole::kOrders : LayerRole::kIdle;
}

std::vector<EnvironmentVariable> OnlyDriver(std::string_view manifest) {
  // The second name is for loaders before 1.3.207; the filters could hide the very driver that is asked for.
  return {{"VK_DRIVER_FILES", std::string(manifest)},
          {"VK_ICD_FILENAMES", std::string(manifest)},
          {"VK_LOADER_DRIVERS_SELECT", ""},
          {"VK_LOADER_DRIVERS_DISABLE", ""}};
}

std::vector<EnvironmentVariable> WithoutLayers(std::span<const ImplicitLayer> layers) {
  std::vector<EnvironmentVariable> variables = {{"VK_LOADER_LAYERS_DISABLE", "~implicit~"}};
  for (const ImplicitLayer& layer : layers) {
    if (layer.disable) variables.push_back(*layer.disable);
  }
  return variables;
}

void ApplyToProcess(std::span<const EnvironmentVariable> variables) {
  for (const char* explicit_layers :
       {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH"}) {
    unsetenv(explicit_layers);
  }
  for (const EnvironmentVariable& variable : variables) {
    if (variable.value.empty()) {
      unsetenv(variable.name.c_str());
    } else {
      setenv(variable.name.c_str(), variable.value.c_str(), 1);
    }
  }
}

}  // namespace probe::vulkan
