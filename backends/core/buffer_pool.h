// SPDX-License-Identifier: MIT
// Large arrays that the memory kernels of one device take turns with: each kernel on arrays of its own would
// fill the memory and spend the budget on page faults. Contents belong to who wrote last.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/core/backend.h"

namespace backends {

class BufferPool {
 public:
  explicit BufferPool(Session& session) : session_(session) {}
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();  // releases all

  // An array of at least these bytes, with at least these views, that is none of `taken`. Give it back once.
  [[nodiscard]] probe::Result<BufferId> Take(const BufferRequest& request, std::span<const BufferId> taken);
  void GiveBack(BufferId buffer);
  // Releases what nobody uses.
  void Trim();

  [[nodiscard]] bool empty() const { return arrays_.empty(); }

  // The type of the operands or results that an array holds; nullopt before it was written.
  void Wrote(BufferId buffer, kernels::Dtype dtype);
  [[nodiscard]] std::optional<kernels::Dtype> Content(BufferId buffer) const;

 private:
  struct Array {
    BufferRequest request;
    BufferId id{};
    int users = 0;
    std::optional<kernels::Dtype> content;
  };
  [[nodiscard]] Array& Find(BufferId buffer);
  Session& session_;
  std::vector<Array> arrays_;
};

}  // namespace backends
