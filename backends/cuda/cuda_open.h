// SPDX-License-Identifier: MIT
// The driver, showing this process certain devices and no other. Makes no context.
#pragma once

#include <span>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/cuda/cuda_api.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace backends::cuda {

struct OpenedDevice {
  probe::cuda::CuDevice id = 0;
  probe::RuntimeDevice found;  // ordinal: CUDA's number in this process
  probe::cuda::GpuLoad load;   // of others, before
  std::optional<probe::cuda::Monitor> monitor;
};
struct OpenedDriver {
  probe::cuda::Api api;
  std::vector<OpenedDevice> devices;  // in the order asked for
};

// Sets CUDA_VISIBLE_DEVICES of this process. An error names the device that is not there any more.
[[nodiscard]] probe::Result<OpenedDriver> OpenShowing(std::span<const probe::RuntimeDevice> wanted,
                                                      const probe::system::FileSystem& files,
                                                      const probe::system::Environment& environment);

}  // namespace backends::cuda
