// SPDX-License-Identifier: MIT
// What the fake hiprtc makes of a source and the fake libamdhip64 loads: the kernels that it defines, each
// with the layout of its parameters as the source declares them. Nothing is translated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fakes::hip {

struct Entry {
  std::string name;
  std::vector<std::uint32_t> parameter_bytes;
  std::uint32_t max_threads = 1024;
};
struct Program {
  std::string target;  // "gfx90a"
  std::vector<Entry> entries;
};

// Reads `KERNEL __launch_bounds__(...) name(parameters)`, also where a macro defines the kernel and is used
// below. The log says why there is no kernel.
[[nodiscard]] std::optional<Program> ReadSource(const std::string& source, const std::string& target,
                                                std::string& log);

// A code object: begins as an ELF file does, tells its own length, and holds a program.
[[nodiscard]] std::string WriteCode(const Program& program);
[[nodiscard]] std::optional<Program> ReadCode(const void* image);

}  // namespace fakes::hip
