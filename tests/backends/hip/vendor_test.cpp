// SPDX-License-Identifier: MIT
// AMD's libraries: fakes that multiply on the host, called as the real ones are.
#include "backends/hip/vendor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
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
int runtime_version = 60241133;
std::vector<std::byte> device_memory;  // that there is, in one piece
int waits = 0;                         // for all that the device was given
int end = 0;                           // of the context, that they tell of
probe::hip::Api FakeRuntime() {
  probe::hip::Api api;
  api.hipRuntimeGetVersion = [](int* version) -> int { return *version = runtime_version, 0; };
  api.hipMalloc = [](void** pointer, std::size_t bytes) -> int {
    if (bytes > device_memory.size()) return *pointer = nullptr, 2;
    return *pointer = device_memory.data(), 0;
  };
  api.hipEventCreateWithFlags = [](probe::hip::HipEvent*, unsigned) -> int { return 0; };
  api.hipEventRecord = [](probe::hip::HipEvent, probe::hip::HipStream) -> int { return 0; };
  api.hipDeviceSynchronize = []() -> int { return ++waits, end; };
  api.hipEventElapsedTime = [](float* time, probe::hip::HipEvent, probe::hip::HipEvent) -> int {
    return *time = 1, 0;
  };
  return api;
}

class HipVendorTest : public testing::TestWithParam<std::string_view> {
 protected:
  HipVendorTest() {
    tree_.Directory("/lib");
    Install("/lib");
    tree_.Write(kernels() + "/TensileLibrary_lazy_gfx942.dat", "");
    environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.At("/lib"));
  }
  ~HipVendorTest() override {
    runtime_version = 60241133;
    device_memory.clear();
    end = 0;
  }
  // The library by its name there.
  void Install(const std::string& folder, const char* file = WHICHGPU_FAKE_AMD_BLAS) {
    tree_.Directory(folder);
    std::filesystem::copy_file(file, tree_.At(folder + "/" + std::string(vendor().sonames[0])));
  }
  [[nodiscard]] static std::string kernels() { return fmt::format("/lib/{}/library", vendor().folder); }
  [[nodiscard]] static const Vendor& vendor() {
    const auto vendors = Vendors();
    return *std::find_if(vendors.begin(), vendors.end(),
                         [](const Vendor& known) { return known.name == GetParam(); });
  }
  [[nodiscard]] probe::Result<stream::Products> Open(const std::string& architecture) {
    probe::RuntimeDevice facts;
    facts.architecture = architecture;
    runtime_.PrepareKernels(facts, probe::Error{"hiprtc", std::nullopt, "absent", ""}, architecture);
    return runtime_.OpenProducts(vendor().name, most_workspace_bytes_);
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

  std::uint64_t most_workspace_bytes_ = UINT64_MAX;
  probe::system::TemporaryTree tree_;
  probe::Result<FileSystem> files_ = FileSystem::Open("/");
  Environment environment_;
  HipRuntime runtime_{FakeRuntime(), {0}, *files_, environment_};
};

TEST_P(HipVendorTest, MultipliesAsTheReferenceDoes) {
  EXPECT_EQ((Multiply<float, float>("fp32/fp32")), "right");
  EXPECT_EQ((Multiply<std::int8_t, std::int32_t>("int8/int32")), "right");
}

// Of a GPU that others use it may take a part of what is free.
TEST_P(HipVendorTest, HasAWorkspaceOfOursWithinTheBound) {
  for (const std::size_t bytes : {8192U, 1024U}) {
    device_memory.assign(16384, std::byte{});
    most_workspace_bytes_ = bytes;
    const auto products = Open("gfx942");
    ASSERT_TRUE(products);
    EXPECT_EQ(products->workspace_bytes, bytes);
    EXPECT_EQ(products->unbounded, "");
    EXPECT_EQ((Multiply<float, float>("fp32/fp32")), "right") << "if by a slower way";
    if (GetParam() != "rocblas") continue;  // the other is handed it with each product
    EXPECT_EQ(device_memory[bytes - 1], std::byte{0x5a});
    EXPECT_EQ(device_memory[bytes], std::byte{});
  }
}

// rocBLAS then takes its own, of which nobody knows how much.
TEST_P(HipVendorTest, TakesNoWorkspaceThatIsNotThere) {
  const bool bounded = GetParam() != "rocblas";
  for (const std::uint64_t most : {UINT64_MAX, std::uint64_t{0}}) {
    most_workspace_bytes_ = most;
    const auto products = Open("gfx942");
    ASSERT_TRUE(products);
    EXPECT_EQ(products->workspace_bytes, 0U);
    EXPECT_EQ(products->unbounded.empty(), bounded);
    if (bounded) continue;
    EXPECT_THAT(products->unbounded, HasSubstr(most == 0 ? "none is left" : "hipMalloc"));
  }
}

TEST_P(HipVendorTest, SaysWhatItDoesNotSupport) {
  EXPECT_EQ((Multiply<std::uint16_t, float>("bf16/fp32")),
            GetParam() == "rocblas"
                ? "rocblas_gemm_ex: unimplemented (2): rocBLAS has no such product for this device"
                : "hipblasLtMatmulAlgoGetHeuristic: unimplemented (7): hipBLASLt has no such product for "
                  "this device");
}

// hipBLASLt, that is: of what it offers one algorithm does not run.
TEST_P(HipVendorTest, LooksForItsFastestWayOnceAndForNoneWhereAnyWillDo) {
  const auto products = Open("gfx942");
  ASSERT_TRUE(products);
  const std::vector<float> a(kRows * kDepth), b(kColumns * kDepth);
  std::vector<float> c(kRows * kColumns);
  const auto runs = [&](bool rough, int k = kDepth) {
    waits = 0;
    const stream::Product product{products->types[0], kRows,    kColumns, k,
                                  a.data(),           b.data(), c.data(), rough};
    EXPECT_TRUE(products->prepare(product));
    return waits;
  };
  const bool chooses = GetParam() == "hipblaslt";
  EXPECT_EQ(runs(true), chooses ? 2 : 0);
  EXPECT_EQ(runs(true), 0);
  EXPECT_EQ(runs(false), chooses ? 9 : 0);
  EXPECT_EQ(runs(true), 0);
  EXPECT_EQ(runs(false), 0);
  EXPECT_EQ(runs(false, kDepth - 1), chooses ? 9 : 0);
}

// What a library says after a kernel that faulted hides which one that was. rocBLAS chooses by itself.
TEST_P(HipVendorTest, TriesNoFurtherWayOnceTheContextHasEnded) {
  const auto products = Open("gfx942");
  ASSERT_TRUE(products);
  const std::vector<float> a(kRows * kDepth), b(kColumns * kDepth);
  std::vector<float> c(kRows * kColumns);
  waits = 0;
  end = 700;
  const auto enqueue =
      products->prepare({products->types[0], kRows, kColumns, kDepth, a.data(), b.data(), c.data()});
  const bool chooses = GetParam() == "hipblaslt";
  EXPECT_EQ(enqueue ? "" : probe::Describe(enqueue.error()).substr(0, 50),
            chooses ? "hipDeviceSynchronize: hipErrorIllegalAddress (700)" : "");
  EXPECT_EQ(waits, chooses ? 1 : 0);
}

TEST_P(HipVendorTest, IsNotCalledForATargetThatItHasNoKernelsFor) {
  tree_.Write(kernels() + "/TensileLibrary_lazy_gfx90a.dat", "");
  // Helpers of other kernels, alone.
  tree_.Write(kernels() + "/TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_fallback_gfx1036.hsaco",
              "");
  tree_.Write(kernels() + "/extop_gfx1036.co", "");
  EXPECT_TRUE(Open("gfx90a"));
  const auto refused = Open("gfx1036");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "no kernels");
  EXPECT_THAT(refused.error().text, HasSubstr("has kernels for gfx90a, gfx942, none for gfx1036"));
}

// As AMD's wheels leave it where those of the GPU were not installed: rocBLAS ends the process there.
TEST_P(HipVendorTest, IsNotCalledWithoutItsKernels) {
  std::filesystem::remove_all(tree_.At(kernels()));
  const auto missing = Open("gfx942");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("has kernels for no target, none for gfx942"));
  tree_.Directory(kernels());
  EXPECT_FALSE(Open("gfx942"));
}

TEST_P(HipVendorTest, TakesKernelsOfAWholeFamilyAndOfAFolderATarget) {
  tree_.Write(kernels() + "/TensileLibrary_lazy_gfx11-generic.dat", "");
  tree_.Write(kernels() + "/gfx1201/TensileLibrary_lazy_gfx1201.dat", "");
  EXPECT_TRUE(Open("gfx1102"));
  EXPECT_TRUE(Open("gfx1201"));
  EXPECT_FALSE(Open("gfx1200"));
  const std::string versioned = fmt::format("/lib/{}/4.2.0/library", vendor().folder);
  tree_.Write(versioned + "/TensileLibrary_lazy_gfx1200.dat", "");
  EXPECT_TRUE(Open("gfx1200"));
}

TEST_P(HipVendorTest, IsAskedOnlyOfTheReleasesThatItIsCalledAs) {
  runtime_version = 50731061;
  const auto products = Open("gfx942");
  EXPECT_EQ(products ? "" : products.error().name, GetParam() == "rocblas" ? "" : "too old");
  runtime_version = 40521061;
  const auto older = Open("gfx942");
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().text, GetParam() == "rocblas" ? "it is called as ROCm 5 and later have it"
                                                        : "it is called as ROCm 6 and later have it");
}

// Two prefixes and AMD's wheels: a library for each family of GPUs, beside the runtime's own package.
TEST_P(HipVendorTest, IsThatOfTheRuntimeWithKernelsForTheDevice) {
  environment_.Unset("WHICHGPU_LIBRARY_PATH");
  environment_.Set("ROCM_PATH", tree_.At("/opt/rocm-7"));
  environment_.Set("VIRTUAL_ENV", tree_.At("/venv"));
  const std::string packages = "/venv/lib/python3.12/site-packages/";
  const auto add = [&](const std::string& folder, const char* target) {
    Install(folder);
    tree_.Write(fmt::format("{}/{}/library/TensileLibrary_lazy_{}.dat", folder, vendor().folder, target), "");
  };
  add("/opt/rocm-7/lib", "gfx942");
  tree_.Write("/opt/rocm-7/lib/libamdhip64.so.7", "");
  add(packages + "_rocm_sdk_libraries_gfx94X_dcgpu/lib", "gfx942");
  add(packages + "_rocm_sdk_libraries_gfx110X_all/lib", "gfx1100");
  tree_.Write(packages + "_rocm_sdk_core/lib/libamdhip64.so.7", "");
  const auto of = [&](const std::string& runtime, const char* architecture) -> std::string {
    const probe::Library library{"libamdhip64.so.7", tree_.At(runtime), {}};
    const auto found = FindVendor(vendor(), library, architecture, *files_, environment_);
    return found ? found->info().path->substr(tree_.root().size()) : found.error().name;
  };
  const std::string wheel = packages + "_rocm_sdk_core/lib/libamdhip64.so.7";
  const std::string soname(vendor().sonames[0]);
  EXPECT_EQ(of(wheel, "gfx942"), packages + "_rocm_sdk_libraries_gfx94X_dcgpu/lib/" + soname);
  EXPECT_EQ(of(wheel, "gfx1100"), packages + "_rocm_sdk_libraries_gfx110X_all/lib/" + soname);
  EXPECT_EQ(of("/opt/rocm-7/lib/libamdhip64.so.7", "gfx942"), "/opt/rocm-7/lib/" + soname);
  EXPECT_EQ(of(wheel, "gfx1030"), "no kernels");
}

// What belongs to another ROCm brings that one's runtime along, which knows nothing of our memory.
TEST_P(HipVendorTest, OfAnotherRocmIsNotCalled) {
  std::filesystem::remove(tree_.At("/lib/" + std::string(vendor().sonames[0])));
  Install("/lib", WHICHGPU_FAKE_OTHER_BLAS);
  const auto in_a_child = [&] {
    const std::array<std::string_view, 1> kOwn = {WHICHGPU_FAKE_FIRST_RUNTIME};
    const auto own = probe::system::Library::Open(kOwn, {}, *files_, environment_);
    const auto products = Open("gfx942");
    const bool told = own && !products && products.error().name == "another ROCm" &&
                      products.error().text.find("libamdhip64.so.5") != std::string::npos;
    std::_Exit(told ? 0 : 1);
  };
  EXPECT_EXIT(in_a_child(), testing::ExitedWithCode(0), "");
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
  for (const char* name :
       {"/k/TensileLibrary_lazy_gfx942.dat", "/k/Kernels.so-000-gfx90a-xnack+.hsaco", "/k/gfx1201/x.co",
        "/k/hipblasltExtOpLibrary.dat", "/k/TensileLibrary_gfx11-generic.dat"}) {
    tree.Write(name, "");
  }
  const auto files = FileSystem::Open("/");
  EXPECT_THAT(CoveredTargets(*files, tree.At("/k")), ElementsAre("gfx11-generic", "gfx1201", "gfx942"));
  // Releases with one library for all targets.
  tree.Write("/old/TensileLibrary.dat", "");
  tree.Write("/old/Kernels.so-000-gfx90a-xnack+.hsaco", "");
  EXPECT_THAT(CoveredTargets(*files, tree.At("/old")), ElementsAre("gfx90a"));
  EXPECT_TRUE(CoveredTargets(*files, tree.At("/none")).empty());
}

}  // namespace
}  // namespace backends::hip
