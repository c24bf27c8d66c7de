// SPDX-License-Identifier: MIT
#include "report/request_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "data/runtimes/runtimes.h"

#include "probe/core/codec.h"
#include "probe/core/text.h"
#include "report/suggest.h"
#include "report/text_file.h"

namespace report {
namespace {

constexpr std::size_t kMostLetters = 60;  // of a name that is printed

std::vector<std::string> KeysOf(const probe::Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

// Why this can not stand in that place; nullopt where it can. Figures are looked at when all are there.
std::optional<std::string> Misfit(const std::string& key, const probe::Json& known,
                                  const probe::Json& value) {
  if (known.is_string() && !value.is_string()) return fmt::format("{}: it must be a text", key);
  if (known.is_number() && !value.is_number()) return fmt::format("{}: it must be a number", key);
  return std::nullopt;
}

// Puts what the request has in the place of what the reference has; what is wrong with it.
std::optional<std::string> Merge(const probe::Json& request, probe::Json& reference) {
  const auto unknown = [](const std::string& key, const probe::Json& known) {
    return fmt::format("there is no key '{}'{}", probe::CleanText(key, kMostLetters),
                       Hint(key, KeysOf(known)));
  };
  if (!request.is_object()) return "it must be an object with inference or training in it";
  for (const auto& [part, keys] : request.items()) {
    if (!reference.contains(part)) return unknown(part, reference);
    if (!keys.is_object()) return part + ": it must be an object";
    probe::Json& place = reference[part];
    for (const auto& [key, value] : keys.items()) {
      if (!place.contains(key)) return fmt::format("{}: {}", part, unknown(key, place));
      if (auto misfit = Misfit(fmt::format("{}.{}", part, key), place[key], value)) return misfit;
      place[key] =
          value.is_string() ? probe::Json(probe::CleanText(value.get<std::string>(), kMostLetters)) : value;
    }
  }
  return std::nullopt;
}

}  // namespace

probe::Result<ReferenceRequest> ReadRequest(const std::string& path) {
  const auto json = ReadJsonFile(path, "");
  if (!json) return json.error();
  auto merged = probe::ParseJson(data::ReferenceRequestText());
  if (!merged) return merged.error();
  if (const auto wrong = Merge(*json, *merged)) return FileError(path, *wrong);
  auto request = DecodeReferenceRequest(merged->dump());
  if (request) return request;
  const auto& key = request.error().name;
  return FileError(path, key == "weights" ? "weights: it must be one of q4, q8, fp16, bf16, fp32"
                                          : fmt::format("{}: it must be above 0 and no more than 1e18", key));
}

}  // namespace report
