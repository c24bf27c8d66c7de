// SPDX-License-Identifier: MIT
// A session on a runtime by script, whose memory is numbers and which writes down what it is asked for.
#include "backends/stream/stream_session.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace backends::stream {
namespace {

constexpr ProductType kType{
    "library:fp32/fp32", kernels::Dtype::kFp32, kernels::Dtype::kFp32, "", {1, 2, 3, 4}};

// What a test sees of the runtime, and what it makes it do.
struct Script {
  std::string log;
  std::string state;
  bool records = true;
  probe::Status launched = probe::Ok();
  probe::Status finished = probe::Ok();
  std::uint64_t next_address = 0x7000;
  std::uint64_t workspace_bytes = 0;
  std::string unbounded;
  probe::Status allocated = probe::Ok();
  std::vector<std::uint64_t> arguments;  // of the last launch
};

class ScriptedRuntime final : public Runtime {
 public:
  explicit ScriptedRuntime(Script& script)
      : Runtime({.allocate = "alloc", .upload = "up", .download = "down", .attribute = "attribute"}),
        script_(script) {}

  probe::Status Enter(std::size_t) override { return probe::Ok(); }
  probe::Result<Memory> AskMemory() override { return Memory{1500, 1000}; }
  probe::Result<std::uint64_t> Allocate(std::uint64_t) override {
    if (!script_.allocated) return script_.allocated.error();
    return std::exchange(script_.next_address, script_.next_address + 0x1000);
  }
  void Free(std::uint64_t address) override { script_.log += "free " + std::to_string(address); }
  probe::Result<HostBuffer> AllocateHost(std::uint64_t) override { return NoHostMemory(); }
  probe::Status Write(std::uint64_t to, std::span<const std::byte>) override {
    script_.log += "write " + std::to_string(to);
    return probe::Ok();
  }
  probe::Status Read(std::uint64_t from, std::span<std::byte>) override {
    script_.log += "read " + std::to_string(from);
    return probe::Ok();
  }
  probe::Status Synchronize() override {
    script_.log += "s";
    return script_.finished;
  }
  DeviceState State() const override {
    script_.log += "?";
    return {script_.state, std::nullopt};
  }
  bool EndsContext(std::int64_t code) const override { return code == 700; }

  probe::Result<void*> CreateEvent() override { return static_cast<void*>(&events_.at(created_++)); }
  bool Record(void* event) override {
    script_.log += event == events_.data() ? "(" : ")";
    return script_.records;
  }
  std::optional<double> SecondsBetween(void*, void*) override { return 2.0; }

  probe::Result<Function> Load(const kernels::Step& step) override {
    return Function{.entry = step.entry, .max_threads = step.shared_bytes};  // as a test would have it
  }
  probe::Status StartLaunch(const Function& function, const kernels::LaunchShape&,
                            void** arguments) override {
    script_.log += function.entry;
    for (std::uint64_t& value : script_.arguments) value = *static_cast<std::uint64_t*>(*arguments++);
    return function.entry == "a" ? script_.launched : probe::Ok();
  }
  probe::Result<Products> OpenProducts(std::string_view library, std::uint64_t max_workspace_bytes) override {
    script_.log += std::string("open ").append(library);
    script_.workspace_bytes = std::min<std::uint64_t>(max_workspace_bytes, 200);
    return Products{{&kType, 1},
                    [this](const Product& product) -> probe::Result<Enqueue> {
                      return Enqueue([this, product] {
                        script_.log += std::to_string(product.m) + "x" + std::to_string(product.n) + "x" +
                                       std::to_string(product.k);
                        return probe::Ok();
                      });
                    },
                    script_.workspace_bytes,
                    script_.unbounded};
  }

  probe::Status CheckPeerCopies() const override { return probe::Ok(); }
  bool OpenWay(std::size_t, std::size_t) override { return false; }
  probe::Status StartCopy(Place, Place, std::uint64_t) override { return probe::Ok(); }
  int OrdinalOf(std::size_t) const override { return 0; }
  probe::Result<Nccl> OpenNccl() override { return probe::Error{}; }
  probe::Result<void*> CreateStream() override { return nullptr; }
  probe::Status Wait(void*) override { return probe::Ok(); }

 private:
  Script& script_;
  std::array<int, 2> events_{};
  std::size_t created_ = 0;
};

class StreamSessionTest : public testing::Test {
 protected:
  void Open(const std::string& others = "") {
    DeviceTraits traits;
    traits.max_threads = 256;
    traits.others = others;
    auto session = StreamSession::Create(std::make_unique<ScriptedRuntime>(script_), {}, std::move(traits));
    ASSERT_TRUE(session);
    session_ = *std::move(session);
  }
  [[nodiscard]] BufferId Allocate(std::uint64_t bytes) const { return *session_->Allocate({bytes, {}}); }
  // A kernel whose blocks have so many threads at most; 0: the runtime does not say.
  [[nodiscard]] KernelId Load(std::string_view entry, std::uint32_t max_threads = 0) const {
    kernels::Step step;
    step.entry = entry;
    step.shared_bytes = max_threads;
    return *session_->Load(kernels::Own(std::string(entry), kernels::Kernel::kRead, kernels::Dtype::kU32,
                                        kernels::Dtype::kU32, step),
                           step);
  }
  [[nodiscard]] std::string Culprit() const {
    const auto* by = session_->BroughtDownBy();
    if (by == nullptr) return "it lives";
    return by->name.empty() ? "nobody" : by->name;
  }
  [[nodiscard]] probe::Result<Timing> Run(const std::vector<Launch>& launches, std::uint32_t repeats = 1) {
    script_.log.clear();
    return session_->Run(launches, repeats);
  }

  Script script_;
  std::unique_ptr<Session> session_;
};

TEST_F(StreamSessionTest, WhoseBlocksHaveNoThreadIsRefused) {
  for (const int most : {0, -1}) {
    DeviceTraits traits;
    traits.max_threads = most;
    const auto session = StreamSession::Create(std::make_unique<ScriptedRuntime>(script_), {}, traits);
    ASSERT_FALSE(session) << most;
    EXPECT_EQ(session.error().name, "no limits");
  }
}

TEST_F(StreamSessionTest, AWatchedRunAsksWhileTheDeviceWorks) {
  Open();
  const Launch launch{Load("k"), {}, {{1, 1, 1}, {1, 1, 1}, {}}};
  script_.state = "hardware thermal";
  EXPECT_TRUE(session_->Watch());
  EXPECT_TRUE(Run({launch}, 2));
  EXPECT_EQ(script_.log, "(kk)?s") << "after the last launch, before it is waited for";
  script_.state = "";
  EXPECT_EQ(session_->State().throttled_by, "hardware thermal") << "what was seen then";
  EXPECT_TRUE(Run({launch}));
  EXPECT_EQ(script_.log, "(k)s") << "one run alone is watched";
  EXPECT_TRUE(session_->Watch());
  script_.finished = probe::Error{"sync", 1, "failed", ""};
  EXPECT_FALSE(Run({launch}));
  EXPECT_EQ(session_->State().throttled_by, "");
}

TEST_F(StreamSessionTest, OnlyPartsOfLivingBuffersAreReached) {
  Open();
  EXPECT_FALSE(session_->Allocate({0, {}}));
  EXPECT_EQ(session_->Allocate({1001, {}}).error().call, "alloc");
  EXPECT_TRUE(session_->Allocate({1000, {}}));
  script_.next_address = 0x7000;
  const BufferId buffer = Allocate(100);
  std::array<std::byte, 60> bytes{};
  EXPECT_TRUE(session_->Upload(buffer, 40, bytes));
  EXPECT_EQ(script_.log, "write " + std::to_string(0x7028));
  EXPECT_EQ(session_->Upload(buffer, 41, bytes).error().text, "beyond the buffer");
  EXPECT_EQ(session_->Download(buffer, UINT64_MAX, bytes).error().text, "beyond the buffer");
  EXPECT_EQ(session_->Download(BufferId{7}, 0, bytes).error().text, "no such buffer");
  script_.log.clear();
  session_->Release(buffer);
  session_->Release(buffer);
  EXPECT_EQ(script_.log, "free " + std::to_string(0x7000)) << "once";
  EXPECT_FALSE(session_->Download(buffer, 0, bytes));
}

TEST_F(StreamSessionTest, OfASharedDeviceAllTogetherTakeWhatIsAllowed) {
  Open("another process");
  // A twentieth of what is free: 75 bytes.
  const BufferId first = Allocate(25);
  kernels::Step product;
  product.library = "library";
  product.entry = kType.entry;
  ASSERT_TRUE(session_->Load({}, product));
  EXPECT_EQ(script_.workspace_bytes, 50U / 4);
  EXPECT_TRUE(session_->Allocate({30, {}}));
  EXPECT_TRUE(session_->Allocate({9, {}}).error().Is(probe::OwnError::kLeftToOthers));
  session_->Release(first);
  EXPECT_TRUE(session_->Allocate({33, {}}));
}

TEST_F(StreamSessionTest, ItHasWorkedOnceAKernelThatFillsNothingCameToAGoodEnd) {
  Open();
  const kernels::Step step{.entry = "fill"};
  const auto fill = session_->Load(
      kernels::Own("fill", kernels::Kernel::kFill, kernels::Dtype::kU32, kernels::Dtype::kU32, step), step);
  ASSERT_TRUE(fill);
  Launch launch;
  launch.kernel = *fill;
  launch.shape.local = launch.shape.groups = {1, 1, 1};
  ASSERT_TRUE(Run({launch}));
  EXPECT_FALSE(session_->HasWorked()) << "it readied something";
  launch.kernel = Load("k", 1);
  launch.shape.local = {2, 1, 1};
  EXPECT_FALSE(Run({launch}));
  EXPECT_FALSE(session_->HasWorked()) << "it was tried alone";
  launch.shape.local = {1, 1, 1};
  ASSERT_TRUE(Run({launch}));
  EXPECT_TRUE(session_->HasWorked());
}

TEST_F(StreamSessionTest, OfASharedDeviceALibraryWithoutABoundIsNotUsed) {
  script_.unbounded = "it is too old";
  const kernels::Step product{.entry = kType.entry, .library = "library"};
  Open();
  EXPECT_TRUE(session_->Load({}, product)) << "of a device that nobody else uses";
  script_.log.clear();
  Open("another process");
  for (int i = 0; i < 2; ++i) {
    const auto refused = session_->Load({}, product);
    EXPECT_TRUE(!refused && refused.error().text.ends_with("it is too old"));
  }
  EXPECT_EQ(script_.log, "open library") << "once";
}

TEST_F(StreamSessionTest, ArgumentsAreBuffersBeforeScalarsOfABlockThatFits) {
  Open();
  Launch launch;
  launch.kernel = Load("entry", 128);
  launch.buffers = {{Allocate(10), {}}, {Allocate(10), {}}};
  launch.shape.local = {32, 4, 1};
  launch.shape.scalars = {5, 6};
  script_.arguments.resize(4);
  ASSERT_TRUE(Run({launch}));
  EXPECT_EQ(script_.arguments, (std::vector<std::uint64_t>{0x7000, 0x8000, 5, 6}));
  launch.kernel = Load("entry", 127);
  EXPECT_EQ(Run({launch}).error().name, "block too large");
  launch.kernel = Load("entry");
  launch.shape.local = {32, 9, 1};
  EXPECT_EQ(Run({launch}).error().name, "block too large") << "than any of the device";
  launch.shape.local = {1, 1, 1};
  launch.buffers[0].buffer = BufferId{9};
  EXPECT_EQ(Run({launch}).error().text, "no such buffer");
  launch.kernel = KernelId{9};
  EXPECT_EQ(Run({launch}).error().text, "no such kernel");
}

TEST_F(StreamSessionTest, RepeatsTheSequenceBetweenItsEvents) {
  Open();
  const std::vector<Launch> launches = {{Load("a"), {}, {}}, {Load("b"), {}, {}}};
  const auto timing = Run(launches, 3);
  ASSERT_TRUE(timing);
  EXPECT_EQ(script_.log, "(ababab)s");
  EXPECT_EQ(timing->device_s, 2.0);
  script_.records = false;
  EXPECT_FALSE(Run(launches)->device_s) << "no event, no time of the device";
}

TEST_F(StreamSessionTest, TheKernelThatEndedTheContextIsKnownByWhoeverAsks) {
  Open();
  script_.finished = probe::Error{"synchronize", 2, "full", ""};
  EXPECT_FALSE(Run({{Load("harmless"), {}, {}}}));
  EXPECT_EQ(session_->BroughtDownBy(), nullptr) << "others may still work";
  script_.finished = probe::Error{"synchronize", 700, "illegal address", ""};
  EXPECT_FALSE(Run({{Load("culprit"), {}, {}}}));
  EXPECT_EQ(Culprit(), "culprit");
  EXPECT_FALSE(Run({{Load("victim"), {}, {}}}));
  EXPECT_EQ(Culprit(), "culprit") << "the first one";
}

TEST_F(StreamSessionTest, NoKernelEndedAContextThatWasLostBeforeAnyRan) {
  Open();
  const KernelId victim = Load("victim");
  script_.allocated = probe::Error{"alloc", 700, "illegal address", ""};
  EXPECT_FALSE(session_->Allocate({10, {}}));
  script_.finished = probe::Error{"synchronize", 700, "illegal address", ""};
  EXPECT_FALSE(Run({{victim, {}, {}}}));
  EXPECT_EQ(Culprit(), "nobody");
}

TEST_F(StreamSessionTest, WaitsAlsoAfterAnError) {
  Open();
  const std::vector<Launch> launches = {{Load("a"), {}, {}}, {Load("b"), {}, {}}};
  script_.launched = probe::Error{"launch", 1, "refused", ""};
  EXPECT_EQ(Run(launches, 2).error().name, "refused");
  EXPECT_EQ(script_.log, "(a)s");
  script_.launched = probe::Ok();
  script_.finished = probe::Error{"synchronize", 2, "lost", ""};
  EXPECT_EQ(Run(launches).error().name, "lost");
}

TEST_F(StreamSessionTest, TheErrorThatEndedTheContextIsToldBeforeWhatTheLaunchSaid) {
  Open();
  const std::vector<Launch> launches = {{Load("a"), {}, {}}};
  script_.launched = probe::Error{"library", 14, "internal error", ""};
  script_.finished = probe::Error{"synchronize", 700, "illegal address", ""};
  EXPECT_EQ(Run(launches).error().name, "illegal address");
  EXPECT_EQ(Culprit(), "a");
  script_.launched = probe::Error{"launch", 700, "illegal address", ""};
  EXPECT_EQ(Run(launches).error().call, "launch") << "the first that says so";
}

TEST_F(StreamSessionTest, OpensALibraryOnceAndMultipliesThreeMatrices) {
  Open();
  kernels::Step product;
  product.library = "library";
  product.entry = kType.entry;
  ASSERT_TRUE(session_->Load({}, product));
  Launch launch{*session_->Load({}, product), {}, {}};
  EXPECT_EQ(script_.log, "open library");
  product.entry = "library:fp64/fp64";
  EXPECT_EQ(session_->Load({}, product).error().name, "no such product");
  launch.buffers = {{Allocate(4), {}}, {Allocate(4), {}}, {Allocate(4), {}}};
  launch.shape.scalars = {1, 2, 3};
  ASSERT_TRUE(Run({launch}, 2));
  EXPECT_EQ(script_.log, "(1x2x31x2x3)s");
  launch.shape.scalars[1] = 1U << 31U;
  EXPECT_EQ(Run({launch}).error().name, "out of range");
  launch.shape.scalars = {1, 2};
  EXPECT_EQ(Run({launch}).error().name, "out of range");
}

}  // namespace
}  // namespace backends::stream
