// SPDX-License-Identifier: MIT
#include "backends/vulkan/vulkan_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernels/glsl/variants.h"

namespace backends::vulkan {
namespace {

using probe::Error;
using probe::Result;
using probe::Status;

constexpr std::uint64_t kStagingBytes = 16U << 20U;
constexpr std::uint32_t kMaxBindings = 8;

std::size_t Index(KernelId id) { return static_cast<std::size_t>(id); }

bool CountsInSubgroups(const kernels::Variant& variant) {
  const auto& features = variant.requires_features;
  return std::any_of(features.begin(), features.end(), [](const std::string& feature) {
    return feature == "subgroup_add" || feature.starts_with("coopmat:");
  });
}

Error Misuse(std::string call, std::string text) {
  return {std::move(call), std::nullopt, "misuse", std::move(text)};
}

}  // namespace

Result<std::unique_ptr<Session>> VulkanSession::Open(const OpenRequest& request) {
  auto device = Device::Open(request);
  if (!device) return device.error();
  Limits limits = LimitsOf((*device)->facts(), request);
  if (auto others = LoadOfOthers(request.device); !others.empty())
    ShareWith(std::move(others), OthersWork::kSeen, limits);
  std::unique_ptr<VulkanSession> session(new VulkanSession(*std::move(device), std::move(limits), request));
  if (auto status = session->queue_.Create(); !status) return status.error();
  return std::unique_ptr<Session>(std::move(session));
}

VulkanSession::VulkanSession(std::unique_ptr<Device> device, Limits limits, const OpenRequest& request)
    : device_(std::move(device)),
      record_(request.device),
      files_(request.files),
      limits_(std::move(limits)),
      queue_(*device_) {}

VulkanSession::~VulkanSession() {
  if (!device_->lost()) device_->functions().vkDeviceWaitIdle(device_->handle());
  for (Memory& memory : buffers_.RemoveAll()) Destroy(*device_, memory);
  for (Pipeline& pipeline : pipelines_) Destroy(*device_, pipeline);
  Destroy(*device_, staging_);
  if (!device_->lost())
    device_->functions().vkDestroyDescriptorPool(device_->handle(), descriptor_pool_, nullptr);
}

Result<BufferId> VulkanSession::Allocate(const BufferRequest& request) {
  if (device_->lost()) return device_->Fail("vkCreateBuffer", VK_ERROR_DEVICE_LOST);
  if (auto allowed = buffers_.Check("vkCreateBuffer", request.bytes); !allowed) return allowed.error();
  auto memory = Watched(CreateMemory(*device_, request));
  if (!memory) return memory.error();
  return buffers_.Add(*std::move(memory), request.bytes);
}

void VulkanSession::Release(BufferId buffer) {
  if (auto removed = buffers_.Remove(buffer)) Destroy(*device_, *removed);
}

Result<HostBuffer> VulkanSession::AllocateHost(std::uint64_t bytes) {
  auto memory = CreateStaging(*device_, bytes);
  if (!memory) return memory.error();
  memory->bytes = bytes;
  const auto held = host_.emplace_back(std::make_shared<Memory>(*std::move(memory)));
  return HostBuffer{{held->mapped, bytes},
                    {held->mapped, [this, held](std::byte*) { Destroy(*device_, *held); }}};
}

std::optional<VulkanSession::HostPlace> VulkanSession::FindHost(std::span<const std::byte> data) const {
  const auto at = reinterpret_cast<std::uintptr_t>(data.data());
  for (const auto& host : host_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(host->mapped);
    if (host->mapped == nullptr || at < begin || at - begin > host->bytes) continue;
    if (data.size() <= host->bytes - (at - begin)) return HostPlace{host->buffer, at - begin};
  }
  return std::nullopt;
}

Status VulkanSession::UseStaging() {
  if (staging_.buffer != VK_NULL_HANDLE) return probe::Ok();
  auto staging = CreateStaging(*device_, kStagingBytes);
  if (!staging) return staging.error();
  staging_ = *std::move(staging);
  return probe::Ok();
}

Status VulkanSession::Copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                           std::uint64_t bytes) {
  const auto timing = Watched(queue_.Submit([&](VkCommandBuffer commands) {
    const VkBufferCopy region{from_offset, to_offset, bytes};
    device_->functions().vkCmdCopyBuffer(commands, from, to, 1, &region);
    queue_.Barrier(commands);
  }));
  if (!timing) return timing.error();
  return probe::Ok();
}

Status VulkanSession::Upload(BufferId buffer, std::uint64_t offset_bytes, std::span<const std::byte> data) {
  const auto located = buffers_.Locate("upload", buffer, offset_bytes, data.size());
  if (!located) return located.error();
  const Memory& memory = **located;
  if (memory.mapped != nullptr) {
    std::memcpy(memory.mapped + offset_bytes, data.data(), data.size());
    return probe::Ok();
  }
  if (data.empty()) return probe::Ok();
  if (const auto host = FindHost(data))
    return Copy(host->buffer, host->offset_bytes, memory.buffer, offset_bytes, data.size());
  if (auto status = UseStaging(); !status) return status;
  for (std::size_t at = 0; at < data.size(); at += kStagingBytes) {
    const auto part = data.subspan(at, std::min<std::size_t>(kStagingBytes, data.size() - at));
    std::memcpy(staging_.mapped, part.data(), part.size());
    if (auto status = Copy(staging_.buffer, 0, memory.buffer, offset_bytes + at, part.size()); !status)
      return status;
  }
  return probe::Ok();
}

Status VulkanSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  const auto located = buffers_.Locate("download", buffer, offset_bytes, data.size());
  if (!located) return located.error();
  const Memory& memory = **located;
  if (memory.mapped != nullptr) {
    std::memcpy(data.data(), memory.mapped + offset_bytes, data.size());
    return probe::Ok();
  }
  if (data.empty()) return probe::Ok();
  if (const auto host = FindHost(data))
    return Copy(memory.buffer, offset_bytes, host->buffer, host->offset_bytes, data.size());
  if (auto status = UseStaging(); !status) return status;
  for (std::size_t at = 0; at < data.size(); at += kStagingBytes) {
    const auto part = data.subspan(at, std::min<std::size_t>(kStagingBytes, data.size() - at));
    if (auto status = Copy(memory.buffer, offset_bytes + at, staging_.buffer, 0, part.size()); !status)
      return status;
    std::memcpy(part.data(), staging_.mapped, part.size());
  }
  return probe::Ok();
}

Result<KernelId> VulkanSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  if (device_->lost()) return device_->Fail("vkCreateShaderModule", VK_ERROR_DEVICE_LOST);
  if (step.bindings.size() > kMaxBindings) return Misuse("vkCreateDescriptorSetLayout", "too many bindings");
  // The work-group's size is the same for every problem.
  const auto shape = kernels::ShapeOf(step, {}, limits_.shape);
  auto pipeline = CreatePipeline(*device_, step, shape.local, CountsInSubgroups(variant));
  if (!pipeline) return pipeline.error();
  pipelines_.push_back(*std::move(pipeline));
  account_.Loaded(variant);
  return static_cast<KernelId>(pipelines_.size() - 1);
}

Status VulkanSession::Check(std::span<const Launch> launches) const {
  const auto& most = device_->facts().properties.limits.maxComputeWorkGroupCount;
  for (const Launch& launch : launches) {
    if (Index(launch.kernel) >= pipelines_.size()) return Misuse("vkCmdDispatch", "no such kernel");
    const Pipeline& pipeline = pipelines_[Index(launch.kernel)];
    if (launch.buffers.size() != pipeline.views.size())
      return Misuse("vkCmdDispatch", "bindings do not match");
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const BoundBuffer& bound = launch.buffers[i];
      const Memory* memory = buffers_.Find(bound.buffer);
      const bool has_view =
          memory != nullptr && (bound.view == kernels::View::kStorage || memory->views.contains(bound.view));
      if (!has_view || bound.view != pipeline.views[i])
        return Misuse("vkCmdDispatch", "no such view of the buffer");
    }
    if (launch.shape.scalars.size() > kMaxScalars) return Misuse("vkCmdPushConstants", "too many scalars");
    for (std::size_t i = 0; i < std::size(most); ++i) {
      if (launch.shape.groups[i] == 0 || launch.shape.groups[i] > most[i]) {
        return Misuse("vkCmdDispatch", std::to_string(launch.shape.groups[i]) + " work-groups");
      }
    }
  }
  return probe::Ok();
}

Status VulkanSession::UseDescriptorPool(std::uint32_t sets) {
  const auto& functions = device_->functions();
  if (sets <= descriptor_sets_) {
    functions.vkResetDescriptorPool(device_->handle(), descriptor_pool_, 0);
    return probe::Ok();
  }
  functions.vkDestroyDescriptorPool(device_->handle(), descriptor_pool_, nullptr);
  descriptor_pool_ = VK_NULL_HANDLE;
  descriptor_sets_ = 0;
  const std::array<VkDescriptorPoolSize, 2> sizes = {
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets * kMaxBindings},
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, sets * kMaxBindings}};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  if (const VkResult result =
          functions.vkCreateDescriptorPool(device_->handle(), &info, nullptr, &descriptor_pool_);
      result != VK_SUCCESS) {
    return device_->Fail("vkCreateDescriptorPool", result);
  }
  descriptor_sets_ = sets;
  return probe::Ok();
}

void VulkanSession::Write(const Launch& launch, VkDescriptorSet set) {
  std::array<VkDescriptorBufferInfo, kMaxBindings> infos{};
  std::array<VkWriteDescriptorSet, kMaxBindings> writes{};
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const Memory& memory = *buffers_.Find(launch.buffers[i].buffer);
    infos[i] = {memory.buffer, 0, VK_WHOLE_SIZE};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = static_cast<std::uint32_t>(i);
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = DescriptorType(launch.buffers[i].view);
    writes[i].pBufferInfo = &infos[i];
    const auto view = memory.views.find(launch.buffers[i].view);
    if (view != memory.views.end()) writes[i].pTexelBufferView = &view->second;
  }
  device_->functions().vkUpdateDescriptorSets(
      device_->handle(), static_cast<std::uint32_t>(launch.buffers.size()), writes.data(), 0, nullptr);
}

Result<std::vector<VkDescriptorSet>> VulkanSession::Bind(std::span<const Launch> launches) {
  if (auto status = UseDescriptorPool(static_cast<std::uint32_t>(launches.size())); !status)
    return status.error();
  std::vector<VkDescriptorSet> sets;
  for (const Launch& launch : launches) {
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = descriptor_pool_;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &pipelines_[Index(launch.kernel)].set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (const VkResult result = device_->functions().vkAllocateDescriptorSets(device_->handle(), &info, &set);
        result != VK_SUCCESS) {
      return device_->Fail("vkAllocateDescriptorSets", result);
    }
    Write(launch, set);
    sets.push_back(set);
  }
  return sets;
}

void VulkanSession::Record(VkCommandBuffer commands, const Launch& launch, VkDescriptorSet set) const {
  const auto& functions = device_->functions();
  const Pipeline& pipeline = pipelines_[Index(launch.kernel)];
  functions.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
  functions.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &set, 0,
                                    nullptr);
  const auto& scalars = launch.shape.scalars;
  if (!scalars.empty()) {
    functions.vkCmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                 static_cast<std::uint32_t>(scalars.size() * sizeof(std::uint32_t)),
                                 scalars.data());
  }
  functions.vkCmdDispatch(commands, launch.shape.groups[0], launch.shape.groups[1], launch.shape.groups[2]);
  queue_.Barrier(commands);
}

Result<Timing> VulkanSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  if (auto status = Check(launches); !status) return status.error();
  if (launches.empty() || repeats == 0) return Timing{};
  if (device_->lost()) return device_->Fail("vkQueueSubmit", VK_ERROR_DEVICE_LOST);
  account_.Launched(launches.back().kernel);
  const auto sets = Watched(Bind(launches));
  if (!sets) return sets.error();
  auto timing = Watched(queue_.Submit([&](VkCommandBuffer commands) {
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      for (std::size_t i = 0; i < launches.size(); ++i) Record(commands, launches[i], (*sets)[i]);
    }
  }));
  if (timing) account_.Finished();
  return timing;
}

namespace {

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::glsl::Variants(limits.features);
}

}  // namespace

constexpr std::array<std::string_view, 1> kMemoryErrors = {"VK_ERROR_OUT_OF_DEVICE_MEMORY"};

Backend Describe() {
  return {
      .runtime = "vulkan", .open = VulkanSession::Open, .variants = Variants, .memory_errors = kMemoryErrors};
}

}  // namespace backends::vulkan
