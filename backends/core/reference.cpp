// SPDX-License-Identifier: MIT
#include "backends/core/reference.h"

#include <algorithm>
#include <array>
#include <bit>
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

constexpr std::uint32_t kVectorSeed = 0x46726569;
constexpr std::uint32_t kSampleSeed = 0x76616c64;
constexpr std::size_t kSamples = 64;
// Operands are made in blocks of this many: long enough to vectorise, short enough to stay in registers and
// L1.
constexpr std::size_t kBlock = 128;
constexpr std::size_t kLanes = 8;

using Block = std::array<std::int32_t, kBlock>;

// Sums of integers (times weights) over blocks, one partial sum a lane so that the compiler may vectorise.
struct Sums {
  std::array<std::array<double, kLanes>, GemmReference::kVectors> lanes{};

  // weights: kVectors rows of `stride`, from their element `first`; `count` of the block's entries are used.
  void Add(const double* block, const double* weights, std::size_t stride, std::size_t count) {
    const std::size_t whole = count / kLanes * kLanes;
    for (std::size_t v = 0; v < lanes.size(); ++v) {
      const double* w = weights + v * stride;
      std::array<double, kLanes> sum = lanes[v];
      for (std::size_t i = 0; i < whole; i += kLanes) {
        for (std::size_t l = 0; l < kLanes; ++l) sum[l] += block[i + l] * w[i + l];
      }
      for (std::size_t i = whole; i < count; ++i) sum[0] += block[i] * w[i];
      lanes[v] = sum;
    }
  }
  [[nodiscard]] double Total(std::size_t v) const {
    return std::accumulate(lanes[v].begin(), lanes[v].end(), 0.0);
  }
};

std::vector<double> Signs(std::size_t count) {
  std::vector<double> signs(count);
  for (std::size_t i = 0; i < count; ++i) {
    signs[i] =
        (kernels::OperandBits(kVectorSeed, static_cast<std::uint32_t>(i)) & 0x10000U) != 0 ? 1.0 : -1.0;
  }
  return signs;
}

// B x with B stored by rows (k x n): one weighed row an entry.
void MultiplyStored(const GemmOperands& g, int bits, const std::vector<double>& signs,
                    std::vector<double>& out) {
  InParallel(g.problem.k, 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
      const auto sums = kernels::cpu::WeighOperand({g.seed_b, row * g.problem.n, g.problem.n, bits},
                                                   signs.data(), g.problem.n);
      for (std::size_t v = 0; v < GemmReference::kVectors; ++v) out[v * g.problem.k + row] = sums[v];
    }
  });
}

// B x with B stored transposed (n x k): every stored row is added to the result with its sign, a part of the
// columns by each thread.
void MultiplyTransposed(const GemmOperands& g, int bits, const std::vector<double>& signs,
                        std::vector<double>& out) {
  InParallel(g.problem.k, kBlock, [&](std::uint64_t begin, std::uint64_t end) {
    Block block;
    std::array<double, kBlock> numbers;
    for (auto at = static_cast<std::uint32_t>(begin); at < end; at += kBlock) {
      const std::size_t count = std::min<std::size_t>(kBlock, end - at);
      std::array<std::array<double, kBlock>, GemmReference::kVectors> sums{};
      for (std::uint32_t row = 0; row < g.problem.n; ++row) {
        OperandIntegers(g.seed_b, row * g.problem.k + at, bits, block);
        std::copy(block.begin(), block.end(), numbers.begin());
        for (std::size_t v = 0; v < GemmReference::kVectors; ++v) {
          const double sign = signs[v * g.problem.n + row];
          for (std::size_t i = 0; i < kBlock; ++i) sums[v][i] += sign * numbers[i];
        }
      }
      for (std::size_t v = 0; v < GemmReference::kVectors; ++v)
        std::copy_n(sums[v].begin(), count, out.data() + v * g.problem.k + at);
    }
  });
}

}  // namespace

std::optional<double> UnitRoundoff(Dtype acc) {
  struct Row {
    Dtype acc;
    double unit;
  };
  constexpr std::array kRows = {Row{Dtype::kFp32, 0x1p-24}, Row{Dtype::kFp16, 0x1p-11},
                                Row{Dtype::kInt32, 0}};
  for (const Row& row : kRows) {
    if (row.acc == acc) return row.unit;
  }
  return std::nullopt;
}

namespace {

// Of a product's sums: each of k / products_a_rounding additions errs by `unit`, relative; `drift` times that
// where errors go one way.
struct Accumulation {
  double unit = 0;
  std::uint32_t products_a_rounding = 1;
  double drift = 1;
};
std::optional<Accumulation> AccumulationOf(const GemmOperands& operands) {
  if (operands.in == Dtype::kFp8 && operands.acc == Dtype::kFp32) return Accumulation{0x1p-13, 32, 1};
  const auto unit = UnitRoundoff(operands.acc);
  if (!unit) return std::nullopt;
  const bool in_matrix_units =
      operands.in == Dtype::kFp16 || operands.in == Dtype::kBf16 || operands.in == Dtype::kTf32;
  if (!in_matrix_units || operands.acc != Dtype::kFp32) return Accumulation{*unit, 1, 1};
  return Accumulation{*unit, 1, std::max(1.0, std::sqrt(static_cast<double>(operands.problem.k)) / 10)};
}

}  // namespace

probe::Result<GemmReference> GemmReference::Create(const GemmOperands& operands) {
  const auto format = FormatOf(operands.in);
  const auto sums = AccumulationOf(operands);
  if (!format || !sums || (sums->unit == 0) != kernels::Row(operands.in).integer) {
    return probe::Error{"verify", std::nullopt, "no reference",
                        "products of " + std::string(kernels::Row(operands.in).name) + " in " +
                            std::string(kernels::Row(operands.acc).name) + " can not be checked"};
  }
  const auto& [m, n, k, count, seed] = operands.problem;
  GemmReference reference;
  reference.operands_ = operands;
  reference.bits_ = format->bits;
  reference.scale_ = format->scale * format->scale;
  const double product_size = format->amplitude() * format->amplitude();
  reference.entry_tolerance_ = 2.0 * sums->unit * k / sums->products_a_rounding * sums->drift * product_size;
  reference.entry_size_ = std::sqrt(static_cast<double>(k)) / 3.0 * product_size;
  reference.signs_ = Signs(kVectors * n);
  reference.bx_.assign(kVectors * k, 0.0);
  (operands.b_transposed ? MultiplyTransposed : MultiplyStored)(operands, format->bits, reference.signs_,
                                                                reference.bx_);
  reference.samples_ = {{0, 0}, {0, n - 1}, {m - 1, 0}, {m - 1, n - 1}};
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    reference.samples_.push_back(
        {kernels::OperandBits(kSampleSeed, 2 * i) % m, kernels::OperandBits(kSampleSeed, 2 * i + 1) % n});
  }
  std::sort(reference.samples_.begin(), reference.samples_.end(),
            [](const Sample& a, const Sample& b) { return a.row < b.row; });
  return reference;
}

std::size_t GemmReference::row_bytes() const {
  return std::size_t{operands_.problem.n} * (kernels::Row(operands_.acc).bits / 8U);
}

double GemmReference::Exact(const Sample& sample) const {
  const auto& [m, n, k, count, seed] = operands_.problem;
  const std::uint32_t b_first = operands_.b_transposed ? sample.column * k : sample.column;
  const std::uint32_t b_step = operands_.b_transposed ? 1 : n;
  double sum = 0;
  for (std::uint32_t i = 0; i < k; ++i) {
    const double a = kernels::OperandInteger(operands_.seed_a, sample.row * k + i, bits_);
    const double b = kernels::OperandInteger(operands_.seed_b, b_first + i * b_step, bits_);
    sum += a * b;
  }
  return sum * scale_;
}

void GemmReference::Compare(double got, double expected, double tolerance, double typical, std::uint32_t row,
                            const char* what, Verdict& verdict) const {
  const double error = std::abs(got - expected);
  if (!std::isfinite(got)) {
    verdict.Fail("row " + std::to_string(row) + " holds a value that is not finite");
    return;
  }
  verdict.max_relative_error = std::max(verdict.max_relative_error, error / typical);
  if (!(error <= tolerance)) {
    verdict.Fail(std::string(what) + " of row " + std::to_string(row) + " is off by " +
                 probe::SignificantText(error, 2) + ", where " + probe::SignificantText(tolerance, 2) +
                 " is allowed");
  }
}

template <class T>
void GemmReference::CheckRow(std::uint32_t row, const T* values, Verdict& verdict) const {
  const std::uint32_t n = operands_.problem.n;
  const std::uint32_t k = operands_.problem.k;
  const auto expected = kernels::cpu::WeighOperand({operands_.seed_a, row * k, k, bits_}, bx_.data(), k);
  Sums got;
  std::array<double, kBlock> block;
  for (std::uint32_t at = 0; at < n; at += kBlock) {
    const std::size_t width = std::min<std::size_t>(kBlock, n - at);
    for (std::size_t i = 0; i < width; ++i) block[i] = static_cast<double>(values[at + i]);
    got.Add(block.data(), signs_.data() + at, n, width);
  }
  const double columns = std::sqrt(static_cast<double>(n));
  for (std::size_t v = 0; v < kVectors; ++v) {
    Compare(got.Total(v), expected[v] * scale_, entry_tolerance_ * columns, entry_size_ * columns, row,
            "a random sum", verdict);
  }
}

template <class T>
void GemmReference::CheckRows(std::uint32_t first_row, std::span<const std::byte> rows,
                              Verdict& verdict) const {
  const std::uint32_t n = operands_.problem.n;
  const auto count = static_cast<std::uint32_t>(rows.size() / row_bytes());
  std::vector<T> values(n);
  auto sample =
      std::find_if(samples_.begin(), samples_.end(), [&](const Sample& s) { return s.row >= first_row; });
  for (std::uint32_t row = first_row; row < first_row + count; ++row) {
    std::memcpy(values.data(), rows.data() + (row - first_row) * row_bytes(), row_bytes());
    CheckRow(row, values.data(), verdict);
    for (; sample != samples_.end() && sample->row == row; ++sample) {
      Compare(static_cast<double>(values[sample->column]), Exact(*sample), entry_tolerance_, entry_size_, row,
              "an entry", verdict);
    }
  }
}

void GemmReference::Check(std::uint32_t first_row, std::span<const std::byte> rows, Verdict& verdict) const {
  CheckInParallel(rows.size() / row_bytes(), 16, verdict,
                  [&](std::uint64_t begin, std::uint64_t end, Verdict& part) {
                    const auto first = first_row + static_cast<std::uint32_t>(begin);
                    const auto own = rows.subspan(begin * row_bytes(), (end - begin) * row_bytes());
                    if (operands_.acc == Dtype::kInt32) return CheckRows<std::int32_t>(first, own, part);
                    if (operands_.acc == Dtype::kFp16) return CheckRows<Half>(first, own, part);
                    CheckRows<float>(first, own, part);
                  });
}

}  // namespace backends
