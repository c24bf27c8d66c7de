// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "report/core/clean.h"
#include "report/html/html.h"
#include "report/render/faces.h"
#include "report/render/told.h"
#include "tests/report/generated.h"
#include "tests/report/machines.h"

namespace report::html {
namespace {

using report::testing::Decided;
using report::testing::Machines;
using report::testing::TestTables;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kMostBytes = 300'000;

std::string Embedded(const std::string& page, const std::string& id) {
  const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
  const auto begin = page.find(open);
  EXPECT_NE(begin, std::string::npos);
  return page.substr(begin + open.size(), page.find("</script>", begin) - begin - open.size());
}

// What is read of it: without markup, the five escapes undone.
std::string Words(const std::string& page) {
  auto text = std::regex_replace(page.substr(page.find("<main")), std::regex("<[^>]*>"), "");
  for (const auto& [escape, sign] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""), std::pair("&#39;", "'"),
        std::pair("&amp;", "&")})
    text = std::regex_replace(text, std::regex(escape), sign);
  return text;
}

TEST(ReportPage, HoldsTheSameJsonAsJson) {
  for (const auto& machine : Machines()) {
    const auto report = Decided(machine.build());
    const auto page = ReportPage(TestTables(), report);
    EXPECT_EQ(probe::Json::parse(Embedded(page, "report")), render::JsonObject(report, "report"))
        << machine.name;
    EXPECT_LE(page.size(), kMostBytes) << machine.name;
  }
}

TEST(ReportPage, SaysTheAnswerInTheTerminalsWords) {
  for (const auto& machine : Machines()) {
    const auto report = Cleaned(Decided(machine.build()), 400);
    const auto words = Words(ReportPage(TestTables(), report));
    for (const auto& told : render::TellAnswers(report, "\u2013")) {
      const auto first =
          told.nothing_fits.empty() ? "Use " + told.way + " on " + told.device : told.nothing_fits;
      EXPECT_THAT(words, HasSubstr(first)) << machine.name;
      for (const auto& promise : told.promises) EXPECT_THAT(words, HasSubstr(promise)) << machine.name;
      for (const auto& reason : told.answer->reasons)
        EXPECT_THAT(words, HasSubstr(reason.text)) << machine.name;
    }
    for (const auto& finding : report.findings)
      EXPECT_THAT(words, HasSubstr(finding.summary)) << machine.name;
  }
}

TEST(ReportPage, AnyMachineHasOne) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto report = Decided(report::testing::Generated(seed));
    const auto page = ReportPage(TestTables(), report);
    EXPECT_THAT(page, Not(HasSubstr("nan"))) << seed;
    EXPECT_THAT(page, Not(HasSubstr("inf,"))) << seed;
    EXPECT_TRUE(page.ends_with("</html>\n")) << seed;
    EXPECT_TRUE(RooflinePicture(TestTables(), report).ends_with("</svg>\n")) << seed;
  }
}

// What a record may not hold, a driver that is asked may say.
TEST(ReportPage, NoStringIsTooLongOrTooOdd) {
  for (const std::string& foreign : {std::string(1'000'000, '<'), std::string(1'000'000, '\xff'),
                                     std::string("\xc3</script>\0\x1b", 13)}) {
    auto report = Decided(report::testing::DiscreteAndIntegrated());
    for (auto& device : report.devices) device.name = foreign;
    report.warnings.push_back({foreign});
    report.host.os = foreign;
    const auto page = ReportPage(TestTables(), report);
    EXPECT_LE(page.size(), kMostBytes + 4 * probe::kMaxDecodedTextBytes * 8);
    EXPECT_EQ(probe::Json::parse(Embedded(page, "report")), render::JsonObject(report, "report"));
    EXPECT_THAT(page.substr(page.find("<main"), page.find("</main>")), Not(HasSubstr("</script")));
    EXPECT_THAT(page, Not(HasSubstr(std::string(1, '\0'))));
  }
}

TEST(ReportPage, AnInterruptedRunIsSaid) {
  auto report = Decided(report::testing::Processor());
  EXPECT_THAT(ReportPage(TestTables(), report), Not(HasSubstr("was interrupted")));
  report.interrupted = true;
  EXPECT_THAT(ReportPage(TestTables(), report), HasSubstr("was interrupted"));
}

TEST(ReportPage, NothingMeasuredIsSaid) {
  const auto page = ReportPage(TestTables(), Decided(report::testing::Nothing()));
  EXPECT_THAT(page, HasSubstr("Nothing was measured."));
  EXPECT_THAT(RooflinePicture(TestTables(), Decided(report::testing::Nothing())),
              HasSubstr("No device has both"));
}

TEST(ComparisonPage, HoldsEveryRow) {
  Comparison comparison;
  comparison.base.file = "<before>.json";
  comparison.other.file = "after.json";
  comparison.rows.push_back({"key", "pci:0000:01:00.0", "one", "fp32 gemm", "flop_per_s", 2e12, 1e12, 0.5,
                             Verdict::kSlower, std::nullopt});
  comparison.rows.push_back({"other", "cpu:0", "cpu", "read", "bytes_per_s", 1e10, std::nullopt, std::nullopt,
                             Verdict::kMissing, "not in the second"});
  const auto page = ComparisonPage(comparison);
  EXPECT_THAT(page, HasSubstr("&lt;before&gt;.json"));
  EXPECT_THAT(page, HasSubstr("1 of 1 figures is slower, beyond both spreads"));
  EXPECT_THAT(page, HasSubstr("-50 %"));
  EXPECT_THAT(page, HasSubstr("not in the second"));
  EXPECT_EQ(probe::Json::parse(Embedded(page, "comparison")), render::ComparisonObject(comparison));
}

}  // namespace
}  // namespace report::html
