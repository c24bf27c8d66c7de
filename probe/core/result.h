// SPDX-License-Identifier: MIT
// How a call reports failure everywhere in this program: a value or an Error, never an exception across a
// module border.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace probe {

// One failed call. Every part is optional except that at least one of them says something.
struct Error {
  std::string call;                  // the function or file operation, e.g. "vkCreateInstance"
  std::optional<std::int64_t> code;  // the number that it returned
  std::string name;  // the vendor's or errno's name of that number, e.g. "VK_ERROR_OUT_OF_HOST_MEMORY"
  std::string text;  // what it means here, and what to do
  bool operator==(const Error&) const = default;
};

// The name of the error where there is no /sys in which the machine shows its devices.
inline constexpr std::string_view kNoSysfsError = "no_sysfs";
inline constexpr std::string_view kNothingKnownError = "nothing_known";  // of what every machine has

// "call: name (code): text", leaving out what is empty.
[[nodiscard]] std::string Describe(const Error& error);

// Holds either a T or an Error. Reading the side that is not there is a programming error and terminates.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
using Status = Result<std::monostate>;
[[nodiscard]] inline Status Ok() { return std::monostate{}; }

}  // namespace probe
