// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/assume/assume.h"
#include "report/cli/options.h"
#include "report/core/report_names.h"
#include "report/core/suggest.h"

namespace report {
namespace {

// The blanks around a word, as in --only "vulkan, opencl", are no part of it.
void Trim(std::string& text) { text = std::string(probe::Trim(text)); }

void TrimWords(RawOptions& raw) {
  for (std::string* word : {&raw.color, &raw.use, &raw.format, &raw.policy}) Trim(*word);
  for (auto* word : {&raw.budget, &raw.timeout, &raw.min_memory, &raw.can, &raw.machine, &raw.options.require,
                     &raw.options.target}) {
    if (*word) Trim(**word);
  }
  for (auto* names :
       {&raw.options.run.only, &raw.options.run.skip, &raw.options.run.terms.among,
        &raw.options.run.terms.exclude, &raw.options.query.fields, &raw.options.query.backends}) {
    for (std::string& name : *names) Trim(name);
  }
}

// The modules of --only, by which GPUs are wished for, or of --skip.
std::optional<probe::Error> CheckNames(const std::vector<std::string>& names, Command command, GpuWish wish,
                                       std::span<const std::string> known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto of_gpus = command == Command::kRecommend ? HintOfGpus(name, wish) : "";
    return Usage(fmt::format("{}: there is no module '{}'{}{}", wish == GpuWish::kAny ? "--only" : "--skip",
                             probe::CleanText(name, 64), of_gpus, Hint(name, known)));
  }
  return std::nullopt;
}

std::optional<probe::Error> ReadSeconds(const std::optional<std::string>& text, const char* option,
                                        std::optional<double>& out, double least = 0) {
  constexpr double kLongest = 86400;
  if (!text) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value) || value <= 0 ||
      value < least || value > kLongest) {
    const auto from = least > 0 ? fmt::format(", from {} on,", least) : "";
    return Usage(fmt::format("{}: '{}' is not a number of seconds above 0{} and up to {}", option,
                             probe::CleanText(*text, 64), from, kLongest));
  }
  out = value;
  return std::nullopt;
}

// One of `names` that the text must be; the error lists them.
template <class E, std::size_t N>
std::optional<probe::Error> Choose(const std::string& text, const char* option,
                                   const std::array<std::pair<E, std::string_view>, N>& names, E& out) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    known.emplace_back(name);
    if (name == text) {
      out = value;
      return std::nullopt;
    }
  }
  return Usage(
      fmt::format("{}: '{}' is not a value{}", option, probe::CleanText(text, 64), Hint(text, known)));
}

// "//", "/./": by its letters alone, for what leads to "/" by a link may be another machine's
// (/proc/PID/root).
bool IsThisMachine(const std::filesystem::path& root) {
  const auto below = root.relative_path();
  return root.is_absolute() && std::all_of(below.begin(), below.end(),
                                           [](const auto& part) { return part.empty() || part == "."; });
}

// A machine's name stands for the words that describe it, and one text may add what it does not say.
std::optional<probe::Error> NameMachine(RawOptions& raw) {
  if (!raw.machine) return std::nullopt;
  auto& words = raw.options.run.assume;
  auto texts = assume::TextsOfMachine(*raw.machine);
  if (!texts) return texts.error();
  if (!words.empty()) {
    if (words.size() != 1 || texts->size() != 1)
      return Usage("beside --assume-machine one --assume says what the name does not, such as ram=64GiB");
    texts->front().append(",").append(words.front());
  }
  words = *std::move(texts);
  return std::nullopt;
}

std::optional<probe::Error> CheckCombination(const RawOptions& raw) {
  const Options& options = raw.options;
  const RunRequest& run = options.run;
  const bool replays = run.replay_dir.has_value();
  const bool assumes = !run.assume.empty();
  const bool measures = raw.quick || raw.thorough || run.budget_s;
  const std::array<std::pair<bool, const char*>, 10> refused = {
      {{assumes && (replays || run.record_dir || run.sysroot != "/"),
        "--assume describes a machine: --replay, --record and --sysroot, which look at another, do not go "
        "with it"},
       {assumes && options.exit_code,
        "--exit-code tells what works: of a machine that is described nobody knows; --require asks for its "
        "answer"},
       {assumes && (measures || raw.no_cache || run.retry_crashed || !run.only.empty() || !run.skip.empty()),
        "--assume looks at nothing and measures nothing: --only, --skip, --quick, --thorough, --budget, "
        "--measure (or --no-cache) and --retry-crashed do not go with it"},
       {raw.quick && raw.thorough, "--quick and --thorough exclude each other"},
       {replays && run.record_dir, "--replay and --record exclude each other"},
       {replays && run.sysroot != "/", "--replay and --sysroot exclude each other"},
       {replays && (measures || raw.no_calibrate || raw.no_cache),
        "--replay measures nothing, with or without figures in its record: --quick, --thorough, --budget, "
        "--no-calibrate and --no-cache, which say how to measure, do not go with it"},
       {run.record_dir == "-", "--record keeps a directory: name one ('./-' is one called so)"},
       {run.record_ids && !run.record_dir, "--record-ids says what a record keeps: it needs --record DIR"},
       {!run.only.empty() && !run.skip.empty(), "--only and --skip exclude each other"}}};
  for (const auto& [is_so, text] : refused) {
    if (is_so) return Usage(text);
  }
  const bool answers = options.command == Command::kReport || options.command == Command::kRecommend ||
                       (options.command == Command::kQuery && !options.exit_code);
  if (!answers && (options.exit_code || options.request_file)) {
    return Usage(fmt::format("{} belongs to the report and recommend: {} {}",
                             options.exit_code ? "--exit-code" : "--request", NameOfCommand(options.command),
                             !options.exit_code                   ? "predicts nothing"
                             : options.command == Command::kQuery ? "has a code for whether a line matched"
                                                                  : "runs no kernel to tell by"));
  }
  if (options.details && (options.command != Command::kReport || options.json)) {
    return Usage(fmt::format("--details is the whole report for people: {}",
                             options.json ? "--json has all of it" : "'whichgpu --details'"));
  }
  return std::nullopt;
}

}  // namespace

std::optional<probe::Error> CheckOptions(RawOptions& raw, std::span<const std::string> modules) {
  TrimWords(raw);
  Options& options = raw.options;
  if (auto error = CheckNames(options.run.only, options.command, GpuWish::kAny, modules)) return error;
  if (auto error = CheckNames(options.run.skip, options.command, GpuWish::kNone, modules)) return error;
  if (!options.words.empty() &&
      std::all_of(options.words.begin(), options.words.end(),
                  [](const std::string& word) { return probe::Trim(word).empty(); }))
    return Usage("describe: an empty word; 'whichgpu describe' lists all, 'whichgpu describe noisy' one");
  constexpr double kLeastBudget = 0.001;
  if (auto error = ReadSeconds(raw.budget, "--budget", options.run.budget_s, kLeastBudget)) return error;
  if (auto error = ReadSeconds(raw.timeout, "--timeout", options.run.timeout_s)) return error;
  if (auto error =
          Choose(raw.color, "--color", probe::EnumNames<render::ColourChoice>::kNames, options.colour))
    return error;
  Use use = Use::kInference;
  if (auto error = Choose(raw.use, "--for", probe::EnumNames<Use>::kNames, use)) return error;
  if (auto error = Choose(raw.format, "--format", probe::EnumNames<Format>::kNames, options.format))
    return error;
  if (options.json && options.format != Format::kPlain && options.format != Format::kJson) {
    return Usage("--json and --format exclude each other");
  }
  options.json = options.json || options.format == Format::kJson;
  options.run.for_an_image = options.format == Format::kDockerfile;
  if (auto error = Choose(raw.policy, "--policy", probe::EnumNames<Policy>::kNames, options.run.terms.policy))
    return error;
  if (auto error = CheckTerms(raw)) return error;
  if (options.run.sysroot.empty())
    return Usage("--sysroot: '' is no directory; it takes the one that holds a machine's files");
  // Children open it too, and from a directory of their own.
  std::error_code unknown;
  const auto root = std::filesystem::absolute(options.run.sysroot, unknown);
  if (!unknown) options.run.sysroot = IsThisMachine(root) ? "/" : root.string();
  if (auto error = NameMachine(raw)) return error;
  if (auto error = CheckCombination(raw)) return error;
  if (auto error = CheckQuery(raw)) return error;
  if (auto error = CheckPageOptions(options)) return error;
  const bool recommends = options.command == Command::kRecommend;
  const bool queries = options.command == Command::kQuery;
  const bool brief = raw.quick || options.run.budget_s || recommends || queries;
  options.run.command = NameOfCommand(options.command);
  options.run.effort = raw.thorough ? Effort::kThorough : brief ? Effort::kQuick : Effort::kNormal;
  options.run.calibrate = !raw.no_calibrate && options.command != Command::kList;
  options.run.only_candidates = recommends;
  // Whoever says how to measure, or wants every sample, wants it measured; so does a script that compares.
  const bool rereads = options.command == Command::kReport && !options.json && !options.verbose &&
                       !raw.quick && !raw.thorough && !options.run.budget_s;
  options.run.from_earlier =
      (recommends || rereads || queries || raw.no_calibrate) && !raw.no_cache && !options.run.retry_crashed;
  if (recommends) options.run.uses = {use};
  if (options.command == Command::kList) options.run.uses.clear();
  return std::nullopt;
}

}  // namespace report
