// SPDX-License-Identifier: MIT
// Described machines that nobody can have: GPUs on systems and beside processors that they have no driver
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/tables.h"
#include "tests/report/assume/refusal.h"

namespace report::assume {
namespace {

// The first of each is refused for that reason, and the second, which just can be, is taken.
void ExpectRefused(const std::vector<std::array<std::string, 3>>& rows) {
  for (const auto& [text, why, next] : rows) {
    EXPECT_EQ(Refusal(text), "--assume: " + why);
    EXPECT_EQ(Refusal(next), "") << "beside " << text;
  }
}

TEST(Possible, WslHasNoGpuThatWindowsHasNoDriverOf) {
  const auto why = [](const std::string& whose) {
    return "wsl: a GPU in WSL needs a driver of Windows, and " + whose +
           " has drivers for linux alone; say wsl=no";
  };
  ExpectRefused({{"name=MI300X,wsl=yes", why("AMD's Instinct"), "name=MI300X,wsl=no"},
                 {"name=MI100,wsl=yes,os=linux", why("AMD's Instinct"), "name=MI100,os=linux"},
                 {"gfx=gfx90a,wsl=yes", why("AMD's Instinct"), "gfx=gfx1030,wsl=yes"},
                 {"gfx=gfx950,wsl=yes", why("AMD's Instinct"), "name=Radeon PRO W7900,wsl=yes"},
                 {"name=Data Center GPU Max 1550,wsl=yes", why("Intel's Data Center GPU Max"),
                  "name=Data Center GPU Flex 170,wsl=yes"},
                 {"ip=12.61,wsl=yes", why("Intel's Data Center GPU Max"), "ip=12.57,wsl=yes"},
                 {"name=Orin,wsl=yes", why("NVIDIA's Jetson"), "name=RTX 3060,wsl=yes"}});
}

TEST(Possible, AJetsonHasNoWindows) {
  const std::string why = "os: NVIDIA's Jetson has drivers for linux alone";
  ExpectRefused({{"name=AGX Orin,os=windows", why, "name=AGX Orin,os=linux"},
                 {"name=Jetson Orin Nano,os=windows", why, "name=Jetson Orin Nano"},
                 {"name=Xavier,os=windows", why, "name=Tesla V100,os=windows"},
                 {"name=Jetson Thor,os=windows,arch=aarch64", why, "cc=12.0,os=windows,arch=aarch64"},
                 {"cc=6.2,os=windows", why, "cc=6.1,os=windows"},
                 {"name=Jetson Nano,os=windows", why, "cc=5.2,os=windows"}});
}

TEST(Possible, AMacHasNoGpuOfAProcessorOfAmd) {
  const std::string why = "os: no Mac has a processor of AMD";
  ExpectRefused({{"name=Radeon 780M,os=macos", why, "name=Radeon 780M,os=windows"},
                 {"name=Radeon 680M,os=macos", why, "name=RX 6900 XT,os=macos"},
                 {"gfx=gfx1151,os=macos", why, "gfx=gfx1030,os=macos"}});
}

// A card has a slot beside any processor.
TEST(Possible, AnIntegratedGpuIsBesideItsOwnProcessor) {
  const auto why = [](const std::string& maker) {
    return "arch: an integrated GPU of " + maker + " is part of a processor with x86_64; say arch=x86_64";
  };
  ExpectRefused({{"name=UHD Graphics 630,arch=aarch64", why("Intel"), "name=UHD Graphics 630,arch=x86_64"},
                 {"name=Iris Xe,arch=aarch64", why("Intel"), "name=Iris Xe MAX,arch=aarch64"},
                 {"name=Arc 140V,arch=aarch64", why("Intel"), "name=Arc A770,arch=aarch64"},
                 {"ip=12.71,arch=aarch64,os=windows", why("Intel"), "ip=12.55,arch=aarch64"},
                 {"name=Radeon 780M,arch=aarch64", why("AMD"), "name=RX 7900 XTX,arch=aarch64"},
                 {"name=Radeon Graphics,arch=aarch64", why("AMD"), "vendor=amd,arch=aarch64"},
                 {"vendor=amd,kind=integrated,arch=aarch64", why("AMD"), "vendor=amd,kind=integrated"},
                 {"name=Strix Halo,arch=aarch64", why("AMD"), "vendor=nvidia,kind=integrated,arch=aarch64"}});
}

TEST(Possible, AChipOfAMakerOfChipsHasNoMemoryOfItsOwn) {
  const auto why = [](const std::string& maker) {
    return "unified: a GPU of " + maker + " always shares the processor's memory; leave it out";
  };
  ExpectRefused({{"name=M4 Max,unified=no", why("Apple"), "name=M4 Max,unified=yes"},
                 {"vendor=apple,unified=no", why("Apple"), "vendor=apple"},
                 {"name=VideoCore VII,unified=no", why("Broadcom"), "name=VideoCore VII"},
                 {"name=M1 16GB,unified=no", why("Apple"), "name=Radeon 780M,memory=4GiB,unified=no"}});
}

}  // namespace
}  // namespace report::assume
