// SPDX-License-Identifier: MIT
#include <filesystem>
#include <string>
#include <system_error>

#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "report/core/targets.h"
#include "report/store/input.h"

namespace report {
namespace {

bool IsTable(const std::filesystem::directory_entry& file) {
  std::error_code unknown;
  if (file.path().extension() != ".json" || !file.is_regular_file(unknown)) return false;
  const auto json = ReadJsonFile(file.path().string(), "");
  return json && DecodeTarget(file.path().stem().string(), json->dump());
}

bool HasTable(const std::string& directory) {
  std::error_code failed;
  auto file = std::filesystem::directory_iterator(directory, failed);
  while (!failed && file != std::filesystem::directory_iterator()) {
    if (IsTable(*file)) return true;
    file.increment(failed);
  }
  return false;
}

}  // namespace

probe::Result<TargetTable> ReadTarget(const std::string& name, const std::optional<std::string>& directory) {
  auto embedded = EmbeddedTarget(name);
  if (!directory) return embedded;
  if (directory->empty())
    return probe::Error{"", std::nullopt, "",
                        "--tables: '' names no folder; it takes one with files such as pytorch.json"};
  std::error_code unknown;
  if (!std::filesystem::is_directory(*directory, unknown))
    return FileError(*directory, "--tables takes a folder with files such as pytorch.json");
  const auto word = embedded ? embedded->name : probe::Lower(name);
  const bool is_file_name = word.find('/') == std::string::npos && !word.starts_with('.');
  const auto path = (std::filesystem::path(*directory) / (word + ".json")).string();
  if (!is_file_name || !std::filesystem::exists(path, unknown)) {
    if (embedded && !HasTable(*directory))
      return FileError(*directory,
                       "no table of a program is in the folder; --tables takes one with files such as "
                       "pytorch.json");
    return embedded;
  }
  const auto json = ReadJsonFile(path, "no table of a program: ");
  if (!json) return json.error();
  auto table = DecodeTarget(word, json->dump());
  if (!table) return FileError(path, probe::Describe(table.error()));
  return table;
}

}  // namespace report
