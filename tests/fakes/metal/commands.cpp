// SPDX-License-Identifier: MIT
// Queues, command buffers and their encoders. A launch is checked as Metal's validation checks it, computed
// from its arguments when its buffer is committed, then spoiled if the scenario says so.
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <thread>

#include "tests/fakes/common/kernels.h"
#include "tests/fakes/common/launch.h"
#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/metal/device.h"

namespace fakes::metal {
namespace {

const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

constexpr const char* kDomain = "MTLCommandBufferErrorDomain";
// MTLCommandBufferError.
constexpr Integer kPageFault = 3, kAccessRevoked = 4, kInvalidResource = 9, kDeviceRemoved = 11;
// MTLCommandBufferStatus.
constexpr UInteger kNotEnqueued = 0, kCompleted = 4, kError = 5;

struct Dispatch {
  PipelineObject* pipeline = nullptr;
  std::map<UInteger, std::uint64_t> values;  // of buffers their addresses
  std::map<UInteger, UInteger> group_memory;
  MtlSize groups{}, threads{};
};
struct BlitCopy {
  DeviceAddress from = 0, to = 0;
  UInteger bytes = 0;
};
struct Command {
  std::optional<Dispatch> dispatch;
  BlitCopy copy;
};

struct QueueObject : Object {
  explicit QueueObject(DeviceObject& given_device);
  DeviceObject& device;
};
struct CommandBufferObject : Object {
  explicit CommandBufferObject(QueueObject& given_queue);
  void Hold(Object* object) {
    Retain(object);
    held.push_back(object);
  }
  void Empty() override {
    for (Object* object : held) Release(object);
    held.clear();
    commands.clear();
    if (error != nullptr) Release(error);
  }
  DeviceObject& device;
  std::vector<Command> commands;
  std::vector<Object*> held;  // until it is done, as Metal's command buffers do
  Object* error = nullptr;
  UInteger status = kNotEnqueued;
  bool encoding = false;
  double start_s = 0, end_s = 0;
};
struct EncoderObject : Object {
  EncoderObject(ClassObject* type, CommandBufferObject& given_commands)
      : Object(type), commands(given_commands) {
    if (commands.encoding) Die("a second encoder of a command buffer whose first has not ended");
    if (commands.status != kNotEnqueued) Die("an encoder of a command buffer that was committed");
    commands.encoding = true;
    Retain(&commands);
  }
  void Empty() override {
    if (!ended) Die("an encoder goes that has not ended");
    Release(&commands);
  }
  CommandBufferObject& commands;
  Dispatch state;
  bool ended = false;
};

// What a chain leaves follows from its arguments, which costs nothing: it takes the time that a GPU would, of
// an M2's speed. Of other kernels the fake's own work is what takes time.
void TakeTimeOfChain(const fakes::KernelLaunch& launch) {
  constexpr double kOperationsASecond = 3.6e12;
  constexpr double kAThread = 16, kASimdgroupsLane = 8.0 * 64 / 32 * 8;  // products of a step
  if (!launch.entry.starts_with("chain_")) return;
  double operations = 2.0 * static_cast<double>(launch.values.at(1));
  operations *= launch.entry.starts_with("chain_simdgroup") ? kASimdgroupsLane : kAThread;
  for (const auto* sizes : {launch.grid, launch.block})
    operations *= double{1} * sizes[0] * sizes[1] * sizes[2];
  std::this_thread::sleep_for(std::chrono::duration<double>(operations / kOperationsASecond));
}

// kernels/metal: a simdgroup has 8 sums of 8 x 8, and a step is 8 of k.
std::optional<Integer> Run(DeviceObject& device, const Dispatch& dispatch) {
  const Entry& entry = dispatch.pipeline->entry;
  const UInteger threads = dispatch.threads.width * dispatch.threads.height * dispatch.threads.depth;
  if (threads == 0 || threads > device.scenario.max_workgroup_size) Die("a threadgroup of so many threads");
  if (device.scenario.lost_after_launches && device.launches++ >= *device.scenario.lost_after_launches)
    return kDeviceRemoved;
  if (fakes::Faults(device.scenario, entry.name)) return kPageFault;
  fakes::KernelLaunch launch;
  launch.entry = entry.name;
  const MtlSize& groups = dispatch.groups;
  launch.grid[0] = static_cast<unsigned>(groups.width), launch.grid[1] = static_cast<unsigned>(groups.height);
  launch.grid[2] = static_cast<unsigned>(groups.depth);
  launch.block[0] = static_cast<unsigned>(dispatch.threads.width);
  launch.block[1] = static_cast<unsigned>(dispatch.threads.height);
  launch.block[2] = static_cast<unsigned>(dispatch.threads.depth);
  std::vector<std::span<std::byte>> outputs;
  for (const Parameter& parameter : entry.parameters) {
    if (parameter.kind == Parameter::Kind::kGroupMemory) {
      const auto known = dispatch.group_memory.find(parameter.place);
      if (known == dispatch.group_memory.end() || known->second > device.scenario.shared_memory_bytes)
        return kInvalidResource;
      continue;
    }
    const auto known = dispatch.values.find(parameter.place);
    if (known == dispatch.values.end()) return kInvalidResource;
    launch.values.push_back(known->second);
    if (parameter.kind == Parameter::Kind::kBuffer && !entry.name.starts_with("fill"))
      outputs.push_back(MemoryAt(known->second));
  }
  switch (fakes::Compute(launch)) {
    case fakes::Computed::kDone:
      break;
    case fakes::Computed::kRefused:
      return kInvalidResource;
    case fakes::Computed::kOutOfBounds:
      return kPageFault;
  }
  TakeTimeOfChain(launch);
  fakes::Launch(device.scenario, outputs);
  return std::nullopt;
}

std::optional<Integer> Run(const BlitCopy& copy) {
  const auto from = MemoryAt(copy.from), to = MemoryAt(copy.to);
  if (from.size() < copy.bytes || to.size() < copy.bytes) return kPageFault;
  std::memcpy(to.data(), from.data(), copy.bytes);
  return std::nullopt;
}

std::optional<Integer> Run(CommandBufferObject& commands) {
  DeviceObject& device = commands.device;
  if (device.broken != 0) return device.broken;
  for (const Command& command : commands.commands) {
    if (command.dispatch) {
      if (const auto code = fakes::Reach(Point::kLaunch, device.index)) return code;
    }
    if (const auto code = command.dispatch ? Run(device, *command.dispatch) : Run(command.copy)) return code;
  }
  return std::nullopt;
}

// Of code 1 the driver's own reason, as macOS words it.
std::string Description(Integer code) {
  constexpr std::array kReasons = {
      "the fake's command buffer failed",
      "Impacting Interactivity (0000000e:kIOGPUCommandBufferCallbackErrorImpactingInteractivity)",
      "Innocent Victim (00000005:kIOAccelCommandBufferCallbackErrorInnocentVictim)",
      "Something New (000000ff:kIOGPUCommandBufferCallbackErrorSomethingNew)"};
  const auto reason = code == 1 ? GetOfDriver("internal_error", 0) : 0;
  return kReasons.at(static_cast<std::size_t>(reason));
}

void End(CommandBufferObject& commands, Integer code) {
  // What comes after a fault is refused; after the device itself is gone, for the same reason.
  if (code == kPageFault) commands.device.broken = kAccessRevoked;
  if (code == kDeviceRemoved) commands.device.broken = kDeviceRemoved;
  commands.status = kError;
  if (commands.error == nullptr) commands.error = NewError(kDomain, code, Description(code));
}

void Commit(CommandBufferObject* commands, Sel) {
  if (commands->encoding) Die("commit of a command buffer whose encoder has not ended");
  if (commands->status != kNotEnqueued) Die("a command buffer is committed twice");
  commands->status = kCompleted;
  const auto now_s = [&] {
    return static_cast<double>(fakes::EventTime(commands->device.scenario, kStart)) * 1e-9;
  };
  commands->start_s = now_s();
  const auto code = Run(*commands);
  commands->end_s = now_s();
  if (code) End(*commands, *code);
  for (Object* object : commands->held) Release(object);
  commands->held.clear();
}
void Wait(CommandBufferObject* commands, Sel) {
  if (commands->status == kNotEnqueued) Die("waiting for a command buffer that nobody committed");
  if (const auto code = fakes::Reach(Point::kReadBack, commands->device.index)) End(*commands, *code);
}
UInteger Status(CommandBufferObject* commands, Sel) { return commands->status; }
rt::Id Error(CommandBufferObject* commands, Sel) { return IdOf(commands->error); }
double StartTime(CommandBufferObject* commands, Sel) { return commands->start_s; }
double EndTime(CommandBufferObject* commands, Sel) { return commands->end_s; }

void SetPipeline(EncoderObject* encoder, Sel, rt::Id pipeline) {
  encoder->state.pipeline = &As<PipelineObject>(pipeline);
  encoder->commands.Hold(encoder->state.pipeline);
}
void SetBuffer(EncoderObject* encoder, Sel, rt::Id id, UInteger offset, UInteger place) {
  auto& buffer = As<BufferObject>(id);
  if (offset >= buffer.bytes) Die("an offset beyond the buffer");
  encoder->commands.Hold(&buffer);
  encoder->state.values[place] = buffer.address + offset;
}
void SetBytes(EncoderObject* encoder, Sel, const void* bytes, UInteger length, UInteger place) {
  if (length == 0 || length > sizeof(std::uint64_t)) Die("a number of so many bytes");
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, length);
  encoder->state.values[place] = value;
}
void SetGroupMemory(EncoderObject* encoder, Sel, UInteger length, UInteger place) {
  if (length % 16 != 0) Die("a threadgroup's memory is a multiple of 16 bytes");
  encoder->state.group_memory[place] = length;
}
void DispatchGroups(EncoderObject* encoder, Sel, MtlSize groups, MtlSize threads) {
  if (encoder->state.pipeline == nullptr) Die("a dispatch without a pipeline");
  if (encoder->ended) Die("a dispatch by an encoder that has ended");
  Dispatch dispatch = encoder->state;
  dispatch.groups = groups;
  dispatch.threads = threads;
  encoder->commands.commands.push_back({std::move(dispatch), {}});
}
void CopyBuffer(EncoderObject* encoder, Sel, rt::Id from, UInteger from_offset, rt::Id to, UInteger to_offset,
                UInteger bytes) {
  auto& source = As<BufferObject>(from);
  auto& target = As<BufferObject>(to);
  encoder->commands.Hold(&source);
  encoder->commands.Hold(&target);
  encoder->commands.commands.push_back(
      {std::nullopt, {source.address + from_offset, target.address + to_offset, bytes}});
}
void EndEncoding(EncoderObject* encoder, Sel) {
  encoder->ended = true;
  encoder->commands.encoding = false;
}

rt::Id ComputeEncoder(CommandBufferObject* commands, Sel) {
  static auto* const type = new ClassObject(
      "MTLComputeCommandEncoder", {{"setComputePipelineState:", Of(SetPipeline)},
                                   {"setBuffer:offset:atIndex:", Of(SetBuffer)},
                                   {"setBytes:length:atIndex:", Of(SetBytes)},
                                   {"setThreadgroupMemoryLength:atIndex:", Of(SetGroupMemory)},
                                   {"dispatchThreadgroups:threadsPerThreadgroup:", Of(DispatchGroups)},
                                   {"endEncoding", Of(EndEncoding)}});
  return Autorelease(new EncoderObject(type, *commands));
}
rt::Id BlitEncoder(CommandBufferObject* commands, Sel) {
  static auto* const type =
      new ClassObject("MTLBlitCommandEncoder",
                      {{"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", Of(CopyBuffer)},
                       {"endEncoding", Of(EndEncoding)}});
  return Autorelease(new EncoderObject(type, *commands));
}
ClassObject& CommandBufferClass() {
  static auto* const type =
      new ClassObject("MTLCommandBuffer", {{"computeCommandEncoder", Of(ComputeEncoder)},
                                           {"blitCommandEncoder", Of(BlitEncoder)},
                                           {"commit", Of(Commit)},
                                           {"waitUntilCompleted", Of(Wait)},
                                           {"status", Of(Status)},
                                           {"error", Of(Error)},
                                           {"GPUStartTime", Of(StartTime)},
                                           {"GPUEndTime", Of(EndTime)}});
  return *type;
}
CommandBufferObject::CommandBufferObject(QueueObject& given_queue)
    : Object(&CommandBufferClass()), device(given_queue.device) {
  Hold(&given_queue);
}

rt::Id CommandBuffer(QueueObject* queue, Sel) { return Autorelease(new CommandBufferObject(*queue)); }
ClassObject& QueueClass() {
  static auto* const type = new ClassObject("MTLCommandQueue", {{"commandBuffer", Of(CommandBuffer)}});
  return *type;
}
QueueObject::QueueObject(DeviceObject& given_device) : Object(&QueueClass()), device(given_device) {}

}  // namespace

rt::Id NewQueue(DeviceObject* device, Sel) {
  if (fakes::Reach(Point::kCreate, device->index)) return nullptr;
  return IdOf(new QueueObject(*device));
}

}  // namespace fakes::metal
