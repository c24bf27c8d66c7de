// SPDX-License-Identifier: MIT
// Every OpenCL kernel of every kind of device, computed by PoCL and compared with the definition in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <ostream>

#include "kernels/opencl/variants.h"
#include "kernels/operand.h"
#include "tests/backends/opencl/opencl_device.h"

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
  std::vector<std::vector<std::string>> devices = {{"gpu"},
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

class OpenClFill : public OpenClKernels {};
TEST_P(OpenClFill, WritesTheOperandsAndNothingBeyond) {
  const auto& variant = GetParam();
  for (const std::uint32_t count : {1U, 15U, 16U, 1000U, 40001U}) {
    const BufferId out = Allocate((count + 64) * 4ULL);
    Run(variant, {0, 0, 0, count, kSeedA}, {{Role::kOut, out}});
    const auto got = Read<std::uint32_t>(out, count + 64);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto expected = variant.in == Dtype::kFp32
                                ? std::bit_cast<std::uint32_t>(kernels::OperandFp32(kSeedA, i))
                                : kernels::OperandBits(kSeedA, i);
      ASSERT_EQ(got[i], expected) << "entry " << i << " of " << count;
    }
    for (std::uint32_t i = count; i < count + 64; ++i) ASSERT_EQ(got[i], 0xffffffffU) << "beyond " << count;
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

std::vector<float> Operand(std::uint32_t seed, std::uint32_t count) {
  std::vector<float> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = kernels::OperandFp32(seed, i);
  return values;
}

class OpenClGemm : public OpenClKernels {};
TEST_P(OpenClGemm, IsTheProductForEveryMultipleOfItsTile) {
  const auto& variant = GetParam();
  const auto up = [](std::uint32_t value, std::uint32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  // Unequal edges, more than one tile each way, a depth that is no multiple of any block where that is
  // allowed.
  for (const Problem& wanted :
       {Problem{1, 1, 1, 0, 0}, Problem{100, 40, 77, 0, 0}, Problem{72, 200, 531, 0, 0}}) {
    const Problem p{up(wanted.m, variant.multiple_m), up(wanted.n, variant.multiple_n),
                    up(wanted.k, variant.multiple_k), 0, 0};
    const auto a = Operand(kSeedA, p.m * p.k);
    const auto b = Operand(kSeedB, p.k * p.n);
    std::map<Role, BufferId> buffers = {{Role::kA, Allocate(a.size() * 4)},
                                        {Role::kB, Allocate(b.size() * 4)},
                                        {Role::kC, Allocate(std::uint64_t{p.m} * p.n * 4)}};
    if (variant.workspace_bytes != nullptr) {
      buffers[Role::kWorkspace] = Allocate(variant.workspace_bytes(p, session_->limits().shape));
    }
    Write(buffers[Role::kA], a);
    Write(buffers[Role::kB], b);
    Run(variant, p, buffers);
    const auto c = Read<float>(buffers[Role::kC], std::size_t{p.m} * p.n);
    double worst = 0;
    for (std::uint32_t i = 0; i < p.m; ++i) {
      std::vector<double> row(p.n, 0.0);
      for (std::uint32_t l = 0; l < p.k; ++l) {
        for (std::uint32_t j = 0; j < p.n; ++j) row[j] += double{a[i * p.k + l]} * double{b[l * p.n + j]};
      }
      for (std::uint32_t j = 0; j < p.n; ++j) {
        const double error = std::abs(row[j] - double{c[i * p.n + j]});
        worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
      }
    }
    // Rounding of k sums of products below 1.
    EXPECT_LE(worst, p.k * 0x1p-23) << p.m << " x " << p.n << " x " << p.k;
    for (const auto& [role, buffer] : buffers) session_->Release(buffer);
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, OpenClGemm, testing::ValuesIn(Of(Kernel::kGemm)), Label);

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
