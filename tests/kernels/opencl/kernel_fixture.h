// SPDX-License-Identifier: MIT
// Every OpenCL kernel of every kind of device, computed by PoCL and compared with the definition in double:
// what the tests of each kernel share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "backends/core/operands.h"
#include "kernels/opencl/variants.h"
#include "kernels/operand.h"
#include "tests/backends/opencl/opencl_device.h"

namespace kernels {
inline void PrintTo(const Variant& variant, std::ostream* out) {
  *out << Row(variant.kernel).name << ' ' << variant.name;
}
}  // namespace kernels

namespace tests {

using backends::BufferId;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;

constexpr std::uint32_t kSeedA = 11;
constexpr std::uint32_t kSeedB = 22;

inline std::vector<Variant> AllVariants() {
  std::vector<Variant> all;
  std::vector<std::vector<std::string>> devices = {{"gpu", "int8_dot"},
                                                   {"cpu"},
                                                   {"cpu", "lanes:4"},
                                                   {"cpu", "lanes:4", "lanes:8"},
                                                   {"cpu", "lanes:4", "lanes:8", "prefetch"},
                                                   {"cpu", "lanes:4", "lanes:8", "lanes:16"}};
  for (const auto& features : devices) {
    for (auto& variant : kernels::opencl::Variants(features)) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Variant& other) {
        return other.name == variant.name && other.kernel == variant.kernel && other.in == variant.in &&
               other.steps.front().source == variant.steps.front().source &&
               other.steps.front().options == variant.steps.front().options;
      });
      if (!known) all.push_back(std::move(variant));
    }
  }
  return all;
}

inline std::vector<Variant> Of(Kernel kernel) {
  auto all = AllVariants();
  std::erase_if(all, [kernel](const Variant& variant) { return variant.kernel != kernel; });
  return all;
}

// All but the fills.
inline std::vector<Variant> Computing() {
  auto all = AllVariants();
  std::erase_if(all, [](const Variant& variant) { return variant.kernel == Kernel::kFill; });
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
    const auto& features = session_->limits().features;
    const auto& needed = GetParam().requires_features;
    const bool in_half = std::find(needed.begin(), needed.end(), "fp16") != needed.end();
    if (in_half && std::find(features.begin(), features.end(), "fp16") == features.end()) {
      GTEST_SKIP() << "this PoCL has no arithmetic in fp16";
    }
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
      backends::Launch launch{*kernel, {}, kernels::ShapeOf(step, problem, session_->limits().shape)};
      for (const auto& binding : step.bindings) launch.buffers.push_back({buffers.at(binding.role)});
      launches.push_back(std::move(launch));
    }
    const auto timing = session_->Run(launches, 1);
    ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
  }

  // Kernels that are meant for a GPU (then true) without optimisation: a processor's compiler takes far
  // longer over their work-groups than computing by them takes.
  bool CompileQuickly(Variant& variant) {
    const auto& last = variant.steps.back();
    if (last.geometry.threads[0] == 1) return false;
    options_ = std::string(last.options) + " -cl-opt-disable";
    for (auto& step : variant.steps) step.options = options_;
    return true;
  }

  std::unique_ptr<backends::Session> session_;

 private:
  std::string options_;
};

inline std::string Label(const testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.name + "_" + std::string(kernels::Row(info.param.in).name) + "_" +
                     std::to_string(info.index);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// The operand in double, and as it lies in memory.
inline std::vector<double> Operand(Dtype dtype, std::uint32_t seed, std::uint32_t count) {
  std::vector<double> values(count);
  const auto format = *backends::FormatOf(dtype);
  for (std::uint32_t i = 0; i < count; ++i)
    values[i] = format.scale * kernels::OperandInteger(seed, i, format.bits);
  return values;
}
inline std::vector<std::byte> Memory(Dtype dtype, std::uint32_t seed, std::uint32_t count) {
  std::vector<std::byte> bytes(std::size_t{count} * kernels::Row(dtype).bits / 8);
  EXPECT_TRUE(backends::WriteOperand(dtype, seed, 0, bytes));
  return bytes;
}

// Weights in 4 bits as kernels/operand.h lays them out: words of eight, then a scale for each 32.
inline std::vector<std::byte> Q4Memory(std::uint32_t seed, std::uint32_t weights) {
  std::vector<std::byte> bytes(std::size_t{weights} / 32 * 18);
  const std::uint32_t words = weights / 8;
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint32_t word = kernels::OperandBits(seed, i);
    std::memcpy(bytes.data() + i * 4ULL, &word, 4);
  }
  for (std::uint32_t i = 0; i < weights / 32; ++i) {
    const auto scale = static_cast<std::uint16_t>(8U << 10U | kernels::OperandBits(seed, words + i) >> 22U);
    std::memcpy(bytes.data() + words * 4ULL + i * 2ULL, &scale, 2);
  }
  return bytes;
}
inline std::vector<double> Q4Values(std::uint32_t seed, std::uint32_t weights) {
  std::vector<double> values(weights);
  const std::uint32_t words = weights / 8;
  for (std::uint32_t i = 0; i < weights; ++i) {
    const std::uint32_t block = i / 32;
    const std::uint32_t place = i % 32;
    const std::uint32_t word = kernels::OperandBits(seed, block * 4 + place % 16 / 4);
    const int bits = static_cast<int>(word >> (place % 4 * 8 + place / 16 * 4) & 15U);
    const double scale = std::ldexp(1.0 + (kernels::OperandBits(seed, words + block) >> 22U) * 0x1p-10, -7);
    values[i] = (bits - 8) * scale;
  }
  return values;
}

}  // namespace tests
