// SPDX-License-Identifier: MIT
#include <string>

#include "backends/vulkan/vulkan_session.h"

namespace backends::vulkan {
namespace {

using probe::Result;
using probe::Status;
using probe::vulkan::PhysicalFacts;

Status CreateLayouts(Device& device, const kernels::Step& step, Pipeline& out) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const kernels::Binding& binding : step.bindings) {
    VkDescriptorSetLayoutBinding row{};
    row.binding = static_cast<std::uint32_t>(bindings.size());
    row.descriptorType = DescriptorType(binding.view);
    row.descriptorCount = 1;
    row.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    bindings.push_back(row);
    out.views.push_back(binding.view);
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  const auto& functions = device.functions();
  if (const VkResult result =
          functions.vkCreateDescriptorSetLayout(device.handle(), &set, nullptr, &out.set_layout);
      result != VK_SUCCESS) {
    return device.Fail("vkCreateDescriptorSetLayout", result);
  }
  VkPushConstantRange scalars{};
  scalars.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  scalars.size = kMaxScalars * sizeof(std::uint32_t);
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &out.set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &scalars;
  if (const VkResult result =
          functions.vkCreatePipelineLayout(device.handle(), &layout, nullptr, &out.layout);
      result != VK_SUCCESS) {
    return device.Fail("vkCreatePipelineLayout", result);
  }
  return probe::Ok();
}

bool TakesSubgroupWidth(const PhysicalFacts& facts) {
  return facts.subgroup_control.subgroupSizeControl != VK_FALSE &&
         (facts.subgroup_size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

Status Compile(Device& device, const kernels::Step& step, const std::array<std::uint32_t, 3>& local,
               bool in_subgroups, Pipeline& out) {
  const auto& functions = device.functions();
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = step.code.size_bytes();
  code.pCode = step.code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (const VkResult result = functions.vkCreateShaderModule(device.handle(), &code, nullptr, &module);
      result != VK_SUCCESS) {
    return device.Fail("vkCreateShaderModule", result);
  }
  const std::string entry(step.entry);
  constexpr std::uint32_t kWord = sizeof(std::uint32_t);
  constexpr std::array<VkSpecializationMapEntry, 3> kConstants = {
      {{0, 0, kWord}, {1, kWord, kWord}, {2, 2 * kWord, kWord}}};
  const VkSpecializationInfo constants{static_cast<std::uint32_t>(kConstants.size()), kConstants.data(),
                                       sizeof(local), local.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = entry.c_str();
  info.stage.pSpecializationInfo = &constants;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo width{};
  width.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  width.requiredSubgroupSize = device.facts().subgroup.subgroupSize;
  if (in_subgroups && TakesSubgroupWidth(device.facts())) {
    info.stage.pNext = &width;
    if (device.facts().subgroup_control.computeFullSubgroups != VK_FALSE) {
      info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
  }
  info.layout = out.layout;
  const VkResult result =
      functions.vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &out.handle);
  functions.vkDestroyShaderModule(device.handle(), module, nullptr);
  if (result != VK_SUCCESS) return device.Fail("vkCreateComputePipelines", result);
  return probe::Ok();
}

}  // namespace

VkDescriptorType DescriptorType(kernels::View view) {
  return view == kernels::View::kStorage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                         : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
}

Result<Pipeline> CreatePipeline(Device& device, const kernels::Step& step,
                                const std::array<std::uint32_t, 3>& local, bool in_subgroups) {
  Pipeline pipeline;
  auto status = CreateLayouts(device, step, pipeline);
  if (status) status = Compile(device, step, local, in_subgroups, pipeline);
  if (!status) {
    Destroy(device, pipeline);
    return status.error();
  }
  return pipeline;
}

void Destroy(Device& device, Pipeline& pipeline) {
  if (device.lost()) return;
  const auto& functions = device.functions();
  if (pipeline.handle != VK_NULL_HANDLE)
    functions.vkDestroyPipeline(device.handle(), pipeline.handle, nullptr);
  if (pipeline.layout != VK_NULL_HANDLE)
    functions.vkDestroyPipelineLayout(device.handle(), pipeline.layout, nullptr);
  if (pipeline.set_layout != VK_NULL_HANDLE) {
    functions.vkDestroyDescriptorSetLayout(device.handle(), pipeline.set_layout, nullptr);
  }
  pipeline = {};
}

}  // namespace backends::vulkan
