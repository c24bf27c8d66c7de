// SPDX-License-Identifier: MIT
// A fake compiler: reads the kernels that a source defines, and what each of their parameters asks for.
// Nothing is translated.
#include <algorithm>
#include <map>
#include <optional>
#include <regex>

#include "tests/fakes/common/misbehave.h"
#include "tests/fakes/metal/device.h"

namespace fakes::metal {
namespace {

constexpr const char* kDomain = "MTLLibraryErrorDomain";
constexpr Integer kCompileFailure = 3;

// What no setter was called of is empty: its default is that of an SDK, or of a version.
struct OptionsObject : Object {
  OptionsObject();
  UInteger language = 0;
  std::optional<Boolean> fast_math;
};
void SetLanguage(OptionsObject* options, Sel, UInteger version) { options->language = version; }
void SetFastMath(OptionsObject* options, Sel, Boolean fast) { options->fast_math = fast; }
rt::Id NewOptions(ClassObject*, Sel) { return IdOf(new OptionsObject); }
ClassObject& OptionsClass() {
  static auto* const meta = new ClassObject("MTLCompileOptions meta", {{"new", Of(NewOptions)}});
  static auto* const type = new ClassObject(
      "MTLCompileOptions",
      {{"setLanguageVersion:", Of(SetLanguage)}, {"setFastMathEnabled:", Of(SetFastMath)}}, meta);
  return *type;
}
OptionsObject::OptionsObject() : Object(&OptionsClass()) {}

struct LibraryObject : Object {
  explicit LibraryObject(std::map<std::string, Entry> given_entries);
  std::map<std::string, Entry> entries;
};
struct FunctionObject : Object {
  explicit FunctionObject(Entry given_entry);
  Entry entry;
};
ClassObject& FunctionClass() {
  static auto* const type = new ClassObject("MTLFunction", {});
  return *type;
}
FunctionObject::FunctionObject(Entry given_entry) : Object(&FunctionClass()), entry(std::move(given_entry)) {}

rt::Id NewFunction(LibraryObject* library, Sel, rt::Id name) {
  const auto found = library->entries.find(TextOf(name));
  return found == library->entries.end() ? nullptr : IdOf(new FunctionObject(found->second));
}
ClassObject& LibraryClass() {
  static auto* const type = new ClassObject("MTLLibrary", {{"newFunctionWithName:", Of(NewFunction)}});
  return *type;
}
LibraryObject::LibraryObject(std::map<std::string, Entry> given_entries)
    : Object(&LibraryClass()), entries(std::move(given_entries)) {}

UInteger MaxThreads(PipelineObject* pipeline, Sel) { return pipeline->device.scenario.max_workgroup_size; }
ClassObject& PipelineClass() {
  static auto* const type =
      new ClassObject("MTLComputePipelineState", {{"maxTotalThreadsPerThreadgroup", Of(MaxThreads)}});
  return *type;
}

std::vector<Parameter> ParametersOf(const std::string& text) {
  static const std::regex pattern(R"((\*?)\s*&?\s*\w+ \[\[(buffer|threadgroup)\((\d+)\)\]\])");
  std::vector<Parameter> parameters;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator();
       ++at) {
    const auto kind = (*at)[2] == "threadgroup" ? Parameter::Kind::kGroupMemory
                      : (*at)[1].length() > 0   ? Parameter::Kind::kBuffer
                                                : Parameter::Kind::kNumber;
    parameters.push_back({kind, std::stoul((*at)[3])});
  }
  return parameters;
}

std::string Prepared(std::string text, UInteger language) {
  static const std::regex continued(R"(\\\n)"), later(R"(#if __METAL_VERSION__ >= 310\n[^#]*#endif)");
  text = std::regex_replace(text, continued, " ");
  return language >= rt::kMtlLanguageVersion3_1 ? text : std::regex_replace(text, later, "");
}

// Also where a macro defines the kernel and is used below.
std::map<std::string, Entry> EntriesOf(const std::string& source) {
  static const std::regex kernel(
      R"((#define (\w+)\(name[^\n]*)?kernel void (\w+)\(((?:[^()]|\([^()]*\))*)\))");
  static const std::regex use(R"((?:^|\n)(\w+)\((\w+),)");
  std::map<std::string, Entry> entries, macros;
  for (auto at = std::sregex_iterator(source.begin(), source.end(), kernel); at != std::sregex_iterator();
       ++at) {
    Entry entry{(*at)[3], ParametersOf((*at)[4])};
    (entry.name == "name" ? macros[(*at)[2]] : entries[entry.name]) = entry;
  }
  for (auto at = std::sregex_iterator(source.begin(), source.end(), use); at != std::sregex_iterator();
       ++at) {
    const auto macro = macros.find((*at)[1]);
    if (macro != macros.end()) entries[(*at)[2]] = {(*at)[2], macro->second.parameters};
  }
  return entries;
}

std::optional<std::string> WhyRefused(const OptionsObject& options) {
  const UInteger newest = Macos() >= kMacosOfBfloat ? rt::kMtlLanguageVersion3_1 : rt::kMtlLanguageVersion2_3;
  if (options.language < rt::kMtlLanguageVersion2_3) return "program_source: error: no simdgroup_matrix";
  if (options.language > newest) return "program_source: error: no such version of the language";
  if (!options.fast_math) return "program_source: error: nobody says which math";
  return std::nullopt;
}

std::optional<std::string> WhyRefused(const std::string& source,
                                      const std::map<std::string, Entry>& entries) {
  if (GetOfDriver("compiler_refuses", 0) != 0) return "program_source:1:1: error: the compiler refuses this";
  const auto count = [&](char c) { return std::count(source.begin(), source.end(), c); };
  if (count('{') != count('}')) return "program_source:1:1: error: expected '}'";
  if (!source.starts_with("// SPDX")) return "program_source:1:1: error: expected unqualified-id";
  return entries.empty() ? std::optional<std::string>("program_source:1:1: error: no kernel") : std::nullopt;
}

}  // namespace

PipelineObject::PipelineObject(DeviceObject& given_device, Entry given_entry)
    : Object(&PipelineClass()), device(given_device), entry(std::move(given_entry)) {}

void NameCompileOptions() { (void)OptionsClass(); }

rt::Id NewLibrary(DeviceObject* device, Sel, rt::Id source, rt::Id given, rt::Id* error) {
  const auto fail = [&](Integer code, const std::string& why) -> rt::Id {
    *error = Autorelease(NewError(kDomain, code, why));
    return nullptr;
  };
  if (const auto code = fakes::Reach(Point::kCompile, device->index)) return fail(*code, "the compiler died");
  if (source == nullptr) Die("a library without a source");
  if (given == nullptr)
    return fail(kCompileFailure, "program_source: error: the language of a program's SDK");
  const auto& options = As<OptionsObject>(given);
  if (const auto why = WhyRefused(options)) return fail(kCompileFailure, *why);
  auto entries = EntriesOf(Prepared(TextOf(source), options.language));
  if (const auto why = WhyRefused(TextOf(source), entries)) return fail(kCompileFailure, *why);
  return IdOf(new LibraryObject(std::move(entries)));
}

rt::Id NewPipeline(DeviceObject* device, Sel, rt::Id function, rt::Id*) {
  if (function == nullptr) Die("a pipeline without a function");
  return IdOf(new PipelineObject(*device, As<FunctionObject>(function).entry));
}

}  // namespace fakes::metal
