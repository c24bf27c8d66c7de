// SPDX-License-Identifier: MIT
#include "probe/core/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace probe {
namespace {

TEST(CleanText, KeepsWhatCanBePrinted) {
  EXPECT_EQ(CleanText("NVIDIA H200 ~!"), "NVIDIA H200 ~!");
  EXPECT_EQ(CleanText("Gr\xc3\xbc\xc3\x9f"
                      "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "Gr\xc3\xbc\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(CleanText(""), "");
}

TEST(CleanText, AnEndlessTextTakesNoLongerThanItsBeginning) {
  const std::string endless(std::size_t{64} << 20U, 'a');
  for (int i = 0; i < 20; ++i) EXPECT_EQ(CleanText(endless, 16384).size(), 16384U);
}

TEST(CleanText, TrimsBlanksAtTheEnds) {
  EXPECT_EQ(CleanText(" \t\r\n two words \v\f"), "two words");
  EXPECT_EQ(CleanText(" \t\n"), "");
}

TEST(CleanText, ShowsControlsAsCodes) {
  EXPECT_EQ(CleanText("a\x1b[31mb\x7f"
                      "c\xc2\x85"
                      "d"),
            "a\\x1b[31mb\\x7fc\\x85d");
  EXPECT_EQ(CleanText(std::string("a\0b", 3)), "a\\x00b");
}

TEST(CleanText, ShowsWhatReordersALineAsCodes) {
  EXPECT_EQ(CleanText("a\xe2\x80\xae"
                      "b\xe2\x81\xa9\xe2\x80\xa8"),
            "a\\u202eb\\u2069\\u2028");
}

std::string Encoded(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x800) return {byte(0xc0 | c >> 6U), byte(0x80 | (c & 0x3fU))};
  if (c < 0x10000) return {byte(0xe0 | c >> 12U), byte(0x80 | (c >> 6U & 0x3fU)), byte(0x80 | (c & 0x3fU))};
  return {byte(0xf0 | c >> 18U), byte(0x80 | (c >> 12U & 0x3fU)), byte(0x80 | (c >> 6U & 0x3fU)),
          byte(0x80 | (c & 0x3fU))};
}

TEST(CleanText, ShowsWhatCanNotBeSeenAsCodes) {
  struct Span {
    char32_t first, last;
  };
  for (const auto& [first, last] :
       {Span{0xad, 0xad}, Span{0x61c, 0x61c}, Span{0x180e, 0x180e}, Span{0x200b, 0x200f},
        Span{0x2028, 0x202e}, Span{0x2060, 0x2064}, Span{0x2066, 0x206f}, Span{0xfdd0, 0xfdef},
        Span{0xfe00, 0xfe0f}, Span{0xfeff, 0xfeff}, Span{0xfff9, 0xfffb}, Span{0xfffe, 0xffff},
        Span{0x1fffe, 0x1ffff}, Span{0xe0000, 0xe007f}, Span{0xe0100, 0xe01ef}, Span{0x10fffe, 0x10ffff}}) {
    for (char32_t c = first; c <= last; ++c) {
      std::array<char, 16> code{};
      const auto number = static_cast<unsigned>(c);
      if (number > 0xffff) {
        std::snprintf(code.data(), code.size(), "\\U%08x", number);
      } else {
        std::snprintf(code.data(), code.size(), "\\u%04x", number);
      }
      EXPECT_EQ(CleanText("a" + Encoded(c) + "b"), std::string("a") + code.data() + "b");
      EXPECT_EQ(CleanText(Encoded(c)), code.data()) << "at the ends too";
    }
  }
  for (const char32_t c :
       {U'\u00a0', U'\u00ac', U'\u00ae', U'\u061b', U'\u200a', U'\u2010', U'\u2027', U'\u2070', U'\ufdcf',
        U'\ufdf0', U'\ufe10', U'\ufffd', U'\U0001f600', U'\U0010fffd'}) {
    EXPECT_EQ(CleanText("a" + Encoded(c) + "b"), "a" + Encoded(c) + "b") << "can be seen";
  }
}

TEST(CleanText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(CleanText("a\xff"
                      "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(CleanText("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(CleanText("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "longer than it need be";
  EXPECT_EQ(CleanText("a\xe2\x82"), "a\xef\xbf\xbd\xef\xbf\xbd") << "cut short";
}

TEST(CleanText, CutsAtTheLimitAndSaysSo) {
  EXPECT_EQ(CleanText("0123456789", 10), "0123456789");
  EXPECT_EQ(CleanText("0123456789a", 10), "0123456...");
  EXPECT_EQ(CleanText("0123456789", 2), "..");
  EXPECT_EQ(CleanText("0123456\x1b"
                      "89",
                      10),
            "0123456...")
      << "no code is cut in two";
  EXPECT_EQ(CleanText("012345\xe2\x82\xac"
                      "789",
                      10),
            "012345...")
      << "nor a character";
}

TEST(LogTail, IsTheEndOnOneLine) {
  using namespace std::string_view_literals;
  EXPECT_EQ(LogTail("\nerror: no\x1b[0m\n2 errors\n \n\0beyond"sv), "error: no\\x1b[0m 2 errors");
  EXPECT_EQ(LogTail("no zero"), "no zero");
  EXPECT_EQ(LogTail("\n\0"sv), "");
  EXPECT_EQ(LogTail(std::string(5000, 'a') + "the end" + std::string(2000, '\n')),
            std::string(1493, 'a') + "the end");
}

}  // namespace
}  // namespace probe
