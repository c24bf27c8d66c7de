// SPDX-License-Identifier: MIT
// What of a program's builds is chosen beyond the table's conditions: for all GPUs of a machine, by the
// caller's policy, with a runtime of its own; and what is said of what is not sure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/decide/decide.h"
#include "report/targets/build.h"
#include "report/targets/targets.h"

namespace report::targets {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Question {
  std::vector<std::string> machine;
  std::string target = "pytorch";
  Policy policy = Policy::kMinimum;
  std::string created = "2026-11-26T00:00:00Z";
  std::optional<TargetTable> table{};  // in the place of the target's
  void (*change)(assume::Machine&) = nullptr;
  Use use = Use::kInference;
  Terms terms{};
};

Report ReportOf(const Question& question) {
  auto imagined = assume::Imagine(*EmbeddedTables(), question.machine);
  EXPECT_TRUE(imagined);
  if (!imagined) return {};
  if (question.change != nullptr) question.change(*imagined);
  Record record;
  record.created = question.created;
  record.host = imagined->host;
  record.probes = imagined->probes;
  RunRequest request;
  request.command = "recommend";
  request.uses = {question.use};
  request.terms = question.terms;
  request.terms.target = question.table ? question.table : *EmbeddedTarget(question.target);
  request.terms.policy = question.policy;
  const auto excluded = ExcludedDevices(*EmbeddedTables(), imagined->devices, request.terms.exclude);
  EXPECT_TRUE(excluded);
  return Decide(request, *EmbeddedTables(), record, {std::move(imagined->devices), {}, *excluded});
}

Recommendation AnswerOf(const Question& question) {
  const auto report = ReportOf(question);
  EXPECT_FALSE(report.recommendations.empty()) << question.machine.front();
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

std::string BuildOf(const Question& question) {
  const auto answer = AnswerOf(question);
  return answer.artefact ? answer.artefact->id : "";
}

const std::string kLinux = ",os=linux,arch=x86_64,glibc=2.36";

TEST(Choice, OldTablesAreCalledOld) {
  auto table = *EmbeddedTarget("pytorch");
  table.date = "2026-01-01";
  for (auto& build : table.builds) build.date.reset();
  const auto warnings = [&](const std::string& created) {
    return AnswerOf({{"vendor=none" + kLinux}, "", {}, created, table, nullptr}).warnings;
  };
  EXPECT_THAT(warnings("2026-06-30T23:59:59Z"), Not(Contains(HasSubstr("days old")))) << "180 days";
  EXPECT_THAT(
      warnings("2026-07-01T00:00:00Z"),
      Contains(AllOf(HasSubstr("PyTorch is 181 days old (of 2026-01-01)"), HasSubstr("--tables DIR"))));
  EXPECT_THAT(warnings("2025-01-01T00:00:00Z"), Not(Contains(HasSubstr("days old"))))
      << "a clock that goes wrong";
  for (const char* none : {"", "yesterday", "2026-13-01", "2026-02-30", "9999"})
    EXPECT_THAT(warnings(none), Not(Contains(HasSubstr("days old")))) << none;
  // A row's own date counts for it.
  for (auto& build : table.builds) build.date = "2026-06-01";
  EXPECT_THAT(warnings("2026-07-01T00:00:00Z"), Not(Contains(HasSubstr("days old"))));
  for (auto& build : table.builds) build.date = "2025-07-01";
  table.date = "2026-07-01";
  EXPECT_THAT(warnings("2026-07-01T00:00:00Z"), Contains(HasSubstr("365 days old")));
}

TEST(Choice, CoversAllGpusWhereABuildDoes) {
  const auto both = AnswerOf({{"cc=8.9,driver=580.65.06,name=GeForce RTX 4090,memory=24GiB" + kLinux,
                               "cc=6.1,driver=580.65.06,name=GeForce GTX 1080 Ti,memory=11GiB" + kLinux}});
  EXPECT_EQ(both.architecture, "8.9") << "the answer's own card would have cu132";
  ASSERT_TRUE(both.artefact);
  EXPECT_EQ(both.artefact->id, "cu126");
  EXPECT_THAT(both.warnings, Not(Contains(HasSubstr("does not cover"))));
  EXPECT_EQ(BuildOf({{"cc=7.5,driver=580.65.06" + kLinux, "cc=8.9,driver=580.65.06" + kLinux}}), "cu132");
  EXPECT_EQ(BuildOf({{"gfx=gfx906" + kLinux, "gfx=gfx1100" + kLinux}}), "rocm6.3");
}

// The C library can be newer; that build will never have the code.
TEST(Choice, NamesWhatCanBeMendedOfTheBuildsThatAreForTheCard) {
  const auto why = [](const std::string& target, const std::string& machine) {
    const auto report = ReportOf({{machine}, target});
    return report.no_answer ? report.no_answer->reason : "";
  };
  EXPECT_THAT(why("triton", "name=h100,driver=580.95.05,glibc=2.16"),
              HasSubstr("Triton's triton needs glibc 2.27 or newer, and here is 2.16"));
  EXPECT_THAT(why("tensorrt", "name=h100,driver=580.95.05,glibc=2.16"),
              HasSubstr("or newer, and here is 2.16"));
  const auto jax = AnswerOf({{"gfx=gfx1100,runtime=hip@6.4,glibc=2.39,os=linux,arch=x86_64"}, "jax"});
  EXPECT_THAT(jax.warnings, Contains(HasSubstr("JAX's rocm7.0 needs version 7.0 or newer, and here is 6.4")))
      << "of all its builds the one that is content with the oldest";
  EXPECT_THAT(why("triton", "cc=6.1,driver=580.95.05" + kLinux), HasSubstr("has no code for 6.1"))
      << "there is none for it, and those for Windows are no nearer";
}

// A newer C library gives the processor an answer, and a card that there is no build for none.
TEST(Choice, NamesWhatStandsBetweenTheMachineAndAnAnswer) {
  const auto why = [](const std::string& target, const std::string& machine) {
    const auto report = ReportOf({{machine}, target});
    return report.no_answer ? report.no_answer->reason : "an answer";
  };
  EXPECT_THAT(why("openvino", "name=RTX 4090,driver=580.95,os=linux,arch=x86_64,glibc=musl"),
              HasSubstr("OpenVINO's cpu-x64 needs glibc 2.28 or newer"));
  EXPECT_THAT(why("ollama", "cc=5.3,driver=32.7,glibc=2.27"),
              AllOf(HasSubstr("cpu"), HasSubstr("or newer, and here is 2.27")));
  EXPECT_THAT(why("comfyui", "cc=5.3,driver=32.7,glibc=2.27"),
              AllOf(HasSubstr("cpu"), HasSubstr("or newer, and here is 2.27")));
  EXPECT_THAT(why("mlx", "gfx=gfx1100,os=linux,arch=x86_64,glibc=2.16"),
              AllOf(HasSubstr("cpu"), HasSubstr("or newer, and here is 2.16")));
  EXPECT_THAT(why("pytorch", "cc=8.9,driver=580.95,os=linux,arch=x86_64,glibc=musl"), HasSubstr("cuda on"))
      << "a newer C library gives the card an answer, too";
}

// MLX's wheel for Macs opens the GPU when it is loaded, whatever it then computes on.
TEST(Choice, RunsOnAProcessorBesideTheGpuThatTheLibraryOpens) {
  Terms terms;
  terms.among = {"cpu"};
  EXPECT_EQ(BuildOf({.machine = {"name=M2 Max,memory=64GiB"}, .target = "mlx", .terms = terms}), "cpu-macos");
  EXPECT_EQ(BuildOf({.machine = {"name=M2 Max,memory=64GiB"}, .target = "ollama", .terms = terms}),
            "macos-cpu-arm64");
}

// Rows of other machines come first in the table, and so does what is wrong here and could be mended.
TEST(Choice, NamesOfACardWithoutABuildNoOtherMachinesBuild) {
  for (const char* target : {"ollama", "pytorch"}) {
    const std::string glibc =
        target == std::string("pytorch") ? "2.17" : "2.39";  // with it there is an answer
    const auto warnings = AnswerOf({{"cc=5.3,driver=32.7,glibc=" + glibc}, target}).warnings;
    EXPECT_THAT(warnings, Contains(HasSubstr("has no code for 5.3"))) << target;
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("is for x86_64")))) << target;
  }
  const auto report = ReportOf({{"cc=6.1,driver=580.95.05,os=linux,arch=x86_64,glibc=2.16"}, "triton"});
  ASSERT_TRUE(report.no_answer);
  EXPECT_THAT(report.no_answer->reason, HasSubstr("has no code for 6.1")) << "with any C library";
}

// Nobody takes the driver that a chip had before: what the newer one's builds lack is the cause.
TEST(Choice, NamesNoBuildOfAnOlderDriverAsTheNearest) {
  for (const char* driver : {"580.00", "38.2"}) {
    const auto warnings =
        AnswerOf({{std::string("cc=8.7,os=linux,arch=aarch64,glibc=2.39,driver=") + driver}, "onnxruntime"})
            .warnings;
    EXPECT_THAT(warnings, Contains(HasSubstr("gpu-cu13-arm64 has no code for 8.7"))) << driver;
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("needs driver before")))) << driver;
  }
  // An older runtime can be installed beside it.
  const auto warnings =
      AnswerOf({{"gfx=gfx1100,os=linux,arch=x86_64,glibc=2.39,runtime=hip@7.2"}, "tensorflow"}).warnings;
  EXPECT_THAT(warnings, Contains(HasSubstr("needs version before 6.5, and here is 7.2")));
}

// A compiler may not know what the build has no code for.
TEST(Choice, CompilesForTheCardsThatTheBuildCovers) {
  const std::string old = ",driver=470.256.02,os=linux,arch=x86_64,glibc=2.35";
  const auto compiled = [](const std::vector<std::string>& machine) {
    const auto answer = AnswerOf({machine, "llama.cpp"});
    EXPECT_TRUE(answer.artefact && !answer.artefact->cmake.empty() && answer.command);
    if (!answer.artefact || answer.artefact->cmake.empty() || !answer.command) return std::string();
    const auto& set = answer.artefact->cmake.back();
    EXPECT_THAT(*answer.command, HasSubstr(set.substr(set.find('=') + 1)));
    EXPECT_EQ(answer.architectures.size(), set.find(';') == std::string::npos ? 1U : 2U);
    return set;
  };
  EXPECT_EQ(compiled({"name=GT 710,cc=3.5" + old, "name=RTX 3090"}), "-DCMAKE_CUDA_ARCHITECTURES=86");
  EXPECT_EQ(compiled({"name=Tesla K80,cc=3.7" + old, "cc=8.0,name=A100"}), "-DCMAKE_CUDA_ARCHITECTURES=80");
  const std::string rocm = ",os=linux,arch=x86_64,glibc=2.35,runtime=hip@6.3";
  EXPECT_EQ(compiled({"gfx=gfx803" + rocm, "gfx=gfx906,memory=32GiB" + rocm}), "-DGPU_TARGETS=gfx906");
  EXPECT_EQ(compiled({"cc=7.0" + old, "name=RTX 3090"}), "-DCMAKE_CUDA_ARCHITECTURES=70;86") << "both";
}

TEST(Choice, NamesWhatItDoesNotCoverAndHowToStayOffIt) {
  const auto answer = AnswerOf({{"gfx=gfx1201,name=Radeon RX 9070 XT,memory=16GiB" + kLinux,
                                 "gfx=gfx803,name=Radeon RX 580,memory=8GiB,runtime=hip" + kLinux}});
  ASSERT_TRUE(answer.artefact);
  EXPECT_EQ(answer.artefact->id, "rocm7.14");
  EXPECT_THAT(answer.warnings, Contains(AllOf(HasSubstr("rocm7.14 does not cover Radeon RX 580"),
                                              HasSubstr("with HIP_VISIBLE_DEVICES=0"))));
  const auto alone = AnswerOf({{"gfx=gfx1201,name=Radeon RX 9070 XT" + kLinux}});
  EXPECT_THAT(alone.warnings, Not(Contains(HasSubstr("does not cover"))));
  const auto by_uuid = AnswerOf({{"name=GTX 1060,driver=580.95" + kLinux, "name=RTX 4090" + kLinux}, "vllm"});
  EXPECT_THAT(by_uuid.warnings,
              Contains(HasSubstr("with CUDA_VISIBLE_DEVICES and its UUID, which is not known here")));
}

// The maker's runtime is what is taken to be there, and others may be.
TEST(Choice, NamesTheRuntimeThatWouldServeADescribedCard) {
  const auto said = HasSubstr("which the description does not name: add runtime=vulkan, if it is there");
  EXPECT_THAT(AnswerOf({{"gfx=gfx1010,os=linux,arch=x86_64,glibc=2.28"}, "llama.cpp"}).warnings,
              Not(Contains(said)));
  const auto old = AnswerOf({{"name=RX 580,os=linux,arch=x86_64,glibc=2.39"}, "llama.cpp"});
  EXPECT_EQ(old.backend, "vulkan") << "the maker's own does not serve it any more";
  EXPECT_THAT(AnswerOf({{"name=GTX 1060,driver=470.256.02" + kLinux}, "ollama"}).warnings, Contains(said));
  const auto closed = AnswerOf({{"name=GTX 1060,driver=470.256.02,runtime=cuda" + kLinux}, "ollama"});
  EXPECT_THAT(closed.warnings, Not(Contains(HasSubstr("add runtime"))));
  EXPECT_THAT(closed.warnings, Not(Contains(HasSubstr("is for Vulkan")))) << "it is not the maker's own";
}

// The step that is predicted wants 17 GB; what the caller can not use holds it, and that helps nobody.
TEST(Choice, ASmallCardTrainsBesideOneThatIsOfNoUse) {
  const std::vector<std::string> both = {"gfx=gfx1100,memory=48GiB" + kLinux,
                                         "cc=8.6,driver=580.65.06,memory=4GiB" + kLinux};
  Terms terms;
  terms.exclude = {"hip"};
  const auto answer = AnswerOf({.machine = both, .use = Use::kTraining, .terms = terms});
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_EQ(answer.environment.size(), 0U) << "no UUID is known";
}

// What computes through a runtime is of no use to whoever has no use for that.
TEST(Choice, LeavesOutBuildsThroughARuntimeThatIsExcluded) {
  Question torch{.machine = {"name=Arc B580" + kLinux}, .target = "pytorch"};
  EXPECT_EQ(BuildOf(torch), "xpu");
  torch.terms.exclude = {"sycl"};
  EXPECT_NE(BuildOf(torch), "xpu");
  torch.terms.exclude = {};
  torch.machine = {"name=Arc B580,runtime=sycl" + kLinux};
  const auto alone = AnswerOf(torch);
  EXPECT_EQ(alone.backend, "sycl");
  EXPECT_EQ(alone.artefact ? alone.artefact->id : "", "xpu");
  EXPECT_THAT(alone.warnings, Not(Contains(HasSubstr("Level Zero"))));
  ASSERT_EQ(alone.environment.size(), 1U);
  EXPECT_EQ(alone.environment.front().value, "level_zero:0");
}

TEST(Choice, NumbersDevicesAsTheirRuntimeListsThem) {
  Terms terms;
  terms.among = {"hip"};
  const auto answer = AnswerOf(
      {.machine = {"cc=8.6,driver=580.65.06,memory=8GiB" + kLinux, "gfx=gfx1100,memory=24GiB" + kLinux},
       .terms = terms});
  ASSERT_EQ(answer.environment.size(), 1U);
  EXPECT_EQ(answer.environment.front().name, "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(answer.environment.front().value, "0");
}

TEST(Choice, SaysWhichConditionsNobodyCouldLookAt) {
  auto table = *EmbeddedTarget("pytorch");
  std::erase_if(table.builds, [](const Build& build) { return build.backend != "cuda"; });
  table.builds.resize(1);
  table.builds.front().needs->driver.reset();
  table.builds.front().needs->driver_below = "900";
  table.builds.front().needs->features = {"avx2"};
  const auto answer =
      AnswerOf({.machine = {"cc=8.9" + kLinux}, .table = table, .change = [](assume::Machine& machine) {
                  for (auto& device : machine.devices) {
                    if (device.hardware->processor) device.hardware->processor->features.clear();
                  }
                }});
  EXPECT_THAT(answer.warnings,
              Contains(HasSubstr("what the processor can do and the driver's version of this machine are not "
                                 "known")));
}

TEST(Choice, IsNoBuildWhoseInstructionsTheProcessorLacks) {
  for (const char* program : {"tensorflow", "jax"}) {
    const auto report = ReportOf({.machine = {"cc=8.9,driver=580.65.06" + kLinux},
                                  .target = program,
                                  .change = [](assume::Machine& machine) {
                                    for (auto& device : machine.devices) {
                                      if (device.hardware->processor)
                                        device.hardware->processor->features = {"sse4.2"};
                                    }
                                  }});
    EXPECT_THAT(report.recommendations, IsEmpty()) << program;
    ASSERT_TRUE(report.no_answer) << program;
    EXPECT_THAT(report.no_answer->reason, HasSubstr("needs a processor with avx")) << program;
  }
}

// Only some runtimes tell the maker's number themselves.
TEST(Choice, AsksTheDeviceWhoMadeIt) {
  const auto forget = [](assume::Machine& machine) {
    for (auto& device : machine.devices) {
      for (auto& view : device.views) view.device.identity.ids.reset();
    }
  };
  EXPECT_EQ(BuildOf({.machine = {"cc=8.6,runtime=opencl" + kLinux}, .target = "openvino", .change = forget}),
            "cpu-x64");
  EXPECT_EQ(BuildOf({.machine = {"vendor=intel,ip=12.55,runtime=opencl" + kLinux},
                     .target = "openvino",
                     .change = forget}),
            "gpu-opencl");
}

TEST(Choice, AsksByWhoseDriverTheGpuIsReached) {
  const auto by_mesa = [](assume::Machine& machine) {
    for (auto& device : machine.devices) {
      if (device.kind != probe::DeviceKind::kCpu) device.hardware->kernel_driver = "nouveau";
      for (auto& view : device.views) view.device.driver = "Mesa";
    }
  };
  const auto by_its_maker = [](assume::Machine& machine) {
    for (auto& device : machine.devices) {
      if (device.kind != probe::DeviceKind::kCpu) device.hardware->kernel_driver = "nvidia";
      for (auto& view : device.views) view.device.driver = "Intel(R) OpenCL Graphics";
    }
  };
  const std::vector<std::string> nvidia = {"cc=8.6,runtime=vulkan" + kLinux};
  EXPECT_EQ(BuildOf({.machine = nvidia, .target = "docker", .change = by_mesa}), "vulkan");
  EXPECT_EQ(BuildOf({.machine = nvidia, .target = "docker", .change = by_its_maker}), "vulkan-nvidia");
  const std::vector<std::string> intel = {"vendor=intel,ip=12.55,runtime=opencl" + kLinux};
  EXPECT_EQ(BuildOf({.machine = intel, .target = "openvino", .change = by_mesa}), "cpu-x64");
  EXPECT_EQ(BuildOf({.machine = intel, .target = "openvino", .change = by_its_maker}), "gpu-opencl");
}

TEST(Choice, TakesNoWordForAVersion) {
  const auto untold = [](assume::Machine& machine) {
    for (auto& device : machine.devices) {
      for (auto& view : device.views) view.device.driver_version = "N/A";
    }
  };
  const auto answer = AnswerOf({.machine = {"cc=8.9" + kLinux}, .change = untold});
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("the driver's version of this machine is not known")));
}

TEST(Choice, SaysHowToTellTheMemoryOfADescribedCard) {
  Terms terms;
  terms.min_memory_bytes = 1;
  const auto report = ReportOf({.machine = {"cc=8.9,driver=580.65.06" + kLinux}, .terms = terms});
  ASSERT_TRUE(report.no_answer);
  EXPECT_THAT(report.no_answer->reason,
              HasSubstr("nobody says how much memory it has (say memory=24GiB), and"));
}

TEST(Choice, SaysNothingOfWhatTheCallerLeftOut) {
  Terms terms;
  terms.among = {"cpu"};
  const std::vector<std::string> machine = {"cc=3.0,driver=470.256.02" + kLinux};
  EXPECT_THAT(AnswerOf({.machine = machine, .terms = terms}).warnings,
              Not(Contains(HasSubstr("is not used"))));
  EXPECT_THAT(AnswerOf({.machine = machine}).warnings, Contains(HasSubstr("is not used")));
}

TEST(Choice, ObeysThePolicy) {
  const std::vector<std::string> machine = {"cc=8.9,driver=535.183.01" + kLinux};
  EXPECT_EQ(BuildOf({machine}), "cu126") << "the driver runs it";
  EXPECT_EQ(BuildOf({machine, "pytorch", Policy::kTested}), "cu118") << "its makers tried it";
  const std::vector<std::string> old = {"cc=8.6,driver=470.256.02" + kLinux};
  EXPECT_EQ(BuildOf({old}), "cu118");
  EXPECT_EQ(BuildOf({old, "pytorch", Policy::kTested}), "cpu");
}

void Deny(assume::Machine& machine) {
  machine.devices.at(1).hardware->nodes.push_back({"/dev/kfd", true, false, "EACCES"});
}
void HaveNoDriver(assume::Machine& machine) { machine.devices.at(1).hardware->kernel_driver.reset(); }
void HaveABrokenRuntime(assume::Machine& machine) {
  for (auto& probe : machine.probes) {
    if (probe.module == "hip") probe.outcome = probe::Outcome::kFailed;
  }
}

TEST(Choice, TakesARuntimeThatTheProgramBrings) {
  const std::vector<std::string> bare = {"gfx=gfx1100,runtime=none" + kLinux};
  const auto answer = AnswerOf({bare});
  EXPECT_EQ(answer.backend, "hip");
  ASSERT_TRUE(answer.artefact);
  EXPECT_EQ(answer.artefact->id, "rocm7.14");
  const auto with = [&](void (*change)(assume::Machine&)) {
    Question question{bare};
    question.change = change;
    return AnswerOf(question).backend;
  };
  EXPECT_EQ(with(Deny), "cpu") << "the process may not open /dev/kfd";
  EXPECT_EQ(with(HaveNoDriver), "cpu") << "the kernel has no driver for it";
  EXPECT_EQ(with(HaveABrokenRuntime), "cpu") << "what is there and has trouble is not brought";
  EXPECT_EQ(AnswerOf({{"cc=8.9,driver=580.65.06,runtime=none" + kLinux}}).backend, "cpu")
      << "no wheel brings libcuda";
}

std::vector<std::string> Set(const Recommendation& answer) {
  std::vector<std::string> all;
  for (const Selection& one : answer.environment) all.push_back(one.name + "=" + one.value);
  return all;
}

const std::string kVulkanCard = "vendor=amd,name=Card,gfx=gfx803,runtime=vulkan" + kLinux;

void NameIdsAndManifests(assume::Machine& machine) {
  std::uint16_t number = 1;
  for (auto& device : machine.devices) {
    for (auto& view : device.views) {
      if (view.device.runtime != "vulkan") continue;
      view.device.identity.ids = probe::PciIds{0x1002, number, {}, {}, {}};
      view.device.driver = "driver" + std::to_string(number);
      view.device.manifest = "/icd/" + std::to_string(number) + ".json";
      ++number;
    }
  }
}
void HaveOneDriver(assume::Machine& machine) {
  NameIdsAndManifests(machine);
  std::uint32_t ordinal = 0;
  for (auto& device : machine.devices) {
    for (auto& view : device.views) {
      view.device.driver = "driver1";
      view.device.ordinal = ordinal;
    }
    if (!device.views.empty() && device.kind != probe::DeviceKind::kCpu) ++ordinal;
  }
}

TEST(Visible, IsTheProgramsOwnVariableWhereTheNumberIsCertain) {
  using ::testing::ElementsAre;
  const auto numbered = Contains(HasSubstr("set GGML_VK_VISIBLE_DEVICES to the one that it lists"));
  for (const char* program : {"llama.cpp", "ollama"}) {
    const auto alone = AnswerOf({{kVulkanCard}, program});
    ASSERT_EQ(alone.backend, "vulkan");
    EXPECT_THAT(Set(alone), ElementsAre("GGML_VK_VISIBLE_DEVICES=0")) << program;
    EXPECT_THAT(alone.warnings, Not(numbered));
    Question two{{kVulkanCard, kVulkanCard}, program};
    two.change = NameIdsAndManifests;
    EXPECT_THAT(Set(AnswerOf(two)),
                ElementsAre("GGML_VK_VISIBLE_DEVICES=0", HasSubstr("VK_DRIVER_FILES=/icd/")))
        << "the only device of a driver that can be picked";
    two.change = HaveOneDriver;
    const auto unsure = AnswerOf(two);
    EXPECT_THAT(Set(unsure), Not(Contains(HasSubstr("GGML_VK_VISIBLE_DEVICES")))) << program;
    EXPECT_THAT(unsure.warnings, numbered);
  }
}

TEST(Visible, OfAnotherProgramIsWhatShowsTheDeviceAlone) {
  using ::testing::ElementsAre;
  Question question{{kVulkanCard}, "backend"};
  question.change = NameIdsAndManifests;
  EXPECT_THAT(Set(AnswerOf(question)),
              ElementsAre("MESA_VK_DEVICE_SELECT=1002:0001", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE=1"));
}

TEST(Command, IsNoneWhereAPlaceHasNothingToStandInIt) {
  auto table = *EmbeddedTarget("backend");
  for (auto& build : table.builds) {
    build.package = "plain";
    build.packages = {{"other[{arch}]"}};
    build.cmake = {{"-DA={arch}", "-DB=1"}};
    build.options = {{"--one", "--a={architectures}"}};
  }
  const auto answer = AnswerOf({{"vendor=none" + kLinux}, "", {}, "2026-11-26T00:00:00Z", table, nullptr});
  ASSERT_TRUE(answer.artefact);
  EXPECT_FALSE(answer.command);
  EXPECT_TRUE(answer.artefact->requirements.empty());
  EXPECT_TRUE(answer.artefact->cmake.empty());
  EXPECT_TRUE(answer.artefact->options->empty());
  EXPECT_THAT(answer.warnings,
              Contains(HasSubstr("cpu has no command here: its table has the place {arch}")));
}

TEST(Command, QuotesWhatAShellWouldTakeForMore) {
  Artefact artefact;
  artefact.requirements = {"torch>=2.4,<2.7", "plain", "a$(x)", "b`x`", "c\"d", "e'\\f", "!g", ""};
  artefact.index = "https://some.example/whl?a=1&b=2;x";
  artefact.find_links = "https://some.example/$HOME";
  artefact.extra_index = true;
  EXPECT_EQ(
      CommandOf({}, artefact, {}),
      R"(pip install "torch>=2.4,<2.7" plain 'a$(x)' 'b`x`' 'c"d' 'e'\''\f' '!g' "")"
      R"( --extra-index-url "https://some.example/whl?a=1&b=2;x" --find-links 'https://some.example/$HOME')");
}

}  // namespace
}  // namespace report::targets
