// SPDX-License-Identifier: MIT
#include "backends/cuda/cublaslt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "backends/core/device_pointer.h"
#include "backends/cuda/cublaslt_declarations.h"
#include "probe/system/library.h"

namespace backends::cuda {

struct CublasLt::Functions {
#define WHICHGPU_CUBLASLT_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/cuda/cublaslt_symbols.def"
#undef WHICHGPU_CUBLASLT_SYMBOL
};

namespace {

using kernels::Dtype;
using kernels::Role;
namespace rt = probe::cuda;

constexpr std::array<std::string_view, 3> kSonames = {"libcublasLt.so.13", "libcublasLt.so.12",
                                                      "libcublasLt.so.11"};
constexpr int kTrials = 3;

struct TypeRow {
  std::string_view entry;
  Dtype in, acc;
  LtType operand, result, scale;
  LtCompute compute;
  std::string_view feature;
};
constexpr std::array kTypes = {
    TypeRow{"cublaslt:fp32/fp32", Dtype::kFp32, Dtype::kFp32, kLtFp32, kLtFp32, kLtFp32, kLtCompute32,
            "sm_50"},
    TypeRow{"cublaslt:tf32/fp32", Dtype::kTf32, Dtype::kFp32, kLtFp32, kLtFp32, kLtFp32, kLtComputeTf32,
            "sm_80"},
    TypeRow{"cublaslt:fp16/fp32", Dtype::kFp16, Dtype::kFp32, kLtFp16, kLtFp32, kLtFp32, kLtCompute32,
            "sm_70"},
    TypeRow{"cublaslt:fp16/fp16", Dtype::kFp16, Dtype::kFp16, kLtFp16, kLtFp16, kLtFp16, kLtCompute16,
            "sm_70"},
    TypeRow{"cublaslt:bf16/fp32", Dtype::kBf16, Dtype::kFp32, kLtBf16, kLtFp32, kLtFp32, kLtCompute32,
            "sm_80"},
    TypeRow{"cublaslt:int8/int32", Dtype::kInt8, Dtype::kInt32, kLtInt8, kLtInt32, kLtInt32, kLtComputeInt32,
            "sm_75"},
    TypeRow{"cublaslt:fp8/fp32", Dtype::kFp8, Dtype::kFp32, kLtFp8, kLtFp32, kLtFp32, kLtCompute32, "sm_89"},
};

// One and zero in the type of the scale.
struct Scales {
  std::uint32_t one = 0;
  std::uint32_t zero = 0;
};
Scales ScalesOf(LtType type) {
  if (type == kLtInt32) return {1, 0};
  return {type == kLtFp16 ? 0x3c00U : 0x3f800000U, 0};
}

// cublasStatus_t.
probe::Error LtError(std::string_view call, int status) {
  constexpr std::array<std::pair<int, std::string_view>, 8> kNames = {{{1, "CUBLAS_STATUS_NOT_INITIALIZED"},
                                                                       {3, "CUBLAS_STATUS_ALLOC_FAILED"},
                                                                       {7, "CUBLAS_STATUS_INVALID_VALUE"},
                                                                       {8, "CUBLAS_STATUS_ARCH_MISMATCH"},
                                                                       {11, "CUBLAS_STATUS_MAPPING_ERROR"},
                                                                       {13, "CUBLAS_STATUS_EXECUTION_FAILED"},
                                                                       {14, "CUBLAS_STATUS_INTERNAL_ERROR"},
                                                                       {15, "CUBLAS_STATUS_NOT_SUPPORTED"}}};
  const auto row =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& known) { return known.first == status; });
  return {std::string(call), status, std::string(row == kNames.end() ? "unknown error" : row->second), {}};
}

}  // namespace

struct CublasLt::Plan {
  const TypeRow* type = nullptr;
  void* operation = nullptr;
  void* first = nullptr;   // B, which comes first where matrices are stored by columns
  void* second = nullptr;  // A
  void* result = nullptr;
  LtHeuristic chosen{};
};

CublasLt::CublasLt(const rt::Api& api, std::unique_ptr<Functions> functions)
    : api_(api), functions_(std::move(functions)) {}
CublasLt::~CublasLt() = default;

bool CublasLt::IsInstalled(const probe::system::FileSystem& files,
                           const probe::system::Environment& environment) {
  return probe::system::Library::Exists(kSonames, rt::LibraryDirectories(files, environment), files,
                                        environment);
}

probe::Result<std::unique_ptr<CublasLt>> CublasLt::Open(const rt::Api& api,
                                                        const probe::system::FileSystem& files,
                                                        const probe::system::Environment& environment,
                                                        std::uint64_t max_workspace_bytes) {
  const auto library =
      probe::system::Library::Open(kSonames, rt::LibraryDirectories(files, environment), files, environment);
  if (!library) return library.error();
  auto functions = std::make_unique<Functions>();
#define WHICHGPU_CUBLASLT_SYMBOL(symbol, ...)                           \
  functions->symbol = library->Function<int (*)(__VA_ARGS__)>(#symbol); \
  if (functions->symbol == nullptr)                                     \
    return probe::Error{"dlsym " #symbol, std::nullopt, "missing_symbol", "this cuBLASLt is too old"};
#include "backends/cuda/cublaslt_symbols.def"
#undef WHICHGPU_CUBLASLT_SYMBOL
  std::unique_ptr<CublasLt> out(new CublasLt(api, std::move(functions)));
  if (const int status = out->functions_->cublasLtCreate(&out->handle_); status != 0) {
    return LtError("cublasLtCreate", status);
  }
  // Without a workspace there are fewer algorithms, not none.
  const std::uint64_t bytes = std::min(kWorkspaceBytes, max_workspace_bytes);
  if (bytes > 0 && api.cuMemAlloc(&out->workspace_, bytes) == rt::kCuSuccess) out->workspace_bytes_ = bytes;
  return out;
}

std::vector<kernels::Variant> CublasLt::Variants() {
  std::vector<kernels::Variant> out;
  for (const TypeRow& row : kTypes) {
    kernels::Variant variant = kernels::Own("cublaslt", kernels::Kernel::kGemm, row.in, row.acc,
                                            {.entry = row.entry, .library = "cublaslt"});
    variant.requires_features = {std::string(row.feature)};
    variant.multiple_m = variant.multiple_n = variant.multiple_k = 16;  // what its fast kernels ask for
    variant.b_transposed = true;
    out.push_back(std::move(variant));
  }
  return out;
}

// Where matrices are stored by columns, C is n x m: the transpose of B as stored times A as stored.
probe::Result<std::unique_ptr<CublasLt::Plan>> CublasLt::MakePlan(std::string_view entry,
                                                                  const LibraryProduct& product) {
  auto plan = std::make_unique<Plan>();
  plan->type =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& row) { return row.entry == entry; });
  if (plan->type == kTypes.end())
    return probe::Error{"cublaslt", std::nullopt, "no such product", std::string(entry)};
  const TypeRow& type = *plan->type;
  const auto& f = *functions_;
  const std::uint32_t m = product.m, n = product.n, k = product.k;
  int status = f.cublasLtMatmulDescCreate(&plan->operation, type.compute, type.scale);
  const auto also = [&](auto&& call) {
    if (status == 0) status = call();
  };
  also([&] {
    return f.cublasLtMatmulDescSetAttribute(plan->operation, kLtTransposeA, &kLtTranspose, sizeof(int));
  });
  also([&] {
    return f.cublasLtMatmulDescSetAttribute(plan->operation, kLtTransposeB, &kLtNoTranspose, sizeof(int));
  });
  also([&] { return f.cublasLtMatrixLayoutCreate(&plan->first, type.operand, k, n, k); });
  also([&] { return f.cublasLtMatrixLayoutCreate(&plan->second, type.operand, k, m, k); });
  also([&] { return f.cublasLtMatrixLayoutCreate(&plan->result, type.result, n, m, n); });
  if (status != 0) return LtError("cublasLtMatrixLayoutCreate", status);
  return plan;
}

probe::Status CublasLt::Enqueue(const Plan& plan, const LibraryProduct& product) const {
  const Scales scales = ScalesOf(plan.type->scale);
  const int status = functions_->cublasLtMatmul(
      handle_, plan.operation, &scales.one, DevicePointer(product.b), plan.first, DevicePointer(product.a),
      plan.second, &scales.zero, DevicePointer(product.c), plan.result, DevicePointer(product.c), plan.result,
      plan.chosen.algorithm.data(), DevicePointer(workspace_), workspace_bytes_, nullptr);
  return status == 0 ? probe::Ok() : probe::Status(LtError("cublasLtMatmul", status));
}

// The least wall time of a few runs.
probe::Result<float> CublasLt::Time(const Plan& plan, const LibraryProduct& product) const {
  rt::CuEvent start = nullptr, end = nullptr;
  if (api_.cuEventCreate(&start, 0) != rt::kCuSuccess || api_.cuEventCreate(&end, 0) != rt::kCuSuccess) {
    return probe::Error{"cuEventCreate", std::nullopt, "no events", ""};
  }
  float best = std::numeric_limits<float>::max();
  for (int trial = 0; trial <= kTrials; ++trial) {
    api_.cuEventRecord(start, nullptr);
    if (const auto status = Enqueue(plan, product); !status) return status.error();
    api_.cuEventRecord(end, nullptr);
    if (const auto code = api_.cuCtxSynchronize(); code != rt::kCuSuccess)
      return rt::ErrorOf("cuCtxSynchronize", code);
    float milliseconds = 0;
    // The first run loads the kernel.
    if (trial > 0 && api_.cuEventElapsedTime(&milliseconds, start, end) == rt::kCuSuccess) {
      best = std::min(best, milliseconds);
    }
  }
  return best;
}

probe::Status CublasLt::ChooseAlgorithm(Plan& plan, const LibraryProduct& product) {
  const auto& f = *functions_;
  void* preference = nullptr;
  const std::size_t workspace = workspace_bytes_;
  if (f.cublasLtMatmulPreferenceCreate(&preference) == 0) {
    f.cublasLtMatmulPreferenceSetAttribute(preference, kLtWorkspaceBytes, &workspace, sizeof workspace);
  }
  std::array<LtHeuristic, kHeuristics> found{};
  int count = 0;
  const int status =
      f.cublasLtMatmulAlgoGetHeuristic(handle_, plan.operation, plan.first, plan.second, plan.result,
                                       plan.result, preference, kHeuristics, found.data(), &count);
  if (status != 0 || count <= 0) return LtError("cublasLtMatmulAlgoGetHeuristic", status == 0 ? 15 : status);
  float best = std::numeric_limits<float>::max();
  probe::Status last =
      probe::Error{"cublasLtMatmul", std::nullopt, "no algorithm", "none of the offered ones ran"};
  LtHeuristic fastest{};
  for (int i = 0; i < std::min(count, kHeuristics); ++i) {
    plan.chosen = found[static_cast<std::size_t>(i)];
    if (plan.chosen.state != 0) continue;
    const auto time = Time(plan, product);
    if (!time) {
      if (best == std::numeric_limits<float>::max()) last = time.error();
    } else if (*time < best) {
      best = *time;
      fastest = plan.chosen;
      last = probe::Ok();
    }
  }
  plan.chosen = fastest;
  return last;
}

probe::Result<std::function<probe::Status()>> CublasLt::Prepare(std::string_view entry,
                                                                const LibraryProduct& product) {
  const auto key = std::tuple(entry, product.m, product.n, product.k);
  auto known = plans_.find(key);
  if (known == plans_.end()) {
    auto plan = MakePlan(entry, product);
    if (!plan) return plan.error();
    if (auto chosen = ChooseAlgorithm(**plan, product); !chosen) return chosen.error();
    known = plans_.emplace(key, *std::move(plan)).first;
  }
  return std::function<probe::Status()>(
      [this, plan = known->second.get(), product] { return Enqueue(*plan, product); });
}

}  // namespace backends::cuda
