// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "data/runtimes/runtimes.h"

#include "probe/core/codec.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"
#include "report/store/input.h"

namespace report {
namespace {

constexpr std::size_t kMostLetters = 60;  // of a name that is printed

// Counts that lengthen the work; all others are parameters and bytes.
constexpr std::array<std::string_view, 6> kShort = {"layers",        "width",           "prompt_tokens",
                                                    "output_tokens", "sequence_tokens", "step_tokens"};
constexpr double kMostOfShort = 1e7;
constexpr double kMost = 1e15;

std::vector<std::string> KeysOf(const probe::Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

// Why this can not stand in that place; nullopt where it can.
std::optional<std::string> Misfit(const std::string& part, const std::string& name, const probe::Json& known,
                                  const probe::Json& value) {
  const auto key = fmt::format("{}.{}", part, name);
  if (known.is_string()) return value.is_string() ? std::nullopt : std::optional(key + ": it must be a text");
  const bool is_short = std::find(kShort.begin(), kShort.end(), name) != kShort.end();
  const double most = is_short ? kMostOfShort : kMost;
  const double number = value.is_number() ? value.get<double>() : 0;
  if (number >= 1 && number <= most && std::floor(number) == number) return std::nullopt;
  return fmt::format("{}: it must be a whole number from 1 to {:.0e}", key, most);
}

// As it is printed: a semicolon ends a reason.
std::string Named(const std::string& text) {
  auto name = probe::CleanText(text, kMostLetters);
  std::replace(name.begin(), name.end(), ';', ',');
  return name;
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
      if (auto misfit = Misfit(part, key, place[key], value)) return misfit;
      place[key] = value.is_string() ? probe::Json(Named(value.get<std::string>())) : value;
    }
  }
  return std::nullopt;
}

// What a new name alone would say untruly of the reference's figures, or the reference's name of new ones.
std::optional<std::string> Missing(const probe::Json& request) {
  const auto part = request.find("inference");
  if (part == request.end()) return std::nullopt;
  constexpr std::array<std::pair<const char*, const char*>, 8> kNeeded = {{{"model", "parameters"},
                                                                           {"model", "weight_bytes"},
                                                                           {"format", "weights"},
                                                                           {"format", "weight_bytes"},
                                                                           {"parameters", "model"},
                                                                           {"layers", "model"},
                                                                           {"width", "model"},
                                                                           {"weights", "format"}}};
  for (const auto& [key, needed] : kNeeded) {
    if (part->contains(key) && !part->contains(needed))
      return fmt::format("inference.{}: it needs inference.{} beside it", key, needed);
  }
  if (part->contains("weight_bytes") && !part->contains("model") && !part->contains("format"))
    return "inference.weight_bytes: it needs inference.model or inference.format beside it";
  return std::nullopt;
}

// Trained are the same parameters: what is not said of them grows with their number.
void FollowParameters(const probe::Json& request, const probe::Json& reference, probe::Json& merged) {
  const double by =
      merged["inference"]["parameters"].get<double>() / reference["inference"]["parameters"].get<double>();
  const auto training = request.find("training");
  for (const char* key : {"weight_bytes", "adapter_parameters"}) {
    if (training != request.end() && training->contains(key)) continue;
    merged["training"][key] = std::max(1.0, std::round(reference["training"][key].get<double>() * by));
  }
}

}  // namespace

probe::Result<ReferenceRequest> ReadRequest(const std::string& path) {
  const auto json = ReadJsonFile(path, "");
  if (!json) return json.error();
  auto merged = probe::ParseJson(data::ReferenceRequestText());
  if (!merged) return merged.error();
  const auto reference = *merged;
  if (const auto wrong = Merge(*json, *merged)) return FileError(path, *wrong);
  if (const auto missing = Missing(*json)) return FileError(path, *missing);
  FollowParameters(*json, reference, *merged);
  auto request = DecodeReferenceRequest(merged->dump());
  if (request) return request;
  return FileError(path,
                   fmt::format("inference.weights: it must be one of {}", fmt::join(kWeightTypes, ", ")));
}

}  // namespace report
