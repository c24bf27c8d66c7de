// SPDX-License-Identifier: MIT
// What the variables do, and what a gfx target is and computes with.
#include "probe/hip/hip_visible.h"

#include <gmock/gmock.h>

namespace {

using probe::amd::KfdNode;
using probe::hip::ExplainOverride;
using probe::hip::ExplainVisible;
using probe::hip::OverrideTarget;
using probe::hip::ParseTarget;
using probe::hip::Target;
using probe::system::Environment;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

KfdNode Node(std::uint32_t bus, const char* target, std::uint32_t partition = 0) {
  KfdNode node;
  node.address = {0, bus, 0, 0};
  node.target = target;
  node.partition = partition;
  return node;
}

probe::RuntimeDevice Shown(std::uint32_t bus) {
  probe::RuntimeDevice device;
  device.identity.pci = probe::PciAddress{0, bus, 0, 0};
  return device;
}

Environment Set(std::map<std::string, std::string, std::less<>> variables) {
  return Environment(std::move(variables));
}

TEST(GfxTarget, IsReadInItsParts) {
  EXPECT_EQ(ParseTarget("gfx90a"), (Target{9, 0, 10}));
  EXPECT_EQ(ParseTarget("gfx942:sramecc+:xnack-"), (Target{9, 4, 2}));
  EXPECT_EQ(ParseTarget("gfx1036"), (Target{10, 3, 6}));
  EXPECT_EQ(probe::hip::ToString(Target{9, 0, 10}), "gfx90a");
  for (const char* text : {"", "gfx", "gfx9", "gfxabc", "gfx10366", "sm_90", "GFX90A", "gfx1_36"}) {
    EXPECT_EQ(ParseTarget(text), std::nullopt) << text;
  }
}

TEST(GfxTarget, KnowsItsMatrixUnits) {
  const auto of = [](const char* text) {
    probe::RuntimeDevice device;
    probe::hip::AddCapabilities(*ParseTarget(text), device);
    return device;
  };
  EXPECT_THAT(of("gfx906").matrix_units, IsEmpty());
  EXPECT_THAT(of("gfx1030").matrix_units, IsEmpty());
  EXPECT_THAT(of("gfx90a").matrix_units,
              AllOf(Contains("fp16/fp32"), Contains("fp64/fp64"), Not(Contains("fp8/fp32"))));
  EXPECT_THAT(of("gfx942").matrix_units, AllOf(Contains("fp8/fp32"), Contains("tf32/fp32")));
  EXPECT_THAT(of("gfx950").matrix_units, AllOf(Contains("fp4/fp32"), Not(Contains("tf32/fp32"))));
  EXPECT_THAT(of("gfx1100").matrix_units, AllOf(Contains("int8/int32"), Not(Contains("fp8/fp32"))));
  EXPECT_THAT(of("gfx942").facts, ElementsAre(probe::Fact{"fp8_format", "fnuz"}));
  EXPECT_THAT(of("gfx1201").facts, ElementsAre(probe::Fact{"fp8_format", "ocp"}));
}

TEST(Override, IsReadAsAVersion) {
  EXPECT_EQ(OverrideTarget("10.3.0"), (Target{10, 3, 0}));
  EXPECT_EQ(OverrideTarget("9.0.10"), (Target{9, 0, 10}));
  for (const char* text : {"", "10", "10.3", "10.3.0.1", "10.3.x", "gfx1030", "1000.3.0", "10.3.99"}) {
    EXPECT_EQ(OverrideTarget(text), std::nullopt) << text;
  }
}

TEST(Override, IsJudgedByTheGpuThatItChanges) {
  const auto set = Set({{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}});
  EXPECT_THAT(
      ExplainOverride(set, {Node(3, "gfx1036")}),
      ElementsAre(AllOf(HasSubstr("gfx1036 (0000:03:00.0) for gfx1030"), HasSubstr("known to work"))));
  for (const char* hangs : {"gfx1103", "gfx1151"}) {
    EXPECT_THAT(ExplainOverride(set, {Node(3, hangs)}),
                ElementsAre(AllOf(HasSubstr("known to hang"), HasSubstr("unset"), HasSubstr("Vulkan"))));
  }
  EXPECT_THAT(ExplainOverride(set, {Node(3, "gfx1010")}),
              ElementsAre(HasSubstr("may hang or compute wrong")));
  EXPECT_THAT(ExplainOverride(set, {Node(3, "gfx1030")}), IsEmpty()) << "it is what it says";
  EXPECT_THAT(ExplainOverride(set, {}), ElementsAre(HasSubstr("every AMD GPU")));
  EXPECT_THAT(ExplainOverride(Set({{"HSA_OVERRIDE_GFX_VERSION", "x\x1b[31m"}}), {}),
              ElementsAre(AllOf(HasSubstr("no version"), Not(HasSubstr("\x1b")))));
  EXPECT_THAT(ExplainOverride({}, {Node(3, "gfx1036")}), IsEmpty());
}

TEST(Override, OfEqualGpusIsToldOnce) {
  const auto set = Set({{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}});
  const auto said = ExplainOverride(set, {Node(3, "gfx1100"), Node(4, "gfx1100"), Node(5, "gfx1036")});
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[0], HasSubstr("makes ROCm take 2 x gfx1100 (0000:03:00.0, 0000:04:00.0) for gfx1030"));
  EXPECT_THAT(said[1], HasSubstr("makes ROCm take gfx1036 (0000:05:00.0) for gfx1030"));
  std::vector<KfdNode> many;
  for (std::uint32_t bus = 1; bus <= 8; ++bus) many.push_back(Node(bus, "gfx1100"));
  EXPECT_THAT(ExplainOverride(set, many), ElementsAre(HasSubstr("8 x gfx1100 (0000:01:00.0, 0000:02:00.0, "
                                                                "0000:03:00.0, 0000:04:00.0, 4 more)")));
}

TEST(Override, OfANodeIsTheVariableThatChangesIt) {
  auto node = Node(3, "gfx1100");
  node.number = 1;
  const auto of = [&](std::map<std::string, std::string, std::less<>> variables) {
    return probe::hip::OverrideOf(Set(std::move(variables)), node);
  };
  EXPECT_EQ(of({{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}}), "HSA_OVERRIDE_GFX_VERSION");
  EXPECT_EQ(of({{"HSA_OVERRIDE_GFX_VERSION", "11.0.0"}}), "") << "it is what it says";
  EXPECT_EQ(of({{"HSA_OVERRIDE_GFX_VERSION", "11.0.0"}, {"HSA_OVERRIDE_GFX_VERSION_1", "10.3.0"}}),
            "HSA_OVERRIDE_GFX_VERSION_1");
  EXPECT_EQ(of({{"HSA_OVERRIDE_GFX_VERSION", "x"}}), "");
  EXPECT_EQ(of({}), "");
}

TEST(Override, OfOneNodeGoesBeforeThatOfAll) {
  std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  nodes[0].number = 1;
  nodes[1].number = 2;
  EXPECT_THAT(probe::hip::OverrideVariables(nodes),
              ElementsAre("HSA_OVERRIDE_GFX_VERSION_1", "HSA_OVERRIDE_GFX_VERSION_2"));
  EXPECT_THAT(ExplainOverride(Set({{"HSA_OVERRIDE_GFX_VERSION_2", "10.3.0"}}), nodes),
              ElementsAre(AllOf(HasSubstr("HSA_OVERRIDE_GFX_VERSION_2 makes ROCm take gfx1036"),
                                HasSubstr("known to work"))));
  EXPECT_THAT(
      ExplainOverride(Set({{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}, {"HSA_OVERRIDE_GFX_VERSION_1", "11.0.0"}}),
                      nodes),
      ElementsAre(HasSubstr("HSA_OVERRIDE_GFX_VERSION makes ROCm take gfx1036")));
}

TEST(VisibleGpus, ThatAVariableHidesAreNamed) {
  const std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  EXPECT_THAT(ExplainVisible(Set({{"ROCR_VISIBLE_DEVICES", "1"}}), {Shown(0x0c)}, nodes),
              ElementsAre("ROCR_VISIBLE_DEVICES=\"1\" hides 1 of 2 GPUs: gfx1100 (0000:03:00.0)"));
  EXPECT_THAT(ExplainVisible({}, {Shown(3), Shown(0x0c)}, nodes), IsEmpty());
  EXPECT_THAT(ExplainVisible({}, {Shown(3)}, nodes),
              ElementsAre(HasSubstr("ROCm does not show 1 of 2 GPUs: gfx1036")));
  const std::vector<KfdNode> parts = {Node(3, "gfx942", 0), Node(3, "gfx942", 1)};
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "0"}}), {Shown(3)}, parts),
              ElementsAre(HasSubstr("gfx942 (0000:03:00.0, partition 1)")));
}

// Eight partitions of two cards have two slots: only what the lists leave tells which of them are shown.
TEST(VisibleGpus, PartitionsThatAVariableHidesAreNamed) {
  std::vector<KfdNode> parts;
  for (const std::uint32_t bus : {0x0aU, 0x1aU}) {
    for (std::uint32_t part = 0; part < 4; ++part) parts.push_back(Node(bus, "gfx942", part));
  }
  const auto shown = [](std::uint32_t bus, const char* partition) {
    auto device = Shown(bus);
    if (*partition != '\0') device.identity.partition = partition;
    return device;
  };
  const auto hidden = HasSubstr(
      "hides 6 of 8 GPUs: gfx942 (0000:0a:00.0, partition 0), gfx942 (0000:0a:00.0, partition 1), gfx942 "
      "(0000:0a:00.0, partition 3), gfx942 (0000:1a:00.0, partition 0), gfx942 (0000:1a:00.0, partition 1), "
      "gfx942 (0000:1a:00.0, partition 2)");
  for (const char* name : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const auto set = Set({{name, "2,7"}});
    EXPECT_THAT(ExplainVisible(set, {shown(0x0a, "xcp2"), shown(0x1a, "xcp3")}, parts), ElementsAre(hidden));
    EXPECT_THAT(ExplainVisible(set, {shown(0x0a, ""), shown(0x1a, "")}, parts), ElementsAre(hidden))
        << "HIP leaves the partition out";
    EXPECT_THAT(ExplainVisible(set, {shown(0x0a, "xcp2")}, parts),
                ElementsAre(hidden, HasSubstr("ROCm does not show 1 of 8 GPUs: gfx942 (0000:1a:00.0, "
                                              "partition 3)")))
        << "which no variable hides";
  }
  EXPECT_THAT(ExplainVisible({}, {shown(0x0a, "xcp1")}, {parts[0], parts[1]}),
              ElementsAre("ROCm does not show 1 of 2 GPUs: gfx942 (0000:0a:00.0, partition 0); the kernel's "
                          "compute driver has them"));
}

// A card that one list hides, and parts of another that the other list hides: each is named.
TEST(VisibleGpus, OfACardAndOfPartsEachVariableIsNamed) {
  std::vector<KfdNode> nodes = {Node(3, "gfx90a")};
  for (std::uint32_t part = 0; part < 4; ++part) nodes.push_back(Node(0x0a, "gfx942", part));
  auto shown = Shown(0x0a);
  shown.identity.partition = "xcp0";
  EXPECT_THAT(ExplainVisible(Set({{"ROCR_VISIBLE_DEVICES", "1,2,3,4"}, {"HIP_VISIBLE_DEVICES", "0"}}),
                             {shown}, nodes),
              ElementsAre(::testing::StartsWith("ROCR_VISIBLE_DEVICES=\"1,2,3,4\" hides 1 of 5 GPUs"),
                          ::testing::StartsWith("HIP_VISIBLE_DEVICES=\"0\" hides 3 of 5 GPUs")));
}

// What ROCr's list leaves of a card is dropped by HIP's, which by itself would leave another part of it.
TEST(VisibleGpus, OfACardInPartsWhatDropsTheLastIsToBlame) {
  std::vector<KfdNode> nodes;
  for (std::uint32_t part = 0; part < 4; ++part) nodes.push_back(Node(0x0a, "gfx942", part));
  for (std::uint32_t part = 0; part < 4; ++part) nodes.push_back(Node(0x1a, "gfx942", part));
  const auto hiding = [&](const char* rocr, const char* hip, const std::vector<probe::RuntimeDevice>& shown) {
    std::string out;
    const auto set = Set({{"ROCR_VISIBLE_DEVICES", rocr}, {"HIP_VISIBLE_DEVICES", hip}});
    for (const auto& card : probe::hip::HiddenCards(set, shown, nodes))
      out += std::to_string(card.address.bus) + std::string(card.variable).substr(0, 3) + " ";
    return out;
  };
  auto second = Shown(0x1a);
  second.identity.partition = "xcp1";
  EXPECT_EQ(hiding("0,5", "1", {second}), "10HIP ");
  EXPECT_EQ(hiding("0,5", "0", {Shown(0x0a)}), "26HIP ");
  EXPECT_EQ(hiding("5", "0", {second}), "10ROC ");
  EXPECT_EQ(hiding("1", "3", {}), "10HIP 26ROC 26HIP ");
}

// Beside a card that is hidden whole.
TEST(VisibleGpus, OfACardInPartWhatIsHiddenOfItIsCounted) {
  std::vector<KfdNode> nodes;
  for (const std::uint32_t bus : {0x0aU, 0x1aU}) {
    for (std::uint32_t part = 0; part < 8; ++part) nodes.push_back(Node(bus, "gfx942", part));
  }
  auto shown = Shown(0x1a);
  shown.identity.partition = "xcp1";
  const auto in_part = [&](std::map<std::string, std::string, std::less<>> variables) {
    std::string out;
    for (const auto& card : probe::hip::CardsInPart(Set(std::move(variables)), {shown}, nodes)) {
      EXPECT_EQ(card.address.bus, 0x1aU);
      out += card.text;
    }
    return out;
  };
  EXPECT_EQ(in_part({{"HIP_VISIBLE_DEVICES", "9"}}),
            "HIP_VISIBLE_DEVICES=\"9\" hides 7 of the 8 partitions of gfx942 (0000:1a:00.0)");
  EXPECT_EQ(in_part({{"ROCR_VISIBLE_DEVICES", "8,9"}, {"HIP_VISIBLE_DEVICES", "1"}}),
            "ROCR_VISIBLE_DEVICES=\"8,9\" and HIP_VISIBLE_DEVICES=\"1\" hide 7 of the 8 partitions of gfx942 "
            "(0000:1a:00.0)");
  EXPECT_EQ(in_part({}), "") << "ROCm does not show them: no variable's doing";
}

// Whoever reads it is to unset no variable that hides nothing.
TEST(VisibleGpus, AreHiddenByNoOtherVariable) {
  std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  EXPECT_THAT(
      ExplainVisible(Set({{"ROCR_VISIBLE_DEVICES", "0,1"}, {"HIP_VISIBLE_DEVICES", "0"}}), {Shown(3)}, nodes),
      ElementsAre("HIP_VISIBLE_DEVICES=\"0\" hides 1 of 2 GPUs: gfx1036 (0000:0c:00.0)"));
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "0,1"}}), {Shown(3)}, nodes),
              ElementsAre(HasSubstr("ROCm does not show 1 of 2 GPUs: gfx1036")))
      << "it names both";
  const auto none = [&](std::map<std::string, std::string, std::less<>> variables) {
    return probe::hip::NoneText(Set(std::move(variables)), nodes);
  };
  EXPECT_EQ(none({{"ROCR_VISIBLE_DEVICES", "7"}, {"HIP_VISIBLE_DEVICES", "0,1"}}),
            "ROCR_VISIBLE_DEVICES=\"7\" leaves none of 2 GPUs");
  EXPECT_EQ(none({{"ROCR_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "1"}}),
            "ROCR_VISIBLE_DEVICES=\"1\" and HIP_VISIBLE_DEVICES=\"1\" leave none of 2 GPUs");
}

TEST(VisibleGpus, AreHiddenAndWhyInOneSentence) {
  std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  const auto said = [&](const char* variable, const char* value) {
    return ExplainVisible(Set({{variable, value}}), {Shown(3)}, nodes);
  };
  const std::string hides = "hides 1 of 2 GPUs: gfx1036 (0000:0c:00.0); ";
  EXPECT_THAT(said("HIP_VISIBLE_DEVICES", "0,x"), ElementsAre(HasSubstr(hides + "\"x\" is neither")));
  EXPECT_THAT(said("HIP_VISIBLE_DEVICES", "0,2"), ElementsAre(HasSubstr(hides + "\"2\" names no GPU here")));
  EXPECT_THAT(said("HIP_VISIBLE_DEVICES", "0,-1"), ElementsAre(Not(HasSubstr(";"))));
  EXPECT_THAT(said("ROCR_VISIBLE_DEVICES", "0,GPU-77"), ElementsAre(Not(HasSubstr(";"))))
      << "nobody knows their UUIDs";
  nodes[0].unique_id = 0x0123456789abcdef;
  nodes[1].unique_id = 0x0123456789abcdee;
  EXPECT_THAT(said("ROCR_VISIBLE_DEVICES", "0,GPU-77"),
              ElementsAre(HasSubstr(hides + "\"GPU-77\" names no GPU here")));
}

// ROCr takes the beginning of a UUID that is one GPU's alone; HIP takes the first that it fits.
TEST(VisibleGpus, AreHiddenByABeginningThatSeveralHave) {
  std::vector<KfdNode> nodes = {Node(3, "gfx90a"), Node(0x0c, "gfx90a")};
  nodes[0].unique_id = 0x0123456789abcdef;
  nodes[1].unique_id = 0x0123456789abcdee;
  const auto wrong = [&](const char* variable, const char* value) {
    return probe::hip::WhatIsWrong(Set({{variable, value}}), variable, nodes);
  };
  EXPECT_EQ(wrong("ROCR_VISIBLE_DEVICES", "gpu-0123"),
            "\"gpu-0123\" is the beginning of 2 GPUs' UUIDs: gfx90a (0000:03:00.0), gfx90a (0000:0c:00.0): "
            "ROCm ignores it and all after it");
  EXPECT_EQ(wrong("ROCR_VISIBLE_DEVICES", "GPU-0123456789abcdee"), "");
  EXPECT_EQ(wrong("HIP_VISIBLE_DEVICES", "GPU-0123"), "");
  for (std::uint32_t part = 1; part < 8; ++part) {
    nodes.push_back(Node(3, "gfx90a", part));
    nodes.back().unique_id = nodes.front().unique_id;
  }
  EXPECT_THAT(wrong("ROCR_VISIBLE_DEVICES", "GPU-0123456789abcdef"),
              AllOf(HasSubstr("of 8 GPUs' UUIDs: gfx90a (0000:03:00.0, partition 0), "),
                    HasSubstr("partition 3), 4 more: ROCm ignores")))
      << "the partitions of a card may share its UUID";
}

TEST(VisibleGpus, MayBeThoseWithoutAnAddress) {
  const std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  EXPECT_THAT(ExplainVisible({}, {probe::RuntimeDevice{}}, nodes), IsEmpty()) << "either may be the one";
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "1"}}), {probe::RuntimeDevice{}}, nodes),
              ElementsAre("HIP_VISIBLE_DEVICES=\"1\" hides 1 of 2 GPUs: gfx1100 (0000:03:00.0)"));
}

TEST(VisibleGpus, AreCountedInTheOrderOfTheVariables) {
  const auto both = Set({{"ROCR_VISIBLE_DEVICES", "GPU-0123456789abcdef"}, {"HIP_VISIBLE_DEVICES", "0"}});
  EXPECT_THAT(ExplainVisible(both, {}, {}), ElementsAre(HasSubstr("counts among the GPUs that ROCR")));
}

// HIP compares texts, ROCr reads numbers.
TEST(VisibleGpus, AreNumberedAsEachRuntimeReadsNumbers) {
  for (const char* text : {"0, 1", "00,1", " 0", "1 ,0"}) {
    EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", text}}), {}, {}),
                ElementsAre(HasSubstr("a blank or a zero too many")))
        << text;
    EXPECT_THAT(ExplainVisible(Set({{"ROCR_VISIBLE_DEVICES", text}}), {}, {}), IsEmpty()) << text;
  }
  EXPECT_THAT(ExplainVisible(Set({{"ROCR_VISIBLE_DEVICES", "0x1,one"}}), {}, {}),
              ElementsAre(HasSubstr("\"one\" is neither")));
}

TEST(VisibleGpus, AreAllHiddenWhereNoEntryIsOne) {
  std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  nodes[1].unique_id = 0x0123456789abcdef;
  const auto hides = [&](std::map<std::string, std::string, std::less<>> variables) {
    return probe::hip::HidesAll(Set(std::move(variables)), nodes);
  };
  for (const char* all : {"-1", "2", " 0", "01", "x", "gpu-", "GPU-0123456789abcdee", "2,0"}) {
    EXPECT_TRUE(hides({{"HIP_VISIBLE_DEVICES", all}})) << all;
    EXPECT_TRUE(hides({{"CUDA_VISIBLE_DEVICES", all}})) << all;
  }
  for (const char* some : {"0", "1,x", "GPU-0123456789abcdef", "0,0"})
    EXPECT_FALSE(hides({{"HIP_VISIBLE_DEVICES", some}})) << some;
  for (const char* some : {" 0", "01", "0x1", "gpu-0123456789ABCDEF", "1,1"})
    EXPECT_FALSE(hides({{"ROCR_VISIBLE_DEVICES", some}})) << some;
  EXPECT_TRUE(hides({{"ROCR_VISIBLE_DEVICES", ""}}));
  EXPECT_FALSE(hides({{"HIP_VISIBLE_DEVICES", ""}})) << "as if it were not set";
  EXPECT_TRUE(hides({{"HIP_VISIBLE_DEVICES", ""}, {"CUDA_VISIBLE_DEVICES", "-1"}}));
  EXPECT_TRUE(hides({{"ROCR_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "1"}})) << "counts what is left";
  EXPECT_FALSE(hides({{"GPU_DEVICE_ORDINAL", "-1"}})) << "HIP does not read it";
}

TEST(VisibleGpus, AreHiddenByTheListThatLeavesThemOut) {
  const std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(5, "gfx1100"), Node(7, "gfx942", 0),
                                      Node(7, "gfx942", 1)};
  const auto hidden = [&](std::map<std::string, std::string, std::less<>> variables,
                          const std::vector<probe::RuntimeDevice>& shown) {
    std::string out;
    for (const auto& card : probe::hip::HiddenCards(Set(std::move(variables)), shown, nodes))
      out += std::to_string(card.address.bus) + std::string(card.variable).substr(0, 3) + " ";
    return out;
  };
  EXPECT_EQ(hidden({}, {Shown(3)}), "") << "what ROCm does not take is hidden by nobody";
  EXPECT_EQ(hidden({{"HIP_VISIBLE_DEVICES", "0,3"}}, {Shown(3), Shown(7)}), "5HIP ");
  EXPECT_EQ(hidden({{"HIP_VISIBLE_DEVICES", "0,1"}}, {Shown(3)}), "7HIP ") << "5 is left and not shown";
  EXPECT_EQ(hidden({{"ROCR_VISIBLE_DEVICES", "0,1"}, {"CUDA_VISIBLE_DEVICES", "1"}}, {Shown(5)}),
            "3CUD 7ROC 7CUD ");
  EXPECT_EQ(hidden({{"ROCR_VISIBLE_DEVICES", ""}}, {}), "3ROC 5ROC 7ROC ");
}

// What is told to be unset is enough for the card to show.
TEST(VisibleGpus, AreHiddenByEveryVariableThatHasToGo) {
  const std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(5, "gfx1100")};
  const auto hidden = [&](std::map<std::string, std::string, std::less<>> variables) {
    std::string out;
    for (const auto& card : probe::hip::HiddenCards(Set(std::move(variables)), {}, nodes))
      out += std::to_string(card.address.bus) + std::string(card.variable).substr(0, 3) + " ";
    return out;
  };
  EXPECT_EQ(hidden({{"ROCR_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "1"}}), "3ROC 3HIP 5ROC 5HIP ")
      << "5 by both together";
  EXPECT_EQ(hidden({{"ROCR_VISIBLE_DEVICES", "-1"}, {"HIP_VISIBLE_DEVICES", "-1"}}), "3ROC 3HIP 5ROC 5HIP ");
  EXPECT_EQ(hidden({{"ROCR_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "0"}}), "3ROC ");
  EXPECT_EQ(hidden({{"HIP_VISIBLE_DEVICES", "-1"}, {"CUDA_VISIBLE_DEVICES", "1"}}), "3HIP 3CUD 5HIP ")
      << "once HIP's own is gone it reads CUDA's";
}

// ROCr takes a beginning that is one GPU's alone, HIP the first GPU of which it is a part.
TEST(VisibleGpus, AreNamedByUuidAsEachRuntimeReadsIt) {
  std::vector<KfdNode> nodes = {Node(3, "gfx1100"), Node(0x0c, "gfx1036")};
  nodes[0].unique_id = 0x01234567ffffffff;
  nodes[1].unique_id = 0x0123456789abcdef;
  const auto hides = [&](const char* name, const char* value) {
    return probe::hip::HidesAll(Set({{name, value}}), nodes);
  };
  for (const char* one : {"GPU-012345678", "gpu-01234567F", "Gpu-0123456789ABCDEF "})
    EXPECT_FALSE(hides("ROCR_VISIBLE_DEVICES", one)) << one;
  for (const char* none : {"GPU-", "GPU-01234567", "GPU-0123456789abcdef0", "G012345678"})
    EXPECT_TRUE(hides("ROCR_VISIBLE_DEVICES", none)) << none;
  for (const char* one : {"GPU-", "GPU-01234567", "GPU-0123456789abcdef"})
    EXPECT_FALSE(hides("HIP_VISIBLE_DEVICES", one)) << one;
  for (const char* none : {"gpu-0123456789abcdef", "GPU-0123456789ABCDEF", "GPU-2345"})
    EXPECT_TRUE(hides("HIP_VISIBLE_DEVICES", none)) << none;
}

TEST(Variables, ThatMakeADeviceSlowerAreNamed) {
  EXPECT_THAT(ExplainVisible(Set({{"AMD_SERIALIZE_KERNEL", "3"}, {"HSA_ENABLE_SDMA", "0"}}), {}, {}),
              ElementsAre(HasSubstr("AMD_SERIALIZE_KERNEL=\"3\" lets every launch wait"),
                          HasSubstr("HSA_ENABLE_SDMA=\"0\" lets compute units copy")));
  EXPECT_THAT(ExplainVisible(Set({{"AMD_SERIALIZE_KERNEL", "0"}, {"HSA_ENABLE_SDMA", "1"}}), {}, {}),
              IsEmpty());
}

// The second GPU is the first one that a program sees.
TEST(VisibleGpus, AreSelectedByWhatTheListCallsThem) {
  using probe::hip::VisibleAs;
  EXPECT_EQ(VisibleAs({}, 1), "1");
  EXPECT_EQ(VisibleAs(Set({{"HIP_VISIBLE_DEVICES", "1,0"}}), 0), "1");
  EXPECT_EQ(VisibleAs(Set({{"CUDA_VISIBLE_DEVICES", "2,2,GPU-0123456789abcdef"}}), 1),
            "GPU-0123456789abcdef");
  EXPECT_EQ(VisibleAs(Set({{"ROCR_VISIBLE_DEVICES", "1"}}), 0), "0") << "HIP counts behind it";
  EXPECT_EQ(VisibleAs(Set({{"HIP_VISIBLE_DEVICES", "1"}}), 1), "");
}

TEST(VisibleGpus, EntriesThatAreNoneEndTheList) {
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "0,gfx1100,1"}}), {}, {}),
              ElementsAre(HasSubstr("HIP_VISIBLE_DEVICES: \"gfx1100\" is neither")));
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "-1"}}), {}, {}), IsEmpty());
  EXPECT_THAT(ExplainVisible(Set({{"HIP_VISIBLE_DEVICES", "0"}, {"CUDA_VISIBLE_DEVICES", "x"}}), {}, {}),
              IsEmpty())
      << "HIP does not read CUDA's beside its own";
  EXPECT_THAT(ExplainVisible(Set({{"CUDA_VISIBLE_DEVICES", "x"}}), {}, {}),
              ElementsAre(HasSubstr("\"x\" is neither")));
}

}  // namespace
