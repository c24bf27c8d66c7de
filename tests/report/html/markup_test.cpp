// SPDX-License-Identifier: MIT
#include "report/html/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/html.h"
#include <nlohmann/json.hpp>

namespace report::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markup, TextsAndValuesAreEscaped) {
  const Element element("p", {{"class", "\"><script>"}}, "<b>&'\"</b>");
  EXPECT_EQ(
      HtmlPage(element),
      "<!DOCTYPE html>\n<p class=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;&#39;&quot;&lt;/b&gt;</p>\n");
}

TEST(Markup, WhatNoPageMayHaveIsReplaced) {
  const std::string foreign("a\0b\x1b\x7f\xff\xc3\xef\xbf\xbf\tz", 12);
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(HtmlPage(Element("p", {}, foreign)),
            "<!DOCTYPE html>\n<p>a" + r + "b" + r + r + r + r + r + "\tz</p>\n");
}

TEST(Markup, ElementsWithoutAnEndHaveNone) {
  EXPECT_EQ(HtmlPage(Element("meta", {{"charset", "utf-8"}})), "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n");
  EXPECT_THAT(SvgFile(Element("rect")), HasSubstr("<rect></rect>"));
}

TEST(Markup, JsonCanNotLeaveItsScript) {
  const probe::Json json = {{"name", "</script><!-- <script>&amp; \u2028"}};
  const auto page = HtmlPage(Element::JsonScript("report", json));
  const auto begin = page.find('{');
  const auto text = page.substr(begin, page.rfind("</script>") - begin);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_EQ(probe::Json::parse(text), json);
}

TEST(Markup, WhatIsCarriedEndsNoElement) {
  for (const auto text : {data::html::kPage, data::html::kChart, data::html::kSort}) {
    EXPECT_THAT(std::string(text), Not(HasSubstr("</")));
    EXPECT_THAT(std::string(text), Not(HasSubstr("<!--")));
    // A picture is XML, in which a style is text as any other.
    EXPECT_THAT(std::string(data::html::kChart), Not(HasSubstr("&")));
  }
}

TEST(Markup, Coordinates) {
  EXPECT_EQ(NumberText(12), "12");
  EXPECT_EQ(NumberText(12.34), "12.3");
  EXPECT_EQ(NumberText(-0.01), "0");
  EXPECT_EQ(NumberText(100.0), "100");
}

}  // namespace
}  // namespace report::html
