// SPDX-License-Identifier: MIT
// SPIR-V 1.2, "Binary Form": numbers of instructions, storage classes and decorations are the
// specification's.
#include "tests/fakes/level_zero/spirv.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace fakes::level_zero {
namespace {

enum Code : std::uint32_t {
  kEntryPoint = 15,
  kExecutionMode = 16,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypePointer = 32,
  kTypeFunction = 33,
  kConstant = 43,
  kFunction = 54,
  kDecorate = 71
};
constexpr std::uint32_t kMagic = 0x07230203, kHeaderWords = 5;
constexpr std::uint32_t kLocalSize = 17, kSubgroupSize = 35, kLinkage = 41, kImport = 1;

using Words = std::span<const std::uint32_t>;

std::string TextAt(Words words) {
  const auto bytes = std::as_bytes(words);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

class Reader {
 public:
  void Read(std::uint32_t code, Words w);
  [[nodiscard]] ModuleCode Finish();

 private:
  struct Entry {
    std::string name;
    std::array<std::uint32_t, 3> group{};
    std::uint32_t subgroup = 0;
  };

  std::map<std::uint32_t, Parameter> types_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> functions_;  // types -> those of the parameters
  std::map<std::uint32_t, std::uint32_t> type_of_;                 // functions -> types
  std::map<std::uint32_t, std::uint64_t> constants_;
  std::map<std::uint32_t, Entry> entries_;  // by function
  ModuleCode module_;
};

void Reader::Read(std::uint32_t code, Words w) {
  switch (code) {
    case kEntryPoint:
      entries_[w[1]].name = TextAt(w.subspan(2));
      break;
    case kExecutionMode:
      if (w[1] == kLocalSize) entries_[w[0]].group = {w[2], w[3], w[4]};
      if (w[1] == kSubgroupSize) entries_[w[0]].subgroup = w[2];
      break;
    case kTypeInt:
    case kTypeFloat:
      types_[w[0]] = {w[1] / 8, false, w[1], code == kTypeFloat};
      break;
    case kTypeVector:
      types_[w[0]] = types_[w[1]];
      break;
    case kTypeArray:
      module_.lengths.insert(constants_[w[2]]);
      break;
    case kTypePointer:
      types_[w[0]] = {8, true, types_[w[2]].bits, types_[w[2]].is_float};
      break;
    case kTypeFunction:
      functions_[w[0]] = {w.begin() + 2, w.end()};
      break;
    case kConstant:
      constants_[w[1]] = w[2] | (w.size() > 3 ? std::uint64_t{w[3]} << 32U : 0);
      break;
    case kFunction:
      type_of_[w[1]] = w[3];
      break;
    case kDecorate:
      if (w[1] == kLinkage && w.back() == kImport) module_.imported.insert(TextAt(w.subspan(2)));
      break;
    default:
      break;
  }
}

ModuleCode Reader::Finish() {
  for (const auto& [function, entry] : entries_) {
    KernelCode kernel{entry.name, {}, entry.group, entry.subgroup};
    for (const std::uint32_t type : functions_[type_of_[function]]) kernel.parameters.push_back(types_[type]);
    module_.kernels.push_back(std::move(kernel));
  }
  return std::move(module_);
}

}  // namespace

std::optional<ModuleCode> ReadModule(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  if (bytes.size() % 4 != 0 || words.size() < kHeaderWords || words[0] != kMagic) return std::nullopt;
  Reader reader;
  for (std::size_t at = kHeaderWords; at < words.size();) {
    const std::uint32_t size = words[at] >> 16U;
    if (size == 0 || size > words.size() - at) return std::nullopt;
    reader.Read(words[at] & 0xffffU, Words(words).subspan(at + 1, size - 1));
    at += size;
  }
  return reader.Finish();
}

}  // namespace fakes::level_zero
