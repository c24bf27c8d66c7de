// SPDX-License-Identifier: MIT
#include "backends/stream/blas_lt.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace backends::stream {
namespace {

struct Functions {
#define WHICHGPU_BLAS_LT_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/stream/blas_lt_symbols.def"
#undef WHICHGPU_BLAS_LT_SYMBOL
};

constexpr int kHeuristics = 8;
constexpr int kTrials = 3;

using Words = std::vector<std::uint64_t>;
// What follows the algorithm in a heuristic's answer: its workspace, the state, and what is not read.
constexpr std::size_t kWordsBehindAlgorithm = 4;

// A shape's product with its algorithm.
struct Plan {
  void* operation = nullptr;
  void* first = nullptr;   // B, which comes first where matrices are stored by columns
  void* second = nullptr;  // A
  void* result = nullptr;
  Words algorithm;
  bool rough = false;  // it is the first that ran
};

class OpenLibrary {
 public:
  OpenLibrary(const BlasLt& kind, const Functions& functions, Runtime& runtime, Timer timer)
      : kind_(kind), f_(functions), runtime_(runtime), timer_(timer) {}

  [[nodiscard]] probe::Status Create(std::uint64_t max_workspace_bytes);
  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  // Its plan, made when the shape is first asked for, and again where more is asked for than a rough one.
  [[nodiscard]] probe::Result<const Plan*> PlanOf(const Product& product);
  [[nodiscard]] probe::Status Multiply(const Plan& plan, const Product& product) const;

 private:
  [[nodiscard]] probe::Result<Plan> MakePlan(const Product& product) const;
  [[nodiscard]] probe::Status ChooseAlgorithm(Plan& plan, const Product& product) const;
  [[nodiscard]] probe::Result<std::vector<Words>> AskAlgorithms(const Plan& plan) const;
  [[nodiscard]] probe::Result<double> Time(const Plan& plan, const Product& product, int trials) const;
  [[nodiscard]] probe::Error ErrorOf(std::string_view call, int status) const;
  // The same of a call for a product, which the library may have no kernel for: no fault of anybody's.
  [[nodiscard]] probe::Error ProductError(std::string_view call, int status) const;

  const BlasLt& kind_;
  const Functions f_;
  Runtime& runtime_;
  const Timer timer_;
  void* handle_ = nullptr;
  void* preference_ = nullptr;   // how much workspace an algorithm may want
  std::uint64_t workspace_ = 0;  // its address
  std::uint64_t workspace_bytes_ = 0;
  std::map<std::tuple<const ProductType*, int, int, int>, Plan> plans_;
};

probe::Error OpenLibrary::ErrorOf(std::string_view call, int status) const {
  const auto row = std::find_if(kind_.statuses.begin(), kind_.statuses.end(),
                                [&](const auto& known) { return known.first == status; });
  return {std::string(kind_.prefix).append(call),
          status,
          std::string(row == kind_.statuses.end() ? "unknown error" : row->second),
          {}};
}

probe::Error OpenLibrary::ProductError(std::string_view call, int status) const {
  if (status != kind_.not_supported) return ErrorOf(call, status);
  auto error = probe::Own(probe::OwnError::kNoSuchKernel, std::string(kind_.prefix).append(call),
                          std::string(kind_.name).append(" has no such product for this device"));
  error.code = status;
  return error;
}

probe::Status OpenLibrary::Create(std::uint64_t max_workspace_bytes) {
  if (const int status = f_.Create(&handle_); status != 0) return ErrorOf("Create", status);
  if (const int status = f_.MatmulPreferenceCreate(&preference_); status != 0)
    return ErrorOf("MatmulPreferenceCreate", status);
  // Without a workspace there are fewer algorithms, not none.
  const std::uint64_t bytes = std::min(kBlasLtWorkspaceBytes, max_workspace_bytes);
  if (bytes == 0) return probe::Ok();
  const auto address = runtime_.Allocate(bytes);
  if (!address) return probe::Ok();
  workspace_ = *address;
  workspace_bytes_ = bytes;
  // Where it fails none is offered that wants one: that is the default.
  (void)f_.MatmulPreferenceSetAttribute(preference_, kind_.workspace_bytes, &bytes, sizeof bytes);
  return probe::Ok();
}

probe::Result<const Plan*> OpenLibrary::PlanOf(const Product& product) {
  const auto key = std::tuple(&product.type, product.m, product.n, product.k);
  const auto known = plans_.find(key);
  if (known != plans_.end() && (product.rough || !known->second.rough)) return &known->second;
  auto plan = known != plans_.end() ? known->second : MakePlan(product);
  if (!plan) return plan.error();
  if (auto chosen = ChooseAlgorithm(*plan, product); !chosen) return chosen.error();
  return &plans_.insert_or_assign(key, *std::move(plan)).first->second;
}

probe::Status OpenLibrary::Multiply(const Plan& plan, const Product& product) const {
  const Scales scales = ScalesOf(product.type);
  const int status = f_.Matmul(handle_, plan.operation, &scales.one, product.b, plan.first, product.a,
                               plan.second, &scales.zero, product.c, plan.result, product.c, plan.result,
                               plan.algorithm.data(), DevicePointer(workspace_), workspace_bytes_, nullptr);
  return status == 0 ? probe::Ok() : probe::Status(ProductError("Matmul", status));
}

// Where matrices are stored by columns, C is n x m: the transpose of B as stored times A as stored.
probe::Result<Plan> OpenLibrary::MakePlan(const Product& product) const {
  Plan plan;
  const auto& numbers = product.type.numbers;
  if (const int status = f_.MatmulDescCreate(&plan.operation, numbers.compute, numbers.scale); status != 0)
    return ProductError("MatmulDescCreate", status);
  for (const auto& [attribute, value] :
       {std::pair(kind_.transpose_a, kind_.transpose), std::pair(kind_.transpose_b, kind_.no_transpose)}) {
    const int status = f_.MatmulDescSetAttribute(plan.operation, attribute, &value, sizeof value);
    if (status != 0) return ProductError("MatmulDescSetAttribute", status);
  }
  for (const auto& [layout, type, rows, columns] :
       {std::tuple(&plan.first, numbers.operand, product.k, product.n),
        std::tuple(&plan.second, numbers.operand, product.k, product.m),
        std::tuple(&plan.result, numbers.result, product.n, product.m)}) {
    const int status = f_.MatrixLayoutCreate(layout, type, static_cast<std::uint64_t>(rows),
                                             static_cast<std::uint64_t>(columns), rows);
    if (status != 0) return ProductError("MatrixLayoutCreate", status);
  }
  if (kind_.fast_accumulation != 0 && product.type.in == kernels::Dtype::kFp8) {
    const std::int8_t fast = 1;
    // CUDA 11 does not know it, and Blackwell needs none.
    (void)f_.MatmulDescSetAttribute(plan.operation, kind_.fast_accumulation, &fast, sizeof fast);
  }
  return plan;
}

// Those that the library offers for this device, best first by its own estimate.
probe::Result<std::vector<Words>> OpenLibrary::AskAlgorithms(const Plan& plan) const {
  const std::size_t algorithm_words = kind_.algorithm_bytes / sizeof(std::uint64_t);
  const std::size_t answer_words = algorithm_words + kWordsBehindAlgorithm;
  Words answers(kHeuristics * answer_words);
  int count = 0;
  const int status = f_.MatmulAlgoGetHeuristic(handle_, plan.operation, plan.first, plan.second, plan.result,
                                               plan.result, preference_, kHeuristics, answers.data(), &count);
  if (status != 0 || count <= 0)
    return ProductError("MatmulAlgoGetHeuristic", status == 0 ? kind_.not_supported : status);
  std::vector<Words> algorithms;
  int state = 0;
  for (int i = 0; i < std::min(count, kHeuristics); ++i) {
    const std::uint64_t* answer = &answers[static_cast<std::size_t>(i) * answer_words];
    std::memcpy(&state, answer + algorithm_words + 1, sizeof state);
    if (state == 0) algorithms.emplace_back(answer, answer + algorithm_words);
  }
  if (algorithms.empty()) return ProductError("MatmulAlgoGetHeuristic", state);
  return algorithms;
}

// The fastest of what is offered, on these very operands; or the first that runs.
probe::Status OpenLibrary::ChooseAlgorithm(Plan& plan, const Product& product) const {
  auto offered = AskAlgorithms(plan);
  if (!offered) return offered.error();
  double best_s = std::numeric_limits<double>::infinity();
  std::optional<probe::Error> failed;
  Words fastest;
  for (Words& algorithm : *offered) {
    plan.algorithm = algorithm;
    const auto time_s = Time(plan, product, product.rough ? 0 : kTrials);
    if (runtime_.Ended(time_s)) return time_s.error();
    // One that fails says more than those that are none for this device.
    if (!time_s && (!failed || failed->Is(probe::OwnError::kNoSuchKernel))) failed = time_s.error();
    if (!time_s || *time_s >= best_s) continue;
    best_s = *time_s;
    fastest = std::move(algorithm);
    if (product.rough) break;
  }
  plan.algorithm = std::move(fastest);
  plan.rough = product.rough;
  if (plan.algorithm.empty() && failed) return *failed;
  return probe::Ok();
}

// The least time of so many runs, in seconds, after one that loads the kernel.
probe::Result<double> OpenLibrary::Time(const Plan& plan, const Product& product, int trials) const {
  const Enqueue multiply = [&] { return Multiply(plan, product); };
  double best_s = std::numeric_limits<double>::max();
  for (int trial = 0; trial <= trials; ++trial) {
    const auto timing = timer_.Time({&multiply, 1}, 1);
    if (!timing) return timing.error();
    if (trial > 0) best_s = std::min(best_s, timing->device_s.value_or(best_s));
  }
  return best_s;
}

}  // namespace

probe::Result<Products> OpenBlasLt(const probe::system::Library& library, const BlasLt& kind,
                                   Runtime& runtime, std::uint64_t max_workspace_bytes) {
  Functions functions;
  std::string name;
#define WHICHGPU_BLAS_LT_SYMBOL(symbol, ...)                               \
  name = std::string(kind.prefix).append(#symbol);                         \
  functions.symbol = library.Function<int (*)(__VA_ARGS__)>(name.c_str()); \
  if (functions.symbol == nullptr)                                         \
    return probe::Error{"dlsym " + name, std::nullopt, "missing_symbol",   \
                        "this " + std::string(kind.name) + " is too old"};
#include "backends/stream/blas_lt_symbols.def"
#undef WHICHGPU_BLAS_LT_SYMBOL
  const auto timer = Timer::Create(runtime);
  if (!timer) return timer.error();
  const auto own = std::make_shared<OpenLibrary>(kind, functions, runtime, *timer);
  if (auto created = own->Create(max_workspace_bytes); !created) return created.error();
  const auto prepare = [own](const Product& product) -> probe::Result<Enqueue> {
    const auto plan = own->PlanOf(product);
    if (!plan) return plan.error();
    return Enqueue([own, plan = *plan, product] { return own->Multiply(*plan, product); });
  };
  return Products{kind.types, prepare, own->workspace_bytes()};
}

}  // namespace backends::stream
