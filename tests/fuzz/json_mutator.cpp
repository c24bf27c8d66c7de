// SPDX-License-Identifier: MIT
// Mutates JSON documents as such: bytes alone seldom give a document that still parses, so little behind the
// parser would be reached. A third of the mutations are libFuzzer's own, of the bytes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "probe/core/json.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using probe::Json;
using Random = std::minstd_rand;

std::size_t Below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

// Every value of the document, from the root.
void Collect(Json& json, std::vector<Json*>& out) {
  out.push_back(&json);
  if (!json.is_structured()) return;
  for (auto& item : json) Collect(item, out);
}

Json Interesting(Random& random) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           false,
                                           0,
                                           1,
                                           -1,
                                           2,
                                           64,
                                           255,
                                           65535,
                                           65536,
                                           4294967295U,
                                           9223372036854775807,
                                           18446744073709551615U,
                                           0.0,
                                           -0.0,
                                           0.5,
                                           1.0,
                                           1e-9,
                                           1e-300,
                                           5e-324,
                                           1e9,
                                           1e12,
                                           1e18,
                                           1e308,
                                           -1e308,
                                           1.05,
                                           "",
                                           " ",
                                           "ok",
                                           "cpu",
                                           "cpu:0",
                                           "vulkan",
                                           "opencl",
                                           "hip",
                                           "native",
                                           "discrete",
                                           "integrated",
                                           "software",
                                           "0000:01:00.0",
                                           "ffffffff:ff:1f.7",
                                           "gfx90a",
                                           "\u001b[31m",
                                           "\u202e",
                                           "\u3042\u3042",
                                           "e\u0301",
                                           "\xf0\x9f\x98\x80",
                                           "a b c d e f",
                                           "'$(x)`",
                                           "../../x",
                                           "/usr/lib/x.so",
                                           "\n\r\t",
                                           "gemm",
                                           "read",
                                           "launch",
                                           "p2p",
                                           "fp16",
                                           "int8",
                                           std::string(300, 'x'),
                                           std::string(70, ' ') + "y",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({1.0, 2.0})};
  return values[Below(random, values.size())];
}

std::string MutatedText(std::string text, Random& random) {
  const std::size_t size = text.size();
  text.resize(size + 16);
  // Sized by libFuzzer; what is no UTF-8 is replaced when the document is printed.
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  if (Below(random, 8) == 0) text += text.substr(0, 200);
  return text;
}

Json Changed(const Json& value, Random& random) {
  if (value.is_string() && Below(random, 2) == 0) return MutatedText(value.get<std::string>(), random);
  if (value.is_number() && Below(random, 3) != 0) {
    const double number = value.get<double>();
    const std::array<double, 6> near = {number * 2, number / 3,   -number,
                                        number + 1, number * 1e9, number * 1e-9};
    const double chosen = near[Below(random, near.size())];
    if (value.is_number_float()) return chosen;
    if (chosen >= 0 && chosen < 1e15) return static_cast<std::uint64_t>(chosen);
  }
  return Interesting(random);
}

// One step inside an array or object: remove, repeat or swap elements.
void Rearrange(Json& value, Random& random) {
  if (value.empty()) return;
  const std::size_t at = Below(random, value.size());
  if (value.is_array()) {
    const auto item = value.begin() + static_cast<std::ptrdiff_t>(at);
    switch (Below(random, 3)) {
      case 0:
        value.erase(item);
        return;
      case 1: {
        Json copy = *item;
        value.push_back(std::move(copy));
        return;
      }
      default:
        std::swap(*item, value[Below(random, value.size())]);
        return;
    }
  }
  const auto item = std::next(value.begin(), static_cast<std::ptrdiff_t>(at));
  const std::string key = item.key();
  if (Below(random, 2) == 0) {
    value.erase(key);
  } else {
    value[key] = Interesting(random);
  }
}

void Mutate(Json& document, Random& random) {
  std::vector<Json*> all;
  Collect(document, all);
  Json& chosen = *all[Below(random, all.size())];
  if (chosen.is_structured() && Below(random, 3) != 0) return Rearrange(chosen, random);
  if (Below(random, 3) == 0) {
    Json other = *all[Below(random, all.size())];
    chosen = std::move(other);
  } else {
    chosen = Changed(chosen, random);
  }
}

std::size_t Print(const Json& document, std::uint8_t* data, std::size_t max_size) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > max_size) return 0;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

Json Parse(const std::uint8_t* data, std::size_t size) {
  return Json::parse(data, data + size, nullptr, false);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  Random random(seed);
  Json document = random() % 3 == 0 ? Json(Json::value_t::discarded) : Parse(data, size);
  if (document.is_discarded()) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t steps = 1 + Below(random, 4); steps > 0; --steps) Mutate(document, random);
  const std::size_t written = Print(document, data, max_size);
  return written > 0 ? written : LLVMFuzzerMutate(data, size, max_size);
}

// A part of the second document in the place of a part of the first.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size,
                                                 std::uint8_t* out, std::size_t max_size, unsigned int seed) {
  Random random(seed);
  Json one = Parse(first, first_size);
  Json two = Parse(second, second_size);
  if (one.is_discarded() || two.is_discarded()) return 0;
  std::vector<Json*> places;
  std::vector<Json*> parts;
  Collect(one, places);
  Collect(two, parts);
  Json part = *parts[Below(random, parts.size())];
  *places[Below(random, places.size())] = std::move(part);
  return Print(one, out, max_size);
}
