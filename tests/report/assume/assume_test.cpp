// SPDX-License-Identifier: MIT
#include "report/assume/assume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/core/tables.h"
#include "report/core/wording.h"

namespace report::assume {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
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
  EXPECT_THAT(Runtimes(Card(Of({"vendor=intel,ip=12.55,runtime=sycl"}))), ElementsAre("sycl"));
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

bool IsTold(const Machine& machine, std::string_view module) {
  return std::none_of(machine.probes.begin(), machine.probes.end(),
                      [&](const auto& probe) { return probe.module == module && IsUntold(probe); });
}

TEST(Assume, OnlyWhatIsSaidToBeInstalledLeavesSomethingOut) {
  const auto silent = Of({"vendor=nvidia,cc=8.9"});
  EXPECT_EQ(OutcomeOf(silent, "vulkan"), probe::Outcome::kAbsent);
  EXPECT_FALSE(IsTold(silent, "vulkan")) << "nobody said anything of it";
  const auto said = Of({"vendor=nvidia,cc=8.9,runtime=cuda"});
  EXPECT_TRUE(IsTold(said, "vulkan"));
  EXPECT_FALSE(IsTold(said, "metal")) << "it is for no such machine";
}

TEST(Assume, NamesTheKeyThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"vendr=amd", "there is no key 'vendr'; did you mean 'vendor'?"},
      {"capability=8.9", "there is no key 'capability'; known are vendor, name"},
      {"vendor=amd,vendor=amd", "vendor: it stands twice"},
      {"vendor", "vendor: it lacks its value"},
      {"vendor=", "vendor: it lacks its value"},
      {"=amd", "there is no key ''"},
      {",", "beside a comma there is no key=value"},
      {"name=RTX 4090,", "beside a comma there is no key=value: leave the comma out"},
      {"name=RTX 4090, ", "beside a comma there is no key=value"},
      {"vendor=amd,,os=linux", "beside a comma there is no key=value"},
      {",vendor=amd", "beside a comma there is no key=value"},
      {"vendor=amd,runtime=hip:", "runtime: a runtime is missing behind the last colon"},
      {"vendor=nvida", "vendor: 'nvida' is not a value; did you mean 'nvidia'?"},
      {"vendor=moore", "vendor: 'moore' is not a value; did you mean 'moore threads'?"},
      {"vendor=amd,name=\t", "name: it lacks its value"},
      {"name=AMD", "name: AMD is a maker, and no card's name; say a card's, or vendor=amd"},
      {"name=nvidia", "name: NVIDIA is a maker"},
      {"name=Intel", "name: Intel is a maker"},
      {"name=Apple,ram=16GiB", "name: Apple is a maker"},
      {"vendor=amd,name=AMD", "name: AMD is a maker"},
      {"name=Moore Threads",
       "name: Moore Threads is a maker, and no card's name; say a card's, or vendor=moore "},
      {"vendor=amd,kind=external", "kind: 'external' is not a value"},
      {"vendor=amd,memory=lots", "memory: it takes a size of 1 MiB or more with its unit, such as 24GiB"},
      {"vendor=amd,memory=24", "memory: it takes a size of 1 MiB or more with its unit"},
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
      {"vendor=nvidia,driver=9999999999999999999", "driver: it takes a version"},
      {"vendor=nvidia,driver=580.", "driver: it takes a version"},
      {"gfx=gfx90a:sramecc", "gfx: 'gfx90a:sramecc' is no architecture of ROCm"},
      {"gfx=gfx90a:$+", "gfx: 'gfx90a:$+' is no architecture of ROCm"},
      {"gfx=gfx9:sramecc+", "gfx: 'gfx9' is no architecture"},
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
      {"cc=9.9", "cc: '9.9' is no architecture of CUDA: none was made between 9.0 and 10.0"},
      {"cc=0.9", "cc: '0.9' is no architecture of CUDA: the oldest that is known is 1.0"},
      {"cc=99.0", "cc: '99.0' is no architecture of CUDA: the newest that is known is 12.1"},
      {"gfx=gfx9999", "gfx: 'gfx9999' is no architecture of ROCm: the newest that is known is gfx1251"},
      {"gfx=gfx1037", "none was made between gfx1036 and gfx1100"},
      {"gfx=gfx11-generic", "gfx: 'gfx11-generic' is no architecture of ROCm"},
      {"ip=12.9", "ip: '12.9' is no architecture of Level Zero: none was made between 12.4 and 12.10"},
      {"ip=99.9", "ip: '99.9' is no architecture of Level Zero"},
      {"vendor=nvidia,runtime=none:cuda", "runtime: none stands alone"},
      {"vendor=nvidia,runtime=cuda:none", "runtime: none stands alone"},
      {"vendor=nvidia,runtime=cuda:vulkan:cuda", "runtime: 'cuda' stands twice"},
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
      {{"name=MI300X,os=windows"}, "os: AMD's Instinct has drivers for linux alone"},
      {{"name=MI300X,os=macos"}, "os: AMD's Instinct has drivers for linux alone"},
      {{"vendor=none,name=x"}, "vendor: none has no architecture, driver or name"},
      {{"vendor=none,cc=8.9"}, "vendor: none has no"},
      {{"vendor=none,driver=580"}, "vendor: none has no"},
      {{"vendor=amd,cc=8.9"}, "cc: no GPU of AMD has one"},
      {{"vendor=nvidia,gfx=gfx1100"}, "gfx: no GPU of NVIDIA has one"},
      {{"vendor=nvidia,ip=12.55"}, "ip: no GPU of NVIDIA has one"},
      {{"vendor=none,memory=8GiB"}, "vendor: none has no architecture, driver or name, nor memory"},
      {{"vendor=none,count=2"}, "vendor: none has no"},
      {{"vendor=none,kind=discrete"}, "vendor: none has no"},
      {{"vendor=none,unified=yes"}, "vendor: none has no"},
      {{"vendor=none,runtime=cuda"}, "runtime: cuda is for GPUs of NVIDIA alone, and none is described"},
      {{"vendor=nvidia,runtime=hip"}, "runtime: hip is for GPUs of AMD alone, and none is described"},
      {{"name=RTX 4090,runtime=sycl"}, "runtime: sycl is for GPUs of Intel alone, and none is described"},
      {{"count=2"}, "vendor: it is missing"},
      {{"kind=discrete"}, "vendor: it is missing"},
      {{"name=Graphics"}, "vendor: it is missing; AMD and Intel make cards with 'Graphics'"},
      {{"name=RTX 3060,cc=9.0"}, "cc: GeForce RTX 3060 has cc 8.6"},
      {{"vendor=nvidia,name=A100,cc=8.6"}, "has cc 8.0"},
      {{"name=RTX 3060,gfx=gfx1100"}, "name: GeForce RTX 3060 is a card of NVIDIA, not AMD"},
      {{"name=RTX 3060,vendor=amd"}, "name: GeForce RTX 3060 is a card of NVIDIA, not AMD"},
      {{"name=4090,vendor=amd"}, "name: GeForce RTX 4090 is a card of NVIDIA, not AMD"},
      {{"vendor=intel,name=A100"}, " is a card of NVIDIA, not Intel"},
      {{"vendor=intel,name=V100"}, " is a card of NVIDIA, not Intel"},
      {{"vendor=amd,name=P100"}, " is a card of NVIDIA, not AMD"},
      {{"vendor=amd,name=NVIDIA A100-SXM4-80GB"}, " is a card of NVIDIA, not AMD"},
      {{"vendor=intel,name=RX 580"}, " is a card of AMD, not Intel"},
      {{"vendor=nvidia,unified=yes,kind=discrete"}, "unified: a discrete GPU has memory of its own"},
      {{"name=rtx4090,unified=yes"}, "unified: a discrete GPU has memory of its own; say unified=no"},
      {{"cc=8.9,unified=yes"}, "unified: a discrete GPU has memory of its own; say unified=no"},
      {{"gfx=gfx1151,kind=discrete"}, "kind: a GPU with gfx1151 is part of a chip; say kind=integrated"},
      {{"cc=8.7,kind=discrete"}, "kind: a GPU with cc 8.7 is part of a chip"},
      {{"ip=12.71,kind=discrete"}, "kind: a GPU with ip 12.71 is part of a chip"},
      {{"cc=8.9,runtime=cuda@99"}, "runtime: cuda@99 is none; the newest that is known is 13"},
      {{"cc=8.9,runtime=cuda@16"}, "runtime: cuda@16 is none"},
      {{"cc=8.9,runtime=cuda@0"}, "runtime: cuda@0 is none; the newest that is known is 13"},
      {{"name=N100"}, "name: this version knows no card called 'N100'; with a vendor it may be any"},
      {{"name=intel n100"},
       "name: this version knows no card called 'intel n100'; with a vendor it may be any"},
      {{"cc=12.0,runtime=cuda@11.0"}, "runtime: cc 12.0 is known from cuda@12.8 on, and 11.0 is assumed"},
      {{"cc=12.0,runtime=cuda@12.4"}, "runtime: cc 12.0 is known from cuda@12.8 on, and 12.4 is assumed"},
      {{"cc=9.0,runtime=cuda@10"}, "runtime: cc 9.0 is known from cuda@11.8 on, and 10 is assumed"},
      {{"gfx=gfx1201,runtime=hip@5.0"}, "runtime: gfx1201 is known from hip@6.2 on, and 5.0 is assumed"},
      {{"gfx=gfx950,runtime=hip@6.1"}, "runtime: gfx950 is known from hip@6.4 on, and 6.1 is assumed"},
      {{"gfx=gfx1101,runtime=hip@5.4"}, "runtime: gfx1101 is known from hip@5.5 on, and 5.4 is assumed"},
      {{"cc=3.5,runtime=cuda@12.4"}, "runtime: cc 3.5 is known before cuda@11.5, and 12.4 is assumed"},
      {{"cc=8.9,driver=580.65.06,runtime=cuda@12.4"},
       "runtime: driver 580.65.06 has cuda@13.0 or newer, and 12.4 is assumed"},
      {{"cc=8.9,kind=integrated"}, "kind: a GPU with cc 8.9 is a card of its own; say kind=discrete"},
      {{"gfx=gfx1201,kind=integrated"}, "kind: a GPU with gfx1201 is a card of its own"},
      {{"vendor=nvidia,gfx=gfx1100"}, "gfx: no GPU of NVIDIA has one"},
      {{"vendor=intel,runtime=level_zero@0.9"}, "runtime: level_zero@0.9 is none"},
      {{"gfx=gfx1100,runtime=hip@99.1"}, "runtime: hip@99.1 is none"},
      {{"cc=8.6,driver=470,runtime=cuda@13"},
       "runtime: no driver before 525 has cuda@13, and driver 470 is assumed"},
      {{"cc=8.0,driver=418.39,runtime=cuda@12.4"}, "runtime: no driver before 450 has cuda@12.4"},
      {{"name=RTX 3060,kind=integrated"}, "kind: GeForce RTX 3060 is discrete"},
      {{"vendor=apple,os=windows"}, "os: Windows has no driver for an Apple GPU"},
      {{"vendor=apple,wsl=yes"}, "wsl: WSL has no driver for an Apple GPU"},
      {{"vendor=apple,arch=x86_64"}, "arch: an Apple GPU is part of a chip with aarch64"},
      {{"vendor=nvidia,os=macos,arch=aarch64"}, "arch: macOS on aarch64 has drivers for Apple's GPUs alone"},
      {{"cc=7.5,os=macos"}, "os: the last NVIDIA GPUs with a driver for macOS have cc 6.1"},
      {{"ip=12.55,os=macos"}, "os: the last Intel GPUs in a Mac have ip 11.0"},
      {{"vendor=apple,os=linux,runtime=metal"}, "runtime: Metal is part of macOS"},
      {{"vendor=amd,os=macos,runtime=hip"}, "runtime: ROCm is for linux and windows"},
      {{"vendor=none,os=windows,wsl=yes"}, "wsl: it is Linux below Windows; say os=linux"},
      {{"vendor=amd,os=windows,glibc=2.36"}, "glibc: windows has none"},
      {{"cc=1.3,driver=341.0"}, "cc 1.3 has no driver from 341 on"},
      {{"cc=8.7,arch=x86_64"}, "arch: a GPU with cc 8.7 is part of a chip with aarch64"},
      {{"cc=12.1,arch=x86_64"}, "arch: a GPU with cc 12.1 is part of a chip with aarch64"},
      {{"name=GH200,arch=x86_64"}, "arch: a GH200 is one module with a Grace processor; say arch=aarch64"},
      {{"name=GB200,arch=x86_64"}, "arch: a GB200 is one module"},
      {{"vendor=nvidia,name=GB300,arch=x86_64"}, "arch: a GB300 is one module"},
      {{"cc=12.0,driver=580.1", "cc=8.6,driver=470.1"},
       "driver: a machine has one driver for all GPUs of NVIDIA, and 580.1 and 470.1 are assumed"},
      {{"cc=12.0,driver=580.1", "cc=3.7"},
       "cc: no driver knows both: cc 12.0 has none before 570.26, and cc 3.7"},
      {{"cc=3.7", "vendor=amd", "cc=12.0"}, "and cc 3.7 none from 495 on"},
      {{"cc=8.6", "cc=12.0,driver=470.1"}, "no driver before 570.26 knows cc 12.0, and 470.1 is assumed"},
      {{"cc=12.0", "cc=8.6,driver=470.1"}, "no driver before 570.26 knows cc 12.0, and 470.1 is assumed"},
      {{"cc=2.1,driver=418.39"}, "cc 2.1 has no driver from 396 on"},
      {{"driver=580.1"}, "vendor: it is missing"},
      {{"name=card"}, "name: this version knows no card called 'card'"},
      {{"name=GTX 3060"},
       "name: this version knows no card called 'GTX 3060'; with a vendor it may be any; did you mean 'RTX "
       "3060'?"},
      {{"memory=8GiB"}, "vendor: it is missing"},
      {{"cc=8.9,driver=520.61.04"}, "no driver before 520.61.05 knows cc 8.9, and 520.61.04 is assumed"},
      {{"cc=8.6,driver=450.80.02"}, "no driver before 455.23 knows cc 8.6"},
      {{"cc=12.1,driver=570.26"}, "no driver before 575.51.03 knows cc 12.1"},
      {{"cc=3.5,driver=495"}, "cc 3.5 has no driver from 495 on"},
      {{"cc=5.2,driver=590.44"}, "cc 5.2 has no driver from 590 on"},
      {{"cc=7.0,driver=595.58.03"}, "cc 7.0 has no driver from 590 on"},
      {{"vendor=none", "cc=8.9"}, "vendor: none is a machine without a GPU, and another text describes one"},
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
  for (const char* text : {"cc=6.1,os=macos",
                           "ip=11.0,os=macos",
                           "vendor=apple,os=linux",
                           "gfx=gfx803,os=macos",
                           "vendor=none,runtime=none",
                           "name=RTX 3060,cc=8.6",
                           "ip=12.55.8",
                           "vendor=nvidia,name=my card 7",
                           "vendor=apple,name=M4",
                           "name=NVIDIA GeForce RTX 4090",
                           "name=NVIDIA A100-SXM4-80GB",
                           "name=RTX  4090",
                           "vendor=nvidia,name=M2",
                           "vendor=amd,name=530",
                           "vendor=none,runtime=opencl",
                           "cc=8.0,driver=470.57,runtime=cuda@12.4",
                           "cc=8.7,driver=38.2,runtime=cuda@13",
                           "cc=12.0,runtime=cuda@12",
                           "cc=7.0,driver=580.65.06,runtime=cuda@13.0",
                           "gfx=gfx942,kind=integrated",
                           "cc=8.0,runtime=cuda@15",
                           "vendor=intel,name=580",
                           "vendor=intel,name=Arc Q990",
                           "vendor=nvidia,kind=integrated,unified=yes",
                           "vendor=nvidia,unified=yes",
                           "gfx=gfx90a:sramecc+:xnack-",
                           "gfx=90a:xnack-",
                           "cc=3.2,driver=21.8",
                           "cc=5.0,driver=331.49",
                           "cc=1.3",
                           "cc=12.0,arch=x86_64"})
    EXPECT_TRUE(Imagined({text})) << text;
  EXPECT_TRUE(Imagined({"vendor=amd,os=linux", "vendor=intel,os=linux", "vendor=nvidia"}));
  EXPECT_TRUE(Imagined({"vendor=nvidia,runtime=cuda:hip", "vendor=amd"})) << "what the machine has";
  EXPECT_TRUE(Imagined({"vendor=nvidia", "vendor=amd,driver=400,runtime=cuda@13:hip"})) << "not its driver";
  EXPECT_EQ(Card(Of({"gfx=gfx90a:sramecc+:xnack-"})).hardware->architecture, "gfx90a");
}

TEST(Assume, OneDriverHoldsForAllGpusOfItsMaker) {
  const auto machine = Of({"cc=8.6", "vendor=amd", "cc=8.9,driver=580.1"});
  EXPECT_EQ(machine.devices.at(1).views.at(0).device.driver_version, "580.1");
  EXPECT_EQ(machine.devices.at(2).views.at(0).device.driver_version, std::nullopt) << "another maker's";
  EXPECT_TRUE(Imagined({"cc=6.1,driver=580.1", "cc=12.0,driver=580.1", "vendor=amd,driver=6.12"}));
}

std::vector<std::string> Warnings(const Machine& machine) {
  std::vector<std::string> texts;
  for (const Warning& warning : machine.warnings) texts.push_back(warning.text);
  return texts;
}

TEST(Assume, WhatIsNewerThanTheTablesIsTakenAndSaidToBe) {
  EXPECT_THAT(Warnings(Of({"cc=13.0"})),
              ElementsAre("cc 13.0 is newer than all that this version's tables know"));
  EXPECT_THAT(Warnings(Of({"gfx=gfx1300"})),
              ElementsAre("gfx1300 is newer than all that this version's tables know"));
  EXPECT_THAT(Warnings(Of({"ip=40.1"})),
              ElementsAre("ip 40.1 is newer than all that this version's tables know"));
  EXPECT_THAT(Warnings(Of({"cc=12.1"})), IsEmpty());
}

TEST(Assume, ACardsNameSaysItsMaker) {
  const auto card = Card(Of({"name=RTX 3060"}));
  EXPECT_EQ(card.vendor, "NVIDIA");
  EXPECT_EQ(card.hardware->architecture, "sm_86");
  EXPECT_EQ(card.hardware->identity.ids->device, 0x2487U);
  const auto chip = Card(Of({"name=Orin"}));
  EXPECT_EQ(chip.hardware->architecture, "sm_87");
  EXPECT_EQ(chip.kind, probe::DeviceKind::kIntegrated);
}

TEST(Assume, AnArchitectureSaysTheKind) {
  for (const char* text :
       {"gfx=gfx1151", "gfx=gfx1103", "gfx=gfx90c", "gfx=gfx1036", "gfx=gfx801", "cc=3.2", "cc=5.3", "cc=6.2",
        "cc=7.2", "cc=8.7", "cc=11.0", "cc=12.1", "ip=9.1", "ip=12.70", "ip=12.71", "ip=12.74.4", "ip=20.4"})
    EXPECT_EQ(Card(Of({text})).kind, probe::DeviceKind::kIntegrated) << text;
  for (const char* text :
       {"gfx=gfx1100", "gfx=gfx942", "cc=8.9", "cc=12.0", "ip=12.10", "ip=12.55", "ip=20.1"})
    EXPECT_EQ(Card(Of({text})).kind, probe::DeviceKind::kDiscrete) << text;
  EXPECT_TRUE(Imagined({"gfx=gfx942,unified=yes"})) << "an MI300A shares it, an MI300X does not";
}

TEST(Assume, AMachineIsWhereItsGpuCanBe) {
  const auto apple = Of({"vendor=apple"});
  EXPECT_EQ(apple.host.system, "macos");
  EXPECT_EQ(apple.host.architecture, "aarch64");
  EXPECT_EQ(Card(apple).kind, probe::DeviceKind::kIntegrated);
  EXPECT_THAT(Runtimes(Card(apple)), ElementsAre("metal"));
  const auto asahi = Of({"vendor=apple,glibc=2.41"});
  EXPECT_EQ(asahi.host.architecture, "aarch64");
  EXPECT_THAT(Runtimes(Card(asahi)), IsEmpty());
  const auto pc = Of({"vendor=nvidia"});
  EXPECT_EQ(pc.host.system, std::nullopt) << "nobody said it";
  EXPECT_EQ(pc.host.architecture, "x86_64");
  EXPECT_EQ(Of({"cc=8.7"}).host.architecture, "aarch64") << "Orin";
  EXPECT_EQ(Of({"cc=12.0"}).host.architecture, "x86_64");
  for (const char* grace : {"GH200", "GB200", "GB300"})
    EXPECT_EQ(Of({std::string("name=") + grace}).host.architecture, "aarch64") << grace;
  EXPECT_EQ(Of({"name=B300"}).host.architecture, "x86_64");
}

TEST(Assume, SaysWhoseRatesStandForACard) {
  const auto sxm = Of({"vendor=nvidia,name=H100 SXM"});
  EXPECT_EQ(Card(sxm).hardware->identity.ids->device, 0x2330U);
  EXPECT_THAT(
      Warnings(sxm),
      ElementsAre("the rates and the memory are those of H100 SXM5 80GB, as no table has H100 SXM itself"));
  EXPECT_EQ(Card(Of({"name=H100"})).hardware->identity.ids->device, 0x2331U) << "the slowest";
  EXPECT_EQ(Card(Of({"name=H100,memory=80GiB"})).hardware->identity.ids->device, 0x2330U);
  EXPECT_EQ(Card(Of({"name=GH200"})).hardware->identity.ids->device, 0x2342U);
  EXPECT_THAT(Warnings(Of({"name=H100 PCIe"})), IsEmpty());
  EXPECT_THAT(Warnings(Of({"name=NVIDIA GH200 480GB"})), IsEmpty());
  EXPECT_EQ(Card(Of({"name=Iris Xe Graphics"})).kind, probe::DeviceKind::kIntegrated)
      << "its rates are those of one, though one card is called so, too";
  EXPECT_THAT(Warnings(Of({"name=Radeon 780M"})), Not(Contains(HasSubstr("itself"))));
  EXPECT_THAT(Warnings(Of({"name=M6"})),
              Contains("M6 is taken for NVIDIA's Tesla M6; for another maker's give vendor"));
  EXPECT_THAT(Warnings(Of({"name=T4"})), IsEmpty()) << "nobody else has such names";
  EXPECT_THAT(Warnings(Of({"name=M1"})), IsEmpty()) << "it is on no bus, and its rates are known";
  EXPECT_THAT(Warnings(Of({"name=M3 Ultra"})), IsEmpty()) << "though no device tree has it";
  EXPECT_THAT(Warnings(Of({"name=M4 Max"})), IsEmpty());
  EXPECT_THAT(Warnings(Of({"name=M2Max"})), IsEmpty());
  EXPECT_THAT(Warnings(Of({"name=Radeon 610M"})), IsEmpty()) << "its rates are known";
  EXPECT_THAT(
      Warnings(Of({"name=UHD Graphics 730"})),
      ElementsAre("the rates of UHD Graphics 730 are not known: those of Intel Iris Xe (i7-1265U), the "
                  "slowest of its architecture that is known, stand for them"));
  EXPECT_THAT(Warnings(Of({"cc=8.6"})), IsEmpty()) << "nobody expects them";
  EXPECT_EQ(Of({"name=H100", "name=H100", "name=H100"}).warnings.size(), 1U) << "once, not thrice";
  EXPECT_EQ(Of({"cc=8.6", "gfx=gfx1100"}).warnings.size(), 2U) << "it decides which is faster";
}

TEST(Assume, RatesAreOfTheProductItself) {
  for (const char* name : {"RX 7700", "R9 Fury X", "R9 Nano", "T4G", "GTX 1070 Max-Q", "GTX 1650 Max-Q",
                           "RTX 2070 Max-Q", "RTX 2080 Max-Q"})
    EXPECT_THAT(Warnings(Of({std::string("name=") + name})), Not(Contains(HasSubstr("rates")))) << name;
}

// One PCI id of several products, of which the table of rates has one.
TEST(Assume, SaysWhoseRatesStandForAnotherProductOfTheSameId) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"RX 6750 GRE 12GB", "Radeon RX 6750 XT"},
      {"RX 5500M", "Radeon RX 5500 XT"},
      {"RTX 2070 SUPER Max-Q", "GeForce RTX 2070 SUPER Mobile"},
      {"GTX 1660 Ti Max-Q", "GeForce GTX 1660 Ti Mobile"},
      {"RX 5600M", "Radeon RX 5700 XT"},
      {"RX 7600S", "Radeon RX 7600 XT"},
      {"RX 7700S", "Radeon RX 7600 XT"},
      {"RX 7800M", "Radeon RX 7800 XT"},
      {"Radeon 820M", "Radeon 840M"}};
  for (const auto& [name, of] : rows)
    EXPECT_THAT(Warnings(Of({"name=" + name})),
                ElementsAre("the rates of " + name + " are not known: those of " + of +
                            ", the largest with its PCI number that is known, stand for them"));
  for (const char* name : {"RX 6900 XT", "RX 6800 XT", "RX 7900 XTX", "AMD Radeon RX 7900 XT", "rx6700xt",
                           "RX 9060 XT", "RX 7600", "MI50", "MI60", "Radeon 780M", "Radeon 740M", "RX 6800",
                           "rx9070", "RX 5600 XT", "Arc 140V", "uhd 770", "GB10", "RTX 2080 Ti"})
    EXPECT_THAT(Warnings(Of({std::string("name=") + name})), IsEmpty()) << name;
}

TEST(Machines, AllCanBe) {
  EXPECT_GE(MachineNames().size(), 20U);
  for (const auto& name : MachineNames()) {
    const auto texts = TextsOfMachine(name);
    ASSERT_TRUE(texts) << name;
    const auto machine = Of(*texts);
    ASSERT_GE(machine.devices.size(), 2U) << name;
    for (std::size_t i = 1; i < machine.devices.size(); ++i)
      EXPECT_THAT(Runtimes(machine.devices[i]), ::testing::SizeIs(1)) << name;
  }
  EXPECT_EQ(Card(Of(*TextsOfMachine("macbook-m5"))).vendor, "Apple");
  EXPECT_EQ(Of(*TextsOfMachine("DGX-H100")).devices.size(), 9U) << "letters' case does not matter";
}

TEST(Machines, OfNoNameAreRefused) {
  EXPECT_THAT(TextsOfMachine("dgx-h10").error().text,
              HasSubstr("--assume-machine: there is no machine 'dgx-h10'; did you mean 'dgx-h100'?"));
  EXPECT_THAT(TextsOfMachine("").error().text, HasSubstr("there is no machine ''; known are aws-g4dn"));
}

}  // namespace
}  // namespace report::assume
