// SPDX-License-Identifier: MIT
// Names of a described GPU that are several cards', or that of one of several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/tables.h"
#include "tests/report/assume/refusal.h"

namespace report::assume {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Machine Of(const std::string& text) {
  auto machine = Imagine(*EmbeddedTables(), {text});
  EXPECT_TRUE(machine) << machine.error().text;
  return machine ? *std::move(machine) : Machine{};
}

std::vector<std::string> Warnings(const Machine& machine) {
  std::vector<std::string> texts;
  for (const Warning& warning : machine.warnings) texts.push_back(warning.text);
  return texts;
}

// As many texts as there are names, each of which is taken.
TEST(Several, CardsBehindOneAnotherHaveATextEach) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"RTX 4090 RTX 3090", R"(2 cards: say --assume "name=RTX 4090" --assume "name=RTX 3090")"},
      {"RTX 4090 + rtx3090", R"(2 cards: say --assume "name=RTX 4090" --assume "name=rtx3090")"},
      {"RTX 4070 Ti RX 580 8GB", R"(2 cards: say --assume "name=RTX 4070 Ti" --assume "name=RX 580 8GB")"},
      {"RTX 4090 RTX 4090 and Arc A770",
       R"(3 cards: say --assume "name=RTX 4090,count=2" --assume "name=Arc A770")"},
      {"RTX 4090 Intel UHD Graphics 770",
       R"(2 cards: say --assume "name=RTX 4090" --assume "name=Intel UHD Graphics 770")"}};
  for (const auto& [name, wanted] : rows) {
    for (const char* maker : {"", "vendor=nvidia,"}) {
      auto rest = Refusal(maker + ("name=" + name));
      ASSERT_EQ(rest, "--assume: name: '" + name + "' is " + wanted);
    }
    auto rest = wanted;
    const std::string start = "--assume \"";
    for (auto from = rest.find(start); from != std::string::npos; from = rest.find(start)) {
      rest.erase(0, from + start.size());
      EXPECT_EQ(Refusal(rest.substr(0, rest.find('"'))), "") << "which is proposed";
    }
  }
  EXPECT_THAT(Refusal("name=RTX 4090, name=RTX 3090"),
              HasSubstr("name: it stands twice; of another GPU another"));
}

TEST(Several, WordsBehindABracketThatNothingClosesAreNoPartOfTheName) {
  EXPECT_THAT(Refusal("name=HawkPoint1 [,x,vendor=amd"), HasSubstr("there is no key 'x'"));
  EXPECT_EQ(Refusal("name=NVIDIA Corporation GA106 [GeForce RTX 3060, LHR],os=linux"),
            Refusal("os=linux,name=NVIDIA Corporation GA106 [GeForce RTX 3060, LHR]"));
}

TEST(Several, WhatGoesOnAfterACardIsNotHalfProposed) {
  EXPECT_THAT(Refusal("name=RTX 4090 RTX foo"), HasSubstr("; did you mean 'RTX 4090'?"));
  for (const char* name :
       {"RTX A2000 12GB and 16 GB", "4090 NVIDIA 6750", "Intel HD Graphics 520 Radeon 890M"})
    EXPECT_THAT(Refusal(std::string("name=") + name), Not(HasSubstr("cards: say"))) << "one of them is none";
  for (const char* name : {"RTX 4090 16GB", "RTX 6000 Ada Generation", "GeForce RTX 4060 Max-Q / Mobile",
                           "NVIDIA A100-SXM4-80GB", "Radeon RX 7600M/7600M XT", "AI Max+ 395 128GB"})
    EXPECT_EQ(Refusal(std::string("name=") + name), "") << name;
}

TEST(Several, CardsOfAListAreAllAskedFor) {
  const std::string start = " is what several cards are called";
  for (const char* name : {"RX 480/580", "rx480/580", "RX480/580"})
    EXPECT_EQ(Refusal(std::string("name=") + name),
              "--assume: name: '" + std::string(name) + "'" + start + "; say which one: RX 480, RX 580");
  EXPECT_THAT(Refusal("name=RX 480/580 8GB"), HasSubstr("say which one: RX 480, RX 580 8GB"));
  EXPECT_THAT(Refusal("name=RX 6750 GRE 10 GB / 12 GB"),
              HasSubstr("say which one: RX 6750 GRE 10 GB, RX 6750 GRE 12 GB"))
      << "of these the sizes are the products";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"RTX 4090/foo", ", but 'RTX 4090 foo' is no card's name; say one card's, such as RTX 4090"},
      {"foo/RTX 4090", ", but 'foo' is no card's name; say one card's, such as RTX 4090"},
      {"480/580", ", but '580' is no card's name; say one card's, such as 480"}};
  for (const auto& [name, wanted] : rows)
    EXPECT_EQ(Refusal("name=" + name), "--assume: name: '" + name + "'" + start + wanted);
}

// 73ff is Navi 23's number, and a revision of it a Navi 22.
TEST(Several, SizesOfOneCardAreOfOneArchitecture) {
  for (const char* name : {"RX 6750 GRE", "RX 6750 GRE 10GB", "RX 6750 GRE 12GB"})
    EXPECT_EQ(Of(std::string("name=") + name).devices.back().hardware->architecture, "gfx1031") << name;
  EXPECT_EQ(Of("name=RX 6600").devices.back().hardware->architecture, "gfx1032");
  EXPECT_THAT(Warnings(Of("name=RX 6750 GRE")),
              ElementsAre("the rates and the memory are those of Radeon RX 6750 GRE 10GB, as no table has RX "
                          "6750 GRE itself"));
  EXPECT_EQ(Of("name=RX 6750 GRE,memory=12GiB").devices.back().memory.total_bytes, 12ULL << 30U);
}

TEST(Several, AnIrisXeIsShownWithoutAProcessorThatNobodyNamed) {
  for (const char* name : {"Iris Xe", "Intel(R) Iris(R) Xe Graphics"}) {
    const auto machine = Of(std::string("name=") + name);
    EXPECT_EQ(machine.devices.back().name, "Intel Iris Xe") << name;
    EXPECT_THAT(Warnings(machine), Contains(HasSubstr(" is taken for Intel Iris Xe (i7-1265U)")))
        << "whose rates they are";
  }
  EXPECT_EQ(Of("name=Steam Deck").devices.back().name, "Van Gogh (Steam Deck)") << "which was named";
}

}  // namespace
}  // namespace report::assume
