// SPDX-License-Identifier: MIT
// One device of such a runtime, open: buffers, kernels, products of libraries, and launches on the default
// stream. Knows no kernel by name and chooses nothing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "backends/stream/products.h"
#include "backends/stream/runtime.h"

namespace backends::stream {

// What is asked of each runtime in a way of its own.
struct DeviceTraits {
  std::optional<std::int64_t> l2_bytes;  // or of a cache beyond it
  int max_threads = 0;                   // of a block
  std::uint32_t subgroup_width = 0;      // where the facts have none
  std::vector<std::string> features;     // Limits::features
  std::string others;                    // who else uses the device, for people; empty where nobody does
  OthersWork work = OthersWork::kSeen;   // and does there
};

class StreamSession final : public Session {
 public:
  // Enters the runtime's first device, of which `facts` is what was read.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(std::unique_ptr<Runtime> runtime,
                                                                      const probe::RuntimeDevice& facts,
                                                                      DeviceTraits traits);

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override {
    return runtime_->AllocateHost(bytes);
  }
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }
  [[nodiscard]] DeviceState State() const override { return seen_ ? *seen_ : runtime_->State(); }
  [[nodiscard]] bool Watch() override;

 private:
  // A kernel of ours, or a type of an open library's products.
  struct Loaded {
    Function function;
    const Products* library = nullptr;
    const ProductType* type = nullptr;
    bool fills = false;  // of its runs the host's clock alone is read, which events would hold up
  };
  StreamSession(std::unique_ptr<Runtime> runtime, Timer timer, Limits limits)
      : runtime_(std::move(runtime)), timer_(timer), limits_(std::move(limits)) {}
  [[nodiscard]] probe::Result<Products> OpenLibrary(std::string_view name);
  [[nodiscard]] probe::Result<Loaded> LoadProduct(const kernels::Step& step);
  [[nodiscard]] probe::Result<Enqueue> Bind(const Launch& launch);
  [[nodiscard]] static probe::Result<Enqueue> BindProduct(const Loaded& loaded, const Launch& launch,
                                                          std::span<const std::uint64_t> addresses);

  template <class T>
  [[nodiscard]] probe::Result<T> Watched(probe::Result<T> result) {
    if (runtime_->Ended(result)) account_.ContextEnded();
    return result;
  }

  const std::unique_ptr<Runtime> runtime_;
  const Timer timer_;
  const Limits limits_;
  BufferTable<std::uint64_t> buffers_{limits_};  // by their addresses
  // By their variants' name; one that failed is not opened again.
  std::map<std::string_view, probe::Result<Products>> libraries_;
  std::vector<Loaded> kernels_;      // by KernelId
  bool watches_ = false;             // the next run
  std::optional<DeviceState> seen_;  // while the last one ran that was watched
  CulpritAccount account_;
};

}  // namespace backends::stream
