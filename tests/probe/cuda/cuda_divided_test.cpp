// SPDX-License-Identifier: MIT
// What variables say of GPUs in MIG mode, which CUDA counts in a way of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "probe/core/parse.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_driver.h"
#include "probe/cuda/cuda_nvml.h"

namespace {

using probe::Outcome;
using probe::cuda::NvmlGpu;
using testing::HasSubstr;

// A GPU for each letter: w is whole, d divided into two instances, e in MIG mode without one.
std::vector<NvmlGpu> Gpus(std::string_view letters) {
  std::vector<NvmlGpu> gpus;
  for (const char letter : letters) {
    NvmlGpu& gpu = gpus.emplace_back();
    gpu.index = static_cast<std::uint32_t>(gpus.size() - 1);
    gpu.name = "GPU";
    gpu.uuid = fmt::format("GPU-0{}", gpu.index);
    gpu.pci = probe::ParsePciAddress(fmt::format("0000:0{}:00.0", gpu.index + 1));
    gpu.mig = letter != 'w';
    if (letter == 'd') gpu.instances = {{"MIG-a", "MIG-7-0", {}, {}, {}}, {"MIG-b", "MIG-8-0", {}, {}, {}}};
  }
  return gpus;
}

probe::system::Environment With(const char* value, const char* order = "FASTEST_FIRST") {
  return probe::system::Environment({{"CUDA_VISIBLE_DEVICES", value}, {"CUDA_DEVICE_ORDER", order}});
}

// The places of those that the variable hides where CUDA shows those at the places in `shown`.
std::string HiddenOf(std::string_view letters, const char* value, std::string_view shown,
                     const char* order = "FASTEST_FIRST") {
  const auto gpus = Gpus(letters);
  std::vector<probe::RuntimeDevice> devices;
  for (const char place : shown)
    devices.emplace_back().identity.pci = gpus[static_cast<std::size_t>(place - '0')].pci;
  std::string out;
  for (const auto& address : HiddenGpus(With(value, order), devices, gpus))
    out += std::to_string(address.bus - 1);
  return out;
}

TEST(Divided, WhatCudaDoesNotShowOfNumbersAmongThemTheVariableHides) {
  EXPECT_EQ(HiddenOf("wdw", "2", ""), "012") << "CUDA has two numbers, the library three GPUs";
  EXPECT_EQ(HiddenOf("wdw", "0,1,2", "02"), "1");
  EXPECT_EQ(HiddenOf("wdw", "0,1", "02"), "1");
  EXPECT_EQ(HiddenOf("wdw", "0", "0"), "12");
  EXPECT_EQ(HiddenOf("wdw", "0", ""), "") << "it names one in any case: another cause";
  EXPECT_EQ(HiddenOf("wew", "2", ""), "02") << "and the other has no device at all";
  EXPECT_EQ(HiddenOf("wew", "0,1", "0"), "") << "two numbers, both named";
  EXPECT_EQ(HiddenOf("www", "2", ""), "") << "nobody knows which is CUDA's third";
}

TEST(Divided, ANumberByAddressIsNotTheManagementLibrarys) {
  EXPECT_EQ(HiddenOf("wdw", "1", "2", "PCI_BUS_ID"), "01");
  EXPECT_EQ(HiddenOf("wew", "1", "2", "PCI_BUS_ID"), "0");
  EXPECT_EQ(HiddenOf("www", "1", "", "PCI_BUS_ID"), "02");
}

TEST(Divided, TheNameFromBeforeTheUuidsOfInstancesHidesWhereCudaShowsNothing) {
  EXPECT_EQ(HiddenOf("wd", "MIG-GPU-01/7/0", ""), "01");
  EXPECT_EQ(HiddenOf("wd", "MIG-GPU-01/7/0", "1"), "0");
}

probe::cuda::Diagnosis Of(std::string_view letters, const char* value) {
  probe::cuda::KernelDriver driver;
  driver.version = "580.65.06";
  driver.nodes = {
      {"/dev/nvidia0", true, true}, {"/dev/nvidiactl", true, true}, {"/dev/nvidia-uvm", true, true}};
  driver.signs.gpus = letters.size();
  return Diagnose(probe::cuda::ErrorOf("cuInit", 100), driver, Gpus(letters), "", With(value));
}

TEST(Divided, ThatCudaShowsNoneIsTheVariablesDoing) {
  for (const char* value : {"2", "1", "MIG-GPU-01/7/0", "MIG-GPU-01/7/0,MIG-GPU-01/8/0"}) {
    EXPECT_EQ(Of("wdw", value).outcome, Outcome::kHidden) << value;
    EXPECT_THAT(Of("wdw", value).error.text, HasSubstr("leaves none of 3 GPUs")) << value;
  }
  EXPECT_EQ(Of("wew", "2").outcome, Outcome::kHidden);
  for (const char* value : {"0", "MIG-a", "GPU-00"})
    EXPECT_EQ(Of("wdw", value).outcome, Outcome::kNoDevice) << value;
  EXPECT_EQ(Of("wew", "1").outcome, Outcome::kNoDevice);
}

TEST(Divided, OfSeveralInstancesCudaShowsTheFirst) {
  const auto gpus = Gpus("d");
  std::vector<probe::RuntimeDevice> one(1);
  one[0].identity.pci = gpus[0].pci;
  one[0].identity.partition = "MIG-7-0";
  const auto note = NoteOn(With("MIG-a,MIG-b"), one, gpus);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->name, "one_instance");
  EXPECT_EQ(note->text, "CUDA_VISIBLE_DEVICES: \"MIG-b\" is one instance more than CUDA shows a process");
  EXPECT_THAT(ExplainVisible(With("MIG-a,MIG-b"), one, gpus), testing::ElementsAre(note->text));
  EXPECT_FALSE(NoteOn(With("MIG-a"), one, gpus));
  auto two = one;
  two.push_back(one[0]);
  EXPECT_FALSE(NoteOn(With("MIG-a,MIG-b"), two, gpus)) << "a driver that shows both";
}

TEST(Divided, AnInstanceOfAnotherGpuHidesThatGpu) {
  auto gpus = Gpus("dd");
  gpus[1].instances = {{"MIG-c", "MIG-7-0", {}, {}, {}}};
  std::vector<probe::RuntimeDevice> one(1);
  one[0].identity.pci = gpus[0].pci;
  EXPECT_THAT(HiddenGpus(With("MIG-a,MIG-c"), one, gpus), testing::ElementsAre(*gpus[1].pci));
  EXPECT_THAT(WhatIsWrong(With("MIG-a,MIG-c"), 1, gpus), HasSubstr("one instance more"));
  EXPECT_FALSE(NoteOn(With("MIG-a,MIG-c"), one, gpus)) << "what hides the GPU is told of it";
}

// Where the management library knows no names: it may be of a GPU that is here.
TEST(Divided, ANameThatNobodyKnowsIsNamedAndNotBlamed) {
  probe::cuda::KernelDriver driver;
  driver.version = "580.65.06";
  driver.nodes = {
      {"/dev/nvidia0", true, true}, {"/dev/nvidiactl", true, true}, {"/dev/nvidia-uvm", true, true}};
  driver.signs.gpus = 1;
  const auto of = [&](const char* value) {
    return Diagnose(probe::cuda::ErrorOf("cuInit", 100), driver, {}, "", With(value));
  };
  EXPECT_EQ(of("GPU-77").outcome, Outcome::kNoDevice);
  EXPECT_THAT(of("GPU-77").error.text, HasSubstr("CUDA_VISIBLE_DEVICES=\"GPU-77\" may name no GPU"));
  EXPECT_THAT(of("0").error.text, testing::Not(HasSubstr("CUDA_VISIBLE_DEVICES")));
}

}  // namespace
