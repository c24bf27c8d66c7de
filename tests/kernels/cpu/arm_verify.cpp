// SPDX-License-Identifier: MIT
// Runs every implementation that the processor supports and checks what it computed. A program of its own,
// without a test framework, because it is compiled for another architecture and runs in an emulator
// (arm_test.py): prints
// "<entry> <isa> ok" or "wrong" for each; 0 if all are right.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"
#include "kernels/operand.h"

namespace {

using namespace kernels;
using namespace kernels::cpu;

constexpr unsigned kWorkers = 2;

// Filled with ones: NaN as fp32 and bf16.
template <typename T>
class Buffer {
 public:
  explicit Buffer(std::size_t count)
      : data_(static_cast<T*>(::operator new(count * sizeof(T) + 64, std::align_val_t{64}))) {
    std::memset(static_cast<void*>(data_), 0xff, count * sizeof(T));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::operator delete(data_, std::align_val_t{64}); }
  T& operator[](std::size_t i) { return data_[i]; }
  void* at() { return data_; }

 private:
  T* data_;
};

void Launch(const Implementation& implementation, std::vector<void*> buffers,
            std::vector<std::uint32_t> scalars) {
  Team team(kWorkers);
  std::vector<std::thread> threads;
  const auto work = [&](unsigned i) { implementation.run({buffers, scalars}, {i, kWorkers, &team}); };
  for (unsigned i = 1; i < kWorkers; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
}

// Within k roundings of fp32 of the exact sum.
bool Near(double value, double exact, double magnitude, double k) {
  return std::abs(value - exact) <= 1.01 * (k + 2) * 0x1p-24 * magnitude;
}

template <typename T, T (*kOperand)(std::uint32_t, std::uint32_t)>
bool Fills(const Implementation& fill) {
  constexpr std::uint32_t kCount = 1003;
  Buffer<T> out(kCount);
  Launch(fill, {out.at()}, {kCount, 5});
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (out[i] != kOperand(5, i)) return false;
  }
  return true;
}

template <std::uint32_t kWords, std::uint16_t (*kScale)(std::uint32_t, std::uint32_t, std::uint32_t)>
bool FillsBlocks(const Implementation& fill) {
  constexpr std::uint32_t kBlocks = 40, kBytes = 4 * kWords;
  Buffer<std::uint8_t> out(kBlocks * (kBytes + 2));
  Launch(fill, {out.at()}, {kBlocks * kQ4Block, 5});
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    std::uint16_t scale = 0;
    std::memcpy(&scale, &out[kBlocks * kBytes + block * 2], 2);
    if (scale != kScale(5, kBlocks, block)) return false;
    for (std::uint32_t byte = 0; byte < kBytes; ++byte) {
      const std::uint32_t word = OperandBits(5, block * kWords + byte / 4);
      if (out[block * kBytes + byte] != (word >> (byte % 4 * 8) & 0xffU)) return false;
    }
  }
  return true;
}

float Bf16Value(std::uint16_t word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16U); }
float Fp32Value(float value) { return value; }
float Int8Value(std::int8_t value) { return static_cast<float>(value); }
// Extreme now and then, where saturating arithmetic would show.
std::int8_t Int8Operand(std::uint32_t seed, std::uint32_t i) {
  return i % 7 == 0 ? std::int8_t{-128} : OperandInt8(seed, i);
}

template <typename T, typename R, T (*kOperand)(std::uint32_t, std::uint32_t), float (*kValue)(T)>
bool Multiplies(const Implementation& gemm) {
  struct Shape {
    std::uint32_t m, n, k;
  };
  // One tile and less, borders everywhere, and more than one depth.
  for (const auto& [m, n, k] : {Shape{5, 3, 7}, Shape{25, 140, 33}, Shape{7, 37, 1100}}) {
    Buffer<T> a(m * k), b(k * n);
    Buffer<R> c(m * n);
    Buffer<std::byte> work(GemmWorkspaceBytes(gemm.entry, m, n, k, kWorkers));
    for (std::uint32_t i = 0; i < m * k; ++i) a[i] = kOperand(1, i);
    for (std::uint32_t i = 0; i < k * n; ++i) b[i] = kOperand(2, i);
    Launch(gemm, {a.at(), b.at(), c.at(), work.at()}, {m, n, k});
    for (std::uint32_t i = 0; i < m * n; ++i) {
      double exact = 0, magnitude = 0;
      for (std::uint32_t p = 0; p < k; ++p) {
        const double product =
            static_cast<double>(kValue(a[i / n * k + p])) * static_cast<double>(kValue(b[p * n + i % n]));
        exact += product;
        magnitude += std::abs(product);
      }
      if (!Near(static_cast<double>(c[i]), exact, std::is_integral_v<R> ? 0 : magnitude, k)) return false;
    }
  }
  return true;
}

constexpr std::uint32_t kRows = 17, kColumns = 416, kCount = kRows * kColumns;
float Fp32Weight(std::uint32_t i) { return OperandFp32(1, i); }
float Fp16Weight(std::uint32_t i) { return OperandFp16(1, i); }
float Bf16Weight(std::uint32_t i) { return OperandBf16(1, i); }
float Q4Weight(std::uint32_t i) { return OperandQ4(1, kCount / kQ4Block, i); }
float Q8Weight(std::uint32_t i) { return OperandQ8(1, kCount / kQ4Block, i); }

// x as it is or in blocks of 8 bits (kernels/spec.h).
double Taken(Buffer<float>& x, std::uint32_t i, bool in_8_bits) {
  if (!in_8_bits) return static_cast<double>(x[i]);
  float largest = 0;
  for (std::uint32_t j = 0; j < kQ4Block; ++j)
    largest = std::max(largest, std::abs(x[i / kQ4Block * kQ4Block + j]));
  const float number = std::nearbyint(x[i] * (127.0F / largest));
  return static_cast<double>(number) * static_cast<double>(largest / 127.0F);
}

template <float (*kWeight)(std::uint32_t), bool kIn8Bits = false>
bool MultipliesVector(const Implementation& gemv) {
  const std::string type(gemv.entry.substr(5, gemv.entry.find('_', 5) - 5));
  Buffer<std::uint8_t> w(kCount * sizeof(float)), work(GemvWorkspaceBytes(kColumns, kWorkers));
  Buffer<float> x(kColumns), y(kRows);
  Launch(*Best("fill_" + type), {w.at()}, {kCount, 1});
  for (std::uint32_t i = 0; i < kColumns; ++i) x[i] = OperandFp32(2, i);
  Launch(gemv, {w.at(), x.at(), y.at(), work.at()}, {kRows, kColumns});
  for (std::uint32_t row = 0; row < kRows; ++row) {
    double exact = 0, magnitude = 0;
    for (std::uint32_t p = 0; p < kColumns; ++p) {
      const double product = static_cast<double>(kWeight(row * kColumns + p)) * Taken(x, p, kIn8Bits);
      exact += product;
      magnitude += std::abs(product);
    }
    if (!Near(static_cast<double>(y[row]), exact, magnitude, kColumns)) return false;
  }
  return true;
}

constexpr std::uint32_t kStream = 5003;

template <bool kIsGenerated>
bool Sums(const Implementation& sum) {
  Buffer<std::uint32_t> in(kStream), sums(kWorkers);
  std::uint32_t exact = 0, total = 0;
  for (std::uint32_t i = 0; i < kStream; ++i) exact += in[i] = OperandBits(9, i);
  if (kIsGenerated) {
    Launch(sum, {sums.at()}, {kStream, 9});
  } else {
    Launch(sum, {in.at(), sums.at()}, {kStream});
  }
  for (unsigned i = 0; i < kWorkers; ++i) total += sums[i];
  return total == exact;
}

bool Weighs(const Implementation& weigh) {
  constexpr std::uint32_t kCount = 151, kStride = 160;
  constexpr int kBits = 11;
  Buffer<double> weights(4 * kStride), sums(4);
  for (std::uint32_t i = 0; i < 4 * kStride; ++i) weights[i] = OperandInteger(3, i, 8);
  void* const buffers[] = {weights.at(), sums.at()};
  const std::uint32_t scalars[] = {kCount, 7, 1000, kBits, kStride};
  weigh.run({buffers, scalars}, {0, 1, nullptr});  // it is one worker's work
  for (std::uint32_t row = 0; row < 4; ++row) {
    double exact = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      exact += OperandInteger(7, 1000 + i, kBits) * weights[row * kStride + i];
    }
    if (sums[row] != exact) return false;
  }
  return true;
}

template <std::uint32_t kWords, std::vector<double> (*kPlanes)(std::span<const double>),
          float (*kWeight)(std::uint32_t, std::uint32_t, std::uint32_t)>
bool WeighsBlocks(const Implementation& weigh) {
  constexpr std::uint32_t kBlocks = 11, kAll = 40, kFirst = 20;
  std::vector<double> x;
  for (std::uint32_t i = 0; i < kBlocks * kQ4Block; ++i) x.push_back(OperandInteger(3, i, 8));
  const std::vector<double> planes = kPlanes(x);
  Buffer<double> in(planes.size()), sum(1);
  for (std::size_t i = 0; i < planes.size(); ++i) in[i] = planes[i];
  void* const buffers[] = {in.at(), sum.at()};
  const std::uint32_t scalars[] = {kWords * kBlocks, 7, kWords * kFirst, kWords * kAll};
  weigh.run({buffers, scalars}, {0, 1, nullptr});
  double exact = 0;
  for (std::uint32_t i = 0; i < x.size(); ++i)
    exact += double{kWeight(7, kAll, kFirst * kQ4Block + i)} * x[i];
  return sum[0] == exact;
}

bool Copies(const Implementation& copy) {
  Buffer<std::uint32_t> in(kStream), out(kStream);
  for (std::uint32_t i = 0; i < kStream; ++i) in[i] = OperandBits(9, i);
  Launch(copy, {in.at(), out.at()}, {kStream});
  return std::memcmp(in.at(), out.at(), kStream * 4) == 0;
}

bool AddsMultiples(const Implementation& triad) {
  Buffer<float> a(kStream), b(kStream), out(kStream);
  for (std::uint32_t i = 0; i < kStream; ++i) {
    a[i] = OperandFp32(1, i);
    b[i] = OperandFp32(2, i);
  }
  Launch(triad, {a.at(), b.at(), out.at()}, {kStream, std::bit_cast<std::uint32_t>(0.25F)});
  for (std::uint32_t i = 0; i < kStream; ++i) {
    if (out[i] != a[i] + 0.25F * b[i]) return false;
  }
  return true;
}

bool Chains(const Implementation& chain) {
  constexpr std::uint32_t kCount = 3073, kProducts = 128;
  Buffer<float> out(kCount);
  Launch(chain, {out.at()}, {kCount, kProducts});
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (out[i] != static_cast<float>(i % 8 + kProducts)) return false;
  }
  return true;
}

bool CountsClocks(const Implementation& clock) {
  Buffer<std::uint32_t> out(kWorkers);
  Launch(clock, {out.at()}, {1});
  return out[0] == 3U << 14U && out[1] == out[0];
}

bool Returns(const Implementation& empty) {
  Launch(empty, {}, {});
  return true;
}

struct Check {
  std::string_view entry;
  bool (*right)(const Implementation&);
};
constexpr Check kChecks[] = {
    {"fill_u32", Fills<std::uint32_t, OperandBits>},
    {"fill_fp32", Fills<float, OperandFp32>},
    {"fill_bf16", Fills<std::uint16_t, OperandBf16Word>},
    {"fill_int8", Fills<std::int8_t, OperandInt8>},
    {"fill_fp16", Fills<std::uint16_t, OperandFp16Word>},
    {"fill_q4", FillsBlocks<4, OperandQ4ScaleWord>},
    {"fill_q8", FillsBlocks<8, OperandQ8ScaleWord>},
    {"gemm_fp32", Multiplies<float, float, OperandFp32, Fp32Value>},
    {"gemm_bf16", Multiplies<std::uint16_t, float, OperandBf16Word, Bf16Value>},
    {"gemm_int8", Multiplies<std::int8_t, std::int32_t, Int8Operand, Int8Value>},
    {"gemv_fp32", MultipliesVector<Fp32Weight>},
    {"gemv_fp16", MultipliesVector<Fp16Weight>},
    {"gemv_bf16", MultipliesVector<Bf16Weight>},
    {"gemv_q4", MultipliesVector<Q4Weight>},
    {"gemv_q4_q8", MultipliesVector<Q4Weight, true>},
    {"gemv_q8_q8", MultipliesVector<Q8Weight, true>},
    {"read_u32", Sums<false>},
    {"sum_operand_u32", Sums<true>},
    {"weigh_operand", Weighs},
    {"weigh_q4", WeighsBlocks<4, Q4Planes, OperandQ4>},
    {"weigh_q8", WeighsBlocks<8, Q8Planes, OperandQ8>},
    {"copy_u32", Copies},
    {"triad_fp32", AddsMultiples},
    {"chain_fp32", Chains},
    {"clock_adds", CountsClocks},
    {"empty", Returns},
};

bool IsRight(const Implementation& implementation) {
  for (const Check& check : kChecks) {
    if (check.entry == implementation.entry) return check.right(implementation);
  }
  return false;  // an entry without a check
}

}  // namespace

int main() {
  bool all = true;
  for (const Implementation& implementation : Implementations()) {
    if (!implementation.supported()) continue;
    const bool right = IsRight(implementation);
    all = all && right;
    std::printf("%s %s %s\n", std::string(implementation.entry).c_str(),
                std::string(implementation.isa).c_str(), right ? "ok" : "wrong");
  }
  return all ? 0 : 1;
}
