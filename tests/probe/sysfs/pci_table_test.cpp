// SPDX-License-Identifier: MIT
#include "probe/sysfs/pci_table.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "data/pci_names.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/probe/shared.h"

namespace probe::sysfs {
namespace {

std::vector<std::string> Fields(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

TEST(PciTable, EveryRowIsWellFormedDatedAndUnique) {
  EXPECT_LT(data::kPciNames.size(), 60U * 1024U);
  static const std::regex kNumbers("([0-9a-f]{4}( [0-9a-f]{4})*)?");
  static const std::regex kRevisions("([0-9a-f]{2}( [0-9a-f]{2})*)?");
  static const std::set<std::string> kKinds = {"",        "discrete",  "integrated", "accelerator",
                                               "virtual", "management"};
  std::set<std::string> seen;
  std::stringstream table{std::string(data::kPciNames)};
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#') || line.starts_with("vendor,")) continue;
    ++rows;
    const auto fields = Fields(line, ',');
    ASSERT_EQ(fields.size(), 9U) << line;
    EXPECT_TRUE(std::regex_match(fields[0], std::regex("[0-9a-f]{4}"))) << line;
    EXPECT_TRUE(std::regex_match(fields[1], kNumbers)) << line;
    EXPECT_TRUE(std::regex_match(fields[2], kRevisions)) << line;
    EXPECT_FALSE(fields[3].empty()) << line;
    EXPECT_TRUE(kKinds.contains(fields[4])) << line;
    EXPECT_EQ(fields[4].empty(), fields[1].empty() || !fields[2].empty()) << line;
    EXPECT_TRUE(std::regex_match(fields[7], std::regex("[PADLJQO]"))) << line;
    EXPECT_TRUE(std::regex_match(fields[8], std::regex("20[0-9]{2}-[01][0-9]"))) << line;
    const auto devices = fields[1].empty() ? std::vector<std::string>{""} : Fields(fields[1], ' ');
    const auto revisions = fields[2].empty() ? std::vector<std::string>{""} : Fields(fields[2], ' ');
    for (const auto& device : devices) {
      for (const auto& revision : revisions) {
        EXPECT_TRUE(seen.insert(fields[0] + ":" + device + ":" + revision).second) << "twice: " << line;
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
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::set<std::string> words;
  static const std::regex kWord("[a-z0-9]+");
  for (std::sregex_iterator it(name.begin(), name.end(), kWord), end; it != end; ++it) {
    if (it->str().find_first_of("0123456789") != std::string::npos) words.insert(it->str());
  }
  return words;
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
  static const std::regex kSize("[0-9]+gb|sxm[0-9]|[0-9]");
  for (const std::string& name : names) {
    const auto have = ModelWords(name);
    bool all = true;
    for (const std::string& word : ModelWords(expected)) {
      if (!std::regex_match(word, kSize)) all = all && have.contains(word);
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
    EXPECT_EQ(facts->target, fields[5]) << line;
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
