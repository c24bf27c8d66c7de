// SPDX-License-Identifier: MIT
// AMD's libraries: fakes that multiply on the host, called as the real ones are.
#include "backends/hip/vendor.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "backends/hip/hip_runtime.h"
#include "tests/probe/system/temporary_tree.h"

namespace backends::hip {
namespace {

using probe::system::Environment;
using probe::system::FileSystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kRows = 2, kColumns = 3, kDepth = 4;

// As much of the runtime as a library's choice of its algorithm needs.
probe::hip::Api FakeRuntime() {
  probe::hip::Api api;
  api.hipMalloc = [](void** pointer, std::size_t) -> int { return *pointer = nullptr, 2; };
  api.hipEventCreateWithFlags = [](probe::hip::HipEvent*, unsigned) -> int { return 0; };
  api.hipEventRecord = [](probe::hip::HipEvent, probe::hip::HipStream) -> int { return 0; };
  api.hipDeviceSynchronize = []() -> int { return 0; };
  api.hipEventElapsedTime = [](float* time, probe::hip::HipEvent, probe::hip::HipEvent) -> int {
    return *time = 1, 0;
  };
  return api;
}

class HipVendorTest : public testing::TestWithParam<std::string_view> {
 protected:
  HipVendorTest() {
    tree_.Directory("/lib");
    std::filesystem::copy_file(WHICHGPU_FAKE_AMD_BLAS, tree_.At("/lib/" + std::string(vendor().sonames[0])));
    environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.At("/lib"));
  }
  [[nodiscard]] static const Vendor& vendor() {
    const auto vendors = Vendors();
    return *std::find_if(vendors.begin(), vendors.end(),
                         [](const Vendor& known) { return known.name == GetParam(); });
  }
  [[nodiscard]] probe::Result<stream::Products> Open(const std::string& architecture) {
    probe::RuntimeDevice facts;
    facts.architecture = architecture;
    runtime_.PrepareKernels(facts, probe::Error{"hiprtc", std::nullopt, "absent", ""}, architecture);
    return runtime_.OpenProducts(vendor().name, UINT64_MAX);
  }
  // "right", or what went wrong with a product of small integers.
  template <class In, class Out>
  [[nodiscard]] std::string Multiply(const std::string& types) {
    std::vector<In> a(kRows * kDepth), b(kColumns * kDepth);
    std::iota(a.begin(), a.end(), In{1});
    std::iota(b.begin(), b.end(), static_cast<In>(-5));
    std::vector<Out> c(kRows * kColumns, Out{99});
    const auto products = Open("gfx942");
    if (!products) return probe::Describe(products.error());
    const auto type =
        std::find_if(products->types.begin(), products->types.end(), [&](const stream::ProductType& known) {
          return known.entry == std::string(vendor().name) + ":" + types;
        });
    const auto enqueue = products->prepare({*type, kRows, kColumns, kDepth, a.data(), b.data(), c.data()});
    if (!enqueue) return probe::Describe(enqueue.error());
    if (const auto status = (*enqueue)(); !status) return probe::Describe(status.error());
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        Out sum{};
        for (int k = 0; k < kDepth; ++k)
          sum +=
              static_cast<Out>(a.at(static_cast<std::size_t>(row) * kDepth + static_cast<std::size_t>(k))) *
              static_cast<Out>(b.at(static_cast<std::size_t>(column) * kDepth + static_cast<std::size_t>(k)));
        if (c.at(static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)) != sum)
          return "wrong";
      }
    }
    return "right";
  }

  probe::system::TemporaryTree tree_;
  probe::Result<FileSystem> files_ = FileSystem::Open("/");
  Environment environment_;
  HipRuntime runtime_{FakeRuntime(), {0}, *files_, environment_};
};

TEST_P(HipVendorTest, MultipliesAsTheReferenceDoes) {
  EXPECT_EQ((Multiply<float, float>("fp32/fp32")), "right");
  EXPECT_EQ((Multiply<std::int8_t, std::int32_t>("int8/int32")), "right");
}

TEST_P(HipVendorTest, SaysWhatItDoesNotSupport) {
  EXPECT_THAT((Multiply<std::uint16_t, float>("bf16/fp32")),
              testing::AnyOf(HasSubstr("not_implemented"), HasSubstr("NOT_SUPPORTED")));
}

TEST_P(HipVendorTest, IsNotCalledForATargetThatItHasNoKernelsFor) {
  const std::string folder = "/lib/" + std::string(vendor().kernels);
  tree_.Write(folder + "/TensileLibrary_lazy_gfx90a.dat", "");
  tree_.Write(folder + "/TensileLibrary_Type_HH_gfx1030.co", "");
  EXPECT_TRUE(Open("gfx90a"));
  const auto refused = Open("gfx1036");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "no kernels");
  EXPECT_THAT(refused.error().text, HasSubstr("has kernels for gfx1030, gfx90a, none for gfx1036"));
}

TEST_P(HipVendorTest, ReadsTheFolderThatTheUserNamed) {
  tree_.Write("/other/TensileLibrary_lazy_gfx1100.dat", "");
  environment_.Set(vendor().kernels_variable, tree_.At("/other"));
  EXPECT_FALSE(Open("gfx90a"));
  EXPECT_TRUE(Open("gfx1100"));
}

TEST_P(HipVendorTest, OffersVariantsOfWhatIsInstalled) {
  const auto variants = VendorVariants({{}, std::nullopt, *files_, environment_});
  const auto own = std::count_if(variants.begin(), variants.end(),
                                 [](const auto& variant) { return variant.name == GetParam(); });
  EXPECT_EQ(static_cast<std::size_t>(own), vendor().types.size());
  for (const auto& variant : variants) EXPECT_EQ(variant.steps[0].library, variant.name);
}

INSTANTIATE_TEST_SUITE_P(, HipVendorTest, testing::Values("rocblas", "hipblaslt"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(CoveredTargets, AreReadFromNamesAlone) {
  probe::system::TemporaryTree tree;
  for (const char* name : {"/k/TensileLibrary_lazy_gfx942.dat", "/k/Kernels.so-000-gfx90a-xnack+.hsaco",
                           "/k/gfx1201/x.co", "/k/hipblasltExtOpLibrary.dat"}) {
    tree.Write(name, "");
  }
  const auto files = FileSystem::Open("/");
  EXPECT_THAT(CoveredTargets(*files, tree.At("/k")), ElementsAre("gfx1201", "gfx90a", "gfx942"));
  EXPECT_TRUE(CoveredTargets(*files, tree.At("/none")).empty());
}

}  // namespace
}  // namespace backends::hip
