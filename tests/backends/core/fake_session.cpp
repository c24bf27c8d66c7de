// SPDX-License-Identifier: MIT
#include "tests/backends/core/fake_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/operand.h"

namespace backends {
namespace {

using kernels::Dtype;
using kernels::Kernel;

kernels::Variant MakeVariant(std::string name, Kernel kernel, Dtype dtype, std::string_view entry) {
  using enum kernels::Number;
  return kernels::Own(std::move(name), kernel, dtype, dtype,
                      {.entry = entry, .scalars = {{kM}, {kN}, {kK}, {kCount}, {kSeed}}});
}

// k x n entries, read as though they were n x k.
std::vector<float> Transposed(const std::vector<float>& b, std::size_t k, std::size_t n) {
  std::vector<float> out(b.size());
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t j = 0; j < n; ++j) out[l * n + j] = b[j * k + l];
  }
  return out;
}

}  // namespace

FakeSession::FakeSession(FakeScript script) : script_(std::move(script)) {
  limits_.max_buffer_bytes = std::uint64_t{1} << 30U;
  limits_.memory_free_bytes = script_.free_bytes;
  limits_.cache_bytes = 64U << 10U;
  limits_.shape = {4, 1, 1};
}

probe::Status FakeSession::Alive() const {
  if (script_.lost_at_s && now_s_ >= *script_.lost_at_s) {
    return probe::Error{"fakeCall", -4, "FAKE_DEVICE_LOST", "the device is gone"};
  }
  return probe::Ok();
}

probe::Result<BufferId> FakeSession::Allocate(const BufferRequest& request) {
  if (auto alive = Alive(); !alive) return alive.error();
  if (auto allowed = allocations_.Check("fakeAllocate", request.bytes); !allowed) return allowed.error();
  if (allocated_bytes_ + request.bytes > script_.memory_bytes) {
    return probe::Error{"fakeAllocate", -2, "FAKE_OUT_OF_MEMORY", std::to_string(request.bytes) + " bytes"};
  }
  allocated_bytes_ += request.bytes;
  allocations_.Take(request.bytes);
  peak_bytes_ = std::max(peak_bytes_, allocated_bytes_);
  buffers_.emplace_back(request.bytes / 4);
  ++writes_;
  return BufferId{static_cast<std::uint32_t>(buffers_.size() - 1)};
}

void FakeSession::Release(BufferId buffer) {
  Words& words = buffers_.at(static_cast<std::uint32_t>(buffer));
  allocated_bytes_ -= words.size() * 4;
  allocations_.Return(words.size() * 4);
  Words().swap(words);
}

probe::Status FakeSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  if (auto alive = Alive(); !alive) return alive;
  Words& words = buffers_.at(static_cast<std::uint32_t>(buffer));
  EXPECT_LE(offset_bytes + data.size(), words.size() * 4);
  std::memcpy(std::as_writable_bytes(std::span(words)).data() + offset_bytes, data.data(), data.size());
  ++writes_;
  now_s_ += TransferSeconds(data);
  return probe::Ok();
}

probe::Status FakeSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (auto alive = Alive(); !alive) return alive;
  const Words& words = buffers_.at(static_cast<std::uint32_t>(buffer));
  EXPECT_LE(offset_bytes + data.size(), words.size() * 4);
  std::memcpy(data.data(), std::as_bytes(std::span(words)).data() + offset_bytes, data.size());
  now_s_ += TransferSeconds(data);
  if (script_.corrupt_transfers && data.size() > (1U << 20U)) data[data.size() / 2] ^= std::byte{1};
  return probe::Ok();
}

double FakeSession::TransferSeconds(std::span<const std::byte> host) const {
  const bool pinned = !pinned_.empty() && host.data() == pinned_.data();
  return static_cast<double>(host.size()) /
         (pinned ? script_.pinned_bytes_per_s : script_.transfer_bytes_per_s);
}

probe::Result<HostBuffer> FakeSession::AllocateHost(std::uint64_t bytes) {
  if (script_.pinned_bytes_per_s == 0) return Session::AllocateHost(bytes);
  if (bytes > script_.pinned_bytes) return probe::Error{"fakePin", -4, "FAKE_OUT_OF_HOST_MEMORY", ""};
  pinned_.resize(bytes);
  return HostBuffer{pinned_, nullptr};
}

probe::Result<KernelId> FakeSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  now_s_ += script_.compile_s;
  if (auto alive = Alive(); !alive) return alive.error();
  if (script_.unloadable.contains(variant.name)) {
    return probe::Error{"fakeCompile", -3, "FAKE_BUILD_FAILURE", "does not compile"};
  }
  if (script_.unknown_code.contains(variant.name))
    return probe::Error{"fakeLoad", -6, std::string(NameOf(probe::OwnError::kNoSuchKernel)), "too new"};
  kernels_.push_back({std::string(step.entry), variant.name, false});
  return KernelId{static_cast<std::uint32_t>(kernels_.size() - 1)};
}

FakeSession::Words& FakeSession::Buffer(const Launch& launch, std::size_t binding) {
  return buffers_.at(static_cast<std::uint32_t>(launch.buffers.at(binding).buffer));
}

double FakeSession::Fill(const Launch& launch, bool floats) {
  const std::uint32_t count = launch.shape.scalars[3];
  const std::uint32_t seed = launch.shape.scalars[4];
  Words& out = Buffer(launch, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.at(i) =
        floats ? std::bit_cast<std::uint32_t>(kernels::OperandFp32(seed, i)) : kernels::OperandBits(seed, i);
  }
  ++writes_;
  return 4.0 * count / script_.bytes_per_s;
}

double FakeSession::Read(const Launch& launch, double speed) {
  const std::uint32_t count = launch.shape.scalars[3];
  const Words& in = Buffer(launch, 0);
  Buffer(launch, 1).at(0) = std::accumulate(in.begin(), in.begin() + count, 0U);
  return 4.0 * count / (script_.bytes_per_s * speed);
}

double FakeSession::Gemm(const Launch& launch, const Loaded& kernel, double speed) {
  const std::size_t m = launch.shape.scalars[0];
  const std::size_t n = launch.shape.scalars[1];
  const std::size_t k = launch.shape.scalars[2];
  const double time_s = 2.0 * static_cast<double>(m * n * k) / (script_.flop_per_s * speed);
  const auto same = [&](const auto& known) { return known.first == launch.shape.scalars[0]; };
  if (std::none_of(products_.begin(), products_.end(), same)) now_s_ += script_.first_size_s;
  products_.emplace_back(launch.shape.scalars[0], launch.rough);
  const std::pair key{static_cast<std::uint32_t>(launch.kernel),
                      static_cast<std::uint32_t>(launch.buffers[2].buffer)};
  const auto done = computed_.find(key);
  if (done != computed_.end() && done->second == writes_) return time_s;  // the result is there already
  const Defect defect = DefectOf(kernel);
  Words& c_words = Buffer(launch, 2);
  std::vector<float> before(m * n);
  std::memcpy(before.data(), c_words.data(), m * n * 4);
  if (defect == Defect::kStale && kernel.ran && n > 64)
    return time_s;  // keeps what it made of the first operands
  std::vector<float> a(m * k);
  std::vector<float> b(k * n);
  std::memcpy(a.data(), Buffer(launch, 0).data(), a.size() * 4);
  std::memcpy(b.data(), Buffer(launch, 1).data(), b.size() * 4);
  if (defect == Defect::kTransposed) b = Transposed(b, k, n);
  std::vector<float> c(m * n, 0.0F);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      const float factor = a[i * k + l];
      const float* from = &b[l * n];
      float* to = &c[i * n];
      for (std::size_t j = 0; j < n; ++j) to[j] += factor * from[j];
    }
  }
  if (defect == Defect::kWrongElement) c[m * n / 3] += 1.0F;
  if (defect == Defect::kNan) c[m * n / 2] = std::numeric_limits<float>::quiet_NaN();
  if (defect == Defect::kUnwrittenTile) {
    for (std::size_t i = m - 16; i < m; ++i)
      std::memcpy(&c[i * n + n - 16], &before[i * n + n - 16], 16 * sizeof(float));
  }
  std::memcpy(c_words.data(), c.data(), c.size() * 4);
  computed_[key] = writes_;
  return time_s;
}

Defect FakeSession::DefectOf(const Loaded& kernel) const {
  const auto row = script_.defects.find(kernel.variant);
  return row == script_.defects.end() ? Defect::kNone : row->second;
}

namespace {

// Blocks of 4-bit weights, and behind all of them their scales in fp16, which tests give as 1 + mantissa
// times 2^-7.
void Unpack(const std::vector<std::uint32_t>& words, std::vector<float>& weights) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  for (std::size_t block = 0; block < weights.size() / kernels::kQ4Block; ++block) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes + weights.size() / 2 + block * sizeof(bits), sizeof(bits));
    const float scale = (1024.0F + static_cast<float>(bits & 1023U)) * 0x1p-17F;
    for (std::size_t i = 0; i < kernels::kQ4Block; ++i) {
      const std::uint8_t byte = bytes[block * 16 + i % 16];
      weights[block * kernels::kQ4Block + i] =
          scale * static_cast<float>((i < 16 ? byte & 15 : byte >> 4) - 8);
    }
  }
}

}  // namespace

double FakeSession::Gemv(const Launch& launch, const Loaded& kernel) {
  const std::uint32_t m = launch.shape.scalars[0];
  const std::uint32_t k = launch.shape.scalars[2];
  const Words& w = Buffer(launch, 0);
  const Words& x = Buffer(launch, 1);
  const bool q4 = kernel.entry == "gemv_q4";
  std::vector<float> unpacked(q4 ? std::size_t{m} * k : 0);
  Unpack(w, unpacked);
  const float* weights = q4 ? unpacked.data() : reinterpret_cast<const float*>(w.data());
  for (std::uint32_t row = 0; row < m; ++row) {
    float sum = 0;
    for (std::uint32_t i = 0; i < k; ++i)
      sum += weights[std::size_t{row} * k + i] * std::bit_cast<float>(x[i]);
    if (row == m / 2 && DefectOf(kernel) == Defect::kWrongElement) sum += 1.0F;
    Buffer(launch, 2)[row] = std::bit_cast<std::uint32_t>(sum);
  }
  return (q4 ? 18.0 / 32 : 4.0) * m * k / script_.bytes_per_s;
}

double FakeSession::Copy(const Launch& launch, const Loaded& kernel) {
  const std::uint32_t count = launch.shape.scalars[3];
  std::copy_n(Buffer(launch, 0).begin(), count, Buffer(launch, 1).begin());
  if (DefectOf(kernel) == Defect::kWrongElement) Buffer(launch, 1)[count - 1] ^= 1U;
  return 8.0 * count / script_.bytes_per_s;
}

double FakeSession::Triad(const Launch& launch, const Loaded& kernel) {
  const std::uint32_t count = launch.shape.scalars[3];
  for (std::uint32_t i = 0; i < count; ++i) {
    const float a = std::bit_cast<float>(Buffer(launch, 0)[i]);
    const float b = std::bit_cast<float>(Buffer(launch, 1)[i]);
    const bool swap = DefectOf(kernel) == Defect::kTransposed;
    Buffer(launch, 2)[i] = std::bit_cast<std::uint32_t>(swap ? b + 3.0F * a : a + 3.0F * b);
  }
  return 12.0 * count / script_.bytes_per_s;
}

double FakeSession::Chain(const Launch& launch, const Loaded& kernel) {
  const std::uint32_t steps = launch.shape.scalars[2];
  const std::uint32_t count = launch.shape.scalars[3];
  // The defect is a compiler's: one step is folded away.
  const std::uint32_t done = DefectOf(kernel) == Defect::kWrongElement ? steps - 1 : steps;
  for (std::uint32_t i = 0; i < count; ++i) {
    Buffer(launch, 0)[i] = std::bit_cast<std::uint32_t>(static_cast<float>(i % 8 + done));
  }
  return 2.0 * count * steps / script_.flop_per_s;
}

double FakeSession::Execute(const Launch& launch) {
  Loaded& kernel = kernels_.at(static_cast<std::uint32_t>(launch.kernel));
  const auto speed_row = script_.speeds.find(kernel.variant);
  const double speed = speed_row == script_.speeds.end() ? 1.0 : speed_row->second;
  double time_s = 0;
  if (kernel.entry == "fill_u32") time_s = Fill(launch, false);
  if (kernel.entry == "fill_fp32") time_s = Fill(launch, true);
  if (kernel.entry == "read") time_s = Read(launch, speed);
  if (kernel.entry == "copy") time_s = Copy(launch, kernel);
  if (kernel.entry == "triad") time_s = Triad(launch, kernel);
  if (kernel.entry.starts_with("gemv")) time_s = Gemv(launch, kernel);
  if (kernel.entry == "chain") time_s = Chain(launch, kernel);
  if (kernel.entry == "gemm") time_s = Gemm(launch, kernel, speed);
  if (!std::exchange(kernel.ran, true)) now_s_ += script_.first_run_s;
  return time_s;
}

probe::Result<Timing> FakeSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  const double start_s = now_s_;
  double once_s = 0;
  for (const Launch& launch : launches) {
    const Loaded& kernel = kernels_.at(static_cast<std::uint32_t>(launch.kernel));
    if (script_.unimplemented.contains(kernel.variant) ||
        (kernel.entry == "gemm" && launch.shape.scalars[0] >= script_.unimplemented_rows))
      return probe::Error{"fakeRun", -5, std::string(NameOf(probe::OwnError::kNoSuchKernel)),
                          "not on this device"};
    if (!launch.buffers.empty()) first_buffers_.push_back(launch.buffers.front().buffer);
    once_s += Execute(launch);
  }
  if (std::exchange(watches_, false)) seen_ = script_.state_at_work();
  const double slowdown = script_.slowdown ? script_.slowdown(now_s_) : 1.0;
  const double run_s = script_.launch_s + once_s * repeats * slowdown;
  now_s_ += run_s;
  if (auto alive = Alive(); !alive) return alive.error();
  Timing timing;
  timing.wall_s = now_s_ - start_s;
  if (script_.event_share) timing.device_s = *script_.event_share * run_s;
  return timing;
}

std::vector<kernels::Variant> FakeVariants(const std::vector<std::string>& gemms,
                                           const std::vector<std::string>& reads, bool fills) {
  std::vector<kernels::Variant> variants;
  if (fills) {
    variants.push_back(MakeVariant("fill", Kernel::kFill, Dtype::kU32, "fill_u32"));
    variants.push_back(MakeVariant("fill", Kernel::kFill, Dtype::kFp32, "fill_fp32"));
  }
  for (const std::string& name : gemms) {
    variants.push_back(MakeVariant(name, Kernel::kGemm, Dtype::kFp32, "gemm"));
  }
  for (const std::string& name : reads) {
    variants.push_back(MakeVariant(name, Kernel::kRead, Dtype::kU32, "read"));
    variants.back().steps[0].geometry = {.groups_a_unit = 1, .partials_a_group = 1};
  }
  return variants;
}

std::vector<kernels::Variant> FakeOthers() {
  std::vector<kernels::Variant> variants = FakeVariants({}, {});
  variants.push_back(MakeVariant("copy", Kernel::kCopy, Dtype::kU32, "copy"));
  variants.push_back(MakeVariant("triad", Kernel::kTriad, Dtype::kFp32, "triad"));
  for (const auto& [name, dtype] : {std::pair{"gemv", Dtype::kFp32}, {"gemv_q4", Dtype::kQ4}}) {
    variants.push_back(MakeVariant(name, Kernel::kGemv, dtype, name));
    variants.back().acc = Dtype::kFp32;
    variants.back().multiple_k = 32;
  }
  variants.push_back(MakeVariant("chain", Kernel::kChain, Dtype::kFp32, "chain"));
  variants.back().multiple_count = 8;
  return variants;
}

const Measurement& Outcome::Of(const std::string& implementation) const {
  const Measurement* found = nullptr;
  for (const Measurement& measurement : measurements) {
    const bool square = measurement.shape.n != 4096;
    if (measurement.implementation != implementation || !square) continue;
    EXPECT_EQ(found, nullptr) << "two measurements of " << implementation;
    found = &measurement;
  }
  static const Measurement none;
  EXPECT_NE(found, nullptr) << "no measurement of " << implementation;
  return found == nullptr ? none : *found;
}

Outcome MeasureFake(FakeSession& session, const std::vector<kernels::Variant>& variants,
                    const MeasureRequest& request) {
  Outcome outcome;
  const double start_s = session.now_s();
  Measure(
      session, variants, request,
      [&](const MeasureEvent& event) {
        if (const auto* stage = std::get_if<MeasureStage>(&event)) {
          outcome.stages.push_back(*stage);
          outcome.stage_s.push_back(session.now_s() - start_s);
        }
        if (const auto* measurement = std::get_if<Measurement>(&event)) {
          const bool overhead = measurement->kernel == Kernel::kLaunch ||
                                measurement->kernel == Kernel::kHostToDevice ||
                                measurement->kernel == Kernel::kDeviceToHost;
          (overhead ? outcome.overheads : outcome.measurements).push_back(*measurement);
        }
      },
      [&session] { return session.now_s(); });
  outcome.elapsed_s = session.now_s() - start_s;
  EXPECT_EQ(session.allocated_bytes(), 0U) << "a buffer was not released";
  return outcome;
}

MeasureRequest Request(double budget_s) {
  MeasureRequest request;
  request.device_id = "pci:0000:01:00.0";
  request.device.runtime = "fake";
  request.device.driver = "script";
  request.device.kind = probe::DeviceKind::kIntegrated;
  request.budget_s = budget_s;
  return request;
}

Outcome MeasureBy(const FakeScript& script, const std::vector<std::string>& gemms,
                  const std::vector<std::string>& reads, const MeasureRequest& request) {
  FakeSession session(script);
  return MeasureFake(session, FakeVariants(gemms, reads), request);
}

}  // namespace backends
