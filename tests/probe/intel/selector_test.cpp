// SPDX-License-Identifier: MIT
// What ONEAPI_DEVICE_SELECTOR leaves to programs. The processor's rows are what
// sycl::platform::get_platforms() of oneAPI 2026.2 answers, the malformed ones those with which
// sycl::device::get_devices() fails there.
#include "probe/intel/selector.h"

#include <gtest/gtest.h>

namespace {

using probe::DeviceKind;
using probe::RuntimeDevice;
using probe::intel::Selector;

std::optional<std::uint32_t> Count(std::string_view text, std::string_view backend, DeviceKind kind,
                                   std::uint32_t number, std::string tiles = "") {
  RuntimeDevice device;
  device.kind = kind;
  if (!tiles.empty()) device.facts.push_back({"tiles", tiles});
  const auto selector = Selector::Parse(text);
  return selector ? std::optional(selector->Count(device, backend, number)) : std::nullopt;
}
std::optional<std::uint32_t> OfProcessor(std::string_view text) {
  return Count(text, "opencl", DeviceKind::kSoftware, 0);
}
std::optional<std::uint32_t> OfGpu(std::string_view text, std::uint32_t number = 0) {
  return Count(text, "level_zero", DeviceKind::kDiscrete, number);
}

TEST(Selector, LeavesTheOnlyProcessorAsTheRuntimeDoes) {
  for (const char* text : {"opencl:cpu",
                           "opencl:gpu;opencl:cpu",
                           "opencl:cpu;opencl:cpu",
                           "opencl:0;opencl:1",
                           "opencl:cpu,cpu",
                           "opencl:1,0",
                           "opencl:1, 0",
                           "opencl:0 ",
                           "opencl:0x",
                           "opencl:,0",
                           "opencl:gpu, 0",
                           "*:*",
                           "OpenCL:CPU",
                           ";opencl:0;",
                           "!opencl:gpu",
                           "!level_zero:*",
                           "opencl:*;!opencl:gpu",
                           "!opencl: 5",
                           "opencl:*,0.*",
                           "level_zero:*;opencl:*",
                           "host:0;opencl:0",
                           "*:cpu;cuda:0",
                           "host:0;opencl:*;!opencl:5"})
    EXPECT_EQ(OfProcessor(text), 1U) << text;
  for (const char* text : {"opencl:gpu",        "opencl:acc", "*:acc",      "opencl:host", "host:*",
                           "native_cpu:*",      "offload:*",  "opencl:2",   "opencl:-1",   "opencl:",
                           "level_zero:0",      "cuda:gpu",   ";",          ";;",          "opencl:,",
                           "opencl: 0",         "*:*.*",      "opencl:0.*", "opencl:0.1",  "opencl:0.*x",
                           "!opencl:cpu",       "!opencl:0",  "!opencl: 0", "!*:cpu",      "!opencl:*.*",
                           "opencl:0;!opencl:0"})
    EXPECT_EQ(OfProcessor(text).value_or(0), 0U) << text;
}

// The loader leaves the whole backend out for a number that is discarded.
TEST(Selector, LosesABackendOfWhichANumberIsDiscarded) {
  for (const char* text : {"!opencl:5", "opencl:*;!opencl:5", "!opencl:5.*", "!*:7", "!opencl:5;!opencl:6"}) {
    EXPECT_EQ(OfProcessor(text), 0U) << text;
    EXPECT_EQ(OfGpu(text), text == std::string_view("!*:7") || text[0] == 'o' ? 0U : 1U) << text;
  }
}

TEST(Selector, IsMalformedWhereProgramsFail) {
  for (const char* text : {"",
                           "garbage",
                           "opencl",
                           "opencl:",
                           "level_zero:",
                           "no_such:0",
                           "esimd_emulator:*",
                           "rocm:*",
                           "opencl:foo",
                           "opencl:custom",
                           "*:foo",
                           "opencl:0,foo",
                           "level_zero:foo",
                           "opencl:0;level_zero:foo",
                           "!opencl:foo",
                           "!opencl:gpu;opencl:cpu",
                           "opencl:0:1",
                           "opencl:*x",
                           "opencl:*.1",
                           "opencl:cpu.1",
                           "opencl:0.1.2.3",
                           "opencl:0.*.1",
                           "opencl:0..1",
                           "opencl:0.",
                           "opencl:99999999999",
                           "!",
                           "!:",
                           "!!opencl:0",
                           "! opencl:0",
                           " opencl:0",
                           "opencl :0"})
    EXPECT_EQ(OfProcessor(text), std::nullopt) << text;
}

TEST(Selector, CountsGpusAndTheirTiles) {
  EXPECT_EQ(OfGpu("level_zero:gpu", 3), 1U);
  EXPECT_EQ(OfGpu("level_zero:0,2", 2), 1U);
  EXPECT_EQ(OfGpu("level_zero:0,2", 1), 0U);
  EXPECT_EQ(OfGpu("opencl:cpu;level_zero:1", 1), 1U);
  EXPECT_EQ(OfGpu("*:cpu"), 0U);
  EXPECT_EQ(OfGpu("level_zero:0.0"), 0U) << "without tiles";
  const auto tiled = [](std::string_view text) {
    return Count(text, "level_zero", DeviceKind::kDiscrete, 1, "2");
  };
  EXPECT_EQ(tiled("level_zero:1"), 1U);
  EXPECT_EQ(tiled("level_zero:1.1"), 1U);
  EXPECT_EQ(tiled("level_zero:1.2"), 0U);
  EXPECT_EQ(tiled("level_zero:1.*"), 2U);
  EXPECT_EQ(tiled("*:*.*"), 2U);
  EXPECT_EQ(tiled("level_zero:*,*.*"), 3U);
  EXPECT_EQ(tiled("level_zero:1.*.*"), 0U);
  EXPECT_EQ(tiled("level_zero:0.*"), 0U);
}

}  // namespace
