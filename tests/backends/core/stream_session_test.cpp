// SPDX-License-Identifier: MIT
#include "backends/core/stream_session.h"

#include <gtest/gtest.h>

#include <string>

namespace backends {
namespace {

Limits Small() {
  Limits limits;
  limits.max_buffer_bytes = 1000;
  limits.memory_free_bytes = 1500;
  return limits;
}

TEST(DeviceBuffers, OnlyPartsOfLivingBuffersHaveAnAddress) {
  const Limits limits = Small();
  DeviceBuffers buffers(limits);
  EXPECT_FALSE(buffers.Check("alloc", 0));
  EXPECT_FALSE(buffers.Check("alloc", 1001));
  EXPECT_TRUE(buffers.Check("alloc", 1000));
  const BufferId buffer = buffers.Add(0x7000, 100);
  EXPECT_EQ(*buffers.At("copy", buffer, 40, 60), 0x7028U);
  EXPECT_EQ(buffers.At("copy", buffer, 40, 61).error().text, "beyond the buffer");
  EXPECT_EQ(buffers.At("copy", buffer, UINT64_MAX, 2).error().text, "beyond the buffer");
  EXPECT_EQ(buffers.At("copy", BufferId{7}, 0, 0).error().text, "no such buffer");
  EXPECT_EQ(buffers.Remove(buffer), 0x7000U);
  EXPECT_FALSE(buffers.Remove(buffer));
  EXPECT_FALSE(buffers.At("copy", buffer, 0, 0));
}

TEST(DeviceBuffers, OfASharedDeviceAllTogetherTakeWhatIsAllowed) {
  Limits limits = Small();
  limits.shared_with = "another process";
  DeviceBuffers buffers(limits);
  const BufferId first = buffers.Add(0x7000, 900);
  buffers.Take(200);
  EXPECT_EQ(buffers.AllowedBytes(), 400U);
  EXPECT_TRUE(buffers.Check("alloc", 400));
  EXPECT_EQ(buffers.Check("alloc", 401).error().name, "too much beside others");
  EXPECT_TRUE(buffers.Remove(first));
  EXPECT_EQ(buffers.AllowedBytes(), 1300U);
}

TEST(KernelArguments, AreBuffersBeforeScalarsOfABlockThatFits) {
  const Limits limits = Small();
  DeviceBuffers buffers(limits);
  Launch launch;
  launch.buffers = {{buffers.Add(0x7000, 10), {}}, {buffers.Add(0x8000, 10), {}}};
  launch.shape.local = {32, 4, 1};
  launch.shape.scalars = {5, 6};
  const auto arguments = ArgumentsOf(launch, buffers, "entry", 128);
  ASSERT_TRUE(arguments);
  EXPECT_EQ((*arguments)->values, (std::vector<std::uint64_t>{0x7000, 0x8000, 5, 6}));
  ASSERT_EQ((*arguments)->pointers.size(), 4U);
  EXPECT_EQ((*arguments)->pointers[3], &(*arguments)->values[3]);
  EXPECT_EQ(ArgumentsOf(launch, buffers, "entry", 127).error().name, "block too large");
  launch.buffers[0].buffer = BufferId{9};
  EXPECT_EQ(ArgumentsOf(launch, buffers, "entry", 128).error().text, "no such buffer");
}

// A stream that writes down what is asked of it.
struct Stream {
  std::string log;
  bool records = true;
  probe::Status finished = probe::Ok();
  StreamCalls calls{[this] { return Note("("); }, [this] { return Note(")"); },
                    [this] {
                      log += "s";
                      return finished;
                    },
                    [] { return std::optional(2.0); }};

  bool Note(const char* mark) {
    log += mark;
    return records;
  }
  Enqueue Launching(const char* mark, const probe::Status& status = probe::Ok()) {
    return [this, mark, status] {
      log += mark;
      return status;
    };
  }
};

TEST(TimeOnStream, RepeatsTheSequenceBetweenItsEvents) {
  Stream stream;
  const std::vector<Enqueue> launches = {stream.Launching("a"), stream.Launching("b")};
  const auto timing = TimeOnStream(launches, 3, stream.calls);
  ASSERT_TRUE(timing);
  EXPECT_EQ(stream.log, "(ababab)s");
  EXPECT_EQ(timing->device_s, 2.0);
  stream.records = false;
  EXPECT_FALSE(TimeOnStream(launches, 1, stream.calls)->device_s) << "no event, no time of the device";
}

TEST(TimeOnStream, WaitsAlsoAfterAnError) {
  Stream stream;
  const probe::Error error{"launch", 1, "refused", ""};
  const std::vector<Enqueue> launches = {stream.Launching("a", error), stream.Launching("b")};
  const auto timing = TimeOnStream(launches, 2, stream.calls);
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().name, "refused");
  EXPECT_EQ(stream.log, "(a)s");
  stream.finished = probe::Error{"synchronize", 2, "lost", ""};
  const std::vector<Enqueue> good = {stream.Launching("a")};
  EXPECT_EQ(TimeOnStream(good, 1, stream.calls).error().name, "lost");
}

}  // namespace
}  // namespace backends
