// SPDX-License-Identifier: MIT
#include "report/peaks/peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/core/device_fit.h"
#include "report/core/device_peak.h"
#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::peaks {
namespace {

using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using ::testing::HasSubstr;

// A processor with AVX-512 and AMX, 2 cores, at a known clock or not.
Report OneProcessor(std::optional<double> clock_hz) {
  Report report = testing::Processor();
  report.devices.front().views.front().device.clock_max_hz = clock_hz;
  report.measurements.resize(2);
  return report;
}

backends::Measurement& Judged(Report& report, std::size_t index = 0) {
  Judge(EmbeddedPeaks(), report.devices, report.measurements);
  return report.measurements[index];
}

TEST(Peaks, OfAProcessorAreUnitsTimesClockTimesWidth) {
  auto report = OneProcessor(2e9);
  report.measurements[0].rate = 192e9;
  EXPECT_DOUBLE_EQ(*Judged(report).share_of_peak, 192e9 / (2 * 2e9 * 64));
  EXPECT_FALSE(report.measurements[1].share_of_peak) << "nobody knows its memory";
}

TEST(Peaks, OneThreadHasOneUnit) {
  auto report = OneProcessor(2e9);
  report.measurements[0].threads = 1;
  report.measurements[0].rate = 64e9;
  EXPECT_DOUBLE_EQ(*Judged(report).share_of_peak, 0.5);
}

TEST(Peaks, WithoutAClockTheProcessorsOwnChainIsThePeak) {
  auto report = OneProcessor(std::nullopt);
  report.measurements[0].rate = 180e9;
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kChain, 200e9).best_rate = 225e9;
  EXPECT_DOUBLE_EQ(*Judged(report).share_of_peak, 0.8);
  EXPECT_FALSE(report.measurements.back().share_of_peak) << "a chain is not its own peak";
  auto noisy = OneProcessor(std::nullopt);
  testing::Measure(noisy, "cpu:0", "cpu", "native", Kernel::kChain, 1e9).quality = backends::Quality::kNoisy;
  EXPECT_FALSE(Judged(noisy).share_of_peak);
  EXPECT_EQ(noisy.measurements[0].status, MeasurementStatus::kOk);
}

TEST(Peaks, FarAboveThePeakIsRejectedAndNeverRanked) {
  for (const auto clock : {std::optional(2e9), std::optional<double>()}) {
    auto report = OneProcessor(clock);
    const double bound = 2 * clock.value_or(kFastestClockHz) * 64;
    report.measurements[0].rate = 1.51 * bound;
    const auto& m = Judged(report);
    EXPECT_EQ(m.status, MeasurementStatus::kImplausible);
    EXPECT_THAT(*m.reason, HasSubstr("1.5 times what the device can do"));
    for (const auto& score : score::ScoreAll(testing::TestTables(), report.devices, report.measurements))
      EXPECT_FALSE(score.eligible);
  }
}

TEST(Peaks, ALittleAboveThePeakIsFlagged) {
  auto report = OneProcessor(2e9);
  report.measurements[0].rate = 1.2 * 256e9;
  const auto& m = Judged(report);
  EXPECT_EQ(m.status, MeasurementStatus::kOk);
  EXPECT_THAT(*m.reason, HasSubstr("above what the device should do at best (2 units x 2.00 GHz x 64)"));
}

Report OneCard(std::uint16_t device, std::optional<std::string> architecture, std::uint32_t units,
               double clock_hz) {
  Report report;
  auto card = testing::Gpu("0000:01:00.0", "card", probe::DeviceKind::kDiscrete, 80);
  card.hardware->identity.ids = probe::PciIds{0x10de, device, {}, {}, {}};
  auto& view = testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete).device;
  view.architecture = std::move(architecture);
  if (units > 0) {
    view.compute_units = units;
    view.clock_max_hz = clock_hz;
  }
  report.devices.push_back(card);
  return report;
}

TEST(Peaks, OfACardComeFromItsUnitsAndFromTheDataSheet) {
  auto report = OneCard(0x2335, "sm_90", 132, 1.98e9);
  const auto& id = report.devices[0].id;
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 700e12, Dtype::kBf16);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 1400e12, Dtype::kInt8);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 50e12);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kRead, 4.5e12, Dtype::kU32);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kLaunch, 4e-6, Dtype::kU32);
  Judged(report);
  const auto share = [&](std::size_t i) { return report.measurements[i].share_of_peak; };
  EXPECT_NEAR(*share(0), 700e12 / (132 * 1.98e9 * 4096), 1e-9);
  EXPECT_NEAR(*share(1), 1400e12 / (132 * 1.98e9 * 8192), 1e-9);
  EXPECT_NEAR(*share(2), 50e12 / (132 * 1.98e9 * 256), 1e-9);
  EXPECT_NEAR(*share(3), 4.5 / 4.8, 1e-9);
  EXPECT_FALSE(share(4));
  auto sheet = OneCard(0x2335, std::nullopt, 0, 0);
  testing::Measure(sheet, id, "cuda", "NVIDIA", Kernel::kGemm, 494.5e12, Dtype::kFp16);
  EXPECT_NEAR(*Judged(sheet).share_of_peak, 0.5, 1e-9);
}

// A driver may count half of them: pairs, as AMD's does on RDNA.
TEST(Peaks, WhatTheDataSheetPromisesIsNoLieWhateverADriverCounts) {
  auto report = OneCard(0x2335, "sm_90", 66, 1.98e9);
  const auto& id = report.devices[0].id;
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 900e12, Dtype::kFp16);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 1500e12, Dtype::kFp16);
  EXPECT_EQ(Judged(report, 0).status, MeasurementStatus::kOk);
  EXPECT_THAT(*report.measurements[0].reason, HasSubstr("above what the device should do"));
  EXPECT_EQ(report.measurements[1].status, MeasurementStatus::kImplausible);
}

// One PCI id of several products, told apart by their revisions.
TEST(Peaks, OfAnotherProductOfTheSameIdAreABoundAlone) {
  const auto of = [](std::optional<std::uint32_t> revision, const char* name = "Radeon Graphics") {
    auto report = OneCard(0x73df, std::nullopt, 0, 0);
    report.devices[0].name = name;
    report.devices[0].hardware->identity.ids = probe::PciIds{0x1002, 0x73df, {}, {}, revision};
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 216e9, Dtype::kU32);
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 2e12, Dtype::kU32);
    Judged(report);
    return report.measurements;
  };
  EXPECT_NEAR(*of(0xc0)[0].share_of_peak, 216.0 / 432, 1e-9) << "an RX 6750 XT";
  EXPECT_NEAR(*of(0xc1)[0].share_of_peak, 216.0 / 384, 1e-9) << "an RX 6700 XT, with a row of its own";
  EXPECT_NEAR(*of(0xdf)[0].share_of_peak, 216.0 / 320, 1e-9) << "an RX 6700";
  EXPECT_NEAR(*of(std::nullopt)[0].share_of_peak, 216.0 / 432, 1e-9) << "nobody says which";
  EXPECT_NEAR(*of(std::nullopt, "AMD Radeon RX 6700 (RADV NAVI22)")[0].share_of_peak, 216.0 / 320, 1e-9);
  EXPECT_FALSE(of(std::nullopt, "AMD Radeon RX 6750 GRE 12GB")[0].share_of_peak) << "without a row, by name";
  EXPECT_NEAR(*of(std::nullopt, "gfx1031")[0].share_of_peak, 216.0 / 432, 1e-9)
      << "a chip's name is no product's";
  const auto other = of(0xd5);
  EXPECT_FALSE(other[0].share_of_peak) << "an RX 6750 GRE 12GB";
  EXPECT_EQ(other[1].status, MeasurementStatus::kImplausible);
  EXPECT_THAT(*other[1].reason, HasSubstr("(data sheet of Radeon RX 6750 XT"));
}

TEST(Peaks, GeForceSumsInFp32AtHalfTheRate) {
  for (const auto& [name, ops] :
       {std::pair("NVIDIA L40S", 1024.0), std::pair("NVIDIA GeForce RTX 4090", 512.0)}) {
    auto report = OneCard(0x0001, "sm_89", 128, 2.5e9);
    report.devices[0].name = name;
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kGemm, 100e12, Dtype::kFp16);
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kGemm, 100e12, Dtype::kFp16)
        .acc_dtype = Dtype::kFp16;
    Judged(report);
    EXPECT_NEAR(*report.measurements[0].share_of_peak, 100e12 / (128 * 2.5e9 * ops), 1e-9) << name;
    EXPECT_NEAR(*report.measurements[1].share_of_peak, 100e12 / (128 * 2.5e9 * 1024), 1e-9) << name;
  }
}

// Of int8 nobody tells what sm_103 and sm_110 do.
TEST(Peaks, ChipsWithTensorMemoryDo8192OperationsAClock) {
  for (const char* chip : {"sm_100", "sm_103", "sm_110"}) {
    auto report = OneCard(0x0001, chip, 20, 1.5e9);
    const auto& id = report.devices[0].id;
    for (const Kernel kernel : {Kernel::kGemm, Kernel::kChain}) {
      testing::Measure(report, id, "cuda", "NVIDIA", kernel, 100e12, Dtype::kBf16);
      testing::Measure(report, id, "cuda", "NVIDIA", kernel, 100e12, Dtype::kInt8);
    }
    Judged(report);
    for (const auto& m : report.measurements) {
      const bool known = m.in_dtype == Dtype::kBf16 || std::string_view(chip) == "sm_100";
      EXPECT_EQ(m.share_of_peak.has_value(), known) << chip;
      EXPECT_EQ(m.status, MeasurementStatus::kOk) << chip;
    }
    EXPECT_NEAR(*report.measurements[0].share_of_peak, 100e12 / (20 * 1.5e9 * 8192), 1e-9) << chip;
  }
}

// Of a vector engine and the matrix engine beside it: Arc A770, Max 1100, B580, Arc 140T; and a Meteor Lake,
// which has none.
TEST(Peaks, OfIntelsMatrixEnginesAreThoseOfTheReleaseOfTheHardware) {
  struct Row {
    const char* architecture;
    double units, clock_hz, fp16, bf16, int8;
  };
  for (const Row& row :
       {Row{"ip-12.55", 512, 2.1e9, 128, 128, 256}, Row{"ip-12.60", 448, 1.55e9, 512, 512, 1024},
        Row{"ip-20.1", 160, 2.85e9, 256, 256, 512}, Row{"ip-12.74", 128, 2.35e9, 128, 128, 256},
        Row{"ip-30.0", 96, 2.5e9, 256, 256, 512}, Row{"ip-12.71", 128, 2.35e9, 32, 16, 64}}) {
    auto report = OneCard(0x0001, row.architecture, static_cast<std::uint32_t>(row.units), row.clock_hz);
    for (const Dtype dtype : {Dtype::kFp16, Dtype::kBf16, Dtype::kInt8})
      testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kGemm, 1e12, dtype);
    Judged(report);
    const double unit = row.units * row.clock_hz;
    EXPECT_NEAR(*report.measurements[0].share_of_peak, 1e12 / (unit * row.fp16), 1e-9) << row.architecture;
    EXPECT_NEAR(*report.measurements[1].share_of_peak, 1e12 / (unit * row.bf16), 1e-9) << row.architecture;
    EXPECT_NEAR(*report.measurements[2].share_of_peak, 1e12 / (unit * row.int8), 1e-9) << row.architecture;
  }
}

TEST(Peaks, OfTheFirstMatrixCoresAreHalfAsHighInBf16) {
  auto report = OneCard(0x738c, "gfx908", 120, 1.502e9);
  for (const Dtype dtype : {Dtype::kFp16, Dtype::kBf16, Dtype::kInt8})
    testing::Measure(report, report.devices[0].id, "hip", "AMD", Kernel::kGemm, 50e12, dtype);
  Judged(report);
  EXPECT_NEAR(*report.measurements[0].share_of_peak, 50 / 184.6, 1e-3);
  EXPECT_NEAR(*report.measurements[1].share_of_peak, 50 / 92.3, 1e-3);
  EXPECT_NEAR(*report.measurements[2].share_of_peak, 50 / 184.6, 1e-3);
}

TEST(Peaks, EventsAHundredTimesTooFastAreRejected) {
  auto report = OneCard(0x2335, std::nullopt, 0, 0);
  testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 4.5e14, Dtype::kU32);
  EXPECT_EQ(Judged(report).status, MeasurementStatus::kImplausible);
}

// The fastest known of a kind stand for a device of which nobody knows what it can do.
TEST(Peaks, AnUnknownDeviceIsHeldAgainstTheFastestOfItsKind) {
  auto report = OneCard(0x0001, std::nullopt, 0, 0);
  const auto& id = report.devices[0].id;
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kRead, 300e12, Dtype::kU32);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 1e18, Dtype::kFp16);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kCopy, 20e12, Dtype::kU32);
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kTriad, 7e12, Dtype::kFp32);
  Judged(report);
  for (const auto& m : report.measurements) EXPECT_FALSE(m.share_of_peak) << "a bound is no peak";
  EXPECT_EQ(report.measurements[0].status, MeasurementStatus::kImplausible);
  EXPECT_THAT(*report.measurements[0].reason, HasSubstr("the fastest known of its kind"));
  EXPECT_EQ(report.measurements[1].status, MeasurementStatus::kImplausible);
  EXPECT_EQ(report.measurements[2].status, MeasurementStatus::kOk) << "the next generation may do it";
  EXPECT_THAT(*report.measurements[2].reason, HasSubstr("the fastest known of its kind"));
  EXPECT_FALSE(report.measurements[3].reason);
}

TEST(Peaks, AProcessorsMemoryHasABoundToo) {
  for (const double rate : {300e12, 8e12, 6e12}) {
    auto report = OneProcessor(std::nullopt);
    report.measurements[1].rate = rate;
    ASSERT_EQ(report.measurements[1].kernel, Kernel::kRead);
    Judged(report);
    EXPECT_EQ(report.measurements[1].status == MeasurementStatus::kImplausible, rate > 28e12) << rate;
    EXPECT_EQ(report.measurements[1].reason.has_value(), rate > 7e12) << rate;
  }
}

TEST(Peaks, AKnownCardIsNotHeldAgainstItsKind) {
  auto report = OneCard(0x2335, std::nullopt, 0, 0);
  testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 4.5e12, Dtype::kU32);
  EXPECT_FALSE(KindBoundOf(EmbeddedPeaks(), report.devices[0], report.measurements[0], report.measurements));
}

// Of a card that no table knows: from below the slowest known to the fastest of its kind.
TEST(Estimates, OfAnUnknownCardReachAsFarAsItsKind) {
  for (const KindPeak& kind : EmbeddedPeaks().kinds) {
    if (kind.kind == probe::DeviceKind::kCpu) continue;
    auto report = OneCard(0x0001, std::nullopt, 0, 0);
    report.devices[0].kind = kind.kind;
    report.devices[0].hardware->kernel_driver = "nvidia";
    const auto estimates = Estimated(EmbeddedPeaks(), testing::TestTables(), report);
    ASSERT_EQ(estimates.size(), 4U);
    for (const auto& m : estimates) {
      const auto of = [&](const auto& peak) {
        if (m.kernel == Kernel::kRead) return peak.memory;
        return m.in_dtype == Dtype::kFp32 ? peak.fp32 : peak.matrix16;
      };
      EXPECT_GE(*m.rate * (*m.ci95)[1], 0.5 * *of(kind)) << kind.name;
      for (const DevicePeak& known : EmbeddedPeaks().devices)
        EXPECT_LE(*m.rate * (*m.ci95)[0], of(known).value_or(*m.rate)) << known.name;
    }
  }
}

// Data sheets that tell fp32 alone: 16-bit products by what a unit does of both, by whatever name.
TEST(Estimates, OfMatrixUnitsFollowFromTheArchitecture) {
  const auto rate_of = [](std::uint16_t id, const char* architecture, const char* name, Dtype dtype) {
    auto report = OneCard(id, architecture, 0, 0);
    report.devices[0].name = name;
    report.devices[0].hardware->kernel_driver = "nvidia";
    for (const auto& m : Estimated(EmbeddedPeaks(), testing::TestTables(), report)) {
      if (m.kernel == Kernel::kGemm && m.in_dtype == dtype) return *m.rate;
    }
    return 0.0;
  };
  const auto usual = [](std::uint16_t id, const char* name) {
    auto report = OneCard(id, std::nullopt, 0, 0);
    report.devices[0].name = name;
    return FitOf(report.devices[0], "cuda")->usual.matrix16;
  };
  const double fp32 = 39.05e12;  // RTX 3090
  for (const char* name : {"NVIDIA GeForce RTX 3090", "RTX 3090"})
    EXPECT_NEAR(rate_of(0x2204, "sm_86", name, Dtype::kFp16), usual(0x2204, name) * 2 * fp32, 1e10) << name;
  const double professional = usual(0x2235, "NVIDIA A40");
  EXPECT_NEAR(rate_of(0x2235, "sm_86", "NVIDIA A40", Dtype::kFp16), professional * 149.7e12, 1e11);
  const char* volta = "Tesla V100-PCIE-32GB";
  EXPECT_NEAR(rate_of(0x1db6, "sm_70", volta, Dtype::kFp16), usual(0x1db6, volta) * 113e12, 1e11);
  EXPECT_NEAR(rate_of(0x1db6, "sm_70", volta, Dtype::kBf16), usual(0x1db6, volta) * 14.13e12, 1e10);
}

// And not those of a common GPU, nor as its own.
TEST(Estimates, OfAProductWithoutARowAreThoseOfTheLargestOfItsNumber) {
  auto report = OneCard(0x73df, "gfx1031", 0, 0);
  report.devices[0].hardware->kernel_driver = "amdgpu";
  for (const auto& [name, is_own] : {std::pair("RX 6750 GRE 12GB", false), {"RX 6750 XT", true}}) {
    report.devices[0].name = report.devices[0].views[0].device.name = name;
    report.devices[0].hardware->identity.ids = probe::PciIds{0x1002, 0x73df, {}, {}, {}};
    const auto estimates = Estimated(EmbeddedPeaks(), testing::TestTables(), report);
    const auto reads = std::find_if(estimates.begin(), estimates.end(),
                                    [](const auto& m) { return m.kernel == Kernel::kRead; });
    ASSERT_NE(reads, estimates.end()) << name;
    EXPECT_NEAR(*reads->rate, FitOf(report.devices[0], "vulkan")->usual.read * 432e9, 1) << name;
    EXPECT_EQ(reads->implementation == kStandIn, !is_own) << name;
    EXPECT_DOUBLE_EQ((*reads->ci95)[0], is_own ? 0.6 : 0.2) << name;
  }
}

// A GPU without a kernel driver of this machine, as the runtime shows it.
bool IsEstimated(std::string_view runtime, std::optional<probe::Outcome> survey,
                 std::string_view trouble = "", std::optional<std::string> virtualization = {}) {
  auto report = OneCard(0x2684, std::nullopt, 0, 0);
  report.devices[0].hardware.reset();
  report.devices[0].views[0].device.runtime = runtime;
  report.host.virtualization = std::move(virtualization);
  report.probes.push_back(testing::Probe(std::string(runtime), probe::Outcome::kOk, probe::Stage::kDone));
  if (survey) report.probes.push_back(testing::Probe("sysfs", *survey, probe::Stage::kDone));
  if (!trouble.empty()) report.probes.back().error = probe::Error{"", {}, std::string(trouble), ""};
  return !Estimated(EmbeddedPeaks(), testing::TestTables(), report).empty();
}

TEST(Estimates, OfAGpuThatNobodyCouldSeeAreMade) {
  using probe::Outcome;
  for (const char* runtime : {"cuda", "hip", "vulkan", "opencl"}) {
    EXPECT_TRUE(IsEstimated(runtime, Outcome::kOk, "", "wsl2")) << runtime << " in WSL, whose host has it";
    EXPECT_TRUE(IsEstimated(runtime, std::nullopt)) << runtime << " where nobody looked";
    EXPECT_TRUE(IsEstimated(runtime, Outcome::kNoDevice, "no_sysfs")) << runtime << " with an empty /sys";
    EXPECT_FALSE(IsEstimated(runtime, Outcome::kOk)) << runtime << " claims one and the bus has none";
    EXPECT_FALSE(IsEstimated(runtime, Outcome::kOk, "", "virtual machine")) << runtime;
    const bool of_its_maker = std::string_view(runtime) == "cuda" || std::string_view(runtime) == "hip";
    EXPECT_EQ(IsEstimated(runtime, Outcome::kNoDevice, "no_bus"), of_its_maker) << runtime;
  }
}

TEST(Estimates, OfAPartOfACardAreMadeWhereTheCardIsBacked) {
  for (const bool backed : {true, false}) {
    auto report = OneCard(0x2335, std::nullopt, 0, 0);
    report.probes.push_back(testing::Probe("sysfs", probe::Outcome::kOk, probe::Stage::kDone));
    auto part = report.devices[0];
    if (backed) report.devices[0].hardware->kernel_driver = "nvidia";
    report.devices[0].views.clear();
    part.parent_id = part.id;
    part.id += "#part";
    part.hardware.reset();
    report.devices.push_back(part);
    EXPECT_EQ(!Estimated(EmbeddedPeaks(), testing::TestTables(), report).empty(), backed);
  }
}

// A processor's own read, beside what a driver calls an MI300A's part, be it backed by a kernel driver or
// not.
double ReadBesideAChip(bool backed) {
  auto report = testing::Processor();
  report.probes.push_back(testing::Probe("sysfs", probe::Outcome::kOk, probe::Stage::kDone));
  auto chip = OneCard(0x2335, std::nullopt, 0, 0).devices.at(0);
  chip.kind = probe::DeviceKind::kIntegrated;
  chip.views.at(0).device.runtime = "vulkan";
  chip.views.at(0).device.identity.ids = probe::PciIds{0x1002, 0x74a0, {}, {}, {}};
  chip.hardware.reset();
  if (backed) {
    chip.hardware.emplace();
    chip.hardware->kernel_driver = "amdgpu";
  }
  report.devices.push_back(std::move(chip));
  for (const auto& m : Estimated(EmbeddedPeaks(), testing::TestTables(), report)) {
    if (m.device_id == "cpu:0" && m.kernel == Kernel::kRead) return m.rate.value_or(0);
  }
  return 0;
}

TEST(Estimates, OfAProcessorRestOnTheMemoryOfNoChipThatADriverMadeUp) {
  EXPECT_DOUBLE_EQ(ReadBesideAChip(true), 243e9);
  EXPECT_DOUBLE_EQ(ReadBesideAChip(false), 40e9);
}

bool IsDoubted(const Report& report) {
  const auto doubts = DoubtedRates(EmbeddedPeaks(), report);
  for (const Doubt& doubt : doubts) EXPECT_TRUE(doubt.fast && !doubt.refuted && !doubt.text.empty());
  return !doubts.empty();
}

TEST(DoubtedRates, OfWhatNoDeviceOfItsKindReaches) {
  for (const double rate : {7e12, 20e12}) {
    auto report = OneCard(0x0001, std::nullopt, 0, 0);
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, rate, Dtype::kU32);
    EXPECT_EQ(IsDoubted(report), rate > 8e12);
  }
}

// A known card's figures have its own peak.
TEST(DoubtedRates, OfNoKnownCard) {
  auto report = OneCard(0x2335, std::nullopt, 0, 0);
  testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 4e12, Dtype::kU32);
  testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kCopy, 0.5e12, Dtype::kU32);
  EXPECT_FALSE(IsDoubted(report));
}

TEST(DoubtedRates, OfReadsThatNoCopyComesNear) {
  for (const double copy : {90e9, 30e9}) {
    auto report = OneCard(0x0001, std::nullopt, 0, 0);
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kRead, 130e9, Dtype::kU32);
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kCopy, copy, Dtype::kU32);
    EXPECT_EQ(IsDoubted(report), copy == 30e9);
  }
}

TEST(DoubtedRates, OfWeightsThatComeFasterThanAnythingIsRead) {
  for (const double gemv : {1.9 * 130e9, 2.1 * 130e9}) {
    auto report = OneProcessor(std::nullopt);
    report.measurements[1].rate = 130e9;
    testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, gemv, Dtype::kQ4);
    EXPECT_EQ(IsDoubted(report), gemv > 2 * 130e9);
  }
}

// What is doubted may be the answer, but not with high confidence.
TEST(DoubtedRates, LowerConfidence) {
  auto report = testing::DiscreteAndIntegrated();
  for (auto& device : report.devices) {
    if (device.hardware) device.hardware->identity.ids.reset();
    for (auto& view : device.views) view.device.identity.ids.reset(), view.device.architecture.reset();
  }
  for (auto& m : report.measurements) {
    if (m.kernel == Kernel::kRead && m.runtime == "cuda") m.rate = 9e12;
  }
  ASSERT_EQ(testing::Decided(report).recommendations[0].confidence, Confidence::kHigh);
  report.doubts = DoubtedRates(EmbeddedPeaks(), report);
  const auto answer = testing::Decided(report).recommendations[0];
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_EQ(answer.confidence, Confidence::kMedium);
  EXPECT_THAT(answer.warnings, ::testing::Contains(HasSubstr("the fastest known of its kind")));
}

// Where no bus shows it.
TEST(Peaks, APartOfAChipHasItsRowByWhatItsRuntimeSaysAlone) {
  auto gpu = testing::Gpu("0000:05:00.0", "Apple M2", probe::DeviceKind::kIntegrated, 8);
  gpu.hardware.reset();
  gpu.views.resize(1);
  gpu.views[0].device.identity.ids = {
      .vendor = 0x106b, .device = 0, .subsystem_vendor = {}, .subsystem_device = {}, .revision = {}};
  const auto* row = FindPeak(EmbeddedPeaks(), gpu);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->name, "Apple M2");
}

// However few rows its maker has.
TEST(Peaks, ARowIsOfNoOtherChip) {
  auto gpu = testing::Gpu("0000:05:00.0", "VideoCore VI", probe::DeviceKind::kIntegrated, 8);
  gpu.hardware->identity.ids = {
      .vendor = 0x14e4, .device = 0x55701c33, .subsystem_vendor = {}, .subsystem_device = {}, .revision = {}};
  const auto rate = [&](const Peaks& peaks) {
    const auto* row = FindPeak(peaks, gpu);
    return row == nullptr ? 0 : row->fp32.value_or(0);
  };
  EXPECT_EQ(rate(EmbeddedPeaks()), 32e9);
  gpu.name = "VideoCore VII";
  EXPECT_EQ(rate(EmbeddedPeaks()), 128e9);
  Peaks only = EmbeddedPeaks();
  std::erase_if(only.parts, [](const DevicePeak& row) { return row.name != "VideoCore VII"; });
  EXPECT_EQ(rate(only), 128e9);
  for (const char* other : {"VideoCore VI", "Broadcom VideoCore GPU"}) {
    gpu.name = other;
    EXPECT_EQ(rate(only), 0) << other;
  }
}

TEST(Peaks, EveryRowHasItsSource) {
  const Peaks& peaks = EmbeddedPeaks();
  EXPECT_GT(peaks.devices.size(), 40U);
  for (const auto& row : peaks.devices) {
    EXPECT_FALSE(row.source.empty() || row.date.empty()) << row.name;
    EXPECT_TRUE(row.memory || row.fp32 || row.matrix16 || row.int8) << row.name;
  }
  EXPECT_FALSE(peaks.parts.empty());
  for (const auto& row : peaks.parts) EXPECT_FALSE(row.source.empty() || row.date.empty()) << row.name;
  for (const auto& row : peaks.units)
    EXPECT_FALSE(row.source.empty() || row.date.empty()) << row.architecture;
}

}  // namespace
}  // namespace report::peaks
