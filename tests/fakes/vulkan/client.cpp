// SPDX-License-Identifier: MIT
// A plain Vulkan program: lists the devices, and with the argument `run` also uses the first one as a compute
// client does: upload, dispatch between two timestamps, download.
#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "tests/fakes/common/client.h"

namespace fakes {
namespace {

PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;

VkInstance instance = nullptr;

#define VK(name) (reinterpret_cast<PFN_##name>(get_instance_proc_addr(instance, #name)))

void MakeInstance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  Check("vkCreateInstance", VK(vkCreateInstance)(&info, nullptr, &instance));
}

std::vector<VkPhysicalDevice> PhysicalDevices() {
  std::uint32_t count = 0;
  Check("vkEnumeratePhysicalDevices", VK(vkEnumeratePhysicalDevices)(instance, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  Check("vkEnumeratePhysicalDevices", VK(vkEnumeratePhysicalDevices)(instance, &count, devices.data()));
  return devices;
}

template <class T>
T Chained(VkStructureType type, void* next) {
  T structure{};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

void Describe(VkPhysicalDevice device, const std::string& prefix) {
  auto pci = Chained<VkPhysicalDevicePCIBusInfoPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, nullptr);
  auto ids = Chained<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &pci);
  auto subgroup = Chained<VkPhysicalDeviceSubgroupProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &ids);
  auto driver = Chained<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                                          &subgroup);
  auto all = Chained<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver);
  VK(vkGetPhysicalDeviceProperties2)(device, &all);
  VkPhysicalDeviceMemoryProperties memory{};
  VK(vkGetPhysicalDeviceMemoryProperties)(device, &memory);
  const auto& properties = all.properties;
  Print(prefix + "name", Hex(std::span(properties.deviceName, strnlen(properties.deviceName, 256))));
  Print(prefix + "vendor_id", properties.vendorID);
  Print(prefix + "type", static_cast<std::uint64_t>(properties.deviceType));
  Print(prefix + "uuid", Hex(ids.deviceUUID));
  Print(prefix + "pci", std::to_string(pci.pciDomain) + ":" + std::to_string(pci.pciBus) + ":" +
                            std::to_string(pci.pciDevice) + "." + std::to_string(pci.pciFunction));
  Print(prefix + "subgroup", subgroup.subgroupSize);
  Print(prefix + "driver", driver.driverName);
  Print(prefix + "memory", memory.memoryHeapCount == 0 ? 0 : memory.memoryHeaps[0].size);
  Print(prefix + "max_buffer", properties.limits.maxStorageBufferRange);
}

// One buffer with its own memory.
struct Buffer {
  VkBuffer handle = nullptr;
  VkDeviceMemory memory = nullptr;
};

class Run {
 public:
  explicit Run(VkPhysicalDevice physical) {
    const float priority = 1.0F;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    Check("vkCreateDevice", VK(vkCreateDevice)(physical, &info, nullptr, &device_));
    VK(vkGetDeviceQueue)(device_, 0, 0, &queue_);
    data_ = MakeBuffer(0);
    staging_ = MakeBuffer(1);
    MakePipeline();
    MakeCommands();
  }

  void Go() {
    void* mapped = nullptr;
    Check("vkMapMemory", VK(vkMapMemory)(device_, staging_.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    const std::span words(static_cast<std::uint32_t*>(mapped), kWords);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = Pattern(i);
    Record();
    const auto start = std::chrono::steady_clock::now();
    Submit();
    const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
    Check("vkMapMemory", VK(vkMapMemory)(device_, staging_.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    PrintResults({static_cast<std::uint32_t*>(mapped), kWords});
    Print("wall_ns", static_cast<std::uint64_t>(wall.count()));
    PrintEventTime();
  }

 private:
  Buffer MakeBuffer(std::uint32_t type) {
    Buffer buffer;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = kWords * sizeof(std::uint32_t);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    Check("vkCreateBuffer", VK(vkCreateBuffer)(device_, &info, nullptr, &buffer.handle));
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = info.size;
    allocation.memoryTypeIndex = type;
    Check("vkAllocateMemory", VK(vkAllocateMemory)(device_, &allocation, nullptr, &buffer.memory));
    Check("vkBindBufferMemory", VK(vkBindBufferMemory)(device_, buffer.handle, buffer.memory, 0));
    return buffer;
  }

  void MakePipeline() {
    const std::uint32_t word = 0x07230203;
    VkShaderModuleCreateInfo module{};
    module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module.codeSize = sizeof(word);
    module.pCode = &word;
    VkShaderModule shader = nullptr;
    Check("vkCreateShaderModule", VK(vkCreateShaderModule)(device_, &module, nullptr, &shader));
    VkComputePipelineCreateInfo pipeline{};
    pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    Check("vkCreateComputePipelines",
          VK(vkCreateComputePipelines)(device_, nullptr, 1, &pipeline, nullptr, &pipeline_));
    VkDescriptorPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    VkDescriptorPool pool = nullptr;
    Check("vkCreateDescriptorPool", VK(vkCreateDescriptorPool)(device_, &pool_info, nullptr, &pool));
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool;
    allocation.descriptorSetCount = 1;
    Check("vkAllocateDescriptorSets", VK(vkAllocateDescriptorSets)(device_, &allocation, &set_));
    const VkDescriptorBufferInfo bound{data_.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &bound;
    VK(vkUpdateDescriptorSets)(device_, 1, &write, 0, nullptr);
  }

  void MakeCommands() {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    VkCommandPool pool = nullptr;
    Check("vkCreateCommandPool", VK(vkCreateCommandPool)(device_, &pool_info, nullptr, &pool));
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = pool;
    allocation.commandBufferCount = 1;
    Check("vkAllocateCommandBuffers", VK(vkAllocateCommandBuffers)(device_, &allocation, &commands_));
    VkQueryPoolCreateInfo queries{};
    queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2;
    Check("vkCreateQueryPool", VK(vkCreateQueryPool)(device_, &queries, nullptr, &queries_));
  }

  void Record() {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    Check("vkBeginCommandBuffer", VK(vkBeginCommandBuffer)(commands_, &begin));
    const VkBufferCopy whole{0, 0, kWords * sizeof(std::uint32_t)};
    VK(vkCmdResetQueryPool)(commands_, queries_, 0, 2);
    VK(vkCmdCopyBuffer)(commands_, staging_.handle, data_.handle, 1, &whole);
    VK(vkCmdBindPipeline)(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    VK(vkCmdBindDescriptorSets)(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, nullptr, 0, 1, &set_, 0, nullptr);
    VK(vkCmdWriteTimestamp)(commands_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries_, 0);
    VK(vkCmdDispatch)(commands_, 16, 1, 1);
    VK(vkCmdWriteTimestamp)(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, 1);
    VK(vkCmdCopyBuffer)(commands_, data_.handle, staging_.handle, 1, &whole);
    Check("vkEndCommandBuffer", VK(vkEndCommandBuffer)(commands_));
  }

  void Submit() {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence fence = nullptr;
    Check("vkCreateFence", VK(vkCreateFence)(device_, &info, nullptr, &fence));
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    Check("vkQueueSubmit", VK(vkQueueSubmit)(queue_, 1, &submit, fence));
    Check("vkWaitForFences", VK(vkWaitForFences)(device_, 1, &fence, VK_TRUE, UINT64_MAX));
  }

  void PrintEventTime() {
    std::array<std::uint64_t, 2> times{};
    Check("vkGetQueryPoolResults",
          VK(vkGetQueryPoolResults)(device_, queries_, 0, 2, sizeof(times), times.data(), sizeof(times[0]),
                                    VK_QUERY_RESULT_64_BIT));
    Print("event_ns", times[1] - times[0]);
  }

  VkDevice device_ = nullptr;
  VkQueue queue_ = nullptr;
  Buffer data_;
  Buffer staging_;
  VkPipeline pipeline_ = nullptr;
  VkDescriptorSet set_ = nullptr;
  VkCommandBuffer commands_ = nullptr;
  VkQueryPool queries_ = nullptr;
};

int Main(bool run) {
  void* loader = OpenLoader("libvulkan.so.1");
  get_instance_proc_addr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  MakeInstance();
  const auto devices = PhysicalDevices();
  Print("devices", devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) Describe(devices[i], std::to_string(i) + ".");
  if (run) Run(devices.at(0)).Go();
  return Done();
}

}  // namespace
}  // namespace fakes

int main(int argc, char** argv) { return fakes::Main(argc > 1 && std::string_view(argv[1]) == "run"); }
