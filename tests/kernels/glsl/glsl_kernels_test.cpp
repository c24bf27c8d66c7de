// SPDX-License-Identifier: MIT
// Every kernel in GLSL that llvmpipe can run, those for GPUs included, against results computed here in fp64
// or exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cstring>
#include <memory>
#include <numeric>

#include "backends/core/plan.h"
#include "kernels/glsl/spirv.h"
#include "kernels/glsl/variants.h"
#include "kernels/operand.h"
#include "tests/backends/vulkan/vulkan_device.h"

namespace {

using backends::BufferId;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;

constexpr std::uint32_t kSeedA = 11;
constexpr std::uint32_t kSeedB = 22;

const std::vector<Variant>& AllVariants() {
  static const auto all = [] {
    auto variants = kernels::glsl::CpuVariants();
    for (Variant& variant : kernels::glsl::GpuVariants()) variants.push_back(std::move(variant));
    return variants;
  }();
  return all;
}

class GlslKernel : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    auto session = tests::OpenVulkan(tests::FindVulkanDevice());
    ASSERT_TRUE(session.ok()) << "mesa-vulkan-drivers is not installed or shows no device";
    session_ = *std::move(session);
    const std::string missing = backends::MissingFeature(Tested(), session_->limits());
    if (!missing.empty()) GTEST_SKIP() << "llvmpipe of this Mesa: " << missing;
  }
  [[nodiscard]] const Variant& Tested() const { return AllVariants()[GetParam()]; }

  // Bytes of the results of one run; operands are what `operands` holds by role, results are poisoned first.
  std::vector<std::byte> Run(const Problem& problem,
                             const std::vector<std::pair<Role, std::vector<float>>>& operands, Role result) {
    const Variant& variant = Tested();
    std::vector<std::pair<Role, BufferId>> buffers;
    std::uint64_t result_bytes = 0;
    std::vector<backends::Launch> launches;
    for (const kernels::Step& step : variant.steps) {
      const auto kernel = session_->Load(variant, step);
      EXPECT_TRUE(kernel.ok()) << probe::Describe(kernel.error());
      backends::Launch launch{*kernel, {}, step.shape(problem, session_->limits().shape)};
      for (const kernels::Binding& binding : step.bindings) {
        const std::uint64_t bytes =
            backends::BufferBytes(variant, binding.role, problem, session_->limits().shape);
        if (binding.role == result) result_bytes = bytes;
        launch.buffers.push_back({Buffer(binding, bytes, operands, buffers), binding.view});
      }
      launches.push_back(std::move(launch));
    }
    const auto timing = session_->Run(launches, 1);
    EXPECT_TRUE(timing.ok()) << probe::Describe(timing.error());
    std::vector<std::byte> out(result_bytes);
    for (const auto& [role, buffer] : buffers) {
      if (role != result) continue;
      EXPECT_TRUE(session_->Download(buffer, 0, out).ok());
    }
    return out;
  }

 private:
  BufferId Buffer(const kernels::Binding& binding, std::uint64_t bytes,
                  const std::vector<std::pair<Role, std::vector<float>>>& operands,
                  std::vector<std::pair<Role, BufferId>>& buffers) {
    for (const auto& [role, buffer] : buffers) {
      if (role == binding.role) return buffer;
    }
    const auto buffer = session_->Allocate({bytes, {binding.view}});
    EXPECT_TRUE(buffer.ok()) << probe::Describe(buffer.error());
    const std::byte first = binding.role == Role::kPartials ? std::byte{0} : std::byte{0xff};
    EXPECT_TRUE(session_->Upload(*buffer, 0, std::vector<std::byte>(bytes, first)).ok());
    for (const auto& [role, values] : operands) {
      if (role != binding.role) continue;
      EXPECT_TRUE(session_->Upload(*buffer, 0, std::as_bytes(std::span(values))).ok());
    }
    buffers.emplace_back(binding.role, *buffer);
    return *buffer;
  }

  std::unique_ptr<backends::Session> session_;
};

template <class T>
std::vector<T> As(const std::vector<std::byte>& bytes, std::size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  return values;
}

std::vector<float> Operand(std::uint32_t seed, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = kernels::OperandFp32(seed, static_cast<std::uint32_t>(i));
  return values;
}

// The operand's bits as floats, which is what buffers are filled with here.
std::vector<float> Bits(std::uint32_t seed, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::bit_cast<float>(kernels::OperandBits(seed, static_cast<std::uint32_t>(i)));
  }
  return values;
}

void CheckGemm(const Problem& p, const std::vector<float>& a, const std::vector<float>& b,
               const std::vector<float>& c) {
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t j = 0; j < p.n; ++j) {
      double expected = 0;
      for (std::size_t d = 0; d < p.k; ++d) expected += double{a[i * p.k + d]} * double{b[d * p.n + j]};
      ASSERT_NEAR(c[i * p.n + j], expected, 1e-4) << "row " << i << " column " << j;
    }
  }
}

TEST_P(GlslKernel, ComputesTheRightResult) {
  const Variant& variant = Tested();
  if (variant.kernel == Kernel::kFill) {
    constexpr std::uint32_t kCount = 8192 + 64;
    const auto bytes = Run({0, 0, 0, kCount, kSeedA}, {}, Role::kOut);
    const auto expected = variant.in == Dtype::kFp32 ? Operand(kSeedA, kCount) : Bits(kSeedA, kCount);
    EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), kCount * sizeof(float)), 0);
  } else if (variant.kernel == Kernel::kRead) {
    // An odd number of vectors, so that no unrolled turn comes out even.
    constexpr std::uint32_t kCount = 4 * 40009;
    const auto bytes = Run({0, 0, 0, kCount, 0}, {{Role::kIn, Bits(kSeedA, kCount)}}, Role::kPartials);
    const auto sums = As<std::uint32_t>(bytes, bytes.size() / 4);
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) expected += kernels::OperandBits(kSeedA, i);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U), expected);
  } else {
    ASSERT_EQ(variant.kernel, Kernel::kGemm);
    // Three different edges: a transposed operand or a swapped one can not pass.
    const Problem p{variant.multiple_m * 3, variant.multiple_n * 2, variant.multiple_k * 5, 0, 0};
    const auto a = Operand(kSeedA, std::size_t{p.m} * p.k);
    const auto b = Operand(kSeedB, std::size_t{p.k} * p.n);
    const auto bytes = Run(p, {{Role::kA, a}, {Role::kB, b}}, Role::kC);
    CheckGemm(p, a, b, As<float>(bytes, std::size_t{p.m} * p.n));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GlslKernel, ::testing::Range(std::size_t{0}, AllVariants().size()), [](const auto& instance) {
      const Variant& variant = AllVariants()[instance.param];
      std::string name(kernels::Row(variant.kernel).name);
      name.append("_").append(kernels::Row(variant.in).name).append("_").append(variant.name);
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name + "_" + std::to_string(instance.param);
    });

TEST(GlslVariants, SuitTheKindOfDevice) {
  const std::vector<std::string> cpu = {"cpu"};
  const std::vector<std::string> gpu = {"gpu"};
  EXPECT_EQ(kernels::glsl::Variants(cpu).size(), kernels::glsl::CpuVariants().size());
  EXPECT_EQ(kernels::glsl::Variants(gpu).size(), kernels::glsl::GpuVariants().size());
}

TEST(GlslVariants, HaveTheirWords) {
  for (const Variant& variant : AllVariants()) {
    for (const kernels::Step& step : variant.steps) {
      ASSERT_FALSE(step.code.empty()) << variant.name;
      EXPECT_EQ(step.code[0], 0x07230203U) << variant.name;
    }
  }
}

TEST(GlslVariants, UseEveryModule) {
  for (const kernels::glsl::Module& module : kernels::glsl::Modules()) {
    bool used = false;
    for (const Variant& variant : AllVariants()) {
      for (const kernels::Step& step : variant.steps) used = used || step.code.data() == module.words.data();
    }
    EXPECT_TRUE(used) << module.name;
  }
}

}  // namespace
