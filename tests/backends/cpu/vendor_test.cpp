// SPDX-License-Identifier: MIT
// The user's libraries: fakes that are right, wrong or no libraries at all, and the real ones where
// installed.
#include "backends/cpu/vendor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "backends/core/runner.h"
#include "backends/cpu/library_variants.h"
#include "kernels/cpu/cpu_kernel.h"
#include "kernels/cpu/quirks.h"
#include "kernels/operand.h"
#include "tests/probe/system/temporary_tree.h"

namespace backends::cpu {
Backend Describe();

namespace {

using kernels::Dtype;
using probe::system::Environment;
using probe::system::FileSystem;
using ::testing::Field;
using ::testing::HasSubstr;

class VendorTest : public ::testing::Test {
 protected:
  // As the newest BLIS, before any that is installed.
  void Install(const char* fake) {
    tree_.Directory("/lib");
    std::filesystem::copy_file(fake, tree_.At("/lib/libblis-mt.so.5"));
    environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.At("/lib"));
  }
  [[nodiscard]] OpenRequest Request() const {
    OpenRequest request{{}, std::nullopt, *files_, environment_};
    request.device.runtime = "cpu";
    request.device.kind = probe::DeviceKind::kCpu;
    return request;
  }
  // What is reported of BLIS.
  [[nodiscard]] std::vector<Measurement> MeasureBlis() const {
    const auto session = Describe().open(Request());
    std::vector<kernels::Variant> variants;
    for (auto& variant : LibraryVariants(Request())) {
      if (variant.name == "blis") variants.push_back(std::move(variant));
    }
    for (auto& variant : Describe().variants((*session)->limits())) {
      if (variant.kernel == kernels::Kernel::kFill) variants.push_back(std::move(variant));
    }
    MeasureRequest request;
    request.device = Request().device;
    request.budget_s = 2;
    request.scope = Scope::kLibraries;
    std::vector<Measurement> measurements;
    Measure(**session, variants, request, [&](const MeasureEvent& event) {
      if (const auto* measurement = std::get_if<Measurement>(&event)) measurements.push_back(*measurement);
    });
    return measurements;
  }

  probe::system::TemporaryTree tree_;
  probe::Result<FileSystem> files_ = FileSystem::Open("/");
  Environment environment_;
};

// c = a b of operands of one type, against the exact product; b's integers have half of their range if
// `half_b`.
void ExpectProduct(const Multiply& multiply, Dtype in, bool half_b = false) {
  constexpr std::uint32_t kM = 33, kN = 48, kK = 65;
  constexpr auto kOfA = std::size_t{kM} * kK, kOfB = std::size_t{kK} * kN, kOfC = std::size_t{kM} * kN;
  std::vector<float> a(kOfA), b(kOfB);
  std::vector<std::uint32_t> raw_a(kOfA), raw_b(kOfB), c(kOfC);
  const auto fill = [in](std::vector<float>& values, void* raw, std::uint32_t seed) {
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (in == Dtype::kFp32) static_cast<float*>(raw)[i] = values[i] = kernels::OperandFp32(seed, i);
      if (in == Dtype::kBf16) {
        values[i] = kernels::OperandBf16(seed, i);
        static_cast<std::uint16_t*>(raw)[i] = kernels::OperandBf16Word(seed, i);
      }
      if (in == Dtype::kInt8) values[i] = static_cast<std::int8_t*>(raw)[i] = kernels::OperandInt8(seed, i);
    }
  };
  fill(a, raw_a.data(), 1);
  fill(b, raw_b.data(), 2);
  for (std::uint32_t i = 0; half_b && in == Dtype::kInt8 && i < b.size(); ++i) {
    auto& raw = reinterpret_cast<std::int8_t*>(raw_b.data())[i];
    b[i] = raw = static_cast<std::int8_t>(raw / 2);
  }
  const auto status = multiply({in, kM, kN, kK, raw_a.data(), raw_b.data(), c.data()});
  if (!status && status.error().name == "unimplemented") GTEST_SKIP() << probe::Describe(status.error());
  ASSERT_TRUE(status.ok()) << probe::Describe(status.error());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    double exact = 0;
    for (std::uint32_t p = 0; p < kK; ++p)
      exact += static_cast<double>(a[i / kN * kK + p]) * static_cast<double>(b[p * kN + i % kN]);
    const double value = in == Dtype::kInt8 ? std::bit_cast<std::int32_t>(c[i])
                                            : static_cast<double>(std::bit_cast<float>(c[i]));
    ASSERT_NEAR(value, exact, in == Dtype::kInt8 ? 0 : 1e-4) << i;
  }
}

const Vendor& Named(std::string_view name) {
  for (const Vendor& vendor : Vendors()) {
    if (vendor.name == name) return vendor;
  }
  ADD_FAILURE() << name;
  return Vendors().front();
}

TEST_F(VendorTest, WhatIsNotInstalledIsNotMentioned) {
  const auto empty = FileSystem::Open(tree_.root());
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(LibraryVariants({{}, std::nullopt, *empty, environment_}).empty());
}

TEST_F(VendorTest, BothInterfacesGiveTheRowMajorProduct) {
  for (const char* fake : {WHICHGPU_FAKE_BLAS_RIGHT, WHICHGPU_FAKE_BLAS_FORTRAN}) {
    Install(fake);
    const auto loaded = LoadVendor(Named("blis"), 1, *files_, environment_);
    ASSERT_TRUE(loaded.ok()) << probe::Describe(loaded.error());
    ExpectProduct(loaded->multiply, Dtype::kFp32);
    EXPECT_EQ(loaded->library.path, tree_.At("/lib/libblis-mt.so.5"));
    std::filesystem::remove(tree_.At("/lib/libblis-mt.so.5"));
  }
}

TEST_F(VendorTest, ARightLibraryIsMeasuredAndVerified) {
  Install(WHICHGPU_FAKE_BLAS_RIGHT);
  const auto measurements = MeasureBlis();
  ASSERT_EQ(measurements.size(), 1U) << "the headline shape, no launches and transfers";
  EXPECT_EQ(measurements[0].implementation, "blis");
  EXPECT_EQ(measurements[0].kernel, kernels::Kernel::kGemm);
  EXPECT_EQ(measurements[0].status, MeasurementStatus::kOk) << measurements[0].reason.value_or("");
  EXPECT_TRUE(measurements[0].verified);
}

TEST_F(VendorTest, AWrongResultIsSeen) {
  Install(WHICHGPU_FAKE_BLAS_WRONG);
  EXPECT_THAT(MeasureBlis(),
              ::testing::ElementsAre(Field(&Measurement::status, MeasurementStatus::kWrongResult)));
}

TEST_F(VendorTest, Int8IsMultipliedOnlyWhereLibrariesAddItUpExactly) {
  const auto session = Describe().open(Request());
  const auto& features = (*session)->limits().features;
  const bool exact = std::find(features.begin(), features.end(), kInt8Dot) != features.end();
  EXPECT_EQ(exact, kernels::cpu::AddsInt8In32Bits());
  tree_.Directory("/lib");
  std::filesystem::copy_file(WHICHGPU_FAKE_BLAS_RIGHT, tree_.At("/lib/libdnnl.so.3"));
  environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.At("/lib"));
  for (const auto& variant : LibraryVariants(Request())) {
    const bool is_int8 = variant.in == Dtype::kInt8;
    EXPECT_EQ(variant.requires_features,
              is_int8 ? std::vector{std::string(kInt8Dot)} : std::vector<std::string>{});
  }
}

TEST_F(VendorTest, ALibraryWithoutTheProductSaysSo) {
  Install(WHICHGPU_FAKE_BLAS_NEITHER);
  const auto measurements = MeasureBlis();
  ASSERT_EQ(measurements.size(), 1U);
  EXPECT_EQ(measurements[0].status, MeasurementStatus::kFailed);
  EXPECT_EQ(measurements[0].stage, "compile");
  EXPECT_THAT(*measurements[0].reason, HasSubstr("neither cblas_sgemm nor sgemm_"));
}

TEST_F(VendorTest, WhatDoesNotLoadSaysWhy) {
  // A name that no library has: of others a second one may be installed, which is loaded then.
  static constexpr std::string_view kFiles[] = {"libwhichgpu-no-blas.so.1"};
  Vendor vendor = Named("blis");
  vendor.sonames = kFiles;
  tree_.Write("/lib/libwhichgpu-no-blas.so.1", "no library");
  environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.At("/lib"));
  ASSERT_TRUE(IsInstalled(vendor, *files_, environment_));
  const auto loaded = LoadVendor(vendor, 1, *files_, environment_);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(probe::Describe(loaded.error()), HasSubstr("libwhichgpu-no-blas.so.1"));
}

TEST_F(VendorTest, EveryLibraryGetsTheThreadsThatWeMayUse) {
  for (const Vendor& vendor : Vendors()) {
    for (const auto& variable : vendor.settings(environment_, 3).variables) {
      if (!variable.name.ends_with("_NUM_THREADS")) continue;
      EXPECT_EQ(variable.value, "3") << variable.name;
    }
  }
}

TEST_F(VendorTest, ACoreTypeThatCostsSpeedIsReplacedAndNamed) {
  const std::string_view isa = kernels::cpu::Best("gemm_fp32")->isa;
  if (isa != "avx512" && isa != "avx2") GTEST_SKIP() << "no core type is set for " << isa;
  const auto core_type = [&](const char* preset) {
    environment_.Set("OPENBLAS_CORETYPE", preset);
    std::string value = "kept";
    for (const auto& variable : Named("openblas").settings(environment_, 2).variables) {
      if (variable.name == "OPENBLAS_CORETYPE") value = variable.value;
    }
    return value;
  };
  const std::string best = isa == "avx512" ? "SkylakeX" : "Haswell";
  EXPECT_EQ(core_type("Nehalem"), best);
  EXPECT_THAT(Named("openblas").settings(environment_, 2).note,
              HasSubstr("the environment's Nehalem keeps OpenBLAS"));
  EXPECT_EQ(core_type(isa == "avx512" ? "cooperlake" : "zen"), "kept");
  EXPECT_EQ(Named("openblas").settings(environment_, 2).note, "");
  EXPECT_EQ(core_type(isa == "avx512" ? "Haswell" : "SkylakeX"), best);
}

// Without VNNI oneDNN adds two products of 255 and b in 16 bits, which saturate (its developer guide,
// "Nuances of int8 Computations").
bool Saturates(std::string_view vendor) {
  const std::string_view isa = kernels::cpu::Best("gemm_int8")->isa;
  return vendor == "onednn" && (isa == "avx512" || isa == "avx2" || isa == "sse4");
}

class InstalledTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(InstalledTest, MultipliesEveryTypeThatItNames) {
  const auto files = FileSystem::Open("/");
  const Environment environment = Environment::OfProcess();
  const Vendor& vendor = Named(GetParam());
  if (!IsInstalled(vendor, *files, environment)) GTEST_SKIP() << GetParam() << " is not installed";
  const auto loaded = LoadVendor(vendor, 2, *files, environment);
  ASSERT_TRUE(loaded.ok()) << probe::Describe(loaded.error());
  for (const Dtype in : vendor.types) {
    SCOPED_TRACE(kernels::Row(in).name);
    ExpectProduct(loaded->multiply, in, Saturates(vendor.name));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, InstalledTest, ::testing::Values("openblas", "mkl", "blis", "onednn"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace backends::cpu
