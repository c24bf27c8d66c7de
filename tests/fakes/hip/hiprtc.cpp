// SPDX-License-Identifier: MIT
// A fake hiprtc: reads what a program declares and makes a code object of it for the target that the options
// name.
#include <algorithm>
#include <memory>
#include <string>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/hip/program.h"
#include "tests/fakes/hip/state.h"

namespace fakes::hip {
namespace {

// enum hiprtcResult.
constexpr int kInvalidInput = 3;
constexpr int kInvalidOption = 5;
constexpr int kCompilation = 6;

struct Source {
  std::string text, log, code;
};

std::string TargetIn(int count, const char** options) {
  constexpr std::string_view kOption = "--offload-arch=";
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (!option.starts_with(kOption)) continue;
    const auto target = option.substr(kOption.size());
    return std::string(target.substr(0, target.find(':')));
  }
  return {};
}

int Compile(Source& source, const std::string& target) {
  if (!target.starts_with("gfx")) {
    source.log = "error: no --offload-arch";
    return kInvalidOption;
  }
  if (const auto refused = GetOfDriver("compiler_refuses", 0);
      refused != 0 && target == TargetText(refused)) {
    source.log = "error: unknown target CPU '" + target + "'";
    return kCompilation;
  }
  const auto program = ReadSource(source.text, target, source.log);
  if (!program) return kCompilation;
  source.code = WriteCode(*program);
  return kSuccess;
}

}  // namespace
}  // namespace fakes::hip

using namespace fakes::hip;  // NOLINT: the entry points below are C

FAKE_HIP hiprtcCreateProgram(rt::HipProgram* program, const char* source, const char*, int headers,
                             const char**, const char**) {
  if (source == nullptr || headers != 0) return kInvalidInput;
  *program = reinterpret_cast<rt::HipProgram>(new Source{source, {}, {}});
  return kSuccess;
}
FAKE_HIP hiprtcCompileProgram(rt::HipProgram program, int count, const char** options) {
  if (const auto error = fakes::Reach(fakes::Point::kCompile)) return *error;
  return Compile(*reinterpret_cast<Source*>(program), TargetIn(count, options));
}
FAKE_HIP hiprtcGetProgramLogSize(rt::HipProgram program, std::size_t* bytes) {
  *bytes = reinterpret_cast<Source*>(program)->log.size() + 1;
  return kSuccess;
}
FAKE_HIP hiprtcGetProgramLog(rt::HipProgram program, char* log) {
  const std::string& text = reinterpret_cast<Source*>(program)->log;
  *std::copy(text.begin(), text.end(), log) = '\0';
  return kSuccess;
}
FAKE_HIP hiprtcGetCodeSize(rt::HipProgram program, std::size_t* bytes) {
  *bytes = reinterpret_cast<Source*>(program)->code.size();
  return kSuccess;
}
FAKE_HIP hiprtcGetCode(rt::HipProgram program, char* code) {
  const std::string& made = reinterpret_cast<Source*>(program)->code;
  std::copy(made.begin(), made.end(), code);
  return kSuccess;
}
FAKE_HIP hiprtcDestroyProgram(rt::HipProgram* program) {
  delete reinterpret_cast<Source*>(*program);
  *program = nullptr;
  return kSuccess;
}
