// SPDX-License-Identifier: MIT
#include "report/core/card_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace report {
namespace {

using ::testing::ElementsAreArray;

TEST(CardName, OfAListIsOfItsProducts) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> rows = {
      {"GeForce RTX 4090", {"GeForce RTX 4090"}},
      {"RX 7900 XT/7900 XTX", {"RX 7900 XT", "RX 7900 XTX"}},
      {"RX 7600 / PRO W7600", {"RX 7600", "PRO W7600"}},
      {"Radeon R9 290/390", {"Radeon R9 290", "Radeon R9 390"}},
      {"R9 290/390", {"R9 290", "R9 390"}},
      {"Radeon R7 370 / R9 270X/370X", {"Radeon R7 370", "Radeon R9 270X", "Radeon R9 370X"}},
      {"Radeon R6/R7 Graphics", {"Radeon R6", "Radeon R7 Graphics"}},
      {"GTX 1080/Ti", {"GTX 1080", "GTX 1080 Ti"}},
      {"M1/Pro/Max", {"M1", "M1 Pro", "M1 Max"}},
      {"GeForce RTX 4060 Max-Q / Mobile", {"GeForce RTX 4060 Max-Q", "GeForce RTX 4060 Mobile"}}};
  for (const auto& [name, products] : rows) EXPECT_THAT(ProductsIn(name), ElementsAreArray(products)) << name;
}

// A size tells one product from another, unless it stands in the list for itself.
TEST(CardName, OfAListKeepsTheSizesThatAreItsProducts) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> rows = {
      {"Tesla T10 16GB / GRID RTX T10-2/T10-4", {"Tesla T10 16GB", "GRID RTX T10-2", "GRID RTX T10-4"}},
      {"T400 4GB / T400E", {"T400 4GB", "T400E"}},
      {"RTX PRO 5000 Blackwell / RTX PRO 5000 72GB Blackwell",
       {"RTX PRO 5000 Blackwell", "RTX PRO 5000 72GB Blackwell"}},
      {"RTX 3080 Mobile / Max-Q 8GB/16GB", {"RTX 3080 Mobile", "RTX 3080 Max-Q"}},
      {"RTX 3080 Mobile / Max-Q 8 GB / 16 GB", {"RTX 3080 Mobile", "RTX 3080 Max-Q"}},
      {"RX 6750 GRE 10GB / 12GB", {"RX 6750 GRE 10GB", "RX 6750 GRE 12GB"}},
      {"RX 480/580 8GB", {"RX 480", "RX 580 8GB"}},
      {"RX 7900 XT / XTX 24GB", {"RX 7900 XT", "RX 7900 XTX 24GB"}}};
  for (const auto& [name, products] : rows) EXPECT_THAT(ProductsIn(name), ElementsAreArray(products)) << name;
}

TEST(CardName, OfAProcessorIsItsGpus) {
  EXPECT_EQ(PrintedName("AMD Ryzen AI 9 HX 370 w/ Radeon 890M"), "Radeon 890M");
  EXPECT_EQ(PrintedName("AMD Ryzen 9 7940HS w/ Radeon 780M Graphics"), "Radeon 780M Graphics");
}

TEST(CardName, HasWordsInCommonWithAnotherWhateverStandsBetweenThem) {
  EXPECT_EQ(WordsInCommon("A800-SXM4-80GB", "NVIDIA A100 SXM4 80GB"), 2U) << "a maker tells nothing";
  EXPECT_EQ(WordsInCommon("A800 80GB PCIe", "NVIDIA A30"), 0U);
}

TEST(CardName, TellsACardForLaptops) {
  for (const char* name : {"GeForce RTX 4060 Laptop GPU", "Quadro RTX 5000 Mobile / Max-Q",
                           "GeForce GTX 980M", "Radeon RX 7600M XT"})
    EXPECT_TRUE(IsForLaptops(name)) << name;
  for (const char* name :
       {"GeForce RTX 4060", "RTX PRO 6000 Blackwell Max-Q Workstation Edition", "Tesla M4"})
    EXPECT_FALSE(IsForLaptops(name)) << name;
}

}  // namespace
}  // namespace report
