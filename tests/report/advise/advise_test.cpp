// SPDX-License-Identifier: MIT
// The commands of every fix that the tables know, on each distribution. WHICHGPU_UPDATE_GOLDENS=1 rewrites
// tests/report/golden/commands.txt.
#include "report/advise/advise.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/system/host.h"
#include "report/advise/packages.h"
#include "report/advise/tables.h"
#include "tests/report/advise/os_releases.h"
#include "tests/report/golden.h"
#include "tests/report/machines.h"

namespace report::advise {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

struct Distribution {
  std::string_view name;
  std::string_view os_release;
};
constexpr std::array kDistributions = {
    Distribution{"Debian 12", testing::kDebian12},      Distribution{"Debian 13", testing::kDebian13},
    Distribution{"Ubuntu 22.04", testing::kUbuntu2204}, Distribution{"Ubuntu 24.04", testing::kUbuntu2404},
    Distribution{"Fedora 42", testing::kFedora42},      Distribution{"Arch", testing::kArch},
    Distribution{"Tumbleweed", testing::kTumbleweed},   Distribution{"Alpine 3.23", testing::kAlpine},
};

Host HostOf(std::string_view os_release) {
  Host host;
  host.os_release = probe::system::ParseOsRelease(std::string(os_release));
  return host;
}

probe::PhysicalDevice Card(std::uint32_t vendor, std::string_view family, std::string_view driver = "") {
  auto card = testing::Gpu("0000:01:00.0", "Card", probe::DeviceKind::kDiscrete, 16);
  card.hardware->identity.ids = probe::PciIds{vendor, 1, {}, {}, {}};
  if (!family.empty()) card.hardware->facts.push_back({"architecture_family", std::string(family)});
  if (!driver.empty()) card.hardware->kernel_driver = driver;
  return card;
}

constexpr std::uint32_t kNvidia = 0x10de;
constexpr std::uint32_t kAmd = 0x1002;
constexpr std::uint32_t kIntel = 0x8086;

// What becomes of one fix, of the card's finding, there.
Fix Advised(const Host& host, const probe::PhysicalDevice& card, Fix fix) {
  Report report;
  report.host = host;
  report.devices.push_back(card);
  auto& finding = report.findings.emplace_back();
  finding.id = "test";
  finding.device_id = card.id;
  finding.fix.push_back(std::move(fix));
  Advise(report);
  return report.findings[0].fix[0];
}

Fix Installing(std::vector<std::string> roles) {
  return {"install it", std::nullopt, true, false, Remedy{Action::kInstall, std::move(roles)}};
}

std::string CommandOf(std::string_view os_release, const probe::PhysicalDevice& card,
                      std::vector<std::string> roles) {
  return Advised(HostOf(os_release), card, Installing(std::move(roles))).command.value_or("");
}

struct KnownFix {
  std::string name;
  probe::PhysicalDevice card;
  Fix fix;
};

// One of a generation that is neither new nor old.
probe::PhysicalDevice UsualCard(const std::string& runtime) {
  if (runtime == "cuda") return Card(kNvidia, "Turing", "nvidia");
  return runtime == "level_zero" ? Card(kIntel, "Xe-HPG", "i915") : Card(kAmd, "RDNA2", "amdgpu");
}

std::vector<KnownFix> KnownFixes() {
  std::vector<KnownFix> out;
  for (const RuntimeFacts& facts : testing::TestTables().runtimes) {
    for (const InstallHint& hint : facts.install) {
      auto name = facts.name + " install";
      auto card = UsualCard(facts.name);
      if (hint.drivers) {
        card = Card(0, "", hint.drivers->front());
        name += " for " + hint.drivers->front();
      }
      Fix fix{hint.text, std::nullopt, true, false};
      if (hint.packages) fix.remedy = Remedy{Action::kInstall, *hint.packages};
      out.push_back({name, card, fix});
    }
    for (const ErrorFacts& error : facts.errors.value_or(std::vector<ErrorFacts>())) {
      for (const FixFacts& fix : error.fix)
        out.push_back({facts.name + " " + error.name,
                       UsualCard(facts.name),
                       {fix.text, fix.command, fix.needs_root, fix.needs_reboot, fix.remedy,
                        fix.on_host.value_or(false)}});
    }
  }
  return out;
}

TEST(Advise, EveryFixHasItsCommandOnEachDistribution) {
  std::string table;
  int commands = 0;
  for (const KnownFix& known : KnownFixes()) {
    std::vector<std::pair<std::string, std::string>> told;
    std::set<std::string> different;
    for (const auto& [name, os_release] : kDistributions) {
      const auto fix = Advised(HostOf(os_release), known.card, known.fix);
      told.emplace_back(name, fix.command.value_or("-"));
      different.insert(told.back().second);
      if (fix.command) ++commands;
    }
    table += known.name + "\n";
    if (different.size() == 1) told = {{"everywhere", told.front().second}};
    for (const auto& [name, command] : told) table += fmt::format("  {:<13} {}\n", name, command);
  }
  EXPECT_GE(KnownFixes().size(), 40U);
  EXPECT_GE(commands, 300);
  testing::ExpectGolden("commands", table);
}

// A step of advice stands alone, without the sentence that says what is wrong.
TEST(Advise, EachStepNamesWhatItIsAbout) {
  for (const KnownFix& known : KnownFixes()) {
    const std::string& text = known.fix.text;
    std::string second = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
    second.resize(std::min(second.find_first_of(" ,;"), second.size()));
    EXPECT_THAT(second, Not(AnyOf("it", "them", "both", "that", "those", "these", "its")))
        << known.name << ": " << text;
    EXPECT_THAT(text, Not(HasSubstr("this lists"))) << known.name;
  }
}

struct Case {
  std::string_view os_release;
  std::uint32_t vendor;
  std::string_view family;
  std::string_view role;
  std::string_view command;  // "" for none
  std::string_view said;     // then
};

TEST(Advise, ThePackageIsOfAVersionThatKnowsTheCard) {
  using namespace testing;
  constexpr std::string_view kDrivers = "apt-get install ubuntu-drivers-common && ubuntu-drivers install";
  for (const auto& [os_release, vendor, family, role, command, said] : std::to_array<Case>({
           {kDebian12, kNvidia, "Ada", "nvidia_driver", "apt-get install nvidia-driver", "non-free"},
           {kDebian12, kNvidia, "Pascal", "nvidia_driver", "apt-get install nvidia-driver", "non-free"},
           {kDebian12, kNvidia, "Kepler", "nvidia_driver", "apt-get install nvidia-tesla-470-driver", ""},
           {kDebian13, kNvidia, "Kepler", "nvidia_driver", "", "550, and this card needs 470 or older"},
           {kDebian12, kNvidia, "Blackwell", "nvidia_driver", "",
            "Debian 12 has NVIDIA's driver 535, and this card needs 570 or later, with the open kernel "
            "modules: "
            "take it from NVIDIA's own repository"},
           {kDebian13, kNvidia, "Blackwell", "nvidia_driver", "", "550, and this card needs 570 or later"},
           {kDebian13, kNvidia, "Hopper", "nvidia_driver", "apt-get install nvidia-driver", ""},
           {kUbuntu2204, kNvidia, "Blackwell", "nvidia_driver", kDrivers, "chooses the branch"},
           {kUbuntu2404, kNvidia, "Kepler", "nvidia_driver", kDrivers, ""},
           {kFedora42, kNvidia, "Blackwell", "nvidia_driver",
            "dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda", "RPM Fusion"},
           {kFedora42, kNvidia, "Volta", "nvidia_driver",
            "dnf install akmod-nvidia-580xx xorg-x11-drv-nvidia-580xx-cuda", "RPM Fusion"},
           {kArch, kNvidia, "Turing", "nvidia_driver", "pacman -S nvidia-open nvidia-utils", ""},
           {kArch, kNvidia, "Maxwell", "nvidia_driver", "", "this card needs 580 or older"},
           {kTumbleweed, kNvidia, "Blackwell Ultra", "nvidia_driver",
            "zypper install nvidia-open-driver-G07-signed-kmp-meta", "NVIDIA's repository for openSUSE"},
           {kLeap, kNvidia, "Pascal", "nvidia_driver",
            "zypper install nvidia-driver-G06 nvidia-compute-utils-G06", "CUDA repository"},
           {kAlpine, kNvidia, "Ada", "nvidia_driver", "", "glibc"},
           {kRocky, kNvidia, "Ada", "nvidia_driver", "", "take it from NVIDIA's own repository"},
           {kDebian12, kAmd, "RDNA2", "hip_runtime", "apt-get install libamdhip64-5", ""},
           {kDebian12, kAmd, "RDNA3", "hip_runtime", "",
            "5.2, and this card needs 5.5 or later: take it from AMD"},
           {kDebian13, kAmd, "RDNA3", "hip_runtime", "apt-get install libamdhip64-5", ""},
           {kDebian13, kAmd, "RDNA4", "hip_runtime", "", "this card needs 6.4 or later"},
           {kUbuntu2204, kAmd, "RDNA2", "hip_runtime", "", "fits Ubuntu 22.04: take it from AMD's own"},
           {kUbuntu2404, kAmd, "RDNA3", "hip_runtime", "apt-get install libamdhip64-5", "universe"},
           {kUbuntu2404, kAmd, "CDNA3", "hip_runtime", "", "needs 6.0 or later"},
           {kFedora42, kAmd, "CDNA3", "hip_runtime", "dnf install rocm-hip", ""},
           {kFedora42, kAmd, "RDNA4", "hip_runtime", "", "6.3, and this card needs 6.4"},
           {kArch, kAmd, "CDNA4", "hip_runtime", "pacman -S rocm-hip-runtime", ""},
           {kAlpine, kAmd, "RDNA2", "hip_runtime", "", "Vulkan drivers do without it"},
           {kDebian12, kAmd, "RDNA4", "mesa_vulkan", "", "Mesa 22.3, and this card needs 25.0 or later"},
           {kDebian13, kAmd, "RDNA4", "mesa_vulkan", "apt-get install mesa-vulkan-drivers", ""},
           {kArch, kAmd, "RDNA4", "mesa_vulkan", "pacman -S vulkan-radeon", ""},
           {kArch, kIntel, "Xe2", "mesa_vulkan", "pacman -S vulkan-intel", ""},
           {kTumbleweed, kIntel, "Xe-LP", "mesa_vulkan", "zypper install libvulkan_intel", ""},
           {kAlpine, kAmd, "RDNA2", "mesa_vulkan", "apk add mesa-vulkan-ati", ""},
           {kDebian13, kIntel, "Xe-HPG", "level_zero", "", "fits Debian 13: take it from Intel's releases"},
           {kUbuntu2404, kIntel, "Xe-HPG", "level_zero", "apt-get install libze1 libze-intel-gpu1",
            "universe"},
           {kUbuntu2404, kIntel, "Xe2", "level_zero", "", "23.43, and this card needs 24.39 or later"},
           {kFedora42, kIntel, "Gen9", "level_zero", "", "this card needs 24.35 or older"},
           {kArch, kIntel, "Xe2", "level_zero", "pacman -S level-zero-loader intel-compute-runtime", ""},
       })) {
    const auto fix = Advised(HostOf(os_release), Card(vendor, family), Installing({std::string(role)}));
    EXPECT_EQ(fix.command.value_or(""), command) << os_release << family << ' ' << role;
    EXPECT_THAT(fix.text, HasSubstr(std::string(said))) << os_release << family;
  }
}

TEST(Advise, OneDriverServesAllCardsOfAMachine) {
  Report report;
  report.host = HostOf(testing::kFedora42);
  report.devices = {Card(kNvidia, "Pascal"), Card(kNvidia, "Ada")};
  report.devices[1].id = "pci:0000:02:00.0";
  report.findings.emplace_back().fix.push_back(Installing({"nvidia_driver"}));
  auto beside = report;
  Advise(report);
  EXPECT_EQ(report.findings[0].fix[0].command,
            "dnf install akmod-nvidia-580xx xorg-x11-drv-nvidia-580xx-cuda");
  beside.devices[1] = Card(kNvidia, "Blackwell");
  Advise(beside);
  EXPECT_EQ(beside.findings[0].fix[0].command, std::nullopt);
  EXPECT_THAT(beside.findings[0].fix[0].text, HasSubstr("these cards need 580 or older, and 570 or later"));
}

TEST(System, DerivativesHaveTheReleaseThatTheyAreMadeFrom) {
  using namespace testing;
  const auto name = [](std::string_view os_release) {
    return NameOf(FindSystem(EmbeddedSystems(), HostOf(os_release).os_release));
  };
  EXPECT_EQ(name(kMint), "Ubuntu 24.04");
  EXPECT_EQ(name(kMintOfDebian), "Debian 12");
  EXPECT_EQ(name(kPop), "Ubuntu 22.04");
  EXPECT_EQ(name(kKali), "Debian") << "its own number is none of Debian's";
  EXPECT_EQ(name(kRocky), "Red Hat Enterprise Linux 9");
  EXPECT_EQ(name(kAlma), "Red Hat Enterprise Linux 10");
  EXPECT_EQ(name(kManjaro), "Arch Linux");
  EXPECT_EQ(name(kTumbleweed), "openSUSE Tumbleweed") << "a date is no release";
  EXPECT_EQ(name(kLeap), "openSUSE Leap 15.6");
  EXPECT_EQ(name(kAlpine), "Alpine Linux 3.23");
  EXPECT_EQ(name(kNixos), "this system");
}

TEST(Advise, DerivativesWithoutAKnownReleaseGetWhatAnyReleaseHas) {
  using namespace testing;
  const auto card = Card(kAmd, "RDNA2");
  EXPECT_EQ(CommandOf(kKali, card, {"vulkan_loader", "mesa_vulkan"}),
            "apt-get install libvulkan1 mesa-vulkan-drivers");
  EXPECT_EQ(CommandOf(kKali, card, {"hip_runtime"}), "") << "which version it has is not known";
  EXPECT_EQ(CommandOf(kMintOfDebian, card, {"hip_runtime"}), "apt-get install libamdhip64-5");
  EXPECT_EQ(CommandOf(kManjaro, card, {"hip_runtime"}), "pacman -S rocm-hip-runtime");
}

TEST(Advise, SystemsThatAreUpdatedAsAWholeAndUnknownOnesGetASentence) {
  for (const auto os_release : {testing::kSilverblue, testing::kNixos, std::string_view("ID=own\n")}) {
    const auto fix = Advised(HostOf(os_release), Card(kAmd, "RDNA2"), Installing({"vulkan_loader"}));
    EXPECT_EQ(fix.command, std::nullopt) << os_release;
    EXPECT_THAT(fix.text, HasSubstr("install it"));
  }
  const auto fix = Advised(HostOf(testing::kSilverblue), Card(kAmd, ""), Installing({"vulkan_loader"}));
  EXPECT_THAT(fix.text, HasSubstr("updated as a whole"));
  EXPECT_EQ(Advised(Host(), Card(kAmd, ""), Installing({"vulkan_loader"})).command, std::nullopt)
      << "a record of an earlier version";
}

TEST(Advise, WhatMendsTheKernelIsDoneOnTheHost) {
  auto host = HostOf(testing::kDebian12);
  const Fix loading{"load it", "modprobe nvidia", true, false, std::nullopt, true};
  EXPECT_EQ(Advised(host, Card(kNvidia, "Ada"), loading).command, "modprobe nvidia");
  host.container = "docker";
  for (const auto& fix : {loading, Installing({"nvidia_driver"})}) {
    const auto advised = Advised(host, Card(kNvidia, "Ada"), fix);
    EXPECT_EQ(advised.command, std::nullopt);
    EXPECT_THAT(advised.text, AllOf(HasSubstr("on the host, not in this container: "),
                                    Not(HasSubstr("non-free")), Not(HasSubstr("Debian"))));
  }
  // What programs load is the container's own.
  EXPECT_EQ(Advised(host, Card(kAmd, ""), Installing({"vulkan_loader"})).command,
            "apt-get install libvulkan1");
  const Fix joining{"join", std::nullopt, true, false, Remedy{Action::kJoinGroups, {"video"}}};
  EXPECT_EQ(Advised(host, Card(kAmd, ""), joining).command, std::nullopt);
  host.container.reset();
  host.virtualization = "wsl2";
  const auto below = Advised(host, Card(kNvidia, "Ada"), Installing({"nvidia_driver"}));
  EXPECT_EQ(below.command, std::nullopt);
  EXPECT_THAT(below.text, HasSubstr("in Windows, not in this Linux"));
}

TEST(Advise, GroupsAndServicesGoByTheSystem) {
  const Fix joining{"join", std::nullopt, true, false, Remedy{Action::kJoinGroups, {"render", "video"}}};
  const Fix starting{"start", std::nullopt, true, false, Remedy{Action::kStartService, {"a"}}};
  const auto card = Card(kAmd, "");
  EXPECT_EQ(Advised(HostOf(testing::kArch), card, joining).command, "usermod -aG render,video \"$USER\"");
  EXPECT_EQ(Advised(HostOf(testing::kAlpine), card, joining).command, "addgroup \"$USER\" video");
  EXPECT_EQ(Advised(HostOf(testing::kDebian13), card, starting).command, "systemctl enable --now a");
  EXPECT_EQ(Advised(HostOf(testing::kAlpine), card, starting).command, std::nullopt);
}

TEST(Advise, ADriverServesAfterARestart) {
  const auto host = HostOf(testing::kDebian12);
  EXPECT_TRUE(Advised(host, Card(kNvidia, "Ada"), Installing({"nvidia_driver"})).needs_reboot);
  EXPECT_FALSE(Advised(host, Card(kAmd, ""), Installing({"vulkan_loader"})).needs_reboot);
}

TEST(Advise, TheSameFixStandsOnceWithItsFirstReason) {
  Report report;
  report.host = HostOf(testing::kAlpine);
  for (const char* id : {"first", "second", "third"}) {
    auto& finding = report.findings.emplace_back();
    finding.id = id;
    finding.fix.push_back(Installing({"vulkan_loader"}));
    finding.fix.push_back({std::string("only ") + id, std::nullopt, false, false});
    finding.fix.push_back({std::string("as worded by ") + id, "unset A", false, false});
  }
  Advise(report);
  std::vector<std::string> told;
  for (const Step& step : report.advice) told.push_back(step.why + ": " + step.text);
  EXPECT_THAT(told, ElementsAre("first: install it", "first: only first", "first: as worded by first",
                                "second: only second", "third: only third"));
  EXPECT_EQ(report.advice[0].command, "apk add vulkan-loader");
  EXPECT_TRUE(report.advice[0].needs_root);
  EXPECT_EQ(report.as_root, "doas");
}

TEST(Packages, TablesAreWholeAndSayWhereTheyAreFrom) {
  ASSERT_TRUE(DecodeSystems("{}").error().text.size() > 0);
  ASSERT_FALSE(DecodePackages("{}").ok());
  std::set<std::string> systems;
  for (const SystemFacts& facts : EmbeddedSystems().systems) systems.insert(facts.name);
  EXPECT_GE(systems.size(), 8U);
  std::set<std::string> filled;
  for (const PackageRow& row : EmbeddedPackages().rows) {
    EXPECT_NE(FindRole(EmbeddedPackages(), row.role), nullptr) << row.role;
    for (const std::string& system : row.systems) EXPECT_TRUE(systems.contains(system)) << system;
    EXPECT_FALSE(row.source.empty()) << row.role;
    EXPECT_EQ(row.date.size(), 10U) << row.role;
    filled.insert(row.role);
  }
  for (const Need& need : EmbeddedPackages().needs) {
    EXPECT_NE(FindRole(EmbeddedPackages(), need.role), nullptr) << need.role;
    EXPECT_TRUE(need.families || need.drivers) << need.role;
  }
  for (const RuntimeFacts& facts : testing::TestTables().runtimes) {
    for (const InstallHint& hint : facts.install) {
      for (const std::string& role : hint.packages.value_or(std::vector<std::string>()))
        EXPECT_TRUE(filled.contains(role)) << facts.name << ": " << role;
    }
  }
}

TEST(Environment, IsWantedWhereTheSystemsPythonTakesPackagesNowhereElse) {
  const auto with = [](std::string_view os_release) {
    Artefact artefact;
    artefact.requirements = {"torch"};
    artefact.note = "a note of the table";
    AddEnvironment(HostOf(os_release), {}, artefact);
    return artefact;
  };
  // Debian without a release is that to come.
  constexpr std::string_view kTesting = "ID=debian\nVERSION_CODENAME=forky\n";
  for (const auto os : {testing::kDebian12, testing::kDebian13, kTesting, testing::kUbuntu2404,
                        testing::kArch, testing::kTumbleweed}) {
    const auto artefact = with(os);
    EXPECT_THAT(artefact.missing, ElementsAre("an environment (python3 -m venv env)")) << os;
    EXPECT_THAT(artefact.note,
                Optional(HasSubstr("'s own Python takes packages in a virtual environment "
                                   "alone, entered by . env/bin/activate; a note of the table")))
        << os;
  }
  EXPECT_THAT(with(testing::kKali).note, Optional(HasSubstr("Python as Debian has it may take packages in")));
  for (const auto os : {testing::kUbuntu2204, testing::kFedora42}) {
    EXPECT_TRUE(with(os).missing.empty()) << os;
    EXPECT_EQ(with(os).note, "a note of the table") << os;
  }
  Artefact file;
  AddEnvironment(HostOf(testing::kDebian12), {}, file);
  EXPECT_TRUE(file.missing.empty()) << "it is no package of Python's";
  file.runs_pip = true;
  AddEnvironment(HostOf(testing::kDebian12), {}, file);
  EXPECT_THAT(file.missing, ElementsAre("an environment (python3 -m venv env)"));
  EXPECT_EQ(file.note,
            "Debian 12's own Python takes packages in a virtual environment alone, "
            "entered by . env/bin/activate");
}

// Each distribution's own words for what has a library, or a sentence on where to take it from.
TEST(Environment, WhatABuildWantsBesideItIsHadAsTheDistributionHasIt) {
  const auto wanted = [](std::string_view os_release, const std::string& program, const std::string& build) {
    const auto target = EmbeddedTarget(program);
    Artefact artefact;
    artefact.id = build;
    for (const Build& row : target->builds) {
      for (const auto& one : row.id == build && row.missing ? *row.missing : std::vector<Prerequisite>())
        artefact.missing.push_back(one.text);
    }
    AddEnvironment(HostOf(os_release), *target, artefact);
    return artefact.missing.empty() ? std::string() : artefact.missing.front();
  };
  constexpr auto kToolkit = "NVIDIA Container Toolkit";
  for (const auto& [os, command] :
       {std::pair(testing::kDebian12,
                  ": sudo apt-get install nvidia-container-toolkit; it is in NVIDIA's own"),
        std::pair(testing::kDebian13,
                  ": sudo apt-get install nvidia-container-toolkit; it is in NVIDIA's own"),
        std::pair(testing::kUbuntu2404, ": sudo apt-get install nvidia-container-toolkit; it is in NVIDIA's"),
        std::pair(testing::kFedora42, ": sudo dnf install nvidia-container-toolkit; it is in NVIDIA's own"),
        std::pair(testing::kTumbleweed, ": sudo zypper install nvidia-container-toolkit; it is in NVIDIA's"),
        std::pair(testing::kArch, ": sudo pacman -S nvidia-container-toolkit"),
        std::pair(testing::kAlpine, "; NVIDIA makes it for glibc alone, which Alpine Linux has not")}) {
    for (const char* build : {"cuda", "vulkan-nvidia", "opencl-nvidia"})
      EXPECT_THAT(wanted(os, "docker", build), AllOf(HasSubstr(kToolkit), HasSubstr(command))) << os;
  }
  EXPECT_THAT(wanted(testing::kAlpine, "docker", "cuda"), Not(HasSubstr("doas")));
  EXPECT_EQ(
      wanted("ID=nobody\n", "docker", "cuda"),
      "NVIDIA Container Toolkit, of NVIDIA's own repository, where there is apt-get: sudo apt-get install "
      "nvidia-container-toolkit");
  EXPECT_THAT(wanted(testing::kFedora42, "llama.cpp", "vulkan-x64"),
              HasSubstr(": sudo dnf install vulkan-loader"));
  EXPECT_THAT(wanted(testing::kAlpine, "llama.cpp", "vulkan-source"), Not(HasSubstr("apt-get")));
  EXPECT_THAT(wanted(testing::kArch, "openvino", "gpu"),
              HasSubstr(": sudo pacman -S ocl-icd intel-compute-runtime"));
}

// What no table of packages knows: by the row's own command, where its distribution's installer is.
TEST(Environment, ARowsOwnCommandIsForThoseWhoHaveItsInstaller) {
  const auto wanted = [](std::string_view os_release, const std::string& command) {
    TargetTable table;
    auto& build = table.builds.emplace_back();
    build.missing = {{"libsome.so.1", "Some library", command}};
    Artefact artefact;
    artefact.missing = {"Some library: " + command};
    AddEnvironment(HostOf(os_release), table, artefact);
    return artefact.missing.front();
  };
  constexpr auto kCommand = "sudo apt-get install some";
  EXPECT_EQ(wanted(testing::kUbuntu2404, kCommand), "Some library: sudo apt-get install some");
  EXPECT_EQ(wanted(testing::kFedora42, kCommand), "Some library");
  EXPECT_EQ(wanted("ID=nobody\n", kCommand),
            "Some library, where there is apt-get: sudo apt-get install some");
  EXPECT_EQ(wanted(testing::kFedora42, "conda install some"), "Some library: conda install some");
}

TEST(Environment, NoMakersDriverIsWantedForAnothersGpu) {
  TargetTable table;
  Artefact artefact;
  artefact.id = "any";
  artefact.missing = {"OpenCL loader"};
  auto& build = table.builds.emplace_back();
  build.id = artefact.id;
  build.missing = {{"libOpenCL.so.1", "OpenCL loader", std::nullopt}};
  build.backend = "opencl";
  auto of_level_zero = artefact;
  AddEnvironment(HostOf(testing::kUbuntu2404), table, artefact);
  EXPECT_THAT(artefact.missing, ElementsAre("OpenCL loader: sudo apt-get install ocl-icd-libopencl1"));
  build.backend = "level_zero";
  AddEnvironment(HostOf(testing::kUbuntu2404), table, of_level_zero);
  EXPECT_THAT(of_level_zero.missing, ElementsAre(HasSubstr("ocl-icd-libopencl1 intel-opencl-icd")));
}

TEST(Environment, IsKnownOfEveryCommandThatRunsPip) {
  for (const auto& name : TargetNames()) {
    const auto target = EmbeddedTarget(name);
    ASSERT_TRUE(target);
    for (const Build& build : target->builds) {
      const bool says_pip = build.command.value_or("").find("pip install") != std::string::npos;
      EXPECT_EQ(build.runs_pip.value_or(false), says_pip) << name << " " << build.id;
    }
  }
}

}  // namespace
}  // namespace report::advise
