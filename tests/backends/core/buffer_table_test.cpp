// SPDX-License-Identifier: MIT
#include "backends/core/buffer_table.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace backends {
namespace {

class BufferTableTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Ask(BufferId id, std::uint64_t offset_bytes, std::uint64_t size) const {
    const auto address = table_.AddressOf("copy", id, offset_bytes, size);
    return address ? std::to_string(*address) : probe::Describe(address.error());
  }

  Limits limits_;
  BufferTable<std::uint64_t> table_{limits_};
};

TEST_F(BufferTableTest, GivesPlacesWithinABufferAlone) {
  const BufferId first = table_.Add(0x7000, 100), second = table_.Add(0x8000, 100);
  EXPECT_EQ(Ask(first, 0, 100), std::to_string(0x7000));
  EXPECT_EQ(Ask(second, 40, 60), std::to_string(0x8000 + 40));
  EXPECT_EQ(Ask(second, 100, 0), std::to_string(0x8000 + 100));
  constexpr std::string_view kBeyond = "copy: out of range: beyond the buffer";
  EXPECT_EQ(Ask(first, 41, 60), kBeyond);
  EXPECT_EQ(Ask(first, 101, 0), kBeyond);
  EXPECT_EQ(Ask(first, UINT64_MAX, 60), kBeyond) << "whose sum is a place within";
  EXPECT_EQ(Ask(first, 60, UINT64_MAX), kBeyond);
  EXPECT_EQ(Ask(BufferId{2}, 0, 0), "copy: out of range: no such buffer");
}

TEST_F(BufferTableTest, ForgetsABufferOnceAndItsIdForEver) {
  const BufferId first = table_.Add(0, 100);  // an address like any other
  EXPECT_EQ(table_.Remove(BufferId{1}), std::nullopt);
  EXPECT_EQ(table_.Remove(first), 0U);
  EXPECT_EQ(table_.Remove(first), std::nullopt);
  EXPECT_EQ(table_.Find(first), nullptr);
  EXPECT_EQ(Ask(first, 0, 0), "copy: out of range: no such buffer");
  EXPECT_NE(table_.Add(0x7000, 100), first);
}

TEST_F(BufferTableTest, HandsOutWhatIsLeft) {
  BufferTable<std::unique_ptr<int>> table(limits_);
  const std::array ids = {table.Add(std::make_unique<int>(1), 1), table.Add(std::make_unique<int>(2), 1),
                          table.Add(std::make_unique<int>(3), 1)};
  table.Remove(ids[1]);
  const auto left = table.RemoveAll();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(*left[0] + *left[1], 4);
  EXPECT_EQ(table.Find(ids[0]), nullptr);
  EXPECT_TRUE(table.RemoveAll().empty());
}

TEST_F(BufferTableTest, CountsWhatTheBuffersTake) {
  limits_.max_buffer_bytes = 1000;
  limits_.shared_with = "others";
  limits_.memory_free_bytes = 150;
  EXPECT_TRUE(table_.Check("allocate", 150));
  const BufferId first = table_.Add(0x7000, 100);
  EXPECT_FALSE(table_.Check("allocate", 51));
  table_.Remove(first);
  table_.Remove(first);
  EXPECT_EQ(table_.AllowedBytes(), 150U);
}

}  // namespace
}  // namespace backends
