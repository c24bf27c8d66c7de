// SPDX-License-Identifier: MIT
// The one queue of a device: what is appended runs in order, each launch seeing the results of those before
// it. Chooses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "probe/core/result.h"
#include "probe/level_zero/level_zero_api.h"

namespace backends::level_zero {

namespace rt = probe::level_zero;

class Queue {
 public:
  // On the device's engine for computing.
  [[nodiscard]] static probe::Result<Queue> Create(const rt::Api& api, rt::ZeContext context,
                                                   rt::ZeDevice device);

  // The kernel's arguments and sizes are those that it has now. Sent to the device by and by; `event`, where
  // there is one, is signalled at its end.
  [[nodiscard]] probe::Status Launch(rt::ZeKernel kernel, const rt::ZeGroups& groups, rt::ZeEvent event);
  [[nodiscard]] probe::Status Copy(void* to, const void* from, std::size_t bytes);
  // Sends what is left; the device works on it.
  [[nodiscard]] probe::Status Send();
  // Sends the rest and waits for all of it. Also after an error: nothing may still run when the caller goes
  // on.
  [[nodiscard]] probe::Status Finish();

 private:
  Queue(const rt::Api& api, rt::ZeContext context, rt::ZeDevice device, rt::ZeQueue queue,
        std::uint32_t group)
      : api_(api), context_(context), device_(device), queue_(queue), group_(group) {}
  // The list that takes commands now.
  [[nodiscard]] probe::Result<rt::ZeList> Open();
  // Counts what was appended, with a barrier behind it, and sends a list that is full.
  [[nodiscard]] probe::Status Appended(rt::ZeList list);

  rt::Api api_;
  rt::ZeContext context_;
  rt::ZeDevice device_;
  rt::ZeQueue queue_;
  std::uint32_t group_;
  std::vector<rt::ZeList> lists_;  // those before open_ were sent
  std::size_t open_ = 0;
  std::uint32_t appended_ = 0;  // to lists_[open_]
};

}  // namespace backends::level_zero
