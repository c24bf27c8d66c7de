// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "report/recommend/parts.h"
#include "report/render/faces.h"
#include "report/render/fields.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

TEST(ExitCode, TellsWhetherAGpuIsUsable) {
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Processor())), MachineCode::kNoGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Nothing())), MachineCode::kNoGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::DiscreteAndIntegrated())), MachineCode::kUsableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::SlowIntegrated())), MachineCode::kUsableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::Phantom())), MachineCode::kUnusableGpu);
  EXPECT_EQ(ExitCodeOf(testing::Decided(testing::BrokenDriver())), MachineCode::kUnusableGpu);
}

// Kernels tell whether a GPU works; which programs are published for it does not.
TEST(ExitCode, IsOfWhatWorksBeThereAProgramForItOrNot) {
  auto report = testing::Decided(testing::DiscreteAndIntegrated());
  for (Score& score : report.scores) score.eligible = false;
  EXPECT_EQ(ExitCodeOf(report), MachineCode::kUnusableGpu);
  for (Score& score : report.scores) score.lacks_code = true;
  EXPECT_EQ(ExitCodeOf(report), MachineCode::kUsableGpu);
}

// A way of which nothing was measured, for that reason.
backends::Measurement Unmeasured(const Report& report, const probe::PhysicalDevice& device,
                                 backends::MeasurementStatus status) {
  backends::Measurement m = report.measurements.front();
  m.device_id = device.id;
  m.runtime = device.views.at(0).device.runtime;
  m.driver = device.views.at(0).device.driver;
  m.kernel = kernels::Kernel::kGemm;
  m.status = status;
  m.verified = false;
  m.rate.reset();
  m.reason = "left out: it takes too long";
  return m;
}

// Of GPUs that nobody had time for nothing is known; of one that failed something is.
TEST(ExitCode, WhereNoKernelHadTimeOrRoomNothingIsKnown) {
  using backends::MeasurementStatus;
  const auto with_cards = [](std::initializer_list<MeasurementStatus> of_cards) {
    Report report = testing::Processor();
    for (const auto status : of_cards) {
      auto card = testing::Gpu(fmt::format("0000:0{}:00.0", report.devices.size()), "NVIDIA A100",
                               probe::DeviceKind::kDiscrete, 40);
      testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
      report.measurements.push_back(Unmeasured(report, card, status));
      report.devices.insert(report.devices.begin(), card);
    }
    return report;
  };
  const auto with = [&](std::initializer_list<MeasurementStatus> of_cards) {
    return testing::Decided(with_cards(of_cards));
  };
  const auto late = with({MeasurementStatus::kOverBudget, MeasurementStatus::kOverBudget});
  EXPECT_EQ(ExitCodeOf(late), MachineCode::kGpuNotAsked);
  const auto& reason = late.recommendations.at(0).reasons.at(0);
  EXPECT_EQ(reason.id, ReasonId::kGpusUnmeasured);
  EXPECT_EQ(reason, "none of 2 GPUs was measured: left out: it takes too long");
  EXPECT_EQ(ExitCodeOf(with({MeasurementStatus::kOverBudget, MeasurementStatus::kFailed})),
            MachineCode::kUnusableGpu);
  // A plan has products that the device can not do, too.
  const auto mixed = [&](MeasurementStatus second) {
    Report report = with_cards({MeasurementStatus::kOverBudget});
    auto m = report.measurements.back();
    m.in_dtype = m.acc_dtype = kernels::Dtype::kFp16;
    m.implementation = "own:tile";
    m.status = second;
    report.measurements.insert(report.measurements.end() - 1, m);
    return testing::Decided(std::move(report));
  };
  EXPECT_EQ(ExitCodeOf(mixed(MeasurementStatus::kUnsupported)), MachineCode::kGpuNotAsked);
  EXPECT_EQ(ExitCodeOf(mixed(MeasurementStatus::kSkipped)), MachineCode::kGpuNotAsked);
  EXPECT_EQ(ExitCodeOf(mixed(MeasurementStatus::kCrashed)), MachineCode::kUnusableGpu);
  EXPECT_THAT(mixed(MeasurementStatus::kFailed).recommendations.at(0).reasons.at(0).text,
              ::testing::StartsWith("NVIDIA A100 is not usable: "));
  const auto one_failed = with({MeasurementStatus::kOverBudget, MeasurementStatus::kFailed});
  EXPECT_THAT(
      one_failed.recommendations.at(0).reasons.at(0).text,
      ::testing::StartsWith("of 2 GPUs here 1 was not measured (left out: it takes too long), and none of "
                            "the others is usable"));
  QueryRequest request;
  request.fields = {"usable", "backend"};
  request.all = true;
  EXPECT_THAT(Query(testing::TestTables(), late, request).text, ::testing::HasSubstr("unknown\tcuda"));
  const auto why = [](Report report) {
    return testing::Decided(std::move(report)).recommendations.at(0).reasons.at(0).text;
  };
  Report two = with_cards({MeasurementStatus::kOverBudget, MeasurementStatus::kOverBudget});
  const auto of_second = two.devices.at(1).id;
  two.measurements.back().reason = "the time budget ran out";
  EXPECT_EQ(why(two),
            fmt::format("none of 2 GPUs was measured: {}: the time budget ran out", two.devices.front().id))
      << "the other has another reason";
  testing::Measure(two, of_second, "cuda", "NVIDIA", kernels::Kernel::kChain, 20e12);
  EXPECT_THAT(why(two), ::testing::StartsWith("none of 2 GPUs is known to be usable: ")) << "one was";
  two = with_cards({MeasurementStatus::kOverBudget, MeasurementStatus::kFailed});
  testing::Measure(two, two.devices.at(1).id, "cuda", "NVIDIA", kernels::Kernel::kChain, 20e12);
  EXPECT_THAT(why(two),
              ::testing::StartsWith("of 2 GPUs here 1 is not known to be usable (left out: it takes "
                                    "too long), and none of the others is usable"));
}

// What ran right beside it makes no less of it, nor does another way that failed.
TEST(ExitCode, AWayThatLackedTimeOrRoomForTheRestIsUnknown) {
  using backends::MeasurementStatus;
  Report report = testing::Processor();
  auto card = testing::Gpu("0000:01:00.0", "NVIDIA A100", probe::DeviceKind::kDiscrete, 40);
  testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
  report.measurements.push_back(Unmeasured(report, card, MeasurementStatus::kOverBudget));
  testing::AddView(card, "vulkan", "NVIDIA", probe::DeviceKind::kDiscrete);
  report.devices.insert(report.devices.begin(), card);
  auto other = report.measurements.back();
  other.runtime = "vulkan";
  other.status = MeasurementStatus::kFailed;
  report.measurements.push_back(other);
  const auto unknown = [&] {
    const auto decided = testing::Decided(report);
    EXPECT_EQ(ExitCodeOf(decided), MachineCode::kGpuNotAsked);
    const auto& reason = decided.recommendations.at(0).reasons.at(0);
    EXPECT_EQ(reason.id, ReasonId::kGpusUnmeasured);
    EXPECT_THAT(reason.text, ::testing::StartsWith("NVIDIA A100 is not known to be usable: cuda: its "));
    EXPECT_THAT(reason.text, ::testing::HasSubstr("vulkan: "));
  };
  unknown();
  testing::Measure(report, card.id, "cuda", "NVIDIA", kernels::Kernel::kChain, 20e12);
  unknown();
  const auto come_to = [&](kernels::Kernel kernel, MeasurementStatus status) {
    report.measurements.back().kernel = kernel;
    report.measurements.back().status = status;
    report.measurements.back().verified = false;
    return ExitCodeOf(testing::Decided(report));
  };
  EXPECT_EQ(come_to(kernels::Kernel::kChain, MeasurementStatus::kImplausible), MachineCode::kGpuNotAsked)
      << "no score rests on it";
  EXPECT_EQ(come_to(kernels::Kernel::kGemv, MeasurementStatus::kWrongResult), MachineCode::kGpuNotAsked);
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kUnusableGpu);
  // Others hold the memory: what failed for want of it tells nothing, and what failed otherwise does.
  report.devices.front().memory.free_bytes = 8ULL << 20U;
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kUnusableGpu);
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kWrongResult), MachineCode::kUnusableGpu);
  report.measurements.back().lacked_memory = true;
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kGpuNotAsked);
  report.devices.front().memory.free_bytes = *report.devices.front().memory.total_bytes / 5 * 2;
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kGpuNotAsked)
      << "who holds most of it may hold what was wanted";
  report.devices.front().memory.free_bytes = *report.devices.front().memory.total_bytes / 5 * 4;
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kUnusableGpu);
  report.devices.front().memory.free_bytes = 8ULL << 20U;
  report.measurements.back().lacked_memory.reset();
  report.measurements.back().implementation = "some library";
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kGpuNotAsked)
      << "it may fail by itself";
  report.measurements.back().lacked_memory = true;
  report.measurements.back().implementation.clear();
  report.measurements.back().stage = "init";
  EXPECT_EQ(come_to(kernels::Kernel::kGemm, MeasurementStatus::kFailed), MachineCode::kGpuNotAsked)
      << "it did not open";
}

TEST(ExitCode, ManagementGraphicsAndVirtualDisplaysAreNoGpu) {
  Report report = testing::Processor();
  report.devices.push_back(testing::Gpu("0000:03:00.0", "ASPEED", probe::DeviceKind::kManagement, 0.1));
  report.devices.push_back(testing::Gpu("0000:04:00.0", "virtio", probe::DeviceKind::kVirtual, 0.1));
  EXPECT_EQ(ExitCodeOf(testing::Decided(report)), MachineCode::kNoGpu);
}

TEST(ExitCode, WhereNobodyLookedNothingIsKnown) {
  Report report = testing::Processor();
  EXPECT_EQ(ExitCodeOf(testing::Decided(report)), MachineCode::kNoGpu);
  const auto bus = std::find_if(report.probes.begin(), report.probes.end(),
                                [](const auto& probe) { return probe.module == "sysfs"; });
  ASSERT_NE(bus, report.probes.end());
  bus->outcome = probe::Outcome::kFailed;
  const auto failed = testing::Decided(report);
  EXPECT_EQ(ExitCodeOf(failed), MachineCode::kGpuNotAsked);
  EXPECT_EQ(failed.recommendations.at(0).reasons.at(0),
            "no GPU was found, and sysfs, which lists them, did not answer");
  report.probes.erase(bus);
  EXPECT_EQ(ExitCodeOf(testing::Decided(report)), MachineCode::kGpuNotAsked);
}

TEST(Token, IsOneWordOfTheClosedSet) {
  EXPECT_EQ(Token(testing::Decided(testing::Processor()).recommendations[0]), "cpu");
  Recommendation hostile;
  for (const char* name : {"", "cpu; reboot", "CPU", "a\nb", "$(id)"}) {
    hostile.backend = name;
    EXPECT_EQ(Token(hostile), "unknown") << name;
  }
}

// What `eval` of the answer sets WHICHGPU_VISIBLE to, where the answer is this view of a card.
std::string VisibleOf(const std::function<void(probe::RuntimeDevice&)>& change) {
  Report report = testing::Processor();
  auto card = testing::Gpu("0000:01:00.0", "NVIDIA A100", probe::DeviceKind::kDiscrete, 40);
  auto& view = testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
  view.device.identity.uuid = probe::ParseUuid("aa000000-0000-0000-0000-000000000002");
  change(view.device);
  report.devices.insert(report.devices.begin(), card);
  Recommendation answer;
  answer.backend = "cuda";
  answer.driver = "NVIDIA";
  answer.device_id = card.id;
  answer.environment = recommend::EnvironmentOf(testing::TestTables(), report, answer);
  report.recommendations = {answer};
  const std::string text = Env(report);
  const auto at = text.find("WHICHGPU_VISIBLE=") + std::string_view("WHICHGPU_VISIBLE=").size();
  return text.substr(at, text.find('\n', at) - at);
}

// NVIDIA, MIG User Guide, "CUDA Device Enumeration": a GPU is GPU-<UUID>, an instance MIG-<UUID> and, for
// drivers before 470, MIG-GPU-<UUID of the card>/<GPU instance>/<compute instance>.
TEST(Visible, NamesACardAndAPartitionOfOneAsTheirDriverWantsThem) {
  EXPECT_EQ(VisibleOf([](auto&) {}), "CUDA_VISIBLE_DEVICES=GPU-aa000000-0000-0000-0000-000000000002");
  EXPECT_EQ(VisibleOf([](auto& device) { device.identity.partition = "MIG-2-0"; }),
            "CUDA_VISIBLE_DEVICES=MIG-aa000000-0000-0000-0000-000000000002");
  const std::string old = "MIG-GPU-aa000000-0000-0000-0000-000000000001/2/0";
  EXPECT_EQ(VisibleOf([&](auto& device) {
              device.identity.partition = "MIG-2-0";
              device.facts.push_back({"visible_as", old});
            }),
            "CUDA_VISIBLE_DEVICES=" + old);
}

TEST(Visible, ADriverCannotPutAnythingElseThere) {
  EXPECT_EQ(VisibleOf([](auto& device) { device.facts.push_back({"visible_as", "0 LD_PRELOAD=/tmp/x"}); }),
            "CUDA_VISIBLE_DEVICES=GPU-aa000000-0000-0000-0000-000000000002");
  EXPECT_EQ(VisibleOf([](auto& device) { device.facts.push_back({"visible_as", "GPU-0';reboot"}); }),
            "CUDA_VISIBLE_DEVICES=GPU-aa000000-0000-0000-0000-000000000002");
}

// HIP counts what a variable leaves: its own number would select another card.
TEST(Visible, IsWhatTheRuntimeCallsADeviceThatItNumbers) {
  Report report;
  auto card = testing::Gpu("0000:03:00.0", "Radeon", probe::DeviceKind::kDiscrete, 24);
  testing::AddView(card, "hip", "ROCm", probe::DeviceKind::kDiscrete);
  report.devices.push_back(card);
  Recommendation answer;
  answer.backend = "hip";
  answer.driver = "ROCm";
  answer.device_id = card.id;
  const auto value = [&] {
    return recommend::EnvironmentOf(testing::TestTables(), report, answer).at(0).value;
  };
  EXPECT_EQ(value(), "0");
  report.devices[0].views[0].device.facts.push_back({"visible_as", "1"});
  EXPECT_EQ(value(), "1");
  report.devices[0].views[0].device.facts[0].value = "1;reboot";
  EXPECT_EQ(value(), "0");
}

TEST(Visible, IsNoNumberThatTheRuntimeDoesNotKnow) {
  Report report;
  auto card = testing::Gpu("0000:03:00.0", "Radeon", probe::DeviceKind::kDiscrete, 24);
  testing::AddView(card, "hip", "ROCm", probe::DeviceKind::kDiscrete);
  card.views[0].device.facts.push_back({"unnumbered", "drivers of several libraries"});
  report.devices.push_back(card);
  Recommendation answer;
  answer.backend = "hip";
  answer.driver = "ROCm";
  answer.device_id = card.id;
  EXPECT_TRUE(recommend::EnvironmentOf(testing::TestTables(), report, answer).empty());
}

TEST(Visible, IsEmptyWhereThePartitionHasNoNameOfItsOwn) {
  EXPECT_EQ(VisibleOf([](auto& device) {
              device.identity.uuid.reset();
              device.identity.partition = "MIG-2-0";
            }),
            "");
}

}  // namespace
}  // namespace report::render
