// SPDX-License-Identifier: MIT
#include "bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "backends/core/backend.h"
#include "backends/cpu/vendor.h"
#include "bench/gemv_rows.h"
#include "bench/loaded_clock.h"
#include "bench/openmp.h"
#include "bench/own.h"
#include "probe/system/clock.h"

namespace bench {
namespace {

using kernels::Dtype;
using kernels::cpu::Implementation;

double Seconds() { return probe::system::SecondsSince(probe::system::SteadyTime()); }

// --- products ---

struct TypeRow {
  std::string_view entry, fill;
  Dtype dtype;
  std::size_t bytes;
};
constexpr std::array kTypes = {TypeRow{"gemm_fp32", "fill_fp32", Dtype::kFp32, 4},
                               TypeRow{"gemm_bf16", "fill_bf16", Dtype::kBf16, 2},
                               TypeRow{"gemm_int8", "fill_int8", Dtype::kInt8, 1}};

// Loaded once, because a library's settings cannot change afterwards.
const probe::Result<backends::cpu::LoadedVendor>& Load(const backends::cpu::Vendor& vendor) {
  static std::map<std::string_view, probe::Result<backends::cpu::LoadedVendor>> loaded;
  auto found = loaded.find(vendor.name);
  if (found == loaded.end()) {
    const auto environment = probe::system::Environment::OfProcess();
    found =
        loaded.emplace(vendor.name, backends::cpu::LoadVendor(vendor, Threads(), Files(), environment)).first;
  }
  return found->second;
}

// Both are within rounding of the exact product, which has the size of sqrt(k).
template <typename Result>
bool Agree(const void* ours, const void* theirs, std::size_t count, double tolerance) {
  const auto* a = static_cast<const Result*>(ours);
  const auto* b = static_cast<const Result*>(theirs);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= tolerance)) return false;
  }
  return true;
}

// One product's operands and both results of it.
struct Products {
  const TypeRow& type;
  std::size_t m, n, k;
  void *a, *b, *ours, *theirs;

  [[nodiscard]] bool Agree() const {
    return type.dtype == Dtype::kInt8
               ? bench::Agree<std::int32_t>(ours, theirs, m * n, 0)
               : bench::Agree<float>(ours, theirs, m * n, 1e-4 * std::sqrt(static_cast<double>(k)));
  }
  void HalveInt8() const {
    for (const auto& [at, count] : {std::pair(a, m * k), std::pair(b, k * n)}) {
      auto* values = static_cast<std::int8_t*>(at);
      std::transform(values, values + count, values,
                     [](std::int8_t value) { return static_cast<std::int8_t>(value >> 1); });
    }
  }
};

// What the peer does for one product.
struct PeerProduct {
  std::string name, remark;
  std::function<probe::Status()> multiply;
};

// Where oneDNN has no product of bf16 numbers (its x86 code needs AVX-512: its documentation, "data types"),
// a program that has such numbers widens them and multiplies those of fp32: all of that is the peer's time.
PeerProduct WidenFirst(std::string_view peer, const backends::cpu::Multiply& multiply,
                       const backends::cpu::Product& product, Memory& memory) {
  const std::size_t count_a = std::size_t{product.m} * product.k;
  const std::size_t count_b = std::size_t{product.k} * product.n;
  auto* a = static_cast<float*>(memory.Map(count_a * sizeof(float)));
  auto* b = static_cast<float*>(memory.Map(count_b * sizeof(float)));
  return {fmt::format("{} fp32, widened", peer),
          ", the peer's operands widened to fp32 first: it has no product of bf16 for this processor", [=] {
            OpenMpWiden(static_cast<const std::uint16_t*>(product.a), a, count_a);
            OpenMpWiden(static_cast<const std::uint16_t*>(product.b), b, count_b);
            return multiply({Dtype::kFp32, product.m, product.n, product.k, a, b, product.c});
          }};
}

ContestOrReason PrepareProduct(const Row& row) {
  const auto vendors = backends::cpu::Vendors();
  const auto vendor =
      std::find_if(vendors.begin(), vendors.end(), [&](const auto& v) { return v.name == row.peer; });
  const TypeRow& type =
      *std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& t) { return t.entry == row.entry; });
  const auto& loaded = Load(*vendor);
  if (!loaded) return probe::Describe(loaded.error());
  const std::size_t m = row.m, n = row.n, k = row.k;
  const auto memory = std::make_shared<Memory>();
  void* a = MapOperand(*memory, type.fill, m * k, type.bytes, 1);
  void* b = MapOperand(*memory, type.fill, k * n, type.bytes, 2);
  void* ours = memory->Map(m * n * 4);
  void* theirs = memory->Map(m * n * 4);
  void* work = memory->Map(kernels::cpu::GemmWorkspaceBytes(row.entry, row.m, row.n, row.k, Threads()));
  const backends::cpu::Product product{type.dtype, row.m, row.n, row.k, a, b, theirs};
  const Implementation& own = *kernels::cpu::Best(row.entry);
  const std::vector<void*> buffers = {a, b, ours, work};
  const std::vector<std::uint32_t> scalars = {row.m, row.n, row.k};
  PeerProduct peer{std::string(row.peer), "", [=, multiply = loaded->multiply] { return multiply(product); }};
  if (type.dtype == Dtype::kBf16) {
    const auto status = peer.multiply();
    if (!status && status.error().Is(probe::OwnError::kNoSuchKernel))
      peer = WidenFirst(row.peer, loaded->multiply, product, *memory);
  }
  const auto both = [&] {
    Run(own, buffers, scalars);
    return peer.multiply();
  };
  if (const auto status = both(); !status) return probe::Describe(status.error());
  const Products products{type, m, n, k, a, b, ours, theirs};
  std::string shape = fmt::format("{} x {} x {}{}", row.m, row.n, row.k, peer.remark);
  if (type.dtype == Dtype::kInt8 && !products.Agree()) {
    // Without VNNI oneDNN adds two products in 16 bits, which saturate (its documentation, "int8 computation
    // aspects"); half of the range fits.
    products.HalveInt8();
    if (const auto status = both(); !status) return probe::Describe(status.error());
    shape += ", operands of 7 bits: the peer saturates with 8";
  }
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto multiply = std::move(peer.multiply);
  return Contest{Own(own, buffers, scalars, operations),
                 {std::move(peer.name), [=] { return Rate(operations, [&] { (void)multiply(); }); }},
                 type.dtype == Dtype::kInt8 ? "op_per_s" : "flop_per_s",
                 std::move(shape),
                 std::filesystem::path(loaded->library.path.value_or("")).filename().string(),
                 products.Agree() ? "" : "the products differ",
                 memory,
                 {}};
}

// --- memory ---

constexpr std::uint32_t kStreamCount = 1U << 27U;  // words of each array: 512 MiB
constexpr double kStreamBytes = 4.0 * kStreamCount;
constexpr float kFactor = 3.0F;

std::string OpenMpVersion() { return fmt::format("OpenMP, {} -O3 -march=native", WHICHGPU_COMPILER); }

ContestOrReason PrepareRead(const Row&) {
  const auto memory = std::make_shared<Memory>();
  const auto* in = static_cast<const std::uint32_t*>(MapOperand(*memory, "fill_u32", kStreamCount, 4, 1));
  auto* sums = static_cast<std::uint32_t*>(memory->Map(Threads() * sizeof(std::uint32_t)));
  const Implementation& own = *kernels::cpu::Best("read_u32");
  const std::vector<void*> buffers = {const_cast<std::uint32_t*>(in), sums};
  Run(own, buffers, {kStreamCount});
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < Threads(); ++i) sum += sums[i];
  const auto sink = std::make_shared<std::uint32_t>();
  return Contest{
      Own(own, buffers, {kStreamCount}, kStreamBytes),
      {"openmp", [=] { return Rate(kStreamBytes, [&] { *sink = OpenMpRead(in, kStreamCount); }); }},
      "bytes_per_s",
      fmt::format("{} MiB", kStreamCount >> 18U),
      OpenMpVersion(),
      sum == OpenMpRead(in, kStreamCount) ? "" : "the sums differ",
      memory};
}

ContestOrReason PrepareTriad(const Row& row) {
  const auto memory = std::make_shared<Memory>();
  const auto* a = static_cast<const float*>(MapOperand(*memory, "fill_fp32", kStreamCount, 4, 1));
  const auto* b = static_cast<const float*>(MapOperand(*memory, "fill_fp32", kStreamCount, 4, 2));
  auto* ours = static_cast<float*>(memory->Map(std::size_t{kStreamCount} * 4));
  auto* theirs = static_cast<float*>(memory->Map(std::size_t{kStreamCount} * 4));
  const auto triad = row.peer == "openmp" ? OpenMpTriad : OpenMpTriadStreaming;
  triad(a, b, theirs, kFactor, kStreamCount);
  const Implementation& own = *kernels::cpu::Best("triad_fp32");
  const std::vector<void*> buffers = {const_cast<float*>(a), const_cast<float*>(b), ours};
  const std::vector<std::uint32_t> scalars = {kStreamCount, std::bit_cast<std::uint32_t>(kFactor)};
  Run(own, buffers, scalars);
  return Contest{
      Own(own, buffers, scalars, 3 * kStreamBytes),
      {std::string(row.peer),
       [=] { return Rate(3 * kStreamBytes, [&] { triad(a, b, theirs, kFactor, kStreamCount); }); }},
      "bytes_per_s",
      fmt::format("3 x {} MiB", kStreamCount >> 18U),
      OpenMpVersion(),
      Agree<float>(ours, theirs, kStreamCount, 1e-6) ? "" : "the results differ",
      memory};
}

// --- chains ---

// Operations a clock and core of Intel's server cores since Skylake-SP (two units of 512 bits; Optimization
// Reference Manual, instruction throughput), of Intel's since Haswell and AMD's since Zen 2 (two units of 256
// bits; the same, Software Optimization Guide for family 17h models 30h and greater) and of AMX (one TMUL: 16
// columns a clock).
struct WidthRow {
  std::string_view entry, isa;
  double operations;
};
constexpr std::array kWidths = {
    WidthRow{"chain_fp32", "avx512", 2 * 16 * 2},
    WidthRow{"chain_fp32", "avx2", 2 * 8 * 2},
    WidthRow{"chain_bf16", "amx", 16 * 32 * 2},
    WidthRow{"chain_int8", "amx", 16 * 64 * 2},
};

constexpr std::uint32_t kAccumulators = 3072;  // a worker's; suits every implementation
constexpr double kTurnClocks = 0x1p20;         // about a third of a millisecond
constexpr int kTurns = 48;

// Of all workers together: the chain's rate, and what its units would do at the clock of the same moments.
// Medians of turns, because some are interrupted.
std::pair<double, double> TakeTurns(const Implementation& chain, void* out, std::uint32_t products,
                                    double operations_a_clock) {
  const std::uint32_t scalars[] = {kAccumulators, products};
  struct Rates {
    std::vector<double> chain, bound;
  };
  std::vector<Rates> all(Threads());
  TheWorkers().Run([&](const kernels::cpu::Worker& worker) {
    // Each on its own: as the only worker, into its own part of the buffer.
    void* const own[] = {static_cast<std::uint32_t*>(out) + std::size_t{worker.index} * kAccumulators};
    kernels::cpu::Team alone(1);
    for (int i = 0; i < kTurns; ++i) {
      const double start = Seconds();
      chain.run({own, scalars}, {0, 1, &alone});
      const double between = Seconds();
      const double clocks = LoadedClocks(chain.isa, kTurnClocks);
      const double end = Seconds();
      all[worker.index].chain.push_back(2.0 * kAccumulators * products / (between - start));
      all[worker.index].bound.push_back(operations_a_clock * clocks / (end - between));
    }
  });
  double rate = 0, bound = 0;
  for (const Rates& rates : all) {
    rate += SpreadOf(rates.chain).median;
    bound += SpreadOf(rates.bound).median;
  }
  return {rate, bound};
}

ContestOrReason PrepareChain(const Row& row) {
  const Implementation* chain = kernels::cpu::Best(row.entry);
  if (chain == nullptr) return "this processor has no such units";
  const auto* width = std::find_if(kWidths.begin(), kWidths.end(), [&](const WidthRow& known) {
    return known.entry == row.entry && known.isa == chain->isa;
  });
  if (width == kWidths.end() || LoadedClocks(chain->isa, kTurnClocks) == 0)
    return "what this processor's units do a clock is not known here";
  const auto memory = std::make_shared<Memory>();
  void* out = memory->Map(std::size_t{kAccumulators} * Threads() * 4);
  const double operations = width->operations;
  const auto products = static_cast<std::uint32_t>(operations * kTurnClocks / (2 * kAccumulators)) / 64 * 64;
  return Contest{{"own:" + std::string(chain->isa), {}},
                 {fmt::format("{} cores x clock x {}", Threads(), operations), {}},
                 row.entry == "chain_int8" ? "op_per_s" : "flop_per_s",
                 fmt::format("{} accumulators x {} products a core", kAccumulators, products),
                 "clock measured in turns, under nearly the same load",
                 "",
                 memory,
                 [=] { return TakeTurns(*chain, out, products, operations); }};
}

constexpr std::array kRows = {
    Row{"gemm_fp32.openblas", "matrix product, fp32", 1.0, PrepareProduct, "gemm_fp32", "openblas", 2048,
        2048, 2048},
    Row{"gemm_fp32.onednn", "matrix product, fp32", 1.0, PrepareProduct, "gemm_fp32", "onednn", 2048, 2048,
        2048},
    Row{"gemm_bf16.onednn", "matrix product, bf16 into fp32", 1.0, PrepareProduct, "gemm_bf16", "onednn",
        2048, 2048, 2048},
    Row{"gemm_int8.onednn", "matrix product, int8 into int32", 0.85, PrepareProduct, "gemm_int8", "onednn",
        2048, 2048, 2048},
    Row{"read.openmp", "memory read", 0.97, PrepareRead, "read_u32", "openmp"},
    Row{"triad.openmp", "triad", 0.97, PrepareTriad, "triad_fp32", "openmp"},
    Row{"triad.openmp_streaming", "triad", 0.97, PrepareTriad, "triad_fp32",
        "openmp, stores past the caches"},
    Row{"chain_fp32.clock", "multiply-adds without memory, fp32", 0.95, PrepareChain, "chain_fp32", ""},
    Row{"chain_bf16.clock", "multiply-adds without memory, bf16", 0.95, PrepareChain, "chain_bf16", ""},
    Row{"chain_int8.clock", "multiply-adds without memory, int8", 0.95, PrepareChain, "chain_int8", ""},
    Row{"prefill_fp32.openblas", "a prompt's matrix product, fp32", std::nullopt, PrepareProduct, "gemm_fp32",
        "openblas", 512, 4096, 4096},
    Row{"prefill_fp32.onednn", "a prompt's matrix product, fp32", std::nullopt, PrepareProduct, "gemm_fp32",
        "onednn", 512, 4096, 4096},
    Row{"prefill_bf16.onednn", "a prompt's matrix product, bf16", std::nullopt, PrepareProduct, "gemm_bf16",
        "onednn", 512, 4096, 4096},
    Row{"prefill_int8.onednn", "a prompt's matrix product, int8", std::nullopt, PrepareProduct, "gemm_int8",
        "onednn", 512, 4096, 4096},
    Row{"gemv_q4.ggml_q4_0", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8", "q4_0 CPU"},
    Row{"gemv_q4.ggml_q4_0_repacked", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8",
        "q4_0 CPU_REPACK"},
    Row{"gemv_q4.ggml_q4_0_amx", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8", "q4_0 AMX"},
    Row{"gemv_q4.ggml_q4_k", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8", "q4_K CPU"},
    Row{"gemv_q4.ggml_q4_k_repacked", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8",
        "q4_K CPU_REPACK"},
    Row{"gemv_q4.ggml_q4_k_amx", "4-bit weights times a vector", 0.95, PrepareGemv, "gemv_q4_q8", "q4_K AMX"},
    Row{"gemv_q8.ggml_q8_0", "8-bit weights times a vector", 0.95, PrepareGemv, "gemv_q8_q8", "q8_0 CPU"},
    Row{"gemv_q8.ggml_q8_0_repacked", "8-bit weights times a vector", 0.95, PrepareGemv, "gemv_q8_q8",
        "q8_0 CPU_REPACK"},
    Row{"gemv_q8.ggml_q8_0_amx", "8-bit weights times a vector", 0.95, PrepareGemv, "gemv_q8_q8", "q8_0 AMX"},
    Row{"gemv_fp16.ggml_f16", "fp16 weights times a vector", 0.95, PrepareGemv, "gemv_fp16", "f16 CPU"},
    Row{"gemv_bf16.ggml_bf16", "bf16 weights times a vector", 0.95, PrepareGemv, "gemv_bf16", "bf16 CPU"},
};

}  // namespace

std::span<const Row> Rows() { return kRows; }

unsigned Threads() { return TheWorkers().count(); }

}  // namespace bench
