// SPDX-License-Identifier: MIT
// Every kernel in GLSL that llvmpipe can run, those for GPUs included, against results computed here in fp64
// or exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "backends/core/operands.h"
#include "backends/core/shape.h"
#include "backends/core/stream_reference.h"
#include "kernels/glsl/spirv.h"
#include "kernels/glsl/variants.h"
#include "kernels/operand.h"
#include "tests/backends/core/verify_variant.h"
#include "tests/backends/vulkan/vulkan_device.h"
#include "tests/kernels/narrow_floats.h"

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

using Operands = std::vector<std::pair<Role, std::vector<std::byte>>>;

class GlslKernel : public ::testing::TestWithParam<std::size_t> {
 public:
  void SetUp() override {
    auto session = tests::OpenVulkan(tests::FindVulkanDevice());
    ASSERT_TRUE(session.ok()) << "mesa-vulkan-drivers is not installed or shows no device";
    session_ = *std::move(session);
    const std::string missing = backends::MissingFeature(Tested(), session_->limits());
    if (!missing.empty()) GTEST_SKIP() << "llvmpipe of this Mesa: " << missing;
  }
  [[nodiscard]] const Variant& Tested() const { return AllVariants()[GetParam()]; }

  // Bytes of the results of one run; operands are what `operands` holds by role, results are poisoned first.
  // Buffers whose size the plan does not know have `other_bytes`, or those of their operand.
  std::vector<std::byte> Run(const Problem& problem, const Operands& operands, Role result,
                             std::uint64_t other_bytes) {
    const Variant& variant = Tested();
    std::vector<std::pair<Role, BufferId>> buffers;
    std::uint64_t result_bytes = 0;
    std::vector<backends::Launch> launches;
    for (const kernels::Step& step : variant.steps) {
      const auto kernel = session_->Load(variant, step);
      EXPECT_TRUE(kernel.ok()) << probe::Describe(kernel.error());
      backends::Launch launch{*kernel, {}, kernels::ShapeOf(step, problem, session_->limits().shape)};
      for (const kernels::Binding& binding : step.bindings) {
        const std::uint64_t bytes = Bytes(binding.role, problem, operands, other_bytes);
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

  [[nodiscard]] const backends::Limits& limits() const { return session_->limits(); }
  [[nodiscard]] backends::Session& session() { return *session_; }

  void CheckFill();
  void CheckRead();
  void CheckCopy();
  void CheckTriad();
  void CheckGemv();
  void CheckChain();
  void CheckGemm();

 private:
  // With room for what runs over the end of an operand.
  [[nodiscard]] std::uint64_t Bytes(Role role, const Problem& problem, const Operands& operands,
                                    std::uint64_t other_bytes) const {
    const Variant& variant = Tested();
    if (role == Role::kPartials || role == Role::kC) {
      return backends::BufferBytes(variant, role, problem, session_->limits().shape);
    }
    std::uint64_t bytes = other_bytes;
    for (const auto& [known, content] : operands) {
      if (known == role) bytes = content.size();
    }
    return (bytes + 255) / 256 * 256;
  }

  BufferId Buffer(const kernels::Binding& binding, std::uint64_t bytes, const Operands& operands,
                  std::vector<std::pair<Role, BufferId>>& buffers) {
    for (const auto& [role, buffer] : buffers) {
      if (role == binding.role) return buffer;
    }
    const auto buffer = session_->Allocate({bytes, {binding.view}});
    EXPECT_TRUE(buffer.ok()) << probe::Describe(buffer.error());
    const std::byte first = binding.role == Role::kPartials ? std::byte{0} : std::byte{0xff};
    EXPECT_TRUE(session_->Upload(*buffer, 0, std::vector<std::byte>(bytes, first)).ok());
    for (const auto& [role, content] : operands) {
      if (role != binding.role) continue;
      EXPECT_TRUE(session_->Upload(*buffer, 0, content).ok());
    }
    buffers.emplace_back(binding.role, *buffer);
    return *buffer;
  }

  std::unique_ptr<backends::Session> session_;
};

std::vector<std::byte> Operand(Dtype dtype, std::uint32_t seed, std::size_t count) {
  std::vector<std::byte> bytes(count * kernels::Row(dtype).bits / 8);
  EXPECT_TRUE(backends::WriteOperand(dtype, seed, 0, bytes));
  return bytes;
}

std::vector<double> Values(Dtype dtype, std::uint32_t seed, std::size_t count) {
  const auto format = *backends::FormatOf(dtype);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = format.scale * kernels::OperandInteger(seed, static_cast<std::uint32_t>(i), format.bits);
  }
  return values;
}

template <class T>
T At(const std::vector<std::byte>& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

double Entry(Dtype dtype, const std::vector<std::byte>& bytes, std::size_t index) {
  if (dtype == Dtype::kFp16) return tests::FromHalf(At<std::uint16_t>(bytes, index));
  return dtype == Dtype::kInt32 ? At<std::int32_t>(bytes, index) : double{At<float>(bytes, index)};
}

// Of sums of at most 1000 terms, each below one.
double Tolerance(Dtype accumulator) {
  if (accumulator == Dtype::kFp16) return 0.1;
  return accumulator == Dtype::kInt32 ? 0 : 1e-4;
}

void CompareGemm(const Variant& variant, const Problem& p, const std::vector<std::byte>& c) {
  const auto a = Values(variant.in, kSeedA, std::size_t{p.m} * p.k);
  const auto b = Values(variant.in, kSeedB, std::size_t{p.k} * p.n);
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t j = 0; j < p.n; ++j) {
      double expected = 0;
      for (std::size_t d = 0; d < p.k; ++d) {
        expected += a[i * p.k + d] * b[variant.b_transposed ? j * p.k + d : d * p.n + j];
      }
      ASSERT_NEAR(Entry(variant.acc, c, i * p.n + j), expected, Tolerance(variant.acc))
          << "row " << i << " column " << j;
    }
  }
}

// Weights in 4 bits and the scales after them, as kernels/operand.h says.
std::vector<std::byte> Q4Operand(std::uint32_t seed, std::uint32_t count) {
  std::vector<std::byte> bytes(kernels::Q4Bytes(count));
  for (std::uint32_t i = 0; i < count / 8; ++i) {
    const std::uint32_t word = kernels::OperandBits(seed, i);
    std::memcpy(bytes.data() + i * sizeof(word), &word, sizeof(word));
  }
  for (std::uint32_t i = 0; i < count / 32; ++i) {
    const std::uint16_t scale = kernels::OperandQ4ScaleWord(seed, count / 32, i);
    std::memcpy(bytes.data() + count / 2 + i * sizeof(scale), &scale, sizeof(scale));
  }
  return bytes;
}

std::vector<std::byte> Weights(Dtype dtype, std::uint32_t seed, std::uint32_t count) {
  return dtype == Dtype::kQ4 ? Q4Operand(seed, count) : Operand(dtype, seed, count);
}
double Weight(Dtype dtype, std::uint32_t seed, std::uint32_t count, std::uint32_t index) {
  if (dtype == Dtype::kQ4) return kernels::OperandQ4(seed, count / 32, index);
  const auto format = *backends::FormatOf(dtype);
  return format.scale * kernels::OperandInteger(seed, index, format.bits);
}

void GlslKernel::CheckFill() {
  constexpr std::uint32_t kCount = 32 * 257;
  const auto expected = Weights(Tested().in, kSeedA, kCount);
  auto bytes = Run({0, 0, 0, kCount, kSeedA}, {}, Role::kOut, expected.size());
  bytes.resize(expected.size());
  EXPECT_EQ(bytes, expected);
}

// An odd number of vectors, so that no unrolled turn comes out even.
constexpr std::uint32_t kStream = 4 * 40009;

void GlslKernel::CheckRead() {
  const auto bytes =
      Run({0, 0, 0, kStream, 0}, {{Role::kIn, Operand(Dtype::kU32, kSeedA, kStream)}}, Role::kPartials, 0);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) sum += At<std::uint32_t>(bytes, i);
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < kStream; ++i) expected += kernels::OperandBits(kSeedA, i);
  EXPECT_EQ(sum, expected);
}

void GlslKernel::CheckCopy() {
  const auto in = Operand(Dtype::kU32, kSeedA, kStream);
  auto out = Run({0, 0, 0, kStream, 0}, {{Role::kIn, in}}, Role::kOut, in.size());
  out.resize(in.size());
  EXPECT_EQ(out, in);
}

void GlslKernel::CheckTriad() {
  const Dtype in = Tested().in;
  const std::uint32_t count = 40009 * Tested().multiple_count;
  const std::uint64_t bytes = backends::OperandBytes(in, count);
  auto out = Run({0, 0, 0, count, 0},
                 {{Role::kA, Operand(in, kSeedA, count)}, {Role::kB, Operand(in, kSeedB, count)}}, Role::kOut,
                 bytes);
  out.resize(bytes);
  backends::Verdict verdict;
  EXPECT_TRUE(backends::CheckTriad(in, kSeedA, kSeedB, 0, std::as_bytes(std::span(out)), verdict));
  EXPECT_TRUE(verdict.right) << verdict.reason;
}

void GlslKernel::CheckGemv() {
  const Dtype in = Tested().in;
  for (const Problem& p : {Problem{1, 0, 32, 0, 0}, Problem{37, 0, 160, 0, 0}, Problem{96, 0, 4128, 0, 0}}) {
    const std::uint32_t count = p.m * p.k;
    const auto weights = Weights(in, kSeedA, count);
    const auto y =
        Run(p, {{Role::kW, weights}, {Role::kX, Operand(Dtype::kFp32, kSeedB, p.k)}}, Role::kY, p.m * 4ULL);
    for (std::uint32_t i = 0; i < p.m; ++i) {
      double expected = 0;
      for (std::uint32_t d = 0; d < p.k; ++d) {
        expected += Weight(in, kSeedA, count, i * p.k + d) * double{kernels::OperandFp32(kSeedB, d)};
      }
      ASSERT_NEAR(At<float>(y, i), expected, p.k * 0x1p-22) << "row " << i << " of " << p.m << " x " << p.k;
    }
  }
}

void GlslKernel::CheckChain() {
  const Problem problem{0, 1, 3 * Tested().multiple_k, 5 * Tested().multiple_count, 0};
  const auto out = Run(problem, {}, Role::kOut, problem.count * 4ULL);
  for (std::uint32_t i = 0; i < problem.count; ++i) {
    ASSERT_EQ(At<float>(out, i), static_cast<float>(i % 8 + problem.k)) << i;
  }
}

void GlslKernel::CheckGemm() {
  const Variant& variant = Tested();
  // Three different edges: a transposed operand or a swapped one can not pass.
  const Problem p{variant.multiple_m * 3, variant.multiple_n * 2, variant.multiple_k * 5, 0, 0};
  const auto c = Run(p,
                     {{Role::kA, Operand(variant.in, kSeedA, std::size_t{p.m} * p.k)},
                      {Role::kB, Operand(variant.in, kSeedB, std::size_t{p.k} * p.n)}},
                     Role::kC, 0);
  CompareGemm(variant, p, c);
}

TEST_P(GlslKernel, ComputesTheRightResult) {
  struct Row {
    Kernel kernel;
    void (GlslKernel::*check)();
  };
  const Row rows[] = {{Kernel::kFill, &GlslKernel::CheckFill}, {Kernel::kRead, &GlslKernel::CheckRead},
                      {Kernel::kCopy, &GlslKernel::CheckCopy}, {Kernel::kTriad, &GlslKernel::CheckTriad},
                      {Kernel::kGemv, &GlslKernel::CheckGemv}, {Kernel::kChain, &GlslKernel::CheckChain},
                      {Kernel::kGemm, &GlslKernel::CheckGemm}};
  for (const Row& row : rows) {
    if (row.kernel == Tested().kernel) return (this->*row.check)();
  }
  FAIL() << "no check for " << kernels::Row(Tested().kernel).name;
}

TEST_P(GlslKernel, PassesTheReferenceUnlessOneElementIsWrong) {
  if (Tested().kernel == Kernel::kFill) GTEST_SKIP() << "fills are checked by what uses them";
  tests::ExpectVerified(session(), AllVariants(), Tested(), tests::LargeResult(Tested()));
}

INSTANTIATE_TEST_SUITE_P(All, GlslKernel, ::testing::Range(std::size_t{0}, AllVariants().size()),
                         [](const auto& instance) {
                           const Variant& variant = AllVariants()[instance.param];
                           std::string name =
                               instance.param < kernels::glsl::CpuVariants().size() ? "cpu_" : "gpu_";
                           name.append(kernels::Row(variant.kernel).name);
                           name.append("_")
                               .append(kernels::Row(variant.in).name)
                               .append("_")
                               .append(kernels::Row(variant.acc).name);
                           name.append("_").append(variant.name);
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
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

// What a device must offer for a module to be allowed, by its declarations.
std::set<std::string> NeedsOf(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t kOpExecutionMode = 16;
  constexpr std::uint32_t kOpCapability = 17;
  constexpr std::uint32_t kLocalSize = 17;
  static const std::map<std::uint32_t, std::string> features = {
      {9, "fp16"},        {4433, "fp16"},     {39, "int8"},   {6018, "int8_dot"},
      {6019, "int8_dot"}, {6022, "coopmat:"}, {5116, "bf16"}, {63, "subgroup_add"}};
  // Of every device, or of what brings a need of its own.
  static const std::set<std::uint32_t> of_all = {1, 46, 61, 5118, 5345};
  std::set<std::string> needs;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16U) {
    const std::uint32_t operation = words[at] & 0xffffU;
    if (operation == kOpCapability) {
      const auto feature = features.find(words[at + 1]);
      if (feature != features.end()) needs.insert(feature->second);
      if (feature == features.end() && !of_all.contains(words[at + 1])) {
        needs.insert("capability " + std::to_string(words[at + 1]));
      }
    } else if (operation == kOpExecutionMode && words[at + 2] == kLocalSize && words[at + 3] > 128) {
      needs.insert("group256");
    }
  }
  return needs;
}

TEST(GlslVariants, AskForWhatTheirModulesNeed) {
  for (const Variant& variant : AllVariants()) {
    for (const kernels::Step& step : variant.steps) {
      for (const std::string& need : NeedsOf(step.code)) {
        const auto& features = variant.requires_features;
        const bool asked = std::any_of(features.begin(), features.end(),
                                       [&](const std::string& feature) { return feature.starts_with(need); });
        EXPECT_TRUE(asked) << kernels::Row(variant.in).name << " " << variant.name << " needs " << need;
      }
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
