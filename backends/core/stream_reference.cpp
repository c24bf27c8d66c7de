// SPDX-License-Identifier: MIT
#include "backends/core/stream_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backends/core/operands.h"
#include "backends/core/parallel.h"
#include "kernels/cpu/cpu_kernel.h"
#include "probe/core/text.h"

namespace backends {
namespace {

using kernels::Dtype;

constexpr double kMaxExactFp32 = 0x1p24;
constexpr std::uint32_t kStarts = 8;  // accumulator i of a chain starts at i mod 8

template <class T>
void CheckChainOf(double total, std::uint32_t first, std::span<const std::byte> got, Verdict& verdict) {
  for (std::size_t i = 0; i < got.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, got.data() + i * sizeof(T), sizeof(T));
    const double expected = total + static_cast<double>((first + i) % kStarts);
    if (static_cast<double>(value) == expected) continue;
    verdict.Fail("accumulator " + std::to_string(first + i) + " is " +
                 probe::SignificantText(static_cast<double>(value), 9) + ", not " +
                 probe::SignificantText(expected, 9));
    return;
  }
}

template <class T>
void CheckTriadPart(Dtype dtype, std::uint32_t seed_a, std::uint32_t seed_b, std::uint32_t first,
                    std::span<const std::byte> got, Verdict& verdict) {
  constexpr std::size_t kPiece = 4096;
  const double tolerance = 8 * UnitRoundoff(dtype).value_or(0);
  std::array<T, kPiece> a, b, own;
  for (std::size_t at = 0; at < got.size() / sizeof(T); at += kPiece) {
    const std::size_t count = std::min(kPiece, got.size() / sizeof(T) - at);
    const auto begin = first + static_cast<std::uint32_t>(at);
    (void)WriteOperand(dtype, seed_a, begin, std::as_writable_bytes(std::span(a).first(count)));
    (void)WriteOperand(dtype, seed_b, begin, std::as_writable_bytes(std::span(b).first(count)));
    std::memcpy(own.data(), got.data() + at * sizeof(T), count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      const double expected =
          static_cast<double>(a[i]) + double{kernels::kTriadFactor} * static_cast<double>(b[i]);
      const double found = static_cast<double>(own[i]), error = std::abs(found - expected);
      if (error <= tolerance) {
        verdict.max_relative_error = std::max(verdict.max_relative_error, error);
      } else {
        verdict.Fail("element " + std::to_string(first + at + i) + " is " + probe::SignificantText(found, 6) +
                     ", not " + probe::SignificantText(expected, 6));
        return;
      }
    }
  }
}

struct TriadRow {
  Dtype dtype;
  void (*check)(Dtype, std::uint32_t, std::uint32_t, std::uint32_t, std::span<const std::byte>, Verdict&);
};
constexpr std::array kTriadRows = {TriadRow{Dtype::kFp32, CheckTriadPart<float>},
                                   TriadRow{Dtype::kFp16, CheckTriadPart<Half>}};

// x as kernels::Variant::x_in_8_bits says: fp32 by fp32, for the kernel's numbers must be met exactly.
void RoundTo8Bits(std::span<double> x) {
  constexpr std::size_t kBlock = kernels::kQ4Block;
  for (std::size_t first = 0; first < x.size(); first += kBlock) {
    const auto block = x.subspan(first, std::min(kBlock, x.size() - first));
    float largest = 0;
    for (const double value : block) largest = std::max(largest, std::abs(static_cast<float>(value)));
    const float scale = largest / 127.0F;
    const float inverse = largest > 0 ? 127.0F / largest : 0.0F;
    for (double& value : block) {
      const float scaled = static_cast<float>(value) * inverse;
      value = double{std::nearbyint(scaled)} * double{scale};
    }
  }
}

// Weights in blocks: how the vector is arranged and a part of the matrix multiplied by it.
struct BlockRow {
  Dtype dtype;
  std::vector<double> (*arrange)(std::span<const double>);
  double (*weigh)(const kernels::cpu::WeighBlocksRequest&, std::span<const double>);
};
constexpr std::array kBlockRows = {BlockRow{Dtype::kQ4, kernels::cpu::Q4Planes, kernels::cpu::WeighQ4},
                                   BlockRow{Dtype::kQ8, kernels::cpu::Q8Planes, kernels::cpu::WeighQ8}};

const BlockRow* InBlocks(Dtype dtype) {
  for (const BlockRow& row : kBlockRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

Verdict CheckSum(std::uint32_t seed, std::uint32_t count, std::span<const std::uint32_t> partials) {
  constexpr unsigned kParts = 8;
  std::array<std::uint32_t, kParts> sums{};
  InParallel(kParts, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      sums[i] = kernels::cpu::OperandChecksum(seed, count, static_cast<unsigned>(i), kParts);
    }
  });
  const std::uint32_t expected = std::accumulate(sums.begin(), sums.end(), 0U);
  const std::uint32_t got = std::accumulate(partials.begin(), partials.end(), 0U);
  Verdict verdict;
  if (got != expected) {
    verdict.Fail("the sum of the words read is " + std::to_string(got) + ", not " + std::to_string(expected));
  }
  return verdict;
}

void CheckCopy(Dtype dtype, std::uint32_t seed, std::uint32_t first, std::span<const std::byte> got,
               Verdict& verdict) {
  const std::size_t element_bytes = std::max(kernels::Row(dtype).bits / 8U, 1U);
  CheckInParallel(
      got.size() / element_bytes, 4096, verdict, [&](std::uint64_t begin, std::uint64_t end, Verdict& part) {
        const auto own = got.subspan(begin * element_bytes, (end - begin) * element_bytes);
        const auto own_first = first + static_cast<std::uint32_t>(begin);
        std::array<std::byte, 16384> expected;  // a multiple of every element
        for (std::size_t at = 0; at < own.size() && part.right; at += expected.size()) {
          const auto got_here = own.subspan(at, std::min(expected.size(), own.size() - at));
          const auto here = std::span(expected).first(got_here.size());
          const auto here_first = own_first + static_cast<std::uint32_t>(at / element_bytes);
          if (!WriteOperand(dtype, seed, here_first, here)) {
            part.Fail("copies of this type can not be checked");
          } else if (std::memcmp(got_here.data(), here.data(), here.size()) != 0) {
            const auto wrong =
                std::mismatch(got_here.begin(), got_here.end(), here.begin()).first - got_here.begin();
            part.Fail("byte " + std::to_string(wrong) + " after element " + std::to_string(here_first) +
                      " differs");
          }
        }
      });
}

probe::Status CheckTriad(Dtype dtype, std::uint32_t seed_a, std::uint32_t seed_b, std::uint32_t first,
                         std::span<const std::byte> got, Verdict& verdict) {
  const auto row = std::find_if(kTriadRows.begin(), kTriadRows.end(),
                                [&](const TriadRow& known) { return known.dtype == dtype; });
  if (row == kTriadRows.end()) {
    return probe::Error{"verify", std::nullopt, "no reference",
                        "triads in " + std::string(kernels::Row(dtype).name) + " can not be checked"};
  }
  const std::size_t width = kernels::Row(dtype).bits / 8U;
  CheckInParallel(got.size() / width, 4096, verdict,
                  [&](std::uint64_t begin, std::uint64_t end, Verdict& part) {
                    row->check(dtype, seed_a, seed_b, first + static_cast<std::uint32_t>(begin),
                               got.subspan(begin * width, (end - begin) * width), part);
                  });
  return probe::Ok();
}

probe::Status CheckChain(Dtype acc, const kernels::Problem& problem, std::uint32_t first,
                         std::span<const std::byte> got, Verdict& verdict) {
  const double total = static_cast<double>(problem.n) * problem.k;
  if (acc == Dtype::kInt32 && total < 0x1p31 - kStarts) {
    CheckChainOf<std::int32_t>(total, first, got, verdict);
  } else if (acc == Dtype::kFp32 && total < kMaxExactFp32 - kStarts) {
    CheckChainOf<float>(total, first, got, verdict);
  } else {
    return probe::Error{"verify", std::nullopt, "no reference",
                        "chains of " + std::to_string(std::uint64_t{problem.n} * problem.k) +
                            " products in " + std::string(kernels::Row(acc).name) + " can not be checked"};
  }
  return probe::Ok();
}

probe::Result<GemvReference> GemvReference::Create(const GemvOperands& operands) {
  const BlockRow* blocks = InBlocks(operands.in);
  const auto format = FormatOf(operands.in);
  if ((!format && blocks == nullptr) || operands.acc != Dtype::kFp32 || kernels::Row(operands.in).integer) {
    return probe::Error{"verify", std::nullopt, "no reference",
                        "products of " + std::string(kernels::Row(operands.in).name) + " with a vector in " +
                            std::string(kernels::Row(operands.acc).name) + " can not be checked"};
  }
  const OperandFormat x_format = *FormatOf(operands.acc);
  GemvReference reference;
  reference.operands_ = operands;
  for (std::uint32_t i = 0; i < operands.problem.k; ++i) {
    reference.x_.push_back(x_format.scale * kernels::OperandInteger(operands.seed_x, i, x_format.bits));
  }
  if (operands.x_in_8_bits) RoundTo8Bits(reference.x_);
  if (blocks != nullptr) reference.x_ = blocks->arrange(reference.x_);
  const double k = operands.problem.k;
  const double product_size =
      x_format.amplitude() * (blocks != nullptr ? kBlockAmplitude : format->amplitude());
  reference.tolerance_ = 2.0 * *UnitRoundoff(operands.acc) * k * product_size;
  reference.size_ = std::sqrt(k) / 3.0 * product_size;
  return reference;
}

double GemvReference::Exact(std::uint32_t row) const {
  const std::uint32_t k = operands_.problem.k;
  if (const BlockRow* known = InBlocks(operands_.in)) {
    const std::uint32_t blocks = k / kernels::kQ4Block;
    return known->weigh({operands_.seed_w, operands_.problem.m * blocks, row * blocks, blocks}, x_);
  }
  const OperandFormat format = *FormatOf(operands_.in);
  return format.scale *
         kernels::cpu::WeighOperand({operands_.seed_w, row * k, k, format.bits}, x_.data(), 0).front();
}

void GemvReference::Check(std::span<const float> y, std::uint32_t step, Verdict& verdict) const {
  CheckInParallel(
      (y.size() + step - 1) / step, 1, verdict, [&](std::uint64_t begin, std::uint64_t end, Verdict& part) {
        for (std::uint64_t i = begin; i < end; ++i) {
          const auto row = static_cast<std::uint32_t>(i * step);
          const double error = std::abs(y[row] - Exact(row));
          if (error <= tolerance_) {
            part.max_relative_error = std::max(part.max_relative_error, error / size_);
          } else {
            part.Fail("row " + std::to_string(row) + " is off by " + probe::SignificantText(error, 2) +
                      ", where " + probe::SignificantText(tolerance_, 2) + " is allowed");
          }
        }
      });
}

}  // namespace backends
