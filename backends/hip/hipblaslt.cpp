// SPDX-License-Identifier: MIT
// hipBLASLt. Declarations and numbers from its public reference (rocm.docs.amd.com/projects/hipBLASLt, "API
// reference", and hipBLAS-common's for types); every handle is a pointer to something opaque.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "backends/hip/vendor.h"

namespace backends::hip {
namespace {

using kernels::Dtype;
namespace rt = probe::hip;

struct LtHeuristic {
  struct {
    std::array<std::uint8_t, 16> data;
    std::size_t max_workspace_bytes;
  } algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};
static_assert(sizeof(LtHeuristic) == 56);

struct Functions {
#define WHICHGPU_HIPBLASLT_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/hip/hipblaslt_symbols.def"
#undef WHICHGPU_HIPBLASLT_SYMBOL
};

// hipBLASLt 1 is of ROCm 7.
constexpr std::array<std::string_view, 3> kSonames = {"libhipblaslt.so.1", "libhipblaslt.so.0",
                                                      "libhipblaslt.so"};
// hipDataType, hipblasComputeType_t, hipblasOperation_t and attributes.
enum Type : int { kF32 = 0, kF16 = 2, kI8 = 3, kI32 = 10, kBf16 = 14, kFp8 = 28, kFp8Fnuz = 1000 };
enum Compute : int { kCompute32 = 2, kComputeTf32 = 6, kComputeInt32 = 9 };
constexpr int kNone = 111, kTranspose = 112;
constexpr int kTransposeA = 0, kTransposeB = 1, kMaxWorkspace = 1;

constexpr std::array kTypes = {
    VendorType{"hipblaslt:fp32/fp32", Dtype::kFp32, Dtype::kFp32, "", kF32, kF32, kCompute32, kF32},
    VendorType{"hipblaslt:tf32/fp32", Dtype::kTf32, Dtype::kFp32, "mfma_xf32", kF32, kF32, kComputeTf32,
               kF32},
    VendorType{"hipblaslt:fp16/fp32", Dtype::kFp16, Dtype::kFp32, "", kF16, kF32, kCompute32, kF32},
    VendorType{"hipblaslt:bf16/fp32", Dtype::kBf16, Dtype::kFp32, "", kBf16, kF32, kCompute32, kF32},
    VendorType{"hipblaslt:int8/int32", Dtype::kInt8, Dtype::kInt32, "", kI8, kI32, kComputeInt32, kI32},
    VendorType{"hipblaslt:fp8_fnuz/fp32", Dtype::kFp8, Dtype::kFp32, "mfma_fp8_fnuz", kFp8Fnuz, kF32,
               kCompute32, kF32},
    VendorType{"hipblaslt:fp8/fp32", Dtype::kFp8, Dtype::kFp32, "mfma_fp8", kFp8, kF32, kCompute32, kF32},
    VendorType{"hipblaslt:fp8/fp32 wmma", Dtype::kFp8, Dtype::kFp32, "wmma_gfx12", kFp8, kF32, kCompute32,
               kF32},
};
constexpr int kHeuristics = 8;
constexpr int kTrials = 3;
constexpr std::size_t kWorkspaceBytes = 32U << 20U;

// hipblasStatus_t.
probe::Error StatusError(std::string_view call, int status) {
  constexpr std::array<std::string_view, 9> kNames = {"SUCCESS",        "NOT_INITIALIZED", "ALLOC_FAILED",
                                                      "INVALID_VALUE",  "MAPPING_ERROR",   "EXECUTION_FAILED",
                                                      "INTERNAL_ERROR", "NOT_SUPPORTED",   "ARCH_MISMATCH"};
  const auto index = static_cast<std::size_t>(status);
  return {std::string(call),
          status,
          index < kNames.size() ? "HIPBLAS_STATUS_" + std::string(kNames[index]) : "unknown error",
          {}};
}

// A shape's product with its fastest algorithm.
struct Plan {
  void* operation = nullptr;
  void* first = nullptr;  // B, which comes first where matrices are stored by columns
  void* second = nullptr;
  void* result = nullptr;
  LtHeuristic chosen{};
};

class HipblasLtLibrary {
 public:
  HipblasLtLibrary(const Functions& functions, const rt::Api& api) : f_(functions), api_(api) {}

  probe::Status Create() {
    if (const int status = f_.hipblasLtCreate(&handle_); status != 0)
      return StatusError("hipblasLtCreate", status);
    // Without a workspace there are fewer algorithms, not none.
    if (api_.hipMalloc(&workspace_, kWorkspaceBytes) != rt::kHipSuccess) workspace_ = nullptr;
    return probe::Ok();
  }

  probe::Result<const Plan*> PlanOf(const VendorProduct& p) {
    const auto key = std::tuple(&p.type, p.m, p.n, p.k);
    if (const auto known = plans_.find(key); known != plans_.end()) return &known->second;
    auto plan = MakePlan(p);
    if (!plan) return plan.error();
    if (auto chosen = ChooseAlgorithm(*plan, p); !chosen) return chosen.error();
    return &plans_.emplace(key, *plan).first->second;
  }

  probe::Status Multiply(const Plan& plan, const VendorProduct& p) const {
    const Scales scales = ScalesOf(p.type);
    const int status =
        f_.hipblasLtMatmul(handle_, plan.operation, &scales.one, p.b, plan.first, p.a, plan.second,
                           &scales.zero, p.c, plan.result, p.c, plan.result, &plan.chosen.algorithm,
                           workspace_, workspace_ == nullptr ? 0 : kWorkspaceBytes, nullptr);
    return status == 0 ? probe::Ok() : probe::Status(StatusError("hipblasLtMatmul", status));
  }

 private:
  // Where matrices are stored by columns, C is n x m: the transpose of B as stored times A as stored.
  probe::Result<Plan> MakePlan(const VendorProduct& p) const {
    Plan plan;
    int status = f_.hipblasLtMatmulDescCreate(&plan.operation, p.type.compute, p.type.scale);
    const auto also = [&](auto&& call) {
      if (status == 0) status = call();
    };
    for (const auto& set : {std::pair(kTransposeA, kTranspose), std::pair(kTransposeB, kNone)}) {
      also([&] {
        return f_.hipblasLtMatmulDescSetAttribute(plan.operation, set.first, &set.second, sizeof set.second);
      });
    }
    const auto layout = [&](void** out, int type, int rows, int columns) {
      also([&] {
        return f_.hipblasLtMatrixLayoutCreate(out, type, static_cast<std::uint64_t>(rows),
                                              static_cast<std::uint64_t>(columns), rows);
      });
    };
    layout(&plan.first, p.type.operand, p.k, p.n);
    layout(&plan.second, p.type.operand, p.k, p.m);
    layout(&plan.result, p.type.result, p.n, p.m);
    if (status != 0) return StatusError("hipblasLtMatrixLayoutCreate", status);
    return plan;
  }

  // The fastest of what is offered, on these very operands.
  probe::Status ChooseAlgorithm(Plan& plan, const VendorProduct& p) const {
    void* preference = nullptr;
    const std::uint64_t workspace = workspace_ == nullptr ? 0 : kWorkspaceBytes;
    if (f_.hipblasLtMatmulPreferenceCreate(&preference) == 0) {
      (void)f_.hipblasLtMatmulPreferenceSetAttribute(preference, kMaxWorkspace, &workspace, sizeof workspace);
    }
    std::array<LtHeuristic, kHeuristics> found{};
    int count = 0;
    const int status =
        f_.hipblasLtMatmulAlgoGetHeuristic(handle_, plan.operation, plan.first, plan.second, plan.result,
                                           plan.result, preference, kHeuristics, found.data(), &count);
    if (status != 0 || count <= 0)
      return StatusError("hipblasLtMatmulAlgoGetHeuristic", status == 0 ? 7 : status);
    float best = std::numeric_limits<float>::infinity();
    probe::Status last =
        probe::Error{"hipblasLtMatmul", std::nullopt, "no algorithm", "none of the offered ones ran"};
    LtHeuristic fastest{};
    for (int i = 0; i < std::min(count, kHeuristics); ++i) {
      plan.chosen = found[static_cast<std::size_t>(i)];
      if (plan.chosen.state != 0) continue;
      const auto time = Time(plan, p);
      if (!time && !last) last = time.error();
      if (!time || *time >= best) continue;
      best = *time;
      fastest = plan.chosen;
      last = probe::Ok();
    }
    plan.chosen = fastest;
    return last;
  }

  // The least time of a few runs, in milliseconds.
  probe::Result<float> Time(const Plan& plan, const VendorProduct& p) const {
    rt::HipEvent start = nullptr, end = nullptr;
    if (api_.hipEventCreateWithFlags(&start, rt::kHipEventDefault) != rt::kHipSuccess ||
        api_.hipEventCreateWithFlags(&end, rt::kHipEventDefault) != rt::kHipSuccess) {
      return probe::Error{"hipEventCreateWithFlags", std::nullopt, "no events", ""};
    }
    float best = std::numeric_limits<float>::max();
    for (int trial = 0; trial <= kTrials; ++trial) {
      (void)api_.hipEventRecord(start, nullptr);
      if (const auto status = Multiply(plan, p); !status) return status.error();
      (void)api_.hipEventRecord(end, nullptr);
      if (const auto code = api_.hipDeviceSynchronize(); code != rt::kHipSuccess)
        return rt::ErrorOf("hipDeviceSynchronize", code);
      float milliseconds = 0;
      // The first run loads the kernel.
      if (trial > 0 && api_.hipEventElapsedTime(&milliseconds, start, end) == rt::kHipSuccess) {
        best = std::min(best, milliseconds);
      }
    }
    return best;
  }

  const Functions f_;
  const rt::Api& api_;
  void* handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<std::tuple<const VendorType*, int, int, int>, Plan> plans_;
};

probe::Result<Prepare> Bind(const probe::system::Library& library, const rt::Api& api) {
  Functions functions;
#define WHICHGPU_HIPBLASLT_SYMBOL(symbol, ...)                        \
  functions.symbol = library.Function<int (*)(__VA_ARGS__)>(#symbol); \
  if (functions.symbol == nullptr)                                    \
    return probe::Error{"dlsym " #symbol, std::nullopt, "missing_symbol", "this hipBLASLt is too old"};
#include "backends/hip/hipblaslt_symbols.def"
#undef WHICHGPU_HIPBLASLT_SYMBOL
  const auto own = std::make_shared<HipblasLtLibrary>(functions, api);
  if (auto status = own->Create(); !status) return status.error();
  return Prepare([own](const VendorProduct& product) -> probe::Result<Enqueue> {
    const auto plan = own->PlanOf(product);
    if (!plan) return plan.error();
    return Enqueue([own, plan = *plan, product] { return own->Multiply(*plan, product); });
  });
}

}  // namespace

Vendor HipblasLt() {
  return {"hipblaslt", kSonames, "hipblaslt/library", "HIPBLASLT_TENSILE_LIBPATH", kTypes, Bind};
}

}  // namespace backends::hip
