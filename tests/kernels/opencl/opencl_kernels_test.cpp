// SPDX-License-Identifier: MIT
#include "backends/core/stream_reference.h"
#include "tests/backends/core/verify_variant.h"
#include "tests/kernels/opencl/kernel_fixture.h"

namespace tests {
namespace {

class OpenClFill : public OpenClKernels {};
TEST_P(OpenClFill, WritesTheOperandsAndNothingBeyond) {
  const auto& variant = GetParam();
  for (const std::uint32_t count : {1U, 15U, 16U, 32U, 1000U, 6400U, 40001U}) {
    if (variant.in == Dtype::kQ4 && count % 32 != 0) continue;
    const auto expected =
        variant.in == Dtype::kQ4 ? Q4Memory(kSeedA, count) : Memory(variant.in, kSeedA, count);
    const BufferId out = Allocate(expected.size() + 64);
    Run(variant, {0, 0, 0, count, kSeedA}, {{Role::kOut, out}});
    const auto got = Read<std::byte>(out, expected.size() + 64);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << count << " entries";
    EXPECT_TRUE(std::all_of(got.end() - 64, got.end(), [](std::byte b) { return b == std::byte{0xff}; }))
        << "beyond " << count;
    session_->Release(out);
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClFill, testing::ValuesIn(Of(Kernel::kFill)), Label);

class OpenClRead : public OpenClKernels {};
TEST_P(OpenClRead, SumsEveryWordOnce) {
  const auto& variant = GetParam();
  for (const std::uint32_t units : {1U, 63U, 64U, 1001U, 30011U}) {
    const std::uint32_t count = units * variant.multiple_count;
    const Problem problem{0, 0, 0, count, 0};
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t i = 0; i < count; ++i) words[i] = kernels::OperandBits(kSeedA, i);
    const BufferId in = Allocate(count * 4ULL);
    Write(in, words);
    const std::size_t writers =
        kernels::ShapeOf(variant.steps[0], problem, session_->limits().shape).groups[0];
    const BufferId partials = Allocate(writers * 4);
    Write(partials, std::vector<std::uint32_t>(writers, 0));
    Run(variant, problem, {{Role::kIn, in}, {Role::kPartials, partials}});
    const auto sums = Read<std::uint32_t>(partials, writers);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U), std::accumulate(words.begin(), words.end(), 0U))
        << count;
    session_->Release(in);
    session_->Release(partials);
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClRead, testing::ValuesIn(Of(Kernel::kRead)), Label);

class OpenClCopy : public OpenClKernels {};
TEST_P(OpenClCopy, CopiesEveryWord) {
  const auto& variant = GetParam();
  for (const std::uint32_t units : {1U, 17U, 30011U}) {
    const std::uint32_t count = units * variant.multiple_count;
    const auto in = Memory(Dtype::kU32, kSeedA, count);
    const std::map<Role, BufferId> buffers = {{Role::kIn, Allocate(in.size())},
                                              {Role::kOut, Allocate(in.size() + 64)}};
    Write(buffers.at(Role::kIn), in);
    Run(variant, {0, 0, 0, count, 0}, buffers);
    const auto out = Read<std::byte>(buffers.at(Role::kOut), in.size() + 64);
    EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin())) << count;
    EXPECT_TRUE(std::all_of(out.end() - 64, out.end(), [](std::byte b) { return b == std::byte{0xff}; }));
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClCopy, testing::ValuesIn(Of(Kernel::kCopy)), Label);

class OpenClTriad : public OpenClKernels {};
TEST_P(OpenClTriad, AddsTheScaledOperand) {
  const auto& variant = GetParam();
  for (const std::uint32_t units : {1U, 17U, 30011U}) {
    const std::uint32_t count = units * variant.multiple_count;
    const std::uint64_t bytes = backends::OperandBytes(variant.in, count);
    const std::map<Role, BufferId> buffers = {
        {Role::kA, Allocate(bytes)}, {Role::kB, Allocate(bytes)}, {Role::kOut, Allocate(bytes + 64)}};
    Write(buffers.at(Role::kA), Memory(variant.in, kSeedA, count));
    Write(buffers.at(Role::kB), Memory(variant.in, kSeedB, count));
    Run(variant, {0, 0, 0, count, 0}, buffers);
    auto out = Read<std::byte>(buffers.at(Role::kOut), bytes + 64);
    EXPECT_TRUE(std::all_of(out.end() - 64, out.end(), [](std::byte b) { return b == std::byte{0xff}; }));
    out.resize(bytes);
    backends::Verdict verdict;
    EXPECT_TRUE(backends::CheckTriad(variant.in, kSeedA, kSeedB, 0, out, verdict));
    EXPECT_TRUE(verdict.right) << verdict.reason << " of " << count;
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClTriad, testing::ValuesIn(Of(Kernel::kTriad)), Label);

class OpenClGemv : public OpenClKernels {};
TEST_P(OpenClGemv, IsTheProduct) {
  const auto& variant = GetParam();
  const bool q4 = variant.in == Dtype::kQ4;
  for (const Problem& p : {Problem{1, 0, 32, 0, 0}, Problem{37, 0, 160, 0, 0}, Problem{100, 0, 4128, 0, 0}}) {
    const auto w = q4 ? Q4Values(kSeedA, p.m * p.k) : Operand(variant.in, kSeedA, p.m * p.k);
    const auto x = Operand(Dtype::kFp32, kSeedB, p.k);
    const auto memory = q4 ? Q4Memory(kSeedA, p.m * p.k) : Memory(variant.in, kSeedA, p.m * p.k);
    const std::map<Role, BufferId> buffers = {{Role::kW, Allocate(memory.size())},
                                              {Role::kX, Allocate(p.k * 4ULL)},
                                              {Role::kY, Allocate(p.m * 4ULL)}};
    Write(buffers.at(Role::kW), memory);
    Write(buffers.at(Role::kX), Memory(Dtype::kFp32, kSeedB, p.k));
    Run(variant, p, buffers);
    const auto y = Read<float>(buffers.at(Role::kY), p.m);
    for (std::uint32_t i = 0; i < p.m; ++i) {
      double sum = 0;
      for (std::uint32_t l = 0; l < p.k; ++l) sum += w[i * p.k + l] * x[l];
      ASSERT_LE(std::abs(sum - double{y[i]}), p.k * 0x1p-23) << "row " << i << " of " << p.m << " x " << p.k;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClGemv, testing::ValuesIn(Of(Kernel::kGemv)), Label);

class OpenClChain : public OpenClKernels {};
TEST_P(OpenClChain, GoesEveryStep) {
  const auto& variant = GetParam();
  const Problem problem{0, 1, 3 * variant.multiple_k, 5 * variant.multiple_count, 0};
  const BufferId out = Allocate(problem.count * 4ULL);
  Run(variant, problem, {{Role::kOut, out}});
  const auto got = Read<float>(out, problem.count);
  for (std::uint32_t i = 0; i < problem.count; ++i) {
    ASSERT_EQ(got[i], static_cast<float>(i % 8 + problem.k)) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClChain, testing::ValuesIn(Of(Kernel::kChain)), Label);

class OpenClReference : public OpenClKernels {};
TEST_P(OpenClReference, PassesUnlessOneElementIsWrong) {
  Variant variant = GetParam();
  CompileQuickly(variant);
  ExpectVerified(*session_, Of(Kernel::kFill), variant, LargeResult(variant));
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClReference, testing::ValuesIn(Computing()), Label);

TEST(OpenClVariants, SuitTheDevice) {
  for (const auto& variant :
       kernels::opencl::Variants(std::vector<std::string>{"cpu", "lanes:4", "lanes:8"})) {
    EXPECT_EQ(variant.name.find("6x64"), std::string::npos) << "wider than the registers";
  }
  for (const Kernel kernel : {Kernel::kFill, Kernel::kGemm, Kernel::kRead, Kernel::kCopy, Kernel::kTriad,
                              Kernel::kGemv, Kernel::kChain}) {
    for (const auto* kind : {"cpu", "gpu"}) {
      const auto variants = kernels::opencl::Variants(std::vector<std::string>{kind});
      EXPECT_TRUE(std::any_of(variants.begin(), variants.end(),
                              [kernel](const Variant& variant) { return variant.kernel == kernel; }))
          << kind << " " << kernels::Row(kernel).name;
    }
  }
}

TEST(OpenClVariants, AskForWhatTheyNeed) {
  for (const auto& variant : kernels::opencl::Variants(std::vector<std::string>{"gpu"})) {
    EXPECT_FALSE(variant.name.starts_with("own:dot") || variant.name.starts_with("own:xmx")) << variant.name;
    if (variant.acc == Dtype::kFp16 && variant.kernel == Kernel::kGemm) {
      EXPECT_THAT(variant.requires_features, testing::Contains("fp16")) << variant.name;
    }
  }
}

}  // namespace
}  // namespace tests
