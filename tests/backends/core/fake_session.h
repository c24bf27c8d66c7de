// SPDX-License-Identifier: MIT
// A device by script: computes its kernels on the host, right or wrong in a chosen way, and takes the time
// that the script says, on a clock of its own. No test that uses it depends on real time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/runner.h"
#include "backends/core/sharing.h"

namespace backends {

enum class Defect { kNone, kWrongElement, kTransposed, kUnwrittenTile, kStale, kNan };

struct FakeScript {
  double flop_per_s = 1e9;
  double bytes_per_s = 1e9;
  double launch_s = 10e-6;
  double transfer_bytes_per_s = 1e9;        // as a copy takes real time, few of them
  double pinned_bytes_per_s = 0;            // 0: the runtime pins no memory
  std::uint64_t pinned_bytes = UINT64_MAX;  // of an allocation at most
  bool corrupt_transfers = false;
  double compile_s = 0.010;
  double first_run_s = 0;   // on the wall clock, for the first run of every kernel: it compiles late
  double first_size_s = 0;  // the same for every number of rows that products have for the first time
  std::function<double(double now_s)> slowdown;          // factor on every time
  std::optional<double> event_share = 0.999;             // of the wall time; nullopt: no events
  std::map<std::string, Defect> defects;                 // by variant name
  std::map<std::string, double> speeds;                  // factor on the rate, by variant name
  std::set<std::string> unloadable;                      // variant names
  std::set<std::string> unimplemented;                   // variant names: a library has no such kernel
  std::uint32_t unimplemented_rows = UINT32_MAX;         // the same, of products with as many and more
  std::set<std::string> unknown_code;                    // variant names: written in what nobody here reads
  std::uint64_t memory_bytes = std::uint64_t{1} << 32U;  // what Allocate really has
  std::uint64_t free_bytes = 64U << 20U;                 // what the limits say: copies take real time
  std::optional<double> lost_at_s;                       // every call fails from then on
  std::function<DeviceState(double now_s)> state;
  std::function<DeviceState()> state_at_work;  // can be watched; nothing: it can not
};

class FakeSession : public Session {
 public:
  explicit FakeSession(FakeScript script);

  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return allocated_bytes_; }
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }
  [[nodiscard]] Limits& mutable_limits() { return limits_; }
  // What each launch since the last ForgetLaunches binds first.
  [[nodiscard]] const std::vector<BufferId>& first_buffers() const { return first_buffers_; }
  // Of every product that ran, its rows and whether it was rough.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, bool>>& products() const { return products_; }
  void ForgetLaunches() { first_buffers_.clear(); }

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] DeviceState State() const override {
    if (seen_) return *seen_;
    return script_.state ? script_.state(now_s_) : DeviceState{};
  }
  [[nodiscard]] bool Watch() override {
    seen_.reset();
    watches_ = static_cast<bool>(script_.state_at_work);
    return watches_;
  }

 private:
  struct Loaded {
    std::string entry;
    std::string variant;
    bool ran = false;
  };
  using Words = std::vector<std::uint32_t>;
  [[nodiscard]] probe::Status Alive() const;
  [[nodiscard]] double TransferSeconds(std::span<const std::byte> host) const;
  // Executes one launch on the host and returns the seconds that it takes by the script.
  double Execute(const Launch& launch);
  double Fill(const Launch& launch, bool floats);
  double Read(const Launch& launch, double speed);
  double Gemm(const Launch& launch, const Loaded& kernel, double speed);
  double Gemv(const Launch& launch, const Loaded& kernel);
  double Copy(const Launch& launch, const Loaded& kernel);
  double Triad(const Launch& launch, const Loaded& kernel);
  double Chain(const Launch& launch, const Loaded& kernel);
  [[nodiscard]] Defect DefectOf(const Loaded& kernel) const;
  [[nodiscard]] Words& Buffer(const Launch& launch, std::size_t binding);

  FakeScript script_;
  Limits limits_;
  Allocations allocations_{limits_};
  double now_s_ = 0;
  std::uint64_t allocated_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::vector<Loaded> kernels_;
  std::vector<Words> buffers_;
  std::vector<BufferId> first_buffers_;
  std::vector<std::pair<std::uint32_t, bool>> products_;
  std::vector<std::byte> pinned_;
  bool watches_ = false;
  std::optional<DeviceState> seen_;
  std::uint64_t writes_ = 0;  // counts changes of any operand
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      computed_;  // (kernel, buffer): writes_ then
};

// Variants for it: fills of u32 and fp32, and one gemm and one read of each name.
[[nodiscard]] std::vector<kernels::Variant> FakeVariants(const std::vector<std::string>& gemms,
                                                         const std::vector<std::string>& reads,
                                                         bool fills = true);

// The others, named as their kernels: copy, triad, gemv in fp32, gemv_q4, chain.
[[nodiscard]] std::vector<kernels::Variant> FakeOthers();

// What Measure emitted.
struct Outcome {
  std::vector<MeasureStage> stages;
  std::vector<double> stage_s;  // when each was entered
  std::vector<Measurement> measurements;
  std::vector<Measurement> overheads;  // launches and transfers
  double elapsed_s = 0;
  // The measurement of that implementation, of a product the square one; fails the test if there is not
  // exactly one.
  [[nodiscard]] const Measurement& Of(const std::string& implementation) const;
};
[[nodiscard]] Outcome MeasureFake(FakeSession& session, const std::vector<kernels::Variant>& variants,
                                  const MeasureRequest& request);

// Of a device that shares the host's memory.
[[nodiscard]] MeasureRequest Request(double budget_s = 3.0);
// A new device by that script, with variants of those names.
[[nodiscard]] Outcome MeasureBy(const FakeScript& script, const std::vector<std::string>& gemms = {"gemm"},
                                const std::vector<std::string>& reads = {},
                                const MeasureRequest& request = Request());

}  // namespace backends
