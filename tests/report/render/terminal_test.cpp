// SPDX-License-Identifier: MIT
#include "report/render/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

namespace report::render {
namespace {

using ::testing::ElementsAre;

EnvironmentLookup Environment(std::map<std::string, std::string, std::less<>> variables) {
  return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

bool Colour(const Descriptor& descriptor, std::map<std::string, std::string, std::less<>> variables,
            ColourChoice choice = ColourChoice::kAuto) {
  return DecideTerminal(descriptor, Environment(std::move(variables)), choice).colour;
}

TEST(Terminal, ColourFollowsTheConventions) {
  const Descriptor terminal{true, 80};
  EXPECT_TRUE(Colour(terminal, {{"TERM", "xterm"}}));
  EXPECT_FALSE(Colour(Descriptor{}, {{"TERM", "xterm"}}));
  EXPECT_FALSE(Colour(terminal, {{"TERM", "dumb"}}));
  EXPECT_FALSE(Colour(terminal, {}));
  EXPECT_FALSE(Colour(terminal, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
  EXPECT_TRUE(Colour(terminal, {{"TERM", "xterm"}, {"NO_COLOR", ""}}));
  EXPECT_TRUE(Colour(Descriptor{}, {{"NO_COLOR", "1"}, {"TERM", "dumb"}}, ColourChoice::kAlways));
  EXPECT_FALSE(Colour(terminal, {{"TERM", "xterm"}}, ColourChoice::kNever));
}

int Width(const Descriptor& descriptor, std::map<std::string, std::string, std::less<>> variables) {
  return DecideTerminal(descriptor, Environment(std::move(variables)), ColourChoice::kAuto).width;
}

TEST(Terminal, WidthIsBoundedAndNeverNonsense) {
  EXPECT_EQ(Width({true, 132}, {}), 132);
  EXPECT_EQ(Width({true, 132}, {{"COLUMNS", "60"}}), 60);
  EXPECT_EQ(Width({false, std::nullopt}, {}), kDefaultWidth);
  for (const char* bad : {"", "0", "-5", "wide", "80x24", "99999999999"}) {
    EXPECT_EQ(Width({true, 100}, {{"COLUMNS", bad}}), 100) << bad;
  }
  EXPECT_EQ(Width({true, 3}, {}), kMinWidth);
  EXPECT_EQ(Width({true, 5000}, {}), kMaxWidth);
}

bool Unicode(std::map<std::string, std::string, std::less<>> variables) {
  return DecideTerminal({}, Environment(std::move(variables)), ColourChoice::kAuto).unicode;
}

TEST(Terminal, TheLocaleDecidesTheCharacters) {
  EXPECT_TRUE(Unicode({{"LANG", "en_US.UTF-8"}}));
  EXPECT_TRUE(Unicode({{"LANG", "C.utf8"}}));
  EXPECT_FALSE(Unicode({{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}}));
  EXPECT_TRUE(Unicode({{"LANG", "en_US.UTF-8"}, {"LC_ALL", ""}}));
  EXPECT_FALSE(Unicode({{"LANG", "de_DE.ISO-8859-1"}}));
  EXPECT_FALSE(Unicode({}));
}

TEST(Terminal, APipeIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto found = Inspect(ends[1]);
  EXPECT_FALSE(found.terminal);
  EXPECT_FALSE(found.columns);
  close(ends[0]);
  close(ends[1]);
  EXPECT_FALSE(Inspect(-1).terminal);
}

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("\u00e9\u2013"), 2);
  EXPECT_EQ(DisplayWidth("處理器"), 6);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("\U0001f680"), 2);
  EXPECT_EQ(DisplayWidth("\u2588\u258f"), 2);
  EXPECT_EQ(DisplayWidth("\xff\xc3"), 2);
}

TEST(Fit, CutsAtColumnsWithAnEllipsis) {
  EXPECT_EQ(Fit("Processor", 9, true), "Processor");
  EXPECT_EQ(Fit("Processor", 5, true), "Proc\u2026");
  EXPECT_EQ(Fit("Processor", 6, false), "Pro...");
  EXPECT_EQ(Fit("處理器", 4, true), "處\u2026");
  EXPECT_EQ(Fit("Processor", 2, false), "Pr");
  EXPECT_EQ(Fit("Processor", 0, true), "");
  EXPECT_EQ(FitWords("a card of it", 12, true), "a card of it");
  EXPECT_EQ(FitWords("a card of it", 11, true), "a card of\u2026");
  EXPECT_EQ(FitWords("a card of it", 10, true), "a card of\u2026");
  EXPECT_EQ(FitWords("a card of it", 9, true), "a card\u2026");
  EXPECT_EQ(FitWords("a card of it", 9, false), "a card...");
  EXPECT_EQ(FitWords("Processor", 5, true), "Proc\u2026");
}

TEST(ForLocale, ReplacesWhatTheLocaleLacks) {
  EXPECT_EQ(ForLocale("caf\u00e9 處", true), "caf\u00e9 處");
  EXPECT_EQ(ForLocale("caf\u00e9 處", false), "caf? ??");
}

TEST(Wrap, BreaksAtBlanksAndOnlyThenInWords) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("abcdefgh ij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(Wrap("處理器", 5), ElementsAre("處理", "器"));
  EXPECT_THAT(Wrap("word", 10, 2), ElementsAre("", "word"));
  EXPECT_THAT(Wrap("", 10), ElementsAre(""));
  EXPECT_THAT(Wrap("  a   b  ", 10), ElementsAre("a b"));
}

}  // namespace
}  // namespace report::render
