// SPDX-License-Identifier: MIT
// Modules of the fake libcuda: PTX is read as far as what it declares, and refused where a real driver would
// refuse it: a version or target beyond the device's, or text that is cut short. It is never executed; of its
// instructions those alone are looked for that make it fault.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string_view>
#include <thread>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/cuda/state.h"

namespace fakes::cuda {
namespace {

// The number after a directive such as ".version 7.0" times ten, or -1.
int Version(const std::string& text) {
  std::smatch match;
  static const std::regex pattern(R"(\n\.version (\d+)\.(\d+)\n)");
  return std::regex_search(text, match, pattern) ? std::stoi(match[1]) * 10 + std::stoi(match[2]) : -1;
}

int CheckTarget(const std::string& text, const Slot& slot) {
  std::smatch match;
  static const std::regex pattern(R"(\n\.target sm_(\d+)([af]?)\n)");
  if (!std::regex_search(text, match, pattern)) return kInvalidPtx;
  const auto own = Get(*slot.gpu, "capability", 90);
  const int target = std::stoi(match[1]);
  const bool taken = match[2] == "a"   ? target == own
                     : match[2] == "f" ? target <= own && target / 10 == own / 10
                                       : target <= own;
  return taken ? kSuccess : kInvalidPtx;
}

// Braces balance and the text ends after the last: else it is a part.
bool IsWhole(const std::string& text) {
  const auto opened = std::count(text.begin(), text.end(), '{');
  const auto last = text.find_last_not_of(" \n\t");
  return opened > 0 && opened == std::count(text.begin(), text.end(), '}') && last != std::string::npos &&
         text[last] == '}';
}

std::uint32_t Bytes(const std::string& type) { return static_cast<std::uint32_t>(std::stoul(type)) / 8; }

void AddEntries(const std::string& text, Module& module) {
  static const std::regex entry(R"(\.visible \.entry (\w+)\(([^)]*)\)([^{]*)\{)");
  static const std::regex parameter(R"(\.param (?:\.align \d+ )?\.[ubfs](\d+)[^,[]*(?:\[(\d+)\])?)");
  static const std::regex cluster(R"(\.reqnctapercluster (\d+))");
  static const std::regex threads(R"(\.maxntid (\d+))");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), entry); at != std::sregex_iterator(); ++at) {
    auto found = std::make_unique<Entry>();
    found->name = (*at)[1];
    const std::string parameters = (*at)[2], directives = (*at)[3];
    for (auto p = std::sregex_iterator(parameters.begin(), parameters.end(), parameter);
         p != std::sregex_iterator(); ++p) {
      const std::uint32_t elements = (*p)[2].matched ? static_cast<std::uint32_t>(std::stoul((*p)[2])) : 1;
      found->parameter_bytes.push_back(Bytes((*p)[1]) * elements);
    }
    const auto body = std::string_view(text).substr(static_cast<std::size_t>(at->position() + at->length()));
    found->faults = body.starts_with("\n{ .reg .b64 nowhere;");
    std::smatch match;
    if (std::regex_search(directives, match, threads)) {
      found->required_threads = static_cast<std::uint32_t>(std::stoul(match[1]));
    }
    if (std::regex_search(directives, match, cluster)) {
      found->cluster = static_cast<std::uint32_t>(std::stoul(match[1]));
    }
    module.entries.push_back(std::move(found));
  }
}

// As the real one has it: by name, so from wherever the loader looks, or from what is loaded already.
bool HasCompiler() {
  static const bool has = GetOfDriver("loads_compiler", 0) == 0 ||
                          dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
  return has;
}

// Takes so long for a text as the scenario says, and none where CUDA_CACHE_PATH has it from an earlier time.
void Translate(const std::string& text) {
  const auto milliseconds = GetOfDriver("translation_ms", 0);
  const char* folder = std::getenv("CUDA_CACHE_PATH");
  if (milliseconds == 0 || folder == nullptr) return;
  const auto kept = std::filesystem::path(folder) / std::to_string(std::hash<std::string>{}(text));
  if (std::filesystem::exists(kept)) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  std::ofstream(kept) << "translated";
}

}  // namespace

int ParseModule(const std::string& text, const Slot& slot, Module& module, std::string& log) {
  const int version = Version(text);
  if (version < 0 || !IsWhole(text)) {
    log = "ptxas fatal   : Unexpected end of file in input";
    return kInvalidPtx;
  }
  if (!HasCompiler()) return kNoCompiler;
  if (version > GetOfDriver("driver_ptx", 90)) return kUnsupportedPtxVersion;
  if (const int code = CheckTarget(text, slot); code != kSuccess) {
    log = "ptxas fatal   : SM version specified by .target is higher than default SM version assumed";
    return code;
  }
  AddEntries(text, module);
  return module.entries.empty() ? kInvalidPtx : kSuccess;
}

}  // namespace fakes::cuda

using namespace fakes::cuda;  // NOLINT: the entry points below are C
using fakes::Point;

FAKE_CUDA cuModuleLoadDataEx(nv::CuModule* module, const void* image, unsigned int count,
                             nv::CuJitOption* options, void** values) {
  if (CurrentSlot() == nullptr) return kInvalidContext;
  if (const int code = Ready(Point::kCompile, CurrentSlot()->index); code != kSuccess) return code;
  auto parsed = std::make_unique<Module>();
  std::string log;
  const int code = ParseModule(static_cast<const char*>(image), *CurrentSlot(), *parsed, log);
  Translate(static_cast<const char*>(image));
  char* buffer = nullptr;
  std::size_t space = 0;
  for (unsigned int i = 0; i < count; ++i) {
    if (options[i] == nv::kCuJitErrorLog) buffer = static_cast<char*>(values[i]);
    if (options[i] == nv::kCuJitErrorLogBytes) space = reinterpret_cast<std::uintptr_t>(values[i]);
  }
  if (buffer != nullptr && space > 0) std::strncpy(buffer, log.c_str(), space - 1);
  if (code == kSuccess) *module = reinterpret_cast<nv::CuModule>(parsed.release());
  return code;
}

FAKE_CUDA cuModuleGetFunction(nv::CuFunction* function, nv::CuModule module, const char* name) {
  for (const auto& entry : reinterpret_cast<Module*>(module)->entries) {
    if (entry->name != name) continue;
    *function = reinterpret_cast<nv::CuFunction>(entry.get());
    return kSuccess;
  }
  return kNotFound;
}

FAKE_CUDA cuFuncGetAttribute(int* value, int attribute, nv::CuFunction function) {
  const auto* entry = reinterpret_cast<const Entry*>(function);
  *value = attribute == nv::kCuFunctionMaxThreads && entry->required_threads > 0
               ? static_cast<int>(entry->required_threads)
               : 1024;
  return kSuccess;
}

FAKE_CUDA cuFuncSetAttribute(nv::CuFunction function, int attribute, int value) {
  auto* entry = reinterpret_cast<Entry*>(function);
  if (attribute == nv::kCuFunctionSharedPercent && value <= 100) {
    entry->shared_percent = value;
    return kSuccess;
  }
  if (attribute != nv::kCuFunctionMaxDynamicSharedBytes || value < 0) return kInvalidValue;
  if (value > Get(*CurrentSlot()->gpu, "shared_memory_per_block_optin", 232448)) return kInvalidValue;
  entry->max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
  return kSuccess;
}
