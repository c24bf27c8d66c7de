// SPDX-License-Identifier: MIT
#include "report/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "probe/core/codec.h"
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

namespace {

// Keys of all objects, as they stand in the text: a document that parsed has a colon behind each and no
// other.
std::size_t KeysIn(std::string_view text) {
  std::size_t keys = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      i += c == '\\' ? 1 : 0;
    else if (c == ':')
      ++keys;
  }
  return keys;
}

// What is counted and found on one walk through a document.
struct Walk {
  std::size_t keys = 0;
  std::string overlong;  // the key that holds a text of that kind

  void Visit(const probe::Json& json, const std::string& key) {
    if (json.is_string() && json.get_ref<const std::string&>().size() > probe::kMaxDecodedTextBytes)
      overlong = key;
    if (json.is_object()) {
      keys += json.size();
      for (const auto& [name, value] : json.items()) Visit(value, name);
    } else if (json.is_array()) {
      for (const probe::Json& value : json) Visit(value, key);
    }
  }
};

// The first key that stands twice in one object.
std::string TwiceKey(std::string_view text) {
  using Event = probe::Json::parse_event_t;
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto look = [&](int, Event event, probe::Json& value) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(value.get<std::string>()).second && twice.empty())
      twice = value.get<std::string>();
    return true;
  };
  const auto parsed = probe::Json::parse(text.begin(), text.end(), look, false);
  return parsed.is_discarded() ? "" : twice;
}

}  // namespace

probe::Result<probe::Json> ReadJsonFile(const std::string& path, std::string_view kind) {
  const auto text = ReadTextFile(path);
  if (!text) return text.error();
  const auto fail = [&](const std::string& what) { return FileError(path, std::string(kind) + what); };
  auto json = probe::ParseJson(*text, kMaxTextFileBytes);
  if (!json) return fail(probe::Describe(json.error()));
  Walk walk;
  walk.Visit(*json, "document");
  if (!walk.overlong.empty()) {
    return fail(fmt::format("{}: expected a text of at most {} bytes", probe::CleanText(walk.overlong, 64),
                            probe::kMaxDecodedTextBytes));
  }
  if (walk.keys != KeysIn(*text))
    return fail(
        fmt::format("the key '{}' stands twice in one object", probe::CleanText(TwiceKey(*text), 64)));
  return json;
}

}  // namespace report
