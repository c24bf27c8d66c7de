// SPDX-License-Identifier: MIT
#include "api/whichgpu.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "api/child.h"
#include "api/options.h"
#include "probe/core/text.h"

namespace api {
namespace {

constexpr std::size_t kMostShown = 500;
constexpr int kSignalBase = 128;  // of the program's exit codes: it was interrupted, and printed what it had

// What is said where nothing can be allocated.
constexpr whichgpu_result kNoMemory = {WHICHGPU_INTERNAL, nullptr, "there is not enough memory"};
constexpr whichgpu_result kFailed = {WHICHGPU_INTERNAL, nullptr, "internal error of the library"};

struct Answer {
  int status = WHICHGPU_INTERNAL;
  std::string json;
  std::string error;
};

// Without building any of it: it may be of any size and depth.
bool IsObject(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' && nlohmann::json::accept(text);
}

// The reason is the last line (docs/contract.md), with the program's name before it.
std::string LastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (const auto end = text.rfind('\n'); end != std::string_view::npos) text.remove_prefix(end + 1);
  constexpr std::string_view kName = "whichgpu: ";
  if (text.starts_with(kName)) text.remove_prefix(kName.size());
  return probe::CleanText(text, kMostShown);
}

Answer NotStarted(const std::string& program, const probe::Error& error) {
  if (error.code == E2BIG)
    return {WHICHGPU_BAD_INPUT, "", "the options are too long for the arguments of a program"};
  constexpr std::array kOfTheHost = {EAGAIN, ENOMEM, EMFILE, ENFILE};
  const bool is_hosts =
      error.call != "exec" || std::find(kOfTheHost.begin(), kOfTheHost.end(), error.code) != kOfTheHost.end();
  return {is_hosts ? WHICHGPU_INTERNAL : WHICHGPU_NO_PROGRAM, "",
          "'" + probe::CleanText(program, kMostShown) + "' can not be started: " + probe::Describe(error)};
}

// Told from the answer, of a program whose exit code somebody else took.
int CodeOf(const std::string& json, bool recommends) {
  if (json.empty()) return WHICHGPU_INTERNAL;
  const auto keys = [](int depth, auto, const auto&) { return depth <= 1; };
  const bool has_answer = !recommends || nlohmann::json::parse(json, keys, false).contains("recommendation");
  return has_answer ? WHICHGPU_OK : WHICHGPU_NO_ANSWER;
}

Answer Judge(Ended ended, bool recommends, double deadline_s) {
  Answer answer;
  if (IsObject(ended.out) && !ended.is_too_long) answer.json = std::move(ended.out);
  if (ended.is_late) {
    answer.status = WHICHGPU_TIMED_OUT;
    answer.error = "whichgpu took longer than " + nlohmann::json(deadline_s).dump() + " s (deadline_s)";
    return answer;
  }
  const auto reason = LastLine(ended.err);
  const auto because = reason.empty() ? "" : ": " + reason;
  if (ended.is_too_long) {
    answer.error = "the program printed more than 64 MiB: it is not whichgpu";
    return answer;
  }
  if (ended.exit.signal) {
    answer.error = "whichgpu was ended by signal " + std::to_string(*ended.exit.signal) + because;
    return answer;
  }
  const int code = ended.exit.code ? *ended.exit.code : CodeOf(answer.json, recommends);
  const bool answers = code == WHICHGPU_OK || code == WHICHGPU_NO_ANSWER;
  if (answers && answer.json.empty()) {
    answer.error = "the program printed no object of JSON: it is not whichgpu" + because;
  } else if (answers || code == WHICHGPU_BAD_INPUT) {
    answer.status = code;
    if (code != WHICHGPU_OK) answer.error = reason.empty() ? "whichgpu does not say why" : reason;
  } else if (code > kSignalBase) {
    answer.error = "whichgpu was interrupted by signal " + std::to_string(code - kSignalBase) + because;
  } else {
    answer.error = reason.empty() ? "whichgpu failed with code " + std::to_string(code) : reason;
  }
  return answer;
}

Answer Ask(const char* options, std::string_view command) {
  const Request request = ReadOptions(options ? options : "{}", command);
  if (!request.error.empty()) return {WHICHGPU_BAD_INPUT, "", request.error};
  const auto program = request.program.empty() ? FindProgram() : request.program;
  if (program.empty())
    return {WHICHGPU_NO_PROGRAM, "",
            "whichgpu is neither beside this library nor in PATH: name it by WHICHGPU_PROGRAM or the option "
            "'program'"};
  auto ended = RunProgram(program, request.arguments, request.deadline_s);
  if (!ended) return NotStarted(program, ended.error());
  return Judge(*std::move(ended), command == "recommend", request.deadline_s);
}

// One block: the result, and its texts behind it.
const whichgpu_result* Keep(const Answer& answer) {
  const auto size = sizeof(whichgpu_result) + answer.json.size() + answer.error.size() + 2;
  auto* block = static_cast<char*>(std::malloc(size));  // NOLINT(cppcoreguidelines-no-malloc): free() ends it
  if (!block) return &kNoMemory;
  auto put = [end = block + sizeof(whichgpu_result)](const std::string& text) mutable -> const char* {
    if (text.empty()) return nullptr;
    std::memcpy(end, text.c_str(), text.size() + 1);
    return std::exchange(end, end + text.size() + 1);
  };
  const char* json = put(answer.json);
  return new (block) whichgpu_result{answer.status, json, put(answer.error)};
}

// No exception leaves the library, and no thread is cancelled in it: a child would be left.
const whichgpu_result* Call(const char* options, std::string_view command) noexcept {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  const whichgpu_result* result = nullptr;
  try {
    result = Keep(Ask(options, command));
  } catch (const std::bad_alloc&) {
    result = &kNoMemory;
  } catch (...) {
    result = &kFailed;
  }
  pthread_setcancelstate(before, nullptr);
  return result;
}

}  // namespace
}  // namespace api

const whichgpu_result* whichgpu_report(const char* options) { return api::Call(options, "report"); }

const whichgpu_result* whichgpu_recommend(const char* options) { return api::Call(options, "recommend"); }

void whichgpu_free(const whichgpu_result* result) {
  if (result != &api::kNoMemory && result != &api::kFailed)
    std::free(const_cast<whichgpu_result*>(result));  // NOLINT: it is Keep's block
}
