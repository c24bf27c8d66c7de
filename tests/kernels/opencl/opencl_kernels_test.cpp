// SPDX-License-Identifier: MIT
// Every OpenCL kernel of every kind of device, computed by PoCL and compared with the definition in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <ostream>

#include "backends/core/operands.h"
#include "kernels/opencl/variants.h"
#include "kernels/operand.h"
#include "tests/backends/opencl/opencl_device.h"
#include "tests/kernels/opencl/intel_emulation.h"

namespace kernels {
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << Row(variant.kernel).name << ' ' << variant.name;
}
}  // namespace kernels

namespace {

using backends::BufferId;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;

constexpr std::uint32_t kSeedA = 11;
constexpr std::uint32_t kSeedB = 22;

std::vector<Variant> AllVariants() {
  std::vector<Variant> all;
  std::vector<std::vector<std::string>> devices = {{"gpu", "int8_dot"},
                                                   {"cpu"},
                                                   {"cpu", "lanes:4"},
                                                   {"cpu", "lanes:4", "lanes:8"},
                                                   {"cpu", "lanes:4", "lanes:8", "lanes:16"}};
  for (const auto& features : devices) {
    for (auto& variant : kernels::opencl::Variants(features)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Variant& other) {
        return other.name == variant.name && other.kernel == variant.kernel && other.in == variant.in &&
               other.steps.front().source == variant.steps.front().source;
      });
      if (!known) all.push_back(std::move(variant));
    }
  }
  return all;
}

std::vector<Variant> Of(Kernel kernel) {
  auto all = AllVariants();
  std::erase_if(all, [kernel](const Variant& variant) { return variant.kernel != kernel; });
  return all;
}

class OpenClKernels : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    const auto device = tests::FindOpenClDevice();
    ASSERT_FALSE(device.name.empty()) << "PoCL is not installed or shows no device";
    auto session = tests::OpenOpenCl(device);
    ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
    session_ = *std::move(session);
  }

  // A buffer for a role, 0xff in every byte.
  BufferId Allocate(std::uint64_t bytes) {
    const auto buffer = session_->Allocate({bytes, {}});
    EXPECT_TRUE(buffer.ok());
    const std::vector<std::byte> poison(bytes, std::byte{0xff});
    EXPECT_TRUE(session_->Upload(*buffer, 0, poison).ok());
    return *buffer;
  }
  template <class T>
  void Write(BufferId buffer, const std::vector<T>& values) {
    ASSERT_TRUE(session_->Upload(buffer, 0, std::as_bytes(std::span(values))).ok());
  }
  template <class T>
  std::vector<T> Read(BufferId buffer, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(session_->Download(buffer, 0, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }
  void Run(const Variant& variant, const Problem& problem, const std::map<Role, BufferId>& buffers) {
    std::vector<backends::Launch> launches;
    for (const auto& step : variant.steps) {
      const auto kernel = session_->Load(variant, step);
      ASSERT_TRUE(kernel.ok()) << probe::Describe(kernel.error());
      backends::Launch launch{*kernel, {}, step.shape(problem, session_->limits().shape)};
      for (const auto& binding : step.bindings) launch.buffers.push_back({buffers.at(binding.role)});
      launches.push_back(std::move(launch));
    }
    const auto timing = session_->Run(launches, 1);
    ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
  }

  std::unique_ptr<backends::Session> session_;
};

std::string Label(const testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.name + "_" + std::string(kernels::Row(info.param.in).name) + "_" +
                     std::to_string(info.index);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// The operand in double, and as it lies in memory.
std::vector<double> Operand(Dtype dtype, std::uint32_t seed, std::uint32_t count) {
  std::vector<double> values(count);
  const auto format = *backends::FormatOf(dtype);
  for (std::uint32_t i = 0; i < count; ++i)
    values[i] = format.scale * kernels::OperandInteger(seed, i, format.bits);
  return values;
}
std::vector<std::byte> Memory(Dtype dtype, std::uint32_t seed, std::uint32_t count) {
  std::vector<std::byte> bytes(std::size_t{count} * kernels::Row(dtype).bits / 8);
  EXPECT_TRUE(backends::WriteOperand(dtype, seed, 0, bytes));
  return bytes;
}

class OpenClFill : public OpenClKernels {};
TEST_P(OpenClFill, WritesTheOperandsAndNothingBeyond) {
  const auto& variant = GetParam();
  for (const std::uint32_t count : {1U, 15U, 16U, 1000U, 40001U}) {
    const auto expected = Memory(variant.in, kSeedA, count);
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
    const std::size_t writers = variant.partials_bytes(problem, session_->limits().shape) / 4;
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

std::uint32_t Up(std::uint32_t value, std::uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

class OpenClGemm : public OpenClKernels {
 protected:
  // For kernels that are meant for a GPU: a processor's compiler takes far longer over their work-groups than
  // computing by them takes.
  void CompileQuickly(Variant& variant) {
    options_ = std::string(variant.steps.back().options) + " -cl-opt-disable";
    for (auto& step : variant.steps) step.options = options_;
  }
  void Check(const Variant& variant, const Problem& p) {
    const auto a = Operand(variant.in, kSeedA, p.m * p.k);
    const auto b = Operand(variant.in, kSeedB, p.k * p.n);
    const std::uint64_t size = kernels::Row(variant.in).bits / 8;
    std::map<Role, BufferId> buffers = {{Role::kA, Allocate(a.size() * size)},
                                        {Role::kB, Allocate(b.size() * size)},
                                        {Role::kC, Allocate(std::uint64_t{p.m} * p.n * 4)}};
    if (variant.workspace_bytes != nullptr) {
      buffers[Role::kWorkspace] = Allocate(variant.workspace_bytes(p, session_->limits().shape));
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

 private:
  std::string options_;
};

TEST_P(OpenClGemm, IsTheProductForEveryMultipleOfItsTile) {
  Variant variant = GetParam();
  if (variant.steps.back().shape({128, 128, 128, 0, 0}, {}).local[0] > 1) CompileQuickly(variant);
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
    for (auto& variant : kernels::opencl::IntelVariants(features)) all.push_back(std::move(variant));
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

TEST(OpenClVariants, SuitTheDevice) {
  for (const auto& variant :
       kernels::opencl::Variants(std::vector<std::string>{"cpu", "lanes:4", "lanes:8"})) {
    EXPECT_EQ(variant.name.find("8x32"), std::string::npos) << "wider than the registers";
  }
  for (const Kernel kernel : {Kernel::kFill, Kernel::kGemm, Kernel::kRead}) {
    for (const auto* kind : {"cpu", "gpu"}) {
      const auto variants = kernels::opencl::Variants(std::vector<std::string>{kind});
      EXPECT_TRUE(std::any_of(variants.begin(), variants.end(),
                              [kernel](const Variant& variant) { return variant.kernel == kernel; }))
          << kind << " " << kernels::Row(kernel).name;
    }
  }
}

}  // namespace
