// SPDX-License-Identifier: MIT
// Stands in for libFuzzer where there is none: feeds a harness the empty input and every file below the
// folders that are named, once each. A broken property or a crash ends it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace {

void Feed(const std::string& input) {
  // A copy of the exact size, so that a tool that watches memory sees a read beyond its end.
  const auto copy = std::make_unique<std::uint8_t[]>(input.size());
  std::memcpy(copy.get(), input.data(), input.size());
  LLVMFuzzerTestOneInput(copy.get(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::size_t fed = 0;
  Feed("");
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      // On a line of its own and written out at once: it names the input that ends the process.
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);
      Feed({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
      ++fed;
    }
  }
  std::printf("%zu inputs\n", fed);
  return fed > 0 ? 0 : 1;
}
