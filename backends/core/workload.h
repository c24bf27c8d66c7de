// SPDX-License-Identifier: MIT
// One variant on one shape, ready to run: its buffers, its operands and its launches; and the check of its
// result. Decides nothing and times nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/reference.h"
#include "backends/core/shape.h"

namespace backends {

// Large arrays that the memory kernels of one device take turns with: each kernel on arrays of its own would
// fill the memory and spend the budget on page faults. Contents belong to who wrote last.
class BufferPool {
 public:
  explicit BufferPool(Session& session) : session_(session) {}
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();  // releases all

  // An array of at least these bytes, with at least these views, that is none of `taken`; of those that there
  // are the smallest. Give it back once.
  [[nodiscard]] probe::Result<BufferId> Take(const BufferRequest& request, std::span<const BufferId> taken);
  // Whether there is such a one already.
  [[nodiscard]] bool Has(const BufferRequest& request, std::span<const BufferId> taken) const {
    return FindFor(request, taken) != nullptr;
  }
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
  [[nodiscard]] const Array* FindFor(const BufferRequest& request, std::span<const BufferId> taken) const;
  Session& session_;
  std::vector<Array> arrays_;
};

// A variant whose steps are loaded, in their order.
struct LoadedVariant {
  const kernels::Variant* variant = nullptr;
  std::vector<KernelId> steps;
};
[[nodiscard]] probe::Result<LoadedVariant> Load(Session& session, const kernels::Variant& variant);

// Writes operands on the device by the runtime's fill kernels, or on the host where there is none for a type.
class OperandWriter {
 public:
  // Fill kernels are loaded when they are first needed; those that do not load are left out. The variants
  // outlive it.
  OperandWriter(Session& session, std::span<const kernels::Variant> variants);

  // Loads those for the operands and results of a variant.
  void LoadFor(const kernels::Variant& variant);

  // The views that a buffer of that type must have to be written.
  void AddViews(kernels::Dtype dtype, std::vector<kernels::View>& views);
  // The same by the runtime's fill kernel alone, `repeats` times; an error where it has none for that type
  // and count.
  [[nodiscard]] probe::Result<Timing> Fill(BufferId buffer, kernels::Dtype dtype, std::uint32_t count,
                                           std::uint32_t seed, std::uint32_t repeats);
  // Elements [0, count) of the operand; the buffer is padded as BufferBytes says.
  [[nodiscard]] probe::Status Write(BufferId buffer, kernels::Dtype dtype, std::uint32_t count,
                                    std::uint32_t seed);

 private:
  // nullptr: there is none that loads.
  [[nodiscard]] const LoadedVariant* Find(kernels::Dtype dtype);
  Session& session_;
  std::vector<const kernels::Variant*> unloaded_;
  std::deque<LoadedVariant> fills_;
};

class Workload {
 public:
  // Allocates, large arrays of the memory kernels from the pool if there is one; an error names what could
  // not be had. All that is given by reference or pointer outlives the workload.
  [[nodiscard]] static probe::Result<Workload> Create(Session& session, OperandWriter& writer,
                                                      const LoadedVariant& loaded, const Shape& shape,
                                                      BufferPool* pool = nullptr);
  Workload(Workload&& other) noexcept;
  Workload& operator=(Workload&& other) noexcept;
  ~Workload();

  // Writes the operands that (seed, generation) name, poisons the results and clears the partial sums. Calls
  // `before`, if there is one, before each of those.
  [[nodiscard]] probe::Status Prepare(std::uint32_t seed, std::uint32_t generation,
                                      const std::function<void()>& before = {});
  // For a run that nobody checks: writes what has not been written yet, and what Refresh does.
  [[nodiscard]] probe::Status Populate(std::uint32_t seed);
  // Before timing: rewrites numbers that another workload made something else of in a shared array. What is
  // no number in this type may be slow to compute with.
  [[nodiscard]] probe::Status Refresh();
  [[nodiscard]] probe::Result<Timing> Run(std::uint32_t repeats) const;
  // Runs `turns` copies one after another, from where the last call ended, so that each finds its operands
  // out of the caches; of more turns than there are copies whole executions, rounded up.
  struct Turns {
    Timing timing;
    double executions = 0;  // a copy is a part of one
  };
  [[nodiscard]] probe::Result<Turns> RunTurns(std::uint32_t turns);
  // Whether the last run computed what the last Prepare asked for. An error: it could not be found out.
  [[nodiscard]] probe::Result<Verdict> Verify() const;

  [[nodiscard]] const kernels::Variant& variant() const { return *loaded_->variant; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] double work() const { return backends::Work(variant(), shape_); }
  [[nodiscard]] DeviceState State() const { return session_->State(); }
  [[nodiscard]] bool Watch() { return session_->Watch(); }

 private:
  struct Buffer {
    kernels::Role role = kernels::Role::kIn;
    std::uint32_t copy = 0;
    std::uint64_t bytes = 0;
    BufferId id{};
    bool pooled = false;
  };
  Workload(Session& session, OperandWriter& writer, const LoadedVariant& loaded, Shape shape,
           BufferPool* pool);
  [[nodiscard]] probe::Status Allocate();
  [[nodiscard]] probe::Status AllocateOne(kernels::Role role, std::uint32_t copy);
  // Where others use the device the arrays of all kernels are the same: what one has taken another needs.
  [[nodiscard]] bool Pooled(kernels::Role role, const BufferRequest& request,
                            std::span<const BufferId> taken) const;
  [[nodiscard]] probe::Status Write(const Buffer& buffer);
  [[nodiscard]] bool Spoilt(const Buffer& buffer) const;
  void BuildLaunches();
  [[nodiscard]] const Buffer& Find(kernels::Role role, std::uint32_t copy) const;
  [[nodiscard]] std::uint32_t Seed(kernels::Role role, std::uint32_t copy) const;
  [[nodiscard]] probe::Status Overwrite(const Buffer& buffer, std::byte value) const;
  // One a kernel, in workload_verify.cpp; each checks one copy.
  [[nodiscard]] probe::Status VerifyGemm(std::uint32_t copy, Verdict& verdict) const;
  [[nodiscard]] probe::Status VerifyGemv(std::uint32_t copy, Verdict& verdict) const;
  [[nodiscard]] probe::Status VerifyRead(std::uint32_t copy, Verdict& verdict) const;
  [[nodiscard]] probe::Status VerifyCopy(std::uint32_t copy, Verdict& verdict) const;
  [[nodiscard]] probe::Status VerifyTriad(std::uint32_t copy, Verdict& verdict) const;
  [[nodiscard]] probe::Status VerifyChain(std::uint32_t copy, Verdict& verdict) const;
  using CheckPart = std::function<probe::Status(std::uint32_t first, std::span<const std::byte> part)>;
  // Downloads `rows` rows of a result in pieces and has each checked.
  [[nodiscard]] probe::Status Fetch(kernels::Role role, std::uint32_t copy, std::uint32_t rows,
                                    std::uint64_t row_bytes, const CheckPart& check) const;

  Session* session_;
  OperandWriter* writer_;
  BufferPool* pool_;
  const LoadedVariant* loaded_;
  Shape shape_;
  std::uint32_t seed_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<Launch> launches_;  // of all copies, twice: any number of them in turn stand together
  std::uint32_t next_copy_ = 0;
};

}  // namespace backends
