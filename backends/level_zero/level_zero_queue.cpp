// SPDX-License-Identifier: MIT
// Queue of level_zero_session.h.
#include <limits>

#include "backends/level_zero/level_zero_session.h"

namespace backends::level_zero {
namespace {

using rt::ErrorOf;
using rt::kZeSuccess;

// Of a list, so that a device starts early on a long run, and a list's memory stays small.
constexpr std::uint32_t kMostInList = 128;

}  // namespace

probe::Result<Queue> Queue::Create(const rt::Api& api, rt::ZeContext context, rt::ZeDevice device) {
  const auto group = rt::ComputeGroup(api, device);
  if (!group) {
    return probe::Error{"zeDeviceGetCommandQueueGroupProperties", std::nullopt, "no limits",
                        "the driver shows no engine that computes: this is no working device"};
  }
  rt::ZeQueueDescription description;
  description.ordinal = *group;
  rt::ZeQueue queue = nullptr;
  const auto code = api.zeCommandQueueCreate(context, device, &description, &queue);
  if (const auto made = rt::Made("zeCommandQueueCreate", code, queue); !made) return made.error();
  return Queue(api, context, device, queue, *group);
}

probe::Result<rt::ZeList> Queue::Open() {
  if (open_ < lists_.size()) return lists_[open_];
  rt::ZeListDescription description;
  description.ordinal = group_;
  rt::ZeList list = nullptr;
  const auto code = api_.zeCommandListCreate(context_, device_, &description, &list);
  if (const auto made = rt::Made("zeCommandListCreate", code, list); !made) return made.error();
  lists_.push_back(list);
  return list;
}

probe::Status Queue::Send() {
  if (appended_ == 0) return probe::Ok();
  rt::ZeList list = lists_[open_];
  if (const auto code = api_.zeCommandListClose(list); code != kZeSuccess)
    return ErrorOf("zeCommandListClose", code);
  ++open_;
  appended_ = 0;
  const auto code = api_.zeCommandQueueExecuteCommandLists(queue_, 1, &list, nullptr);
  return code == kZeSuccess ? probe::Ok() : ErrorOf("zeCommandQueueExecuteCommandLists", code);
}

probe::Status Queue::Appended(rt::ZeList list) {
  ++appended_;
  if (const auto code = api_.zeCommandListAppendBarrier(list, nullptr, 0, nullptr); code != kZeSuccess)
    return ErrorOf("zeCommandListAppendBarrier", code);
  return appended_ < kMostInList ? probe::Ok() : Send();
}

probe::Status Queue::Launch(rt::ZeKernel kernel, const rt::ZeGroups& groups, rt::ZeEvent event) {
  const auto list = Open();
  if (!list) return list.error();
  const auto code = api_.zeCommandListAppendLaunchKernel(*list, kernel, &groups, event, 0, nullptr);
  return code == kZeSuccess ? Appended(*list) : ErrorOf("zeCommandListAppendLaunchKernel", code);
}

probe::Status Queue::Copy(void* to, const void* from, std::size_t bytes) {
  const auto list = Open();
  if (!list) return list.error();
  const auto code = api_.zeCommandListAppendMemoryCopy(*list, to, from, bytes, nullptr, 0, nullptr);
  return code == kZeSuccess ? Appended(*list) : ErrorOf("zeCommandListAppendMemoryCopy", code);
}

probe::Status Queue::Finish() {
  auto status = Send();
  const auto code = api_.zeCommandQueueSynchronize(queue_, std::numeric_limits<std::uint64_t>::max());
  if (status && code != kZeSuccess) status = ErrorOf("zeCommandQueueSynchronize", code);
  for (const rt::ZeList list : lists_) {
    const auto reset = api_.zeCommandListReset(list);
    if (status && reset != kZeSuccess) status = ErrorOf("zeCommandListReset", reset);
  }
  open_ = 0;
  appended_ = 0;
  return status;
}

}  // namespace backends::level_zero
