// SPDX-License-Identifier: MIT
// Products of weight matrices with vectors by ggml, the library of llama.cpp: in ggml.cpp where one was found
// (CMake's ggml_DIR), else in ggml_none.cpp, which says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bench {

struct GgmlRequest {
  std::string_view type;     // of the weights: "q4_0", "q4_K", "q8_0", "f16", "bf16"
  std::string_view storage;  // how they are kept, a buffer type's name: "CPU", "CPU_REPACK", "AMX"
  std::size_t m = 0, k = 0;
  std::size_t copies = 1;  // different matrices, which are multiplied one after another
  unsigned threads = 1;
};

class GgmlProducts {
 public:
  virtual ~GgmlProducts() = default;
  // Bytes of one matrix in the type's own layout, rows one after another.
  [[nodiscard]] virtual std::size_t matrix_bytes() const = 0;
  virtual void SetMatrix(std::size_t copy, std::span<const std::byte> weights) = 0;
  virtual void SetVector(std::span<const float> x) = 0;
  // All copies' products.
  virtual void Run() = 0;
  // Into y, of the last run.
  virtual void Get(std::size_t copy, std::span<float> y) const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
};

// Rows of k values each, rounded to the type.
[[nodiscard]] std::vector<std::byte> GgmlQuantise(std::string_view type, std::span<const float> values,
                                                  std::size_t k);

// Or why there are none.
[[nodiscard]] std::variant<std::unique_ptr<GgmlProducts>, std::string> OpenGgml(const GgmlRequest& request);

}  // namespace bench
