// SPDX-License-Identifier: MIT
#include "probe/core/text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace probe
