// SPDX-License-Identifier: MIT
#include "tests/kernels/opencl/intel_emulation.h"
#include "tests/kernels/opencl/kernel_fixture.h"

namespace tests {
namespace {

std::uint32_t Up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

class OpenClGemm : public OpenClKernels {
 protected:
  void Check(const Variant& variant, const Problem& p) {
    const auto a = Operand(variant.in, kSeedA, p.m * p.k);
    const auto b = Operand(variant.in, kSeedB, p.k * p.n);
    const std::uint64_t size = kernels::Row(variant.in).bits / 8;
    std::map<Role, BufferId> buffers = {{Role::kA, Allocate(a.size() * size)},
                                        {Role::kB, Allocate(b.size() * size)},
                                        {Role::kC, Allocate(std::uint64_t{p.m} * p.n * 4)}};
    if (variant.workspace_bytes != nullptr) {
      buffers[Role::kWorkspace] = Allocate(variant.workspace_bytes(variant, p, session_->limits().shape));
    }
    Write(buffers[Role::kA], Memory(variant.in, kSeedA, p.m * p.k));
    Write(buffers[Role::kB], Memory(variant.in, kSeedB, p.k * p.n));
    Run(variant, p, buffers);
    const bool integer = variant.acc == Dtype::kInt32;
    const auto words = Read<std::uint32_t>(buffers[Role::kC], std::size_t{p.m} * p.n);
    double worst = 0;
    for (std::uint32_t i = 0; i < p.m; ++i) {
      std::vector<double> row(p.n, 0.0);
      for (std::uint32_t l = 0; l < p.k; ++l) {
        for (std::uint32_t j = 0; j < p.n; ++j) {
          row[j] += a[i * p.k + l] * (variant.b_transposed ? b[j * p.k + l] : b[l * p.n + j]);
        }
      }
      for (std::uint32_t j = 0; j < p.n; ++j) {
        const std::uint32_t word = words[i * p.n + j];
        const double got = integer ? std::bit_cast<std::int32_t>(word) : double{std::bit_cast<float>(word)};
        const double error = std::abs(row[j] - got);
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
      }
    }
    // Rounding of k sums of products below 1; integers are exact.
    EXPECT_LE(worst, integer ? 0.0 : p.k * 0x1p-23) << p.m << " x " << p.n << " x " << p.k;
    for (const auto& [role, buffer] : buffers) session_->Release(buffer);
  }
};

TEST_P(OpenClGemm, IsTheProductForEveryMultipleOfItsTile) {
  Variant variant = GetParam();
  CompileQuickly(variant);
  // Unequal edges, more than one tile each way, a depth that is no multiple of any block where that is
  // allowed.
  for (const Problem& wanted :
       {Problem{1, 1, 1, 0, 0}, Problem{100, 40, 77, 0, 0}, Problem{72, 200, 531, 0, 0}}) {
    Check(variant, {Up(wanted.m, variant.multiple_m), Up(wanted.n, variant.multiple_n),
                    Up(wanted.k, variant.multiple_k), 0, 0});
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClGemm, testing::ValuesIn(Of(Kernel::kGemm)), Label);

std::vector<Variant> AllIntel() {
  std::vector<Variant> all;
  for (const auto* subgroup : {"subgroup:8", "subgroup:16"}) {
    // bf16 differs from fp16 in the instruction's name alone.
    const std::vector<std::string> features = {subgroup, "matrix:fp16/fp32", "matrix:int8/int32"};
    for (auto& variant : kernels::opencl::MatrixVariants(features)) all.push_back(std::move(variant));
  }
  return all;
}

class OpenClIntelGemm : public OpenClGemm {};
TEST_P(OpenClIntelGemm, IsTheProductWhereTheInstructionsDoWhatTheirExtensionSays) {
  Variant variant = GetParam();
  const std::string source = tests::WithIntelEmulation(std::string(variant.steps.back().source));
  for (auto& step : variant.steps) step.source = source;
  CompileQuickly(variant);
  Check(variant, {2 * variant.multiple_m, 2 * variant.multiple_n, 3 * variant.multiple_k, 0, 0});
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClIntelGemm, testing::ValuesIn(AllIntel()), Label);

}  // namespace
}  // namespace tests
