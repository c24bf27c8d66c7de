// SPDX-License-Identifier: MIT
// A library's products on level_zero_session.h.
#include <algorithm>
#include <limits>

#include "backends/level_zero/level_zero_session.h"

namespace backends::level_zero {

probe::Result<KernelId> LevelZeroSession::LoadProduct(const kernels::Variant& variant,
                                                      const kernels::Step& step) {
  if (!onednn_) {
    onednn_ = OneDnn::Open(opened_.driver, opened_.device, opened_.context,
                           {record_, std::nullopt, files_, environment_});
  }
  if (!*onednn_) return onednn_->error();
  const auto* type = OneDnnType(step.entry);
  if (type != nullptr) return Keep(variant, {nullptr, std::string(step.entry), type});
  return probe::Error{std::string(step.library), std::nullopt, "no such product", std::string(step.entry)};
}

probe::Result<stream::Product> LevelZeroSession::ProductOf(const Launch& launch,
                                                           const stream::ProductType& type) const {
  const auto& edges = launch.shape.scalars;
  constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
  if (launch.buffers.size() != 3 || edges.size() != 3 ||
      *std::max_element(edges.begin(), edges.end()) > kMost)
    return probe::Error{"launch", std::nullopt, "out of range", "a library's product takes three matrices"};
  std::array<std::byte*, 3> at{};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto address = buffers_.AddressOf("launch", launch.buffers[i].buffer);
    if (!address) return address.error();
    at[i] = *address;
  }
  return stream::Product{.type = type,
                         .m = static_cast<int>(edges[0]),
                         .n = static_cast<int>(edges[1]),
                         .k = static_cast<int>(edges[2]),
                         .a = at[0],
                         .b = at[1],
                         .c = at[2],
                         .rough = launch.rough};
}

probe::Result<std::vector<stream::Product>> LevelZeroSession::PrepareProducts(
    std::span<const Launch> launches) {
  std::vector<stream::Product> products;
  for (const Launch& launch : launches) {
    const auto index = static_cast<std::size_t>(launch.kernel);
    const auto* type = index < kernels_.size() ? kernels_[index].product : nullptr;
    if (type == nullptr) continue;
    const auto product = ProductOf(launch, *type);
    if (!product) return product.error();
    if (const auto ready = (*onednn_)->Prepare(*product); !ready) return ready.error();
    products.push_back(*product);
  }
  if (products.empty() || products.size() == launches.size()) return products;
  return probe::Error{"launch", std::nullopt, "mixed", "a library's products run by themselves"};
}

probe::Status LevelZeroSession::StartAll(std::span<const stream::Product> products, std::uint32_t repeats) {
  for (std::uint32_t i = 0; i < repeats; ++i) {
    for (const stream::Product& product : products) {
      if (auto started = (*onednn_)->Start(product); !started) return started;
    }
  }
  return probe::Ok();
}

}  // namespace backends::level_zero
