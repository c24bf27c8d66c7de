// SPDX-License-Identifier: MIT
#include "probe/core/pci_table.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "data/pci_names.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "probe/core/vendor_names.h"
#include "tests/probe/shared.h"

namespace probe::sysfs {
namespace {

std::vector<std::string> Fields(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

bool IsHex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Blank, or numbers of that many digits.
bool AreHex(const std::string& list, std::size_t digits) {
  const auto numbers = Fields(list, ' ');
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](const auto& number) { return IsHex(number, digits); });
}

bool IsMonth(const std::string& text) {
  return text.size() == 7 && text.starts_with("20") && text[4] == '-' &&
         text.find_first_not_of("0123456789-") == std::string::npos;
}

TEST(PciTable, EveryRowIsWellFormedDatedAndUnique) {
  EXPECT_LT(data::kPciNames.size(), 64U * 1024U);
  static const std::set<std::string> kinds = {"",        "discrete",  "integrated", "accelerator",
                                              "virtual", "management"};
  std::set<std::string> seen;
  std::stringstream table{std::string(data::kPciNames)};
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#') || line.starts_with("vendor,")) continue;
    ++rows;
    const auto fields = Fields(line, ',');
    ASSERT_EQ(fields.size(), 9U) << line;
    EXPECT_TRUE(IsHex(fields[0], 4)) << line;
    EXPECT_TRUE(AreHex(fields[1], 4)) << line;
    EXPECT_TRUE(AreHex(fields[2], 2)) << line;
    EXPECT_FALSE(fields[3].empty()) << line;
    EXPECT_TRUE(kinds.contains(fields[4])) << line;
    EXPECT_EQ(fields[4].empty(), !fields[2].empty()) << line;
    EXPECT_FALSE(VendorName(static_cast<std::uint32_t>(std::stoul(fields[0], nullptr, 16))).empty()) << line;
    EXPECT_TRUE(fields[7].size() == 1 && std::string("PADLJQOWHRN").find(fields[7]) != std::string::npos)
        << line;
    EXPECT_TRUE(IsMonth(fields[8])) << line;
    const auto devices = Fields(fields[1], ' ');
    const auto revisions = fields[2].empty() ? std::vector<std::string>{""} : Fields(fields[2], ' ');
    for (const auto& device : devices) {
      for (const auto& revision : revisions) {
        EXPECT_TRUE(
            seen.insert(std::string(fields[0]).append(":").append(device).append(":").append(revision))
                .second)
            << "twice: " << line;
      }
    }
  }
  EXPECT_GT(rows, 500U);
}

TEST(PciTable, RevisionTellsCardsOfOneNumberApart) {
  const auto name = [](std::optional<std::uint32_t> revision) {
    return FindPciFacts({0x1002, 0x73bf, std::nullopt, std::nullopt, revision})->name;
  };
  EXPECT_EQ(name(0xc0), "Radeon RX 6900 XT");
  EXPECT_EQ(name(0xc1), "Radeon RX 6800 XT");
  EXPECT_EQ(name(0xc3), "Radeon RX 6800");
  const auto family = FindPciFacts({0x1002, 0x73bf, std::nullopt, std::nullopt, 0x12});
  EXPECT_FALSE(family->one_product);
  EXPECT_EQ(family->target, "gfx1030");
  EXPECT_TRUE(FindPciFacts({0x1002, 0x73bf, std::nullopt, std::nullopt, 0xc1})->one_product);
}

TEST(PciTable, ARevisionMayBeAnotherChip) {
  const auto target = [](std::optional<std::uint32_t> revision) {
    return FindPciFacts({0x1002, 0x73ff, std::nullopt, std::nullopt, revision})->target;
  };
  EXPECT_EQ(target(0xdf), "gfx1031") << "an RX 6750 GRE 10GB";
  EXPECT_EQ(target(0xc7), "gfx1032") << "an RX 6600";
  EXPECT_EQ(target(std::nullopt), "gfx1032");
}

TEST(PciTable, DisplaysAndNpusAreNamedForWhatTheyAre) {
  EXPECT_EQ(FindPciFacts({0x1a03, 0x2000, {}, {}, {}})->kind, DeviceKind::kManagement);
  EXPECT_EQ(FindPciFacts({0x1af4, 0x1050, {}, {}, {}})->kind, DeviceKind::kVirtual);
  EXPECT_EQ(FindPciFacts({0x1022, 0x1502, {}, {}, {}})->kind, DeviceKind::kAccelerator);
  EXPECT_EQ(FindPciFacts({0x8086, 0x643e, {}, {}, {}})->kind, DeviceKind::kAccelerator);
  EXPECT_EQ(VendorName(0x10de), "NVIDIA");
  EXPECT_EQ(VendorName(0xabcd), "");
  EXPECT_FALSE(FindPciFacts({0x10de, 0xffff, {}, {}, {}}));
}

// Words of a product's name that must agree; memory sizes, packages and unit counts are written differently
// everywhere, and what stands in brackets is the machine around it.
std::set<std::string> ModelWords(std::string name) {
  name.resize(std::min(name.find('('), name.size()));
  std::set<std::string> words;
  std::string word;
  for (const char letter : name + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      continue;
    }
    if (word.find_first_of("0123456789") != std::string::npos) words.insert(word);
    word.clear();
  }
  return words;
}

// "80gb", "sxm5", "4": sizes, packages and counts.
bool IsSize(const std::string& word) {
  return word.size() == 1 || word.ends_with("gb") || word.starts_with("sxm");
}

std::vector<std::string> Names(std::uint32_t vendor, std::uint32_t device) {
  std::vector<std::string> names;
  for (std::uint32_t revision = 0; revision <= 0x100; ++revision) {
    PciIds ids{vendor, device, {}, {}, {}};
    if (revision < 0x100) ids.revision = revision;
    if (const auto facts = FindPciFacts(ids)) names.emplace_back(facts->name);
  }
  return names;
}

bool AnyNameMatches(const std::string& expected, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto have = ModelWords(name);
    bool all = true;
    for (const std::string& word : ModelWords(expected)) {
      if (!IsSize(word)) all = all && have.contains(word);
    }
    if (all) return true;
  }
  return false;
}

TEST(PciTable, AgreesWithTheCollectedDevices) {
  std::ifstream file(tests::SharedFolder() / "devices.csv");
  if (!file) GTEST_SKIP() << "no devices.csv in " << tests::SharedFolder();
  std::string line;
  std::getline(file, line);
  std::size_t checked = 0;
  while (std::getline(file, line)) {
    const auto fields = Fields(line, ',');
    ASSERT_GE(fields.size(), 6U);
    if (fields[3] == "n/a" || fields[3].empty()) continue;
    const auto vendor = static_cast<std::uint32_t>(std::stoul(fields[3].substr(0, 4), nullptr, 16));
    const auto device = static_cast<std::uint32_t>(std::stoul(fields[3].substr(5), nullptr, 16));
    const auto facts = FindPciFacts({vendor, device, {}, {}, {}});
    ASSERT_TRUE(facts) << line;
    // Of a Meteor Lake the collection does not say which of the two chips it is.
    const auto target = fields[5] == "mtl" ? facts->target.substr(0, 3) : facts->target;
    EXPECT_EQ(target, fields[5]) << line;
    EXPECT_TRUE(fields[4].starts_with(std::string(facts->architecture)))
        << line << " | " << facts->architecture;
    EXPECT_EQ(facts->kind, fields[1] == "dGPU" ? DeviceKind::kDiscrete : DeviceKind::kIntegrated) << line;
    EXPECT_EQ(VendorName(vendor), fields[2]) << line;
    EXPECT_TRUE(AnyNameMatches(fields[0], Names(vendor, device))) << line << " | " << facts->name;
    ++checked;
  }
  EXPECT_GT(checked, 80U);
}

}  // namespace
}  // namespace probe::sysfs
