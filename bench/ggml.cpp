// SPDX-License-Identifier: MIT
#include "bench/ggml.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace bench {
namespace {

struct TypeRow {
  std::string_view name;
  ggml_type type;
};
constexpr std::array kTypes = {TypeRow{"q4_0", GGML_TYPE_Q4_0}, TypeRow{"q4_K", GGML_TYPE_Q4_K},
                               TypeRow{"q8_0", GGML_TYPE_Q8_0}, TypeRow{"f16", GGML_TYPE_F16},
                               TypeRow{"bf16", GGML_TYPE_BF16}};

ggml_type TypeOf(std::string_view name) {
  const auto* row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& known) { return known.name == name; });
  return row == kTypes.end() ? GGML_TYPE_COUNT : row->type;
}

// The buffer type of that name: the processor's own or one of those that rearrange weights.
ggml_backend_buffer_type_t StorageOf(std::string_view name) {
  if (ggml_backend_buft_name(ggml_backend_cpu_buffer_type()) == name) return ggml_backend_cpu_buffer_type();
  ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  const auto extra = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(ggml_backend_reg_get_proc_address(
      ggml_backend_dev_backend_reg(device), "ggml_backend_dev_get_extra_bufts"));
  if (extra == nullptr) return nullptr;
  for (ggml_backend_buffer_type_t* at = extra(device); at != nullptr && *at != nullptr; ++at) {
    if (ggml_backend_buft_name(*at) == name) return *at;
  }
  return nullptr;
}

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Context = std::unique_ptr<ggml_context, Free<ggml_free>>;
using Storage = std::unique_ptr<ggml_backend_buffer, Free<ggml_backend_buffer_free>>;
using Threads = std::unique_ptr<ggml_threadpool, Free<ggml_threadpool_free>>;
using Backend = std::unique_ptr<ggml_backend, Free<ggml_backend_free>>;

Context MakeContext(std::size_t tensors) {
  return Context(ggml_init({(tensors + 1) * ggml_tensor_overhead() + ggml_graph_overhead(), nullptr, true}));
}

class Products final : public GgmlProducts {
 public:
  // The weights have buffers of their own, as in an engine; x, the products and the graph another.
  explicit Products(const GgmlRequest& request)
      : type_(TypeOf(request.type)),
        backend_(ggml_backend_cpu_init()),
        weights_(MakeContext(request.copies)),
        rest_(MakeContext(request.copies + 1)) {
    const auto k = static_cast<std::int64_t>(request.k), m = static_cast<std::int64_t>(request.m);
    x_ = ggml_new_tensor_1d(rest_.get(), GGML_TYPE_F32, k);
    graph_ = ggml_new_graph(rest_.get());
    for (std::size_t i = 0; i < request.copies; ++i) {
      matrices_.push_back(ggml_new_tensor_2d(weights_.get(), type_, k, m));
      products_.push_back(ggml_mul_mat(rest_.get(), matrices_.back(), x_));
      ggml_build_forward_expand(graph_, products_.back());
    }
    auto parameters = ggml_threadpool_params_default(static_cast<int>(request.threads));
    parameters.poll = 0;  // between runs the other side has the processors
    threads_.reset(ggml_threadpool_new(&parameters));
    ggml_backend_cpu_set_n_threads(backend_.get(), static_cast<int>(request.threads));
    ggml_backend_cpu_set_threadpool(backend_.get(), threads_.get());
  }

  // Why not; empty if it could.
  std::string Allocate(const GgmlRequest& request) {
    ggml_backend_buffer_type_t storage = StorageOf(request.storage);
    if (storage == nullptr)
      return "this ggml and processor keep no weights as " + std::string(request.storage);
    storage_.reset(ggml_backend_alloc_ctx_tensors_from_buft(weights_.get(), storage));
    rest_storage_.reset(
        ggml_backend_alloc_ctx_tensors_from_buft(rest_.get(), ggml_backend_cpu_buffer_type()));
    if (!storage_ || !rest_storage_) return "ggml has not the memory";
    ggml_backend_buffer_set_usage(storage_.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
    if (!ggml_backend_supports_op(backend_.get(), products_.front())) {
      return "ggml multiplies no " + std::string(request.type) + " kept as " + std::string(request.storage);
    }
    return {};
  }

  [[nodiscard]] std::size_t matrix_bytes() const override { return ggml_nbytes(matrices_.front()); }
  void SetMatrix(std::size_t copy, std::span<const std::byte> weights) override {
    ggml_backend_tensor_set(matrices_[copy], weights.data(), 0, weights.size());
  }
  void SetVector(std::span<const float> x) override {
    ggml_backend_tensor_set(x_, x.data(), 0, x.size_bytes());
  }
  void Run() override { ggml_backend_graph_compute(backend_.get(), graph_); }
  void Get(std::size_t copy, std::span<float> y) const override {
    ggml_backend_tensor_get(products_[copy], y.data(), 0, y.size_bytes());
  }
  [[nodiscard]] std::string version() const override { return std::string("ggml ") + ggml_version(); }

 private:
  ggml_type type_;
  Threads threads_;
  Backend backend_;
  Context weights_, rest_;
  Storage storage_, rest_storage_;
  ggml_tensor* x_ = nullptr;
  ggml_cgraph* graph_ = nullptr;
  std::vector<ggml_tensor*> matrices_, products_;
};

}  // namespace

std::vector<std::byte> GgmlQuantise(std::string_view type, std::span<const float> values, std::size_t k) {
  const ggml_type to = TypeOf(type);
  const std::size_t rows = values.size() / k;
  std::vector<std::byte> out(rows * ggml_row_size(to, static_cast<std::int64_t>(k)));
  ggml_quantize_chunk(to, values.data(), out.data(), 0, static_cast<std::int64_t>(rows),
                      static_cast<std::int64_t>(k), nullptr);
  return out;
}

std::variant<std::unique_ptr<GgmlProducts>, std::string> OpenGgml(const GgmlRequest& request) {
  // It says every matrix that it rearranges.
  ggml_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  auto products = std::make_unique<Products>(request);
  if (std::string why = products->Allocate(request); !why.empty()) return why;
  return products;
}

}  // namespace bench
