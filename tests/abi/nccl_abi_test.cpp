// SPDX-License-Identifier: MIT
// backends/stream/nccl_symbols.def against NVIDIA's nccl.h: numbers and signatures. Handles are opaque
// pointers.
#include <gtest/gtest.h>
#include <nccl.h>

#include <cstddef>
#include <type_traits>

#include "backends/stream/stream_peers.h"

namespace {

// Pointers among them.
template <class Own, class Theirs>
// NOLINTNEXTLINE(bugprone-sizeof-expression,misc-redundant-expression)
constexpr bool kSame = sizeof(Own) == sizeof(Theirs) && std::is_pointer_v<Own> == std::is_pointer_v<Theirs> &&
                       std::is_integral_v<Own> == (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
template <class Own, class Theirs>
struct Signature : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct Signature<R (*)(A...), S (*)(B...)> : std::bool_constant<kSame<R, S> && (kSame<A, B> && ...)> {};

#define WHICHGPU_NCCL_SYMBOL(name, ...) \
  static_assert(Signature<int (*)(__VA_ARGS__), decltype(&::name)>::value, #name);
#include "backends/stream/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
static_assert(backends::stream::kNcclUint32 == static_cast<int>(ncclUint32));
static_assert(backends::stream::kNcclSum == static_cast<int>(ncclSum));
static_assert(NCCL_MAJOR == 2, "libnccl.so.2 is what is looked for");

// The comparison can fail.
TEST(NcclAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((Signature<int (*)(int*), int (*)(int)>::value));
  EXPECT_FALSE((Signature<int (*)(int), int (*)(std::size_t)>::value));
  EXPECT_TRUE((Signature<int (*)(void*, int), ncclResult_t (*)(ncclComm_t, ncclDataType_t)>::value));
}

}  // namespace
