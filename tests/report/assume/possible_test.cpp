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

namespace report::assume {
namespace {

std::string Refusal(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  return machine ? "" : machine.error().text;
}

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

}  // namespace
}  // namespace report::assume
