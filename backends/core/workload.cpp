// SPDX-License-Identifier: MIT
#include "backends/core/workload.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "backends/core/host.h"
#include "backends/core/operands.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using kernels::Role;
using kernels::Variant;
using kernels::View;

constexpr std::uint64_t kChunkBytes = 4U << 20U;
// Of a buffer that is worth a launch of the device's, or a place among those that kernels share.
constexpr std::uint64_t kLargeBytes = 16U << 20U;

bool IsResult(Role role) { return role == Role::kC || role == Role::kY || role == Role::kOut; }

bool IsOperand(Role role) {
  constexpr std::array kOperands = {Role::kA, Role::kB, Role::kW, Role::kX, Role::kIn};
  return std::find(kOperands.begin(), kOperands.end(), role) != kOperands.end();
}

void AddOnce(std::vector<View>& views, View view) {
  if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
}

// How many whole elements a buffer holds, padding included; of q4 and q8, whose layout depends on their
// number, those of the weight matrix.
std::uint32_t ElementCount(Dtype dtype, std::uint64_t bytes, const kernels::Problem& problem) {
  if (kernels::BlockBytes(dtype) != 0) return problem.m * problem.k;
  return static_cast<std::uint32_t>(bytes * 8 / kernels::Row(dtype).bits);
}

}  // namespace

probe::Result<LoadedVariant> Load(Session& session, const Variant& variant) {
  LoadedVariant loaded{&variant, {}};
  for (const kernels::Step& step : variant.steps) {
    const auto id = session.Load(variant, step);
    if (!id) return id.error();
    loaded.steps.push_back(*id);
  }
  return loaded;
}

OperandWriter::OperandWriter(Session& session, std::span<const Variant> variants) : session_(session) {
  for (const Variant& variant : variants) {
    const bool usable = variant.kernel == Kernel::kFill && variant.steps.size() == 1 &&
                        variant.steps.front().bindings.size() == 1 &&
                        MissingFeature(variant, session.limits()).empty();
    if (usable) unloaded_.push_back(&variant);
  }
}

const LoadedVariant* OperandWriter::Find(Dtype dtype) {
  const auto found = std::find_if(fills_.begin(), fills_.end(),
                                  [dtype](const LoadedVariant& fill) { return fill.variant->in == dtype; });
  if (found != fills_.end()) return &*found;
  for (;;) {
    const auto next = std::find_if(unloaded_.begin(), unloaded_.end(),
                                   [dtype](const Variant* variant) { return variant->in == dtype; });
    if (next == unloaded_.end()) return nullptr;
    const Variant& variant = **next;
    unloaded_.erase(next);
    if (auto loaded = Load(session_, variant)) return &fills_.emplace_back(*std::move(loaded));
  }
}

void OperandWriter::LoadFor(const Variant& variant) {
  for (const kernels::Step& step : variant.steps) {
    for (const kernels::Binding& binding : step.bindings) {
      const bool filled = IsOperand(binding.role) || binding.role == Role::kOut;
      if (filled) (void)Find(DtypeOf(variant, binding.role));
      if (IsResult(binding.role)) (void)Find(Dtype::kU32);  // Workload::Write
    }
  }
}

void OperandWriter::AddViews(Dtype dtype, std::vector<View>& views) {
  if (const LoadedVariant* fill = Find(dtype))
    AddOnce(views, fill->variant->steps.front().bindings.front().view);
}

probe::Result<Timing> OperandWriter::Fill(BufferId buffer, Dtype dtype, std::uint32_t count,
                                          std::uint32_t seed, std::uint32_t repeats) {
  const LoadedVariant* fill = Find(dtype);
  if (fill == nullptr || count % fill->variant->multiple_count != 0) {
    return probe::Error{"fill", std::nullopt, "unsupported", "no fill kernel takes that operand"};
  }
  const kernels::Step& step = fill->variant->steps.front();
  const Launch launch{fill->steps.front(),
                      {{buffer, step.bindings.front().view}},
                      kernels::ShapeOf(step, {0, 0, 0, count, seed}, session_.limits().shape)};
  return RunSustained(session_, {&launch, 1}, repeats);
}

probe::Status OperandWriter::Write(BufferId buffer, Dtype dtype, std::uint32_t count, std::uint32_t seed) {
  const LoadedVariant* fill = Find(dtype);
  if (fill != nullptr && count % fill->variant->multiple_count == 0) {
    const auto timing = Fill(buffer, dtype, count, seed, 1);
    return timing ? probe::Ok() : probe::Status(timing.error());
  }
  const std::uint32_t chunk_elements = kernels::BlockBytes(dtype) != 0 ? count : std::min(count, 1U << 20U);
  std::vector<std::byte> chunk(OperandBytes(dtype, chunk_elements));
  for (std::uint64_t first = 0; first < count; first += chunk_elements) {
    const std::uint64_t elements = std::min<std::uint64_t>(chunk_elements, count - first);
    const std::span<std::byte> part(chunk.data(), OperandBytes(dtype, elements));
    if (!WriteOperand(dtype, seed, static_cast<std::uint32_t>(first), part)) {
      return probe::Error{"fill", std::nullopt, "no operands",
                          "there are none of " + std::string(kernels::Row(dtype).name)};
    }
    if (auto status = session_.Upload(buffer, OperandBytes(dtype, first), part); !status) return status;
  }
  return probe::Ok();
}

Workload::Workload(Session& session, OperandWriter& writer, const LoadedVariant& loaded, Shape shape,
                   BufferPool* pool)
    : session_(&session), writer_(&writer), pool_(pool), loaded_(&loaded), shape_(std::move(shape)) {}

Workload::Workload(Workload&& other) noexcept
    : session_(other.session_),
      writer_(other.writer_),
      pool_(other.pool_),
      loaded_(other.loaded_),
      shape_(std::move(other.shape_)),
      seed_(other.seed_),
      generation_(other.generation_),
      buffers_(std::exchange(other.buffers_, {})),
      launches_(std::move(other.launches_)),
      next_copy_(other.next_copy_) {}

Workload& Workload::operator=(Workload&& other) noexcept {
  std::swap(session_, other.session_);
  std::swap(writer_, other.writer_);
  std::swap(pool_, other.pool_);
  std::swap(loaded_, other.loaded_);
  std::swap(shape_, other.shape_);
  std::swap(seed_, other.seed_);
  std::swap(generation_, other.generation_);
  std::swap(buffers_, other.buffers_);  // released with the other
  std::swap(launches_, other.launches_);
  std::swap(next_copy_, other.next_copy_);
  return *this;
}

Workload::~Workload() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.pooled) {
      pool_->GiveBack(buffer.id);
    } else {
      session_->Release(buffer.id);
    }
  }
}

probe::Result<Workload> Workload::Create(Session& session, OperandWriter& writer, const LoadedVariant& loaded,
                                         const Shape& shape, BufferPool* pool) {
  Workload workload(session, writer, loaded, shape, pool);
  if (auto status = workload.Allocate(); !status) return status.error();
  workload.BuildLaunches();
  return workload;
}

probe::Status Workload::Allocate() {
  for (std::uint32_t copy = 0; copy < shape_.copies; ++copy) {
    for (const kernels::Step& step : variant().steps) {
      for (const kernels::Binding& binding : step.bindings) {
        const bool known = std::any_of(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) {
          return buffer.role == binding.role && buffer.copy == copy;
        });
        if (known) continue;
        if (auto status = AllocateOne(binding.role, copy); !status) return status;
      }
    }
  }
  return probe::Ok();
}

probe::Status Workload::AllocateOne(Role role, std::uint32_t copy) {
  BufferRequest request;
  request.bytes = BufferBytes(variant(), role, shape_.problem, session_->limits().shape);
  for (const kernels::Step& step : variant().steps) {
    for (const kernels::Binding& binding : step.bindings) {
      if (binding.role == role) AddOnce(request.views, binding.view);
    }
  }
  std::vector<BufferId> taken;
  taken.reserve(buffers_.size());
  for (const Buffer& buffer : buffers_) taken.push_back(buffer.id);
  const bool pooled = Pooled(role, request, taken);
  // What one workload only writes another reads.
  if (IsOperand(role) || pooled) writer_->AddViews(DtypeOf(variant(), role), request.views);
  if (IsResult(role) && request.bytes >= kLargeBytes) writer_->AddViews(Dtype::kU32, request.views);
  const auto id = pooled ? pool_->Take(request, taken) : session_->Allocate(request);
  if (!id) return id.error();
  buffers_.push_back({role, copy, request.bytes, *id, pooled});
  return probe::Ok();
}

bool Workload::Pooled(Role role, const BufferRequest& request, std::span<const BufferId> taken) const {
  constexpr std::uint64_t kWorthItBesideOthers = 64U << 10U;
  constexpr std::array kKernels = {Kernel::kRead, Kernel::kCopy, Kernel::kTriad, Kernel::kGemv};
  constexpr std::array kRoles = {Role::kIn, Role::kOut, Role::kA, Role::kB, Role::kW};
  if (pool_ == nullptr) return false;
  if (!session_->limits().shared_with.empty()) {
    const bool is_array = role == Role::kC || std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
    return is_array &&
           (pool_->Has(request, taken) || (!shape_.rough && request.bytes >= kWorthItBesideOthers));
  }
  return request.bytes >= kLargeBytes &&
         std::find(kKernels.begin(), kKernels.end(), variant().kernel) != kKernels.end() &&
         std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

const Workload::Buffer& Workload::Find(Role role, std::uint32_t copy) const {
  return *std::find_if(buffers_.begin(), buffers_.end(),
                       [&](const Buffer& buffer) { return buffer.role == role && buffer.copy == copy; });
}

void Workload::BuildLaunches() {
  for (std::uint32_t copy = 0; copy < shape_.copies; ++copy) {
    for (std::size_t i = 0; i < variant().steps.size(); ++i) {
      const kernels::Step& step = variant().steps[i];
      Launch launch{loaded_->steps[i], {}, kernels::ShapeOf(step, shape_.problem, session_->limits().shape)};
      for (const kernels::Binding& binding : step.bindings) {
        launch.buffers.push_back({Find(binding.role, copy).id, binding.view,
                                  kernels::MapOf(binding, variant().in, shape_.problem)});
      }
      launch.rough = shape_.rough;
      launches_.push_back(std::move(launch));
    }
  }
  const std::size_t once = launches_.size();
  launches_.reserve(2 * once);
  std::copy_n(launches_.begin(), once, std::back_inserter(launches_));
}

std::uint32_t Workload::Seed(Role role, std::uint32_t copy) const {
  return OperandSeed(seed_, role, generation_ * shape_.copies + copy);
}

probe::Status Workload::Overwrite(const Buffer& buffer, std::byte value) const {
  const std::vector<std::byte> chunk(std::min(kChunkBytes, buffer.bytes), value);
  for (std::uint64_t at = 0; at < buffer.bytes; at += chunk.size()) {
    const std::uint64_t size = std::min<std::uint64_t>(chunk.size(), buffer.bytes - at);
    if (auto status = session_->Upload(buffer.id, at, std::span(chunk).first(size)); !status) return status;
  }
  return probe::Ok();
}

probe::Status Workload::Prepare(std::uint32_t seed, std::uint32_t generation,
                                const std::function<void()>& before) {
  seed_ = seed;
  generation_ = generation;
  for (const Buffer& buffer : buffers_) {
    if (buffer.role == Role::kWorkspace) continue;
    if (before) before();
    if (auto status = Write(buffer); !status) return status;
  }
  return probe::Ok();
}

probe::Status Workload::Write(const Buffer& buffer) {
  const Dtype dtype = DtypeOf(variant(), buffer.role);
  if (buffer.pooled) pool_->Wrote(buffer.id, dtype);
  const std::uint32_t count = ElementCount(dtype, buffer.bytes, shape_.problem);
  const std::uint32_t seed = Seed(buffer.role, buffer.copy);
  if (IsOperand(buffer.role)) return writer_->Write(buffer.id, dtype, count, seed);
  // Of a large result every element is checked: numbers that nobody asked for spoil it as well, and the
  // device writes them faster than the host: of a product as words, in whatever type, most of which are far
  // beyond any of its sums.
  if (buffer.pooled && writer_->Fill(buffer.id, dtype, count, seed, 1)) return probe::Ok();
  if (IsResult(buffer.role) && buffer.bytes >= kLargeBytes) {
    const auto words = static_cast<std::uint32_t>(buffer.bytes / sizeof(std::uint32_t));
    if (writer_->Fill(buffer.id, Dtype::kU32, words, seed, 1)) return probe::Ok();
  }
  return Overwrite(buffer, buffer.role == Role::kPartials ? std::byte{0} : kPoison);
}

// Processors compute with subnormal numbers of fp32 many times slower; narrower types are widened first.
bool Workload::Spoilt(const Buffer& buffer) const {
  const Dtype dtype = DtypeOf(variant(), buffer.role);
  return buffer.pooled && IsOperand(buffer.role) && dtype == Dtype::kFp32 &&
         pool_->Content(buffer.id) != dtype;
}

probe::Status Workload::Populate(std::uint32_t seed) {
  seed_ = seed;
  generation_ = 0;
  for (const Buffer& buffer : buffers_) {
    const bool written = buffer.pooled && pool_->Content(buffer.id) && !Spoilt(buffer);
    if (written || buffer.role == Role::kWorkspace) continue;
    if (auto status = Write(buffer); !status) return status;
  }
  return probe::Ok();
}

probe::Status Workload::Refresh() {
  for (const Buffer& buffer : buffers_) {
    if (!Spoilt(buffer)) continue;
    if (auto status = Write(buffer); !status) return status;
  }
  return probe::Ok();
}

probe::Result<Timing> Workload::Run(std::uint32_t repeats) const {
  return RunSustained(*session_, std::span(launches_).first(launches_.size() / 2), repeats);
}

probe::Result<Workload::Turns> Workload::RunTurns(std::uint32_t turns) {
  if (turns >= shape_.copies) {
    const std::uint32_t executions = (turns + shape_.copies - 1) / shape_.copies;
    const auto timing = Run(executions);
    if (!timing) return timing.error();
    return Turns{*timing, static_cast<double>(executions)};
  }
  const std::size_t steps = variant().steps.size();
  const auto timing =
      RunSustained(*session_, std::span(launches_).subspan(next_copy_ * steps, turns * steps), 1);
  if (!timing) return timing.error();
  next_copy_ = (next_copy_ + turns) % shape_.copies;
  return Turns{*timing, static_cast<double>(turns) / shape_.copies};
}

}  // namespace backends
