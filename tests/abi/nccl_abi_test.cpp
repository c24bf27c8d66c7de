// SPDX-License-Identifier: MIT
// backends/stream/nccl_symbols.def against nccl.h, NVIDIA's or what AMD's bindings say of RCCL's: numbers,
// names and signatures. Handles are opaque pointers.
#include <gtest/gtest.h>
#include <nccl.h>

#include <cstddef>

#include "backends/stream/stream_peers.h"
#include "tests/abi/codes.h"
#include "tests/abi/same_signature.h"

namespace {

using signatures::LooseSignature;

#define WHICHGPU_NCCL_SYMBOL(name, ...) \
  static_assert(LooseSignature<int (*)(__VA_ARGS__), decltype(&::name)>::value, #name);
#include "backends/stream/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
static_assert(backends::stream::kNcclUint32 == static_cast<int>(ncclUint32));
static_assert(backends::stream::kNcclSum == static_cast<int>(ncclSum));
static_assert(NCCL_MAJOR == 2, "libnccl.so.2 is what is looked for");

// The comparison can fail.
TEST(NcclAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((LooseSignature<int (*)(int*), int (*)(int)>::value));
  EXPECT_FALSE((LooseSignature<int (*)(int), int (*)(std::size_t)>::value));
  EXPECT_TRUE((LooseSignature<int (*)(void*, int), ncclResult_t (*)(ncclComm_t, ncclDataType_t)>::value));
}

TEST(NcclAbi, CodesHaveTheHeadersNames) {
  // Other enumerations of the header begin so, too.
  const auto header = codes::Read(WHICHGPU_ABI_HEADER, "nccl");
  codes::Header results;
  for (const char* name :
       {"ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError", "ncclInvalidArgument",
        "ncclInvalidUsage", "ncclRemoteError", "ncclInProgress", "ncclTimeout"}) {
    const auto row = header.code_of.find(name);
    if (row != header.code_of.end()) results.Add(name, row->second);
  }
  codes::ExpectSame(results, [](int code) { return backends::stream::NcclErrorOf("", code); }, true);
}

}  // namespace
