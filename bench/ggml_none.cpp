// SPDX-License-Identifier: MIT
#include "bench/ggml.h"

namespace bench {

std::vector<std::byte> GgmlQuantise(std::string_view, std::span<const float>, std::size_t) { return {}; }

std::variant<std::unique_ptr<GgmlProducts>, std::string> OpenGgml(const GgmlRequest&) {
  return "built without ggml; tell CMake where one is installed: -Dggml_DIR=PREFIX/lib/cmake/ggml";
}

}  // namespace bench
