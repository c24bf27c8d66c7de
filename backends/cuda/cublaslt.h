// SPDX-License-Identifier: MIT
// Products by NVIDIA's cuBLASLt (11, 12, 13), wherever it is installed. Loaded, never linked; own
// declarations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/result.h"
#include "probe/cuda/cuda_api.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace backends::cuda {

// C[m x n] = A[m x k] * B with B stored n x k, all row-major.
struct LibraryProduct {
  std::uint32_t m = 0, n = 0, k = 0;
  probe::cuda::CuPointer a = 0, b = 0, c = 0;
};

class CublasLt {
 public:
  // Whether a file of it is there; loads nothing.
  [[nodiscard]] static bool IsInstalled(const probe::system::FileSystem& files,
                                        const probe::system::Environment& environment);
  // Error.name "absent": not installed. Wants a current context. Library code runs from here on, and may take
  // the process down. It takes kWorkspaceBytes of the device's memory, or the given bound.
  [[nodiscard]] static probe::Result<std::unique_ptr<CublasLt>> Open(
      const probe::cuda::Api& api, const probe::system::FileSystem& files,
      const probe::system::Environment& environment, std::uint64_t max_workspace_bytes);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  static constexpr std::uint64_t kWorkspaceBytes = 32U << 20U;  // what cuBLAS itself takes on Hopper
  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_bytes_; }

  // The library's variants, "cublaslt" their name: entries "cublaslt:<in>/<acc>", scalars m, n, k.
  [[nodiscard]] static std::vector<kernels::Variant> Variants();

  // Finds the fastest of kHeuristics algorithms on these very operands, once a shape, and returns what
  // enqueues it.
  static constexpr int kHeuristics = 8;
  [[nodiscard]] probe::Result<std::function<probe::Status()>> Prepare(std::string_view entry,
                                                                      const LibraryProduct& product);

 private:
  struct Functions;
  struct Plan;
  CublasLt(const probe::cuda::Api& api, std::unique_ptr<Functions> functions);
  [[nodiscard]] probe::Result<std::unique_ptr<Plan>> MakePlan(std::string_view entry,
                                                              const LibraryProduct& product);
  [[nodiscard]] probe::Status ChooseAlgorithm(Plan& plan, const LibraryProduct& product);
  [[nodiscard]] probe::Status Enqueue(const Plan& plan, const LibraryProduct& product) const;
  [[nodiscard]] probe::Result<float> Time(const Plan& plan, const LibraryProduct& product) const;

  const probe::cuda::Api& api_;
  std::unique_ptr<Functions> functions_;
  void* handle_ = nullptr;
  probe::cuda::CuPointer workspace_ = 0;
  std::uint64_t workspace_bytes_ = 0;
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t>, std::unique_ptr<Plan>>
      plans_;
};

}  // namespace backends::cuda
