// SPDX-License-Identifier: MIT
// What builds of the caller's program have code for, GPU by GPU; and that nothing is recommended which no
// program has code for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/decide/decide.h"
#include "report/targets/build.h"
#include "report/targets/targets.h"

namespace report::targets {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kLinux = ",os=linux,arch=x86_64,glibc=2.39";

struct Question {
  std::vector<std::string> machine;
  std::optional<std::string> target = "pytorch";
  Use use = Use::kInference;
  std::vector<std::string> exclude{};
  std::string backend{};  // the fact of that name, of every view
};

Report Asked(const Question& question) {
  auto imagined = assume::Imagine(*EmbeddedTables(), question.machine);
  EXPECT_TRUE(imagined) << (imagined ? "" : imagined.error().text);
  if (!imagined) return {};
  for (auto& device : imagined->devices) {
    for (auto& view : device.views) {
      if (question.backend.empty()) continue;
      std::erase_if(view.device.facts, [](const probe::Fact& fact) { return fact.key == "backend"; });
      view.device.facts.push_back({"backend", question.backend});
    }
  }
  Record record;
  record.created = "2026-11-28T00:00:00Z";
  record.host = imagined->host;
  record.probes = imagined->probes;
  RunRequest request;
  request.command = question.target ? "recommend" : std::string(kWholeReport);
  request.uses = {question.use};
  request.terms.exclude = question.exclude;
  if (question.target) request.terms.target = *EmbeddedTarget(*question.target);
  return Decide(request, *EmbeddedTables(), record, {std::move(imagined->devices), {}, {}});
}

Recommendation AnswerTo(const Question& question) {
  const auto report = Asked(question);
  EXPECT_EQ(report.recommendations.size(), 1U);
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

std::vector<std::string> Texts(const Recommendation& answer) {
  return {answer.warnings.begin(), answer.warnings.end()};
}

// Of the only GPU.
GpuBuilds BuildsOf(const std::string& gpu, const std::string& target) {
  const auto answer = AnswerTo({.machine = {gpu + kLinux}, .target = target});
  EXPECT_TRUE(answer.gpu_builds && answer.gpu_builds->size() == 1) << gpu;
  return answer.gpu_builds && !answer.gpu_builds->empty() ? answer.gpu_builds->front() : GpuBuilds{};
}

// PyTorch, "Getting started on Intel GPU": Arc A and B, Data Center GPU Max, Core Ultra with Arc graphics.
TEST(GpuBuilds, SayForWhichOfIntelsGpusPytorchIsBuilt) {
  const std::map<std::string, bool> known = {
      {"8.0", false},  {"9.0", false},  {"9.5", false},   {"11.0", false}, {"12.0", false},
      {"12.2", false}, {"12.3", false}, {"12.10", false}, {"12.55", true}, {"12.56", true},
      {"12.57", true}, {"12.60", true}, {"12.61", true},  {"12.70", true}, {"12.71", true},
      {"12.74", true}, {"20.1", true},  {"20.2", true},   {"20.4", true},  {"30.0", true}};
  for (const auto& [ip, has_code] : known) {
    const auto gpu = BuildsOf("vendor=intel,ip=" + ip, "pytorch");
    ASSERT_EQ(gpu.builds.size(), 1U) << ip;
    const auto& code = gpu.builds.front();
    EXPECT_EQ(code.backend, "level_zero");
    EXPECT_EQ(code.architecture, ip);
    EXPECT_EQ(code.build, "xpu");
    EXPECT_EQ(code.has_code, has_code) << ip;
    EXPECT_EQ(code.reason.has_value(), !has_code) << ip;
    EXPECT_THAT(code.source, HasSubstr("get_start_xpu.html")) << "that of the list, not of the row";
    EXPECT_EQ(gpu.served_by.has_value(), !has_code) << ip;
    if (ip.starts_with("12.6")) continue;  // has no driver for Windows
    const auto there = AnswerTo({.machine = {"vendor=intel,ip=" + ip + ",os=windows,arch=x86_64"}});
    ASSERT_TRUE(there.gpu_builds) << ip;
    EXPECT_EQ(there.gpu_builds->at(0).builds.at(0).has_code, has_code) << ip;
    EXPECT_EQ(there.gpu_builds->at(0).builds.at(0).build, "xpu-windows") << ip;
  }
}

std::vector<std::string> ServersOf(const GpuBuilds& gpu) {
  std::vector<std::string> servers;
  for (const auto& one : gpu.served_by.value_or(std::vector<OtherProgram>()))
    servers.push_back(one.target + " " + one.backend);
  return servers;
}

TEST(GpuBuilds, OfAGpuThatTheProgramDoesNotCoverNameThoseThatDo) {
  for (const std::string name : {"Iris Xe Graphics", "UHD Graphics 770", "UHD Graphics 620"}) {
    const auto answer = AnswerTo({.machine = {"vendor=intel,name=" + name + ",runtime=vulkan" + kLinux}});
    EXPECT_EQ(answer.backend, "cpu");
    ASSERT_TRUE(answer.gpu_builds);
    const auto servers = ServersOf(answer.gpu_builds->at(0));
    EXPECT_THAT(servers, Contains("llama.cpp vulkan")) << name;
    EXPECT_THAT(servers, Contains("openvino opencl")) << name;
    EXPECT_THAT(Texts(answer),
                Contains(HasSubstr("is not used: PyTorch's xpu is not supported by its makers on ")))
        << name;
    EXPECT_THAT(Texts(answer), Contains(HasSubstr("what has code for it: llama.cpp by "))) << name;
  }
}

TEST(GpuBuilds, AreOfEveryMakersOwnRuntime) {
  const auto of = [](const std::string& gpu, const std::string& target) {
    std::vector<std::string> all;
    for (const auto& code : BuildsOf(gpu, target).builds)
      all.push_back(code.backend + (code.has_code.value_or(false) ? " yes" : " no"));
    return all;
  };
  EXPECT_THAT(of("vendor=nvidia,cc=8.6", "pytorch"), ElementsAre("cuda yes"));
  EXPECT_THAT(of("vendor=nvidia,cc=3.0", "pytorch"), ElementsAre("cuda no"));
  EXPECT_THAT(of("vendor=amd,gfx=gfx1100", "pytorch"), ElementsAre("hip yes"));
  EXPECT_THAT(of("vendor=amd,gfx=gfx803", "pytorch"), ElementsAre("hip no"));
  EXPECT_THAT(of("vendor=intel,ip=12.2", "llama.cpp"), Contains("vulkan yes"));
}

TEST(GpuBuilds, AreNotKnownWhereTheArchitectureIsNot) {
  auto imagined = assume::Imagine(*EmbeddedTables(), {"vendor=intel,ip=12.55,runtime=vulkan" + kLinux});
  ASSERT_TRUE(imagined);
  Report report;
  report.host = imagined->host;
  report.devices = imagined->devices;
  report.terms.target = *EmbeddedTarget("pytorch");
  const auto code = [&] { return BuildsOfGpus(*EmbeddedTables(), report, Use::kInference).at(0); };
  EXPECT_EQ(code().builds.at(0).has_code, true);
  report.devices.back().hardware->architecture.reset();
  EXPECT_EQ(code().builds.at(0).has_code, std::nullopt);
  EXPECT_EQ(code().builds.at(0).architecture, std::nullopt);
  EXPECT_FALSE(code().served_by);
  report.devices.back().name = "UHD Graphics 620";
  EXPECT_EQ(code().builds.at(0).has_code, false) << "none of those that are called so";
  EXPECT_EQ(code().builds.at(0).architecture, std::nullopt);
  report.devices.back().name = "card";
  report.host.system = "macos";
  EXPECT_EQ(code().builds.at(0).has_code, false) << "none is for this system, whatever the GPU is";
  report.terms.excluded_ids = {report.devices.back().id};
  EXPECT_THAT(BuildsOfGpus(*EmbeddedTables(), report, Use::kInference), IsEmpty());
}

// What runs there helps nobody who has no program for it.
TEST(GpuBuilds, WithoutCodeForAGpuNothingTrainsOnIt) {
  const auto trains = [](const std::string& gpu) {
    return AnswerTo({.machine = {gpu + kLinux}, .target = std::nullopt, .use = Use::kTraining});
  };
  const auto answer = trains("name=HD Graphics 530");
  EXPECT_EQ(answer.backend, "cpu");
  const auto rejected = std::find_if(answer.rejected.begin(), answer.rejected.end(),
                                     [](const Rejected& one) { return one.runtime == "level_zero"; });
  ASSERT_NE(rejected, answer.rejected.end());
  EXPECT_THAT(rejected->reason,
              HasSubstr("no program that is known here trains on it by Level Zero: PyTorch's xpu "
                        "is not supported by its makers on 9.0"));
  EXPECT_EQ(trains("name=Arc A770").backend, "level_zero");
  EXPECT_EQ(trains("vendor=nvidia,cc=8.6,memory=24GiB").backend, "cuda");
  EXPECT_EQ(trains("vendor=nvidia,cc=3.0,memory=24GiB").backend, "cpu");
}

// Migraphx's ONNX Runtime has code for it, and so has TensorRT for the other: neither is a program that the
// runtime's table names.
TEST(GpuBuilds, OfAnyProgramThatIsKnownKeepAWay) {
  const auto runs = [](const std::string& machine, const std::string& os) {
    return AnswerTo({.machine = {machine + os}, .target = std::nullopt}).backend;
  };
  EXPECT_EQ(runs("vendor=amd,gfx=gfx1153,memory=16GiB", kLinux), "hip");
  EXPECT_EQ(runs("vendor=nvidia,cc=5.3,memory=4GiB", ",os=linux,arch=aarch64,glibc=2.39"), "cuda");
  EXPECT_EQ(runs("vendor=amd,gfx=gfx803,memory=8GiB,runtime=hip", kLinux), "cpu");
}

// What is built for Windows tells nothing of what will be built for Linux.
TEST(GpuBuilds, OfOtherSystemsDoNotMakeAGpuKnown) {
  const auto trains = [](const std::string& os) {
    return AnswerTo({.machine = {"vendor=amd,gfx=gfx1153,memory=16GiB" + os},
                     .target = std::nullopt,
                     .use = Use::kTraining});
  };
  const auto answer = trains(kLinux);
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(Texts(answer), Contains(HasSubstr(" is newer than the programs that are known here")));
  const auto arm = AnswerTo({.machine = {"name=Arc A770,os=linux,arch=aarch64,glibc=2.39"},
                             .target = std::nullopt,
                             .use = Use::kTraining});
  EXPECT_EQ(arm.backend, "cpu") << "where nothing is built at all no GPU is too new";
}

// What `served_by` names answers on the same machine, where the program itself is asked for.
TEST(GpuBuilds, NameOnlyProgramsThatReachTheGpuOnSuchAMachine) {
  for (const std::string machine :
       {"name=RX 580,wsl=yes", "name=UHD 770,wsl=yes", "name=Steam Deck,memory=16GiB", "name=RX 580",
        "name=UHD 770,runtime=vulkan", "name=Iris Xe,runtime=level_zero", "name=RX 580,os=windows"}) {
    const auto os = machine.find("os=") == std::string::npos ? kLinux : ",arch=x86_64";
    const auto answer = AnswerTo({.machine = {machine + os}});
    ASSERT_TRUE(answer.gpu_builds) << machine;
    const auto& gpu = answer.gpu_builds->at(0);
    ASSERT_TRUE(gpu.served_by) << machine;
    const auto servers = ServersOf(gpu);
    if (machine.starts_with("name=RX 580,wsl")) {
      EXPECT_THAT(servers, IsEmpty());
    }
    for (const auto& one : *gpu.served_by) {
      EXPECT_NE(std::pair(machine, one.backend),
                std::pair(std::string("name=Steam Deck,memory=16GiB"), std::string("hip")));
      if (one.target != "llama.cpp") continue;
      const auto own = AnswerTo({.machine = {machine + os}, .target = one.target, .exclude = {"cpu"}});
      EXPECT_EQ(own.backend, one.backend) << machine;
    }
    EXPECT_LE(std::count_if(servers.begin(), servers.end(),
                            [](const auto& one) { return one.starts_with("llama.cpp "); }),
              1)
        << machine;
  }
}

// That no table has a build for what came after it tells nothing.
TEST(GpuBuilds, OfAGpuThatIsNewerThanTheyAreMayBeThere) {
  const std::vector<std::pair<std::string, std::string>> rows = {{"vendor=intel,ip=35.10", "level_zero"},
                                                                 {"vendor=amd,gfx=gfx1250", "hip"},
                                                                 {"vendor=nvidia,cc=13.0", "cuda"}};
  for (const auto& [gpu, backend] : rows) {
    const auto answer = AnswerTo(
        {.machine = {gpu + ",memory=64GiB" + kLinux}, .target = std::nullopt, .use = Use::kTraining});
    EXPECT_EQ(answer.backend, backend);
    if (backend == "cuda") continue;  // TensorFlow's builds have what a newer one compiles
    EXPECT_THAT(Texts(answer), Contains(HasSubstr(" is newer than the programs that are known here"))) << gpu;
  }
}

TEST(GpuBuilds, OfAWayThatTheCallerExcludesALineTells) {
  const auto answer =
      AnswerTo({.machine = {"vendor=intel,ip=12.55,memory=16GiB,runtime=level_zero:vulkan" + kLinux},
                .exclude = {"level_zero"}});
  EXPECT_EQ(answer.backend, "cpu");
  EXPECT_THAT(Texts(answer),
              Contains(HasSubstr("--exclude leaves out Level Zero, by which PyTorch's xpu fits")));
  const auto other =
      AnswerTo({.machine = {"vendor=intel,ip=12.55,memory=16GiB,runtime=level_zero:vulkan" + kLinux},
                .target = "llama.cpp",
                .exclude = {"level_zero"}});
  EXPECT_EQ(other.backend, "vulkan");
  EXPECT_THAT(Texts(other), Each(Not(HasSubstr("leaves out"))));
}

// PyTorch's XPU takes the devices of Level Zero alone: SYCL's on OpenCL are none of its.
TEST(GpuBuilds, ThroughARuntimeAreForWaysThatStandOnTheBuildsOwn) {
  for (const std::string target : {"pytorch", "triton", "comfyui"}) {
    const auto asked = [&](const std::string& backend) {
      return Asked({.machine = {"vendor=intel,ip=12.55,memory=16GiB,runtime=sycl" + kLinux},
                    .target = target,
                    .backend = backend});
    };
    for (const std::string backend : {"", "level_zero"}) {
      const auto report = asked(backend);
      ASSERT_EQ(report.recommendations.size(), 1U) << target << " " << backend;
      EXPECT_EQ(report.recommendations.front().backend, "sycl") << target << " " << backend;
    }
    const auto report = asked("opencl");
    for (const auto& answer : report.recommendations) EXPECT_EQ(answer.backend, "cpu") << target;
    const auto way = std::find_if(report.terms.unfit.begin(), report.terms.unfit.end(),
                                  [](const auto& one) { return std::get<1>(one.first) == "sycl"; });
    ASSERT_NE(way, report.terms.unfit.end());
    EXPECT_THAT(way->second.front().why, HasSubstr("has no build for SYCL on OpenCL")) << target;
  }
}

// SYCL's programs are Level Zero's builds: where they have no code for a GPU nothing trains on it by SYCL,
// and beside Level Zero it is that one's.
TEST(GpuBuilds, WhatIsOnTopHasNoMoreCodeAndIsNoAnswerBesideWhatItStandsOn) {
  const auto trains = [](const std::string& card, const std::string& runtimes) {
    const auto report = Asked({.machine = {card + ",ram=64GiB,runtime=" + runtimes + kLinux},
                               .target = std::nullopt,
                               .use = Use::kTraining});
    return report.recommendations.empty() ? "" : report.recommendations.front().backend;
  };
  for (const std::string runtimes : {"sycl", "sycl:level_zero", "level_zero:sycl"}) {
    EXPECT_EQ(trains("name=UHD 770", runtimes), "cpu") << runtimes;
    EXPECT_EQ(trains("name=Arc A770", runtimes), runtimes == "sycl" ? "sycl" : "level_zero") << runtimes;
  }
}

// What trains on Intel's GPUs, PyTorch's XPU, computes through SYCL; models run there by OpenVINO, too.
TEST(GpuBuilds, AreNoneWhereTheyComputeThroughWhatTheCallerExcludes) {
  const auto by = [](Use use, const std::string& gpu) {
    return AnswerTo(
        {.machine = {gpu + ",ram=64GiB" + kLinux}, .target = std::nullopt, .use = use, .exclude = {"sycl"}});
  };
  const auto answer = by(Use::kTraining, "name=Arc A770,memory=16GiB");
  EXPECT_EQ(answer.backend, "cpu");
  const auto way = std::find_if(answer.rejected.begin(), answer.rejected.end(),
                                [](const Rejected& one) { return one.runtime == "level_zero"; });
  ASSERT_NE(way, answer.rejected.end());
  EXPECT_EQ(way->option, "--exclude");
  EXPECT_THAT(
      way->reason,
      HasSubstr("no program that is known here trains on it by Level Zero: PyTorch's xpu computes by sycl, "
                "which --exclude names"));
  EXPECT_EQ(by(Use::kInference, "name=Arc A770,memory=16GiB").backend, "level_zero");
  EXPECT_EQ(by(Use::kTraining, "vendor=nvidia,cc=8.6,memory=24GiB").backend, "cuda");
  const auto old = by(Use::kTraining, "name=UHD Graphics 770");
  EXPECT_THAT(old.rejected, Contains(testing::Field(&Rejected::reason,
                                                    HasSubstr("is not supported by its makers on 12.2"))));
}

// The driver of Level Zero, on which SYCL stands here, is what PyTorch's XPU opens.
TEST(GpuBuilds, AreNoneOfWaysThatStandOnWhatTheCallerExcludes) {
  for (const std::string runtimes : {"sycl", "sycl:level_zero"}) {
    for (const std::string program : {"pytorch", ""}) {
      const auto answer = AnswerTo({.machine = {"name=Arc A770,memory=16GiB,runtime=" + runtimes + kLinux},
                                    .target = program.empty() ? std::nullopt : std::optional(program),
                                    .use = Use::kTraining,
                                    .exclude = {"level_zero"}});
      EXPECT_EQ(answer.backend, "cpu") << runtimes;
      EXPECT_THAT(answer.rejected,
                  Contains(testing::Field(&Rejected::reason,
                                          HasSubstr("it stands on level_zero, which --exclude names"))));
      if (!program.empty()) {
        EXPECT_THAT(Texts(answer),
                    Contains(HasSubstr("--exclude leaves out Level Zero, by which PyTorch's xpu fits")));
      }
    }
  }
}

// A name without a number is many chips': a build is judged by all of them.
TEST(GpuBuilds, AreToldApartByAllPartsOfChipsThatDriversCallByOneName) {
  const auto machine = assume::Imagine(*EmbeddedTables(), {"name=AMD Radeon Graphics"});
  ASSERT_TRUE(machine);
  const auto* facts = Find(*EmbeddedTables(), "hip");
  ASSERT_NE(facts, nullptr);
  const auto apart = TellsApart(*EmbeddedTarget("pytorch"), *facts, machine->devices.back());
  ASSERT_TRUE(apart);
  for (const char* one : {"gfx90c", "gfx1035", "gfx1036", "gfx1103", "gfx1150", "gfx1151"})
    EXPECT_THAT(apart->architectures, Contains(one));
  EXPECT_THAT(apart->architectures, Not(Contains("gfx1100"))) << "a card's";
}

TEST(GpuBuilds, AreHeldAgainstAllChipsOfAName) {
  const auto arc = AnswerTo({.machine = {"name=Arc Graphics" + kLinux}});
  EXPECT_EQ(arc.backend, "level_zero");
  EXPECT_EQ(arc.artefact ? arc.artefact->id : "", "xpu") << "which is for 12.71 and 20.4 alike";
  const auto old = AnswerTo({.machine = {"name=UHD Graphics 620" + kLinux}});
  EXPECT_THAT(Texts(old),
              Contains(HasSubstr("xpu is not supported by its makers on 9.1 or 9.2 or 9.5 or 9.7 (but on ")));
  const auto some = AnswerTo({.machine = {"name=Arc Graphics" + kLinux}, .target = "vllm"});
  EXPECT_THAT(Texts(some), Contains(HasSubstr("is for some of the GPUs that are called so")));
}

}  // namespace
}  // namespace report::targets
