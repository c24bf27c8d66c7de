// SPDX-License-Identifier: MIT
#include "probe/system/descriptor.h"

#include <gtest/gtest.h>
#include <string.h>

namespace probe::system {
namespace {

TEST(ErrnoErrors, HaveTheNameAndTextThatTheCLibraryHas) {
  for (int number = 1; number < 200; ++number) {
    const auto error = ErrnoError("open", number);
    const char* name = strerrorname_np(number);  // of the C library that runs tests, 2.32 or newer
    EXPECT_EQ(name != nullptr ? name : "", error.name) << number;
    if (error.name == "ENOENT") {
      EXPECT_EQ(error.text, strerrordesc_np(number));
    }
  }
}

TEST(ErrnoErrors, OfANumberThatIsNoneSaySo) {
  const auto error = ErrnoError("open", 4000);
  EXPECT_EQ("", error.name);
  EXPECT_EQ("unknown error", error.text);
  EXPECT_EQ(4000, error.code);
}

TEST(ErrnoErrors, KeepATextThatTheyAreGiven) { EXPECT_EQ("mine", ErrnoError("open", 2, "mine").text); }

}  // namespace
}  // namespace probe::system
