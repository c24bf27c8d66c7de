// SPDX-License-Identifier: MIT
// How a call reports failure everywhere in this program: a value or an Error, never an exception across a
// module border.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace probe {

// What went wrong in this program's own terms, where other code asks for it.
enum class OwnError {
  kAbsent,        // nothing of that name is installed
  kRefused,       // it is there, and this program does not let it be loaded or asked
  kNotTrusted,    // others could have changed the file
  kNoSysfs,       // there is no /sys in which the machine shows its devices
  kNothingKnown,  // of what every machine has, nobody tells
  // Of a module that was not heard, for no fault of its own:
  kInterrupted,   // this run was
  kNotStarted,    // the process that asks could not be started
  kLeftOut,       // earlier tries never came to an end that anybody saw
  kOnlyAlone,     // the same, unless nothing else runs beside it
  kOutOfMemory,   // the kernel ended the process that asked
  kNoSuchMemory,  // the runtime has no memory of that kind
  kNoSuchKernel,  // the implementation has no kernel for these types
  kLeftToOthers,  // it was not asked for: it is left to those who use the device as well
};
inline constexpr std::array<std::string_view, 13> kOwnErrorNames = {
    "absent",         "refused",       "not trusted",   "no_sysfs",   "nothing_known",
    "interrupted",    "not started",   "left out",      "only alone", "out of memory",
    "no such memory", "unimplemented", "left to others"};
[[nodiscard]] constexpr std::string_view NameOf(OwnError error) {
  return kOwnErrorNames.at(static_cast<std::size_t>(error));
}

// One failed call. Every part is optional except that at least one of them says something.
struct Error {
  std::string call;                  // the function or file operation, e.g. "vkCreateInstance"
  std::optional<std::int64_t> code;  // the number that it returned
  std::string name;  // the vendor's or errno's name of that number, "VK_ERROR_OUT_OF_HOST_MEMORY", or our own
  std::string text;  // what it means here, and what to do
  [[nodiscard]] bool Is(OwnError own) const { return name == NameOf(own); }
  bool operator==(const Error&) const = default;
};

[[nodiscard]] inline Error Own(OwnError error, std::string call, std::string text) {
  return {std::move(call), std::nullopt, std::string(NameOf(error)), std::move(text)};
}

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
