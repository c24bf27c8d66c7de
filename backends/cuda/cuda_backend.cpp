// SPDX-License-Identifier: MIT
#include "backends/core/backend.h"
#include "backends/core/peers.h"
#include "backends/cuda/cuda_open.h"
#include "backends/cuda/cuda_peers.h"
#include "backends/cuda/cuda_session.h"
#include "kernels/cuda/variants.h"

namespace backends::cuda {

Backend Describe();

namespace {

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  auto driver = OpenShowing({&request.device, 1}, request.files, request.environment);
  if (!driver) return driver.error();
  OpenedDevice& device = driver->devices.front();
  return CudaSession::Create(driver->api, device.id, device.found,
                             {request.files, request.environment, std::move(device.monitor), device.load});
}

std::vector<kernels::Variant> Variants(const Limits&) { return kernels::cuda::Variants(); }

std::vector<kernels::Variant> Libraries(const OpenRequest& request) {
  return CublasLt::IsInstalled(request.files, request.environment) ? CublasLt::Variants()
                                                                   : std::vector<kernels::Variant>();
}

}  // namespace

Backend Describe() { return {"cuda", Open, Variants, Libraries, OpenPeers}; }

}  // namespace backends::cuda
