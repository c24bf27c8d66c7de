// SPDX-License-Identifier: MIT
#include "report/assume/assume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/core/tables.h"

namespace report::assume {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

probe::Result<Machine> Imagined(const std::vector<std::string>& texts) {
  return Imagine(*EmbeddedTables(), texts);
}

Machine Of(const std::vector<std::string>& texts) {
  auto machine = Imagined(texts);
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().text);
  return machine ? *std::move(machine) : Machine{};
}

const probe::PhysicalDevice& Card(const Machine& machine) { return machine.devices.at(1); }

std::vector<std::string> Runtimes(const probe::PhysicalDevice& device) {
  std::vector<std::string> names;
  for (const auto& view : device.views) names.push_back(view.device.runtime);
  return names;
}

probe::Outcome OutcomeOf(const Machine& machine, std::string_view module) {
  for (const auto& probe : machine.probes) {
    if (probe.module == module) return probe.outcome;
  }
  ADD_FAILURE() << "nobody asked " << module;
  return probe::Outcome::kOk;
}

TEST(Assume, EveryKeySaysWhatItIsCalled) {
  const auto machine = Of(
      {"vendor=nvidia,name=GeForce RTX 4090,kind=discrete,memory=24GiB,unified=no,count=2,driver=580.65.06,"
       "runtime=cuda@13.0:vulkan,cc=8.9,os=linux,arch=aarch64,glibc=2.36,wsl=yes,container=yes"});
  ASSERT_EQ(machine.devices.size(), 3U) << "the processor and two cards";
  EXPECT_EQ(machine.devices[0].kind, probe::DeviceKind::kCpu);
  EXPECT_NE(machine.devices[1].id, machine.devices[2].id);
  const auto& card = Card(machine);
  EXPECT_EQ(card.vendor, "NVIDIA");
  EXPECT_EQ(card.name, "GeForce RTX 4090");
  EXPECT_EQ(card.kind, probe::DeviceKind::kDiscrete);
  EXPECT_EQ(card.memory.total_bytes, 24ULL << 30U);
  EXPECT_EQ(card.hardware->architecture, "sm_89");
  EXPECT_NE(card.hardware->identity.ids->device, 0U) << "the numbers of the card that is called so";
  EXPECT_THAT(Runtimes(card), ElementsAre("cuda", "vulkan"));
  EXPECT_EQ(card.views[0].device.driver_version, "580.65.06");
  EXPECT_EQ(card.views[0].device.api_version, "13.0");
  EXPECT_EQ(machine.host.system, "linux");
  EXPECT_EQ(machine.host.architecture, "aarch64");
  EXPECT_EQ(machine.host.libc, "glibc 2.36");
  EXPECT_EQ(machine.host.virtualization, "wsl2");
  EXPECT_TRUE(machine.host.container.has_value());
  EXPECT_EQ(OutcomeOf(machine, "cuda"), probe::Outcome::kOk);
  EXPECT_EQ(OutcomeOf(machine, "hip"), probe::Outcome::kAbsent);
}

TEST(Assume, WhatIsNotSaidIsTheMakersOwn) {
  const auto amd = Of({"gfx=gfx1100"});
  EXPECT_EQ(Card(amd).vendor, "AMD") << "the maker whose architecture it is";
  EXPECT_THAT(Runtimes(Card(amd)), ElementsAre("hip"));
  EXPECT_EQ(Card(Of({"gfx=1100"})).hardware->architecture, "gfx1100");
  EXPECT_THAT(Runtimes(Card(Of({"vendor=intel,ip=12.55"}))), ElementsAre("level_zero"));
  const auto bare = Of({"vendor=amd,gfx=gfx1100,runtime=none"});
  EXPECT_THAT(Runtimes(Card(bare)), IsEmpty());
  EXPECT_EQ(OutcomeOf(bare, "hip"), probe::Outcome::kAbsent);
  EXPECT_EQ(Card(Of({"vendor=intel,kind=integrated"})).kind, probe::DeviceKind::kIntegrated);
  EXPECT_EQ(Of({"vendor=none,glibc=musl"}).host.libc, "musl");
  EXPECT_EQ(Of({"vendor=none"}).devices.size(), 1U);
  EXPECT_EQ(Of({" vendor = none , os = windows "}).host.system, "windows") << "blanks do not count";
  const auto mixed = Of({"vendor=nvidia,cc=6.1,driver=580.1", "vendor=amd,gfx=gfx1100", "vendor=intel"});
  EXPECT_EQ(mixed.devices.size(), 4U);
}

TEST(Assume, NamesTheKeyThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"vendr=amd", "there is no key 'vendr'; did you mean 'vendor'?"},
      {"capability=8.9", "there is no key 'capability'; known are vendor, name"},
      {"vendor=amd,vendor=amd", "vendor: it stands twice"},
      {"vendor", "vendor: it lacks its value"},
      {"vendor=", "vendor: it lacks its value"},
      {"=amd", "there is no key ''"},
      {",", "there is no key ''"},
      {"vendor=nvida", "vendor: 'nvida' is not a value; did you mean 'nvidia'?"},
      {"vendor=amd,name=\t", "name: it lacks its value"},
      {"vendor=amd,kind=external", "kind: 'external' is not a value"},
      {"vendor=amd,memory=lots", "memory: it takes a size with its unit, such as 24GiB"},
      {"vendor=amd,memory=24", "memory: it takes a size with its unit"},
      {"cc=8.91", "cc: '8.91' is no architecture of CUDA"},
      {"cc=8.9,gfx=gfx1100", "gfx: another key has said the architecture"},
      {"gfx=banana", "gfx: 'banana' is no architecture of ROCm"},
      {"", "it is empty"},
      {"vendor=amd,unified=maybe", "unified: 'maybe' is not a value"},
      {"vendor=amd,count=0", "count: it takes a number from 1 to 64"},
      {"vendor=amd,count=65", "count: it takes a number from 1 to 64"},
      {"vendor=amd,count=-1", "count: it takes a number"},
      {"vendor=nvidia,driver=latest", "driver: it takes a version such as 580.65.06"},
      {"vendor=nvidia,driver=580.1x", "driver: it takes a version"},
      {"vendor=nvidia,driver=" + std::string(64, '1'), "driver: it takes a version"},
      {"vendor=amd,runtime=rocm", "runtime: 'rocm' is not a value"},
      {"vendor=amd,runtime=hip@new", "runtime: 'new' is no version such as 7.1"},
      {"cc=eight", "cc: 'eight' is no architecture of CUDA"},
      {"cc=89", "cc: '89' is no architecture of CUDA"},
      {"gfx=gfx1100;x", "gfx: 'gfx1100;x' is no architecture of ROCm"},
      {"ip=12x", "ip: '12x' is no architecture"},
      {"vendor=none,os=beos", "os: 'beos' is not a value; known are linux, windows, macos"},
      {"vendor=none,arch=arm64", "arch: 'arm64' is not a value"},
      {"vendor=none,glibc=uclibc", "glibc: it takes a version such as 2.36, or musl"},
      {"vendor=none,wsl=2", "wsl: '2' is not a value"},
      {"vendor=none,container=docker", "container: 'docker' is not a value"},
      {"vendor=a\nb$(x)", "vendor: 'a\\x0ab$(x)' is not a value"}};
  for (const auto& [text, wanted] : rows) {
    const auto machine = Imagined({text});
    ASSERT_FALSE(machine) << text;
    EXPECT_THAT(machine.error().text, StartsWith("--assume: ")) << text;
    EXPECT_THAT(machine.error().text, HasSubstr(wanted));
    EXPECT_EQ(machine.error().text.find('\n'), std::string::npos) << text;
  }
}

TEST(Assume, WhatCanNotBeIsRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{"vendor=none,name=x"}, "vendor: none has no architecture, driver or name"},
      {{"vendor=none,cc=8.9"}, "vendor: none has no"},
      {{"vendor=none,driver=580"}, "vendor: none has no"},
      {{"vendor=amd,cc=8.9"}, "cc: no GPU of AMD has one"},
      {{"vendor=nvidia,gfx=gfx1100"}, "gfx: no GPU of NVIDIA has one"},
      {{"vendor=nvidia,ip=12.55"}, "ip: no GPU of NVIDIA has one"},
      {{"driver=580.1"}, "vendor: it is missing"},
      {{"name=card"}, "vendor: it is missing"},
      {{"memory=8GiB"}, "vendor: it is missing"},
      {{"cc=8.9,driver=520.61.04"}, "no driver before 520.61.05 knows cc 8.9, and 520.61.04 is assumed"},
      {{"cc=8.6,driver=450.80.02"}, "no driver before 455.23 knows cc 8.6"},
      {{"cc=12.1,driver=570.26"}, "no driver before 575.51.03 knows cc 12.1"},
      {{"cc=3.5,driver=495"}, "cc 3.5 has no driver from 495 on"},
      {{"cc=5.2,driver=590.44"}, "cc 5.2 has no driver from 590 on"},
      {{"cc=7.0,driver=595.58.03"}, "cc 7.0 has no driver from 590 on"},
      {{"vendor=amd,os=linux", "vendor=intel,os=windows"}, "os: two texts say different things"},
      {{"vendor=amd,arch=x86_64", "vendor=intel,arch=aarch64"}, "arch: two texts"},
      {{"vendor=amd,glibc=2.36", "vendor=intel,glibc=musl"}, "glibc: two texts"},
      {{"vendor=amd,wsl=yes", "vendor=intel,wsl=no"}, "wsl: two texts"},
      {{"vendor=amd,container=yes", "vendor=intel,container=no"}, "container: two texts"}};
  for (const auto& [texts, wanted] : rows) {
    const auto machine = Imagined(texts);
    ASSERT_FALSE(machine) << texts.front();
    EXPECT_THAT(machine.error().text, HasSubstr(wanted));
  }
}

TEST(Assume, WhatJustCanBeIsTaken) {
  for (const char* text : {"cc=8.9,driver=520.61.05", "cc=3.5,driver=494.99", "cc=7.0,driver=589.99",
                           "cc=7.5,driver=595.58.03", "cc=8.7,driver=35.4.1", "cc=12.1,driver=575.51.03"})
    EXPECT_TRUE(Imagined({text})) << text;
  EXPECT_TRUE(Imagined({"vendor=amd,os=linux", "vendor=intel,os=linux", "vendor=nvidia"}));
}

}  // namespace
}  // namespace report::assume
