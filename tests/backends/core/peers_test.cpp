// SPDX-License-Identifier: MIT
// What is between devices, by script: every pair is timed and checked, and what fails costs its own figure.
#include "backends/core/peers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace backends {
namespace {

// Devices as vectors, on a clock of their own.
struct Script {
  std::map<std::pair<std::size_t, std::size_t>, double> bytes_per_s;  // of a pair; 1e9 for the others
  std::pair<std::size_t, std::size_t> direct = {0, 1};
  std::pair<std::size_t, std::size_t> corrupt = {9, 9};
  std::pair<std::size_t, std::size_t> broken = {9, 9};
  probe::Error library_error;  // of OpenAllReduce, if it has a name
  std::string_view copier;
  bool wrong_sum = false;
  std::size_t closed = 9;  // does not open
  bool full = false;       // for what others hold of it
  bool lost = false;       // once a copy was broken
};

class Devices : public PeerGroup {
 public:
  Devices(std::size_t count, Script script) : script_(std::move(script)) {
    for (std::size_t i = 0; i < count; ++i) {
      request_.peers.push_back({"pci:0000:0" + std::to_string(i) + ":00.0", {}});
      request_.peers.back().device.runtime = "fake";
    }
    arrays_.assign(count, {Bytes(kBytes), Bytes(kBytes)});
  }

  std::vector<Measurement> Measure(double budget_s = 1.0) {
    std::vector<Measurement> out;
    request_.budget_s = budget_s;
    MeasurePeers(
        request_, *this,
        [&](const MeasureEvent& event) {
          if (const auto* m = std::get_if<Measurement>(&event)) out.push_back(*m);
          if (std::get_if<MeasureStage>(&event) != nullptr) turns_.push_back(turn_);
          const auto* stage = std::get_if<MeasureStage>(&event);
          if (stage != nullptr && stage->implementation == "all_reduce" && allowed_to_join_s_ == 0)
            allowed_to_join_s_ = stage->allow_s;
        },
        [this] { return now_s_; },
        [this](const MeasureRequest& of) { turn_ = of.device_id + ">" + of.peer_id.value_or(""); });
    return out;
  }
  // Whose turn it was, by stage.
  [[nodiscard]] const std::vector<std::string>& turns() const { return turns_; }
  [[nodiscard]] double now_s() const { return now_s_; }
  [[nodiscard]] double allowed_to_join_s() const { return allowed_to_join_s_; }

  [[nodiscard]] probe::Status Open(std::size_t device, Opening) override {
    if (device == script_.closed && script_.full)
      return probe::Own(probe::OwnError::kLeftToOthers, "", "others leave it no memory");
    if (device == script_.closed) return probe::Error{"fakeOpen", -7, "FAKE_CLOSED", ""};
    return probe::Ok();
  }
  [[nodiscard]] bool IsLost() const override { return lost_; }
  [[nodiscard]] std::uint64_t bytes() const override { return kBytes; }
  [[nodiscard]] probe::Status Write(std::size_t device, Array array,
                                    std::span<const std::byte> data) override {
    std::memcpy((array == Array::kSource ? arrays_[device].first : arrays_[device].second).data(),
                data.data(), data.size());
    return probe::Ok();
  }
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data) override {
    std::memcpy(data.data(), arrays_[device].second.data(), data.size());
    return probe::Ok();
  }
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const override {
    return std::pair(from, to) == script_.direct;
  }
  [[nodiscard]] std::string_view Copier() const override { return script_.copier; }
  [[nodiscard]] probe::Result<std::string> OpenAllReduce() override {
    if (!script_.library_error.name.empty()) return script_.library_error;
    return std::string("fake:all_reduce");
  }
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats) override {
    if (std::pair(from, to) == script_.broken) {
      lost_ = script_.lost;
      return probe::Error{"fakeCopy", -5, "FAKE_LOST", ""};
    }
    arrays_[to].second = arrays_[from].first;
    if (std::pair(from, to) == script_.corrupt) arrays_[to].second[kBytes / 2] ^= std::byte{1};
    const auto known = script_.bytes_per_s.find({from, to});
    return Spend(repeats * static_cast<double>(kBytes) /
                 (known == script_.bytes_per_s.end() ? 1e9 : known->second));
  }
  [[nodiscard]] probe::Result<double> AllReduce(std::uint32_t repeats) override {
    std::vector<std::uint32_t> sums(kBytes / 4);
    std::vector<std::uint32_t> words(kBytes / 4);
    for (std::size_t device = 0; device < arrays_.size() - (script_.wrong_sum ? 1 : 0); ++device) {
      std::memcpy(words.data(), arrays_[device].first.data(), kBytes);
      for (std::size_t i = 0; i < words.size(); ++i) sums[i] += words[i];
    }
    for (auto& device : arrays_) std::memcpy(device.second.data(), sums.data(), kBytes);
    return Spend(repeats * 0.002);
  }

 private:
  using Bytes = std::vector<std::byte>;
  static constexpr std::uint64_t kBytes = 1U << 20U;

  double Spend(double time_s) {
    now_s_ += time_s;
    return time_s;
  }

  Script script_;
  MeasureRequest request_;
  std::vector<std::pair<Bytes, Bytes>> arrays_;
  double now_s_ = 0;
  double allowed_to_join_s_ = 0;
  bool lost_ = false;
  std::string turn_;
  std::vector<std::string> turns_;
};

const Measurement& Between(const std::vector<Measurement>& all, int from, int to) {
  for (const Measurement& m : all) {
    if (m.device_id == "pci:0000:0" + std::to_string(from) + ":00.0" &&
        m.peer_id == "pci:0000:0" + std::to_string(to) + ":00.0") {
      return m;
    }
  }
  throw std::runtime_error("no such pair");
}

TEST(Peers, TellWhatMadeADirectCopyWhereThatMatters) {
  Script script;
  script.copier = "engine";
  const auto all = Devices(2, script).Measure();
  EXPECT_EQ(Between(all, 0, 1).implementation, "own:direct_engine");
  EXPECT_EQ(Between(all, 1, 0).implementation, "own:staged");
}

TEST(Peers, EveryOrderedPairHasItsFigure) {
  Script script;
  script.bytes_per_s = {{{0, 1}, 20e9}, {{1, 0}, 10e9}};
  Devices devices(3, script);
  const auto all = devices.Measure();
  ASSERT_EQ(all.size(), 3U * 2 + 1);
  EXPECT_NEAR(*Between(all, 0, 1).rate, 20e9, 1e6);
  EXPECT_NEAR(*Between(all, 1, 0).rate, 10e9, 1e6) << "the other way is another figure";
  EXPECT_NEAR(*Between(all, 2, 1).rate, 1e9, 1e6);
  for (const Measurement& m : all) {
    EXPECT_EQ(m.kernel, kernels::Kernel::kPeer);
    EXPECT_EQ(m.status, MeasurementStatus::kOk) << m.reason.value_or("");
    EXPECT_TRUE(m.verified);
    EXPECT_GE(m.samples, 10U);
    EXPECT_EQ(m.unit, "bytes_per_s");
  }
  EXPECT_EQ(Between(all, 0, 1).implementation, "own:direct");
  EXPECT_EQ(Between(all, 1, 0).implementation, "own:staged");
  EXPECT_LT(devices.now_s(), 1.2) << "the budget, and first runs";
}

TEST(Peers, AllReduceIsTheBusBandwidthOfAllOfThem) {
  const auto all = Devices(4, {}).Measure();
  const Measurement& m = all.back();
  EXPECT_EQ(m.implementation, "fake:all_reduce");
  EXPECT_FALSE(m.peer_id);
  EXPECT_NEAR(*m.rate, 2.0 * 3 / 4 * (1 << 20) / 0.002, 1e6);
}

TEST(Peers, HaveTimeToJoinWithAColdLibrary) {
  Devices devices(8, {});
  (void)devices.Measure();
  EXPECT_EQ(devices.allowed_to_join_s(), 30);
}

TEST(Peers, ACopyThatLosesABitIsWrongAndTheOthersStand) {
  Script script;
  script.corrupt = {1, 0};
  const auto all = Devices(2, script).Measure();
  EXPECT_EQ(Between(all, 1, 0).status, MeasurementStatus::kWrongResult);
  EXPECT_FALSE(Between(all, 1, 0).rate);
  EXPECT_EQ(Between(all, 0, 1).status, MeasurementStatus::kOk);
}

TEST(Peers, APairThatFailsSaysWhy) {
  Script script;
  script.broken = {0, 1};
  const auto all = Devices(2, script).Measure();
  EXPECT_EQ(Between(all, 0, 1).status, MeasurementStatus::kFailed);
  EXPECT_NE(Between(all, 0, 1).reason->find("FAKE_LOST"), std::string::npos);
  EXPECT_EQ(Between(all, 1, 0).status, MeasurementStatus::kOk);
}

TEST(Peers, ADeviceThatDoesNotOpenIsNamedAndNoOther) {
  Script script;
  script.closed = 1;
  Devices devices(3, script);
  const auto all = devices.Measure();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].device_id, "pci:0000:01:00.0");
  EXPECT_EQ(all[0].kernel, kernels::Kernel::kPeer);
  EXPECT_EQ(all[0].status, MeasurementStatus::kFailed);
  EXPECT_EQ(all[0].stage, "init");
  EXPECT_NE(all[0].reason->find("FAKE_CLOSED"), std::string::npos);
  EXPECT_EQ(devices.turns().back(), "pci:0000:01:00.0>") << "as where opening ends the process";
}

TEST(Peers, ADeviceThatOthersLeaveNoMemoryIsNoFailure) {
  Script script;
  script.closed = 1;
  script.full = true;
  const auto all = Devices(3, script).Measure();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, MeasurementStatus::kOverBudget);
  EXPECT_NE(all[0].reason->find("others"), std::string::npos);
}

TEST(Peers, EveryStageSaysWhoseItIs) {
  Devices devices(2, {});
  (void)devices.Measure();
  EXPECT_EQ(devices.turns().front(), "pci:0000:00:00.0>");
  for (const char* turn : {"pci:0000:00:00.0>pci:0000:01:00.0", "pci:0000:01:00.0>pci:0000:00:00.0"})
    EXPECT_EQ(std::count(devices.turns().begin(), devices.turns().end(), turn), 2) << turn;
}

TEST(Peers, OnceAContextHasEndedOneCopyTellsOfItAndNothingElseIsTried) {
  Script script;
  script.broken = {0, 1};
  script.lost = true;
  const auto all = Devices(3, script).Measure();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].reason->find("whatever was to come"), std::string::npos);
}

TEST(Peers, AWrongSumIsFoundOut) {
  Script script;
  script.wrong_sum = true;
  EXPECT_EQ(Devices(3, script).Measure().back().status, MeasurementStatus::kWrongResult);
}

TEST(Peers, WithoutTheLibraryNothingIsSaidOfIt) {
  Script script;
  script.library_error = {"dlopen", std::nullopt, "absent", ""};
  EXPECT_EQ(Devices(2, script).Measure().size(), 2U);
  script.library_error = {"dlopen", std::nullopt, "unloadable", "not a library"};
  const auto all = Devices(2, script).Measure();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.back().status, MeasurementStatus::kFailed);
}

TEST(Peers, WithoutTimeTheFirstCopyIsTheFigure) {
  const auto all = Devices(2, {}).Measure(0);
  EXPECT_NEAR(*Between(all, 0, 1).rate, 1e9, 1e6);
  EXPECT_EQ(Between(all, 0, 1).quality, Quality::kNoisy);
  EXPECT_EQ(Between(all, 0, 1).reason, "timed only while it was verified");
}

TEST(Peers, TheBudgetBoundsEightDevices) {
  Devices devices(8, {});
  const auto all = devices.Measure(0.5);
  EXPECT_EQ(all.size(), 8U * 7 + 1);
  for (const Measurement& m : all) EXPECT_EQ(m.status, MeasurementStatus::kOk) << m.reason.value_or("");
  // Every first run is excused, and a batch of 5 ms may overrun its slot.
  EXPECT_LT(devices.now_s(), 0.5 + 57 * 0.002 + 57 * 0.005);
}

}  // namespace
}  // namespace backends
