// SPDX-License-Identifier: MIT
// The Session over Vulkan compute: records launches into one command buffer, submits it, and times it by
// queries of the queue's clock and by the host's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "backends/vulkan/vulkan_device.h"

namespace backends::vulkan {

// Bytes of scalars that every device takes are 128 (Vulkan 1.0, required limits).
inline constexpr std::uint32_t kMaxScalars = 32;

// One compute pipeline for one step of a variant, with the layouts that its bindings ask for. Scalars are
// push constants; the work-group's size stands in the code.
struct Pipeline {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline handle = VK_NULL_HANDLE;
  std::vector<kernels::View> views;  // of its bindings, in order
};

// in_subgroups: the step counts in subgroups of the width that the device gives. Some drivers choose another
// one for each pipeline where they are not told.
[[nodiscard]] probe::Result<Pipeline> CreatePipeline(Device& device, const kernels::Step& step,
                                                     const std::array<std::uint32_t, 3>& local,
                                                     bool in_subgroups);
void Destroy(Device& device, Pipeline& pipeline);
[[nodiscard]] VkDescriptorType DescriptorType(kernels::View view);

// The device's compute queue: records one command buffer at a time, submits it, waits for it, and times it by
// the queue's own clock and by the host's.
class Queue {
 public:
  explicit Queue(Device& device) : device_(device) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  // Waits for the device.
  ~Queue();

  // Before anything else.
  [[nodiscard]] probe::Status Create();
  // Runs what `record` records; it sees all that was written before, and the host sees all that it writes.
  [[nodiscard]] probe::Result<Timing> Submit(const std::function<void(VkCommandBuffer)>& record);
  // In a recording: what follows sees what was written before.
  void Barrier(VkCommandBuffer commands) const;

 private:
  [[nodiscard]] probe::Status Record(const std::function<void(VkCommandBuffer)>& record);
  [[nodiscard]] std::optional<double> ReadQueries() const;

  Device& device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;  // null where the queue can not tell the time
};

// A buffer, with a view of it for each way in which kernels bind it as texels.
struct Memory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::uint64_t bytes = 0;
  std::byte* mapped = nullptr;  // where the host reads and writes it at full speed
  std::map<kernels::View, VkBufferView> views;
};

// One buffer with memory of its own; the caller destroys it.
[[nodiscard]] probe::Result<Memory> CreateMemory(Device& device, const BufferRequest& request);
// Memory of the host's that the device copies from and to.
[[nodiscard]] probe::Result<Memory> CreateStaging(Device& device, std::uint64_t bytes);
void Destroy(Device& device, Memory& memory);

class VulkanSession final : public Session {
 public:
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request);
  ~VulkanSession() override;

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }
  // Memory of the host's that the device copies from and to without our staging.
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] DeviceState State() const override { return StateOfCard(record_, files_); }

 private:
  VulkanSession(std::unique_ptr<Device> device, Limits limits, const OpenRequest& request);
  [[nodiscard]] probe::Status Copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to,
                                   std::uint64_t to_offset, std::uint64_t bytes);
  [[nodiscard]] probe::Status UseStaging();
  // Of AllocateHost's memory what holds these bytes, and where; nullopt where none does.
  struct HostPlace {
    VkBuffer buffer;
    std::uint64_t offset_bytes;
  };
  [[nodiscard]] std::optional<HostPlace> FindHost(std::span<const std::byte> data) const;
  [[nodiscard]] probe::Status Check(std::span<const Launch> launches) const;
  [[nodiscard]] probe::Result<std::vector<VkDescriptorSet>> Bind(std::span<const Launch> launches);
  [[nodiscard]] probe::Status UseDescriptorPool(std::uint32_t sets);
  void Write(const Launch& launch, VkDescriptorSet set);
  void Record(VkCommandBuffer commands, const Launch& launch, VkDescriptorSet set) const;
  template <class T>
  [[nodiscard]] T Watched(T result) {
    if (device_->lost()) account_.ContextEnded();
    return result;
  }

  std::unique_ptr<Device> device_;
  const probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  Limits limits_;
  Queue queue_;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  std::uint32_t descriptor_sets_ = 0;  // that the pool has room for
  BufferTable<Memory> buffers_{limits_};
  std::vector<Pipeline> pipelines_;  // by KernelId
  CulpritAccount account_;
  Memory staging_;
  std::vector<std::shared_ptr<Memory>> host_;  // AllocateHost's; their owners empty them
};

}  // namespace backends::vulkan
