// SPDX-License-Identifier: MIT
#include "probe/vulkan/vulkan_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace probe::vulkan {
namespace {

struct ResultRow {
  VkResult result;
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kResults = {
    ResultRow{VK_SUCCESS, "VK_SUCCESS", ""},
    ResultRow{VK_NOT_READY, "VK_NOT_READY", ""},
    ResultRow{VK_TIMEOUT, "VK_TIMEOUT", "it did not finish in time"},
    ResultRow{VK_INCOMPLETE, "VK_INCOMPLETE", ""},
    ResultRow{VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", "the host's memory is exhausted"},
    ResultRow{VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY",
              "the device's memory is exhausted"},
    ResultRow{VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", "the driver could not start"},
    ResultRow{VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", "the device was reset or stopped answering"},
    ResultRow{VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", ""},
    ResultRow{VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", ""},
    ResultRow{VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", ""},
    ResultRow{VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ""},
    ResultRow{VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", "no driver could be used"},
    ResultRow{VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", ""},
    ResultRow{VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED", ""},
    ResultRow{VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", ""},
    ResultRow{VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", ""},
    ResultRow{VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", ""},
    ResultRow{VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE", ""},
    ResultRow{VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION", ""},
    ResultRow{VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", ""},
    ResultRow{VK_ERROR_NOT_PERMITTED_KHR, "VK_ERROR_NOT_PERMITTED", "this user may not do that"},
    ResultRow{VK_PIPELINE_COMPILE_REQUIRED, "VK_PIPELINE_COMPILE_REQUIRED", ""},
};

const ResultRow* Row(VkResult result) {
  const auto found = std::find_if(kResults.begin(), kResults.end(),
                                  [result](const ResultRow& row) { return row.result == result; });
  return found == kResults.end() ? nullptr : &*found;
}

struct KindRow {
  std::uint32_t type;
  DeviceKind kind;
};
constexpr std::array kKinds = {
    KindRow{VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, DeviceKind::kIntegrated},
    KindRow{VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, DeviceKind::kDiscrete},
    KindRow{VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, DeviceKind::kVirtual},
    // A driver that runs on the host processor.
    KindRow{VK_PHYSICAL_DEVICE_TYPE_CPU, DeviceKind::kSoftware},
};

struct ComponentRow {
  ComponentType type;
  std::string_view dtype;
};
constexpr std::array kComponents = {
    ComponentRow{ComponentType::kFloat16, "fp16"},   ComponentRow{ComponentType::kFloat32, "fp32"},
    ComponentRow{ComponentType::kFloat64, "fp64"},   ComponentRow{ComponentType::kSint8, "int8"},
    ComponentRow{ComponentType::kSint32, "int32"},   ComponentRow{ComponentType::kBfloat16, "bf16"},
    ComponentRow{ComponentType::kFloat8E4m3, "fp8"},
};

}  // namespace

std::string_view NameOf(VkResult result) {
  const ResultRow* row = Row(result);
  return row != nullptr ? row->name : std::string_view();
}

std::string_view MeaningOf(VkResult result) {
  const ResultRow* row = Row(result);
  return row != nullptr ? row->meaning : std::string_view();
}

DeviceKind KindOf(std::uint32_t type) {
  for (const KindRow& row : kKinds) {
    if (row.type == type) return row.kind;
  }
  return DeviceKind::kUnknown;
}

std::optional<std::string_view> DtypeName(ComponentType type) {
  for (const ComponentRow& row : kComponents) {
    if (row.type == type) return row.dtype;
  }
  return std::nullopt;
}

std::string VersionText(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

}  // namespace probe::vulkan
