// SPDX-License-Identifier: MIT
// Whatever a driver calls itself and its device, the variables of shell, env and CMake are what is
// documented, and nothing is run. Shells and CMake themselves say so, each once for all texts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "probe/core/parse.h"
#include "report/recommend/parts.h"
#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array<const char*, 13> kNames = {
    "STATUS", "BACKEND",        "DEVICE",      "VISIBLE",    "DRIVER",   "NAME", "VENDOR",
    "ARCH",   "DRIVER_VERSION", "API_VERSION", "MEMORY_MIB", "FREE_MIB", "FITS"};

std::vector<std::string> HostileTexts() {
  return {"$(touch canary)",
          "`touch canary`",
          "'; touch canary; '",
          "\"; touch canary; \"",
          "a\nWHICHGPU_STATUS=none\nb\r\n",
          "&& touch canary",
          "\\'$(touch canary)\\",
          "${IFS}touch${IFS}canary",
          "\")\nfile(TOUCH canary)\nset(X \"",
          "]]) file(TOUCH canary) #[[",
          "${CMAKE_COMMAND};$ENV{HOME};@HOME@;$<1:x>",
          "semi;colon;list",
          "#",
          "\\",
          "",
          " \t ",
          std::string("zero\0byte", 9),
          "\xff\xfe\xc3(\xf0\x9f",
          "\xe2\x80\xae desrever \xe8\x99\x95",
          "-n",
          "~root",
          "*",
          "!!",
          "%s%n",
          std::string(1 << 20U, '"') + "$(touch canary)"};
}

// A machine whose every foreign text about the answer is this one.
Report Machine(const std::string& text) {
  Report report;
  auto card = testing::Gpu("0000:03:00.0", text, probe::DeviceKind::kDiscrete, 24);
  card.vendor = text;
  auto& view = testing::AddView(card, "hip", "ROCm", probe::DeviceKind::kDiscrete).device;
  view.driver = text;
  view.name = text;
  view.architecture = "gfx" + text;
  view.driver_version = text;
  view.api_version = text;
  view.facts = {{"visible_as", text}};
  report.devices.push_back(card);
  Recommendation answer;
  answer.backend = "hip";
  answer.driver = text;
  answer.device_id = card.id;
  answer.environment = recommend::EnvironmentOf(testing::TestTables(), report, answer);
  answer.environment.push_back({"X", text, Selects::kDriver});
  recommend::AddArchitectures(testing::TestTables(), report, answer);
  answer.architectures.push_back(text);
  report.recommendations = {answer};
  return report;
}

// Byte for byte what the documents promise of a text.
std::string Safe(const std::string& text) {
  std::string safe;
  for (const char c : text.substr(0, 256)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("_.:,#=-/").find(c) != std::string_view::npos;
    safe += plain ? c : '_';
  }
  return safe;
}

// "NAME=VALUE" a line, as a reader of environment files takes them.
std::string ValueOf(std::string_view env, std::string_view name) {
  while (!env.empty()) {
    const auto line = probe::TakeUpTo(env, '\n');
    const auto equals = line.find('=');
    if (line.substr(0, equals) == fmt::format("WHICHGPU_{}", name))
      return std::string(line.substr(equals + 1));
  }
  return "absent";
}

// A folder of its own, and a program that runs there.
class Assignments : public ::testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "whichgpu-assignments-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // What it leaves in the file "out"; nothing else may come to be.
  [[nodiscard]] std::string Run(const std::string& command) const {
    const auto line = fmt::format("cd '{}' && {} > out 2>&1", folder_.string(), command);
    EXPECT_EQ(std::system(line.c_str()), 0) << command;  // NOLINT(cert-env33-c): a shell is what is tested
    EXPECT_FALSE(fs::exists(folder_ / "canary"));
    std::ostringstream text;
    text << std::ifstream(folder_ / "out", std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(Assignments, OfAnyTextAreWhatIsDocumentedInEveryShell) {
  std::string script;
  std::string expected;
  int number = 0;
  for (const auto& text : HostileTexts()) {
    const auto report = Machine(text);
    const auto env = Env(report);
    Write(fmt::format("shell{}", number), Shell(report));
    Write(fmt::format("env{}", number), env);
    script += fmt::format("for kind in shell env; do\n  unset {}\n", [] {
      std::string all;
      for (const char* name : kNames) all += fmt::format("WHICHGPU_{} ", name);
      return all;
    }());
    script +=
        fmt::format("  if [ $kind = shell ]; then eval \"$(cat shell{0})\"; else . ./env{0}; fi\n", number);
    std::string values;
    for (const char* name : kNames) {
      script += fmt::format("  printf '<%s>' \"$WHICHGPU_{}\"\n", name);
      values += fmt::format("<{}>", ValueOf(env, name));
    }
    script += "  echo\ndone\n";
    expected += values + "\n" + values + "\n";
    ++number;
    EXPECT_EQ(ValueOf(env, "DRIVER_VERSION"), Safe(text));
    EXPECT_EQ(ValueOf(env, "DEVICE"), "pci:0000:03:00.0");
    EXPECT_EQ(ValueOf(env, "DRIVER"), Safe("X=" + text));
    EXPECT_EQ(ValueOf(env, "MEMORY_MIB"), "24576");
  }
  Write("script", script);
  EXPECT_EQ(Run("sh -eu script"), expected);
}

TEST_F(Assignments, OfAnyTextAreWhatIsDocumentedInCMake) {
  if (std::system("cmake --version > /dev/null 2>&1") != 0)  // NOLINT(cert-env33-c): it is asked for
    GTEST_SKIP() << "there is no cmake to ask";
  std::string script = "set(before mine)\n";
  std::string expected;
  int number = 0;
  for (const auto& text : HostileTexts()) {
    const auto report = Machine(text);
    Write(fmt::format("{}.cmake", number), CMake(report));
    script += fmt::format("include(${{CMAKE_CURRENT_LIST_DIR}}/{}.cmake)\nset(line \"\")\n", number++);
    for (const char* name : kNames) {
      script += fmt::format("string(APPEND line \"<${{WHICHGPU_{}}}>\")\n", name);
      expected += fmt::format("<{}>", ValueOf(Env(report), name));
    }
    script += "list(LENGTH WHICHGPU_ARCHITECTURES count)\nmessage(\"${line}${count}\")\n";
    const bool is_target = report.recommendations.front().architectures.size() == 2;
    expected += fmt::format("{}\n", is_target ? 2 : text.empty() ? 0 : 1);
  }
  // No variable of another's is touched, and none but the documented ones comes to be.
  script +=
      "get_cmake_property(all VARIABLES)\nlist(FILTER all INCLUDE REGEX \"^(WHICHGPU_|X$)\")\n"
      "list(LENGTH all count)\nmessage(\"${count} ${before}\")\n";
  Write("script.cmake", script);
  EXPECT_EQ(Run("cmake -P script.cmake"), expected + "19 mine\n");
}

TEST(Variables, TellWhatABuildAsks) {
  auto report = testing::DiscreteAndIntegrated();
  auto second = testing::Gpu("0000:41:00.0", "NVIDIA H100", probe::DeviceKind::kDiscrete, 80);
  testing::AddView(second, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete).device.architecture = "sm_90";
  report.devices.push_back(second);
  for (auto& device : report.devices) {
    if (device.id != "pci:0000:01:00.0") continue;
    device.vendor = "NVIDIA Corporation";
    device.memory.free_bytes = 23ULL << 30U;
    device.views.front().device.driver_version = "580.95";
    device.views.front().device.api_version = "13.0";
  }
  const auto answer = [&] {
    auto decided = testing::Decided(report);
    decided.recommendations.resize(1);
    return decided;
  };
  const auto cuda = answer();
  ASSERT_EQ(cuda.recommendations.front().backend, "cuda");
  const auto env = Env(cuda);
  const auto values = [&](const std::string& of) {
    std::vector<std::string> all;
    for (const char* name :
         {"NAME", "VENDOR", "ARCH", "DRIVER_VERSION", "API_VERSION", "MEMORY_MIB", "FREE_MIB"})
      all.push_back(ValueOf(of, name));
    return all;
  };
  EXPECT_THAT(values(env),
              ElementsAre("NVIDIA_GeForce_RTX_4090", "nvidia", "8.9", "580.95", "13.0", "24576", "23552"));
  EXPECT_THAT(CMake(cuda), HasSubstr("set(WHICHGPU_ARCHITECTURES \"89;90\")\n"));
  EXPECT_EQ(ValueOf(env, "ARCHITECTURES"), "89,90") << "a semicolon would end a command";
  EXPECT_THAT(Shell(cuda), HasSubstr("\nWHICHGPU_ARCHITECTURES='89,90'\n"));
  report.terms.exclude = {"h100"};
  report.terms.excluded_ids = {second.id};
  EXPECT_THAT(CMake(answer()), HasSubstr("set(WHICHGPU_ARCHITECTURES \"89\")\n"));
  const auto processor = Env(testing::Decided(testing::Processor()));
  EXPECT_EQ(ValueOf(processor, "VENDOR"), "intel") << "as the processor says it";
  EXPECT_EQ(ValueOf(processor, "ARCH"), "") << "its builds are told none";
}

TEST(Variables, SayWhetherTheMemoryThereHoldsTheWork) {
  auto machine = testing::Processor();
  EXPECT_EQ(ValueOf(Env(testing::Decided(machine)), "FITS"), "yes");
  auto& memory = machine.devices.back().memory;
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 512ULL << 20U;
  const auto none = testing::Decided(machine);
  ASSERT_TRUE(none.recommendations.front().nothing_fits);
  EXPECT_EQ(ValueOf(Env(none), "FITS"), "no");
  EXPECT_THAT(Shell(none), HasSubstr("\nWHICHGPU_FITS='no'\n"));
  EXPECT_THAT(CMake(none), HasSubstr("set(WHICHGPU_FITS \"no\")\n"));
  memory = {};
  EXPECT_EQ(ValueOf(Env(testing::Decided(machine)), "FITS"), "") << "nobody says how much there is";
}

TEST(Variables, NameAReleasesFileWithThePlaceOfItsVersion) {
  auto report = Machine("any");
  const auto named = [&](const std::string& file) {
    report.recommendations.front().artefact.emplace().asset = file;
    return ValueOf(Env(report), "ARTEFACT");
  };
  EXPECT_EQ(named("llama-{version}-bin-win-cpu-x64.zip"), "llama-{version}-bin-win-cpu-x64.zip");
  EXPECT_EQ(named("llama-{other}-bin-win-cpu-x64.zip"), "") << "another name is another file";
}

TEST(Variables, WithoutAnAnswerAreAllSet) {
  Report report = testing::Processor();
  report.no_answer = NoAnswer{Use::kInference, "--among hip", "ROCm is not installed", {}};
  const auto env = Env(report);
  for (const char* name : kNames) {
    EXPECT_EQ(ValueOf(env, name), std::string_view(name) == "STATUS" ? "none" : "") << name;
  }
  EXPECT_THAT(CMake(report), HasSubstr("set(WHICHGPU_STATUS \"none\")\nset(WHICHGPU_BACKEND \"\")\n"));
  EXPECT_EQ(NoAnswerText(*report.no_answer), "no answer for --among hip: ROCm is not installed");
  EXPECT_THAT(Why(testing::TestTables(), report, {}), HasSubstr("no answer for --among hip"));
}

}  // namespace
}  // namespace report::render
