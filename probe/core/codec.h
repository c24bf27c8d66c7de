// SPDX-License-Identifier: MIT
// JSON for plain structs from one list of their fields: `Fields(visitor, object)` names each field once, and
// encoding, decoding and nothing else follow from it. Key = field name; an unknown is an absent key; decoding
// is strict about types and required keys, ignores unknown keys, cleans every string and never throws.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "probe/core/ids.h"
#include "probe/core/json_text.h"
#include "probe/core/names.h"
#include "probe/core/result.h"
#include "probe/core/text.h"

// The list of a struct's fields, where each one's key is its name: WHICHGPU_FIELDS(Fact, key, value) defines
//   void Fields(V& v, S& s) { v("key", s.key); v("value", s.value); }
// for Fact and const Fact. Stands in the struct's namespace. One with keys of its own defines Fields()
// itself.
#define WHICHGPU_FIELDS(Type, ...)              \
  template <class V, probe::Is<Type> S>         \
  void Fields(V& v, S& s) {                     \
    WHICHGPU_REPEAT(WHICHGPU_EACH(__VA_ARGS__)) \
  }
// Each scan of the preprocessor takes one field and leaves the others to the next; there are 85.
#define WHICHGPU_EACH(field, ...) \
  v(#field, s.field);             \
  __VA_OPT__(WHICHGPU_NEXT WHICHGPU_PARENTHESES(__VA_ARGS__))
#define WHICHGPU_PARENTHESES ()
#define WHICHGPU_NEXT() WHICHGPU_EACH
#define WHICHGPU_REPEAT(...) WHICHGPU_16(WHICHGPU_16(WHICHGPU_16(WHICHGPU_16(__VA_ARGS__))))
#define WHICHGPU_16(...) WHICHGPU_4(WHICHGPU_4(WHICHGPU_4(WHICHGPU_4(__VA_ARGS__))))
#define WHICHGPU_4(...) WHICHGPU_1(WHICHGPU_1(WHICHGPU_1(WHICHGPU_1(__VA_ARGS__))))
#define WHICHGPU_1(...) __VA_ARGS__

namespace probe {

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// Elements that a decoded array may have.
inline constexpr std::size_t kMaxArray = 65536;

template <class T>
struct Codec;

template <class T>
[[nodiscard]] Json Encode(const T& value) {
  return Codec<T>::Encode(value);
}

// `path` names the place in an error, e.g. "devices[0].name".
template <class T>
[[nodiscard]] Result<T> Decode(const Json& json, const std::string& path = "") {
  T value{};
  if (auto error = Codec<T>::Decode(json, path, value)) return *std::move(error);
  return value;
}

namespace detail {

using MaybeError = std::optional<Error>;

// What needs no template is compiled once: every field of every struct comes here.
MaybeError Mismatch(const std::string& path, std::string_view expected);
std::string ElementPath(const std::string& path, std::size_t index);
// nullopt where it is an array of an allowed size.
MaybeError ArrayProblem(const Json& json, const std::string& path);
// `value` is an integer of [least, greatest], cast.
MaybeError DecodeInteger(const Json& json, const std::string& path, std::int64_t least,
                         std::uint64_t greatest, std::uint64_t& value);

class FieldEncoder {
 public:
  explicit FieldEncoder(Json& out) : out_(out) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    Put(key, Codec<T>::Encode(value));
  }

 private:
  void Put(const char* key, Json encoded);
  Json& out_;
};

class FieldDecoder {
 public:
  FieldDecoder(const Json& in, const std::string& path) : in_(in), path_(path) {}

  template <class T>
  void operator()(const char* key, T& value) {
    if (const Json* found = Find(key, Codec<T>::kOptional))
      error_ = Codec<T>::Decode(*found, PathOf(key), value);
  }

  MaybeError TakeError() { return std::move(error_); }

 private:
  // nullptr after an error, and where the key is missing: an error unless it is optional.
  const Json* Find(const char* key, bool optional);
  [[nodiscard]] std::string PathOf(const char* key) const;
  const Json& in_;
  const std::string& path_;
  MaybeError error_;
};

}  // namespace detail

// Structs that have Fields(). Not inline: what is would be compiled in every file that uses it, in spite of
// an `extern template`.
template <class T>
struct Codec {
  static constexpr bool kOptional = false;
  static Json Encode(const T& value);
  static detail::MaybeError Decode(const Json& json, const std::string& path, T& value);
};

template <class T>
Json Codec<T>::Encode(const T& value) {
  Json out = Json::object();
  detail::FieldEncoder visitor(out);
  Fields(visitor, value);
  return out;
}

template <class T>
detail::MaybeError Codec<T>::Decode(const Json& json, const std::string& path, T& value) {
  if (!json.is_object()) return detail::Mismatch(path, "an object");
  detail::FieldDecoder visitor(json, path);
  Fields(visitor, value);
  return visitor.TakeError();
}

template <class E>
  requires std::is_enum_v<E>
struct Codec<E> {
  static constexpr bool kOptional = false;
  static Json Encode(E value) { return std::string(NameOf(value)); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, E& value) {
    if (json.is_string()) {
      if (const auto parsed = ParseName<E>(json.get_ref<const std::string&>())) {
        value = *parsed;
        return std::nullopt;
      }
    }
    std::string names;
    for (const auto& [known, name] : EnumNames<E>::kNames)
      names.append(names.empty() ? "" : ", ").append(name);
    return detail::Mismatch(path, "one of " + names);
  }
};

template <>
struct Codec<bool> {
  static constexpr bool kOptional = false;
  static Json Encode(bool value) { return value; }
  static detail::MaybeError Decode(const Json& json, const std::string& path, bool& value);
};

template <std::integral T>
struct Codec<T> {
  static constexpr bool kOptional = false;
  static Json Encode(T value) { return value; }
  static detail::MaybeError Decode(const Json& json, const std::string& path, T& value) {
    using Limits = std::numeric_limits<T>;
    std::uint64_t bits = 0;
    if (auto error = detail::DecodeInteger(json, path, static_cast<std::int64_t>(Limits::min()),
                                           static_cast<std::uint64_t>(Limits::max()), bits))
      return error;
    value = static_cast<T>(bits);
    return std::nullopt;
  }
};

template <>
struct Codec<double> {
  static constexpr bool kOptional = false;
  static Json Encode(double value);
  static detail::MaybeError Decode(const Json& json, const std::string& path, double& value);
};

template <>
struct Codec<std::string> {
  static constexpr bool kOptional = false;
  static Json Encode(const std::string& value);
  static detail::MaybeError Decode(const Json& json, const std::string& path, std::string& value);
};

template <>
struct Codec<Json> {
  static constexpr bool kOptional = false;
  static Json Encode(const Json& value) { return value; }
  static detail::MaybeError Decode(const Json& json, const std::string&, Json& value) {
    value = json;
    return std::nullopt;
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static constexpr bool kOptional = true;
  static Json Encode(const std::optional<T>& value) { return value ? Codec<T>::Encode(*value) : Json(); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, std::optional<T>& value) {
    return Codec<T>::Decode(json, path, value.emplace());
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static constexpr bool kOptional = false;
  static Json Encode(const std::vector<T>& value) {
    Json out = Json::array();
    for (const T& item : value) out.push_back(Codec<T>::Encode(item));
    return out;
  }
  static detail::MaybeError Decode(const Json& json, const std::string& path, std::vector<T>& value) {
    if (auto error = detail::ArrayProblem(json, path)) return error;
    value.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      T item{};
      if (auto error = Codec<T>::Decode(json[i], detail::ElementPath(path, i), item)) return error;
      value.push_back(std::move(item));
    }
    return std::nullopt;
  }
};

// Types that are one text: encode with ToString, decode with a parser of theirs.
template <class T, auto Parse>
struct TextCodec {
  static constexpr bool kOptional = false;
  static Json Encode(const T& value) { return ToString(value); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, T& value) {
    const auto parsed = json.is_string() ? Parse(json.get_ref<const std::string&>()) : std::nullopt;
    if (!parsed || ToString(*parsed) != json.get_ref<const std::string&>())
      return detail::Mismatch(path, "an address or identifier in its text form");
    value = *parsed;
    return std::nullopt;
  }
};
template <>
struct Codec<PciAddress> : TextCodec<PciAddress, ParsePciAddress> {};
template <>
struct Codec<Uuid> : TextCodec<Uuid, ParseUuid> {};

namespace detail {

// What a child sends, one of several types: {"event": "device", "value": {...}}. kNames holds the names of
// the variant's alternatives in their order.
template <const auto& kNames, class Variant>
[[nodiscard]] Json EncodeEvent(const Variant& event) {
  static_assert(kNames.size() == std::variant_size_v<Variant>);
  Json out = Json::object();
  out["event"] = kNames[event.index()];
  out["value"] = std::visit([](const auto& value) { return Encode(value); }, event);
  return out;
}

template <const auto& kNames, class Variant, std::size_t I = 0>
[[nodiscard]] Result<Variant> DecodeEvent(const Json& json) {
  if constexpr (I == kNames.size()) {
    return Error{"decode", std::nullopt, "event", "no event has that name"};
  } else {
    if (!json.is_object() || !json.contains("event") || !json["event"].is_string() || !json.contains("value"))
      return Error{"decode", std::nullopt, "event", "expected an object with event and value"};
    if (json["event"] != kNames[I]) return DecodeEvent<kNames, Variant, I + 1>(json);
    auto decoded = Decode<std::variant_alternative_t<I, Variant>>(json["value"]);
    if (!decoded) return decoded.error();
    return Variant(std::in_place_index<I>, *std::move(decoded));
  }
}

}  // namespace detail

}  // namespace probe
