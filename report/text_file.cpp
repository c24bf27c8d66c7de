// SPDX-License-Identifier: MIT
#include "report/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "probe/core/text.h"

namespace report {

probe::Error FileError(const std::string& path, std::string_view text) {
  return {"", std::nullopt, "", fmt::format("{}: {}", probe::CleanText(path, 300), text)};
}

probe::Result<std::string> ReadTextFile(const std::string& path) {
  const auto fail = [&](const std::string& text) { return FileError(path, text); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail("there is no such file");
  if (!std::filesystem::is_regular_file(status)) return fail("is not a file");
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) {
    return fail(std::string("can not be read: ") +
                std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): one thread
  }
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0 || static_cast<std::size_t>(size) > kMaxTextFileBytes) return fail("is too large");
  std::string content(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  in.read(content.data(), size);
  if (!in) return fail("can not be read");
  return content;
}

}  // namespace report
