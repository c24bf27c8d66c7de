// SPDX-License-Identifier: MIT
#include "report/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"
#include "report/cli/interface.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kModules = {"cpu", "vulkan", "opencl"};

probe::Result<Invocation> Parse(const std::vector<std::string>& arguments) {
  return ParseArguments(arguments, kModules, "whichgpu 1.2.3");
}

Options Accepted(const std::vector<std::string>& arguments) {
  const auto parsed = Parse(arguments);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
  return parsed && parsed->options ? *parsed->options : Options{};
}

std::string Refused(const std::vector<std::string>& arguments) {
  const auto parsed = Parse(arguments);
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error().text;
}

TEST(Options, NoArgumentsAskForTheReport) {
  const auto options = Accepted({});
  EXPECT_EQ(options.command, Command::kReport);
  EXPECT_TRUE(options.run.calibrate);
  EXPECT_EQ(options.run.effort, Effort::kNormal);
}

TEST(Options, GlobalOptionsStandBeforeOrAfterTheCommand) {
  EXPECT_TRUE(Accepted({"--json", "list"}).json);
  EXPECT_TRUE(Accepted({"list", "--json"}).json);
  EXPECT_EQ(Accepted({"list", "--json"}).command, Command::kList);
}

TEST(Options, NamesAreSplitAtCommas) {
  EXPECT_EQ(Accepted({"--only", "cpu,vulkan"}).run.only, (std::vector<std::string>{"cpu", "vulkan"}));
  EXPECT_EQ(Accepted({"--only", " cpu, vulkan "}).run.only, (std::vector<std::string>{"cpu", "vulkan"}));
  EXPECT_EQ(Accepted({"--timeout", "5 "}).run.timeout_s, 5);
}

TEST(Options, RecommendTakesAUse) {
  EXPECT_EQ(Accepted({"recommend", "--for", "training"}).run.uses, std::vector<Use>{Use::kTraining});
}

TEST(Options, HelpAndVersionAreTextNotARun) {
  EXPECT_THAT(Parse({"--help"})->text, HasSubstr("recommend"));
  EXPECT_THAT(Parse({"recommend", "--help"})->text, HasSubstr("--for"));
  EXPECT_EQ(Parse({"--version"})->text, "whichgpu 1.2.3\n");
}

std::string Words(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             text.end());
  return text;
}

TEST(Options, HelpFitsAnyTerminal) {
  for (const char* command : {"", "list", "recommend", "query", "compare", "describe", "schema"}) {
    const auto help =
        Parse(*command == '\0' ? std::vector<std::string>{"help"} : std::vector<std::string>{"help", command})
            ->text;
    for (int width = 40; width <= 120; ++width) {
      const auto text = Narrowed(help, width);
      for (std::string_view rest = text; !rest.empty();)
        EXPECT_LE(probe::TakeUpTo(rest, '\n').size(), static_cast<std::size_t>(width)) << text;
      EXPECT_EQ(Words(text), Words(help)) << "no word is lost or broken";
    }
    EXPECT_EQ(Narrowed(help, 200), help);
  }
  EXPECT_THAT(Narrowed(Parse({"--help"})->text, 60),
              HasSubstr("\n  --device ID                 Only this device: an id, the\n"
                        "                              start of one, or part of a\n"));
  EXPECT_THAT(
      Narrowed(Parse({"--help"})->text, 40),
      HasSubstr(
          "\n  --device ID\n      Only this device: an id, the start\n      of one, or part of a name\n"));
}

TEST(Options, ANearMissIsSuggested) {
  EXPECT_THAT(Refused({"--jsno"}), HasSubstr("did you mean '--json'?"));
  EXPECT_THAT(Refused({"lst"}), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(Refused({"--only", "vulcan"}), HasSubstr("did you mean 'vulkan'?"));
  EXPECT_THAT(Refused({"recommend", "--for", "trainning"}), HasSubstr("did you mean 'training'?"));
  EXPECT_THAT(Refused({"--color", "alway"}), HasSubstr("did you mean 'always'?"));
  EXPECT_THAT(Refused({"recommend", "--format", "JSON"}), HasSubstr("did you mean 'json'?"));
}

// In every list, as in --assume.
TEST(Options, ACommaBesideWhichNoNameStandsIsRefused) {
  const std::vector<std::vector<std::string>> lists = {{"list", "--only"},
                                                       {"--skip"},
                                                       {"recommend", "--among"},
                                                       {"recommend", "--exclude"},
                                                       {"query", "name", "--backend"},
                                                       {"query"},
                                                       {"query", "--"}};
  for (const auto& list : lists) {
    const std::string of = list.back() == "--" ? "query" : list.back();
    const std::string one = of == "query" ? "name" : "cpu";
    const std::string other = of == "query" ? "vendor" : "vulkan";
    for (const auto& value : {one + ",", "," + one, one + ",," + other, one + ", ," + other}) {
      auto arguments = list;
      arguments.push_back(value);
      EXPECT_EQ(Refused(arguments), of + ": beside a comma of '" + value +
                                        "' there is no name: leave the comma out, or say what was meant");
      if (!of.starts_with("--")) continue;
      arguments = list;
      arguments.back() += "=" + value;
      EXPECT_THAT(Refused(arguments), HasSubstr(of + ": beside a comma of '" + value + "'"));
      arguments.insert(arguments.end(), {"--json", "--no-calibrate"});
      EXPECT_THAT(Refused(arguments), HasSubstr("beside a comma of '" + value + "'"))
          << "with more behind it";
    }
    auto apart = list;
    apart.insert(apart.end(), {one + ",", other});
    EXPECT_THAT(Parse(apart) ? "" : Parse(apart).error().text, Not(HasSubstr("comma"))) << "of two words";
  }
  EXPECT_EQ(Accepted({"list", "--only", "cpu,", "vulkan"}).run.only,
            (std::vector<std::string>{"cpu", "vulkan"}));
  EXPECT_EQ(Accepted({"--only", "cpu, vulkan"}).run.only, (std::vector<std::string>{"cpu", "vulkan"}));
  EXPECT_EQ(Accepted({"query", "name", "--device", "a,,b"}).run.device, "a,,b") << "which is no list";
  EXPECT_EQ(Accepted({"compare", "a,,b", "c,"}).other, "c,");
  EXPECT_EQ(Accepted({"recommend", "--target", "a,,b"}).target, "a,,b");
}

TEST(Options, TheParsersErrorsAreSaidInOurWords) {
  EXPECT_EQ(Refused({"--json=maybe"}), "--json takes no value");
  for (const char* value : {"true", "false", "yes", "no", "0", "1", ""}) {
    EXPECT_EQ(Refused({"list", std::string("--json=") + value}), "--json takes no value");
    EXPECT_EQ(Refused({"recommend", std::string("--why=") + value}), "--why takes no value");
  }
  EXPECT_EQ(Refused({"--version=3"}), "--version takes no value");
  EXPECT_EQ(Refused({"recommend", "--among", ",", "--json"}), "--among: ',' names nothing: --among NAMES");
  EXPECT_EQ(Refused({"recommend", "--exclude=, ,"}), "--exclude: ', ,' names nothing: --exclude NAMES");
  EXPECT_EQ(Refused({"--only=", "--json"}), "--only lacks its value: --only NAMES");
  EXPECT_EQ(Refused({"--budget", "1", "--budget", "2"}), "--budget stands more than once, and has one value");
  EXPECT_EQ(Refused({"recommend", "--for", "decode", "--for", "training"}),
            "--for stands more than once, and has one value");
  EXPECT_EQ(Refused({"--record-ids", "--record"}), "--record lacks its value: --record DIR");
  EXPECT_EQ(Refused({"--only="}), "--only lacks its value: --only NAMES");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"compare"}, {"compare", "a.json"}})
    EXPECT_EQ(Refused(arguments), "compare takes two files: 'whichgpu compare A.json B.json'");
}

TEST(Options, CompareTakesNoneThatSaysHowToLookAtAMachine) {
  for (const std::string option : {"--record", "--replay", "--device", "--sysroot", "--budget", "--request"})
    EXPECT_EQ(Refused({"compare", "a", "b", option, "x"}),
              "compare takes two files and no " + option + ": 'whichgpu compare A.json B.json'");
  EXPECT_THAT(Refused({"compare", "--only", "a", "b"}), HasSubstr("compare takes two files and no --only"));
  EXPECT_THAT(Refused({"--quick", "compare", "a", "b"}), HasSubstr("compare takes two files and no --quick"));
  EXPECT_EQ(Accepted({"compare", "--json", "--verbose", "--color", "never", "a", "b"}).other, "b");
}

TEST(Options, WhatWouldBeIgnoredIsRefused) {
  EXPECT_THAT(Refused({"--record-ids"}), HasSubstr("--record-ids says what a record keeps"));
  EXPECT_TRUE(Accepted({"--record", "d", "--record-ids"}).run.record_ids);
  for (const std::string option : {"--quick", "--thorough", "--no-calibrate", "--no-cache", "--budget=1"})
    EXPECT_THAT(Refused({"--replay", "d", option}),
                HasSubstr("--replay measures nothing, with or without figures in its record"));
  EXPECT_TRUE(Accepted({"--replay", "d", "--only", "cpu"}).run.replay_dir);
  EXPECT_THAT(Refused({"--assume", "cc=8.9", "--exit-code"}), HasSubstr("--exit-code tells what works"));
}

TEST(Options, AFarMissListsWhatThereIs) {
  EXPECT_THAT(Refused({"--only", "quantum"}), HasSubstr("known are cpu, vulkan, opencl"));
  EXPECT_THAT(Refused({"frobnicate"}), HasSubstr("list, recommend"));
}

TEST(Options, NothingBehindTwoDashesIsAnOptionOrACommand) {
  const auto compared = [](const std::vector<std::string>& arguments) {
    const auto parsed = ParseArguments(arguments, kModules, "1");
    return parsed && parsed->options ? parsed->options->base + " " + parsed->options->other
                                     : parsed.error().text;
  };
  EXPECT_EQ(compared({"compare", "--", "-a.json", "b.json"}), "-a.json b.json");
  EXPECT_EQ(compared({"compare", "--json", "a.json", "--", "--json"}), "a.json --json");
  EXPECT_EQ(compared({"compare", "--", "--", "list"}), "-- list");
  EXPECT_EQ(compared({"compare", "-", "b.json", "--"}), "- b.json");
  EXPECT_THAT(compared({"compare", "--", "a", "b", "--json"}), HasSubstr("compare takes no '--json'"));
  EXPECT_THAT(compared({"compare", "a", "b", "--", "c"}), HasSubstr("compare takes no 'c'"));
  EXPECT_THAT(compared({"compare", "--", "a", "b", "list"}), HasSubstr("compare takes no 'list'"));
  EXPECT_THAT(Refused({"list", "--", "x"}), HasSubstr("list takes no 'x'"));
  EXPECT_EQ(Refused({"list", "pytorch"}), "list takes no 'pytorch'");
  EXPECT_EQ(Refused({"recommend", "pytorch"}),
            "recommend takes no 'pytorch'; --target pytorch asks for that program");
  EXPECT_THAT(Refused({"list", "--", "--json"}), HasSubstr("list takes no '--json'"));
  EXPECT_THAT(Refused({"list", "--", "recommend"}), HasSubstr("list takes no 'recommend'"));
  EXPECT_THAT(Refused({"--", "list"}), HasSubstr("behind '--'"));
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--"}, {"list", "--"}, {"--json", "--"}})
    EXPECT_TRUE(ParseArguments(arguments, kModules, "1"));
}

TEST(Options, EveryRefusalIsOneLine) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--budget", "x"},
                                                                     {"--budget", "-1"},
                                                                     {"--budget", "nan"},
                                                                     {"--timeout", "0"},
                                                                     {"--only"},
                                                                     {"--quick", "--thorough"},
                                                                     {"--only", "cpu", "--skip", "vulkan"},
                                                                     {"--replay", "a", "--record", "b"},
                                                                     {"a\nb\x1b[31m"},
                                                                     {"--", "--json"},
                                                                     {"--sysroot", ""},
                                                                     {"list", "recommend", "more"},
                                                                     {"recommend", "--require", "gpus"}}) {
    const auto text = Refused(arguments);
    EXPECT_FALSE(text.empty());
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

TEST(Options, ASizeIsANumberOfBytesOrHasAUnit) {
  const auto bytes = [](const std::string& size) {
    return Accepted({"recommend", "--min-memory", size}).run.terms.min_memory_bytes;
  };
  EXPECT_EQ(bytes("12GiB"), 12ULL << 30U);
  EXPECT_EQ(bytes("16GB"), 16'000'000'000U);
  EXPECT_EQ(bytes("8000MiB"), 8000ULL << 20U);
  EXPECT_EQ(bytes(" 1.5 gib "), 3ULL << 29U);
  EXPECT_EQ(bytes("17"), 17U);
  EXPECT_EQ(bytes("3kb"), 3000U);
  for (const char* size : {"", "0", "-1", "12G", "GiB", "1e3", "nan", "inf", "12GiBs", "1.2.3GiB", ".",
                           "0x10", "12 GiB 3", "9999999999999TiB", "\xd9\xa1GiB"}) {
    EXPECT_THAT(Refused({"recommend", "--min-memory", size}), HasSubstr("12GiB, 16GB, 8000MiB")) << size;
  }
}

TEST(Options, WhatToChooseFromIsKnownByTokensAlone) {
  const auto terms =
      Accepted({"recommend", "--among", "cuda, hip,cpu,cuda", "--exclude", "vulkan,Radeon RX"}).run.terms;
  EXPECT_THAT(terms.among, ::testing::ElementsAre("cuda", "hip", "cpu"));
  EXPECT_THAT(terms.exclude, ::testing::ElementsAre("vulkan", "Radeon RX"));
  const auto can = Accepted({"recommend", "--can", "vulkan"}).run.terms;
  EXPECT_TRUE(can.can);
  EXPECT_THAT(can.among, ::testing::ElementsAre("vulkan"));
  EXPECT_FALSE(Accepted({"recommend"}).run.terms.narrow());
  EXPECT_THAT(Refused({"recommend", "--among", "cuda,rocm"}),
              ::testing::AllOf(HasSubstr("did you mean 'hip'?; known are "), HasSubstr("cuda")));
  EXPECT_THAT(Refused({"recommend", "--among", "gpu"}),
              HasSubstr("--among: 'gpu' is not a value; --require gpu asks for any GPU; known are "));
  EXPECT_THAT(Refused({"recommend", "--among", ""}), HasSubstr("known are "));
  EXPECT_THAT(Refused({"recommend", "--can", "nvidia"}), HasSubstr("did you mean 'cuda'?"));
  EXPECT_THAT(Refused({"recommend", "--can", "cpu", "--among", "cpu"}), HasSubstr("exclude each other"));
  EXPECT_THAT(Refused({"recommend", "--exclude", " "}), HasSubstr("--exclude: '' names nothing"));
  EXPECT_THAT(Refused({"--among", "cpu"}), HasSubstr("--among belongs to recommend"));
}

TEST(Options, DetailsAreOfTheReportForPeople) {
  EXPECT_TRUE(Accepted({"--details"}).details);
  EXPECT_THAT(Refused({"list", "--details"}), HasSubstr("'whichgpu --details'"));
  EXPECT_THAT(Refused({"recommend", "--details"}), HasSubstr("'whichgpu --details'"));
  EXPECT_THAT(Refused({"--json", "--details"}), HasSubstr("--json has all of it"));
}

TEST(Options, ThePageForPeopleMayBeOfAnEarlierRun) {
  EXPECT_TRUE(Accepted({}).run.from_earlier);
  EXPECT_TRUE(Accepted({"--details"}).run.from_earlier);
  EXPECT_TRUE(Accepted({"recommend", "--json"}).run.from_earlier);
  for (const std::string option : {"--measure", "--no-cache", "--json", "--verbose", "--quick", "--thorough",
                                   "--budget=1", "--retry-crashed"})
    EXPECT_FALSE(Accepted({option}).run.from_earlier) << option;
  EXPECT_FALSE(Accepted({"recommend", "--measure"}).run.from_earlier);
  // Where nothing is measured what was wrong counts for scripts, too.
  EXPECT_TRUE(Accepted({"--json", "--no-calibrate"}).run.from_earlier);
  EXPECT_FALSE(Accepted({"--json", "--no-calibrate", "--no-cache"}).run.from_earlier);
}

TEST(Options, AGpuIsAskedForByRequireAlone) {
  EXPECT_THAT(Refused({"recommend", "--can", "GPU"}), HasSubstr("--require gpu asks for any GPU; known"));
  EXPECT_EQ(
      Refused({"recommend", "--only", "gpu"}),
      "--only: there is no module 'gpu'; --require gpu asks for any GPU; known are cpu, vulkan, opencl");
  EXPECT_EQ(
      Refused({"recommend", "--skip", "gpu"}),
      "--skip: there is no module 'gpu'; --among cpu leaves out every GPU; known are cpu, vulkan, opencl");
  for (const std::string option : {"--only", "--skip"})
    EXPECT_EQ(Refused({option, "gpu"}), option + ": there is no module 'gpu'; known are cpu, vulkan, opencl");
}

TEST(Options, AMachinesNameStandsForTheWordsThatDescribeIt) {
  EXPECT_THAT(Accepted({"list", "--assume-machine", "dgx-spark"}).run.assume,
              ::testing::ElementsAre(HasSubstr("name=GB10")));
  EXPECT_THAT(Refused({"--assume-machine", "dgx-sparc"}), HasSubstr("did you mean 'dgx-spark'?"));
  EXPECT_THAT(Refused({"recommend", "--assume-machine", ""}),
              HasSubstr("--assume-machine: there is no machine ''; known are"));
  EXPECT_THAT(Accepted({"--assume-machine", "macbook-m3", "--assume", "ram=16GiB"}).run.assume,
              ::testing::ElementsAre(::testing::EndsWith(",ram=16GiB")));
  EXPECT_THAT(Refused({"--assume-machine", "dgx-spark", "--assume", "ram=1GiB", "--assume", "ram=2GiB"}),
              HasSubstr("one --assume says what the name does not"));
  EXPECT_THAT(Refused({"--assume-machine", "dgx-spark", "--quick"}), HasSubstr("do not go with it"));
}

TEST(Options, NothingIsMeasuredOnAMachineThatIsDescribed) {
  for (const std::string command : {"", "recommend", "query name", "list"}) {
    std::vector<std::string> words;
    for (std::string_view rest = command; !rest.empty();) words.emplace_back(probe::TakeUpTo(rest, ' '));
    for (const std::string option : {"--measure", "--no-cache", "--retry-crashed"}) {
      for (const auto& machine :
           {std::vector<std::string>{"--assume", "cc=8.9"}, {"--assume-machine", "dgx-spark"}}) {
        auto all = words;
        all.insert(all.end(), machine.begin(), machine.end());
        all.push_back(option);
        EXPECT_THAT(Refused(all), HasSubstr("measures nothing: ")) << command << " " << option;
      }
    }
  }
  EXPECT_EQ(Accepted({"query", "name", "--assume", "cc=8.9"}).run.assume, std::vector<std::string>{"cc=8.9"});
}

}  // namespace
}  // namespace report
