// SPDX-License-Identifier: MIT
// Compares a function's own declaration with a vendor's, parameter by parameter. Handles are pointers to
// types of our own, so size and kind count, not the name.
#pragma once

#include <type_traits>

namespace signatures {

template <class Own, class Theirs>
constexpr bool kSameKind = sizeof(Own) == sizeof(Theirs) && alignof(Own) == alignof(Theirs) &&
                           std::is_pointer_v<Own> == std::is_pointer_v<Theirs> &&
                           std::is_floating_point_v<Own> == std::is_floating_point_v<Theirs>;
// What a pointer leads to is written by the other side: it must be as large.
template <class Own, class Theirs>
constexpr bool Same() {
  if constexpr (!std::is_pointer_v<Own> || !std::is_pointer_v<Theirs>) {
    return kSameKind<Own, Theirs>;
  } else {
    using A = std::remove_pointer_t<Own>;
    using B = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
      return std::is_void_v<A> == std::is_void_v<B>;
    } else if constexpr (requires { sizeof(A); } && requires { sizeof(B); }) {
      return kSameKind<A, B> && std::is_const_v<A> == std::is_const_v<B>;
    } else {
      return true;  // two opaque handles
    }
  }
}

template <class Own, class Theirs>
struct Signature : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct Signature<R (*)(A...), S (*)(B...)> : std::bool_constant<Same<R, S>() && (Same<A, B>() && ...)> {};

// Of lists of symbols that have no types of their own: every handle is a void*, every enumeration an int.
template <class Own, class Theirs>
// NOLINTNEXTLINE(bugprone-sizeof-expression,misc-redundant-expression)
constexpr bool kSameAtAll =
    sizeof(Own) == sizeof(Theirs) && std::is_pointer_v<Own> == std::is_pointer_v<Theirs> &&
    std::is_integral_v<Own> == (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
template <class Own, class Theirs>
struct LooseSignature : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct LooseSignature<R (*)(A...), S (*)(B...)>
    : std::bool_constant<kSameAtAll<R, S> && (kSameAtAll<A, B> && ...)> {};

}  // namespace signatures
