// SPDX-License-Identifier: MIT
#include <algorithm>

#include "backends/core/workload.h"

namespace backends {

BufferPool::~BufferPool() {
  for (const Array& array : arrays_) session_.Release(array.id);
}

BufferPool::Array& BufferPool::Find(BufferId buffer) {
  return *std::find_if(arrays_.begin(), arrays_.end(),
                       [buffer](const Array& array) { return array.id == buffer; });
}

const BufferPool::Array* BufferPool::FindFor(const BufferRequest& request,
                                             std::span<const BufferId> taken) const {
  const auto suits = [&](const Array& array) {
    const auto& views = array.request.views;
    return array.request.bytes >= request.bytes &&
           std::all_of(request.views.begin(), request.views.end(), [&](kernels::View view) {
             return std::find(views.begin(), views.end(), view) != views.end();
           });
  };
  const Array* best = nullptr;
  for (const Array& array : arrays_) {
    if (!suits(array) || std::find(taken.begin(), taken.end(), array.id) != taken.end()) continue;
    if (best == nullptr || array.request.bytes < best->request.bytes) best = &array;
  }
  return best;
}

probe::Result<BufferId> BufferPool::Take(const BufferRequest& request, std::span<const BufferId> taken) {
  if (const Array* known = FindFor(request, taken)) {
    ++Find(known->id).users;
    return known->id;
  }
  auto id = session_.Allocate(request);
  if (id) arrays_.push_back({request, *id, 1, std::nullopt});
  return id;
}

void BufferPool::Trim() {
  const auto idle = std::stable_partition(arrays_.begin(), arrays_.end(),
                                          [](const Array& array) { return array.users > 0; });
  std::for_each(idle, arrays_.end(), [this](const Array& array) { session_.Release(array.id); });
  arrays_.erase(idle, arrays_.end());
}

void BufferPool::GiveBack(BufferId buffer) { --Find(buffer).users; }

void BufferPool::Wrote(BufferId buffer, kernels::Dtype dtype) { Find(buffer).content = dtype; }

std::optional<kernels::Dtype> BufferPool::Content(BufferId buffer) const {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [buffer](const Array& array) { return array.id == buffer; });
  return found == arrays_.end() ? std::nullopt : found->content;
}

}  // namespace backends
