// SPDX-License-Identifier: MIT
// Every kernel on the fake: module loaded, launched with its own arguments, result checked; and that a launch
// with others is found out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

#include "kernels/cuda/variants.h"
#include "tests/backends/core/compute.h"
#include "tests/backends/cuda/opened.h"

namespace kernels {
// For the tests' names.
void PrintTo(const Variant& variant, std::ostream* out);
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.steps[0].entry; }
}  // namespace kernels

namespace {

using kernels::Kernel;
using kernels::Variant;
using tests::Compute;
using tests::CudaMachine;
using tests::WithSession;
namespace machines = tests::machines;

std::string NameOf(const Variant& variant) {
  std::string name = std::string(variant.steps[0].entry) + "_" + variant.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

const std::vector<Variant>& Computing() {
  static const auto computing = [] {
    auto all = kernels::cuda::Variants();
    std::erase_if(all, [](const Variant& variant) { return variant.kernel == Kernel::kFill; });
    return all;
  }();
  return computing;
}

// The capability of a chip that takes the variant's code.
int ChipOf(const Variant& variant) {
  const auto needs = [&](std::string_view feature) {
    const auto& needed = variant.requires_features;
    return std::find(needed.begin(), needed.end(), feature) != needed.end();
  };
  if (needs("scaled_mma")) return 120;
  return needs("sm_100a") || needs("sm_100f") ? 100 : 90;
}

class CudaVariant : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] std::string Run(const Variant& variant) const {
    return WithSession(machine_, [&](backends::Session& session) {
      return Compute(session, kernels::cuda::Variants(), variant);
    });
  }

 private:
  CudaMachine machine_{machines::Of(machines::Gpu("GPU", 1, ChipOf(GetParam())))};
};

class CudaVariantOfBuffers : public CudaVariant {};
class CudaVariantOfBlocks : public CudaVariant {};
class CudaVariantOfBoxes : public CudaVariant {};

TEST_P(CudaVariant, IsVerified) { EXPECT_EQ(Run(GetParam()), "right"); }

// The first two buffers.
TEST_P(CudaVariantOfBuffers, WithSwappedArgumentsIsFoundOut) {
  Variant variant = GetParam();
  auto& bindings = variant.steps[0].bindings;
  std::swap(bindings[0], bindings[1]);
  EXPECT_NE(Run(variant), "right");
}

TEST_P(CudaVariantOfBlocks, WithTooFewBlocksIsFoundOut) {
  Variant variant = GetParam();
  variant.multiple_count *= 2;  // of a chain, which would be computed by one block otherwise
  variant.steps[0].geometry.tiles[0].each *= 2;
  EXPECT_NE(Run(variant), "right");
}

TEST_P(CudaVariantOfBoxes, OfAnotherSizeIsFoundOut) {
  Variant variant = GetParam();
  variant.steps[0].bindings[0].box_rows /= 2;
  EXPECT_THAT(Run(variant), testing::HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
}

// They are as many as there are multiprocessors or tiles, of pairs in whole ones.
TEST_P(CudaVariantOfBoxes, FillsTheDeviceWithBlocks) {
  const std::uint32_t cluster = GetParam().steps[0].geometry.groups_a_cluster;
  const auto blocks_on = [](std::uint32_t units, std::uint32_t edge = 8192) {
    return kernels::ShapeOf(GetParam().steps[0], {edge, edge, edge, 0, 0}, {units, 1024, 32}).groups;
  };
  using Groups = std::array<std::uint32_t, 3>;
  EXPECT_EQ(blocks_on(132), (Groups{132, 1, 1}));
  EXPECT_EQ(blocks_on(133), (Groups{133 / cluster * cluster, 1, 1}));
  EXPECT_EQ(blocks_on(1), (Groups{cluster, 1, 1}));
  EXPECT_EQ(blocks_on(132, 512), (Groups{4 * 512 / GetParam().multiple_n, 1, 1}));
}

bool HasBoxes(const Variant& variant) { return variant.steps[0].bindings[0].box_rows != 0; }
bool HasTwoBuffers(const Variant& variant) { return variant.steps[0].bindings.size() > 1; }
// Of the others any number of blocks does all of the work.
bool HasABlockForEachPart(const Variant& variant) {
  const bool stay = variant.steps[0].geometry.groups_a_unit != 0;
  return !stay && (variant.kernel == Kernel::kGemm || variant.kernel == Kernel::kGemv ||
                   variant.kernel == Kernel::kChain);
}
std::vector<Variant> Those(bool (*wanted)(const Variant&)) {
  std::vector<Variant> out;
  std::copy_if(Computing().begin(), Computing().end(), std::back_inserter(out), wanted);
  return out;
}
const auto kNameOf = [](const auto& tested) { return NameOf(tested.param); };
INSTANTIATE_TEST_SUITE_P(, CudaVariant, testing::ValuesIn(Computing()), kNameOf);
INSTANTIATE_TEST_SUITE_P(, CudaVariantOfBuffers, testing::ValuesIn(Those(HasTwoBuffers)), kNameOf);
INSTANTIATE_TEST_SUITE_P(, CudaVariantOfBoxes, testing::ValuesIn(Those(HasBoxes)), kNameOf);
INSTANTIATE_TEST_SUITE_P(, CudaVariantOfBlocks, testing::ValuesIn(Those(HasABlockForEachPart)), kNameOf);

// The products of that type which a chip of that capability is offered, computed on it: names, or what went
// wrong.
std::string ProductsOf(int capability, kernels::Dtype dtype) {
  const CudaMachine machine(machines::Of(machines::Gpu("GPU", 1, capability)));
  return WithSession(machine, [&](backends::Session& session) {
    std::string names;
    const auto all = backends::cuda::Describe().variants(session.limits());
    for (const Variant& variant : all) {
      const bool wanted = variant.kernel == Kernel::kGemm && variant.in == dtype &&
                          backends::MissingFeature(variant, session.limits()).empty();
      if (!wanted) continue;
      const std::string found = Compute(session, all, variant);
      names += (names.empty() ? "" : " ") + (found == "right" ? variant.name : found);
    }
    return names;
  });
}

TEST(CudaVariants, EveryChipIsOfferedTheInstructionsThatItHas) {
  using kernels::Dtype;
  EXPECT_EQ(ProductsOf(61, Dtype::kFp16), "");
  EXPECT_EQ(ProductsOf(70, Dtype::kFp16), "own:volta_mma_128x128 own:volta_mma_64x64");
  EXPECT_EQ(ProductsOf(75, Dtype::kFp16),
            "own:turing_mma_128x128 own:turing_mma_64x64 own:turing_mma_128x128");
  EXPECT_EQ(ProductsOf(75, Dtype::kInt8), "own:turing_mma_128x128 own:turing_mma_64x64");
  EXPECT_EQ(ProductsOf(86, Dtype::kInt8), "own:mma_128x128 own:mma_64x64");
  EXPECT_EQ(ProductsOf(86, Dtype::kFp8), "");
  EXPECT_EQ(ProductsOf(89, Dtype::kFp8), "own:mma_128x128 own:mma_64x64");
  EXPECT_EQ(ProductsOf(90, Dtype::kBf16),
            "own:mma_128x128 own:mma_64x64 own:wgmma_128x256 own:wgmma_128x128 own:wgmma_tma_128x256 "
            "own:wgmma_tma_128x128");
  EXPECT_EQ(ProductsOf(90, Dtype::kFp8),
            "own:wgmma_128x256 own:wgmma_128x128 own:wgmma_tma_128x256 own:wgmma_tma_128x128");
  EXPECT_EQ(ProductsOf(100, Dtype::kFp4), "");
  EXPECT_EQ(ProductsOf(120, Dtype::kFp8),
            "own:mma_128x128 own:mma_64x64 own:scaled_mma_128x128 own:scaled_mma_64x64");
  EXPECT_EQ(ProductsOf(121, Dtype::kFp4), "own:scaled_mma_128x128 own:scaled_mma_64x64");
}

TEST(CudaVariants, ChipsWithTensorMemoryAreOfferedIt) {
  using kernels::Dtype;
  const std::string by_warps = "own:mma_128x128 own:mma_64x64",
                    in_it = "own:umma_pair_256x256 own:umma_128x256 own:umma_128x128";
  for (const int chip : {100, 103, 110}) {
    const bool has_int8 = chip != 103;
    EXPECT_EQ(ProductsOf(chip, Dtype::kBf16), by_warps + " " + in_it) << chip;
    EXPECT_EQ(ProductsOf(chip, Dtype::kFp8), in_it) << chip;
    EXPECT_EQ(ProductsOf(chip, Dtype::kInt8), by_warps + (has_int8 ? " " + in_it : "")) << chip;
  }
  EXPECT_EQ(ProductsOf(101, Dtype::kBf16), by_warps) << "what older drivers take Thor for";
}

// How many kernels in tensor memory a chip loads with a driver that knows that version of PTX, or what went
// wrong.
std::string LoadedInTensorMemory(int chip, int ptx) {
  const CudaMachine machine(machines::Of(machines::Gpu("GPU", 1, chip),
                                         fmt::format(R"(, "attributes": {{"driver_ptx": {}}})", ptx)));
  return WithSession(machine, [](backends::Session& session) {
    int loaded = 0;
    for (const Variant& variant : backends::cuda::Describe().variants(session.limits())) {
      if (!variant.name.starts_with("own:umma_") ||
          !backends::MissingFeature(variant, session.limits()).empty())
        continue;
      const auto kernel = backends::Load(session, variant);
      if (!kernel) return variant.name + ": " + probe::Describe(kernel.error());
      ++loaded;
    }
    return std::to_string(loaded);
  });
}

// A module of another chip would be refused.
TEST(CudaVariants, ChipsWithTensorMemoryLoadModulesOfTheirOwn) {
  EXPECT_EQ(LoadedInTensorMemory(100, 90), "20");
  EXPECT_EQ(LoadedInTensorMemory(103, 90), "16");
  EXPECT_EQ(LoadedInTensorMemory(110, 90), "20");
}

TEST(CudaVariants, TheFirstDriversOfTensorMemoryRunAllItsKernels) {
  EXPECT_EQ(LoadedInTensorMemory(100, 87), "20") << "570 for B200";
  EXPECT_EQ(LoadedInTensorMemory(103, 88), "16") << "575 for B300";
}

TEST(CudaVariants, AsksForAllSharedMemoryWhereBlocksNeedIt) {
  const CudaMachine machine(
      machines::Of(R"({"name": "RTX 4090", "attributes": {"capability": 89, "least_shared_percent": 100}})"));
  const auto wanted = std::find_if(Computing().begin(), Computing().end(), [](const Variant& variant) {
    return variant.steps[0].entry == "gemm_fp16_128";
  });
  EXPECT_EQ(WithSession(machine,
                        [&](backends::Session& session) {
                          return Compute(session, kernels::cuda::Variants(), *wanted);
                        }),
            "right");
}

TEST(CudaVariants, ADeviceThatComputesWrongIsFoundOut) {
  for (const int chip : {90, 100, 120}) {
    for (const char* results : {"garbage", "nan", "zero"}) {
      const CudaMachine machine(
          machines::Of(machines::Gpu("GPU", 1, chip, fmt::format(R"(, "results": "{}")", results))));
      for (const Variant& variant : Computing()) {
        if (ChipOf(variant) != chip) continue;
        EXPECT_THAT(WithSession(machine,
                                [&](backends::Session& session) {
                                  return Compute(session, kernels::cuda::Variants(), variant);
                                }),
                    testing::StartsWith("wrong"))
            << results << " " << NameOf(variant);
      }
    }
  }
}

TEST(CudaVariants, ADeviceThatIsLostSaysSo) {
  const CudaMachine machine(machines::Of(machines::Gpu("H100", 1, 90, R"(, "lost_after_launches": 0)")));
  EXPECT_THAT(WithSession(machine,
                          [&](backends::Session& session) {
                            return Compute(session, kernels::cuda::Variants(), Computing()[0]);
                          }),
              testing::HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
}

TEST(CudaVariants, MemoryThatIsFullSaysSo) {
  const CudaMachine machine(machines::Of(machines::Gpu("H100", 1, 90, R"(, "memory_free_bytes": 100000)")));
  EXPECT_THAT(WithSession(machine,
                          [&](backends::Session& session) {
                            return Compute(session, kernels::cuda::Variants(), Computing()[0]);
                          }),
              testing::HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
}

}  // namespace
